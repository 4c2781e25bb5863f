#include "protocol/stream/keep_alive.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"
#include "protocol/http/loose_json.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::string_view, 19> kNames{
    "ping",   "pong",  "keepalive", "keep-alive", "keep_alive", "heartbeat", "close",
    "end",    "done",  "open",      "connected",  "ready",      "start",     "processing",
    "status", "queue", "progress",  "loading",    "info"};

constexpr std::size_t kLongestWord = 32;

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789.-") == std::string_view::npos &&
         text.find('-', 1) == std::string_view::npos;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// "ping", "keep-alive": no sentence, no part of JSON, and not the word for a failure.
bool is_word(std::string_view text) {
  constexpr std::string_view marks = " \t\n{}[]\"<";
  const std::string low = lower_case(text.substr(0, kLongestWord));
  return text.size() <= kLongestWord && !is_number(text) &&
         text.find_first_of(marks) == std::string_view::npos && std::ranges::none_of(text, is_control) &&
         low.find("error") == std::string::npos && low.find("fail") == std::string::npos;
}

bool is_time(std::string_view text) {
  return text.find_first_not_of("0123456789-:./+TZ ,") == std::string_view::npos && !is_number(text);
}

std::string_view without_fields(std::string_view data) {
  while (data.starts_with("data:")) data = trim(data.substr(5));
  return data;
}

}  // namespace

bool is_keep_alive_name(std::string_view name) {
  return !name.empty() && std::any_of(kNames.begin(), kNames.end(), [name](std::string_view known) {
    return equals_ignoring_case(known, name);
  });
}

bool is_keep_alive(const SseEvent& event) {
  if (is_keep_alive_name(event.name)) return true;
  const auto data = without_fields(event.data);
  const bool quoted = data.size() > 1 && data.starts_with('"') && data.ends_with('"');
  return data.empty() || data.front() == ':' || data == "[]" || quoted || is_word(data) || is_time(data);
}

bool is_done_text(std::string_view data) {
  const std::string text = unquoted(without_fields(data));
  return equals_ignoring_case(trim(text).substr(0, 6), "[done]");
}

}  // namespace infermeter
