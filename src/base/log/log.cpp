#ifndef SPDLOG_FMT_EXTERNAL
#define SPDLOG_FMT_EXTERNAL
#endif
#ifndef SPDLOG_HEADER_ONLY
#define SPDLOG_HEADER_ONLY
#endif

#include "base/log/log.hpp"

#include <fmt/format.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr char kBetween = '\x1e';  // of text, head and body; a control character, so that no text has it
constexpr std::size_t kMostWaiting = 8192;  // lines
constexpr std::size_t kLongestLine = std::size_t{16} << 10;

spdlog::level::level_enum level_of(LogLevel level) {
  return level == LogLevel::info ? spdlog::level::info : spdlog::level::debug;
}

std::string without_marks(std::string text) {
  std::ranges::replace(text, kBetween, ' ');
  return text;
}

/// The body may hold anything: it is the rest behind the second mark.
std::string payload_of(const LogEntry& entry) {
  std::string out = without_marks(entry.text);
  if (entry.head.empty() && entry.body.empty()) return out;
  return out + kBetween + without_marks(entry.head) + kBetween + entry.body;
}

/// The line of a payload, masked.
std::string line_of(std::string_view payload, const LogOptions& options) {
  std::array<std::string_view, 3> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end =
        i + 1 == parts.size() ? payload.size() : std::min(payload.find(kBetween), payload.size());
    parts[i] = payload.substr(0, end);
    payload.remove_prefix(std::min(end + 1, payload.size()));
  }
  const auto front = [&](std::string_view bytes) {
    return options.mask_front ? options.mask_front(bytes, kLoggedBytes)
                              : std::string(bytes.substr(0, kLoggedBytes));
  };
  std::string line = options.mask ? options.mask(std::string(parts[0])) : std::string(parts[0]);
  if (!parts[1].empty()) line += " | head: " + front(parts[1]);
  if (!parts[2].empty()) line += " | body: " + front(parts[2]);
  return one_line(line, kLongestLine);
}

/// Hands each line on, masked: this runs in the log's thread during a handover.
class MaskingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  MaskingSink(const LogOptions& options, spdlog::sink_ptr file) : options_(options), file_(std::move(file)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string line = line_of({message.payload.data(), message.payload.size()}, options_);
    spdlog::details::log_msg masked = message;
    masked.payload = spdlog::string_view_t(line.data(), line.size());
    if (options_.terminal && message.level >= level_of(*options_.terminal)) show(masked);
    if (file_) file_->log(masked);
  }
  void flush_() override {
    if (file_) file_->flush();
  }

 private:
  void show(const spdlog::details::log_msg& masked) {
    spdlog::memory_buf_t line;
    of_terminal_.format(masked, line);
    options_.show(std::string(line.data(), line.size()));
  }

  const LogOptions& options_;
  spdlog::sink_ptr file_;
  spdlog::pattern_formatter of_terminal_{"%H:%M:%S.%e %v", spdlog::pattern_time_type::utc, ""};
};

spdlog::sink_ptr file_sink(const std::string& path) {
  if (path.empty()) return nullptr;
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, true);
    sink->set_formatter(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%f %L %v",
                                                                    spdlog::pattern_time_type::utc));
    return sink;
  } catch (const spdlog::spdlog_ex&) {
    throw EnvironmentError(fmt::format("--log: '{}' cannot be written", path));
  }
}

}  // namespace

struct Log::State {
  explicit State(LogOptions given)
      : options(std::move(given)),
        sink(std::make_shared<MaskingSink>(options, file_sink(options.file))),
        here(std::make_shared<spdlog::logger>("log", sink)) {
    set_up(*here);
  }

  static void set_up(spdlog::logger& logger) {
    logger.set_level(spdlog::level::debug);
    logger.flush_on(spdlog::level::debug);  // a killed run's last lines matter most
    logger.set_error_handler([](const std::string&) {});
  }

  LogOptions options;
  spdlog::sink_ptr sink;
  std::shared_ptr<spdlog::logger> here;  // writes at once
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::logger> handing;  // null: no handover
};

Log::Log(LogOptions options)
    : least_(!options.file.empty() ? LogLevel::debug : options.terminal.value_or(LogLevel::info)),
      state_(std::make_unique<State>(std::move(options))) {}

Log::~Log() = default;

void Log::put(const LogEntry& entry) noexcept {
  if (!takes(entry.level)) return;
  try {
    const std::string payload = payload_of(entry);
    spdlog::logger& logger = state_->handing ? *state_->handing : *state_->here;
    logger.log(level_of(entry.level), spdlog::string_view_t(payload.data(), payload.size()));
  } catch (...) {
    // Memory is exhausted: the measurement goes on without this line.
  }
}

Log::Handover::Handover(Log* log) : log_(log) {
  if (log_ == nullptr) return;
  State& state = *log_->state_;
  state.pool = std::make_shared<spdlog::details::thread_pool>(kMostWaiting, 1);
  auto logger = std::make_shared<spdlog::async_logger>("log", state.sink, state.pool,
                                                       spdlog::async_overflow_policy::overrun_oldest);
  State::set_up(*logger);
  state.handing = std::move(logger);
}

Log::Handover::~Handover() {
  if (log_ == nullptr) return;
  State& state = *log_->state_;
  const std::size_t lost = state.pool->overrun_counter();
  state.handing.reset();
  state.pool.reset();  // writes what waits
  if (lost > 0)
    log_->put({.text = fmt::format("{} lines of the log were lost: more came than could be written", lost)});
}

}  // namespace infermeter
