#include "protocol/endpoints/codec.hpp"

#include <fmt/format.h>

#include "infermeter/base/errors.hpp"
#include "protocol/request/message_forms.hpp"

namespace infermeter {

const EndpointCodec& codec_of(Endpoint endpoint) {
  using Codec = const EndpointCodec& (*)();
#define INFERMETER_ROW(name, path, items) &name##_codec,
  static constexpr Codec kCodecs[]{INFERMETER_ENDPOINTS(INFERMETER_ROW)};
#undef INFERMETER_ROW
  return kCodecs[static_cast<std::size_t>(endpoint)]();
}

const EndpointTraits& traits_of(Endpoint endpoint) { return codec_of(endpoint).traits(); }

ChunkParserPtr make_chunk_parser() { return ChunkParserPtr(new ChunkParser); }
void ChunkParserDeleter::operator()(ChunkParser* parser) const { delete parser; }

AnswerReader& ChunkParser::reader(Endpoint endpoint) {
  auto& reader = readers_[static_cast<std::size_t>(endpoint)];
  if (!reader) reader = codec_of(endpoint).make_reader();
  return *reader;
}

void EndpointCodec::append_prompt(std::string& out, const std::vector<Message>& messages) const {
  std::string_view begin = "{\"role\":";
  for (const auto& [role, content] : messages) {
    out += begin;
    append_json_quoted(out, role);
    out += ",\"content\":";
    append_json_quoted(out, content);
    out += '}';
    begin = ",{\"role\":";
  }
}

void EndpointCodec::put_choices(RequestShape&, std::uint32_t) const { refuse("more than one choice"); }
void EndpointCodec::put_logprobs(RequestShape&, std::uint32_t) const { refuse("log probabilities"); }
void EndpointCodec::put_reasoning(RequestShape&, const Answers&, std::string_view) const {
  refuse("reasoning");
}
void EndpointCodec::put_tools(RequestShape&, const Json&) const { refuse("tools"); }
void EndpointCodec::put_schema(RequestShape&, const Json&) const { refuse("a format of the answer"); }
void EndpointCodec::put_json_mode(RequestShape&) const { refuse("a format of the answer"); }

void EndpointCodec::refuse(std::string_view what) const {
  throw UsageError(fmt::format("{} cannot be asked of the {} endpoint", what, name(traits_.endpoint)));
}

void EndpointCodec::put(RequestShape& shape, std::string_view field, const Json& value) {
  shape.options.emplace_back(field, text_of(value));
}

std::string EndpointCodec::effort_of(const Answers& answers) {
  if (answers.thinking == Thinking::off) return "none";
  const bool on = answers.thinking == Thinking::on;
  return on && answers.reasoning_effort.empty() ? "medium" : answers.reasoning_effort;
}

}  // namespace infermeter
