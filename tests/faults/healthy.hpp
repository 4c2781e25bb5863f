// What a healthy server of each endpoint sends. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

namespace infermeter::faults {

/// The body of one answer in the pieces that a fault may come between.
struct HealthyBody {
  std::string type;                 // its Content-Type
  std::vector<std::string> events;  // of a stream its events, of a whole answer its two halves
  std::size_t usage = 0;            // the event that holds the usage
  std::size_t done = 0;             // the terminal event
};

/// Four tokens; the prompt has 16.
HealthyBody healthy_body(const std::string& endpoint, bool stream);

/// An event with one token more.
std::string token_event(const std::string& endpoint);

}  // namespace infermeter::faults
