// HTTP/1.1 answers as bytes, formatted by hand: a stream's events cost one copy each. Pure; any thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace infermeter::sim {

/// How a body ends: by its length, by a last chunk, or (for HTTP/1.0 clients) by the connection's end.
enum class Framing { length, chunked, until_close };

struct Head {
  int status = 200;
  std::string_view content_type = "application/json";
  Framing framing = Framing::length;
  std::size_t length = 0;
  bool keep_alive = true;
  std::string_view request_id = {};
  std::string_view more = {};  // whole header lines, each with its CRLF
  std::time_t date = 0;        // UTC
};

void append_head(std::string& out, const Head& head);
/// One chunk of chunked encoding, or the bytes alone with another framing.
void append_chunk(std::string& out, std::string_view bytes, Framing framing);
void append_last_chunk(std::string& out, Framing framing);

/// "Sun, 29 Nov 2026 12:15:01 GMT" whatever the locale.
std::string http_date(std::time_t utc);
/// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace infermeter::sim
