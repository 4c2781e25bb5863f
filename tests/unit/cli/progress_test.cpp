#include "cli/progress.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {
const ProgressFigures kFigures{.stage = Stage::measuring,
                               .elapsed = 18400ms,
                               .total = 30s,
                               .in_flight = 32,
                               .done = 451,
                               .requests_per_s = 24.51,
                               .tokens_per_s = 3139.7,
                               .ttft_ms = 91.8,
                               .itl_ms = 9.79};
}

TEST_CASE("progress: the block has two lines that leave four of 80 columns free") {
  CHECK(progress_block(kFigures, 80, true) ==
        "    18.4 s / 30 s =============.........  32 in flight   451 done   0 errors\n"
        "                       24.5 req/s   3,140 tok/s   TTFT 91.8 ms   ITL 9.79 ms");
}

TEST_CASE("progress: the block fits whatever width it is given") {
  for (unsigned width = 9; width < 130; ++width) {
    const std::string block = progress_block(kFigures, width, true);
    INFO(block);
    CHECK(block.find('\n') <= width - 4);
    CHECK(block.size() - block.find('\n') - 1 <= width - 4);
  }
}

TEST_CASE("progress: a plain line says stage, time, counts and rates") {
  CHECK(progress_line(kFigures) ==
        "measuring  18.4 s / 30 s  32 in flight   451 done   0 errors  "
        "24.5 req/s   3,140 tok/s   TTFT 91.8 ms   ITL 9.79 ms");
}

TEST_CASE("progress: JSON has numbers without separators") {
  CHECK(progress_json(kFigures, 1'769'860'800'000) ==
        R"({"time":"2026-01-31T12:00:00Z","point":1,"points":1,"target":"","stage":"measuring",)"
        R"("elapsed_s":18.4,"in_flight":32,"done":451,"errors":0,"requests_per_s":24.510,)"
        R"("tokens_per_s":3139.7,"ttft_p50_ms":91.800,"itl_p50_ms":9.790})");
}

TEST_CASE("progress: JSON says which point of how many is measured, and at which targets") {
  ProgressFigures figures = kFigures;
  figures.point = 1;
  figures.points = 4;
  figures.target = "a,\"b\"";
  CHECK(
      progress_json(figures, 0)
          .starts_with(R"({"time":"1970-01-01T00:00:00Z","point":2,"points":4,"target":"a,\"b\"","stage":)"));
}
