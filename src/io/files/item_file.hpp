// A data file with random access to its items: keeps their positions (16 bytes an item, 24 with a time stamp;
// 4 more where texts occur twice) and reads their text on demand, so that the file may be of any size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "workload/data/data_formats.hpp"

namespace infermeter {

class ItemFile final : public ItemSource {
 public:
  /// Takes ownership of the descriptor. `path` is for messages; `stamps` has one per item, kNoStamp if there
  /// is none, or is empty.
  /// Likewise `same_before`, which is empty if all texts differ.
  ItemFile(std::string path, int descriptor, DataFormat format, std::vector<ItemPlace> places,
           std::vector<nanoseconds> stamps, std::vector<std::uint32_t> same_before);
  static constexpr nanoseconds kNoStamp = nanoseconds::min();
  ~ItemFile() override;
  ItemFile(const ItemFile&) = delete;
  ItemFile& operator=(const ItemFile&) = delete;

  DataFormat format() const override { return format_; }
  std::uint64_t size() const override { return places_.size(); }
  std::string item(std::uint64_t index) const override;
  std::uint64_t line(std::uint64_t index) const override { return places_.at(index).line; }
  std::uint32_t same_before(std::uint64_t index) const override {
    return same_before_.empty() ? 0 : same_before_.at(index);
  }
  std::optional<nanoseconds> stamp(std::uint64_t index) const override;

 private:
  std::string path_;
  int descriptor_;
  DataFormat format_;
  std::vector<ItemPlace> places_;
  std::vector<nanoseconds> stamps_;
  std::vector<std::uint32_t> same_before_;
};

struct OpenedItems {
  std::shared_ptr<const ItemSource> items;
  std::string path;           // without the format prefix
  std::uint64_t skipped = 0;  // bad items that were skipped
  std::string first_skipped;  // the error of the first of them; empty if none
};

/// Opens `prompts.file` (`FILE` or `FORMAT:FILE`) and checks each item once, through one buffer. Throws
/// UsageError if the file cannot be opened, has no known format, contains no item, or has a bad one (named by
/// file, line and rule; `prompts.skip_bad_lines` skips and counts bad ones instead); EnvironmentError if
/// reading fails.
OpenedItems open_items(const Prompts& prompts);

}  // namespace infermeter
