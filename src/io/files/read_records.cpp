#include <fmt/format.h>
#include <simdjson.h>

#include <concepts>
#include <optional>
#include <unordered_map>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/files/line_reader.hpp"
#include "io/files/records_file.hpp"

namespace infermeter {
namespace {

using Value = simdjson::ondemand::value;

/// Why a line is no record; carries what is said of it.
struct BadLine {
  std::string reason;
};

template <typename T>
T whole_number(Value& value) {
  if constexpr (std::is_signed_v<T>) {
    const std::int64_t number = value.get_int64();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else {
    const std::uint64_t number = value.get_uint64();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw BadLine{"a number is out of range"};
}

template <std::integral T>
void read(Value& value, T& member) {
  member = whole_number<T>(value);
}
template <std::integral T>
void read(Value& value, std::optional<T>& member) {
  member = whole_number<T>(value);
}
template <std::integral T>
void read(Value& value, std::vector<T>& member) {
  for (Value element : value.get_array()) member.push_back(whole_number<T>(element));
}
void read(Value& value, std::optional<double>& member) { member = value.get_double(); }
void read(Value& value, std::string& member) { member = std::string_view(value.get_string()); }

template <typename E>
constexpr std::string_view kWhat{};
template <>
constexpr std::string_view kWhat<Phase> = "phase";
template <>
constexpr std::string_view kWhat<Reasoning> = "reasoning";
template <>
constexpr std::string_view kWhat<TokenSource> = "token source";
template <>
constexpr std::string_view kWhat<Outcome> = "class";

template <Named E>
void read(Value& value, E& member) {
  const std::string_view text = value.get_string();
  const auto found = from_name<E>(text);
  if (!found) throw BadLine{fmt::format("unknown {} '{}'", kWhat<E>, text)};
  member = *found;
}

// A flag of a later version says nothing to this one.
void read(Value& value, Flags& member) {
  for (Value element : value.get_array()) {
    if (const auto flag = flag_from_name(element.get_string())) member.set(*flag);
  }
}

void read(Value& value, LagHistogram& member) {
  for (Value pair : value.get_array()) {
    std::vector<std::uint32_t> numbers;
    read(pair, numbers);
    if (numbers.size() != 2) throw BadLine{"lags are not pairs"};
    member.add_bucket(numbers[0], numbers[1]);
  }
}

void read_raw(Value& value, std::string& member) {
  simdjson::ondemand::object object = value.get_object();
  std::string_view text = object.raw_json();
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  member = text;
}

using Setter = void (*)(Value&, RequestRecord&);

template <auto Member>
void set(Value& value, RequestRecord& record) {
  read(value, record.*Member);
}
template <auto Member>
void set_raw(Value& value, RequestRecord& record) {
  read_raw(value, record.*Member);
}
template <auto Member>
void set_time(Value& value, RequestRecord& record) {
  read(value, record.server_times.write().*Member);
}

using R = RequestRecord;
const std::unordered_map<std::string_view, Setter>& setters() {
  static const std::unordered_map<std::string_view, Setter> table{
      {"id", set<&R::id>},
      {"point", set<&R::point>},
      {"target", set<&R::target>},
      {"worker", set<&R::worker>},
      {"phase", set<&R::phase>},
      {"traffic_class", set<&R::traffic_class>},
      {"tries", set<&R::tries>},
      {"conversation", set<&R::conversation>},
      {"turn", set<&R::turn>},
      {"prefix_group", set<&R::prefix_group>},
      {"repeat", set<&R::repeat>},
      {"asked_input_tokens", set<&R::asked_input_tokens>},
      {"asked_output_tokens", set<&R::asked_output_tokens>},
      {"replica", set<&R::replica>},
      {"label", set<&R::label>},
      {"intended_us", set<&R::intended_us>},
      {"started_us", set<&R::started_us>},
      {"dns_us", set<&R::dns_us>},
      {"connected_us", set<&R::connected_us>},
      {"tls_us", set<&R::tls_us>},
      {"sent_us", set<&R::sent_us>},
      {"uploaded_us", set<&R::uploaded_us>},
      {"headers_us", set<&R::headers_us>},
      {"first_byte_us", set<&R::first_byte_us>},
      {"first_event_us", set<&R::first_event_us>},
      {"first_token_us", set<&R::first_token_us>},
      {"first_output_us", set<&R::first_output_us>},
      {"last_token_us", set<&R::last_token_us>},
      {"end_us", set<&R::end_us>},
      {"class", set<&R::outcome>},
      {"status", set<&R::status>},
      {"flags", set<&R::flags>},
      {"error", set<&R::error>},
      {"retry_after_ms", set<&R::retry_after_ms>},
      {"limited_tries", set<&R::limited_tries>},
      {"longest_retry_after_ms", set<&R::longest_retry_after_ms>},
      {"finish_reason", set<&R::finish_reason>},
      {"events", set<&R::events>},
      {"packed", set<&R::packed>},
      {"late", set<&R::late>},
      {"reads", set<&R::reads>},
      {"bytes", set<&R::bytes>},
      {"unstamped_reads", set<&R::unstamped_reads>},
      {"lag_max_us", set<&R::lag_max_us>},
      {"turn_max_us", set<&R::turn_max_us>},
      {"lags", set<&R::lags>},
      {"prompt_tokens", set<&R::prompt_tokens>},
      {"output_tokens", set<&R::output_tokens>},
      {"reasoning_tokens", set<&R::reasoning_tokens>},
      {"cached_tokens", set<&R::cached_tokens>},
      {"unstreamed_tokens", set<&R::unstreamed_tokens>},
      {"reasoning", set<&R::reasoning>},
      {"token_source", set<&R::token_source>},
      {"output_chars", set<&R::output_chars>},
      {"items", set<&R::items>},
      {"cost", set<&R::cost>},
      {"usage", set_raw<&R::usage>},
      {"server", set_raw<&R::server>},
      {"server_queue_ms", set_time<&ServerTimes::queue_ms>},
      {"server_prefill_ms", set_time<&ServerTimes::prefill_ms>},
      {"server_decode_ms", set_time<&ServerTimes::decode_ms>},
      {"server_ttft_ms", set_time<&ServerTimes::ttft_ms>},
      {"server_times_from", set_time<&ServerTimes::from>},
      {"rate_limits", [](Value& value, R& r) { read_raw(value, r.rate_limits.write()); }},
      {"server_model", set<&R::server_model>},
      {"system_fingerprint", set<&R::system_fingerprint>},
      {"server_request_id", set<&R::server_request_id>},
      {"gaps_us", set<&R::gaps_us>},
      {"gap_tokens", set<&R::gap_tokens>},
      {"event_choice", set<&R::event_choice>},
      {"text", set<&R::text>},
  };
  return table;
}

RequestRecord read_record(simdjson::ondemand::parser& parser, std::string_view line) {
  RequestRecord record;
  bool has_id = false, has_class = false;
  simdjson::ondemand::document document =
      parser.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING);
  for (auto field : document.get_object()) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    has_id = has_id || key == "id";
    has_class = has_class || key == "class";
    const auto it = setters().find(key);
    if (it != setters().end() && !value.is_null()) it->second(value, record);
  }
  // Debian 12's simdjson has no at_end(); past the end there is no location to tell.
  if (document.current_location().error() == simdjson::SUCCESS) throw BadLine{"something follows the record"};
  if (!has_id || !has_class) throw BadLine{"no id or no class"};
  return record;
}

/// Nothing if the line is a record, which is then appended; else what is wrong.
std::optional<std::string> append_record(simdjson::ondemand::parser& parser, std::string_view line,
                                         std::vector<RequestRecord>& records) {
  try {
    records.push_back(read_record(parser, line));
    return std::nullopt;
  } catch (const BadLine& bad) {
    return bad.reason;
  } catch (const simdjson::simdjson_error& error) {
    return error.what();
  }
}

}  // namespace

std::vector<RequestRecord> read_records(const std::string& path) {
  LineReader reader(path, simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::parser parser;
  std::vector<RequestRecord> records;
  while (const auto line = reader.next()) {
    const auto wrong = append_record(parser, line->text, records);
    if (!wrong) continue;
    // The newline is written with its record: a last line without one was cut short by a kill.
    if (!line->terminated) break;
    throw EnvironmentError(fmt::format("{}:{}: not a record: {}", path, line->number, *wrong));
  }
  return records;
}

}  // namespace infermeter
