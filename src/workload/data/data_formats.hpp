// The formats of data files that requests are made from, how one is told from another, and what a good item
// of each is (docs/workloads.md has an example of each). Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/base/clock.hpp"

namespace infermeter {

enum class DataFormat : std::uint8_t {
  text,      // one prompt a line
  jsonl,     // objects with `prompt` or `messages`; vLLM's custom data sets too
  sharegpt,  // objects with `conversations`
  batch,     // OpenAI batch requests
  mooncake,  // trace: time stamps, lengths and shared blocks
  azure,     // trace: CSV of time stamps and lengths
};

std::string_view name(DataFormat);
std::optional<DataFormat> data_format_from_name(std::string_view name);

/// A file as --workload names it: `FILE`, or `FORMAT:FILE` where the format is not to be guessed.
struct DataFile {
  std::string path;
  std::optional<DataFormat> format;
};
DataFile parse_data_file(std::string_view workload);

/// What a file of this name with these first bytes (some 64 kB, or all) is. Throws UsageError naming the file
/// if it is none that we know.
DataFormat detect_format(std::string_view path, std::string_view head);

/// Its prompts are synthetic text of the lengths that it has.
inline bool is_trace(DataFormat format) {
  return format == DataFormat::mooncake || format == DataFormat::azure;
}

/// Says what is wrong with the items of a file, which it is shown in their order. One thread.
class ItemChecker {
 public:
  /// `conversations`: the user's turns of each item are to be sent one after the other.
  ItemChecker(DataFormat format, bool conversations) : format_(format), conversations_(conversations) {}
  /// The rule that the item breaks; nothing if it is good.
  std::optional<std::string> fault(std::string_view item);
  /// The time stamp of the last good item; nothing if it has none.
  std::optional<nanoseconds> stamp() const { return stamp_; }

 private:
  DataFormat format_;
  bool conversations_;
  std::optional<nanoseconds> stamp_;
};

}  // namespace infermeter
