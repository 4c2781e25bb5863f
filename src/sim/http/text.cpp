#include "sim/http/text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>

#include "base/text.hpp"

namespace infermeter::sim {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Payload Too Large";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    default:
      return "Unknown";
  }
}

}  // namespace

void append_head(std::string& out, const Head& head) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "HTTP/1.1 {} {}\r\nserver: infermeter-sim\r\ndate: {}\r\ncontent-type: {}\r\n",
                 head.status, reason(head.status), http_date(head.date), head.content_type);
  if (!head.request_id.empty()) fmt::format_to(to, "x-request-id: {}\r\n", head.request_id);
  if (head.framing == Framing::length) fmt::format_to(to, "content-length: {}\r\n", head.length);
  if (head.framing == Framing::chunked) out += "transfer-encoding: chunked\r\n";
  if (!head.keep_alive) out += "connection: close\r\n";
  out += head.more;
  out += "\r\n";
}

void append_chunk(std::string& out, std::string_view bytes, Framing framing) {
  if (framing != Framing::chunked) {
    out += bytes;
    return;
  }
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out += bytes;
  out += "\r\n";
}

void append_last_chunk(std::string& out, Framing framing) {
  if (framing == Framing::chunked) out += "0\r\n\r\n";
}

std::string http_date(std::time_t utc) {
  constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm t{};
  gmtime_r(&utc, &t);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(t.tm_wday)],
                     t.tm_mday, kMonths[static_cast<std::size_t>(t.tm_mon)], t.tm_year + 1900, t.tm_hour,
                     t.tm_min, t.tm_sec);
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  append_json_escaped(out, text);
  return out + '"';
}

}  // namespace infermeter::sim
