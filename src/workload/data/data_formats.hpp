// The formats of data files with requests, how they are detected, and which items are valid in each
// (docs/workloads.md has an example of each). Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/base/clock.hpp"

namespace infermeter {

enum class DataFormat : std::uint8_t {
  text,      // one prompt per line
  jsonl,     // objects with `prompt` or `messages`; also vLLM's custom data sets
  sharegpt,  // objects with `conversations`
  batch,     // OpenAI batch requests
  mooncake,  // trace: time stamps, lengths and shared blocks
  azure,     // trace: CSV of time stamps and lengths
};

std::string_view name(DataFormat);
std::optional<DataFormat> data_format_from_name(std::string_view name);

/// A file as --workload names it: `FILE`, or `FORMAT:FILE` to set the format explicitly.
struct DataFile {
  std::string path;
  std::optional<DataFormat> format;
};
DataFile parse_data_file(std::string_view workload);

/// Detects the format from the file's name and its first bytes (some 64 kB, or all). Throws UsageError naming
/// the file if the format is unknown.
DataFormat detect_format(std::string_view path, std::string_view head);

/// Whether its prompts are synthetic text with the lengths that it contains.
inline bool is_trace(DataFormat format) {
  return format == DataFormat::mooncake || format == DataFormat::azure;
}

/// Checks the items of a file, in their order. One thread.
class ItemChecker {
 public:
  /// `conversations`: the user's turns of each item will be sent one after the other.
  ItemChecker(DataFormat format, bool conversations) : format_(format), conversations_(conversations) {}
  /// The rule that the item breaks; nothing if it is valid.
  std::optional<std::string> fault(std::string_view item);
  /// The time stamp of the last valid item; nothing if it has none.
  std::optional<nanoseconds> stamp() const { return stamp_; }

 private:
  DataFormat format_;
  bool conversations_;
  std::optional<nanoseconds> stamp_;
};

}  // namespace infermeter
