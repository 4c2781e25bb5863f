#include "example_parts.hpp"

#include <limits>

namespace infermeter::example {

Metric latency(std::string name, std::uint64_t count, double mean, double min, double max,
               const std::vector<double>& p50_90_95_99_999, const std::vector<Interval>& p50_95_99) {
  Metric m{std::move(name), "ms", count, mean, mean / 9, min, max, static_cast<double>(count) / 2, {}, false};
  const double ranks[] = {50, 90, 95, 99, 99.9};
  for (std::size_t i = 0; i < p50_90_95_99_999.size(); ++i)
    m.percentiles.push_back({ranks[i], p50_90_95_99_999[i], {}, {}});
  const std::size_t with_interval[] = {0, 2, 3};
  for (std::size_t i = 0; i < p50_95_99.size(); ++i) {
    m.percentiles[with_interval[i]].low = p50_95_99[i].first;
    m.percentiles[with_interval[i]].high = p50_95_99[i].second;
  }
  return m;
}

Metric speed(std::uint64_t count, double mean, double min, double max,
             const std::vector<double>& p50_10_5_1) {
  Metric m{"tps", "tokens/s", count, mean, 3.5, min, max, static_cast<double>(count) / 2, {}, true};
  const double ranks[] = {50, 10, 5, 1};
  for (std::size_t i = 0; i < 4; ++i) m.percentiles.push_back({ranks[i], p50_10_5_1[i], {}, {}});
  m.percentiles[0].low = 101.1, m.percentiles[0].high = 102.6;
  m.percentiles[2].low = 95.7, m.percentiles[2].high = 96.7;
  m.percentiles[3].high = 92.1;
  return m;
}

namespace {

Metric by_bucket(std::string name, std::uint64_t count, double mean, const std::vector<double>& edges) {
  constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  Metric metric{.name = std::move(name), .unit = "ms", .count = count, .mean = mean};
  metric.stddev = metric.min = metric.max = absent;
  metric.percentiles = {
      {.percentile = 50, .value = (edges[0] + edges[1]) / 2, .low = edges[0], .high = edges[1]},
      {.percentile = 95, .value = (edges[2] + edges[3]) / 2, .low = edges[2], .high = edges[3]},
      {.percentile = 99, .value = edges[3], .low = edges[3], .high = {}}};
  return metric;
}

}  // namespace

ServerWindow server_window_of_vllm() {
  return {.from = "vllm",
          .from_s = 1.2,
          .to_s = 31.4,
          .scrapes = 32,
          .times = {by_bucket("ttft", 735, 89.6, {80, 100, 100, 250}),
                    by_bucket("queue", 735, 4.25, {0, 300, 0, 300}),
                    by_bucket("prefill", 735, 84.9, {0, 300, 0, 300}),
                    by_bucket("decode", 735, 1249, {1000, 1500, 1000, 1500}),
                    by_bucket("itl", 93'345, 9.84, {0, 10, 10, 25}),
                    by_bucket("tpot", 735, 9.85, {0, 10, 10, 25}),
                    by_bucket("e2e", 735, 1340, {1000, 1500, 1500, 2000})},
          .gauges = {{"running", 30.4, 32}, {"waiting", 0.6, 3}, {"kv_cache", 0.412, 0.55}},
          .counts = {{"preemptions", 2},
                     {"prefix_hits", 376'320},
                     {"prefix_queries", 376'320 * 4.0},
                     {"draft_tokens", 1000},
                     {"accepted_tokens", 700},
                     {"requests", 820}},
          .course = {{5, 28, 0, 0.35}, {15, 32, 3, 0.5}, {25, 31, {}, 0.55}},
          .own_requests = 735};
}

LoadPoint closed_load() {
  LoadPoint load;
  load.concurrency = 32;
  load.arrival = Arrival::closed;
  load.workers = 2;
  load.duration_s = 30;
  load.warmup_requests = 32;
  load.output_tokens = 128;
  load.exact_output = true;
  return load;
}

namespace {

std::vector<Check> good_checks() {
  return {{CheckKind::generator, CheckState::passed, "mean client queue is 0.0 % of mean E2E", ""},
          {CheckKind::client, CheckState::passed, "0.0 % of the events late, lag p99 0.08 ms", ""},
          {CheckKind::stream, CheckState::passed, "0.3 % of the events packed", ""},
          {CheckKind::steady, CheckState::passed, "neither in-flight nor TTFT trends up", ""},
          {CheckKind::lengths, CheckState::not_applicable, "", ""}};
}

std::vector<Metric> good_metrics() {
  return {
      latency("client_queue", 735, 0.041, 0.012, 0.31, {0.031, 0.06, 0.081, 0.152, 0.31},
              {{0.03, 0.032}, {0.075, 0.09}, {0.12, std::nullopt}}),
      latency("ttft", 735, 94.1, 71.2, 163.4, {91.832, 112.4, 121.05, 148.2, 161},
              {{90.7, 93.1}, {117.2, 125.1}, {137.0, std::nullopt}}),
      latency("ttfo", 735, 94.1, 71.2, 163.4, {91.832, 112.4, 121.05, 148.2, 161}),
      latency("icl", 93'345, 9.83, 4.1, 61.5, {9.79, 10.4, 11.02, 14.2, 33.1}),
      latency("itl", 93'345, 9.83, 4.1, 61.5, {9.79, 10.4, 11.02, 14.2, 33.1},
              {{9.78, 9.8}, {10.97, 11.07}, {13.9, 14.5}}),
      latency("tpot", 735, 9.84, 9.1, 11.9, {9.81, 10.2, 10.4, 11.1, 11.8},
              {{9.8, 9.82}, {10.35, 10.44}, {10.8, std::nullopt}}),
      speed(735, 101.6, 84.0, 110, {101.9, 98, 96.2, 90.4}),
      latency("e2e", 735, 1343, 1220, 1552, {1331, 1412, 1443, 1518, 1550},
              {{1326, 1336}, {1430, 1457}, {1490, std::nullopt}}),
  };
}

}  // namespace

PointResult good_point() {
  PointResult point;
  point.load = closed_load();
  point.requests = point.ok = 735;
  point.warmup_requests = 32;
  point.outcomes = {{Outcome::ok, 0, 735, ""}};
  point.finish_reasons = {{"length", 735}};
  point.flags = {{"reused_connection", 735}};
  point.metrics = good_metrics();
  point.steady = Rates{28.21, 24.5, 12'560, 3'139.6, 15'699.6, 15.2, 31.93};
  point.whole = Rates{30.02, 24.1, 12'340, 3'085, 15'425, {}, 31.2};
  point.steady_from_s = 1.4;
  point.steady_to_s = 29.61;
  point.token_source = TokenSource::usage;
  point.tokens_per_event = 1;
  point.comfort = 0.9962;
  point.prompt_tokens = 735 * 512;
  point.output_tokens = 735 * 128;
  point.generated_events = 735 * 128;
  point.reasoning = Reasoning::none;
  point.packed_share = 0.003;
  point.client_lag_p99_ms = 0.084;
  point.validity.checks = good_checks();
  return point;
}

TargetFacts local_target() {
  TargetFacts target;
  target.url = "http://localhost:8000/v1/chat/completions";
  target.endpoint = "chat";
  target.model = "llama-3.1-8b";
  target.model_source = "first of /v1/models";
  target.timestamp_source = TimestampSource::kernel;
  target.http_version = "1.1";
  target.server_header = "uvicorn";
  target.version = "0.11.2";
  target.engine = "vllm";
  target.system_fingerprints = {"fp_1"};
  target.rtt_ms = 0.062;
  return target;
}

RunResult base_run() {
  RunResult run;
  run.tool_version = "0.1.0";
  run.run_id = "7d3a51c2";
  run.start_utc = "2026-11-29T12:15:01Z";
  run.command_line = "infermeter run http://localhost:8000 --concurrency 32 --duration 30s";
  run.complete = true;
  run.environment = {"Xeon 8488C",
                     "6.1.0-18-amd64",
                     "Debian GNU/Linux 12 (bookworm)",
                     "performance",
                     "Release",
                     "g++ 12.2.0",
                     "00c0ffee00c0ffee",
                     8,
                     0.42,
                     1'048'576,
                     0.06,
                     TimestampSource::kernel};
  run.targets = {local_target()};
  run.workload = {.source = "synthetic",
                  .input_tokens = "512",
                  .output_tokens = "128",
                  .nonce = "oak river lamp stone",
                  .exact_output = true,
                  .max_tokens_field = "max_tokens"};
  return run;
}

}  // namespace infermeter::example
