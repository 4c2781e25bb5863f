#include "workload/data/item_cutter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool may_be_array(DataFormat format) { return format != DataFormat::text && format != DataFormat::azure; }

}  // namespace

ItemCutter::ItemCutter(std::string file, DataFormat format)
    : file_(std::move(file)), format_(format), header_(format == DataFormat::azure) {}

void ItemCutter::feed(std::string_view bytes, std::vector<ItemPlace>& places) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::mark:
        skip_mark(bytes);
        break;
      case State::opening:
        open(bytes);
        break;
      case State::line:
        cut_lines(bytes, places);
        break;
      case State::element:
        cut_elements(bytes, places);
        break;
      case State::end:
        expect_end(bytes);
        break;
    }
  }
}

void ItemCutter::finish(std::vector<ItemPlace>& places) {
  if (state_ == State::element) refuse("the file ends inside its array");
  if (state_ != State::end) end_line(places);
}

// A first character that only resembles a byte-order mark stays part of the first item, which then begins at
// 0.
void ItemCutter::skip_mark(std::string_view& bytes) {
  if (bytes.front() == kByteOrderMark[offset_]) {
    take(bytes, 1);
    end_ = offset_;
    blank_ = false;
    if (offset_ < kByteOrderMark.size()) return;
    begin_item();
  }
  state_ = may_be_array(format_) ? State::opening : State::line;
}

void ItemCutter::open(std::string_view& bytes) {
  const char c = bytes.front();
  if (is_blank(c)) {
    take(bytes, 1);
    begin_item();
  } else if (c == '[' && begin_ == offset_) {
    take(bytes, 1);
    state_ = State::element;
    begin_item();
  } else {
    state_ = State::line;
  }
}

void ItemCutter::cut_lines(std::string_view& bytes, std::vector<ItemPlace>& places) {
  const std::size_t newline = bytes.find('\n');
  const std::string_view line = bytes.substr(0, newline);
  const std::size_t last = line.find_last_not_of('\r');
  if (last != std::string_view::npos) end_ = offset_ + last + 1;
  blank_ = blank_ && std::ranges::all_of(line, is_blank);
  take(bytes, line.size());
  if (newline == std::string_view::npos) return;
  end_line(places);
  take(bytes, 1);
  begin_item();
}

void ItemCutter::end_line(std::vector<ItemPlace>& places) {
  if (!blank_ && !std::exchange(header_, false)) add(end_, places);
}

void ItemCutter::cut_elements(std::string_view& bytes, std::vector<ItemPlace>& places) {
  while (!bytes.empty() && state_ == State::element) {
    if (in_string_) {
      skip_string(bytes);
      continue;
    }
    const char c = bytes.front();
    const bool outside = depth_ == 0;
    if (outside && (c == ',' || c == ']')) {
      end_element(c == ']', places);
      take(bytes, 1);
      begin_item();
      continue;
    }
    if (is_blank(c)) {
      take(bytes, 1);
      if (blank_) begin_item();
      continue;
    }
    blank_ = false;
    in_string_ = c == '"';
    if (c == '{' || c == '[') ++depth_;
    if ((c == '}' || c == ']') && !outside) --depth_;
    take(bytes, 1);
    end_ = offset_;
  }
}

/// The inside of a string, by far most of the bytes.
void ItemCutter::skip_string(std::string_view& bytes) {
  std::size_t i = 0;
  if (escaped_) ++i;
  escaped_ = false;
  while (i < bytes.size() && bytes[i] != '"' && bytes[i] != '\\') ++i;
  if (i < bytes.size()) {
    escaped_ = bytes[i] == '\\';
    in_string_ = escaped_;
    ++i;
  }
  take(bytes, i);
  end_ = offset_;
}

void ItemCutter::end_element(bool last, std::vector<ItemPlace>& places) {
  if (blank_ && !(last && elements_ == 0)) refuse("an element of the array is missing");
  if (!blank_) add(end_, places);
  ++elements_;
  if (last) state_ = State::end;
}

void ItemCutter::expect_end(std::string_view& bytes) {
  if (!is_blank(bytes.front())) refuse("something follows the array");
  take(bytes, 1);
  begin_item();
}

/// Counts lines by the first byte alone: in longer runs no newline counts.
void ItemCutter::take(std::string_view& bytes, std::size_t count) {
  if (count > 0 && bytes.front() == '\n') ++line_;
  offset_ += count;
  bytes.remove_prefix(count);
}

void ItemCutter::begin_item() {
  begin_ = offset_;
  begin_line_ = line_;
  blank_ = true;
}

void ItemCutter::add(std::uint64_t end, std::vector<ItemPlace>& places) const {
  const std::uint64_t length = end - begin_;
  if (length > std::numeric_limits<std::uint32_t>::max()) refuse("is longer than 4 GB");
  places.push_back({begin_, static_cast<std::uint32_t>(length), begin_line_});
}

void ItemCutter::refuse(std::string_view rule) const {
  throw UsageError(fmt::format("{}, line {}: {}", file_, line_, rule));
}

}  // namespace infermeter
