// Finds the items in the bytes of a data file: its lines, the elements of one JSON array, or the rows of a
// CSV below its header. Bytes come in pieces of any length and each is read once. One thread; no I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/data/data_formats.hpp"

namespace infermeter {

class ItemCutter {
 public:
  /// `file`: its name, for messages. JSON formats are an array if `[` is the first character.
  ItemCutter(std::string file, DataFormat format);

  /// Takes the next bytes of the file and appends the positions of items that end in them. Empty lines and a
  /// byte-order mark are not part of items. Throws UsageError if an array is incomplete or followed by more,
  /// and for an item of 4 GB.
  void feed(std::string_view bytes, std::vector<ItemPlace>& places);
  /// The file ends here.
  void finish(std::vector<ItemPlace>& places);

  /// Bytes before this offset do not belong to an item that is still to come.
  std::uint64_t needed_from() const { return begin_; }

 private:
  enum class State : std::uint8_t { mark, opening, line, element, end };
  void skip_mark(std::string_view& bytes);
  void open(std::string_view& bytes);
  void cut_lines(std::string_view& bytes, std::vector<ItemPlace>& places);
  void cut_elements(std::string_view& bytes, std::vector<ItemPlace>& places);
  void expect_end(std::string_view& bytes);

  void end_line(std::vector<ItemPlace>& places);
  void end_element(bool last, std::vector<ItemPlace>& places);
  void skip_string(std::string_view& bytes);
  void take(std::string_view& bytes, std::size_t count);
  void begin_item();
  void add(std::uint64_t end, std::vector<ItemPlace>& places) const;
  [[noreturn]] void refuse(std::string_view rule) const;

  std::string file_;
  DataFormat format_;
  State state_ = State::mark;
  std::uint64_t offset_ = 0;  // of the next byte
  std::uint32_t line_ = 1;    // line number of the next byte
  std::uint64_t begin_ = 0;   // of the current item
  std::uint32_t begin_line_ = 1;
  std::uint64_t end_ = 0;  // of the current item, so far
  bool blank_ = true;      // only blanks so far
  bool header_;            // the first line is not an item
  bool in_string_ = false, escaped_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t elements_ = 0;
};

}  // namespace infermeter
