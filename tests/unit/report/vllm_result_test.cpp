#include "report/formats/vllm_result.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

/// As --save-result writes it, without keys that we do not read.
constexpr const char* kSaved =
    R"({"date": "20261129-121501", "endpoint_type": "openai-chat", "backend": "openai-chat", "label": null,
 "model_id": "llama", "tokenizer_id": "llama", "num_prompts": 4, "request_rate": "inf", "burstiness": 1.0,
 "max_concurrency": 2, "duration": 2.0, "completed": 3, "failed": 1, "total_input_tokens": 300,
 "total_output_tokens": 90, "request_throughput": 1.5, "request_goodput": null, "output_throughput": 45.0,
 "total_token_throughput": 195.0, "mean_ttft_ms": 102.0, "median_ttft_ms": 101.0, "std_ttft_ms": 3.0,
 "p99_ttft_ms": 110.5, "p99.9_ttft_ms": 111.0, "mean_itl_ms": 5.0, "median_itl_ms": 4.9, "std_itl_ms": 1.0,
 "p99_itl_ms": 9.0, "mean_tpot_ms": 5.1, "median_tpot_ms": 5.0, "std_tpot_ms": 0.2, "p99_tpot_ms": 5.4})";

std::string with(std::string key, const std::string& value) {
  std::string text = kSaved;
  text.insert(text.size() - 1, ", \"" + std::move(key) + "\": " + value);
  return text;
}

std::string complaint(const std::string& text) {
  try {
    vllm_result_from_json(text);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return {};
}

/// --append-result writes each object on one line.
std::string one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

const BenchSeries* series(const BenchSamples& samples, std::string_view metric) {
  for (const auto& one : samples.series) {
    if (one.metric == metric) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("vllm: counts, rates and load of a saved result are read") {
  const RunResult run = vllm_result_from_json(kSaved).run;
  REQUIRE(run.points.size() == 1);
  const PointResult& point = run.points[0];
  CHECK(run.targets.at(0).model == "llama");
  CHECK(run.start_utc == "2026-11-29T12:15:01");
  CHECK(point.load.concurrency == 2);
  CHECK_FALSE(point.load.open_loop);
  CHECK(point.ok == 3);
  CHECK(point.requests == 4);
  CHECK(point.whole.window_s == 2);
  CHECK(point.whole.output == 45);
  CHECK(point.whole.input == 150);
  CHECK(point.prompt_tokens == 300);
  CHECK_FALSE(point.slo.has_value());
}

TEST_CASE("vllm: its ITL is between events, which is our ICL") {
  const PointResult point = vllm_result_from_json(kSaved).run.points[0];
  CHECK(point.find("itl") == nullptr);
  REQUIRE(point.find("icl"));
  CHECK(point.find("icl")->find(50)->value == 4.9);
}

TEST_CASE("vllm: percentiles are those that were asked for, in order") {
  const Metric ttft = *vllm_result_from_json(kSaved).run.points[0].find("ttft");
  REQUIRE(ttft.percentiles.size() == 3);
  CHECK(ttft.percentiles[0].value == 101);
  CHECK(ttft.percentiles[1].percentile == 99);
  CHECK(ttft.percentiles[2].percentile == 99.9);
  CHECK(ttft.percentiles[2].value == 111);
  CHECK(ttft.mean == 102);
  CHECK(ttft.find(95) == nullptr);
}

TEST_CASE("vllm: a rate is an open loop, its burstiness the gaps' coefficient of variation") {
  std::string text = kSaved;
  text.replace(text.find("\"inf\""), 5, "20.0");
  text.replace(text.find("\"burstiness\": 1.0"), 17, "\"burstiness\": 4.0");
  const LoadPoint load = vllm_result_from_json(text).run.points[0].load;
  CHECK(load.open_loop);
  CHECK(load.rate == 20);
  CHECK(load.arrival == Arrival::gamma);
  CHECK(load.cv == 0.5);
  CHECK(load.max_in_flight == 2);
}

TEST_CASE("vllm: an infinite burstiness, which is no JSON, is even spacing") {
  std::string text = kSaved;
  text.replace(text.find("\"inf\""), 5, "20.0");
  text.replace(text.find("\"burstiness\": 1.0"), 17, "\"burstiness\": Infinity");
  CHECK(vllm_result_from_json(text).run.points[0].load.arrival == Arrival::constant);
}

TEST_CASE("vllm: appended results are points, the same load again a further run") {
  std::string other = one_line(kSaved);
  other.replace(other.find("\"max_concurrency\": 2"), 20, "\"max_concurrency\": 8");
  const RunResult run = vllm_result_from_json(one_line(kSaved) + "\n" + other + "\n" + one_line(kSaved)).run;
  REQUIRE(run.points.size() == 3);
  CHECK(run.points[1].load.concurrency == 8);
  CHECK(run.points[1].load.run == 1);
  CHECK(run.points[2].load.run == 2);
  CHECK(run.runs == 2);
}

TEST_CASE("vllm: goodput is read under both of its keys") {
  for (const char* key : {"request_goodput:", "request_goodput"}) {
    std::string text = kSaved;
    text.erase(text.find("\"request_goodput\": null, "), 25);
    text.insert(text.size() - 1, std::string(", \"") + key + "\": 1.0");
    const PointResult point = vllm_result_from_json(text).run.points[0];
    REQUIRE(point.slo);
    CHECK(point.slo->goodput == 1);
    CHECK(point.slo->met == 2);
    CHECK(point.slo->attainment == 0.5);
  }
}

TEST_CASE("vllm: failures that an older version did not count are what is left of the prompts") {
  std::string text = kSaved;
  text.erase(text.find("\"failed\": 1, "), 13);
  CHECK(vllm_result_from_json(text).run.points[0].requests == 4);
}

TEST_CASE("vllm: the samples of good answers are kept, failed requests left out") {
  std::string text = with("ttfts", "[0.1, 0.0, 0.2, 0.3]");
  text.insert(text.size() - 1,
              R"(, "itls": [[0.01, 0.02], [], [0.01], [0.03]], "output_lens": [3, 0, 2, 1],
 "start_times": [10.0, 10.0, 11.0, 11.0], "errors": ["", "Bad Gateway", "", ""],
 "queue_times": [0.0, 0.0, 0.001, 0.002])");
  const BenchRun bench = vllm_result_from_json(text);
  REQUIRE(bench.samples.size() == 1);
  const BenchSamples& samples = bench.samples[0];
  CHECK(series(samples, "ttft")->values == std::vector<double>{100, 200, 300});
  CHECK(series(samples, "client_queue")->values == std::vector<double>{0, 1, 2});
  REQUIRE(series(samples, "tpot")->values.size() == 2);
  CHECK(series(samples, "tpot")->values[0] == Approx(15));
  CHECK(series(samples, "e2e")->values[0] == Approx(130));
  REQUIRE(samples.gaps.size() == 4);
  CHECK(samples.gaps[1].at_s == Approx(10.13));
  CHECK(samples.gaps[1].gap_ms == Approx(20));
}

TEST_CASE("vllm: latencies and queue times alone, as without --save-detailed, give their samples") {
  const std::string text = with("latencies", "[1.0, 0.0, 1.5, 2.0], \"queue_times\": [0.0, 0.0, 0.0, 0.0]");
  const BenchRun bench = vllm_result_from_json(text);
  REQUIRE(bench.samples.size() == 1);
  CHECK(series(bench.samples[0], "e2e")->values == std::vector<double>{1000, 1500, 2000});
  CHECK(series(bench.samples[0], "ttft") == nullptr);
}

TEST_CASE("vllm: a file of something else is refused in one line") {
  CHECK(complaint("{}") == "no vLLM bench result: completed is not a number");
  CHECK(complaint("[1]") == "no vLLM bench result: not a JSON object");
  CHECK(complaint("") == "no vLLM bench result: the file is empty");
  CHECK(complaint("{\"a\": 1}\n{\"a\":") == "not JSON: line 2");
  CHECK(complaint(std::string(80'000, '[')) == "nested 80,000 levels deep; 256 at most are read");
}

TEST_CASE("vllm: our own result.json is told from theirs") {
  CHECK(is_vllm_result(kSaved));
  CHECK_FALSE(is_vllm_result(R"({"schema_version": 1, "points": [{"request_throughput": 1}]})"));
}
