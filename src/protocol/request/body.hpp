// The JSON body of a request: the smallest body that requests what is needed, byte-identical across requests
// except for the prompt and, if lengths differ, the number of output tokens. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "model/request.hpp"

namespace infermeter {

/// The fields sent besides the prompt (made by `shape_of`); preflight changes them field by field before the
/// measured run, never during it.
struct RequestShape {
  Endpoint endpoint = Endpoint::chat;
  std::string model;
  std::string system_prompt;                    // if the endpoint has a field for it
  std::string max_tokens_field = "max_tokens";  // the endpoint's name for it; empty: none
  bool max_tokens_swapped = false;              // drop_field has swapped it: the next rejection removes it
  std::uint32_t output_tokens = 128;            // for requests without their own value
  std::uint32_t least_output_tokens = 1;        // the endpoint rejects a limit below this
  bool stream = true;
  bool include_usage = true;                                 // stream_options, if the endpoint has them
  std::vector<std::pair<std::string, std::string>> options;  // further fields: name, JSON text
  std::vector<std::string> exact_fields;                     // ignore_eos, min_tokens, min_new_tokens
  std::vector<std::string> notes;  // what was asked for and the vendor does not take: left out
  std::string extra_body;          // a JSON object, merged last (its keys win; objects merge deeply)
};

/// The body of a request, encoded once: `body` only inserts the escaped messages.
class BodyTemplate {
 public:
  /// Throws UsageError naming --extra-body if that is not a JSON object.
  explicit BodyTemplate(const RequestShape& shape);

  /// A plain request (messages only) is built from strings. Images, messages_json, extra_body and whole_body
  /// go through a JSON library; invalid JSON in them is ignored (data files are checked when they are read).
  std::string body(const Request& request) const;
  /// One user message.
  std::string body(std::string_view prompt) const;
  /// Output tokens that the body allows, of all choices together; 0: it has no limit.
  std::uint64_t most_tokens(const Request& request) const;
  std::uint64_t most_tokens() const { return most_tokens(Request{}); }

 private:
  enum class Hole : std::uint8_t { none, prompt, output_tokens };
  /// Text, and the placeholder that follows it.
  struct Piece {
    std::string text;
    Hole hole = Hole::none;
  };
  void cut(std::string_view text, std::string_view mark);
  std::string plain_body(const Request& request) const;

  RequestShape shape_;
  std::vector<Piece> pieces_;
  bool limits_ = false;  // the body has a limit of output tokens: the request's, or fixed_limit_
  std::uint64_t fixed_limit_ = 0, choices_ = 1;
  bool takes_prompt_ = false;  // false if the extra body has its own messages
  bool comma_first_ = false;   // the system message precedes the prompt's
};

/// Fields of `shape` that force an exact length on a server of this engine ("vllm", "sglang", …; empty:
/// unknown).
std::vector<std::string> exact_output_fields(std::string_view engine);

/// Asks for answers of exactly the limit, by the fields of this engine, or by the most common ones if it is
/// not known. Fields that the vendor refuses are left out, with a note if the user asked for the length.
/// False: no field is left.
bool force_length(RequestShape& shape, const VendorFacts& facts, std::string_view engine, bool asked);

/// Where the shape had a field that is taken out of it.
struct TakenOut {
  std::vector<std::string> options;  // those that went with it
  bool of_extra = false, usage = false, exact = false;
  bool any() const { return !options.empty() || of_extra || usage || exact; }
};
/// Takes a field out of the shape, wherever it is. The limit field stays.
TakenOut take_out(RequestShape& shape, std::string_view field);

/// Removes the rejected field from the shape (max_tokens ⇄ max_completion_tokens are swapped once, then
/// removed; a field that the endpoint requires stays). Returns the note to print ("stream_options is refused
/// by the server: left out"), or empty if the shape does not have the field.
std::string drop_field(RequestShape& shape, std::string_view field);

}  // namespace infermeter
