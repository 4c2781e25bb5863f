// A run's progress on standard error: a block, lines or JSON objects. Private to src/cli.
#pragma once

#include <optional>
#include <string>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/progress.hpp"
#include "infermeter/run/measure.hpp"

namespace infermeter {

/// Two lines of at most `width` columns, without a newline at the end.
std::string progress_block(const ProgressFigures& figures, unsigned width, bool ascii);
/// One plain line.
std::string progress_line(const ProgressFigures& figures);
/// One JSON object on one line.
/// `unix_ms`: the time of the line.
std::string progress_json(const ProgressFigures& figures, std::int64_t unix_ms);

struct ProgressStyle {
  Progress kind = Progress::none;  // bar, plain, json or none: `automatic` is already resolved
  unsigned width = 80;
  bool ascii = false;
};

/// As the plan says; `automatic` depends on whether standard error is a terminal.
/// With -v, whose lines would break a bar, the progress is lines.
ProgressStyle progress_style(const Plan& plan, unsigned verbosity);

/// Writes to standard error: the block in place, a plain or JSON line every 30 s and at each change of stage.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(const ProgressStyle& style) : style_(style) {}
  /// At the end of a session the live block is removed, so that later output starts on a clean line.
  void show(const ProgressFigures& figures, Instant now);

 private:
  void clear();
  void show_block(const ProgressFigures& figures);
  void show_line(const ProgressFigures& figures, Instant now);

  ProgressStyle style_;
  bool drawn_ = false;
  std::optional<Stage> last_stage_;
  std::optional<Instant> last_line_;
};

/// Hooks that show progress and messages there (none with Progress::none), and stop on `interrupt`.
Hooks shown_on_stderr(const ProgressStyle& style, const std::atomic<bool>& interrupt);

}  // namespace infermeter
