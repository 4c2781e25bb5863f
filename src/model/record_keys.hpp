// Keys of requests.jsonl: which key holds which member of a record, and when it is left out, in the order of
// the file. Listed once: used by the writer, by the reader and by the table of requests (CSV).
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "infermeter/model/record.hpp"

namespace infermeter {

/// When a key is written. Absent values, and empty texts and lists, never are.
enum class KeyRule : std::uint8_t {
  always,
  unless_none,  // 0 means that there is none
  unless_zero,  // 0 is the usual
  unless_one,   // 1 is the usual
  if_read,      // without a read there was no lag, which differs from a lag of 0
  json,         // the text is a JSON object already
};

/// `Owner` is the record or a part of it.
template <typename Owner, typename T>
struct RecordKey {
  std::string_view key;
  T Owner::* member;
  KeyRule rule = KeyRule::always;
};
template <typename Owner, typename T>
RecordKey(std::string_view, T Owner::*) -> RecordKey<Owner, T>;
template <typename Owner, typename T>
RecordKey(std::string_view, T Owner::*, KeyRule) -> RecordKey<Owner, T>;

template <typename T>
const T& value_of(const RequestRecord& record, const RecordKey<RequestRecord, T>& key) {
  return record.*key.member;
}
template <typename T>
const T& value_of(const RequestRecord& record, const RecordKey<RequestRecord, Rare<T>>& key) {
  return *(record.*key.member);
}
template <typename T>
const T& value_of(const RequestRecord& record, const RecordKey<ServerTimes, T>& key) {
  return (*record.server_times).*key.member;
}

template <typename T>
const T& value_of(const RequestRecord& record, const RecordKey<EventEvidence, T>& key) {
  return (*record.evidence).*key.member;
}

/// For writing; creates a rare part.
template <typename T>
T& value_in(RequestRecord& record, const RecordKey<RequestRecord, T>& key) {
  return record.*key.member;
}
template <typename T>
T& value_in(RequestRecord& record, const RecordKey<RequestRecord, Rare<T>>& key) {
  return (record.*key.member).write();
}
template <typename T>
T& value_in(RequestRecord& record, const RecordKey<ServerTimes, T>& key) {
  return record.server_times.write().*key.member;
}
template <typename T>
T& value_in(RequestRecord& record, const RecordKey<EventEvidence, T>& key) {
  return record.evidence.write().*key.member;
}

inline constexpr std::tuple kRecordKeys{
    RecordKey{"id", &RequestRecord::id},
    RecordKey{"point", &RequestRecord::point},
    RecordKey{"target", &RequestRecord::target},
    RecordKey{"worker", &RequestRecord::worker},
    RecordKey{"phase", &RequestRecord::phase},
    RecordKey{"traffic_class", &RequestRecord::traffic_class, KeyRule::unless_zero},
    RecordKey{"tries", &RequestRecord::tries, KeyRule::unless_one},
    RecordKey{"conversation", &RequestRecord::conversation},
    RecordKey{"turn", &RequestRecord::turn, KeyRule::unless_zero},
    RecordKey{"prefix_group", &RequestRecord::prefix_group, KeyRule::unless_none},
    RecordKey{"repeat", &RequestRecord::repeat, KeyRule::unless_zero},
    RecordKey{"asked_input_tokens", &RequestRecord::asked_input_tokens, KeyRule::unless_none},
    RecordKey{"asked_output_tokens", &RequestRecord::asked_output_tokens, KeyRule::unless_none},
    RecordKey{"replica", &RequestRecord::replica, KeyRule::unless_zero},
    RecordKey{"label", &RequestRecord::label},
    RecordKey{"intended_us", &RequestRecord::intended_us},
    RecordKey{"started_us", &RequestRecord::started_us},
    RecordKey{"dns_us", &RequestRecord::dns_us},
    RecordKey{"connected_us", &RequestRecord::connected_us},
    RecordKey{"tls_us", &RequestRecord::tls_us},
    RecordKey{"sent_us", &RequestRecord::sent_us},
    RecordKey{"uploaded_us", &RequestRecord::uploaded_us},
    RecordKey{"headers_us", &RequestRecord::headers_us},
    RecordKey{"first_byte_us", &RequestRecord::first_byte_us},
    RecordKey{"first_event_us", &RequestRecord::first_event_us},
    RecordKey{"first_token_us", &RequestRecord::first_token_us},
    RecordKey{"first_output_us", &RequestRecord::first_output_us},
    RecordKey{"last_token_us", &RequestRecord::last_token_us},
    RecordKey{"end_us", &RequestRecord::end_us},
    RecordKey{"class", &RequestRecord::outcome},
    RecordKey{"status", &RequestRecord::status, KeyRule::unless_none},
    RecordKey{"flags", &RequestRecord::flags},
    RecordKey{"error", &RequestRecord::error},
    RecordKey{"retry_after_ms", &RequestRecord::retry_after_ms},
    RecordKey{"limited_tries", &RequestRecord::limited_tries, KeyRule::unless_zero},
    RecordKey{"longest_retry_after_ms", &RequestRecord::longest_retry_after_ms},
    RecordKey{"finish_reason", &RequestRecord::finish_reason},
    RecordKey{"events", &RequestRecord::events},
    RecordKey{"packed", &RequestRecord::packed},
    RecordKey{"late", &RequestRecord::late},
    RecordKey{"reads", &RequestRecord::reads},
    RecordKey{"bytes", &RequestRecord::bytes},
    RecordKey{"unstamped_reads", &RequestRecord::unstamped_reads, KeyRule::if_read},
    RecordKey{"lag_max_us", &RequestRecord::lag_max_us, KeyRule::if_read},
    RecordKey{"turn_max_us", &RequestRecord::loop_delay_max_us, KeyRule::if_read},
    RecordKey{"lags", &RequestRecord::lags, KeyRule::if_read},
    RecordKey{"prompt_tokens", &RequestRecord::prompt_tokens},
    RecordKey{"output_tokens", &RequestRecord::output_tokens},
    RecordKey{"reasoning_tokens", &RequestRecord::reasoning_tokens},
    RecordKey{"cached_tokens", &RequestRecord::cached_tokens},
    RecordKey{"cache_write_tokens", &RequestRecord::cache_write_tokens},
    RecordKey{"unstreamed_tokens", &RequestRecord::unstreamed_tokens},
    RecordKey{"reasoning", &RequestRecord::reasoning},
    RecordKey{"token_source", &RequestRecord::token_source},
    RecordKey{"output_chars", &RequestRecord::output_chars},
    RecordKey{"items", &RequestRecord::items},
    RecordKey{"cost", &RequestRecord::cost},
    RecordKey{"usage", &RequestRecord::usage, KeyRule::json},
    RecordKey{"server", &RequestRecord::server, KeyRule::json},
    RecordKey{"server_queue_ms", &ServerTimes::queue_ms},
    RecordKey{"server_prefill_ms", &ServerTimes::prefill_ms},
    RecordKey{"server_decode_ms", &ServerTimes::decode_ms},
    RecordKey{"server_ttft_ms", &ServerTimes::ttft_ms},
    RecordKey{"server_times_from", &ServerTimes::from},
    RecordKey{"server_model", &RequestRecord::server_model},
    RecordKey{"system_fingerprint", &RequestRecord::system_fingerprint},
    RecordKey{"server_request_id", &RequestRecord::server_request_id},
    RecordKey{"rate_limits", &RequestRecord::rate_limits},
    RecordKey{"bare_before", &EventEvidence::bare_before, KeyRule::unless_none},
    RecordKey{"bare_between", &EventEvidence::bare_between, KeyRule::unless_none},
    RecordKey{"bare_after", &EventEvidence::bare_after, KeyRule::unless_none},
    RecordKey{"text_bytes", &EventEvidence::text_bytes, KeyRule::unless_none},
    RecordKey{"first_bytes", &EventEvidence::first_bytes, KeyRule::unless_none},
    RecordKey{"spaced_texts", &EventEvidence::spaced, KeyRule::unless_none},
    RecordKey{"several_words", &EventEvidence::several, KeyRule::unless_none},
    RecordKey{"first_tokens", &EventEvidence::first_tokens, KeyRule::unless_none},
    RecordKey{"gaps_us", &RequestRecord::gaps_us},
    RecordKey{"gap_tokens", &RequestRecord::gap_tokens},
    RecordKey{"event_choice", &RequestRecord::event_choice},
    RecordKey{"early_us", &RequestRecord::early_us},
    RecordKey{"end_early_us", &RequestRecord::end_early_us, KeyRule::unless_zero},
    RecordKey{"text", &RequestRecord::text},
};

}  // namespace infermeter
