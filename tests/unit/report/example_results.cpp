#include "example_results.hpp"

namespace infermeter {
namespace {

using Interval = std::pair<std::optional<double>, std::optional<double>>;

Metric latency(std::string name, std::uint64_t count, double mean, double min, double max,
               const std::vector<double>& p50_90_95_99_999, const std::vector<Interval>& p50_95_99 = {}) {
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

LoadPoint closed_load() {
  LoadPoint load;
  load.concurrency = 32;
  load.arrival = "closed";
  load.workers = 2;
  load.duration_s = 30;
  load.warmup_requests = 32;
  load.output_tokens = 128;
  load.exact_output = true;
  return load;
}

std::vector<Check> good_checks() {
  return {{"generator", CheckState::passed, "mean client queue is 0.0 % of mean E2E", ""},
          {"client", CheckState::passed, "0.0 % of the events late, lag p99 0.08 ms", ""},
          {"stream", CheckState::passed, "0.3 % of the events packed", ""},
          {"steady", CheckState::passed, "neither in-flight nor TTFT trends up", ""},
          {"lengths", CheckState::not_applicable, "", ""}};
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
  point.token_source = "usage";
  point.tokens_per_event = 1;
  point.comfort = 0.9962;
  point.prompt_tokens = 735 * 512;
  point.output_tokens = 735 * 128;
  point.generated_events = 735 * 128;
  point.reasoning = "none";
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
  target.timestamp_source = "kernel";
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
                     "kernel"};
  run.targets = {local_target()};
  run.workload = {.source = "synthetic",
                  .input_tokens = "512",
                  .output_tokens = "128",
                  .nonce = "oak river lamp stone",
                  .exact_output = true,
                  .max_tokens_field = "max_tokens"};
  return run;
}

}  // namespace

RunResult good_run() {
  RunResult run = base_run();
  run.labels = {{"gpu", "H100"}, {"branch", "main"}};
  run.points = {good_point()};
  run.points[0].findings = {
      {"cold_start",
       "The first 3 requests took 4× longer: the server was cold. --warmup 10s keeps them out."},
      {"second_peak",
       "ITL has a second peak at 55–62 ms in 0.8 % of gaps: prefill of other requests between decode steps. "
       "Chunked prefill or a smaller token budget would shrink it."}};
  return run;
}

RunResult open_loop_run() {
  RunResult run = base_run();
  PointResult point = good_point();
  LoadPoint& load = point.load;
  load = {};
  load.open_loop = true;
  load.rate = 20;
  load.arrival = "poisson";
  load.max_in_flight = 64;
  load.duration_s = 30;
  load.warmup_s = 5;
  load.scheduled_requests = 612;
  load.schedule_hash = "00d1ce5eed00beef";
  load.output_tokens = 128;
  point.metrics.insert(point.metrics.begin() + 1,
                       latency("ttft_response", 735, 96.4, 71.3, 264.1, {92.1, 118.3, 131.5, 201.8, 260},
                               {{90.8, 93.5}, {125.2, 139}, {171.0, std::nullopt}}));
  point.metrics.push_back(latency("e2e_response", 735, 1346, 1220, 1653, {1332, 1415, 1451, 1587, 1650},
                                  {{1327, 1337}, {1436, 1463}, {1511, std::nullopt}}));
  point.achieved_ratio = 1;
  run.points = {point};
  return run;
}

RunResult failing_run() {
  RunResult run = base_run();
  run.targets[0].proxy = "http://proxy.example:3128";
  run.targets[0].notes = {
      "stream_options is refused (HTTP 400): left out, so that output is counted in events",
      "max_tokens is refused: max_completion_tokens is sent instead"};
  PointResult point = good_point();
  point.requests = 791;
  point.outcomes = {
      {Outcome::ok, 0, 735, ""},
      {Outcome::http_error, 429, 30,
       R"({"error":{"message":"Rate limit reached for requests, please try again in 2 s","type":"requests"}})"},
      {Outcome::http_error, 502, 12,
       "<html> <head><title>502 Bad Gateway</title></head> \x1b[31m<body> <center><h1>502 Bad Gateway</h1>"},
      {Outcome::first_token_timeout, 0, 6, "no token within 600 s"},
      {Outcome::inband_error, 0, 4, "EngineCore encountered an issue"},
      {Outcome::truncated, 0, 1, ""},
      {Outcome::not_streamed, 0, 2, ""},
      {Outcome::cancelled, 0, 1, ""}};
  point.finish_reasons = {{"length", 720}, {"stop", 15}};
  point.flags = {{"reused_connection", 735}, {"no_done", 12}, {"only_reasoning", 3}, {"end_marker", 1}};
  point.validity.checks[2] = {"stream", CheckState::warning, "64 % of the requests came in one piece",
                              "A proxy buffers the answers: turn its buffering off."};
  point.validity.checks[3] = {"steady", CheckState::warning, "TTFT rose by 80 ms over the window", ""};
  run.points = {point};
  run.ended_early = "error rate 12 % > 10 %";
  return run;
}

RunResult untrustworthy_run() {
  RunResult run = good_run();
  PointResult& point = run.points[0];
  point.findings.clear();
  point.validity.trustworthy = false;
  point.late_share = 0.041;
  point.validity.checks[1] = {
      "client", CheckState::failed, "4.1 % of the events are late (limit 1 %), lag p99 8.3 ms",
      "This machine was too slow for the load: use more --workers, or a machine of its own."};
  return run;
}

RunResult hopeless_run() {
  RunResult run = base_run();
  run.targets[0].model = "m";
  PointResult point;
  point.load = closed_load();
  point.requests = 32;
  point.outcomes = {{Outcome::connect, 0, 32, "connection refused: 127.0.0.1 port 8000"}};
  point.whole.window_s = 0.21;
  run.ended_early = "the first 32 requests all failed";
  run.points = {point};
  return run;
}

RunResult events_run() {
  RunResult run = base_run();
  PointResult point = good_point();
  point.token_source = "events";
  point.tokens_per_event = 0;
  point.comfort.reset();
  std::erase_if(point.metrics, [](const Metric& m) { return m.name == "itl"; });
  for (auto& metric : point.metrics) {
    if (metric.name == "tps") metric.unit = "events/s";
  }
  run.points = {point};
  return run;
}

RunResult whole_answers_run() {
  RunResult run = base_run();
  PointResult point = good_point();
  point.load.stream = false;
  point.comfort.reset();
  std::erase_if(point.metrics, [](const Metric& m) { return m.name != "e2e" && m.name != "client_queue"; });
  run.points = {point};
  return run;
}

RunResult not_streamed_run() {
  RunResult run = hopeless_run();
  run.ended_early.clear();
  run.points[0].outcomes = {{Outcome::not_streamed, 200, 32, ""}};
  run.points[0].warmup_requests = 1;
  return run;
}

RunResult short_run() {
  RunResult run = base_run();
  run.workload.source = "questions.jsonl";
  run.workload.exact_output = false;
  PointResult point = good_point();
  point.load.concurrency = 1;
  point.load.requests = 1;
  point.load.duration_s.reset();
  point.load.warmup_requests = 0;
  point.requests = point.ok = 1;
  point.outcomes = {{Outcome::ok, 0, 1, ""}};
  point.finish_reasons = {{"stop", 1}};
  point.warmup_requests = 0;
  point.metrics = {latency("client_queue", 1, 0.02, 0.02, 0.02, {0.02, 0.02, 0.02, 0.02, 0.02}),
                   latency("ttft", 1, 812.5, 812.5, 812.5, {812.5, 812.5, 812.5, 812.5, 812.5}),
                   latency("ttfo", 1, 9120, 9120, 9120, {9120, 9120, 9120, 9120, 9120}),
                   latency("icl", 1, 31, 31, 31, {31, 31, 31, 31, 31}),
                   latency("tpot", 1, 15.5, 15.5, 15.5, {15.5, 15.5, 15.5, 15.5, 15.5}),
                   latency("e2e", 1, 12'400, 12'400, 12'400, {12'400, 12'400, 12'400, 12'400, 12'400})};
  point.tokens_per_event = 2.04;
  point.comfort.reset();
  point.prompt_tokens = 431;
  point.output_tokens = 802;
  point.reasoning_tokens = 640;
  point.cached_tokens = 256;
  point.reasoning = "streamed";
  point.steady.reset();
  point.steady_from_s = point.steady_to_s = 0;
  run.interrupted = true;
  point.validity.partial = true;
  run.points = {point};
  return run;
}

RunResult sweep_run() {
  RunResult run = base_run();
  PointResult second = good_point();
  second.point = 1;
  second.load.concurrency = 64;
  second.findings = {{"knee", "Doubling to 64 brings 15 % more tokens and 4.5 times the TTFT."}};
  run.points = {good_point(), second};
  return run;
}

RunResult starting_run() {
  RunResult run = base_run();
  run.complete = false;
  PointResult point;
  point.load = closed_load();
  run.points = {point};
  return run;
}

}  // namespace infermeter
