// A rule as what the server does on the socket after it has read a request. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rule.hpp"

namespace infermeter::faults {

enum class Deed {
  send,
  bytes,  // one by one, without a pause
  drip,   // one by one with long pauses, again and again
  flood,  // again and again, with short pauses
  stall,  // nothing more of this answer; the connection stays open
  close,
  reset
};

struct Step {
  Deed deed = Deed::send;
  std::string bytes;
};
using Script = std::vector<Step>;

/// What is asked for.
struct Asked {
  std::string path;
  std::string key;  // of its Authorization
  bool stream = true;
  std::uint32_t stream_id = 0;  // of HTTP/2
  std::string elsewhere;        // the URL of a second server, which nobody may ask
};

/// Throws std::invalid_argument at an unknown fault.
Script script_of(const Rule& rule, const Asked& asked);
/// Without any fault.
Script healthy_script(const Rule& rule, const Asked& asked);
/// Before HTTP is spoken, in the phases connect, tls and http2.
Script connection_script(const Rule& rule);
/// Of a GET request: one model, or no such page.
std::string models_answer(const std::string& path);

}  // namespace infermeter::faults
