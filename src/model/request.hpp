// The content of one request, before an endpoint's codec makes it a body. A plain value, made by a workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace infermeter {

struct Message {
  std::string role, content;
  bool operator==(const Message&) const = default;
};

struct Request {
  /// The conversation so far, ending with the user's new message; without the class's system prompt.
  std::vector<Message> messages;
  /// Instead of `messages`, for a data file with parts, tool calls and similar: a JSON array as text.
  std::string messages_json;
  std::vector<std::string> images;   // data URLs of images beside the last message
  std::uint32_t output_tokens = 0;   // maximum tokens of the answer; 0: the class's value
  std::vector<std::string> headers;  // whole lines; they may contain secrets
  std::string extra_body;            // a JSON object as text, merged last; empty: none
  std::string whole_body;            // instead of all the above: a data file's own body (OpenAI batch);
                                     // model and stream are still the run's
  std::string label;                 // the data file's own id; empty: none
  std::uint32_t input_tokens = 0;    // the prompt's planned length; 0: unknown
  std::uint32_t prefix_group = 0;    // 1 …: of those that share a prefix; 0: none
  std::uint32_t repeat = 0;          // how often the same prompt was sent before
};

}  // namespace infermeter
