#include <charconv>
#include <cmath>
#include <concepts>

#include "base/text.hpp"
#include "io/files/records_file.hpp"

namespace infermeter {
namespace {

// Everything is appended to the caller's buffer, which keeps its size from record to record: no allocation in
// steady state, and one pass over each byte.

template <std::integral T>
void append_number(std::string& out, T value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_key(std::string& out, std::string_view key) {
  out += out.back() == '{' ? "\"" : ",\"";
  out += key;
  out += "\":";
}

template <std::integral T>
void append(std::string& out, std::string_view key, T value) {
  append_key(out, key);
  append_number(out, value);
}

template <std::integral T>
void append(std::string& out, std::string_view key, const std::optional<T>& value) {
  if (value) append(out, key, *value);
}

// The shortest digits that read back as the same number; JSON knows no infinity.
void append(std::string& out, std::string_view key, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  append_key(out, key);
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, *value).ptr);
}

template <std::integral T>
void append_unless(T usual, std::string& out, std::string_view key, T value) {
  if (value != usual) append(out, key, value);
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

void append(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  append_key(out, key);
  append_quoted(out, text);
}

// Line breaks inside JSON text stand only between its tokens: a space says the same and keeps to one line.
void append_raw_json(std::string& out, std::string_view key, std::string_view json) {
  if (json.empty()) return;
  append_key(out, key);
  for (const char c : json) out += c == '\n' || c == '\r' ? ' ' : c;
}

template <typename T>
void append(std::string& out, std::string_view key, const std::vector<T>& values) {
  if (values.empty()) return;
  append_key(out, key);
  out += '[';
  for (const T value : values) {
    append_number(out, value);
    out += ',';
  }
  out.back() = ']';
}

void append_flags(const Flags& flags, std::string& out) {
  if (flags.empty()) return;
  append_key(out, "flags");
  out += '[';
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    const auto flag = static_cast<Flag>(bit);
    if (!flags.has(flag)) continue;
    append_quoted(out, name(flag));
    out += ',';
  }
  out.back() = ']';
}

// Most of the 96 buckets are empty: pairs of [bucket, count].
void append_lags(const LagHistogram& lags, std::string& out) {
  if (lags.total() == 0) return;
  append_key(out, "lags");
  out += '[';
  for (std::size_t bucket = 0; bucket < LagHistogram::kBuckets; ++bucket) {
    if (lags.counts()[bucket] == 0) continue;
    out += '[';
    append_number(out, bucket);
    out += ',';
    append_number(out, lags.counts()[bucket]);
    out += "],";
  }
  out.back() = ']';
}

// What the request was, as far as it is not one plain request of the only class.
void append_origin(const RequestRecord& r, std::string& out) {
  append_unless(0U, out, "traffic_class", r.traffic_class);
  append_unless(1U, out, "tries", r.tries);
  append(out, "conversation", r.conversation);
  append_unless(0U, out, "turn", r.turn);
  append_unless(0U, out, "prefix_group", r.prefix_group);
  append_unless(0U, out, "repeat", r.repeat);
  append_unless(0U, out, "asked_input_tokens", r.asked_input_tokens);
  append_unless(0U, out, "asked_output_tokens", r.asked_output_tokens);
  append_unless(0U, out, "replica", r.replica);
  append(out, "label", r.label);
}

void append_instants(const RequestRecord& r, std::string& out) {
  append(out, "intended_us", r.intended_us);
  append(out, "started_us", r.started_us);
  append(out, "dns_us", r.dns_us);
  append(out, "connected_us", r.connected_us);
  append(out, "tls_us", r.tls_us);
  append(out, "sent_us", r.sent_us);
  append(out, "uploaded_us", r.uploaded_us);
  append(out, "headers_us", r.headers_us);
  append(out, "first_byte_us", r.first_byte_us);
  append(out, "first_event_us", r.first_event_us);
  append(out, "first_token_us", r.first_token_us);
  append(out, "first_output_us", r.first_output_us);
  append(out, "last_token_us", r.last_token_us);
  append(out, "end_us", r.end_us);
}

void append_ending(const RequestRecord& r, std::string& out) {
  append(out, "class", name(r.outcome));
  if (r.status != 0) append(out, "status", r.status);
  append_flags(r.flags, out);
  append(out, "error", r.error);
  append(out, "retry_after_ms", r.retry_after_ms);
  append_unless(0U, out, "limited_tries", r.limited_tries);
  append(out, "longest_retry_after_ms", r.longest_retry_after_ms);
  append(out, "finish_reason", r.finish_reason);
}

// Without a read there was no lag, which is not a lag of 0.
void append_reading(const RequestRecord& r, std::string& out) {
  append(out, "events", r.events);
  append(out, "packed", r.packed);
  append(out, "late", r.late);
  append(out, "reads", r.reads);
  append(out, "bytes", r.bytes);
  if (r.reads == 0) return;
  append(out, "unstamped_reads", r.unstamped_reads);
  append(out, "lag_max_us", r.lag_max_us);
  append(out, "turn_max_us", r.turn_max_us);
  append_lags(r.lags, out);
}

void append_tokens(const RequestRecord& r, std::string& out) {
  append(out, "prompt_tokens", r.prompt_tokens);
  append(out, "output_tokens", r.output_tokens);
  append(out, "reasoning_tokens", r.reasoning_tokens);
  append(out, "cached_tokens", r.cached_tokens);
  append(out, "unstreamed_tokens", r.unstreamed_tokens);
  append(out, "reasoning", name(r.reasoning));
  append(out, "token_source", name(r.token_source));
  append(out, "output_chars", r.output_chars);
  append(out, "items", r.items);
  append(out, "cost", r.cost);
  append_raw_json(out, "usage", r.usage);
  append_raw_json(out, "server", r.server);
}

void append_server_times(const ServerTimes& times, std::string& out) {
  append(out, "server_queue_ms", times.queue_ms);
  append(out, "server_prefill_ms", times.prefill_ms);
  append(out, "server_decode_ms", times.decode_ms);
  append(out, "server_ttft_ms", times.ttft_ms);
  append(out, "server_times_from", times.from);
}

}  // namespace

void append_record_json(const RequestRecord& record, std::string& out) {
  out += '{';
  append(out, "id", record.id);
  append(out, "point", record.point);
  append(out, "target", record.target);
  append(out, "worker", record.worker);
  append(out, "phase", name(record.phase));
  append_origin(record, out);
  append_instants(record, out);
  append_ending(record, out);
  append_reading(record, out);
  append_tokens(record, out);
  append_server_times(*record.server_times, out);
  append(out, "server_model", record.server_model);
  append(out, "system_fingerprint", record.system_fingerprint);
  append(out, "server_request_id", record.server_request_id);
  append_raw_json(out, "rate_limits", *record.rate_limits);
  append(out, "gaps_us", record.gaps_us);
  append(out, "gap_tokens", record.gap_tokens);
  append(out, "event_choice", record.event_choice);
  append(out, "text", record.text);
  out += '}';
}

}  // namespace infermeter
