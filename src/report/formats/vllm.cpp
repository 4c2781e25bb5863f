#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "infermeter/model/endpoint.hpp"
#include "report/formats/vllm_keys.hpp"
#include "report/json/json_writer.hpp"

namespace infermeter {
namespace {

/// One request as vLLM's bench would have measured it, in seconds.
struct VllmRequest {
  const RequestRecord* record = nullptr;
  bool success = false;
  double start = 0;  // on the monotonic clock, like its perf_counter
  double ttft = 0, latency = 0, queue = 0;
  std::vector<double> itl;  // sum: latency − ttft
  std::int64_t input_tokens = 0, output_tokens = 0;
};

using Requests = std::vector<VllmRequest>;

double seconds(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

/// In chat and completions any event with a choice counts, even one with only the role; elsewhere only tokens
/// count.
Micros first_counted(const RequestRecord& record, const std::string& endpoint) {
  const bool any = endpoint == "chat" || endpoint == "completions";
  return any && record.first_event_us ? record.first_event_us : record.first_token_us;
}

void add_gaps(const RequestRecord& record, std::int64_t first_us, std::vector<double>& itl) {
  if (record.gaps_us.size() + 1 != record.events) return;  // not kept
  if (record.first_token_us && *record.first_token_us > first_us)
    itl.push_back(seconds(*record.first_token_us - first_us));
  for (const auto gap : record.gaps_us) itl.push_back(seconds(gap));
}

std::int64_t output_tokens(const RequestRecord& record) {
  return record.output_tokens.value_or(static_cast<std::int64_t>(record.events));
}

VllmRequest measured(const RunResult& result, const std::string& endpoint, const RequestRecord& record) {
  VllmRequest request{.record = &record, .success = record.outcome == Outcome::ok};
  request.input_tokens = record.prompt_tokens.value_or(record.asked_input_tokens);
  const Micros started = record.started_us ? record.started_us : record.sent_us;
  if (!started) return request;
  request.start = static_cast<double>(result.start_monotonic_ns) / 1e9 + seconds(*started);
  if (record.intended_us) request.queue = std::max(0.0, seconds(*started - *record.intended_us));
  const Micros first = first_counted(record, endpoint);
  const Micros last = record.last_token_us ? record.last_token_us : record.end_us;
  if (first) request.ttft = seconds(*first - *started);
  if (last) request.latency = seconds(*last - *started);
  if (first) add_gaps(record, *first, request.itl);
  if (request.success) request.output_tokens = output_tokens(record);
  return request;
}

/// The measured requests of a point, in the order of their start. vLLM's clock starts when it hands a request
/// to its HTTP library: TTFT includes the connection setup and ends with the first event of a chat, which
/// often has only the role. Its latency ends with the last token.
std::vector<VllmRequest> vllm_requests(const RunResult& result, const PointResult& point,
                                       std::span<const RequestRecord> records) {
  const std::string endpoint =
      point.target < result.targets.size() ? result.targets[point.target].endpoint : std::string();
  std::vector<VllmRequest> requests;
  for (const auto& record : records) {
    if (record.point == point.point && record.target == point.target && record.phase == Phase::measured)
      requests.push_back(measured(result, endpoint, record));
  }
  const auto key = [](const VllmRequest& r) { return std::tuple(r.record->intended_us, r.record->id); };
  std::ranges::stable_sort(requests, {}, key);
  return requests;
}

/// The largest number of events that arrived, and of requests in flight, in one second of its grid.
struct VllmPeaks {
  double tokens_per_s = 0;
  std::int64_t concurrent = 0;
};
VllmPeaks vllm_peaks(const std::vector<VllmRequest>& requests) {
  std::vector<const VllmRequest*> good;
  for (const auto& request : requests) {
    if (request.success) good.push_back(&request);
  }
  if (good.empty()) return {};
  double from = good.front()->start, to = from;
  for (const auto* request : good) {
    from = std::min(from, request->start);
    to = std::max(to, request->start + request->latency);
  }
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(std::ceil(to - from)) + 1), open(tokens.size());
  const auto second = [&](double at) {
    return std::min(static_cast<std::size_t>(at - from), tokens.size() - 1);
  };
  for (const auto* request : good) {
    double at = request->start + request->ttft;
    ++tokens[second(at)];
    for (const double gap : request->itl) ++tokens[second(at += gap)];
    for (auto s = second(request->start); s <= second(request->start + request->latency); ++s) ++open[s];
  }
  return {static_cast<double>(std::ranges::max(tokens)), std::ranges::max(open)};
}

/// "2026-11-29T12:15:01Z" as "20261129-121501".
std::string date_of(const std::string& utc) {
  std::string date;
  for (const char c : utc) {
    if (c == 'T') date += '-';
    if (c >= '0' && c <= '9') date += c;
  }
  return date;
}

std::string backend_of(const std::string& endpoint) {
  if (endpoint == "completions") return "openai";
  return endpoint.empty() ? "openai-chat" : "openai-" + endpoint;
}

/// The shape of its gamma distribution: 1 is Poisson. It has no evenly spaced arrivals.
Json burstiness_of(const LoadPoint& load) {
  if (load.arrival == Arrival::gamma && load.cv > 0) return 1 / (load.cv * load.cv);
  return load.arrival == Arrival::constant ? Json(nullptr) : Json(1.0);
}

Json most_in_flight(const LoadPoint& load) {
  if (!load.open_loop) return load.concurrency;
  return load.max_in_flight > 0 ? Json(load.max_in_flight) : Json(nullptr);
}

template <typename Value>
Json list_of(const Requests& requests, Value value) {
  Json list = Json::array();
  for (const auto& request : requests) list.push_back(value(request));
  return list;
}

template <typename Value>
double sum_of(const Requests& requests, Value value) {
  return std::accumulate(requests.begin(), requests.end(), 0.0, [&](double sum, const VllmRequest& r) {
    return sum + (r.success ? static_cast<double>(value(r)) : 0);
  });
}

/// Linear between order statistics, like NumPy's default.
double percentile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Mean, median, population standard deviation and p99 in milliseconds; zeros without a sample, as vLLM
/// writes.
void add_statistics(Json& out, const std::string& name, std::vector<double> seconds) {
  if (seconds.empty()) seconds.push_back(0);
  std::ranges::sort(seconds);
  const auto n = static_cast<double>(seconds.size());
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / n;
  double squares = 0;
  for (const double s : seconds) squares += (s - mean) * (s - mean);
  out[fmt::format("mean_{}_ms", name)] = 1000 * mean;
  out[fmt::format("median_{}_ms", name)] = 1000 * percentile(seconds, 0.5);
  out[fmt::format("std_{}_ms", name)] = 1000 * std::sqrt(squares / n);
  out[fmt::format("p99_{}_ms", name)] = 1000 * percentile(seconds, 0.99);
}

/// Where the records kept no gaps (--no-save-gaps), the run's own figures are used.
void add_saved_statistics(Json& out, const std::string& name, const Metric& metric) {
  const auto at = [&](double p) {
    const Percentile* found = metric.find(p);
    return found ? Json(found->value) : Json(nullptr);
  };
  out[fmt::format("mean_{}_ms", name)] = metric.mean;
  out[fmt::format("median_{}_ms", name)] = at(50);
  out[fmt::format("std_{}_ms", name)] = metric.stddev;
  out[fmt::format("p99_{}_ms", name)] = at(99);
}

void add_latencies(const PointResult& point, const Requests& requests, Json& out) {
  std::vector<double> ttft, tpot, itl;
  for (const auto& r : requests) {
    if (!r.success) continue;
    ttft.push_back(r.ttft);
    if (r.output_tokens > 1) tpot.push_back((r.latency - r.ttft) / static_cast<double>(r.output_tokens - 1));
    itl.insert(itl.end(), r.itl.begin(), r.itl.end());
  }
  add_statistics(out, vllm::their_name("ttft"), std::move(ttft));
  add_statistics(out, vllm::their_name("tpot"), std::move(tpot));
  const Metric* icl = point.find("icl");
  if (itl.empty() && icl) {
    add_saved_statistics(out, vllm::their_name("icl"), *icl);
  } else {
    add_statistics(out, vllm::their_name("icl"), std::move(itl));
  }
}

void add_setting(const RunResult& result, const PointResult& point, std::size_t requests, Json& out) {
  const TargetFacts target =
      point.target < result.targets.size() ? result.targets[point.target] : TargetFacts{};
  out[vllm::kDate] = date_of(result.start_utc);
  out["endpoint_type"] = backend_of(target.endpoint);
  out[vllm::kBackend] = backend_of(target.endpoint);
  out["label"] = nullptr;
  out[vllm::kModelId] = target.model;
  out["tokenizer_id"] = target.model;
  out[vllm::kNumPrompts] = requests;
  for (const auto& [key, value] : result.labels) out[key] = value;
  const LoadPoint& load = point.load;
  // A trace has its own times, which vLLM does not report as a rate.
  const bool has_rate = load.open_loop && load.arrival != Arrival::trace;
  out[vllm::kRequestRate] = has_rate ? Json(load.rate) : Json("inf");
  out[vllm::kBurstiness] = burstiness_of(load);
  out[vllm::kMaxConcurrency] = most_in_flight(load);
}

struct Sums {
  double seconds = 0, completed = 0, input = 0, output = 0;
  double per_second(double amount) const { return seconds > 0 ? amount / seconds : 0; }
};

Sums sums_of(const PointResult& point, const Requests& requests) {
  return {std::isfinite(point.whole.window_s) ? point.whole.window_s : 0,
          sum_of(requests, [](const auto&) { return 1; }),
          sum_of(requests, [](const auto& r) { return r.input_tokens; }),
          sum_of(requests, [](const auto& r) { return r.output_tokens; })};
}

std::int64_t whole(double sum) { return static_cast<std::int64_t>(sum); }

void add_totals(const PointResult& point, const Requests& requests, const Sums& sums, Json& out) {
  out[vllm::kDuration] = sums.seconds;
  out[vllm::kCompleted] = whole(sums.completed);
  out[vllm::kFailed] = static_cast<std::int64_t>(requests.size()) - whole(sums.completed);
  out[vllm::kTotalInputTokens] = whole(sums.input);
  out[vllm::kTotalOutputTokens] = whole(sums.output);
  out[vllm::kRequestThroughput] = sums.per_second(sums.completed);
  const bool judged = point.slo && point.slo->requests > 0;
  out[vllm::kRequestGoodput] =
      judged ? Json(sums.per_second(static_cast<double>(point.slo->met))) : Json(nullptr);
  out[vllm::kOutputThroughput] = sums.per_second(sums.output);
  out[vllm::kTotalTokenThroughput] = sums.per_second(sums.input + sums.output);
}

std::string error_of(const VllmRequest& request) {
  if (request.success) return {};
  return request.record->error.empty() ? std::string(name(request.record->outcome)) : request.record->error;
}

void add_requests(const Requests& requests, Json& out) {
  out["input_lens"] = list_of(requests, [](const auto& r) { return r.input_tokens; });
  out[vllm::kOutputLens] = list_of(requests, [](const auto& r) { return r.output_tokens; });
  out[vllm::kTtfts] = list_of(requests, [](const auto& r) { return r.ttft; });
  out[vllm::kItls] = list_of(requests, [](const auto& r) { return r.itl; });
  out[vllm::kLatencies] = list_of(requests, [](const auto& r) { return r.latency; });
  out[vllm::kStartTimes] = list_of(requests, [](const auto& r) { return r.start; });
  out[vllm::kQueueTimes] = list_of(requests, [](const auto& r) { return r.queue; });
  out["generated_texts"] = list_of(requests, [](const auto& r) { return r.record->text; });
  out[vllm::kErrors] = list_of(requests, error_of);
  const VllmPeaks peaks = vllm_peaks(requests);
  out["max_output_tokens_per_s"] = peaks.tokens_per_s;
  out["max_concurrent_requests"] = peaks.concurrent;
  out["rtfx"] = 0.0;
}

/// Its other set of keys, for endpoints whose answers are not text.
void add_items(const Requests& requests, const Sums& sums, Json& out) {
  const double items = sum_of(requests, [](const auto& r) { return r.record->items.value_or(1); });
  out[vllm::kDuration] = sums.seconds;
  out[vllm::kCompleted] = whole(sums.completed);
  out[vllm::kTotalInputTokens] = whole(sums.input);
  out["total_input_sequences"] = whole(items);
  out[vllm::kRequestThroughput] = sums.per_second(sums.completed);
  out[vllm::kInputSequenceThroughput] = sums.per_second(items);
  out[vllm::kTotalTokenThroughput] = sums.per_second(sums.input);
  out["input_lens"] = list_of(requests, [](const auto& r) { return r.input_tokens; });
  out[vllm::kLatencies] = list_of(requests, [](const auto& r) { return r.latency; });
  out[vllm::kQueueTimes] = list_of(requests, [](const auto& r) { return r.queue; });
  out[vllm::kErrors] = list_of(requests, error_of);
  std::vector<double> latencies;
  for (const auto& r : requests) {
    if (r.success) latencies.push_back(r.latency);
  }
  add_statistics(out, vllm::their_name("e2e"), std::move(latencies));
}

Json point_json(const RunResult& result, const PointResult& point, std::span<const RequestRecord> records) {
  const Requests requests = vllm_requests(result, point, records);
  const Sums sums = sums_of(point, requests);
  Json out = Json::object();
  add_setting(result, point, requests.size(), out);
  const bool items =
      point.target < result.targets.size() && !items_of(result.targets[point.target].endpoint).empty();
  if (items) {
    add_items(requests, sums, out);
  } else {
    add_totals(point, requests, sums, out);
    add_requests(requests, out);
    add_latencies(point, requests, out);
  }
  return out;
}

}  // namespace

std::string result_to_vllm(const RunResult& result, std::span<const RequestRecord> records) {
  std::string out;
  for (const auto& point : result.points) out += json_text(point_json(result, point, records), -1);
  return out;
}

}  // namespace infermeter
