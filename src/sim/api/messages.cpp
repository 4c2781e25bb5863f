// Anthropic's Messages API: named events, content blocks, cumulative usage.
#include <fmt/format.h>

#include <iterator>

#include "sim/api/endpoint.hpp"
#include "sim/api/request_body.hpp"

namespace infermeter::sim {
namespace {

std::string_view anthropic_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 500:
      return "api_error";
    case 503:
      return "overloaded_error";
    default:
      return "invalid_request_error";
  }
}

// {"type": "error", "error": {type, message}}
std::string messages_problem(const ApiProblem& problem) {
  return fmt::format(R"({{"type":"error","error":{{"type":"{}","message":{}}}}})",
                     anthropic_type(problem.status), json_quoted(problem.message));
}

class MessagesFormat final : public StreamFormat {
 public:
  explicit MessagesFormat(const AnswerIdentity& identity) : identity_(identity) {}
  void begin(EventSink&) override {}
  void delta(EventSink& sink, const Delta& delta) override;
  void end(EventSink& sink, const StreamEnd& end) override;
  void fail(EventSink& sink, const ApiProblem& problem, bool done) override;
  void heartbeat(EventSink& sink) override;

 private:
  enum class Block { none, thinking, text };
  void start_message(EventSink& sink, const Usage& usage);
  void open(EventSink& sink, Block block);
  void close(EventSink& sink);

  AnswerIdentity identity_;
  Block block_ = Block::none;
  std::uint64_t index_ = 0;  // index of the open block, or of the next one
  bool started_ = false;
};

std::string stop_reason(std::string_view finish) {
  if (finish.empty()) return "null";
  return finish == "length" ? R"("max_tokens")" : R"("end_turn")";
}

std::string message_json(const AnswerIdentity& identity, std::string_view content, std::string_view reason,
                         std::string_view usage) {
  return fmt::format(
      R"({{"id":"{}","type":"message","role":"assistant","model":{},"content":[{}],"stop_reason":{},"stop_sequence":null,"usage":{}}})",
      identity.id, json_quoted(identity.model), content, reason, usage);
}

// Opaque to clients, who send it back with the reasoning.
std::string signature(const AnswerIdentity& identity) { return "sig_" + identity.id; }

void MessagesFormat::delta(EventSink& sink, const Delta& delta) {
  if (delta.kind == EventKind::finish) return;  // message_delta has it
  if (!started_) start_message(sink, delta.usage ? *delta.usage : Usage{});
  if (delta.kind == EventKind::role) return;
  const bool thinking = delta.kind == EventKind::reasoning;
  open(sink, thinking ? Block::thinking : Block::text);
  std::string& out = sink.begin("content_block_delta");
  out += R"({"type":"content_block_delta","index":)";
  append_number(out, index_);
  out += thinking ? R"(,"delta":{"type":"thinking_delta","thinking":")"
                  : R"(,"delta":{"type":"text_delta","text":")";
  out += delta.text;
  out += R"("}})";
  sink.end(delta.kind, 0, delta.tokens);
}

void MessagesFormat::start_message(EventSink& sink, const Usage& usage) {
  started_ = true;
  sink.begin("message_start") += fmt::format(R"({{"type":"message_start","message":{}}})",
                                             message_json(identity_, "", "null", messages_usage_json(usage)));
  sink.end(EventKind::role);
}

void MessagesFormat::open(EventSink& sink, Block block) {
  if (block_ == block) return;
  close(sink);
  block_ = block;
  sink.begin("content_block_start") +=
      fmt::format(R"({{"type":"content_block_start","index":{},"content_block":{}}})", index_,
                  block == Block::text ? R"({"type":"text","text":""})"
                                       : R"({"type":"thinking","thinking":"","signature":""})");
  sink.end(EventKind::structure);
  if (index_ > 0) return;
  sink.begin("ping") += R"({"type":"ping"})";  // a ping always follows the first block
  sink.end(EventKind::structure);
}

void MessagesFormat::close(EventSink& sink) {
  if (block_ == Block::none) return;
  if (block_ == Block::thinking) {
    sink.begin("content_block_delta") += fmt::format(
        R"({{"type":"content_block_delta","index":{},"delta":{{"type":"signature_delta","signature":"{}"}}}})",
        index_, signature(identity_));
    sink.end(EventKind::structure);
  }
  sink.begin("content_block_stop") += fmt::format(R"({{"type":"content_block_stop","index":{}}})", index_);
  sink.end(EventKind::structure);
  block_ = Block::none;
  ++index_;
}

void MessagesFormat::end(EventSink& sink, const StreamEnd& end) {
  if (!started_) start_message(sink, end.usage ? *end.usage : Usage{});
  close(sink);
  std::string& out = sink.begin("message_delta");
  fmt::format_to(std::back_inserter(out),
                 R"({{"type":"message_delta","delta":{{"stop_reason":{},"stop_sequence":null}})",
                 stop_reason(end.finish));
  if (end.usage) append_field(out, "usage", messages_usage_json(*end.usage));
  out += '}';
  sink.end(EventKind::finish);
  if (!end.done) return;
  sink.begin("message_stop") += R"({"type":"message_stop"})";
  sink.end(EventKind::done);
}

void MessagesFormat::fail(EventSink& sink, const ApiProblem& problem, bool) {
  sink.begin("error") += messages_problem(problem);
  sink.end(EventKind::error);
}

void MessagesFormat::heartbeat(EventSink& sink) {
  sink.begin("ping") += R"({"type":"ping"})";
  sink.end_unlisted();
}

std::string messages_body(const WholeAnswer& answer) {
  const AnswerIdentity& identity = answer.identity;
  const BodyChoice& choice = answer.choices[0];
  const Usage* usage = answer.usage;
  std::string content;
  if (!choice.reasoning.empty())
    content = fmt::format(R"({{"type":"thinking","thinking":"{}","signature":"{}"}},)", choice.reasoning,
                          signature(identity));
  content += fmt::format(R"({{"type":"text","text":"{}"}})", choice.content);
  return message_json(identity, content, stop_reason(choice.finish),
                      usage ? messages_usage_json(*usage) : "null");
}

class ServedMessages final : public ServedEndpoint {
 public:
  ServedMessages() : ServedEndpoint({.id_prefix = "msg_", .prompt_field = "messages", .typed = true}) {}

  void read(const Json& body, ApiRequest& request) const override {
    request.stream = flag(body, "stream");
    const auto limit = limit_field(body, "max_tokens");
    if (!limit) refuse("max_tokens: Field required", "max_tokens");
    read_limits(body, limit, request);
    read_thinking(body, request);
    read_conversation(messages_of(body), request);
  }
  std::unique_ptr<StreamFormat> make_stream(const AnswerIdentity& identity) const override {
    return std::make_unique<MessagesFormat>(identity);
  }
  std::string body(const WholeAnswer& answer) const override { return messages_body(answer); }
  std::string problem(const ApiProblem& problem) const override { return messages_problem(problem); }
};

}  // namespace

const ServedEndpoint& served_messages() {
  static const ServedMessages endpoint;
  return endpoint;
}

}  // namespace infermeter::sim
