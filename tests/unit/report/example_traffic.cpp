// Runs of one load point with traffic other than plain prompts.
#include "example_parts.hpp"
#include "example_results.hpp"

namespace infermeter {

using namespace example;

namespace {

Metric scaled(Metric metric, double by) {
  for (double* value : {&metric.mean, &metric.stddev, &metric.min, &metric.max}) *value *= by;
  for (auto& p : metric.percentiles) {
    p.value *= by;
    p.low.reset();
    p.high.reset();
  }
  return metric;
}

/// For `ok` requests with the latencies of the good point times `by`.
Slice slice_of(SliceKind by, const char* name, std::uint64_t ok, double slower) {
  const PointResult point = good_point();
  Slice slice;
  slice.by = by;
  slice.name = name;
  slice.requests = slice.ok = ok;
  slice.outcomes = {{Outcome::ok, 0, ok, ""}};
  for (const char* metric : {"ttft", "itl", "tpot", "e2e"})
    slice.metrics.push_back(scaled(*point.find(metric), slower));
  slice.request_throughput = static_cast<double>(ok) / 30;
  slice.output_throughput = slice.request_throughput * 128;
  slice.prompt_tokens = 512 * ok;
  slice.output_tokens = 128 * ok;
  return slice;
}

SloResult slo_of(std::vector<std::pair<std::string, std::optional<double>>> each, std::uint64_t requests,
                 double all) {
  SloResult slo;
  for (const auto& [text, share] : each) slo.slos.push_back(text);
  slo.each = std::move(each);
  slo.requests = requests;
  slo.met = static_cast<std::uint64_t>(all * static_cast<double>(requests));
  slo.attainment = all;
  slo.low = all - 0.017;
  slo.high = all + 0.012;
  slo.goodput = all * static_cast<double>(requests) / 30;
  return slo;
}

Threshold ttft_below(double ms) {
  return {"ttft<" + std::to_string(static_cast<int>(ms)) + "ms", "ttft", "", Comparison::below, ms};
}

}  // namespace

RunResult classes_run() {
  RunResult run = base_run();
  PointResult point = good_point();
  point.load.classes = {{"chat", false, false, true, false, true, false, {ttft_below(500)}},
                        {"summaries", false, false, false, false, true, true, {}},
                        {"probe", true, true, true, true, true, false, {ttft_below(200)}}};
  Workload chat = run.workload, summaries = run.workload, probe = run.workload;
  chat.name = "chat";
  chat.share = 0.7;
  chat.calibration = "1.31 tokens a word, 11 of the chat template, by /tokenize";
  summaries.name = "summaries";
  summaries.share = 0.3;
  summaries.exact_output = false;
  summaries.input_tokens = "lognormal:4k,0.5";
  summaries.output_tokens = "uniform:100,400";
  summaries.calibration = chat.calibration;
  probe.name = "probe";
  probe.input_tokens = "32";
  probe.output_tokens = "1";
  run.classes = {chat, summaries, probe};
  run.workload = chat;
  point.slices = {slice_of(SliceKind::traffic_class, "chat", 500, 1),
                  slice_of(SliceKind::traffic_class, "summaries", 205, 2.4),
                  slice_of(SliceKind::traffic_class, "probe", 30, 0.4)};
  point.slices[0].slo = slo_of({{"ttft<500ms", 0.985}}, 500, 0.985);
  point.slices[1].requests = 208;
  point.slices[1].outcomes.push_back({Outcome::http_error, 500, 3, "out of memory"});
  point.slices[2].slo = slo_of({{"ttft<200ms", 0.966}}, 30, 0.966);
  point.requests = 738;
  point.outcomes.push_back({Outcome::http_error, 500, 3, "out of memory"});
  point.slo = slo_of({{"ttft<500ms", 0.985}, {"ttft<200ms", 0.966}}, 530, 0.984);
  run.points = {point};
  return run;
}

RunResult conversations_run() {
  RunResult run = base_run();
  run.scenario = "agent";
  run.headline = {"Agent: 96.8 % of the turns met both SLOs (asked: 99 %): not held.",
                  "From the second turn on, 93 % of the prompt came out of the server's cache."};
  run.workload.source = "agents.jsonl";
  run.workload.input_tokens.clear();
  run.workload.output_tokens.clear();
  run.workload.exact_output = false;
  run.workload.items = 1000;
  run.workload.bad_lines = 3;
  PointResult point = good_point();
  point.load.conversations = true;
  point.load.requests = 120;
  point.load.duration_s.reset();
  point.load.output_tokens = 0;
  point.load.max_retries = 2;
  point.conversations = 120;
  point.retries = 4;
  point.retried_requests = 3;
  point.metrics.push_back(latency("ttft_response", 735, 96.9, 71.3, 2310, {91.9, 112, 122, 163, 2250}));
  point.metrics.push_back(latency("e2e_response", 735, 1343, 1220, 3560, {1330, 1410, 1441, 1560, 3500}));
  point.slo = slo_of({{"ttft<500ms", 0.991}, {"itl.p95<50ms", 0.97}}, 735, 0.968);
  point.cost = Cost{0.442, 0.601, "prices"};
  point.cache = CacheFacts{735, 0.781, 3914};
  point.cached_tokens = 735 * 400;
  point.rate_limits = RateLimitFacts{
      12, 2, 3.1, {{"x-ratelimit-limit-requests", "600"}, {"x-ratelimit-remaining-requests", "59"}}};
  point.server_times_from = "vLLM's metrics in the answers";
  point.server_metrics = {latency("queue", 735, 1.9, 0.1, 44, {1.2, 2.2, 3.41, 12, 40}),
                          latency("prefill", 735, 80, 60, 140, {79.4, 99, 107, 131, 139}),
                          latency("ttft", 735, 90, 70, 160, {89.1, 109, 118, 145, 158})};
  point.scraped = server_window_of_vllm();
  point.ttft_parts = TtftParts{"server", 0.041, 1.2, 4.1, 2.1, 80, 7.9};
  for (int turn = 1; turn <= 14; ++turn) {
    Slice slice =
        slice_of(SliceKind::turn, std::to_string(turn).c_str(), turn < 13 ? 60 : 8, turn == 1 ? 3 : 1);
    slice.prompt_tokens = slice.ok * (1000 + 400 * static_cast<std::uint64_t>(turn));
    slice.cached_tokens = turn == 1 ? 0 : slice.prompt_tokens - 480 * slice.ok;
    point.slices.push_back(slice);
  }
  Slice cold = slice_of(SliceKind::cache, "cold", 120, 3),
        warm = slice_of(SliceKind::cache, "warm", 615, 0.9);
  warm.cached_tokens = warm.prompt_tokens * 9 / 10;
  point.slices.push_back(cold);
  point.slices.push_back(warm);
  for (const char* group : {"1", "2"}) {
    point.slices.push_back(slice_of(SliceKind::group, group, 360, 1));
    point.slices.back().cached_tokens = 360 * 256;
  }
  run.points = {point};
  return run;
}

RunResult cancel_run() {
  RunResult run = base_run();
  run.scenario = "ghost-text";
  run.workload.exact_output = false;
  PointResult point = good_point();
  point.load.open_loop = true;
  point.load.arrival = Arrival::constant;
  point.load.rate = 20;
  point.cache = CacheFacts{735, 0, 0};
  run.context_fits = {{0, 21, -0.0424, 0.000122, 0.223, false,
                       "From 118 to 506 tokens TTFT grows 1.7-fold, less than linearly."}};
  point.load.stages = "10s:20,20s:20";
  point.load.duration_s.reset();
  point.load.schedule_hash = "00d1ce5eed00beef";
  point.achieved_ratio = 1;
  point.ramp_requests = 100;
  point.requests = 1035;
  point.outcomes.push_back({Outcome::cancelled, 0, 300, ""});
  Metric chars = speed(735, 440, 300, 520, {441, 410, 390, 350});
  chars.name = "chars_per_second";
  chars.unit = "chars/s";
  point.metrics.push_back(chars);
  Slice cancelled = slice_of(SliceKind::cancel, "cancelled", 300, 0.9);
  cancelled.ok = 0;
  cancelled.output_tokens = 300 * 9;
  cancelled.outcomes = {{Outcome::cancelled, 0, 300, ""}};
  point.slices = {cancelled};
  run.points = {point};
  return run;
}

RunResult embeddings_run() {
  RunResult run = base_run();
  run.targets[0].endpoint = "embeddings";
  run.targets[0].url = "http://localhost:8000/v1/embeddings";
  run.workload.output_tokens.clear();
  run.workload.exact_output = false;
  PointResult point = good_point();
  point.load.stream = false;
  point.load.output_tokens = 0;
  point.comfort.reset();
  std::erase_if(point.metrics, [](const Metric& m) { return m.name != "e2e" && m.name != "client_queue"; });
  point.item_throughput = 392;
  point.steady->output = point.whole.output = 0;
  point.output_tokens = point.generated_events = 0;
  point.tokens_per_event = 0;
  point.finish_reasons.clear();
  run.points = {point};
  return run;
}

}  // namespace infermeter
