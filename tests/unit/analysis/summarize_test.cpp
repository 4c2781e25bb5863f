#include "infermeter/analysis/summarize.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/figures/describe.hpp"
#include "analysis/figures/in_flight.hpp"
#include "answers.hpp"
#include "base/random.hpp"
#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

std::vector<std::string> metric_names(const PointResult& point) {
  std::vector<std::string> out;
  for (const auto& metric : point.metrics) out.push_back(metric.name);
  return out;
}

bool same(double a, double b) { return a == b && std::isfinite(a); }

bool same(const Metric& a, const Metric& b) {
  if (a.name != b.name || a.count != b.count || a.percentiles.size() != b.percentiles.size()) return false;
  for (std::size_t i = 0; i < a.percentiles.size(); ++i) {
    const auto &x = a.percentiles[i], &y = b.percentiles[i];
    if (!same(x.value, y.value) || x.low != y.low || x.high != y.high) return false;
  }
  return same(a.mean, b.mean) && same(a.stddev, b.stddev) && same(a.min, b.min) && same(a.max, b.max) &&
         same(a.n_eff, b.n_eff);
}

void shuffle(std::vector<RequestRecord>& records, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = records.size(); i > 1; --i) std::swap(records[i - 1], records[random.below(i)]);
}

}  // namespace

TEST_CASE("summarize: count, mean, spread and percentiles are those of the samples") {
  const auto metric = describe(*find_figure("ttft"), {{4}, {1}, {3}, {2}});
  CHECK(metric.count == 4);
  CHECK(metric.mean == Approx(2.5));
  CHECK(metric.stddev == Approx(std::sqrt(5 / 3.0)));
  CHECK(metric.min == 1);
  CHECK(metric.max == 4);
  CHECK(metric.find(50)->value == Approx(2.5));
  CHECK(metric.find(90)->value == Approx(3.7));
  CHECK_FALSE(metric.find(50)->low);
  CHECK(metric.percentiles.size() == 5);
}

TEST_CASE("summarize: a single sample has no spread and no interval") {
  const auto metric = describe(*find_figure("e2e"), RequestSamples(1, {7}));
  CHECK(metric.stddev == 0);
  CHECK(metric.find(99.9)->value == 7);
  CHECK_FALSE(metric.find(50)->low);
}

TEST_CASE("summarize: equal samples have intervals of no width and no NaN") {
  const auto metric = describe(*find_figure("ttft"), RequestSamples(200, {50.1}));
  CHECK(metric.stddev == Approx(0).margin(1e-9));
  CHECK(metric.find(95)->low == 50.1);
  CHECK(metric.find(95)->high == 50.1);
  CHECK(metric.find(99)->low == 50.1);
  CHECK_FALSE(metric.find(99)->high);
}

TEST_CASE("summarize: p99 of a hundred independent samples is bounded from below only") {
  RequestSamples values;
  for (int i = 0; i < 134; ++i)
    values.push_back({.above = static_cast<double>((i * 37) % 134)});  // n_eff 100
  const auto metric = describe(*find_figure("ttft"), values);
  CHECK(metric.find(99)->low);
  CHECK_FALSE(metric.find(99)->high);
  CHECK(metric.find(95)->high);
}

TEST_CASE("summarize: a wide interval of a main figure tells how many requests narrow it") {
  RequestSamples few;
  for (int i = 0; i < 134; ++i) few.push_back({.above = 50 + static_cast<double>((i * 37) % 134)});
  const auto metric = describe(*find_figure("ttft"), few);
  CHECK(metric.find(50)->needed.empty());
  CHECK(metric.find(95)->needed.empty());
  CHECK(metric.find(99)->needed == "about 400 requests");
  const auto rounds = describe(*find_figure("ttft"), few, true, {64, {}, 1});
  CHECK(rounds.find(95)->needed == "a run of at least 3 rounds (192 requests)");
  CHECK(describe(*find_figure("client_queue"), few, true, {64, {}, 1}).find(95)->needed.empty());
}

TEST_CASE("summarize: the blocks of pooled runs do not span two of them") {
  // Three runs that differ, of 100, 140 and 160 answers: blocks across their borders would hide it.
  std::vector<RequestRecord> records;
  auto load = closed(4);
  for (std::int64_t i = 0, run = 0; i < 400; ++i) {
    if (i == 100 || i == 240) ++run;
    const auto start = run * 100'000'000 + i * 100'000;
    records.push_back(answer(start, 50'000 + 1'000 * (i * 37 % 100), {10'000}));
    if (load.blocks.size() <= static_cast<std::size_t>(run))
      load.blocks.push_back(
          {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(start) + 50'000'000});
  }
  const Figure* const ttft[]{find_figure("ttft")};
  const auto laid_out =
      collect_in_layout(order_records(records).timed, ttft, sample_rules(load, TokenSource::usage, 4));
  CHECK(laid_out.front().samples.size() == 400);
  CHECK(laid_out.front().layout.cuts == std::vector<std::size_t>{100, 240});
  CHECK(laid_out.front().layout.in_flight == 4);
}

TEST_CASE("summarize: an open loop has as many in flight as its records show, without pauses between runs") {
  std::vector<RequestRecord> records;
  for (std::int64_t i = 0; i < 20; ++i) {  // two at a time, in two stretches far apart
    const std::int64_t at = i * 500'000 + (i < 10 ? 0 : 600'000'000);
    records.push_back(stay(at, at + 1'000'000));
  }
  Records in_order;
  for (const auto& record : records) in_order.push_back(&record);
  CHECK(mean_in_flight_of(open(2), in_order) == Approx(20.0 / 11));
  CHECK(mean_in_flight_of(closed(16), in_order) == 16);
  CHECK(mean_in_flight_of(open(2), {}) == 1);
}

TEST_CASE("summarize: a rate has its tail on the low side and a lone bound there is an upper one") {
  RequestSamples values;
  for (int i = 0; i < 134; ++i) values.push_back({.above = static_cast<double>((i * 37) % 134)});
  const auto metric = describe(*find_figure("tps"), values);
  CHECK(metric.low_tail);
  REQUIRE(metric.percentiles.size() == 4);
  CHECK(metric.percentiles[3].percentile == 1);
  CHECK(metric.percentiles[3].value == Approx(1.33));
  CHECK_FALSE(metric.percentiles[3].low);
  CHECK(metric.percentiles[3].high);
}

TEST_CASE("summarize: weighted samples count, average and spread like their copies") {
  const auto metric = describe_events(*find_figure("itl"), {{10, 3, 0}, {20, 1, 0}}, true);
  CHECK(metric.count == 4);
  CHECK(metric.mean == Approx(12.5));
  CHECK(metric.stddev == Approx(5));
  CHECK(metric.max == 20);
  CHECK(metric.n_eff == 0);
}

TEST_CASE("summarize: metrics stand in the order of the catalogue and absent ones are absent") {
  const auto point = summarize(closed(4), closed_loop(4, 11), {});
  std::vector<std::string> known;
  for (const auto& figure : known_figures()) {
    if (point.find(figure.name)) known.emplace_back(figure.name);
  }
  CHECK(metric_names(point) == known);
  for (const auto* present : {"client_queue", "ttft", "icl", "itl", "tpot", "tps", "e2e", "tail", "stalls"})
    CHECK(point.find(present));
  for (const auto* absent : {"dns", "tls", "chars_per_second", "server_queue"})
    CHECK_FALSE(point.find(absent));
  CHECK(point.find("itl")->count == 40 * 29);
  CHECK(point.find("ttft")->count == 40);
}

TEST_CASE("summarize: only measured ok answers enter latency, in the drain too") {
  std::vector<RequestRecord> records{warmup(answer(0, 10'000, {})), answer(1'000'000, 50'000, {}),
                                     answer(2'000'000, 9'000'000, {})};
  records.push_back(failed(2'500'000, Outcome::http_error, 500));
  records.push_back(answer(2'600'000, 70'000, {}));
  records.back().outcome = Outcome::truncated;
  const auto point = summarize(closed(1), records, {});
  CHECK(point.find("ttft")->count == 2);
  CHECK(point.find("ttft")->max == 9000);
  CHECK(point.find("ttft")->min == 50);
}

TEST_CASE("summarize: the mean of tps is pooled over tokens and time") {
  // 10 tokens in 1 s and 10 in 9 s: 20 in 10 s, while the mean of the rates would be 5.6.
  const auto quick = answer(0, 1, std::vector<std::uint32_t>(10, 100'000));
  const auto slow = answer(10, 1, std::vector<std::uint32_t>(10, 900'000));
  CHECK(summarize(closed(1), std::vector{quick, slow}, {}).find("tps")->mean == Approx(2));
}

TEST_CASE("summarize: outcomes are counted by class and status with an example, ok first") {
  std::vector<RequestRecord> records{failed(1, Outcome::http_error, 500), failed(2, Outcome::http_error, 429),
                                     failed(3, Outcome::http_error, 500), failed(4, Outcome::truncated, 200),
                                     answer(5, 1, {})};
  records[2].error = "another";
  const auto outcomes = summarize(closed(1), records, {}).outcomes;
  REQUIRE(outcomes.size() == 4);
  CHECK(outcomes[0].outcome == Outcome::ok);
  CHECK(outcomes[1].status == 500);
  CHECK(outcomes[1].count == 2);
  CHECK(outcomes[1].example == "it said no");
  CHECK(outcomes[2].status == 429);
  CHECK(outcomes[3].outcome == Outcome::truncated);
  CHECK(outcomes[3].status == 0);
}

TEST_CASE("summarize: finish reasons, flags, tokens and their source are counted over ok answers") {
  std::vector<RequestRecord> records{answer(0, 1, {1, 1}), answer(10, 1, {1}), answer(20, 1, {})};
  records[1].finish_reason = "stop";
  records[2].finish_reason = "";
  records[0].flags.set(Flag::no_done);
  records[0].prompt_tokens = 100;
  records.push_back(warmup(answer(30, 1, {})));
  const auto point = summarize(closed(1), records, {});
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  CHECK(point.finish_reasons == Counts{{"length", 1}, {"none", 1}, {"stop", 1}});
  CHECK(point.flags == Counts{{"no_done", 1}});
  CHECK(point.output_tokens == 6);
  CHECK(point.prompt_tokens == 100);
  CHECK(point.token_source == TokenSource::usage);
  CHECK(point.tokens_per_event == 1);
  CHECK(point.requests == 3);
  CHECK(point.warmup_requests == 1);
  CHECK(point.reasoning == Reasoning::none);
}

TEST_CASE("summarize: uncounted answers give events per second and no ITL") {
  auto r = answer(0, 50'000, {10'000, 10'000});
  r.output_tokens = std::nullopt;
  r.token_source = TokenSource::events;
  const auto point = summarize(closed(1), std::vector{r}, {});
  CHECK(point.token_source == TokenSource::events);
  CHECK(point.find("tps")->unit == "events/s");
  CHECK(point.find("icl"));
  CHECK_FALSE(point.find("itl"));
  CHECK_FALSE(point.comfort);
  CHECK(point.tokens_per_event == 0);
}

TEST_CASE("summarize: some uncounted answers make the source mixed and stay out of speeds") {
  auto r = answer(0, 50'000, {10'000, 10'000});
  r.output_tokens = std::nullopt;
  r.token_source = TokenSource::events;
  const auto point = summarize(closed(1), std::vector{r, answer(5, 50'000, {20'000, 20'000})}, {});
  CHECK(point.token_source == TokenSource::mixed);
  CHECK(point.find("tpot")->count == 1);
  CHECK(point.find("tpot")->mean == Approx(20));
}

TEST_CASE("summarize: packed tokens give ITL other figures than ICL though both count as many") {
  const auto point = summarize(closed(1), std::vector{answer(0, 50'000, {20'000, 0, 20'000})}, {});
  CHECK(point.find("icl")->count == 3);
  CHECK(point.find("itl")->count == 3);
  CHECK(point.find("icl")->find(50)->value == 20);
  CHECK(point.find("itl")->find(50)->value == 10);
}

TEST_CASE("summarize: how alike neighbours are is seen in the order of intention, not of completion") {
  // TTFT rises from request to request; E2E is such that they complete in a mixed order.
  std::vector<RequestRecord> records;
  for (int i = 0; i < 400; ++i) {
    records.push_back(answer(i * 1000, 10'000 + i * 10, {}));
    *records.back().end_us += (i * 137) % 400 * 100'000;
  }
  CHECK(summarize(open(1000), records, {}).find("ttft")->n_eff < 10);
}

TEST_CASE("summarize: comfort is the share of tokens within the limit") {
  auto r = answer(0, 50'000, {20'000, 30'000, 80'000});
  r.output_tokens = 6;
  r.gap_tokens = {1, 2, 1, 2};  // 10 ms twice, 30 ms, 40 ms twice
  CHECK(summarize(closed(1), std::vector{r}, {}).comfort == Approx(0.6));
}

TEST_CASE("summarize: without a stream there are whole answers only") {
  auto load = closed(1);
  load.stream = false;
  const auto r = answer(0, 50'000, {});
  const auto point = summarize(load, std::vector{r}, {});
  CHECK(point.find("e2e"));
  CHECK(point.find("client_queue"));
  for (const auto& figure : known_figures()) CHECK((!figure.of_streams || !point.find(figure.name)));
}

TEST_CASE("summarize: steady and whole rates of a balanced closed loop") {
  const auto point = summarize(closed(4), closed_loop(4, 11), {});
  REQUIRE(point.steady);
  CHECK(point.steady->concurrency == Approx(4).epsilon(0.001));
  CHECK(point.whole.request == Approx(40 / point.whole.window_s));
  CHECK(point.steady->output == Approx(30 * point.steady->request).epsilon(0.05));
  CHECK(point.steady_to_s > point.steady_from_s);
}

TEST_CASE("summarize: ITL has an interval only where a block of time outlasts an answer") {
  const auto few = summarize(closed(4), closed_loop(4, 5), {});
  CHECK_FALSE(few.find("itl")->find(50)->low);
  const auto many = summarize(closed(4), closed_loop(4, 40), {});
  CHECK(many.find("itl")->find(50)->low);
}

TEST_CASE("summarize: without one ok answer there are counts and no metrics") {
  const std::vector<RequestRecord> records{failed(0, Outcome::connect), failed(10, Outcome::connect)};
  const auto point = summarize(closed(1), records, {});
  CHECK(point.metrics.empty());
  CHECK(point.findings.empty());
  CHECK(point.requests == 2);
  CHECK(point.ok == 0);
  CHECK(point.outcomes.at(0).count == 2);
  CHECK(point.whole.request == 0);
  CHECK(point.validity.trustworthy);
}

TEST_CASE("summarize: no record at all is a result too") {
  const auto point = summarize(open(10), {}, {});
  CHECK(point.requests == 0);
  CHECK_FALSE(point.steady);
  CHECK(point.whole.window_s == 0);
}

TEST_CASE("summarize: shuffled records give the same figures to the last bit") {
  auto records = closed_loop(8, 12);
  for (std::size_t i = 0; i < records.size(); i += 9) records[i].outcome = Outcome::truncated;
  const auto before = summarize(closed(8), records, {});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    shuffle(records, seed);
    const auto after = summarize(closed(8), records, {});
    REQUIRE(metric_names(after) == metric_names(before));
    for (std::size_t i = 0; i < before.metrics.size(); ++i) {
      INFO(before.metrics[i].name);
      CHECK(same(before.metrics[i], after.metrics[i]));
    }
    CHECK(after.steady->output == before.steady->output);
    CHECK(after.whole.concurrency == before.whole.concurrency);
    CHECK(after.outcomes.at(1).example == before.outcomes.at(1).example);
  }
}
