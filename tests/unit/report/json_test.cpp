#include <cmath>
#include <limits>

#include <sstream>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_results.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/result_json.hpp"
#include "report/json/scrape_json.hpp"

using namespace infermeter;

namespace {

std::string why_refused(const std::string& text) {
  try {
    result_from_json(text);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("json: what was written is read back the same") {
  for (const auto make :
       {good_run,        open_loop_run,     failing_run, untrustworthy_run, hopeless_run,
        events_run,      whole_answers_run, short_run,   sweep_run,         rate_sweep_run,
        shape_sweep_run, context_run,       targets_run, short_targets_run, targets_sweep_run,
        classes_run,     conversations_run, cancel_run,  embeddings_run,    starting_run}) {
    const std::string json = result_to_json(make());
    CHECK(result_to_json(result_from_json(json)) == json);
    const CommaLocale locale;
    CHECK(result_to_json(result_from_json(json)) == json);
  }
}

TEST_CASE("json: members come back with their values") {
  const RunResult run = result_from_json(result_to_json(failing_run()));
  CHECK(run.tool_version == "0.1.0");
  CHECK(run.complete);
  CHECK(run.ended_early == "error rate 12 % > 10 %");
  CHECK(run.environment.cores == 8);
  CHECK(run.environment.client_cpu_share == 0.06);
  REQUIRE(run.targets.size() == 1);
  CHECK(run.targets[0].notes.size() == 2);
  CHECK(run.targets[0].rtt_ms == 0.062);
  CHECK_FALSE(run.targets[0].tls_ms.has_value());
  CHECK(run.workload.nonce == "oak river lamp stone");
  REQUIRE(run.points.size() == 1);
  const PointResult& point = run.points[0];
  CHECK(point.load.concurrency == 32);
  CHECK(point.load.duration_s == 30.0);
  CHECK(point.outcomes[2].outcome == Outcome::http_error);
  CHECK(point.outcomes[2].status == 502);
  CHECK(point.finish_reasons[1] == std::pair<std::string, std::uint64_t>("stop", 15));
  CHECK(point.steady->output_half_width == 15.2);
  CHECK_FALSE(point.whole.output_half_width.has_value());
  CHECK(point.validity.checks[3].state == CheckState::warning);
  const Metric* ttft = point.find("ttft");
  REQUIRE(ttft);
  CHECK(ttft->unit == "ms");
  CHECK(ttft->n_eff == 367.5);
  CHECK(ttft->find(99)->low == 137.0);
  CHECK_FALSE(ttft->find(99)->high.has_value());
  CHECK(ttft->find(99.9)->value == 161);
  CHECK(point.find("tps")->low_tail);
}

TEST_CASE("json: bounds come back with their values, and a file of before they were kept is read without") {
  RunResult run = good_run();
  auto& point = run.points[0];
  point.errors = ErrorBounds{.n_eff = 551.5, .low = 0, .high = 0.007};
  point.metrics[0].mean_low = 90.5;
  point.metrics[0].mean_high = 97.25;
  point.steady->request_half_width = 1.5;
  const auto text = result_to_json(run);
  const PointResult again = result_from_json(text).points[0];
  REQUIRE(again.errors);
  CHECK(again.errors->n_eff == 551.5);
  CHECK(again.errors->high == 0.007);
  CHECK(again.metrics[0].mean_low == 90.5);
  CHECK(again.metrics[0].mean_high == 97.25);
  CHECK(again.steady->request_half_width == 1.5);
  std::string before;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_new =
        line.find("\"mean_low\"") != std::string::npos || line.find("\"mean_high\"") != std::string::npos;
    if (!is_new) before += line + "\n";
  }
  CHECK_FALSE(result_from_json(before).points[0].metrics[0].mean_low);
}

TEST_CASE("json: what several targets and kinds of traffic showed comes back with its values") {
  RunResult before = targets_run();
  before.targets[1].label = "Other (large)";
  before.targets[1].region = "eu-west";
  const RunResult targets = result_from_json(result_to_json(before));
  CHECK(targets.targets[1].label == "Other (large)");
  CHECK(targets.targets[1].region == "eu-west");
  CHECK(targets.target_order == TargetOrder::at_once);
  CHECK(targets.targets[0].prices.cached_per_million == 0.1);
  CHECK_FALSE(targets.targets[1].prices.any());
  CHECK(targets.targets[2].gpus == 8);
  CHECK(targets.targets[2].replicas.size() == 2);
  CHECK(targets.differences.at(0).metric == "ttft");
  CHECK(targets.differences.at(0).low == -0.16);
  CHECK(targets.points[2].output_per_gpu == 397.5);

  const RunResult classes = result_from_json(result_to_json(classes_run()));
  CHECK(classes.classes.at(1).input_tokens == "lognormal:4k,0.5");
  const LoadPoint& load = classes.points[0].load;
  CHECK(load.classes.at(2).probe);
  CHECK(load.classes.at(0).slos.at(0).comparison == Comparison::below);
  CHECK(load.classes.at(0).slos.at(0).limit == 500);
  CHECK(classes.points[0].slices.at(1).outcomes.at(1).status == 500);
  CHECK(classes.points[0].slo->each.at(1) ==
        std::pair<std::string, std::optional<double>>("ttft<200ms", 0.966));

  const PointResult point = result_from_json(result_to_json(conversations_run())).points.at(0);
  CHECK(point.cost->source == "prices");
  CHECK(point.cache->mean_cached == 3914);
  CHECK(point.rate_limits->headers.at(1).second == "59");
  CHECK(point.server_metrics.at(0).name == "queue");
  CHECK(point.slices.at(0).find("ttft")->count == 735);

  CHECK(result_from_json(result_to_json(sweep_run())).knees.at(0).point == 2);
  CHECK(result_from_json(result_to_json(context_run())).context_fits.at(0).superlinear);
}

TEST_CASE("json: a shard comes back, and a whole run has none") {
  RunResult run = open_loop_run();
  CHECK(result_from_json(result_to_json(run)).shard.whole());
  run.shard = run.points[0].load.shard = {2, 4};
  run.points[0].load.shard_scheduled = 75;
  run.start_unix_ns = 1'900'000'000'000'000'001;
  const RunResult back = result_from_json(result_to_json(run));
  CHECK(back.shard.rank == 2);
  CHECK(back.shard.of == 4);
  CHECK(back.points[0].load.shard.rank == 2);
  CHECK(back.points[0].load.shard_scheduled == 75);
  CHECK(back.start_unix_ns == 1'900'000'000'000'000'001);
}

TEST_CASE("json: findings come back to their point") {
  const RunResult run = result_from_json(result_to_json(sweep_run()));
  REQUIRE(run.points.size() == 5);
  CHECK(run.points[0].findings.at(0).id == "cold_start");
  CHECK(run.points[1].findings.empty());
  CHECK(run.points[4].findings.at(0).id == "kv_exhausted");
}

TEST_CASE("json: the file written at the start holds the load and no figure") {
  const std::string json = result_to_json(starting_run());
  CHECK(json.find("\"metrics\"") == std::string::npos);
  CHECK(json.find("\"requests\": 0") == std::string::npos);
  const RunResult run = result_from_json(json);
  CHECK_FALSE(run.complete);
  CHECK(run.points.at(0).load.concurrency == 32);
}

TEST_CASE("json: an SLO that nothing could be told of is null and comes back as absent") {
  RunResult run = classes_run();
  auto& slo = *run.points[0].slo;
  slo.each[0].second.reset();
  slo.without = {{"ttft<200ms", 3}};
  const std::string json = result_to_json(run);
  CHECK(json.find("\"ttft<500ms\": null") != std::string::npos);
  const auto back = result_from_json(json).points[0].slo;
  REQUIRE(back);
  CHECK(back->each.at(0).first == "ttft<500ms");
  CHECK_FALSE(back->each.at(0).second);
  CHECK(back->without.at(0).second == 3);
}

TEST_CASE("json: what is no number is null and comes back as none") {
  RunResult run = good_run();
  run.points[0].metrics[0].stddev = std::numeric_limits<double>::quiet_NaN();
  run.points[0].metrics[0].max = std::numeric_limits<double>::infinity();
  const std::string json = result_to_json(run);
  CHECK(json.find("\"stddev\": null") != std::string::npos);
  CHECK(json.find("\"max\": null") != std::string::npos);
  CHECK(std::isnan(result_from_json(json).points[0].metrics[0].stddev));
}

TEST_CASE("json: bytes that are no UTF-8 do not spoil the file") {
  RunResult run = failing_run();
  run.points[0].outcomes[1].example = "bad \xff byte";
  CHECK(result_from_json(result_to_json(run)).points[0].outcomes[1].example == "bad \xef\xbf\xbd byte");
}

TEST_CASE("json: a file nested 80,000 levels deep is refused by its depth") {
  const std::string deep = std::string(80'000, '[') + std::string(80'000, ']');
  CHECK(why_refused(deep) == "nested 80,000 levels deep; 256 at most are read");
  CHECK(why_refused("{\"points\":" + deep + "}") == "nested 80,001 levels deep; 256 at most are read");
  CHECK_THROWS_WITH(verdict_from_json(deep), "nested 80,000 levels deep; 256 at most are read");
}

TEST_CASE("json: a wrong file is refused with the place that is wrong") {
  const std::string good = result_to_json(good_run());
  CHECK(why_refused("{\"a\": ") == "not JSON: syntax error at byte 7");
  CHECK(why_refused("{\"a\": 5e999999998}") == "not JSON: a number is out of range");
  CHECK(why_refused("[]") == "not a result of infermeter: the file is not an object");
  CHECK(why_refused("{}") == "not a result of infermeter: schema_version is not there");
  CHECK(why_refused("{\"schema_version\": 1}") == "not a result of infermeter: points is not there");
  CHECK(why_refused(replaced(good, "\"schema_version\": 1", "\"schema_version\": 2")) ==
        "schema_version is 2, this infermeter reads 1");
  CHECK(why_refused(replaced(good, "\"cores\": 8", "\"cores\": \"8\"")) ==
        "not a result of infermeter: environment.cores is not a whole number in range");
  CHECK(why_refused(replaced(good, "\"cores\": 8", "\"cores\": 8589934592")) ==
        "not a result of infermeter: environment.cores is not a whole number in range");
  CHECK(why_refused(replaced(good, "\"class\": \"ok\"", "\"class\": \"fine\"")) ==
        "not a result of infermeter: points[0].outcomes[0].class is not one of ok, content_filter, "
        "inband_error, http_error, truncated, "
        "idle_timeout, first_token_timeout, empty_output, empty_body, not_streamed, protocol, connect, "
        "connect_timeout, dns, tls, stale_connection, param_rejected, timeout, aborted, cancelled, dropped, "
        "client_limit, interrupted");
  CHECK(why_refused(replaced(good, "\"p50\"", "\"median\"")) ==
        "not a result of infermeter: points[0].metrics.client_queue.percentiles.median is not a percentile "
        "such as p99");
  CHECK(
      why_refused(
          replaced(result_to_json(classes_run()), "\"comparison\": \"<\"", "\"comparison\": \"~\"")) ==
      "not a result of infermeter: points[0].load.classes[0].slos[0].comparison is not one of <, <=, >, >=");
  CHECK(why_refused(replaced(good, "\"rtt_ms\": 0.062", "\"rtt_ms\": true")) ==
        "not a result of infermeter: targets[0].rtt_ms is not a number");
}

TEST_CASE("json: a label without a value, or a used-up limit without a reset, made the result unreadable") {
  RunResult result = good_run();
  result.labels = {{"k", ""}};
  std::string text = result_to_json(result);
  CHECK(result_from_json(text).labels == result.labels);
  const std::string empty = R"("k": "")";
  const std::size_t at = text.find(empty);
  REQUIRE(at != std::string::npos);
  CHECK(result_from_json(text.replace(at, empty.size(), R"("k": null)")).labels == result.labels);
}

TEST_CASE("json: a scrape's line gives the same scrape again, buckets without end too") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Scrape scrape{
      .target = 2, .page = "http://h:1/metrics", .at_us = -1500, .from = "vllm", .process_start_s = 1.5e9};
  scrape.gauges = {{"running", 3}, {"kv_cache", 0.25}};
  scrape.counters = {{"requests", 1e12}};
  scrape.times = {{"ttft", {1.25, 7, {{0.1, 2}, {inf, 7}}}}};
  const std::string line = scrape_line(scrape);
  CHECK(line.find('\n') == std::string::npos);
  const Scrape again = scrape_of_line(line);
  CHECK(again.target == 2);
  CHECK(again.at_us == -1500);
  CHECK(again.page == scrape.page);
  CHECK(again.process_start_s == scrape.process_start_s);
  CHECK(again.gauges == scrape.gauges);
  CHECK(again.counters == scrape.counters);
  REQUIRE(again.times.size() == 1);
  CHECK(again.times[0].second.buckets == scrape.times[0].second.buckets);
  CHECK(scrape_line(again) == line);
}

TEST_CASE("json: a line that is no scrape is refused with what is wrong") {
  for (const std::string line :
       {"", "[]", "{}", "{\"target\": \"a\"}",
        "{\"target\":0,\"at_us\":1,\"page\":\"p\",\"from\":\"v\",\"gauges\":[]}",
        "{\"target\":0,\"at_us\":1,\"page\":\"p\",\"from\":\"v\",\"times\":{\"ttft\":{\"sum\":1}}}"}) {
    INFO(line);
    CHECK_THROWS_AS(scrape_of_line(line), EnvironmentError);
  }
}
