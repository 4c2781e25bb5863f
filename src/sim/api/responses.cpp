// OpenAI's Responses API: typed and numbered events around items, parts and their deltas.
#include <fmt/format.h>

#include <array>
#include <iterator>

#include "sim/api/answer_parts.hpp"
#include "sim/api/endpoint.hpp"
#include "sim/api/request_body.hpp"

namespace infermeter::sim {
namespace {

class ResponsesFormat final : public StreamFormat {
 public:
  explicit ResponsesFormat(const AnswerIdentity& identity) : identity_(identity) {}
  void begin(EventSink& sink) override;
  void delta(EventSink& sink, const Delta& delta) override;
  void end(EventSink& sink, const StreamEnd& end) override;
  void fail(EventSink& sink, const ApiProblem& problem, bool done) override;
  void heartbeat(EventSink& sink) override;

 private:
  std::string& begin_event(EventSink& sink, std::string_view type);
  void tell_response(EventSink& sink, std::string_view type, std::string_view response, EventKind kind);
  std::string& begin_item_event(EventSink& sink, std::string_view type);
  std::string& begin_part_event(EventSink& sink, std::string_view type);
  void open(EventSink& sink, std::size_t item_kind);
  void close(EventSink& sink, std::string_view status);

  AnswerIdentity identity_;
  std::uint64_t sequence_ = 0;       // number of the next event
  std::optional<std::size_t> item_;  // kind of the open item
  std::uint64_t items_ = 0;          // number of finished items
  std::string text_;                 // of the open item
  std::string output_;               // the finished items as JSON, joined
};

// The kinds of items in an answer: text, reasoning as open models show it, or a summary of it.
struct ItemKind {
  std::string_view id_prefix;
  std::string_view part_added, delta, text_done, part_done;  // event types
  std::string_view index;                                    // name of the part's index in its list
  std::string_view part, item;  // format strings: part with its text; item with id, status and parts
};
constexpr std::size_t kMessage = 0, kReasoning = 1, kSummary = 2;
constexpr std::array kItems{
    ItemKind{"msg", "response.content_part.added", "response.output_text.delta", "response.output_text.done",
             "response.content_part.done", "content_index",
             R"({{"type":"output_text","annotations":[],"logprobs":[],"text":"{}"}})",
             R"({{"id":"{}","type":"message","status":"{}","role":"assistant","content":[{}]}})"},
    ItemKind{"rs", "response.content_part.added", "response.reasoning_text.delta",
             "response.reasoning_text.done", "response.content_part.done", "content_index",
             R"({{"type":"reasoning_text","text":"{}"}})",
             R"({{"id":"{}","type":"reasoning","status":"{}","summary":[],"content":[{}]}})"},
    ItemKind{"rs", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
             "response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "summary_index",
             R"({{"type":"summary_text","text":"{}"}})",
             R"({{"id":"{}","type":"reasoning","status":"{}","summary":[{}]}})"},
};

std::string item_id(const AnswerIdentity& identity, std::size_t kind) {
  return fmt::format("{}_{}", kItems[kind].id_prefix, identity.id.substr(identity.id.find_last_of("-_") + 1));
}

std::string part_json(std::size_t kind, std::string_view text) {
  return fmt::format(fmt::runtime(kItems[kind].part), text);
}

std::string item_json(const AnswerIdentity& identity, std::size_t kind, std::string_view status,
                      std::string_view parts) {
  return fmt::format(fmt::runtime(kItems[kind].item), item_id(identity, kind), status, parts);
}

struct ResponseState {
  std::string_view status = "in_progress";
  std::string_view output = {};  // of items
  std::string_view error = "null", incomplete = "null";
  const Usage* usage = nullptr;
  const RequestTiming* timing = nullptr;
};

std::string response_json(const AnswerIdentity& identity, const ResponseState& state) {
  std::string json = fmt::format(
      R"({{"id":"{}","object":"response","created_at":{},"status":"{}","error":{},"incomplete_details":{},"model":{},"output":[{}],"usage":{})",
      identity.id, identity.created, state.status, state.error, state.incomplete, json_quoted(identity.model),
      state.output, state.usage ? responses_usage_json(*state.usage) : "null");
  if (state.timing) append_field(json, "metrics", timing_json(*state.timing));
  return json + "}";
}

ResponseState finished(std::string_view finish, std::string_view output, const Usage* usage,
                       const RequestTiming* timing) {
  if (finish == "length")
    return {"incomplete", output, "null", R"({"reason":"max_output_tokens"})", usage, timing};
  return {"completed", output, "null", "null", usage, timing};
}

std::string_view item_status(std::string_view finish) {
  return finish == "length" ? "incomplete" : "completed";
}

void ResponsesFormat::begin(EventSink& sink) {
  const std::string response = response_json(identity_, {});
  tell_response(sink, "response.created", response, EventKind::structure);
  tell_response(sink, "response.in_progress", response, EventKind::structure);
}

void ResponsesFormat::delta(EventSink& sink, const Delta& delta) {
  if (delta.kind == EventKind::role || delta.kind == EventKind::finish) return;
  const bool reasons = delta.kind == EventKind::reasoning;
  open(sink, !reasons ? kMessage : identity_.form.reasoning_summary ? kSummary : kReasoning);
  text_ += delta.text;
  std::string& out = begin_part_event(sink, kItems[*item_].delta);
  out += R"(,"delta":")";
  out += delta.text;
  out += '"';
  if (!reasons) {
    out += R"(,"logprobs":)";
    append_logprob_list(out, delta.words, identity_.form.top_logprobs.value_or(0));
  }
  out += '}';
  sink.end(delta.kind, 0, delta.tokens);
}

void ResponsesFormat::end(EventSink& sink, const StreamEnd& end) {
  close(sink, item_status(end.finish));
  if (!end.done) return;
  const auto state = finished(end.finish, output_, end.usage, end.timing);
  tell_response(sink, fmt::format("response.{}", state.status), response_json(identity_, state),
                EventKind::done);
}

// On the wire the error is nested, although the schema says otherwise; the failed response follows.
void ResponsesFormat::fail(EventSink& sink, const ApiProblem& problem, bool done) {
  const std::string message = json_quoted(problem.message);
  std::string& out = begin_event(sink, "error");
  fmt::format_to(std::back_inserter(out),
                 R"(,"error":{{"type":"server_error","code":"server_error","message":{},"param":null}}}})",
                 message);
  sink.end(EventKind::error);
  if (!done) return;
  const std::string error = fmt::format(R"({{"code":"server_error","message":{}}})", message);
  tell_response(sink, "response.failed",
                response_json(identity_, {.status = "failed", .output = output_, .error = error}),
                EventKind::error);
}

void ResponsesFormat::heartbeat(EventSink& sink) { sink.comment("keep-alive"); }

std::string& ResponsesFormat::begin_event(EventSink& sink, std::string_view type) {
  std::string& out = sink.begin(type);
  out += R"({"type":")";
  out += type;
  out += R"(","sequence_number":)";
  append_number(out, sequence_++);
  return out;
}

void ResponsesFormat::tell_response(EventSink& sink, std::string_view type, std::string_view response,
                                    EventKind kind) {
  std::string& out = begin_event(sink, type);
  append_field(out, "response", response);
  out += '}';
  sink.end(kind);
}

std::string& ResponsesFormat::begin_item_event(EventSink& sink, std::string_view type) {
  std::string& out = begin_event(sink, type);
  out += R"(,"output_index":)";
  append_number(out, items_);
  return out;
}

std::string& ResponsesFormat::begin_part_event(EventSink& sink, std::string_view type) {
  std::string& out = begin_item_event(sink, type);
  fmt::format_to(std::back_inserter(out), R"(,"item_id":"{}","{}":0)", item_id(identity_, *item_),
                 kItems[*item_].index);
  return out;
}

void ResponsesFormat::open(EventSink& sink, std::size_t kind) {
  if (item_ == kind) return;
  close(sink, "completed");
  item_ = kind;
  std::string& added = begin_item_event(sink, "response.output_item.added");
  append_field(added, "item", item_json(identity_, kind, "in_progress", ""));
  added += '}';
  sink.end(EventKind::structure);
  std::string& part = begin_part_event(sink, kItems[kind].part_added);
  append_field(part, "part", part_json(kind, ""));
  part += '}';
  sink.end(EventKind::structure);
}

void ResponsesFormat::close(EventSink& sink, std::string_view status) {
  if (!item_) return;
  const ItemKind& kind = kItems[*item_];
  const std::string part = part_json(*item_, text_);
  const std::string item = item_json(identity_, *item_, status, part);
  begin_part_event(sink, kind.text_done) += fmt::format(R"(,"text":"{}"}})", text_);
  sink.end(EventKind::structure);
  begin_part_event(sink, kind.part_done) += fmt::format(R"(,"part":{}}})", part);
  sink.end(EventKind::structure);
  begin_item_event(sink, "response.output_item.done") += fmt::format(R"(,"item":{}}})", item);
  sink.end(EventKind::structure);
  output_ += (items_ == 0 ? "" : ",") + item;
  ++items_;
  item_.reset();
  text_.clear();
}

std::string responses_body(const WholeAnswer& answer) {
  const AnswerIdentity& identity = answer.identity;
  const BodyChoice& choice = answer.choices[0];
  std::string output;
  if (!choice.reasoning.empty()) {
    const std::size_t kind = identity.form.reasoning_summary ? kSummary : kReasoning;
    output = item_json(identity, kind, "completed", part_json(kind, choice.reasoning)) + ",";
  }
  output += item_json(identity, kMessage, item_status(choice.finish), part_json(kMessage, choice.content));
  return response_json(identity, finished(choice.finish, output, answer.usage, answer.timing));
}

bool includes_logprobs(const Json& body) {
  const Json* include = field(body, "include");
  if (include == nullptr || !include->is_array()) return false;
  for (const auto& item : *include) {
    if (item == "message.output_text.logprobs") return true;
  }
  return false;
}

class ServedResponses final : public ServedEndpoint {
 public:
  ServedResponses() : ServedEndpoint({.id_prefix = "resp_", .prompt_field = "input", .typed = true}) {}

  void read(const Json& body, ApiRequest& request) const override {
    request.stream = flag(body, "stream");
    read_limits(body, limit_field(body, "max_output_tokens"), request);
    if (includes_logprobs(body)) request.form.top_logprobs = logprobs_field(body, "top_logprobs").value_or(0);
    read_thinking(body, request);
    read_conversation(input_messages_of(body), request);
  }
  std::unique_ptr<StreamFormat> make_stream(const AnswerIdentity& identity) const override {
    return std::make_unique<ResponsesFormat>(identity);
  }
  std::string body(const WholeAnswer& answer) const override { return responses_body(answer); }
};

}  // namespace

const ServedEndpoint& served_responses() {
  static const ServedResponses endpoint;
  return endpoint;
}

}  // namespace infermeter::sim
