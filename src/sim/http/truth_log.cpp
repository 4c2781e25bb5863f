#include "sim/http/truth_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {
namespace {

std::int64_t monotonic_ns(Instant t) { return t.time_since_epoch().count(); }

std::uint64_t sent_tokens(std::span<const SentEvent> events) {
  std::uint64_t tokens = 0;
  for (const auto& event : events) tokens += event.tokens;
  return tokens;
}

template <typename Value>
void append_list(std::string& out, std::string_view name, std::span<const SentEvent> events, Value value) {
  fmt::format_to(std::back_inserter(out), R"(,"{}":[)", name);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) out += ',';
    const fmt::format_int digits(value(events[i]));
    out.append(digits.data(), digits.size());
  }
  out += ']';
}

void append_engine_truth(std::string& out, const std::optional<RequestTruth>& engine) {
  if (!engine) {
    out += R"(,"queue_ns":null,"prefill_ns":null,"decode_ns":null,"cached_tokens":null,"preemptions":null)";
    return;
  }
  const bool finished = engine->finished >= engine->first_token;
  fmt::format_to(std::back_inserter(out),
                 R"(,"queue_ns":{},"prefill_ns":{},"decode_ns":{},"cached_tokens":{},"preemptions":{})",
                 (engine->scheduled - engine->arrived).count(),
                 (engine->first_token - engine->scheduled).count(),
                 finished ? fmt::format("{}", (engine->finished - engine->first_token).count()) : "null",
                 engine->cached_tokens, engine->preemptions);
}

void append_events(std::string& out, const TruthRecord& record) {
  out += R"(,"events":")";
  for (const auto& event : record.events) out += static_cast<char>(event.kind);
  out += '"';
  append_list(out, "sent_ns", record.events, [](const SentEvent& e) { return monotonic_ns(e.at); });
  append_list(out, "tokens", record.events, [](const SentEvent& e) { return e.tokens; });
  if (record.choices > 1)
    append_list(out, "choice", record.events, [](const SentEvent& e) { return e.choice; });
}

}  // namespace

std::string truth_json(const TruthRecord& record) {
  std::string faults;
  for (const auto& fault : record.faults)
    fmt::format_to(std::back_inserter(faults), "{}{}", faults.empty() ? "" : ",", json_quoted(fault));
  std::string out = fmt::format(
      R"({{"id":{},"number":{},"endpoint":"{}","session":{},"connection":{},"stream":{},"end":"{}","faults":[{}],"arrived_ns":{},"received_ns":{},"ended_ns":{})",
      json_quoted(record.request_id), record.number, record.endpoint,
      record.session.empty() ? "null" : json_quoted(record.session), record.connection, record.stream,
      record.end, faults, monotonic_ns(record.arrived), monotonic_ns(record.received),
      monotonic_ns(record.ended));
  append_engine_truth(out, record.engine);
  fmt::format_to(std::back_inserter(out),
                 R"(,"prompt_tokens":{},"output_tokens":{},"sent_tokens":{},"choices":{},"finish_reason":{})",
                 record.prompt_tokens, record.output_tokens, sent_tokens(record.events), record.choices,
                 record.finish_reason.empty() ? "null" : json_quoted(record.finish_reason));
  append_events(out, record);
  return out + "}";
}

TruthLog::TruthLog(const std::string& path, Warn warn) : warn_(std::move(warn)) {
  if (path.empty()) return;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw EnvironmentError(fmt::format("cannot write the truth file '{}': {}", path, error_words(errno)));
}

TruthLog::~TruthLog() {
  if (fd_ >= 0) ::close(fd_);
}

void TruthLog::append(const TruthRecord& record) {
  if (fd_ < 0) return;
  const std::string line = truth_json(record) + "\n";
  const auto written = ::write(fd_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  const std::string why = fmt::format("the truth file ends here: {}", error_words(errno));
  if (warn_) warn_(why);
  ::close(fd_);
  fd_ = -1;
}

}  // namespace infermeter::sim
