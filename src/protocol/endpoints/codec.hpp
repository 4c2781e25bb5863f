// An endpoint: how it is asked and how its answers are read. Whatever differs from one to the other is asked
// here, and nowhere else is there a branch over endpoints. Each codec stands in its own source and is found
// by its row in infermeter/model/endpoint.hpp. Without state; any thread. Private to this floor: the room of
// both JSON libraries.
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

  /// Puts the system prompt into the body and, where the user's words go, `prompt`.
  virtual void put_prompt(Json& body, const std::string& system, const std::string& prompt) const = 0;
  /// What takes the place of `prompt`, quotes included, in the body's text: messages of role and content,
  /// separated by commas, unless it is overridden.
  virtual void append_prompt(std::string& out, const std::vector<Message>& messages) const;
  /// Puts messages of chat's form (text or parts, tool calls, tool results) in place of those that the body
  /// has; the system prompt stays before them. Parts in the endpoint's own form are left as they are.
  virtual void put_messages(Json& body, const std::string& system, const Json& messages) const = 0;

  // What a class asks of its answers, as options of the shape. Unless overridden the endpoint has no words
  // for it, which is a UsageError.
  virtual void put_choices(RequestShape& shape, std::uint32_t choices) const;
  virtual void put_logprobs(RequestShape& shape, std::uint32_t top) const;
  /// `engine` as engine_name() says it; empty: unknown.
  virtual void put_reasoning(RequestShape& shape, const Answers& answers, std::string_view engine) const;
  /// A list of tools in chat's form: {"type":"function","function":{…}}.
  virtual void put_tools(RequestShape& shape, const Json& tools) const;
  /// {"name":…,"schema":…}
  virtual void put_schema(RequestShape& shape, const Json& schema) const;
  virtual void put_json_mode(RequestShape& shape) const;

  /// Throws UsageError: `what` cannot be asked of this endpoint.
  [[noreturn]] void refuse(std::string_view what) const;

  virtual std::unique_ptr<AnswerReader> make_reader() const = 0;

 protected:
  static void put(RequestShape& shape, std::string_view field, const Json& value);
  /// Thinking where the effort alone says it: "none", the effort, or "medium"; empty: unsaid.
  static std::string effort_of(const Answers& answers);

 private:
  EndpointTraits traits_;
};

const EndpointCodec& codec_of(Endpoint endpoint);

#define INFERMETER_ROW(name, path, items) const EndpointCodec& name##_codec();
INFERMETER_ENDPOINTS(INFERMETER_ROW)
#undef INFERMETER_ROW

}  // namespace infermeter
