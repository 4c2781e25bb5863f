// The raw times of ServerTiming in one meaning and one unit, where the server's own documentation says what
// they are (docs/vendors.md). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

/// Durations by the server's own clock, in milliseconds.
struct ServerTimes {
  std::optional<double> queue_ms;    // waited before its prefill began
  std::optional<double> prefill_ms;  // from then to the first token
  std::optional<double> decode_ms;   // from the first token to the last
  std::optional<double> ttft_ms;     // from its arrival to the first token: the queue is in it
  std::string from;                  // "vllm metrics", "groq usage", …; empty: none
  bool any() const { return queue_ms || prefill_ms || decode_ms || ttft_ms; }
};

/// `server_json` as RequestRecord::server has it; empty or unknown text gives nothing.
ServerTimes server_times(std::string_view server_json);

}  // namespace infermeter
