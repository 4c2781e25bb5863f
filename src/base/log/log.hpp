// What happened during a run, for somebody who looks for a cause (-v, --log): lines on the terminal and in a
// file, by spdlog, which only log.cpp knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

enum class LogLevel : std::uint8_t { debug, info };  // -vv, -v

/// A value: whoever measures hands it over, and its bytes are masked and cut where it is written.
struct LogEntry {
  LogLevel level = LogLevel::info;
  std::string text;       // ours, in one line
  std::string head = {};  // of an answer, as the server sent it
  std::string body = {};  // its beginning
};

/// Bytes of an answer's head and of its body that are shown.
inline constexpr std::size_t kLoggedBytes = 1024;

struct LogOptions {
  std::optional<LogLevel> terminal;  // the least that is shown there; nothing: none
  std::function<void(const std::string& line)>
      show;          // "20:58:18.265 text", UTC; one at a time, by any thread
  std::string file;  // takes all; empty: none
  std::function<std::string(std::string text)> mask = {};                                 // of our text
  std::function<std::string(std::string_view bytes, std::size_t limit)> mask_front = {};  // of a server's
};

class Log {
 public:
  /// Starts no thread. Throws EnvironmentError naming the file if it cannot be written.
  explicit Log(LogOptions options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool takes(LogLevel level) const { return level >= least_; }
  /// Never throws. During a handover any thread may call it, and none ever waits for a slow terminal or disk:
  /// where more comes than can be written, the oldest lines are lost, and their number is said. Otherwise
  /// only the main thread may, and the line is written before it returns.
  void put(const LogEntry& entry) noexcept;

  /// While it exists, a thread of its own writes: not before, since this program forks. Main thread.
  class Handover {
   public:
    explicit Handover(Log* log);  // null: does nothing
    ~Handover();
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;

   private:
    Log* log_;
  };

 private:
  struct State;
  LogLevel least_;
  std::unique_ptr<State> state_;
};

/// Whether anything of this level is wanted; `log` may be null.
inline bool logs(const Log* log, LogLevel level = LogLevel::info) {
  return log != nullptr && log->takes(level);
}

}  // namespace infermeter
