#include "analysis/assertions/slo.hpp"

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

LoadPoint with_slos(std::vector<const char*> texts) {
  auto load = open(10);
  load.classes.resize(1);
  for (const auto* text : texts) load.classes[0].slos.push_back(parse_slo("--slo", text));
  return load;
}

/// Ten a second: TTFT 50 ms, every `nth` 150 ms.
std::vector<RequestRecord> answers_with_slow(int n, int nth) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < n; ++i) out.push_back(answer(i * 100'000, i % nth == 0 ? 150'000 : 50'000, {10'000}));
  return out;
}

}  // namespace

TEST_CASE("slo: a request meets its SLOs when it meets all of them") {
  const auto slo = summarize(with_slos({"ttft<100ms", "e2e<55ms"}), answers_with_slow(10, 5), {}).slo;
  REQUIRE(slo);
  CHECK(slo->slos == std::vector<std::string>{"ttft<100ms", "e2e<55ms"});
  CHECK(slo->requests == 10);
  CHECK(slo->met == 0);
  CHECK(slo->each.at(0).second == Approx(0.8));
  CHECK(slo->each.at(1).second == 0);
}

TEST_CASE("slo: failed, aborted and dropped requests are misses, interrupted ones do not count") {
  auto records = answers_with_slow(10, 100);
  records[1].outcome = Outcome::http_error;
  records[2].outcome = Outcome::aborted;
  records[3].outcome = Outcome::dropped;
  records[4].outcome = Outcome::interrupted;
  records[5].outcome = Outcome::interrupted;
  records[6].phase = Phase::warmup;
  records[7].phase = Phase::ramp;
  const auto slo = summarize(with_slos({"ttft<200ms"}), records, {}).slo;
  CHECK(slo->requests == 6);
  CHECK(slo->met == 3);
  CHECK(slo->attainment == 0.5);
}

TEST_CASE("slo: a cancelled stream is judged by its first token and by nothing that came after") {
  auto records = answers_with_slow(10, 5);  // two of 150 ms
  for (auto& r : records) r.outcome = Outcome::cancelled;
  const auto slo = summarize(with_slos({"ttft<100ms", "e2e<1ms"}), records, {}).slo;
  REQUIRE(slo);
  CHECK(slo->requests == 10);
  CHECK(slo->met == 8);
  CHECK(slo->each.at(0).second == Approx(0.8));
  CHECK_FALSE(slo->each.at(1).second);
}

TEST_CASE("slo: a stream closed before its first token has missed what it had waited for, no more") {
  auto records = answers_with_slow(2, 100);
  for (auto& r : records) {
    r.outcome = Outcome::cancelled;
    r.first_token_us = std::nullopt;
    r.end_us = *r.sent_us + 60'000;
  }
  CHECK(summarize(with_slos({"ttft<50ms"}), records, {}).slo->attainment == 0);
  CHECK(summarize(with_slos({"ttft<50ms"}), records, {}).slo->requests == 2);
  CHECK(summarize(with_slos({"ttft<500ms"}), records, {}).slo->requests == 0);
}

TEST_CASE("slo: a retried request does not miss client_queue, which it does not have") {
  auto records = answers_with_slow(4, 100);
  for (std::size_t i : {1U, 2U}) {
    records[i].tries = 2;
    *records[i].sent_us += 40'000;
  }
  const auto slo = summarize(with_slos({"client_queue<50ms", "e2e<1s"}), records, {}).slo;
  CHECK(slo->met == 4);
  CHECK(slo->each.at(0).second == 1);
  CHECK(slo->without.empty());
  CHECK(summarize(with_slos({"client_queue<50ms"}), records, {}).slo->requests == 2);
}

TEST_CASE("slo: a figure that no answer has is nobody's miss") {
  auto records = answers_with_slow(10, 5);
  for (auto& r : records) r.output_tokens = 7;  // in two events: the tokens per event are unknown
  records[1].outcome = Outcome::truncated;
  const auto slo = summarize(with_slos({"itl.p95<50ms", "ttft<100ms"}), records, {}).slo;
  CHECK_FALSE(slo->each.at(0).second);
  CHECK(slo->each.at(1).second == Approx(0.7));
  CHECK(slo->requests == 10);
  CHECK(slo->met == 7);
  const auto point = summarize(with_slos({"itl.p95<50ms"}), records, {});
  REQUIRE(point.slo);
  CHECK(point.slo->requests == 0);
  CHECK_FALSE(value_of(parse_threshold("--assert", "slo_attainment > 90%"), point));
  CHECK_FALSE(value_of(parse_threshold("--assert", "goodput > 1"), point));
}

TEST_CASE("slo: answers without a figure that others have are misses and counted") {
  auto records = answers_with_slow(10, 100);
  for (std::size_t i : {3U, 4U}) records[i] = answer(*records[i].sent_us, 50'000, {});
  const auto slo = summarize(with_slos({"tpot<20ms"}), records, {}).slo;
  CHECK(slo->each.at(0).second == Approx(0.8));
  CHECK(slo->without == std::vector<std::pair<std::string, std::uint64_t>>{{"tpot<20ms", 2}});
}

TEST_CASE("slo: goodput is the request throughput of those that met them") {
  const auto point = summarize(with_slos({"ttft<100ms"}), answers_with_slow(101, 2), {});
  CHECK(point.slo->attainment == Approx(50.0 / 101));
  CHECK(point.slo->goodput == Approx(50 / point.steady->window_s));
  CHECK(point.slo->goodput < point.steady->request);
}

TEST_CASE("slo: a perfect server has a goodput of its request throughput, whatever the phase") {
  auto records = answers_with_slow(101, 1000);
  for (std::size_t i = 0; i < 20; ++i) records[i].phase = Phase::warmup;
  for (auto& r : records) *r.end_us += 900'000;  // those of the warm-up end in the window
  const auto open_point = summarize(with_slos({"ttft<5s"}), records, {});
  REQUIRE(open_point.steady);
  CHECK(open_point.slo->attainment == 1);
  CHECK(open_point.slo->requests == 81);
  CHECK(open_point.slo->goodput == Approx(open_point.steady->request));
  CHECK(*open_point.slo->goodput_half_width == Approx(*open_point.steady->request_half_width));
  auto load = with_slos({"ttft<5s"});
  load.open_loop = false;
  load.concurrency = 40;  // under three requests a slot: over the whole run
  const auto closed_point = summarize(load, records, {});
  CHECK_FALSE(closed_point.steady);
  CHECK(closed_point.slo->goodput == Approx(closed_point.whole.request));
}

TEST_CASE("slo: the interval is Wilson's with the effective number of requests") {
  // 200 of 400 in turn: practically independent, so that n_eff is n / 1.33.
  const auto even = summarize(with_slos({"ttft<100ms"}), answers_with_slow(400, 2), {}).slo;
  CHECK(even->low == Approx(0.4441).margin(0.002));
  CHECK(even->high == Approx(0.5559).margin(0.002));
  // The same share, but all misses at the end.
  auto records = answers_with_slow(400, 1000);
  for (std::size_t i = 200; i < 400; ++i) *records[i].first_token_us += 100'000;
  CHECK(summarize(with_slos({"ttft<100ms"}), records, {}).slo->high > 0.7);
}

TEST_CASE("slo: without SLOs there is no result") {
  CHECK_FALSE(summarize(open(10), answers_with_slow(10, 5), {}).slo);
  CHECK_FALSE(summarize(with_slos({}), answers_with_slow(10, 5), {}).slo);
}
