// An endpoint: how to build its requests and read its answers. Everything that differs between endpoints is
// here; no other code branches over endpoints. Each codec has its own source file and a row in
// infermeter/model/endpoint.hpp. Stateless; any thread. Private to this floor, which alone includes both JSON
// libraries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "model/request.hpp"
#include "protocol/endpoints/traits.hpp"
#include "protocol/request/body.hpp"
#include "protocol/request/json_object.hpp"
#include "protocol/stream/chunk.hpp"

namespace infermeter {

class EndpointCodec {
 public:
  explicit EndpointCodec(const EndpointTraits& traits) : traits_(traits) {}
  virtual ~EndpointCodec() = default;
  const EndpointTraits& traits() const { return traits_; }

  /// Puts the system prompt into the body, and `prompt` in the place of the user's text.
  virtual void put_prompt(Json& body, const std::string& system, const std::string& prompt) const = 0;
  /// The text that replaces `prompt`, quotes included, in the body: by default messages of role and content,
  /// separated by commas.
  virtual void append_prompt(std::string& out, const std::vector<Message>& messages) const;
  /// Replaces the body's messages by messages in chat's format (text or parts, tool calls, tool results); the
  /// system prompt stays before them. Parts in the endpoint's own format are left unchanged.
  virtual void put_messages(Json& body, const std::string& system, const Json& messages) const = 0;

  // What a class requests of its answers, as options of the shape. By default the endpoint does not support
  // it, which is a UsageError.
  virtual void put_choices(RequestShape& shape, std::uint32_t choices) const;
  virtual void put_logprobs(RequestShape& shape, std::uint32_t top) const;
  /// `engine` as returned by engine_name(); empty: unknown.
  virtual void put_reasoning(RequestShape& shape, const Answers& answers, std::string_view engine) const;
  /// A list of tools in chat's format: {"type":"function","function":{…}}.
  virtual void put_tools(RequestShape& shape, const Json& tools) const;
  /// {"name":…,"schema":…}
  virtual void put_schema(RequestShape& shape, const Json& schema) const;
  virtual void put_json_mode(RequestShape& shape) const;

  /// Throws UsageError: this endpoint does not support `what`.
  [[noreturn]] void refuse(std::string_view what) const;

  virtual std::unique_ptr<AnswerReader> make_reader() const = 0;

 protected:
  static void put(RequestShape& shape, std::string_view field, const Json& value);
  /// Reasoning for endpoints that set it by effort alone: "none", the effort, or "medium"; empty: not set.
  static std::string effort_of(const Answers& answers);

 private:
  EndpointTraits traits_;
};

const EndpointCodec& codec_of(Endpoint endpoint);

#define INFERMETER_ROW(name, path, items) const EndpointCodec& name##_codec();
INFERMETER_ENDPOINTS(INFERMETER_ROW)
#undef INFERMETER_ROW

}  // namespace infermeter
