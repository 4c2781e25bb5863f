// The output of the user's commands on its way to the terminal: `curl -v` shows the headers that it sends.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include "model/secrets/secrets.hpp"

namespace infermeter {

/// Output is masked line by line; a line that grows beyond this is masked as it is.
inline constexpr std::size_t kLongestMaskedLine = std::size_t{1} << 20;

/// A pipe whose lines go to another descriptor with the secrets masked. A thread of its own copies them, also
/// those of processes that a command leaves behind; it ends with this object.
class MaskedOutput {
 public:
  /// `to` stays the caller's. Throws EnvironmentError.
  MaskedOutput(int to, Secrets secrets);
  ~MaskedOutput();
  MaskedOutput(const MaskedOutput&) = delete;
  MaskedOutput& operator=(const MaskedOutput&) = delete;

  /// Where a command writes.
  int fd() const { return write_end_; }
  /// Returns when all that was written before has been copied, at the latest after `limit`.
  void settle(std::chrono::milliseconds limit = std::chrono::seconds(1));

 private:
  void copy();
  bool read_some();
  void hand_on(std::size_t bytes);

  int to_;
  Secrets secrets_;
  int read_end_ = -1, write_end_ = -1;
  std::string held_;  // the begin of a line
  std::atomic<bool> idle_{true}, stop_{false};
  std::thread thread_;
};

}  // namespace infermeter
