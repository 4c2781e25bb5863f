#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/output.hpp"
#include "infermeter/base/units.hpp"
#include "report/media/media.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kLineEvery = 30s;
// Columns kept free: a terminal's echo of ^C must not wrap a line of the block.
constexpr std::size_t kMargin = 4;

double seconds(nanoseconds d) { return std::chrono::duration<double>(d).count(); }

std::string_view stage_word(Stage stage) {
  constexpr std::string_view words[] = {"warm-up", "measuring", "draining", "done"};
  return words[static_cast<std::size_t>(stage)];
}

double share_done(const ProgressFigures& f) {
  double share = 0;
  if (f.total && f.total->count() > 0) share = seconds(f.elapsed) / seconds(*f.total);
  if (f.requests && *f.requests > 0) {
    share = std::max(share, static_cast<double>(f.done) / static_cast<double>(*f.requests));
  }
  return f.stage == Stage::warmup ? 0 : std::clamp(share, 0.0, 1.0);
}

std::string bar(double share, std::size_t cells, bool ascii) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string out;
  for (std::size_t i = 0; i < cells; ++i) out += i < full ? (ascii ? "=" : "━") : (ascii ? "." : "─");
  return out;
}

std::string elapsed_text(const ProgressFigures& f) {
  if (f.total && f.stage != Stage::warmup)
    return fmt::format("{:.1f} s / {}", seconds(f.elapsed), format_duration(*f.total));
  return fmt::format("{:.1f} s", seconds(f.elapsed));
}

std::string counts_text(const ProgressFigures& f) {
  const std::string of = f.requests ? " of " + format_count(*f.requests) : "";
  return fmt::format("{} in flight   {}{} done   {} errors", f.in_flight, format_count(f.done), of,
                     format_count(f.errors));
}

std::string rates_text(const ProgressFigures& f) {
  const auto ms = [](double value) { return value > 0 ? format_number(value) + " ms" : std::string("–"); };
  return fmt::format("{} req/s   {} tok/s   TTFT {}   ITL {}", format_number(f.requests_per_s),
                     format_number(f.tokens_per_s), ms(f.ttft_ms), ms(f.itl_ms));
}

std::int64_t unix_ms_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

ProgressStyle progress_style(const Plan& plan, unsigned verbosity) {
  const Terminal terminal = terminal_of(STDERR_FILENO);
  ProgressStyle style{.kind = plan.output.progress, .width = terminal.width, .ascii = terminal.ascii};
  if (style.kind == Progress::automatic)
    style.kind = isatty(STDERR_FILENO) != 0 && verbosity == 0 ? Progress::bar : Progress::plain;
  return style;
}

std::string progress_block(const ProgressFigures& f, unsigned width, bool ascii) {
  const std::size_t usable = width > 2 * kMargin ? width - kMargin : kMargin;
  const std::string left =
      fmt::format("{:>17} ", terminal_text(f.label, ascii) + (f.stage == Stage::warmup ? "warm-up " : "") +
                                 elapsed_text(f));
  const std::string right = "  " + counts_text(f);
  const std::size_t used = left.size() + right.size();
  const std::size_t cells = std::min<std::size_t>(usable > used ? usable - used : 0, 32);
  const std::string rates = (f.stage == Stage::draining ? "draining   " : "") + rates_text(f);
  const std::size_t indent = used + cells - std::min(used + cells, count_code_points(rates));
  return std::string(first_code_points(left, usable)) + bar(share_done(f), cells, ascii) +
         std::string(first_code_points(right, usable - std::min(usable, left.size()))) + "\n" +
         std::string(first_code_points(std::string(indent, ' ') + rates, usable));
}

std::string progress_line(const ProgressFigures& f) {
  return fmt::format("{}{:<9}  {}  {}  {}", f.label, stage_word(f.stage), elapsed_text(f), counts_text(f),
                     rates_text(f));
}

std::string progress_json(const ProgressFigures& f, std::int64_t unix_ms) {
  std::string target;
  append_json_escaped(target, f.target);
  return fmt::format(R"({{"time":"{}","point":{},"points":{},"target":"{}",)", utc_text(unix_ms), f.point + 1,
                     f.points, target) +
         fmt::format(
             R"("stage":"{}","elapsed_s":{:.1f},"in_flight":{},"done":{},"errors":{},"requests_per_s":{:.3f},)"
             R"("tokens_per_s":{:.1f},"ttft_p50_ms":{:.3f},"itl_p50_ms":{:.3f}}})",
             stage_word(f.stage), seconds(f.elapsed), f.in_flight, f.done, f.errors, f.requests_per_s,
             f.tokens_per_s, f.ttft_ms, f.itl_ms);
}

void ProgressDisplay::show(const ProgressFigures& figures, Instant now) {
  if (style_.kind == Progress::none) return;
  if (figures.stage == Stage::ended) return clear();
  if (style_.kind == Progress::bar) {
    show_block(figures);
  } else {
    show_line(figures, now);
  }
}

void ProgressDisplay::show_block(const ProgressFigures& figures) {
  // Two lines up and each cleared to its end: no flicker, and no rest of a longer line.
  std::string text = drawn_ ? "\x1b[1A\r\x1b[0J" : "";
  write_error_output(text + progress_block(figures, style_.width, style_.ascii));
  drawn_ = true;
}

void ProgressDisplay::show_line(const ProgressFigures& figures, Instant now) {
  const bool changed = last_stage_ != figures.stage;
  const bool due = !last_line_ || now - *last_line_ >= kLineEvery;
  if (!changed && !due) return;
  last_stage_ = figures.stage;
  last_line_ = now;
  print_line(style_.kind == Progress::json ? progress_json(figures, unix_ms_now()) : progress_line(figures));
}

void ProgressDisplay::clear() {
  if (drawn_) write_error_output("\x1b[1A\r\x1b[0J");
  drawn_ = false;
}

Hooks shown_on_stderr(const ProgressStyle& style, const std::atomic<bool>& interrupt) {
  Hooks hooks{.stop = &interrupt};
  hooks.warn = [](const std::string& line) { print_warnings(std::vector{line}); };
  if (style.kind == Progress::none) return hooks;
  hooks.say = [](const std::string& line) { print_line(line); };
  hooks.progress = [display = ProgressDisplay(style)](const ProgressFigures& figures) mutable {
    display.show(figures, now());
  };
  return hooks;
}

}  // namespace infermeter
