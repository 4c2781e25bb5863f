// The JSON body of a request: the smallest one that asks for what is wanted, byte-identical across requests
// but for the prompt and, where lengths differ, the number of output tokens. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "model/request.hpp"

namespace infermeter {

/// What is sent beside the prompt (`shape_of` makes one); preflight changes it field by field before the
/// measured run, never during it.
struct RequestShape {
  Endpoint endpoint = Endpoint::chat;
  std::string model;
  std::string system_prompt;                    // where the endpoint has a place for it
  std::string max_tokens_field = "max_tokens";  // as the endpoint calls it; empty: none
  bool max_tokens_swapped = false;              // drop_field has swapped it: the next refusal leaves it out
  std::uint32_t output_tokens = 128;            // of requests that say nothing else
  std::uint32_t least_output_tokens = 1;        // the endpoint refuses a limit below
  bool stream = true;
  bool include_usage = true;                                 // stream_options, where the endpoint has them
  std::vector<std::pair<std::string, std::string>> options;  // further fields: name, JSON text
  std::vector<std::string> exact_fields;                     // of ignore_eos, min_tokens, min_new_tokens
  std::string extra_body;  // a JSON object, merged last (its keys win; objects merge deeply)
};

/// The body around a request, encoded once: `body` only escapes the messages into their place.
class BodyTemplate {
 public:
  /// Throws UsageError naming --extra-body where that is not a JSON object.
  explicit BodyTemplate(const RequestShape& shape);

  /// A plain request (messages only) is put together from strings. Images, messages_json, extra_body and
  /// whole_body go through a JSON library; what of them is no valid JSON is passed over (data files are
  /// checked where they are read).
  std::string body(const Request& request) const;
  /// One user message.
  std::string body(std::string_view prompt) const;

 private:
  enum class Hole : std::uint8_t { none, prompt, output_tokens };
  /// Text, and what follows it.
  struct Piece {
    std::string text;
    Hole hole = Hole::none;
  };
  void cut(std::string_view text, std::string_view mark);
  std::string plain_body(const Request& request) const;

  RequestShape shape_;
  std::vector<Piece> pieces_;
  bool takes_prompt_ = false;  // not so where the extra body brings its own messages
  bool comma_first_ = false;   // the system message stands before the prompt's
};

/// Fields of `shape` that force an exact length on a server of this engine ("vllm", "sglang", …; empty:
/// unknown).
std::vector<std::string> exact_output_fields(std::string_view engine);

/// Leaves the refused field out of the shape (max_tokens ⇄ max_completion_tokens are swapped once, then left
/// out; what an endpoint demands stays). Returns the note to print ("stream_options is refused by the server:
/// left out"), or empty if the shape does not have it.
std::string drop_field(RequestShape& shape, std::string_view field);

}  // namespace infermeter
