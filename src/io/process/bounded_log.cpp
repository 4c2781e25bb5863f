#include "io/process/bounded_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/process/masked_output.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kRecentBytes = 4000;
constexpr std::size_t kLargestTail = 1 << 20;
constexpr std::size_t kNoteBytes = 200;  // the line between beginning and end

void close_descriptor(int& fd) {
  if (fd >= 0) ::close(std::exchange(fd, -1));
}

// Keeps the end; erases seldom, so that a flood of single bytes is not copied each time.
void append_bounded(std::string& kept, std::string_view bytes, std::size_t most) {
  if (bytes.size() >= most) {
    kept.assign(bytes.substr(bytes.size() - most));
    return;
  }
  kept.append(bytes);
  if (kept.size() > 2 * most) kept.erase(0, kept.size() - most);
}

std::string_view end_of(const std::string& text, std::size_t most) {
  return std::string_view(text).substr(text.size() - std::min(text.size(), most));
}

}  // namespace

BoundedLog::BoundedLog(std::string path, std::uint64_t limit, Secrets secrets)
    : path_(std::move(path)), secrets_(std::move(secrets)) {
  limit = std::max(limit, kLeast);
  tail_size_ = static_cast<std::size_t>(std::min<std::uint64_t>(limit / 4, kLargestTail));
  head_room_ = limit - tail_size_ - kNoteBytes;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0644);
  if (file_ < 0)
    throw EnvironmentError(fmt::format("cannot write {}: {}", path_, std::generic_category().message(errno)));
  std::array<int, 2> pipe{};
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0 || ::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    const int why = errno;
    close_descriptor(file_);
    close_descriptor(wake_);
    throw EnvironmentError(
        fmt::format("cannot open a pipe for {}: {}", path_, std::generic_category().message(why)));
  }
  output_ = pipe[0];
  input_ = pipe[1];
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
  ::fcntl(output_, F_SETPIPE_SZ, 1 << 20);  // so that a burst does not wait for us; refused: the usual 64 kB
  reader_ = std::thread([this] { read_on(); });
}

BoundedLog::~BoundedLog() { close(); }

void BoundedLog::close_input() { close_descriptor(input_); }

// Ends at the end of all writers, or when the log is closed before.
void BoundedLog::read_on() {
  while (true) {
    std::array<pollfd, 2> wanted{{{output_, POLLIN, 0}, {wake_, POLLIN, 0}}};
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return;
    if (wanted[1].revents != 0) return;
    const std::lock_guard lock(mutex_);
    drain();
    if ((wanted[0].revents & POLLHUP) != 0 && (wanted[0].revents & POLLIN) == 0) return;
  }
}

// What waits in the pipe: not more, since a flood has no end.
void BoundedLog::drain() {
  std::array<char, 65536> buffer;
  for (int rounds = 0; rounds < 32; ++rounds) {
    const ssize_t n = ::read(output_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    held_ += bytes;
    const std::size_t line_end = bytes.rfind('\n');
    if (line_end != std::string_view::npos) hand_on(held_.size() - bytes.size() + line_end + 1);
    if (held_.size() > kLongestMaskedLine) hand_on(held_.size());
  }
}

// Whole lines, so that no secret is divided.
void BoundedLog::hand_on(std::size_t bytes) {
  take(secrets_.mask(held_.substr(0, bytes)));
  held_.erase(0, bytes);
}

void BoundedLog::take(std::string_view bytes) {
  append_bounded(recent_, bytes, kRecentBytes);
  const auto head =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), head_room_)));
  write(head);
  head_room_ -= head.size();
  bytes.remove_prefix(head.size());
  after_head_ += bytes.size();
  if (!bytes.empty()) append_bounded(tail_, bytes, tail_size_);
  if (after_head_ > tail_size_) cut_ = true;
}

// A full disk costs the rest of the log, not the measurement.
void BoundedLog::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void BoundedLog::close() {
  if (!reader_.joinable()) return;
  close_input();
  const std::uint64_t one = 1;
  while (::write(wake_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  reader_.join();
  const std::lock_guard lock(mutex_);
  drain();
  hand_on(held_.size());
  const auto tail = end_of(tail_, tail_size_);
  if (cut_)
    write(fmt::format("\n[infermeter: {} of this log were left out here: --log-limit]\n",
                      format_bytes(after_head_ - tail.size())));
  write(tail);
  for (int* fd : {&file_, &output_, &wake_}) close_descriptor(*fd);
  closed_ = true;
}

std::string BoundedLog::last_lines(std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (!closed_) drain();
  std::string text = std::string(end_of(recent_, kRecentBytes)) + secrets_.mask(held_);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t begin = text.size();
  for (std::size_t lines = 0; lines < most && begin != 0 && begin != std::string::npos; ++lines)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

}  // namespace infermeter
