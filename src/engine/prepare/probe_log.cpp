#include "engine/prepare/probe_log.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/log/log.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

/// A failure comes with its answer; that of a good one is a detail.
void put(Log& log, bool failed, std::string text, AnswerCopy copy) {
  LogEntry entry{.text = std::move(text)};
  if (failed) copy.move_into(entry);
  log.put(entry);
  if (failed || !log.takes(LogLevel::debug)) return;
  LogEntry detail{.level = LogLevel::debug, .text = "its answer"};
  copy.move_into(detail);
  log.put(detail);
}

}  // namespace

void log_answer(const PreparedTarget& prepared, std::string_view step, std::string_view url,
                const HttpAnswer& answer) {
  if (!logs(prepared.log)) return;
  AnswerCopy copy{.most = kLoggedBytes + prepared.secrets.reach()};
  if (answer.status > 0) copy.on_status(answer.status);
  for (const auto& [key, value] : answer.headers) copy.on_header(key, value);
  copy.on_body(answer.body);
  const bool failed = answer.outcome != Outcome::ok || answer.status >= 400;
  const std::string took =
      format_duration(std::chrono::round<std::chrono::microseconds>(answer.ended - answer.started));
  std::string text = fmt::format("{}: {}: {}", step, url, name(answer.outcome));
  if (answer.status > 0) text += fmt::format(" {}", answer.status);
  text += fmt::format(", {} bytes in {}", answer.body.size(), took);
  if (!answer.message.empty()) text += ": " + answer.message;
  put(*prepared.log, failed, std::move(text), std::move(copy));
}

void log_trial(const PreparedTarget& prepared, std::string_view step, const Trial& trial) {
  if (!logs(prepared.log)) return;
  const RequestRecord& record = trial.record;
  std::string text =
      fmt::format("{}: {}: {}", step, prepared.shown_url(), trial.hung_up ? "hung up" : name(record.outcome));
  if (record.status > 0) text += fmt::format(" {}", record.status);
  text += fmt::format(", {} tokens asked, {} events", trial.asked_tokens, record.events);
  if (!record.error.empty()) text += ": " + record.error;
  const bool failed = !trial.hung_up && record.outcome != Outcome::ok;
  put(*prepared.log, failed, std::move(text), trial.copy);
}

}  // namespace infermeter
