#include "engine/load/request_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

/// Of any good answer.
constexpr std::array kOrdinary{Flag::packed,        Flag::late,      Flag::usage_excludes_reasoning,
                               Flag::compressed,    Flag::unstamped, Flag::reused_connection,
                               Flag::cancel_planned};

std::vector<std::string_view> odd_flags(const RequestRecord& record) {
  std::vector<std::string_view> odd = record.flags.names();
  std::erase_if(odd, [](std::string_view flag) {
    return std::ranges::any_of(kOrdinary, [&](Flag ordinary) { return name(ordinary) == flag; });
  });
  return odd;
}

std::string milliseconds_text(const Micros& from, const Micros& to) {
  return from && to ? fmt::format("{:.3f} ms", static_cast<double>(*to - *from) / 1e3)
                    : std::string("unknown");
}

std::string ending_of(const RequestRecord& record, const std::vector<std::string_view>& odd) {
  std::string out(name(record.outcome));
  if (record.status > 0) out += fmt::format(" {}", record.status);
  if (!odd.empty()) out += fmt::format(", {}", fmt::join(odd, ", "));
  if (record.tries > 1) out += fmt::format(", try {}", record.tries);
  return record.error.empty() ? out : out + ": " + record.error;
}

}  // namespace

void log_end(Log& log, std::string_view name, const RequestRecord& record, AnswerCopy& answer) {
  const auto odd = odd_flags(record);
  const bool good = (record.outcome == Outcome::ok || record.outcome == Outcome::cancelled) && odd.empty();
  LogEntry entry{.level = good ? LogLevel::debug : LogLevel::info,
                 .text = fmt::format("{}: {}", name, ending_of(record, odd))};
  if (good)
    entry.text += fmt::format(", {} events, first token after {}, {} in all", record.events,
                              milliseconds_text(record.sent_us, record.first_token_us),
                              milliseconds_text(record.sent_us, record.end_us));
  if (!log.takes(entry.level)) return;
  if (!good) answer.move_into(entry);
  log.put(entry);
}

void log_retry(Log& log, std::string_view name, const RequestRecord& record, std::uint32_t tries,
               nanoseconds delay) {
  log.put({.text = fmt::format("{}: try {} of {} in {}", name, record.tries + 1, tries,
                               format_duration(std::chrono::round<std::chrono::milliseconds>(delay)))});
}

}  // namespace infermeter
