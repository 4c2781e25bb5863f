// Items of traces: when a request was sent, and the lengths of its prompt and answer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/random.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/data/data_item.hpp"
#include "workload/data/json_fields.hpp"

namespace infermeter {
namespace {

DataItem of_lengths(std::uint32_t input, std::uint32_t output) {
  DataItem item;
  // An answer of zero tokens cannot be requested.
  item.turns.push_back({.output_tokens = std::max(output, 1u), .input_tokens = input});
  return item;
}

JsonValue needed(const JsonObject& object, std::string_view name) {
  const auto value = field(object, name);
  if (!value) throw BadItem(fmt::format("has no `{}`", name));
  return *value;
}

/// Numbers in Mooncake's own traces; text in some traces derived from them.
std::uint64_t block_number(JsonValue value) {
  std::uint64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) throw BadItem("`hash_ids` has one that is not a number");
  return hash_bytes(text);
}

std::vector<std::uint64_t> blocks_of(JsonValue value, std::uint32_t tokens) {
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) throw BadItem("`hash_ids` is not an array");
  std::vector<std::uint64_t> blocks;
  for (const JsonValue id : list) blocks.push_back(block_number(id));
  const std::uint64_t most = (std::uint64_t{tokens} + kTraceBlock - 1) / kTraceBlock;
  if (blocks.size() > most) {
    throw BadItem(fmt::format("`hash_ids` has {} blocks of {} tokens for {} tokens", blocks.size(),
                              kTraceBlock, tokens));
  }
  return blocks;
}

std::string_view cut_field(std::string_view& row) {
  const std::size_t comma = row.find(',');
  std::string_view field = row.substr(0, comma);
  row.remove_prefix(comma == std::string_view::npos ? row.size() : comma + 1);
  return trim(field, " \t\"");
}

std::uint32_t tokens_in(std::string_view text, std::string_view column, std::uint32_t least) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < least)
    throw BadItem(fmt::format("'{}' is no number of {}", text, column));
  return number;
}

/// Reads and removes exactly this number of digits at the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || stop != text.data() + digits || number < 0) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // The largest time since 1970 that fits into 64 bits of nanoseconds.
  if (!date.ok() || *year < 1970 || *year > 2200) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<nanoseconds> take_clock(std::string_view& text) {
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
}

std::optional<nanoseconds> take_seconds(std::string_view& text) {
  const auto whole = take_digits(text, 2);
  if (!whole || *whole > 60) return std::nullopt;
  nanoseconds seconds = std::chrono::seconds(*whole);
  if (!take(text, ".")) return seconds;
  for (std::int64_t unit = 100'000'000; !text.empty(); unit /= 10) {
    const auto digit = take_digits(text, 1);
    if (!digit) break;
    seconds += nanoseconds(*digit * unit);
  }
  return seconds;
}

std::optional<nanoseconds> take_offset(std::string_view& text) {
  if (text.empty() || take(text, "Z")) return nanoseconds(0);
  const bool west = text.front() == '-';
  if (!take(text, "+-")) return std::nullopt;
  const auto offset = take_clock(text);
  if (!offset) return std::nullopt;
  return west ? -*offset : *offset;
}

[[noreturn]] void refuse_trace(std::string_view file, std::uint64_t line, std::string_view rule) {
  throw UsageError(fmt::format("{}, line {}: {}", file, line, rule),
                   "--arrival trace needs a Mooncake trace, an Azure CSV, or JSONL with a `timestamp` in "
                   "milliseconds in each line.");
}

}  // namespace

DataItem read_mooncake_item(std::string_view text) {
  const JsonObject object = parse_object(text);
  const std::uint32_t input = count_field(needed(object, "input_length"), "input_length", 1);
  DataItem item = of_lengths(input, count_field(needed(object, "output_length"), "output_length", 0));
  item.stamp = stamp_field(needed(object, "timestamp"));
  if (const auto ids = field(object, "hash_ids")) item.blocks = blocks_of(*ids, input);
  return item;
}

DataItem read_azure_item(std::string_view text) {
  const std::string_view stamp = cut_field(text);
  const std::string_view input = cut_field(text), output = cut_field(text);
  DataItem item = of_lengths(tokens_in(input, "ContextTokens", 1), tokens_in(output, "GeneratedTokens", 0));
  item.stamp = parse_time_stamp(stamp);
  if (!item.stamp) throw BadItem(fmt::format("'{}' is no time stamp", stamp));
  return item;
}

std::optional<nanoseconds> parse_time_stamp(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take(text, " T")) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock || !take(text, ":")) return std::nullopt;
  const auto seconds = take_seconds(text);
  const auto offset = seconds ? take_offset(text) : std::nullopt;
  if (!offset || !text.empty()) return std::nullopt;
  return date->time_since_epoch() + *clock + *seconds - *offset;
}

std::vector<nanoseconds> trace_stamps(const ItemSource& items, std::string_view file) {
  std::vector<nanoseconds> stamps;
  stamps.reserve(items.size());
  nanoseconds first{};
  for (std::uint64_t i = 0; i < items.size(); ++i) {
    const auto stamp = items.stamp(i);
    if (!stamp) refuse_trace(file, items.line(i), "has no time stamp");
    if (i == 0) first = *stamp;
    const nanoseconds offset = *stamp - first;
    if (!stamps.empty() && offset < stamps.back())
      refuse_trace(file, items.line(i), "its time stamp runs back");
    stamps.push_back(offset);
  }
  return stamps;
}

}  // namespace infermeter
