// What one item of a data file says. Private to src/workload; pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "model/request.hpp"
#include "workload/data/data_formats.hpp"

namespace infermeter {

/// Why an item is not a good one: the rule that it breaks, as "has no `prompt`".
struct BadItem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct DataItem {
  /// What each turn of the user's adds; one without conversations. Of a trace: no messages, but lengths.
  std::vector<Request> turns;
  std::optional<nanoseconds> stamp;   // when it was sent, since any instant that is the file's own
  std::vector<std::uint64_t> blocks;  // of kTraceBlock tokens: equal numbers are equal text
};

/// Tokens that a block of a Mooncake trace stands for.
inline constexpr std::uint32_t kTraceBlock = 512;

/// Throws BadItem. `conversations`: each turn of the user's is one of the item's.
DataItem read_item(DataFormat format, std::string_view text, bool conversations);

/// Its parts, by format.
DataItem read_jsonl_item(std::string_view text, bool conversations);
DataItem read_sharegpt_item(std::string_view text, bool conversations);
DataItem read_batch_item(std::string_view text);
DataItem read_mooncake_item(std::string_view text);
DataItem read_azure_item(std::string_view text);

/// One who speaks in a conversation and what is said.
struct Said {
  enum class Who : std::uint8_t { user, assistant, other };
  Who who = Who::user;
  Message message;
};
/// The user's turns, each with what precedes it but the assistant's words, which the server gives itself; the
/// first one alone without `conversations`. Empty where the user says nothing.
std::vector<Request> turns_of(const std::vector<Said>& conversation, bool conversations);

/// `2023-11-16 18:17:03.9799600`, with `T`, `Z` or an offset if there are any: since 1970.
std::optional<nanoseconds> parse_time_stamp(std::string_view text);

}  // namespace infermeter
