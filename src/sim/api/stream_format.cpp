#include "sim/api/stream_format.hpp"

#include <fmt/format.h>

#include "sim/api/chat_format.hpp"
#include "sim/api/messages_format.hpp"
#include "sim/api/responses_format.hpp"

namespace infermeter::sim {

std::unique_ptr<StreamFormat> make_stream_format(const AnswerIdentity& identity) {
  switch (identity.endpoint) {
    case Endpoint::responses:
      return std::make_unique<ResponsesFormat>(identity);
    case Endpoint::messages:
      return std::make_unique<MessagesFormat>(identity);
    case Endpoint::chat:
    case Endpoint::completions:
    case Endpoint::embeddings:
      break;
  }
  return std::make_unique<ChatFormat>(identity);
}

std::string body_json(const AnswerIdentity& identity, const std::vector<BodyChoice>& choices,
                      const Usage* usage, const RequestTiming* timing) {
  if (identity.endpoint == Endpoint::responses) return responses_body(identity, choices[0], usage, timing);
  if (identity.endpoint == Endpoint::messages) return messages_body(identity, choices[0], usage);
  return chat_body(identity, choices, usage, timing);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += ",\"";
  out += name;
  out += "\":";
  out += value;
}

void append_number(std::string& out, std::uint64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

}  // namespace infermeter::sim
