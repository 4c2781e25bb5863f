#include "io/files/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

[[noreturn]] void refuse_lines(const std::string& path) {
  throw EnvironmentError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
}

}  // namespace

LineReader::LineReader(const std::string& path, std::size_t padding)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), padding_(padding) {
  if (fd_ < 0) refuse_lines(path_);
}

LineReader::~LineReader() { ::close(fd_); }

std::optional<LineReader::Line> LineReader::next() {
  std::size_t searched = 0;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found) {
      const auto size = static_cast<std::size_t>(static_cast<const char*>(found) - from);
      begin_ += size + 1;
      return Line{{from, size}, ++line_, true};
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (begin_ == end_) return std::nullopt;
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    return Line{rest, ++line_, false};
  }
}

// Moves the unread bytes to the front and reads behind them; the buffer grows to the longest line.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + kChunk + padding_) buffer_.resize(std::max(end_ + kChunk + padding_, 2 * end_));
  ssize_t n = -1;
  do {
    n = ::read(fd_, buffer_.data() + end_, kChunk);
  } while (n < 0 && errno == EINTR);
  if (n < 0) refuse_lines(path_);
  end_ += static_cast<std::size_t>(n);
  return n > 0;
}

}  // namespace infermeter
