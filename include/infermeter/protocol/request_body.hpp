// The JSON body of a request: the smallest one that asks for what is wanted, byte-identical across requests
// but for the prompt. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/request.hpp"

namespace infermeter {

/// What is sent beside the prompt; preflight changes it field by field before the measured run, never during
/// it.
struct RequestShape {
  Endpoint endpoint = Endpoint::chat;
  std::string model;
  std::string system_prompt;                    // chat: a system message; completions: opens the prompt
  std::string max_tokens_field = "max_tokens";  // or "max_completion_tokens"; empty: none
  bool max_tokens_swapped = false;              // drop_field has swapped it: the next refusal leaves it out
  std::uint32_t output_tokens = 128;
  bool stream = true;
  bool include_usage = true;              // stream_options, when streaming
  std::vector<std::string> exact_fields;  // of ignore_eos, min_tokens, min_new_tokens
  std::string extra_body;                 // a JSON object, merged last (its keys win; objects merge deeply)
};

/// The body around a prompt, encoded once: `body(prompt)` only escapes the prompt into its place.
class BodyTemplate {
 public:
  /// Throws UsageError naming --extra-body where that is not a JSON object.
  explicit BodyTemplate(const RequestShape& shape);
  std::string body(std::string_view prompt) const;

 private:
  std::string before_, after_;
  bool takes_prompt_ = true;  // not so where the extra body brings its own messages
};

/// Fields of `shape` that force an exact length on a server of this engine ("vllm", "sglang", …; empty:
/// unknown).
std::vector<std::string> exact_output_fields(std::string_view engine);

/// Leaves the refused field out of the shape (max_tokens ⇄ max_completion_tokens are swapped once, then left
/// out). Returns the note to print ("stream_options is refused by the server: left out"), or empty if the
/// shape does not have it.
std::string drop_field(RequestShape& shape, std::string_view field);

}  // namespace infermeter
