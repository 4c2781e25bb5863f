// What a response's headers say of the server's limits: x-ratelimit-*, anthropic-ratelimit-*, ratelimit-*.
// One per response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

class RateLimits {
 public:
  /// A header, if it is one of these; `name` in lower case. Bounded: a server cannot fill the records.
  void add(std::string_view name, std::string_view value);
  /// {"x-ratelimit-remaining-requests":"0",…}, on one line; empty if there is nothing.
  std::string json() const;
  /// Milliseconds until a request may pass again: the longest reset of the limits that are used up, else the
  /// shortest one of all; nothing where none is said. `date` is the response's, for resets that are instants.
  std::optional<std::int64_t> wait_ms(std::string_view date) const;

 private:
  bool used_up(std::string_view reset_name) const;

  std::vector<std::pair<std::string, std::string>> headers_;
};

}  // namespace infermeter
