// Random access to the items of a data file (its lines, or the elements of one JSON array): ItemCutter finds
// them in the bytes; io reads them (io/item_file).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "infermeter/base/clock.hpp"
#include "workload/data/data_formats.hpp"

namespace infermeter {

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
  /// When it was sent, relative to any fixed time of the file; nothing if it has no time stamp.
  virtual std::optional<nanoseconds> stamp(std::uint64_t index) const = 0;
};

}  // namespace infermeter
