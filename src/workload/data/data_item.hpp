// The contents of one item of a data file. Private to src/workload; pure, any thread.
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

/// Why an item is invalid: the rule that it breaks, as "has no `prompt`".
struct BadItem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct DataItem {
  /// What each user turn adds; one entry without conversations. For a trace: lengths instead of messages.
  std::vector<Request> turns;
  std::optional<nanoseconds> stamp;   // when it was sent, relative to any fixed time of the file
  std::vector<std::uint64_t> blocks;  // of kTraceBlock tokens: equal numbers stand for equal text
};

/// Tokens per block of a Mooncake trace.
inline constexpr std::uint32_t kTraceBlock = 512;

/// Throws BadItem. `conversations`: each user turn becomes a turn of the item.
DataItem read_item(DataFormat format, std::string_view text, bool conversations);

/// One reader per format.
DataItem read_jsonl_item(std::string_view text, bool conversations);
DataItem read_sharegpt_item(std::string_view text, bool conversations);
DataItem read_batch_item(std::string_view text);
DataItem read_mooncake_item(std::string_view text);
DataItem read_azure_item(std::string_view text);

/// A speaker in a conversation and the text.
struct Said {
  enum class Who : std::uint8_t { user, assistant, other };
  Who who = Who::user;
  Message message;
};
/// The user's turns, each with the messages before it except the assistant's, which the server generates
/// itself; without `conversations` only the first turn. Empty if there is no user message.
std::vector<Request> turns_of(const std::vector<Said>& conversation, bool conversations);

/// `2023-11-16 18:17:03.9799600`, optionally with `T`, `Z` or an offset: time since 1970.
std::optional<nanoseconds> parse_time_stamp(std::string_view text);

}  // namespace infermeter
