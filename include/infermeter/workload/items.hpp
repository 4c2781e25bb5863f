// The items of a data file (its lines, or the elements of one JSON array) at random access: how the text is
// cut is decided here, from bytes; the reading is io's (io/item_file). Pure but for what an ItemSource does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// Where an item stands in its file.
struct ItemPlace {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint64_t line = 1;  // its first line, 1-based: for messages
};

/// Random access to items; any thread may ask.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  virtual std::uint64_t size() const = 0;
  /// The text of the i-th item. Throws EnvironmentError if the file can no longer be read.
  virtual std::string item(std::uint64_t index) const = 0;
  virtual std::uint64_t line(std::uint64_t index) const = 0;
};

}  // namespace infermeter
