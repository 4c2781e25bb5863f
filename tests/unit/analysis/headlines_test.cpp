#include "analysis/findings/findings.hpp"

#include "analysis/conclude.hpp"
#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

using Lines = std::vector<std::string>;

Lines headline_of(std::string scenario, const std::vector<RequestRecord>& records,
                  std::vector<const char*> slos = {}, LoadPoint load = open(10)) {
  load.classes.resize(1);
  for (const auto* slo : slos) load.classes[0].slos.push_back(parse_slo("--slo", slo));
  RunResult run;
  run.scenario = std::move(scenario);
  run.targets.resize(1);
  run.points.push_back(summarize(load, records, {}));
  conclude(run, records);
  return run.headline;
}

/// Ten a second: TTFT of 100, 200, 300, 400, 500 ms in turn, eleven tokens 10 ms apart.
std::vector<RequestRecord> steps(int n) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < n; ++i)
    out.push_back(answer(i * 100'000, 100'000 * (1 + i % 5), std::vector<std::uint32_t>(10, 10'000)));
  return out;
}

}  // namespace

TEST_CASE("headline: a run that is no scenario has none") {
  CHECK(headline_of("", steps(10)).empty());
  CHECK(headline_of("my-own", steps(10)).empty());
  CHECK(headline_of("chat", {failed(0, Outcome::connect)}).empty());
}

TEST_CASE("headline: chat says when answers begin and how fast they run, and whether the SLO held") {
  CHECK(headline_of("chat", steps(100), {"ttft<450ms"}) ==
        Lines{"Answers begin after 300 ms (p50) and 500 ms (p95) and run at 100 tokens/s.",
              "SLO missed: 80.0 % of 100 requests met ttft<450ms (at least 95 % should)."});
  CHECK(headline_of("chat", steps(100), {"ttft<1s", "tpot<50ms"}).at(1) ==
        "SLOs held: 100 % of 100 requests met ttft<1s, tpot<50ms (at least 95 % should).");
}

TEST_CASE("headline: voice counts as ready what its SLO on TTFT lets pass") {
  const auto lines = headline_of("voice", steps(100), {"ttft<180ms"});
  CHECK(lines.at(0) ==
        "20.0 % of the answers are ready for speech in time: TTFT within 180 ms, of 500 ms with 120 ms for "
        "the speech step and the rest for hearing the caller; TTFT 300 ms (p50), 500 ms (p95).");
  CHECK(lines.at(1).starts_with("SLO missed: 20.0 % of"));
}

TEST_CASE("headline: ghost text counts cancelled suggestions that had begun to show") {
  auto records = steps(100);
  for (std::size_t i = 0; i < 100; i += 5) records[i].outcome = Outcome::cancelled;
  for (std::size_t i = 1; i < 100; i += 5) {
    records[i].outcome = Outcome::cancelled;
    records[i].first_token_us = records[i].first_output_us = std::nullopt;
  }
  CHECK(headline_of("ghost-text", records).at(0) ==
        "20.0 % of the suggestions begin to show within 150 ms, 0 % within 80 ms; the typist cancelled 40 of "
        "100.");
}

TEST_CASE("headline: batch says when the documents are finished and whether the aim held") {
  CHECK(headline_of("batch", steps(1001)).at(0) ==
        "At this rate 100,000 documents are finished in 2 h 47 min: 110 tok/s (aim 4,000 tok/s: missed).");
}

TEST_CASE("headline: prompt cache sets cold against warm") {
  auto records = steps(10);  // 100 … 500 ms twice
  for (auto& r : records) r.prompt_tokens = 1000;
  for (std::size_t i = 0; i < 10; ++i) {
    const bool warm = i % 5 != 4;
    records[i].repeat = warm ? 1 : 0;
    records[i].cached_tokens = warm ? 900 : 0;
  }
  CHECK(headline_of("prompt-cache", records).at(0) ==
        "TTFT is 500 ms cold and 250 ms warm (p50): the cache saves 50.0 % of it; 90.0 % of the warm prompt "
        "tokens came from it.");
  CHECK(headline_of("prompt-cache", steps(10)).at(0) == "No prompt was answered both cold and warm.");
}

TEST_CASE("headline: agent goes from the first turn to the last") {
  auto records = steps(10);
  for (std::size_t i = 0; i < 10; ++i) {
    records[i].turn = static_cast<std::uint32_t>(i % 5);
    records[i].conversation = i / 5;
  }
  CHECK(headline_of("agent", records).at(0) ==
        "Over 2 conversations TTFT goes from 100 ms in turn 1 to 500 ms in turn 5 (p50).");
}

TEST_CASE("headline: reasoning tells the visible token from the first one") {
  auto records = steps(10);
  for (auto& r : records) {
    r.first_output_us = *r.sent_us + 2'000'000;
    r.reasoning_tokens = 6;
  }
  CHECK(headline_of("reasoning", records).at(0) ==
        "The first visible token comes after 2.00 s (p50), the first of any kind after 300 ms; 54.5 % of the "
        "output is reasoning, 6.00 tokens an answer.");
}

TEST_CASE("headline: a context sweep is its fit") {
  CHECK(headline_of("context-sweep", steps(10)).at(0) ==
        "Too few prompt lengths were answered, or too unevenly, to tell how TTFT grows with them.");
}

TEST_CASE("headline: several targets are named") {
  RunResult run;
  run.scenario = "chat";
  run.targets = {{.name = "one"}, {.name = "two"}};
  auto records = steps(10);
  for (std::size_t i = 5; i < 10; ++i) records[i].target = 1;
  for (std::uint32_t target = 0; target < 2; ++target) {
    const auto from = records.begin() + target * 5;
    run.points.push_back(summarize(open(10), std::vector(from, from + 5), {}));
  }
  conclude(run, records);
  REQUIRE(run.headline.size() == 2);
  CHECK(run.headline[1] == "two: Answers begin after 300 ms (p50) and 480 ms (p95) and run at 100 tokens/s.");
}
