// The keys of vLLM's result files that are both written (formats/vllm) and read (formats/vllm_result), and
// its names of figures. Private to this folder.
#pragma once

#include <array>
#include <string_view>

namespace infermeter::vllm {

inline constexpr const char* kCompleted = "completed";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kDuration = "duration";
inline constexpr const char* kNumPrompts = "num_prompts";
inline constexpr const char* kDate = "date";
inline constexpr const char* kModelId = "model_id";
inline constexpr const char* kBackend = "backend";
inline constexpr const char* kRequestRate = "request_rate";
inline constexpr const char* kBurstiness = "burstiness";
inline constexpr const char* kMaxConcurrency = "max_concurrency";
inline constexpr const char* kTotalInputTokens = "total_input_tokens";
inline constexpr const char* kTotalOutputTokens = "total_output_tokens";
inline constexpr const char* kRequestThroughput = "request_throughput";
inline constexpr const char* kRequestGoodput = "request_goodput";
inline constexpr const char* kOutputThroughput = "output_throughput";
inline constexpr const char* kTotalTokenThroughput = "total_token_throughput";
inline constexpr const char* kInputSequenceThroughput = "input_sequence_throughput";
inline constexpr const char* kTtfts = "ttfts";
inline constexpr const char* kItls = "itls";
inline constexpr const char* kLatencies = "latencies";
inline constexpr const char* kOutputLens = "output_lens";
inline constexpr const char* kStartTimes = "start_times";
inline constexpr const char* kQueueTimes = "queue_times";
inline constexpr const char* kErrors = "errors";

/// In keys like "mean_ttft_ms"; their "ITL" is the time between events.
struct FigureName {
  const char* theirs;
  std::string_view ours;
};
inline constexpr std::array<FigureName, 6> kFigures{{{"client_queue_time", "client_queue"},
                                                     {"ttft", "ttft"},
                                                     {"itl", "icl"},
                                                     {"tpot", "tpot"},
                                                     {"e2el", "e2e"},
                                                     {"e2el_including_client_queue", "e2e_response"}}};

/// Their name of one of these figures.
constexpr const char* their_name(std::string_view ours) {
  for (const auto& figure : kFigures) {
    if (figure.ours == ours) return figure.theirs;
  }
  return nullptr;
}

}  // namespace infermeter::vllm
