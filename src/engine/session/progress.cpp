#include "engine/session/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kLineEvery = 30s;
// Columns left free: a terminal's echo of ^C must not wrap a line of the block.
constexpr std::size_t kMargin = 4;

double seconds(nanoseconds d) { return std::chrono::duration<double>(d).count(); }

std::string_view stage_word(Stage stage) {
  constexpr std::string_view words[] = {"warm-up", "measuring", "draining", "done"};
  return words[static_cast<std::size_t>(stage)];
}

// The stage of the run is that of its least advanced worker, so that "draining" means all of them.
Stage joint_stage(const std::deque<WorkerCounters>& workers) {
  Stage least = Stage::ended;
  for (const auto& worker : workers) least = std::min(least, worker.stage.load(std::memory_order_relaxed));
  return least;
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

// One code point takes one column in all that these lines hold.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t width) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) != 0x80 && ++seen > width) return text.substr(0, i);
  }
  return text;
}

void write_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressFigures ProgressMeter::read(Instant now) {
  ProgressFigures f;
  f.stage = joint_stage(workers_);
  f.total = load_.duration;
  f.requests = load_.requests;
  std::uint64_t events = 0, tokens = 0, counted = 0;
  std::array<std::uint64_t, 512> ttft{}, itl{};
  for (const auto& worker : workers_) {
    f.in_flight += worker.in_flight.load(std::memory_order_relaxed);
    f.done += worker.measured_done.load(std::memory_order_relaxed);
    f.errors += worker.errors.load(std::memory_order_relaxed);
    events += worker.events.load(std::memory_order_relaxed);
    tokens += worker.output_tokens.load(std::memory_order_relaxed);
    counted += worker.counted_events.load(std::memory_order_relaxed);
    worker.ttft.add_to(ttft);
    worker.itl.add_to(itl);
  }
  if (f.stage >= Stage::measuring && !measuring_since_) {
    measuring_since_ = now;
    events_before_ = events;
  }
  const double per_event = counted > 0 ? static_cast<double>(tokens) / static_cast<double>(counted) : 1.0;
  const Instant since = measuring_since_.value_or(t0_);
  f.elapsed = std::max(now - since, nanoseconds(0));
  if (const double s = seconds(f.elapsed); s > 0) {
    f.requests_per_s = static_cast<double>(f.done) / s;
    f.tokens_per_s = per_event * static_cast<double>(events - events_before_) / s;
  }
  f.ttft_ms = live_median_ms(ttft);
  f.itl_ms = live_median_ms(itl) / std::max(per_event, 1.0);
  return f;
}

std::string progress_block(const ProgressFigures& f, unsigned width, bool ascii) {
  const std::size_t usable = width > 2 * kMargin ? width - kMargin : kMargin;
  const std::string left =
      fmt::format("{:>17} ", f.label + (f.stage == Stage::warmup ? "warm-up " : "") + elapsed_text(f));
  const std::string right = "  " + counts_text(f);
  const std::size_t used = left.size() + right.size();
  const std::size_t cells = std::min<std::size_t>(usable > used ? usable - used : 0, 32);
  const std::string rates = (f.stage == Stage::draining ? "draining   " : "") + rates_text(f);
  const std::size_t indent = used + cells - std::min(used + cells, columns(rates));
  return cut(left, usable) + bar(share_done(f), cells, ascii) +
         cut(right, usable - std::min(usable, left.size())) + "\n" +
         cut(std::string(indent, ' ') + rates, usable);
}

std::string progress_line(const ProgressFigures& f) {
  return fmt::format("{}{:<9}  {}  {}  {}", f.label, stage_word(f.stage), elapsed_text(f), counts_text(f),
                     rates_text(f));
}

std::string progress_json(const ProgressFigures& f) {
  return fmt::format(
      R"({{"stage":"{}","elapsed_s":{:.1f},"in_flight":{},"done":{},"errors":{},"requests_per_s":{:.3f},)"
      R"("tokens_per_s":{:.1f},"ttft_p50_ms":{:.3f},"itl_p50_ms":{:.3f}}})",
      stage_word(f.stage), seconds(f.elapsed), f.in_flight, f.done, f.errors, f.requests_per_s,
      f.tokens_per_s, f.ttft_ms, f.itl_ms);
}

void ProgressDisplay::show(ProgressFigures figures, Instant now) {
  if (style_.kind == Progress::none) return;
  figures.label = style_.label;
  if (style_.kind == Progress::bar) {
    show_block(figures);
  } else {
    show_line(figures, now);
  }
}

void ProgressDisplay::show_block(const ProgressFigures& figures) {
  // Two lines up and each cleared to its end: no flicker, nothing left of a longer line.
  std::string text = drawn_ ? "\x1b[1A\r\x1b[0J" : "";
  write_out(text + progress_block(figures, style_.width, style_.ascii));
  drawn_ = true;
}

void ProgressDisplay::show_line(const ProgressFigures& figures, Instant now) {
  const bool changed = last_stage_ != figures.stage;
  const bool due = !last_line_ || now - *last_line_ >= kLineEvery;
  if (!changed && !due) return;
  last_stage_ = figures.stage;
  last_line_ = now;
  write_out((style_.kind == Progress::json ? progress_json(figures) : progress_line(figures)) + "\n");
}

void ProgressDisplay::clear() {
  if (drawn_) write_out("\x1b[1A\r\x1b[0J");
  drawn_ = false;
}

}  // namespace infermeter
