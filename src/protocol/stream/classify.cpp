#include "protocol/stream/classify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "protocol/http/outcome.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kFailureBytes = 1024;
constexpr std::size_t kQuoteBytes = 200;

struct Verdict {
  Outcome outcome = Outcome::ok;
  std::string error;
};

Verdict http_verdict(const ResponseEnd& end, int status) {
  const ErrorBody body = read_error_body(status, end.head, end.secrets, end.head_was_cut);
  return {http_outcome(status, body), body.message.empty() ? fmt::format("HTTP {}", status) : body.message};
}

bool no_tokens(const EventFold& fold, const RequestRecord& record) {
  return !fold.visible_seen() && record.events == 0 && record.output_tokens.value_or(0) == 0;
}

std::string quoting(std::string_view what, std::string_view quote, const Secrets& secrets) {
  const std::string text = one_line(secrets.mask_front(quote, kQuoteBytes), kQuoteBytes);
  return text.empty() ? std::string(what) : fmt::format("{}: {}", what, text);
}

Verdict protocol_error(std::string_view what, const ResponseEnd& end) {
  return {Outcome::protocol, quoting(what, end.head, end.secrets)};
}

// Of an event that is no JSON.
bool sounds_like_failure(std::string_view text) {
  constexpr std::array<std::string_view, 5> words{"error", "exception", "failed", "timed out", "traceback"};
  const std::string low = lower_case(text);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

Verdict filtered(const RequestRecord& record) {
  return {Outcome::content_filter, fmt::format("finish_reason \"{}\"", record.finish_reason)};
}

// 202 and 204 are answers too, of which no token will come.
std::string empty_body_words(int status) {
  return status == 200 || status == 0 ? "an empty body" : fmt::format("HTTP {} with an empty body", status);
}

Verdict whole_verdict(const ResponseEnd& end, const EventFold& fold, const RequestRecord& record) {
  if (!end.whole_json) return protocol_error("the answer is neither a stream nor JSON", end);
  if (end.unframed) return {Outcome::protocol, "JSON objects without \"data:\" or line breaks between them"};
  if (!end.items.empty())
    return record.items ? Verdict{} : protocol_error(fmt::format("the answer holds no {}", end.items), end);
  if (!fold.any_finish() && no_tokens(fold, record)) {
    return protocol_error("the answer is JSON without a choice", end);
  }
  if (fold.filtered()) return filtered(record);
  if (end.stream_asked) return {Outcome::not_streamed, "a stream was asked for, one whole answer came"};
  if (no_tokens(fold, record)) return {Outcome::empty_output, "the answer holds no token"};
  return {};
}

Verdict stream_verdict(const ResponseEnd& end, const EventFold& fold, const RequestRecord& record) {
  if (!fold.terminal() && !fold.finished()) {
    if (fold.events() == 0 && !end.head.empty()) {
      return protocol_error("the answer is no event stream", end);
    }
    const std::string_view cut = sounds_like_failure(fold.cut()) ? fold.cut() : std::string_view();
    return {Outcome::truncated, quoting("the stream ended without a finish reason or [DONE]",
                                        end.ignored.empty() ? cut : end.ignored, end.secrets)};
  }
  if (fold.filtered()) return filtered(record);
  if (no_tokens(fold, record)) return {Outcome::empty_output, "the stream ended without a token"};
  return {};
}

Verdict verdict_of(const ResponseEnd& end, const EventFold& fold, const RequestRecord& record) {
  if (end.body == BodyKind::error) return http_verdict(end, record.status);
  if (fold.failure()) return {Outcome::inband_error, *fold.failure()};
  if (!end.breach.words.empty()) return {end.breach.outcome, end.breach.words};
  if (end.transport != Outcome::ok && !ended_before_transport(fold, end.transport)) {
    return {end.transport, one_line(end.secrets.mask(std::string(end.message), true), kFailureBytes)};
  }
  if (fold.malformed()) {
    const bool complete = fold.terminal() || fold.finished();
    if (!fold.any_finish() && sounds_like_failure(*fold.malformed()))
      return {Outcome::inband_error, *fold.malformed()};
    if (!complete || no_tokens(fold, record)) return {Outcome::protocol, *fold.malformed()};
  }
  if (record.bytes == 0) return {Outcome::empty_body, empty_body_words(record.status)};
  switch (end.body) {
    case BodyKind::html:
      return {Outcome::protocol,
              read_error_body(record.status, end.head, end.secrets, end.head_was_cut).message};
    case BodyKind::json:
      return whole_verdict(end, fold, record);
    default:
      return stream_verdict(end, fold, record);
  }
}

bool counted_by_server(const RequestRecord& record) {
  return record.output_tokens &&
         (record.token_source == TokenSource::usage || record.token_source == TokenSource::continuous_usage);
}

// If the answer failed, its missing end is not reported.
void flag_missing(const ResponseEnd& end, const EventFold& fold, RequestRecord& record) {
  const Outcome outcome = record.outcome;
  if (outcome != Outcome::ok && outcome != Outcome::content_filter && outcome != Outcome::not_streamed)
    return;
  if (!end.items.empty()) {
    if (!record.prompt_tokens) record.flags.set(Flag::no_usage);
    return;
  }
  if (end.body != BodyKind::json && !fold.terminal()) record.flags.set(Flag::no_done);
  if (!fold.any_finish()) record.flags.set(Flag::no_finish);
  const bool told = counted_by_server(record) || record.flags.has(Flag::odd_usage);
  if (!told) record.flags.set(Flag::no_usage);
  if (!fold.visible_seen() && record.reasoning != Reasoning::none) record.flags.set(Flag::only_reasoning);
}

}  // namespace

bool ended_before_transport(const EventFold& fold, Outcome transport) {
  return fold.terminal() || (transport == Outcome::idle_timeout && fold.finished());
}

void classify(const ResponseEnd& end, const EventFold& fold, RequestRecord& record) {
  auto [outcome, error] = verdict_of(end, fold, record);
  record.outcome = outcome;
  record.error = std::move(error);
  if (fold.malformed() && record.error.empty()) {
    record.flags.set(Flag::odd_event);
    record.error = *fold.malformed();
  }
  flag_missing(end, fold, record);
  const bool silence = end.transport == Outcome::idle_timeout || end.transport == Outcome::timeout;
  if (silence && ended_before_transport(fold, end.transport)) record.flags.set(Flag::late_transport_idle);
}

}  // namespace infermeter
