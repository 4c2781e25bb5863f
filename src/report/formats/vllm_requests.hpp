// One request as vLLM's bench would have measured it, in seconds. Private to src/report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct VllmRequest {
  const RequestRecord* record = nullptr;
  bool success = false;
  double start = 0;  // on the monotonic clock, as its perf_counter
  double ttft = 0, latency = 0, queue = 0;
  std::vector<double> itl;  // sums up to latency − ttft
  std::int64_t input_tokens = 0, output_tokens = 0;
};

/// The measured ones of a point, in the order of their start. Its clock starts when it hands a request to its
/// HTTP library: setting up a connection is in TTFT, and the first event of a chat, often one with the role
/// only, ends it. Its latency ends with the last token.
std::vector<VllmRequest> vllm_requests(const RunResult& result, const PointResult& point,
                                       std::span<const RequestRecord> records);

/// The most events that arrived, and the most requests that were under way, in one second of its grid.
struct VllmPeaks {
  double tokens_per_s = 0;
  std::int64_t concurrent = 0;
};
VllmPeaks vllm_peaks(const std::vector<VllmRequest>& requests);

}  // namespace infermeter
