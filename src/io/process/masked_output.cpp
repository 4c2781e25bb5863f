#include "io/process/masked_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr int kWaitMs = 20;  // then a line that has not ended is shown

}  // namespace

MaskedOutput::MaskedOutput(int to, Secrets secrets) : to_(to), secrets_(std::move(secrets)) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw EnvironmentError(
        fmt::format("cannot open a pipe for a command: {}", std::generic_category().message(errno)));
  read_end_ = ends[0];
  write_end_ = ends[1];
  thread_ = std::thread([this] { copy(); });
}

MaskedOutput::~MaskedOutput() {
  settle();
  stop_ = true;
  thread_.join();
  ::close(read_end_);
  ::close(write_end_);
}

void MaskedOutput::settle(std::chrono::milliseconds limit) {
  constexpr auto kStep = std::chrono::milliseconds(2);
  for (auto waited = std::chrono::milliseconds(0); waited < limit; waited += kStep) {
    int waiting = 0;
    const bool empty = ::ioctl(read_end_, FIONREAD, &waiting) == 0 && waiting == 0;
    if (empty && idle_) return;
    std::this_thread::sleep_for(kStep);
  }
}

// Not idle from before a read until its bytes are written.
void MaskedOutput::copy() {
  while (!stop_) {
    pollfd poll{read_end_, POLLIN, 0};
    if (::poll(&poll, 1, kWaitMs) > 0) {
      idle_ = false;
      if (!read_some()) return;
    } else {
      hand_on(held_.size());
    }
    idle_ = held_.empty();
  }
}

bool MaskedOutput::read_some() {
  std::array<char, 4096> bytes{};
  const ssize_t read = ::read(read_end_, bytes.data(), bytes.size());
  if (read <= 0) return read < 0 && errno == EINTR;
  held_.append(bytes.data(), static_cast<std::size_t>(read));
  const std::size_t line_end = held_.rfind('\n');
  if (line_end != std::string::npos) hand_on(line_end + 1);
  if (held_.size() > kLongestMaskedLine) hand_on(held_.size());
  return true;
}

void MaskedOutput::hand_on(std::size_t bytes) {
  const std::string text = secrets_.mask(held_.substr(0, bytes));
  held_.erase(0, bytes);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(to_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace infermeter
