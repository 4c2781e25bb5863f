#include "analysis/figures/windows.hpp"

#include <algorithm>

#include "model/load.hpp"

namespace infermeter {

namespace {

/// The earliest and latest of one instant over some records.
struct Extent {
  Micros first, last;
};

Extent extent(const Records& records, Micros RequestRecord::* instant) {
  Extent out;
  for (const auto* record : records) {
    const Micros at = record->*instant;
    if (!at) continue;
    out.first = out.first ? std::min(*out.first, *at) : *at;
    out.last = out.last ? std::max(*out.last, *at) : *at;
  }
  return out;
}

std::optional<Window> between(Micros from, Micros to) {
  if (!from || !to || *from >= *to) return std::nullopt;
  return Window{*from, *to};
}

bool has_ramp(const Records& records) {
  return std::ranges::any_of(records, [](const auto* record) { return record->phase == Phase::ramp; });
}

/// With stages: the longest of the stretches between ramps, in which the load was constant.
std::optional<Window> longest_hold(const Records& load) {
  std::optional<Window> longest;
  Micros from, to;
  const auto close = [&] {
    const auto held = between(from, to);
    if (held && (!longest || held->seconds() > longest->seconds())) longest = held;
    from = to = std::nullopt;
  };
  for (const auto* record : load) {
    if (record->phase == Phase::ramp) close();
    const Micros at = record->intended_us ? record->intended_us : record->started_us;
    if (record->phase != Phase::measured || !at) continue;
    if (!from) from = at;
    to = at;
  }
  close();
  return longest;
}

/// When several loops run together, one may still warm up while another is measured.
Micros last_warmup(const Records& load) {
  Micros last;
  for (const auto* record : load) {
    if (record->phase == Phase::warmup && record->intended_us)
      last = last ? std::max(*last, *record->intended_us) : *record->intended_us;
  }
  return last;
}

/// `a`, or `b` if that is later.
Micros later(Micros a, Micros b) { return a && b ? std::max(*a, *b) : a; }

/// The end of the n-th request by order of completion, counted from 1.
Micros completion(const Records& records, std::size_t n) {
  std::vector<std::int64_t> ends;
  for (const auto* record : records) {
    if (record->started_us && record->end_us) ends.push_back(*record->end_us);
  }
  if (n == 0 || ends.size() < n) return std::nullopt;
  const auto nth = ends.begin() + static_cast<std::ptrdiff_t>(n) - 1;
  std::ranges::nth_element(ends, nth);
  return *nth;
}

/// A slot may still be in its warm-up while another one is measured: conversations are warm-up as a whole.
std::optional<Window> closed_window(std::uint32_t slots, const RunRecords& run) {
  if (run.load_measured.size() < requests_for_steady_rate(slots)) return std::nullopt;
  const auto starts = extent(run.load_measured, &RequestRecord::started_us);
  const auto all_begun = later(completion(run.load, slots), last_warmup(run.load));
  return between(later(all_begun, starts.first), starts.last);
}

}  // namespace

std::int64_t Window::overlap_us(std::int64_t start, std::int64_t end) const {
  const auto from = std::max(start, from_us), to = std::min(end, to_us);
  if (blocks.empty()) return std::max<std::int64_t>(0, to - from);
  std::int64_t sum = 0;
  for (const auto& block : blocks)
    sum += std::max<std::int64_t>(0, std::min(to, static_cast<std::int64_t>(block.to_us)) -
                                         std::max(from, static_cast<std::int64_t>(block.from_us)));
  return sum;
}

Window Window::part(std::int64_t b, std::int64_t n) const {
  const auto edge = [&](std::int64_t i) { return from_us + (to_us - from_us) * i / n; };
  return {.from_us = edge(b), .to_us = edge(b + 1), .blocks = blocks};
}

std::optional<Window> steady_window(const LoadPoint& load, const RunRecords& run) {
  if (has_ramp(run.load)) return longest_hold(run.load);
  if (!load.open_loop) return closed_window(load.concurrency, run);
  const auto intended = extent(run.load_measured, &RequestRecord::intended_us);
  return between(later(intended.first, last_warmup(run.load)), intended.last);
}

Window in_blocks(Window window, std::span<const TimeSpan> blocks) {
  const Window own{.from_us = window.from_us, .to_us = window.to_us, .blocks = blocks};
  const auto length = own.overlap_us(window.from_us, window.to_us);
  if (length <= 0) return window;
  window.blocks = blocks;
  window.own_share = static_cast<double>(length) / static_cast<double>(window.to_us - window.from_us);
  return window;
}

std::optional<Window> whole_window(const LoadPoint& load, const Records& measured) {
  auto window = between(extent(measured, &RequestRecord::started_us).first,
                        extent(measured, &RequestRecord::end_us).last);
  if (window) window->whole_answers = !load.open_loop;
  return window;
}

}  // namespace infermeter
