// The items of a data file (its lines, or the elements of one JSON array) at random access: how the text is
// cut is decided by ItemCutter, from bytes; the reading is io's (io/item_file).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "infermeter/base/clock.hpp"
#include "workload/data/data_formats.hpp"

namespace infermeter {

/// Where an item stands in its file.
struct ItemPlace {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t line = 1;  // its first line, 1-based: for messages
};

/// Random access to items, each of which was found to be good; any thread may ask.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  virtual DataFormat format() const = 0;
  virtual std::uint64_t size() const = 0;
  /// The text of the i-th item. Throws EnvironmentError if the file can no longer be read.
  virtual std::string item(std::uint64_t index) const = 0;
  virtual std::uint64_t line(std::uint64_t index) const = 0;
  /// When it was sent, since any instant that is the file's own; nothing if it does not say.
  virtual std::optional<nanoseconds> stamp(std::uint64_t index) const = 0;
};

}  // namespace infermeter
