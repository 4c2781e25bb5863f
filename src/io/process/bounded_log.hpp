// The output of a child process in a file of limited size, so that a server that floods its log cannot fill
// the disk: its beginning as it comes, and its end, written when the log is closed. Between them one line
// says how much was left out. Secrets are masked line by line. A thread of its own reads the pipe, so that
// the process never waits for us long.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "model/secrets/secrets.hpp"

namespace infermeter {

class BoundedLog {
 public:
  /// Truncates the file. Throws EnvironmentError if it cannot be written. `limit`: bytes, kLeast or more.
  BoundedLog(std::string path, std::uint64_t limit, Secrets secrets = {});
  /// close()
  ~BoundedLog();
  BoundedLog(const BoundedLog&) = delete;
  BoundedLog& operator=(const BoundedLog&) = delete;

  static constexpr std::uint64_t kLeast = 4000;

  /// The descriptor that the process writes to; closed on exec. Ours is closed once the process has its own.
  int input() const { return input_; }
  void close_input();
  /// Takes what waits in the pipe and writes the end. A second call does nothing.
  void close();

  /// Whether anything was left out.
  bool cut() const { return cut_; }
  const std::string& path() const { return path_; }
  /// The end of the output so far: at most this many lines.
  std::string last_lines(std::size_t most);

 private:
  void read_on();
  void drain();
  void hand_on(std::size_t bytes);
  void take(std::string_view bytes);
  void write(std::string_view bytes);

  std::string path_;
  std::uint64_t head_room_;  // bytes that the beginning may still take
  std::size_t tail_size_;
  Secrets secrets_;
  int file_ = -1, input_ = -1, output_ = -1, wake_ = -1;
  std::mutex mutex_;              // guards what follows
  std::string held_;              // a line that has not ended
  std::string tail_, recent_;     // the end of what came after the beginning; the end of all
  std::uint64_t after_head_ = 0;  // bytes
  bool closed_ = false;
  std::atomic<bool> cut_{false};
  std::thread reader_;
};

}  // namespace infermeter
