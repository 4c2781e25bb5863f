#include "event_format.hpp"

#include <fmt/format.h>

#include <iterator>

#include "http_text.hpp"

namespace infermeter::sim {
namespace {

void append_finish(std::string& out, std::string_view finish) {
  if (finish.empty()) {
    out += "null";
  } else {
    out += '"';
    out += finish;
    out += '"';
  }
}

void append_delta(std::string& out, const Delta& delta) {
  switch (delta.field) {
    case Delta::Field::role:
      out += R"(,"delta":{"role":"assistant","content":")";
      break;
    case Delta::Field::content:
      out += R"(,"delta":{"content":")";
      break;
    case Delta::Field::reasoning:
      out += R"(,"delta":{"reasoning":")";
      break;
    case Delta::Field::none:
      out += R"(,"delta":{})";
      return;
  }
  out += delta.text;
  out += R"("})";
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += ",\"";
  out += name;
  out += "\":";
  out += value;
}

double milliseconds(nanoseconds d) { return static_cast<double>(d.count()) / 1e6; }

}  // namespace

std::string usage_json(const Usage& usage) {
  std::string json =
      fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{})", usage.prompt_tokens,
                  usage.prompt_tokens + usage.completion_tokens, usage.completion_tokens);
  const auto to = std::back_inserter(json);
  if (usage.cached_tokens)
    fmt::format_to(to, R"(,"prompt_tokens_details":{{"cached_tokens":{}}})", *usage.cached_tokens);
  if (usage.reasoning_tokens)
    fmt::format_to(to, R"(,"completion_tokens_details":{{"reasoning_tokens":{}}})", *usage.reasoning_tokens);
  return json + "}";
}

std::string timing_json(const RequestTiming& timing) {
  const double decode = milliseconds(timing.decode);
  const bool several = timing.output_tokens > 1 && decode > 0;
  const std::string itl = several ? fmt::format("{:.6f}", decode / (timing.output_tokens - 1)) : "null";
  const std::string speed =
      several ? fmt::format("{:.6f}", (timing.output_tokens - 1) / decode * 1e3) : "null";
  return fmt::format(
      R"({{"time_to_first_token_ms":{:.6f},"generation_time_ms":{:.6f},"queue_time_ms":{:.6f},"mean_itl_ms":{},"tokens_per_second":{}}})",
      milliseconds(timing.prefill), decode, milliseconds(timing.queue), itl, speed);
}

EventFormat::EventFormat(const AnswerIdentity& identity, bool crlf)
    : chat_(identity.endpoint == Endpoint::chat),
      id_(identity.id),
      head_(fmt::format(R"(data: {{"id":"{}","object":"{}","created":{},"model":{},"choices":[)", identity.id,
                        chat_ ? "chat.completion.chunk" : "text_completion", identity.created,
                        json_quoted(identity.model))),
      end_of_event_(crlf ? "\r\n\r\n" : "\n\n") {}

// The hot path: one per token. Appends only, so it allocates nothing once `out` has grown.
void EventFormat::append(std::string& out, const Delta& delta) const {
  out += head_;
  out += R"({"index":)";
  const fmt::format_int index(delta.choice);
  out.append(index.data(), index.size());
  if (chat_) {
    append_delta(out, delta);
  } else {
    out += R"(,"text":")";
    out += delta.text;
    out += '"';
  }
  out += R"(,"logprobs":null,"finish_reason":)";
  append_finish(out, delta.finish);
  if (delta.usage && delta.place == UsagePlace::choice) append_field(out, "usage", usage_json(*delta.usage));
  out += "}]";
  if (delta.usage && delta.place != UsagePlace::choice) append_field(out, "usage", usage_json(*delta.usage));
  if (delta.usage && delta.place == UsagePlace::x_groq)
    fmt::format_to(std::back_inserter(out), R"(,"x_groq":{{"id":"{}","usage":{}}})", id_,
                   usage_json(*delta.usage));
  out += '}';
  out += end_of_event_;
}

void EventFormat::append_usage(std::string& out, const Usage& usage, const RequestTiming* timing) const {
  out += head_;
  out += ']';
  append_field(out, "usage", usage_json(usage));
  if (timing) append_field(out, "metrics", timing_json(*timing));
  out += '}';
  out += end_of_event_;
}

void EventFormat::append_error(std::string& out, const ApiProblem& problem) const {
  out += "data: ";
  out += problem_json(problem);
  out += end_of_event_;
}

void EventFormat::append_done(std::string& out) const {
  out += "data: [DONE]";
  out += end_of_event_;
}

void EventFormat::append_heartbeat(std::string& out) const {
  out += ": keep-alive";
  out += end_of_event_;
}

std::string body_json(const AnswerIdentity& identity, const std::vector<BodyChoice>& choices,
                      const Usage* usage, const RequestTiming* timing) {
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
    json += R"(,"logprobs":null,"finish_reason":)";
    append_finish(json, choice.finish);
    json += '}';
  }
  json += ']';
  if (usage) append_field(json, "usage", usage_json(*usage));
  if (timing) append_field(json, "metrics", timing_json(*timing));
  return json + "}";
}

}  // namespace infermeter::sim
