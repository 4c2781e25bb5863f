#include "protocol/stream/finish_reason.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"

namespace infermeter {
namespace {

struct FinishRow {
  std::string_view reason;
  FinishKind kind;
};

constexpr auto kKnown = FinishKind::known;
constexpr auto kFiltered = FinishKind::filtered;
constexpr auto kFailed = FinishKind::failed;

constexpr std::array<FinishRow, 38> kReasons{{
    {"stop", kKnown},
    {"length", kKnown},
    {"tool_calls", kKnown},
    {"function_call", kKnown},
    {"tool_use", kKnown},
    {"eos", kKnown},
    {"eos_token", kKnown},
    {"stop_sequence", kKnown},
    {"end_turn", kKnown},
    {"pause_turn", kKnown},
    {"max_tokens", kKnown},
    {"model_length", kKnown},
    {"complete", kKnown},
    {"content_filter", kFiltered},
    {"content_filtered", kFiltered},
    {"content-filter", kFiltered},
    {"safety", kFiltered},
    {"image_safety", kFiltered},
    {"sensitive", kFiltered},
    {"refusal", kFiltered},
    {"recitation", kFiltered},
    {"blocklist", kFiltered},
    {"blocked", kFiltered},
    {"prohibited_content", kFiltered},
    {"spii", kFiltered},
    {"guardrail_intervened", kFiltered},
    {"guardrails", kFiltered},
    {"moderation", kFiltered},
    {"abort", kFailed},
    {"aborted", kFailed},
    {"cancelled", kFailed},
    {"canceled", kFailed},
    {"failed", kFailed},
    {"insufficient_system_resource", kFailed},  // DeepSeek
    {"overloaded", kFailed},
    {"parse_error", FinishKind::unknown},  // LMDeploy: of a tool call in a whole answer
    {"timeout", kFailed},
    {"unavailable", kFailed},
}};

// "network_error", "error_finish", "engine_failure"
constexpr std::array<std::string_view, 5> kFailures{"error", "fail", "abort", "exception", "timeout"};

const FinishRow* row_of_reason(std::string_view low) {
  return std::find_if(kReasons.begin(), kReasons.end(),
                      [low](const FinishRow& known) { return known.reason == low; });
}

}  // namespace

bool is_known_reason(std::string_view reason) { return row_of_reason(lower_case(reason)) != kReasons.end(); }

FinishKind finish_kind(std::string_view reason) {
  const std::string low = lower_case(reason);
  const auto* const row = row_of_reason(low);
  if (row != kReasons.end()) return row->kind;
  const bool failed = std::any_of(kFailures.begin(), kFailures.end(),
                                  [&](std::string_view word) { return low.find(word) != std::string::npos; });
  return failed ? FinishKind::failed : FinishKind::unknown;
}

}  // namespace infermeter
