#include "io/http/waiting_bytes.hpp"

#include <algorithm>
#include <cstring>

#include "io/http/arrival_stamp.hpp"

namespace infermeter {
namespace {

// A client that was stopped finds many; the rest of them is bounded by the last stamp.
constexpr std::size_t kMostMarks = 64;
constexpr std::size_t kTlsHeader = 5;

}  // namespace

bool WaitingBytes::peek(int fd, nanoseconds real_offset) {
  const auto peeked = peek_bytes(fd, buffer_);
  found(peeked ? peeked->length : 0, peeked ? Instant(peeked->last_arrival - real_offset) : Instant());
  return peeked.has_value();
}

void WaitingBytes::hold(std::string_view bytes, Instant last_arrival) {
  const auto held = bytes.substr(0, buffer_.size());
  std::ranges::copy(held, buffer_.begin());
  found(held.size(), last_arrival);
}

void WaitingBytes::found(std::size_t length, Instant last_arrival) {
  length_ = length;
  last_arrival_ = last_arrival;
  cursor_ = 0;
  ends_.clear();
  marks_.clear();
  find_ends();
}

// An event ends with a blank line, and so does a response's head; in a chunked body the chunk's own end
// follows it. Bytes that look like one do no harm: they are asked for one more stamp.
void WaitingBytes::find_ends() {
  const auto all = bytes();
  std::size_t at = all.find('\n');
  while (at != std::string_view::npos && ends_.size() < kMostMarks) {
    const auto rest = all.substr(at + 1);
    const std::size_t blank = rest.starts_with('\n') ? 1 : rest.starts_with("\r\n") ? 2 : 0;
    std::size_t end = at + 1 + blank;
    if (blank > 0) {
      if (all.substr(end).starts_with("\r\n")) end += 2;
      ends_.push_back(end);
    }
    at = all.find('\n', end);
  }
}

std::size_t WaitingBytes::first_record() const {
  const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(buffer_[i]); };
  const bool header = length_ >= kTlsHeader && byte(0) >= 20 && byte(0) <= 23 && byte(1) == 3;
  return header ? kTlsHeader + (std::size_t{byte(3)} << 8 | byte(4)) : 0;
}

bool WaitingBytes::is_one_record() const { return length_ > 0 && first_record() == length_; }

void WaitingBytes::mark(Instant earliest, std::uint32_t segments, const StampAt& stamp_at) {
  marks_.clear();
  stamps_ = 0;
  for (const std::size_t end : ends_) {
    if (end >= length_) break;
    marks_.push_back({end, last_arrival_, earliest, false});
    if (stamp_at) mark_end(stamp_at, end);
  }
  // The last byte of all has the last stamp, whatever was merged.
  const Instant since = marks_.empty() ? earliest : std::max(earliest, marks_.back().earliest);
  marks_.push_back({length_, last_arrival_, since, true});
  count_stamp(last_arrival_);
  // As many stamps as segments: none was merged.
  if (stamps_ != segments) return;
  for (auto& mark : marks_) mark.exact = true;
}

void WaitingBytes::count_stamp(Instant stamp) {
  if (stamp > last_arrival_) return;  // of a segment that came after the peek
  if (stamps_ == 0 || stamp > latest_stamp_) ++stamps_;
  latest_stamp_ = stamps_ == 1 ? stamp : std::max(latest_stamp_, stamp);
}

// Merged segments have the stamp of the last one. So the stamp is that of the event's last byte if the next
// byte has another one; else the event came after what has an earlier stamp. A segment that arrives between
// the two questions and is merged changes the answer to the second: an event that shares its segments with
// the last byte waiting has that byte's stamp, or a later one, and is never exact.
void WaitingBytes::mark_end(const StampAt& stamp_at, std::size_t end) {
  Mark& mark = marks_.back();
  const Mark* before = marks_.size() > 1 ? &marks_[marks_.size() - 2] : nullptr;
  if (before) mark.earliest = std::max(mark.earliest, before->exact ? before->arrival : before->earliest);
  const auto own = stamp_at(end);
  const auto next = own ? stamp_at(end + 1) : std::nullopt;
  if (!next) return;
  mark.arrival = std::min(*own, last_arrival_);
  mark.exact = *own != *next && *own < last_arrival_;
  count_stamp(*own);
  count_stamp(*next);
  if (before && !before->exact && before->arrival < mark.arrival)
    mark.earliest = std::max(mark.earliest, before->arrival);
}

// `text` may go on with bytes that arrived after the peek.
std::size_t WaitingBytes::find(std::string_view text) const {
  constexpr std::size_t kBegin = 24;
  const auto all = bytes();
  const auto begin = text.substr(0, kBegin);
  std::size_t at = all.find(begin, cursor_);
  while (at != std::string_view::npos) {
    const auto rest = all.substr(at, text.size());
    if (text.starts_with(rest)) return at;
    at = all.find(begin, at + 1);
  }
  return at;
}

WaitingBytes::Piece WaitingBytes::next(std::string_view text) {
  const std::size_t at = marks_.empty() ? std::string_view::npos : find(text);
  if (at == std::string_view::npos) return {text.size(), nullptr};
  const auto mark = std::ranges::upper_bound(marks_, at, {}, &Mark::end);
  const std::size_t covered = std::min(text.size(), mark->end - at);
  cursor_ = at + covered;
  return {covered, &*mark};
}

}  // namespace infermeter
