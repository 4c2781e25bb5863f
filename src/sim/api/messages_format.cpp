#include "sim/api/messages_format.hpp"

#include <fmt/format.h>

#include <iterator>

namespace infermeter::sim {
namespace {

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

// Opaque to clients, who send it back with the thinking.
std::string signature(const AnswerIdentity& identity) { return "sig_" + identity.id; }

}  // namespace

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
  sink.begin("ping") += R"({"type":"ping"})";  // one follows the first block, whatever the silence
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
  sink.begin("error") += messages_problem_json(problem);
  sink.end(EventKind::error);
}

void MessagesFormat::heartbeat(EventSink& sink) {
  sink.begin("ping") += R"({"type":"ping"})";
  sink.end_unlisted();
}

std::string messages_body(const AnswerIdentity& identity, const BodyChoice& choice, const Usage* usage) {
  std::string content;
  if (!choice.reasoning.empty())
    content = fmt::format(R"({{"type":"thinking","thinking":"{}","signature":"{}"}},)", choice.reasoning,
                          signature(identity));
  content += fmt::format(R"({{"type":"text","text":"{}"}})", choice.content);
  return message_json(identity, content, stop_reason(choice.finish),
                      usage ? messages_usage_json(*usage) : "null");
}

}  // namespace infermeter::sim
