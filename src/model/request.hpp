// What one request says, before an endpoint's codec puts it into a body. A plain value, made by a workload.
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
  /// The conversation so far, the last one the user's new words; a class's system prompt is not in it.
  std::vector<Message> messages;
  /// Instead of `messages`, where a data file has parts, tool calls and the like: a JSON array as text.
  std::string messages_json;
  std::vector<std::string> images;   // data URLs of pictures beside the last message
  std::uint32_t output_tokens = 0;   // most tokens of the answer; 0: none said, the class's own
  std::vector<std::string> headers;  // whole lines, secrets perhaps among them
  std::string extra_body;            // a JSON object as text, merged last; empty: none
  std::string whole_body;            // instead of all the above: a data file's own body (OpenAI batch);
                                     // model and stream are still the run's
  std::string label;                 // the data file's own id; empty: none
  std::uint32_t input_tokens = 0;    // that the prompt was made for; 0: not known
  std::uint32_t prefix_group = 0;    // 1 …: of those that share a prefix; 0: none
  std::uint32_t repeat = 0;          // how often the same prompt was sent before
};

}  // namespace infermeter
