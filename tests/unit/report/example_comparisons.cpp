// Several load points, several targets.
#include <algorithm>

#include "example_parts.hpp"
#include "example_results.hpp"

namespace infermeter {

using namespace example;

namespace {

/// A latency for which only the median and the 95th percentile matter here.
Metric around(std::string name, std::uint64_t count, double p50, double p95) {
  return latency(std::move(name), count, p50 * 1.02, p50 * 0.8, p95 * 1.3,
                 {p50, p50 + (p95 - p50) * 0.7, p95, p95 * 1.15, p95 * 1.25});
}

struct Figures {
  double ttft = 0, ttft95 = 0, itl = 0, output = 0;
  std::uint64_t ok = 0;
};

PointResult point_of(const Figures& f) {
  PointResult point = good_point();
  point.requests = point.ok = f.ok;
  point.outcomes = {{Outcome::ok, 0, f.ok, ""}};
  point.finish_reasons = {{"length", f.ok}};
  point.prompt_tokens = 512 * f.ok;
  point.output_tokens = 128 * f.ok;
  const double whole = f.ttft + 127 * f.itl;
  point.metrics = {around("client_queue", f.ok, 0.03, 0.08),
                   around("ttft", f.ok, f.ttft, f.ttft95),
                   around("ttfo", f.ok, f.ttft, f.ttft95),
                   around("itl", 127 * f.ok, f.itl, f.itl * 1.12),
                   around("tpot", f.ok, f.itl, f.itl * 1.1),
                   speed(f.ok, 1000 / f.itl, 900 / f.itl, 1100 / f.itl,
                         {1000 / f.itl, 970 / f.itl, 950 / f.itl, 920 / f.itl}),
                   around("e2e", f.ok, whole, whole * 1.1)};
  point.steady = Rates{28.2, f.output / 128, f.output * 4, f.output, f.output * 5, {}, 31.9};
  return point;
}

PointResult at_concurrency(std::uint32_t index, std::uint32_t concurrency, const Figures& figures) {
  PointResult point = point_of(figures);
  point.point = index;
  point.load.concurrency = concurrency;
  point.load.warmup_requests = concurrency;
  return point;
}

void fail(PointResult& point, Outcome outcome, int status, std::uint64_t count, const char* example) {
  point.outcomes.push_back({outcome, status, count, example});
  point.requests += count;
}

TargetFacts vendor(const char* name, const char* model, double rtt) {
  TargetFacts target;
  target.name = name;
  target.url = std::string("https://api.") + name + ".example/v1/chat/completions";
  target.endpoint = "chat";
  target.model = model;
  target.model_source = "asked for";
  target.timestamp_source = TimestampSource::kernel;
  target.http_version = "1.1";
  target.rtt_ms = rtt;
  return target;
}

Difference difference(std::uint32_t target, const char* metric, const char* statistic, double change,
                      double low, double high) {
  return {0, target, metric, statistic, 12, change, low, high, low < 0 && high > 0};
}

/// The rate, and latency from the intended time too.
PointResult at_rate(std::uint32_t index, double rate, const Figures& figures) {
  PointResult point = point_of(figures);
  point.point = index;
  point.load.open_loop = true;
  point.load.arrival = Arrival::poisson;
  point.load.rate = rate;
  point.load.scheduled_requests = figures.ok;
  point.load.schedule_hash = "00d1ce5eed00beef";
  point.achieved_ratio = 1;
  point.offered = rate;
  point.served = point.rates().request;
  point.metrics.push_back(around("ttft_response", figures.ok, figures.ttft * 1.02, figures.ttft95 * 1.1));
  point.metrics.push_back(around("e2e_response", figures.ok, figures.ttft + 1300, figures.ttft95 + 1500));
  return point;
}

void held(PointResult& point, double first, double second, double all) {
  SloResult slo;
  slo.slos = {"ttft<500ms", "itl.p95<50ms"};
  slo.requests = point.requests;
  slo.met = static_cast<std::uint64_t>(all * static_cast<double>(point.requests));
  slo.attainment = all;
  slo.low = std::max(0.0, all - 0.017);
  slo.high = std::min(1.0, all + 0.012);
  slo.goodput = all * point.steady->request;
  slo.each = {{"ttft<500ms", first}, {"itl.p95<50ms", second}};
  point.slo = slo;
}

}  // namespace

RunResult sweep_run() {
  RunResult run = base_run();
  run.points = {at_concurrency(0, 1, {41.2, 43, 6.9, 142, 30}),
                at_concurrency(1, 8, {52.8, 61.4, 7.42, 1050, 240}),
                at_concurrency(2, 32, {91.8, 121, 9.79, 3140, 735}),
                at_concurrency(3, 64, {410, 1220, 13.1, 3610, 980}),
                at_concurrency(4, 128, {2900, 5480, 13.4, 3650, 990})};
  fail(run.points[4], Outcome::timeout, 0, 14, "no end within 60 s");
  run.points[4].late_share = 0.041;
  run.points[4].validity.trustworthy = false;
  run.points[4].validity.checks[1] = {
      CheckKind::client, CheckState::failed, "4.1 % of the events are late (limit 1 %), lag p99 8.3 ms",
      "This machine was too slow for the load: use more --workers, or a machine of its own."};
  for (std::size_t i : {3U, 4U})
    run.points[i].validity.checks[3] = {CheckKind::steady, CheckState::warning,
                                        "TTFT rose by 80 ms over the window", ""};
  run.points[0].findings = {{"cold_start", "The first request took 4× longer: the server was cold."}};
  run.points[3].findings = run.points[4].findings = {
      {"kv_exhausted", "TTFT grows with load while ITL does not: requests wait for KV blocks."}};
  run.knees = {{2, 0, "The knee is at 32: doubling to 64 brings 15 % more tokens and 4.5 times the TTFT."}};
  return run;
}

RunResult rate_sweep_run() {
  RunResult run = base_run();
  run.workload.exact_output = false;
  run.points = {at_rate(0, 10, {61.2, 83, 7.9, 1280, 300}), at_rate(1, 20, {82.8, 121.4, 9.42, 2560, 612}),
                at_rate(2, 40, {1240, 5300, 14.1, 3640, 1203}),
                at_rate(3, 80, {1240, 5300, 14.1, 3640, 1203})};
  held(run.points[0], 1, 1, 1);
  held(run.points[1], 0.991, 0.97, 0.968);
  held(run.points[2], 0.212, 0.834, 0.184);
  PointResult& skipped = run.points[3];
  const LoadPoint load = skipped.load;
  skipped = {};
  skipped.point = 3;
  skipped.load = load;
  run.sweep_ended = "ttft.p95 > 2s at 40 requests/s (5.30 s)";
  return run;
}

RunResult shape_sweep_run() {
  RunResult run = base_run();
  const struct {
    std::uint32_t concurrency;
    const char* shape;
    Figures figures;
  } points[] = {{1, "1k/128", {61, 64, 6.9, 138, 30}},
                {1, "8k/1k", {412, 431, 7.1, 136, 12}},
                {16, "1k/128", {140, 310, 8.2, 1480, 310}},
                {16, "8k/1k", {980, 3100, 11.9, 1190, 96}}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    run.points.push_back(at_concurrency(i, points[i].concurrency, points[i].figures));
    run.points.back().load.shape = points[i].shape;
  }
  return run;
}

RunResult context_run() {
  RunResult run = base_run();
  run.scenario = "context-sweep";
  run.headline = {
      "From 2,000 to 100,000 tokens the time to the first token grows 107-fold, 2.1 times more than "
      "linearly."};
  const std::pair<std::uint64_t, double> lengths[] = {
      {2000, 121}, {8000, 495}, {32'000, 2440}, {64'000, 6600}, {100'000, 12'900}};
  std::uint32_t index = 0;
  for (const auto& [tokens, ttft] : lengths) {
    PointResult point = at_concurrency(index++, 1, {ttft, ttft * 1.04, 7.2, 60, 6});
    point.load.input_tokens = static_cast<std::uint32_t>(tokens);
    point.load.shape = std::to_string(tokens / 1000) + "k/16";
    point.prompt_tokens = (tokens + 3) * point.ok;
    run.points.push_back(point);
  }
  run.context_fits = {
      {0, 14.2, 0.0531, 7.55e-7, 0.021, true,
       "TTFT grows faster than the prompt: at 100,000 tokens 59 % of it is the quadratic part."}};
  return run;
}

RunResult targets_run() {
  RunResult run = base_run();
  run.targets = {vendor("vendor-one", "deepseek-r1", 12.1), vendor("vendor-two", "deepseek-r1-0528", 31),
                 vendor("vendor-three", "DeepSeek-R1", 9.4)};
  run.targets[0].prices = {.input_per_million = 0.5, .cached_per_million = 0.1, .output_per_million = 2.0};
  run.targets[1].notes = {
      "stream_options is refused (HTTP 400): left out, so that output is counted in events"};
  run.targets[2].gpus = 8;
  run.targets[2].prices.per_hour = 24;
  run.targets[2].replicas = {"https://a.vendor-three.example", "https://b.vendor-three.example"};
  run.target_order = TargetOrder::at_once;
  run.workload.exact_output = false;
  run.points = {point_of({212, 390, 9.1, 3140, 720}), point_of({187, 350, 14, 2240, 560}),
                point_of({214, 401, 9, 3180, 741})};
  const double costs[] = {0.6, 0.35, 0.55};
  for (std::uint32_t i = 0; i < 3; ++i) {
    PointResult& point = run.points[i];
    point.target = i;
    point.cost = Cost{costs[i] * 0.72, costs[i], i == 2 ? "per_hour" : "server"};
    point.reasoning_tokens = 64 * point.ok;
    point.reasoning = Reasoning::streamed;
    const double visible = 64 * point.find("itl")->mean;
    *std::ranges::find(point.metrics, "ttfo", &Metric::name) =
        around("ttfo", point.ok, point.find("ttft")->mean + visible, point.find("ttft")->max + visible);
    Metric chars = speed(point.ok, 440, 300, 520, {440.0 + 10 * i, 410, 390, 350});
    chars.name = "chars_per_second";
    chars.unit = "chars/s";
    point.metrics.push_back(chars);
  }
  run.points[2].output_per_gpu = 3180.0 / 8;
  fail(run.points[1], Outcome::http_error, 429, 18, "Rate limit reached, try again in 2 s");
  fail(run.points[1], Outcome::inband_error, 0, 2, "overloaded");
  run.points[1].validity.checks[4] = {CheckKind::lengths, CheckState::warning,
                                      "answers are 31 % shorter than asked (88 of 128 tokens)", ""};
  run.differences = {difference(1, "ttft", "p50", -0.12, -0.16, -0.08),
                     difference(1, "itl", "p50", 0.54, 0.51, 0.57),
                     difference(1, "ttft", "p95", -0.1, -0.25, 0.07),
                     difference(1, "e2e", "p50", 0.43, 0.402, 0.461),
                     difference(1, "tps", "p50", -0.35, -0.37, -0.33),
                     difference(1, "output_throughput", "", -0.287, -0.31, -0.26),
                     difference(2, "ttft", "p50", 0.01, -0.03, 0.05),
                     difference(2, "itl", "p50", -0.011, -0.0162, -0.0061),
                     difference(2, "ttft", "p95", 0.02, -0.1, 0.15),
                     difference(2, "e2e", "p50", -0.01, -0.02, 0.01),
                     difference(2, "tps", "p50", 0.011, 0.006, 0.016),
                     difference(2, "output_throughput", "", 0.012, -0.01, 0.03)};
  return run;
}

RunResult short_targets_run() {
  RunResult run = base_run();
  run.targets = {local_target(), local_target(), local_target()};
  run.targets[2].url = "http://localhost:8002/v1/chat/completions";
  run.targets[1].url = "http://localhost:8001/v1/chat/completions";
  run.targets[1].ended_early = "the first 32 requests all failed";
  run.target_order = TargetOrder::alternate;
  PointResult dead = at_concurrency(0, 32, {1, 1, 1, 1, 0});
  dead.target = 1;
  dead.metrics.clear();
  dead.steady.reset();
  dead.outcomes.clear();
  dead.finish_reasons.clear();
  fail(dead, Outcome::connect, 0, 32, "connection refused: 127.0.0.1 port 8001");
  PointResult third = at_concurrency(0, 32, {120, 161, 9.85, 3090, 38});
  third.target = 2;
  run.points = {at_concurrency(0, 32, {91.8, 121, 9.79, 3140, 40}), dead, third};
  run.differences = {{0, 1, "error_rate", "", 0, 1.0, {}, {}, false, true},
                     {0, 2, "ttft", "p50", 4, {}, {}, {}, false},
                     {0, 2, "itl", "p50", 4, {}, {}, {}, false}};
  return run;
}

RunResult targets_sweep_run() {
  RunResult run = base_run();
  run.targets = {vendor("vendor-one", "llama-3.1-8b", 12.1), vendor("vendor-two", "llama-3.1-8b", 31)};
  run.target_order = TargetOrder::at_once;
  run.points = {at_rate(0, 5, {80, 120, 9.1, 640, 150}), at_rate(0, 5, {101, 163, 9.2, 640, 150}),
                at_rate(1, 20, {140, 390, 10.2, 2560, 600}), at_rate(1, 20, {2100, 8200, 15.4, 2100, 600})};
  run.points[1].target = run.points[3].target = 1;
  run.points[3].validity.trustworthy = false;
  run.points[3].validity.checks[0] = {CheckKind::generator, CheckState::failed,
                                      "97.1 % of the requests were sent in time", "Use more --workers."};
  for (std::uint32_t point : {0U, 1U}) {
    Difference ttft = difference(1, "ttft_response", "p50", point == 0 ? 0.262 : 14.0, 0.221, 0.299);
    ttft.point = point;
    if (point == 1) ttft.low = 11.2, ttft.high = 16.9;
    Difference itl = difference(1, "tpot", "p50", 0.011, -0.004, 0.026);
    itl.point = point;
    run.differences.push_back(ttft);
    run.differences.push_back(itl);
  }
  run.knees = {{0, 1, "The knee is at 5 requests/s: four times the load brings 3.3 times the tokens."}};
  return run;
}

}  // namespace infermeter
