// The bytes of the exact server's answers, encoded once, so that sending is one write. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace infermeter::bench {

/// The parts of a request's head and body that the server needs.
struct ParsedRequest {
  bool complete = false;
  std::size_t bytes = 0;  // of head and body, once complete
  bool is_post = false;
  std::string path;
  std::string id;          // X-Request-Id
  long output_tokens = 0;  // max_tokens or max_completion_tokens; 0: not given
};

ParsedRequest parse_request(std::string_view bytes);

/// Status line, headers and the role-only first event.
const std::string& stream_opening();
/// One event with one token, as one HTTP chunk.
const std::string& token_event();
/// Finish reason, usage, [DONE] and the last HTTP chunk.
std::string stream_closing(long output_tokens);
/// A whole answer with a JSON body.
std::string whole_answer(int status, std::string_view json);

}  // namespace infermeter::bench
