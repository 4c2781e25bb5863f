// The formats of data files with requests (docs/workloads.md has an example of each): how they are detected,
// which items are valid in each, and random access to the items (a file's lines, or the elements of one JSON
// array): ItemCutter finds them in the bytes; io reads them (io/item_file). Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What may stand before the colon of FORMAT:FILE; other tools' names for them do too.
std::vector<std::string> data_format_names();
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

/// The position of an item in its file.
struct ItemPlace {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t line = 1;  // its first line, 1-based: for messages
};

/// Random access to items that were all found valid; any thread may call it.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  virtual DataFormat format() const = 0;
  virtual std::uint64_t size() const = 0;
  /// The text of the i-th item. Throws EnvironmentError if the file can no longer be read.
  virtual std::string item(std::uint64_t index) const = 0;
  virtual std::uint64_t line(std::uint64_t index) const = 0;
  /// How many items before it have the same text.
  virtual std::uint32_t same_before(std::uint64_t index) const = 0;
  /// When it was sent, relative to any fixed time of the file; nothing if it has no time stamp.
  virtual std::optional<nanoseconds> stamp(std::uint64_t index) const = 0;
};

/// One per item, in their order: offsets from the first item's time stamp, ascending. Throws UsageError
/// naming `file` (and the line) if items have no time stamps (JSONL has them as `timestamp`, in milliseconds)
/// or one is earlier than the previous one.
std::vector<nanoseconds> trace_stamps(const ItemSource& items, std::string_view file);

}  // namespace infermeter
