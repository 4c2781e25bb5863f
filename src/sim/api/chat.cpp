// Chat completions and text completions, as vLLM and OpenAI speak them.
#include <fmt/format.h>

#include <iterator>

#include "sim/api/answer_parts.hpp"
#include "sim/api/endpoint.hpp"
#include "sim/api/request_body.hpp"

namespace infermeter::sim {
namespace {

constexpr std::uint32_t kCompletionsLimit = 16;  // OpenAI's default

class ChatFormat final : public StreamFormat {
 public:
  explicit ChatFormat(const AnswerIdentity& identity);
  void begin(EventSink&) override {}
  void delta(EventSink& sink, const Delta& delta) override;
  void end(EventSink& sink, const StreamEnd& end) override;
  void fail(EventSink& sink, const ApiProblem& problem, bool done) override;
  void heartbeat(EventSink& sink) override;

 private:
  void append_choice(std::string& out, const Delta& delta) const;
  void append_logprobs(std::string& out, const Delta& delta) const;
  void say_done(EventSink& sink) const;

  bool chat_;
  std::string id_;
  std::optional<std::uint32_t> top_logprobs_;
  std::string head_;  // up to the list of choices
};

void append_finish(std::string& out, std::string_view finish) {
  if (finish.empty()) {
    out += "null";
  } else {
    out += '"';
    out += finish;
    out += '"';
  }
}

void append_chat_delta(std::string& out, const Delta& delta) {
  if (delta.kind == EventKind::finish) {
    out += R"(,"delta":{})";
    return;
  }
  out += delta.kind == EventKind::role        ? R"(,"delta":{"role":"assistant","content":")"
         : delta.kind == EventKind::reasoning ? R"(,"delta":{"reasoning":")"
                                              : R"(,"delta":{"content":")";
  out += delta.text;
  out += R"("})";
}

ChatFormat::ChatFormat(const AnswerIdentity& identity)
    : chat_(identity.endpoint == Endpoint::chat),
      id_(identity.id),
      top_logprobs_(identity.form.top_logprobs),
      head_(fmt::format(R"({{"id":"{}","object":"{}","created":{},"model":{},"choices":[)", identity.id,
                        chat_ ? "chat.completion.chunk" : "text_completion", identity.created,
                        json_quoted(identity.model))) {}

// The hot path: one per token. Appends only, so it allocates nothing once the event has grown.
void ChatFormat::delta(EventSink& sink, const Delta& delta) {
  if (!chat_ && delta.kind == EventKind::role) return;
  std::string& out = sink.begin();
  out += head_;
  append_choice(out, delta);
  out += ']';
  if (delta.usage && delta.place != UsagePlace::choice) append_field(out, "usage", usage_json(*delta.usage));
  if (delta.usage && delta.place == UsagePlace::x_groq)
    fmt::format_to(std::back_inserter(out), R"(,"x_groq":{{"id":"{}","usage":{}}})", id_,
                   usage_json(*delta.usage));
  out += '}';
  sink.end(delta.kind, delta.choice, delta.tokens);
}

void ChatFormat::append_choice(std::string& out, const Delta& delta) const {
  out += R"({"index":)";
  append_number(out, delta.choice);
  if (chat_) {
    append_chat_delta(out, delta);
  } else {
    out += R"(,"text":")";
    out += delta.text;
    out += '"';
  }
  out += R"(,"logprobs":)";
  append_logprobs(out, delta);
  out += R"(,"finish_reason":)";
  append_finish(out, delta.finish);
  if (delta.usage && delta.place == UsagePlace::choice) append_field(out, "usage", usage_json(*delta.usage));
  out += '}';
}

void ChatFormat::append_logprobs(std::string& out, const Delta& delta) const {
  if (!top_logprobs_ || delta.words.empty()) {
    out += "null";
  } else if (chat_) {
    out += R"({"content":)";
    append_logprob_list(out, delta.words, *top_logprobs_);
    out += '}';
  } else {
    append_completion_logprobs(out, delta.words, *top_logprobs_, delta.offset);
  }
}

void ChatFormat::end(EventSink& sink, const StreamEnd& end) {
  if (end.usage) {
    std::string& out = sink.begin();
    out += head_;
    out += ']';
    append_field(out, "usage", usage_json(*end.usage));
    if (end.timing) append_field(out, "metrics", timing_json(*end.timing));
    out += '}';
    sink.end(EventKind::usage);
  }
  if (end.done) say_done(sink);
}

void ChatFormat::fail(EventSink& sink, const ApiProblem& problem, bool done) {
  sink.begin() += problem_json(problem);
  sink.end(EventKind::error);
  if (done) say_done(sink);
}

void ChatFormat::say_done(EventSink& sink) const {
  sink.begin() += "[DONE]";
  sink.end(EventKind::done);
}

void ChatFormat::heartbeat(EventSink& sink) { sink.comment("keep-alive"); }

std::string chat_body(const WholeAnswer& answer) {
  const AnswerIdentity& identity = answer.identity;
  const auto& choices = answer.choices;
  const bool chat = identity.endpoint == Endpoint::chat;
  std::string json = fmt::format(R"({{"id":"{}","object":"{}","created":{},"model":{},"choices":[)",
                                 identity.id, chat ? "chat.completion" : "text_completion", identity.created,
                                 json_quoted(identity.model));
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& choice = choices[i];
    json += fmt::format(R"({}{{"index":{},)", i == 0 ? "" : ",", i);
    json += chat ? R"("message":{"role":"assistant","content":")" : R"("text":")";
    json += choice.content;
    json += '"';
    if (chat && !choice.reasoning.empty()) append_field(json, "reasoning", '"' + choice.reasoning + '"');
    if (chat) json += '}';
    append_field(json, "logprobs", choice.logprobs.empty() ? "null" : choice.logprobs);
    json += R"(,"finish_reason":)";
    append_finish(json, choice.finish);
    json += '}';
  }
  json += ']';
  if (answer.usage) append_field(json, "usage", usage_json(*answer.usage));
  if (answer.timing) append_field(json, "metrics", timing_json(*answer.timing));
  return json + "}";
}

class ServedChat final : public ServedEndpoint {
 public:
  ServedChat() : ServedEndpoint({.id_prefix = "chatcmpl-", .prompt_field = "messages"}) {}

  void read(const Json& body, ApiRequest& request) const override {
    read_stream(body, request);
    const auto limit = limit_field(body, "max_completion_tokens");
    read_limits(body, limit ? limit : limit_field(body, "max_tokens"), request);
    read_choices(body, request);
    // Whether log probabilities are requested, and how many alternatives.
    if (flag(body, "logprobs")) request.form.top_logprobs = logprobs_field(body, "top_logprobs").value_or(0);
    read_thinking(body, request);
    read_conversation(messages_of(body), request);
  }
  std::unique_ptr<StreamFormat> make_stream(const AnswerIdentity& identity) const override {
    return std::make_unique<ChatFormat>(identity);
  }
  std::string body(const WholeAnswer& answer) const override { return chat_body(answer); }
};

class ServedCompletions final : public ServedEndpoint {
 public:
  ServedCompletions() : ServedEndpoint({.id_prefix = "cmpl-", .prompt_field = "prompt", .thinks = false}) {}

  void read(const Json& body, ApiRequest& request) const override {
    read_stream(body, request);
    const auto limit = limit_field(body, "max_tokens");
    read_limits(body, limit ? limit : kCompletionsLimit, request);
    read_choices(body, request);
    request.form.top_logprobs = logprobs_field(body, "logprobs");
    read_thinking(body, request);
    read_texts(body, "prompt", request);
  }
  std::unique_ptr<StreamFormat> make_stream(const AnswerIdentity& identity) const override {
    return std::make_unique<ChatFormat>(identity);
  }
  std::string body(const WholeAnswer& answer) const override { return chat_body(answer); }
  std::string logprobs(std::span<const std::string_view> words, std::uint32_t top,
                       std::size_t offset) const override {
    std::string json;
    append_completion_logprobs(json, words, top, offset);
    return json;
  }
};

}  // namespace

const ServedEndpoint& served_chat() {
  static const ServedChat endpoint;
  return endpoint;
}

const ServedEndpoint& served_completions() {
  static const ServedCompletions endpoint;
  return endpoint;
}

}  // namespace infermeter::sim
