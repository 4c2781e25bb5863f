#include "example_results.hpp"

#include "example_parts.hpp"

namespace infermeter {

using namespace example;

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
  load.arrival = Arrival::poisson;
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
  point.validity.checks[2] = {CheckKind::stream, CheckState::warning,
                              "64 % of the requests came in one piece",
                              "A proxy buffers the answers: turn its buffering off."};
  point.validity.checks[3] = {CheckKind::steady, CheckState::warning, "TTFT rose by 80 ms over the window",
                              ""};
  run.health = {{.requests = 791,
                 .failed = 55,
                 .state = HealthState::degraded,
                 .failures = {point.outcomes.begin() + 1, point.outcomes.end() - 1}}};
  for (auto& failure : run.health[0].failures) failure.example.clear();
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
      CheckKind::client, CheckState::failed, "4.1 % of the events are late (limit 1 %), lag p99 8.3 ms",
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
  run.health = {{.requests = 32, .failed = 32, .state = HealthState::failed, .failures = point.outcomes}};
  run.points = {point};
  return run;
}

RunResult events_run() {
  RunResult run = base_run();
  PointResult point = good_point();
  point.token_source = TokenSource::events;
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
  run.health[0].failures = run.points[0].outcomes = {{Outcome::not_streamed, 200, 32, ""}};
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
  point.reasoning = Reasoning::streamed;
  point.steady.reset();
  point.steady_from_s = point.steady_to_s = 0;
  run.interrupted = true;
  point.validity.partial = true;
  run.points = {point};
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
