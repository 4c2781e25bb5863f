#include "report/formats/vllm_requests.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace infermeter {
namespace {

double seconds(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

/// In chat and completions any event with a choice counts, the role alone too; elsewhere only tokens do.
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

}  // namespace

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

}  // namespace infermeter
