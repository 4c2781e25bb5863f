// A copy of the unread bytes of one socket, taken before libcurl reads them, and when they arrived: the end
// of each event among them has its own stamp, where the kernel kept it apart from what came later. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter {

class WaitingBytes {
 public:
  /// The bytes up to `end`, since the mark before it: when the last of them had arrived at the latest, and
  /// whether that is exact.
  struct Mark {
    std::size_t end = 0;
    Instant arrival, earliest;
    bool exact = false;
  };
  /// The beginning of a text that libcurl hands out: `mark` is null for bytes that were not waiting.
  struct Piece {
    std::size_t bytes = 0;
    const Mark* mark = nullptr;
  };

  explicit WaitingBytes(std::size_t most) : buffer_(most) {}

  /// Copies them; false if there is none, or no stamp.
  bool peek(int fd, nanoseconds real_offset);
  /// Takes these instead, as many as it can hold.
  void hold(std::string_view bytes, Instant last_arrival);
  /// No further bytes were waiting.
  bool whole() const { return length_ < buffer_.size(); }
  std::size_t capacity() const { return buffer_.size(); }
  std::size_t length() const { return length_; }
  Instant last_arrival() const { return last_arrival_; }
  /// Where encrypted bytes are exactly one TLS record, which can be read only as a whole.
  bool is_one_record() const;
  /// The length of the TLS record that they begin with; 0 if that is not known.
  std::size_t first_record() const;

  /// Whether more than one event may end among them.
  bool is_shared() const { return ends_.size() > 1 || (ends_.size() == 1 && ends_.front() < length_); }
  /// The stamp of the segment that holds the last of so many waiting bytes; nothing if it has none.
  using StampAt = std::function<std::optional<Instant>(std::size_t)>;
  /// None of them arrived before `earliest`. They came in at most `segments` (0: not known). `stamp_at`, if
  /// set, is asked at each event's end.
  void mark(Instant earliest, std::uint32_t segments, const StampAt& stamp_at);
  /// All of them arrived in one segment.
  void mark_at_once() { marks_.assign(1, {length_, last_arrival_, last_arrival_, true}); }
  const Mark& first_mark() const { return marks_.front(); }

  /// Texts come in the order of the bytes.
  Piece next(std::string_view text);

 private:
  void found(std::size_t length, Instant last_arrival);
  void find_ends();
  void mark_end(const StampAt& stamp_at, std::size_t end);
  void count_stamp(Instant stamp);
  std::size_t find(std::string_view text) const;
  std::string_view bytes() const { return {buffer_.data(), length_}; }

  std::vector<char> buffer_;
  std::size_t length_ = 0, cursor_ = 0;
  Instant last_arrival_;
  std::vector<std::size_t> ends_;  // of events
  std::vector<Mark> marks_;
  std::uint32_t stamps_ = 0;  // different ones that were seen
  Instant latest_stamp_;
};

}  // namespace infermeter
