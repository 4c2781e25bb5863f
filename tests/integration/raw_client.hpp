// A blocking HTTP/1.1 client for tests: the bytes on the wire, and when they arrived. Every wait ends after
// twenty seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter::test {

enum class End { complete, closed, reset, timed_out };

struct Answer {
  int status = 0;
  std::string head, body;  // the body without its chunk frames
  End end = End::timed_out;
  std::vector<std::pair<Instant, std::size_t>> reads;  // when, and how many bytes
};

class RawClient {
 public:
  /// Connects to `http://host:port`.
  explicit RawClient(const std::string& url);
  ~RawClient();
  RawClient(RawClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)), rest_(std::move(other.rest_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view bytes);
  void post(std::string_view path, std::string_view body, std::string_view headers = {});
  Answer get(std::string_view path);
  Answer receive();
  /// Reads once; empty at the end or after the timeout.
  std::string read_some();

 private:
  int fd_ = -1;
  std::string rest_;  // bytes received after the last answer
};

}  // namespace infermeter::test
