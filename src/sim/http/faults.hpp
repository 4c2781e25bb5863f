// Which faults a request gets: the options' faults, drawn per request from the seed. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "sim/http/server.hpp"

namespace infermeter::sim {

/// How an answer is cut half-way through its tokens.
enum class Cut { none, inband, reset, truncate, stall };
/// `stripped`: hidden, and usage does not say how much of the output it was. `lump`: all in one event.
enum class Reasoning { none, hidden, stripped, streamed, lump };
/// Where a stream carries its usage: in an event of its own if requested (vLLM, OpenAI), the same without a
/// request, in the finish event (SGLang, DeepSeek), there and again in x_groq, in choices[0] (Moonshot),
/// cumulative on every event (Gemini), or as zeros on every event (Ollama's completions).
enum class UsagePlace { asked, always, finish, x_groq, choice, every, zero };

/// The faults of one request.
struct Quirks {
  std::string refusal;          // "429", "500", "503", "html502", "html200": the whole answer; empty: none
  std::string retry_after;      // of 429 and 503
  bool retry_after_ms = false;  // sent as retry-after-ms too
  double rate_limit = 0;        // requests per second; 0: none
  std::vector<std::string> refused_fields;
  bool requires_key = false;
  std::string key_header;  // the header a key must be in; empty: any known one
  bool stale = false;      // reset without an answer, on a reused connection

  Cut cut = Cut::none;
  nanoseconds stall{};

  bool not_stream = false, no_usage = false, no_done = false, no_finish = false;
  bool role_first = false, finish_event = false, end_marker = false, echo = false;
  bool crlf = false, buffer = false, request_metrics = false, usage_times = false;
  bool no_cached_tokens = false, no_tokenize = false;
  std::uint32_t empty_tokens = 0, silent_end = 0, tokens_per_event = 1, pack = 1;
  nanoseconds split{}, heartbeat{}, burst{};
  Reasoning reasoning = Reasoning::none;
  double reasoning_share = 0;          // share of the output tokens, or
  std::uint32_t reasoning_tokens = 0;  // this number, if > 0
  UsagePlace usage = UsagePlace::asked;
  std::uint64_t eos_mean = 0;  // mean answer length; 0: answers run to their limit
  double cost = 0;             // per million output tokens; 0: not sent

  std::vector<std::string> drawn;  // fault kinds, for the truth file
};

/// Checks a fault's value and returns the change that it makes.
class FaultPlan {
 public:
  /// Throws UsageError naming --fault.
  FaultPlan(const std::vector<Fault>& faults, std::uint64_t seed);
  /// Draws the faults of the `arrival`-th generation request, counted from 0. Of two whole-answer faults or
  /// two cuts the one given first wins.
  Quirks draw(std::uint64_t arrival) const;
  /// The faults that apply to every request, for requests that generate nothing.
  Quirks always() const;

 private:
  std::vector<Fault> faults_;
  std::uint64_t seed_;
};

}  // namespace infermeter::sim
