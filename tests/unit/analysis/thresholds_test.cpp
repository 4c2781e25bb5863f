#include "infermeter/analysis/thresholds.hpp"

#include "analysis/assertions/slo.hpp"
#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

struct Expected {
  const char* text;
  const char* metric;
  const char* statistic;
  Comparison comparison;
  double limit;
};

void check(const Threshold& threshold, const Expected& expected) {
  INFO(expected.text);
  CHECK(threshold.text == expected.text);
  CHECK(threshold.metric == expected.metric);
  CHECK(threshold.statistic == expected.statistic);
  CHECK(threshold.comparison == expected.comparison);
  CHECK(threshold.limit == Approx(expected.limit));
}

/// The message and its advice, as one text.
template <typename Parse>
std::string parse_error(Parse parse, const char* text) {
  try {
    parse("--assert", text);
  } catch (const UsageError& error) {
    return std::string(error.what()) + "\n" + error.advice();
  }
  return "accepted";
}

PointResult measured_point() {
  auto load = closed(4);
  load.classes.resize(1);
  load.classes[0].slos = {parse_slo("--slo", "ttft<60ms")};
  auto records = closed_loop(4, 11);
  records.back().outcome = Outcome::truncated;
  return summarize(load, records, {});
}

std::optional<double> value(const char* text, const PointResult& point) {
  return value_of(parse_threshold("--assert", text), point);
}

std::optional<double> value(const char* text, const RequestRecord& record) {
  return value_of(parse_slo("--slo", text), record);
}

}  // namespace

TEST_CASE("thresholds: expressions are read as people write them") {
  for (const Expected& expected : {
           Expected{"ttft.p95 < 500ms", "ttft", "p95", Comparison::below, 500},
           Expected{"ttft.p95<0.5s", "ttft", "p95", Comparison::below, 500},
           Expected{"itl.p50 <= 30ms", "itl", "p50", Comparison::at_most, 30},
           Expected{"e2e.max < 1.5m", "e2e", "max", Comparison::below, 90'000},
           Expected{"ttft.p99.9 < 2s", "ttft", "p99.9", Comparison::below, 2000},
           Expected{"error_rate < 1%", "error_rate", "", Comparison::below, 0.01},
           Expected{"error_rate<0.01", "error_rate", "", Comparison::below, 0.01},
           Expected{"output_throughput >= 4k", "output_throughput", "", Comparison::at_least, 4000},
           Expected{"output_throughput > 4_000 tok/s", "output_throughput", "", Comparison::above, 4000},
           Expected{"tps.p5 > 20tok/s", "tps", "p5", Comparison::above, 20},
           Expected{"request_throughput > 12.5req/s", "request_throughput", "", Comparison::above, 12.5},
           Expected{"client_queue.mean < 40µs", "client_queue", "mean", Comparison::below, 0.04},
           Expected{"ok >= 100", "ok", "", Comparison::at_least, 100},
           Expected{"cost_per_1k < 0.60", "cost_per_1k", "", Comparison::below, 0.6},
           Expected{"slo_attainment >= 99%", "slo_attainment", "", Comparison::at_least, 0.99},
       })
    check(parse_threshold("--assert", expected.text), expected);
}

TEST_CASE("thresholds: k6's form is understood") {
  check(parse_threshold("--assert", "ttft p(95)<500"),
        {"ttft p(95)<500", "ttft", "p95", Comparison::below, 500});
  check(parse_threshold("--assert", "e2e avg < 2s"),
        {"e2e avg < 2s", "e2e", "mean", Comparison::below, 2000});
  check(parse_threshold("--assert", "itl med<=9"), {"itl med<=9", "itl", "p50", Comparison::at_most, 9});
}

TEST_CASE("thresholds: an SLO names a figure of one request, with vLLM's colon too") {
  check(parse_slo("--slo", "ttft<500ms"), {"ttft<500ms", "ttft", "", Comparison::below, 500});
  check(parse_slo("--slo", "ttft:500"), {"ttft:500", "ttft", "", Comparison::at_most, 500});
  check(parse_slo("--slo", "e2el:2000"), {"e2el:2000", "e2e", "", Comparison::at_most, 2000});
  check(parse_slo("--slo", "tps:30"), {"tps:30", "tps", "", Comparison::at_least, 30});
  check(parse_slo("--slo", "itl.p95 <= 50ms"), {"itl.p95 <= 50ms", "itl", "p95", Comparison::at_most, 50});
  check(parse_slo("--slo", "tpot < 50ms"), {"tpot < 50ms", "tpot", "", Comparison::below, 50});
}

TEST_CASE("thresholds: a limit may be another figure of the same unit, or a part of it") {
  for (const auto* text : {"goodput >= 0.99 * request_throughput", "goodput >= 99% * request_throughput",
                           "goodput>=request_throughput*0.99", "goodput >= request_throughput * 99%"}) {
    INFO(text);
    const auto threshold = parse_threshold("--assert", text);
    CHECK(threshold.metric == "goodput");
    CHECK(threshold.comparison == Comparison::at_least);
    CHECK(threshold.of_metric == "request_throughput");
    CHECK(threshold.of_statistic.empty());
    CHECK(threshold.limit == Approx(0.99));
  }
  CHECK(parse_threshold("--assert", "goodput >= request_throughput").limit == 1);
  CHECK(parse_threshold("--assert", "ttft.p95 < 3 * ttft p(50)").of_statistic == "p50");
  CHECK(parse_error(parse_threshold, "goodput > 0.5 * ttft.p50") ==
        "--assert: ttft is a time, but goodput is a number per second\ngoodput > 0.5 * ttft.p50\n"
        "                ^^^^^^^^");
  CHECK(parse_error(parse_threshold, "goodput > requests_throughput")
            .starts_with("--assert: 'requests_throughput' is not a metric; did you mean "
                         "'request_throughput'?\ngoodput > requests_throughput\n          ^^^^"));
  CHECK(parse_error(parse_slo, "ttft < 0.5 * e2e") ==
        "--assert: '* e2e' is not a unit of ttft, which is a time: 500ms, 1.5s\nttft < 0.5 * e2e\n"
        "           ^^^^^");
}

TEST_CASE("thresholds: an assertion has a scope before or behind it") {
  using Scope = std::vector<std::pair<std::string, std::string>>;
  for (const auto* text :
       {"[target=a, concurrency=8] ttft.p95 < 500ms", "ttft.p95 < 500ms [ target = a , concurrency = 8 ]"}) {
    INFO(text);
    const auto threshold = parse_assertion("--assert", text);
    CHECK(threshold.scope == Scope{{"target", "a"}, {"concurrency", "8"}});
    CHECK(threshold.limit == 500);
  }
  CHECK(parse_assertion("--assert", "goodput > 0.9 * request_throughput [rate=5]").scope ==
        Scope{{"rate", "5"}});
}

TEST_CASE("thresholds: a wrong scope is refused at its place") {
  CHECK(parse_error(parse_assertion, "[targt=a] ok > 1") ==
        "--assert: 'targt' is not a place; did you mean 'target'?\n[targt=a] ok > 1\n ^^^^^\n"
        "known: target, concurrency, rate, shape, class, run");
  CHECK(parse_error(parse_assertion, "ok > 1 [rate=fast]") ==
        "--assert: rate is a number, 'fast' is not\nok > 1 [rate=fast]\n             ^^^^");
  CHECK(parse_error(parse_assertion, "[target=a") == "--assert: expected ] here\n[target=a\n         ^");
  CHECK(parse_error(parse_assertion, "[target=a, target=b] ok > 1") ==
        "--assert: 'target' stands here twice\n[target=a, target=b] ok > 1\n           ^^^^^^");
  CHECK(parse_error(parse_assertion, "[target=a] ok > 1 [rate=1]") ==
        "--assert: there is a scope before it already\n[target=a] ok > 1 [rate=1]\n"
        "                  ^^^^^^^^");
  CHECK(parse_error(parse_assertion, "ok > 1 [rate=1] x") ==
        "--assert: expected the end here\nok > 1 [rate=1] x\n                ^");
  CHECK(parse_error(parse_assertion, "[class=chat] cost < 1") ==
        "--assert: cost is a figure of the whole load, not of a class\n[class=chat] cost < 1\n"
        "             ^^^^");
  CHECK(parse_error(parse_threshold, "[target=a] ok > 1") ==
        "--assert: a scope is allowed in an assertion only\n[target=a] ok > 1\n^^^^^^^^^^");
}

TEST_CASE("thresholds: an assertion takes any percentile between 0 and 100") {
  CHECK(parse_assertion("--assert", "ttft.p75 < 1s").statistic == "p75");
  CHECK(parse_assertion("--assert", "ttft.p99.50 < 1s").statistic == "p99.5");
  CHECK(parse_assertion("--assert", "itl p(97.5)<30").statistic == "p97.5");
  CHECK(parse_slo("--slo", "itl.p97 < 30ms").statistic == "p97");
  CHECK(parse_error(parse_assertion, "ttft.p100 < 1s")
            .starts_with("--assert: ttft has no 'p100'; known: mean"));
  CHECK(parse_error(parse_assertion, "ttft.p0 < 1s").starts_with("--assert: ttft has no 'p0'"));
}

TEST_CASE("thresholds: a statistic without a metric asks for one") {
  CHECK(parse_error(parse_assertion, "p(95)<500") ==
        "--assert: of which metric? as in ttft p(95)<500\np(95)<500\n^");
}

TEST_CASE("thresholds: what is wrong is said with a caret under its place") {
  CHECK(parse_error(parse_threshold, "ttftt.p95 < 500ms")
            .starts_with("--assert: 'ttftt' is not a metric; did you mean 'ttft'?\nttftt.p95 < "
                         "500ms\n^^^^^\nknown: client_queue, "));
  CHECK(parse_error(parse_threshold, "ttft.p97 < 500ms") ==
        "--assert: ttft has no 'p97'; known: mean, min, max, p50, p90, p95, p99, p99.9\nttft.p97 < 500ms\n"
        "     ^^^");
  CHECK(parse_error(parse_threshold, "tps.p95 > 30") ==
        "--assert: tps has no 'p95'; known: mean, min, max, p50, p10, p5, p1\ntps.p95 > 30\n    ^^^");
  CHECK(parse_error(parse_threshold, "ttft < 500ms") ==
        "--assert: ttft has many values: say which, as in ttft.p95\nttft < 500ms\n     ^\n"
        "known: mean, min, max, p50, p90, p95, p99, p99.9");
  CHECK(parse_error(parse_threshold, "error_rate.p95 < 1%") ==
        "--assert: error_rate is a single figure: leave 'p95' out\nerror_rate.p95 < 1%\n           ^^^");
  CHECK(parse_error(parse_threshold, "ttft.p95 = 500ms") ==
        "--assert: expected <, <=, > or >= here\nttft.p95 = 500ms\n         ^");
  CHECK(parse_error(parse_threshold, "ttft.p95 <") ==
        "--assert: expected a time: 500ms, 1.5s here\nttft.p95 <\n          ^");
  CHECK(parse_error(parse_threshold, "ttft.p95 < 500 kg") ==
        "--assert: 'kg' is not a unit of ttft, which is a time: 500ms, 1.5s\nttft.p95 < 500 kg\n"
        "               ^^");
  CHECK(parse_error(parse_threshold, "error_rate < 5") ==
        "--assert: error_rate is a share of at most 1: write 5%\nerror_rate < 5\n             ^");
  CHECK(parse_error(parse_threshold, "client_queue.mean < 4µx") ==
        "--assert: 'µx' is not a unit of client_queue, which is a time: 500ms, 1.5s\n"
        "client_queue.mean < 4µx\n                     ^^");
  CHECK(parse_error(parse_threshold, "") == "--assert: expected a metric, such as ttft.p95 < 500ms\n\n^");
  CHECK(parse_error(parse_threshold, "ttft.p95 < 1.2.3s") ==
        "--assert: expected a time: 500ms, 1.5s here\nttft.p95 < 1.2.3s\n           ^");
}

TEST_CASE("thresholds: a time without a unit is refused, but for the forms of tools that have none") {
  CHECK(parse_error(parse_threshold, "ttft.p95 > 2") ==
        "--assert: 2 what? as 2s or 2ms\nttft.p95 > 2\n           ^");
  CHECK(parse_error(parse_slo, "itl.p95<1_500") ==
        "--assert: 1_500 what? as 1_500s or 1_500ms\nitl.p95<1_500\n        ^^^^^");
  CHECK(parse_error(parse_slo, "ttft:500") == "accepted");
  CHECK(parse_error(parse_threshold, "ttft p(95) < 500") == "accepted");
  CHECK(parse_error(parse_threshold, "client_queue.max <= 0") == "accepted");
}

TEST_CASE("thresholds: an SLO refuses what a request does not have") {
  CHECK(parse_error(parse_slo, "goodput > 3") ==
        "--assert: 'goodput' is not a figure of a single request\ngoodput > 3\n^^^^^^^");
  CHECK(parse_error(parse_slo, "ttft.p95 < 3s") ==
        "--assert: ttft is a single figure of a request: leave 'p95' out\nttft.p95 < 3s\n     ^^^");
  CHECK(parse_error(parse_slo, "itl < 30ms")
            .starts_with("--assert: itl has many values: say which, as in itl.p95\n"));
}

TEST_CASE("thresholds: a point's figures are those of its result") {
  const auto point = measured_point();
  CHECK(value("ttft.p95 < 1s", point) == point.find("ttft")->find(95)->value);
  CHECK(value("itl.mean < 1s", point) == point.find("itl")->mean);
  CHECK(value("tps.p5 > 1", point) == point.find("tps")->find(5)->value);
  CHECK(value("request_throughput > 1", point) == point.steady->request);
  CHECK(value("error_rate < 1%", point) == Approx(1.0 / 40));
  CHECK(value("slo_attainment > 50%", point) == Approx(39.0 / 40));
  CHECK(value("goodput > 1", point) == point.slo->goodput);
  CHECK(value("ok > 1", point) == 39.0);
  CHECK(value("requests > 1", point) == 40.0);
}

TEST_CASE("thresholds: a figure that the point does not have is nothing, not zero") {
  auto point = measured_point();
  CHECK_FALSE(value("cost_per_1k < 1", point));
  CHECK_FALSE(value("server_queue.p50 < 1ms", point));
  CHECK_FALSE(value("achieved_ratio > 90%", point));
  point = summarize(closed(1), {}, {});
  CHECK_FALSE(value("ttft.p95 < 1s", point));
  CHECK_FALSE(value("request_throughput > 1", point));
  CHECK_FALSE(value("error_rate < 1%", point));
}

TEST_CASE("thresholds: a request's figures are its own") {
  const auto r = answer(0, 50'000, {10'000, 20'000, 90'000});
  CHECK(value("ttft < 1s", r) == 50.0);
  CHECK(value("e2e < 1s", r) == 170.0);
  CHECK(value("tpot < 1s", r) == 40.0);
  CHECK(value("tps > 1", r) == Approx(25));
  CHECK(value("itl.p50 < 1s", r) == 20.0);
  CHECK(value("itl.p95 < 1s", r) == Approx(83));
  CHECK(value("icl.max < 1s", r) == 90.0);
  CHECK(value("icl.mean < 1s", r) == 40.0);
  CHECK(value("max_gap < 1s", r) == 90.0);
}

TEST_CASE("thresholds: a failed request and one of a single event have no such figure") {
  auto r = answer(0, 50'000, {10'000});
  r.outcome = Outcome::truncated;
  CHECK_FALSE(value("ttft < 1s", r));
  CHECK_FALSE(value("itl.p95 < 1s", answer(0, 50'000, {})));
  CHECK_FALSE(value("tpot < 1s", answer(0, 50'000, {})));
}

TEST_CASE("thresholds: with several choices the worst one speaks for the request") {
  auto r = answer(0, 50'000, {10'000, 10'000, 10'000});  // at 50, 60, 70, 80 ms
  r.event_choice = {0, 1, 0, 1};
  CHECK(value("tpot < 1s", r) == 20.0);
  r.event_choice = {0, 0, 1, 1};
  CHECK(value("tpot < 1s", r) == 10.0);
}
