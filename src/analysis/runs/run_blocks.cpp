#include "analysis/runs/run_blocks.hpp"

#include <algorithm>
#include <optional>

namespace infermeter {

namespace {

std::size_t count_ok(const Records& records) {
  return static_cast<std::size_t>(
      std::ranges::count(records, Outcome::ok, [](const auto* record) { return record->outcome; }));
}

/// From the first to the last intended start; nothing without a request or with a single instant.
std::optional<Window> intended_span(const Records& records) {
  Micros from, to;
  for (const auto* record : records) {
    if (!record->intended_us) continue;
    if (!from) from = record->intended_us;
    to = record->intended_us;
  }
  if (!from || *from >= *to) return std::nullopt;
  return Window{*from - 1, *to};  // a window is open at its start
}

std::optional<Window> common_span(const Records& a, const Records& b) {
  const auto of_a = intended_span(a), of_b = intended_span(b);
  if (!of_a || !of_b) return std::nullopt;
  const Window common{std::max(of_a->from_us, of_b->from_us), std::min(of_a->to_us, of_b->to_us)};
  return common.from_us < common.to_us ? std::optional(common) : std::nullopt;
}

bool overlaps(const RequestRecord& record, const Window& window) {
  return record.started_us && record.end_us && *record.started_us <= window.to_us &&
         *record.end_us > window.from_us;
}

RunBlock block_of(const Records& records, const Window& window) {
  RunBlock block{.measured = {}, .arriving = {}, .window = window};
  for (const auto* record : records) {
    if (window.contains(record->intended_us)) block.measured.push_back(record);
    if (overlaps(*record, window)) block.arriving.push_back(record);
  }
  return block;
}

/// One pass over the records for each number of blocks: cheaper than making the blocks.
bool enough_in_time(const Records& records, const Window& span, std::size_t blocks) {
  std::vector<std::size_t> counts(blocks);
  for (const auto* record : records) {
    if (record->outcome != Outcome::ok || !span.contains(record->intended_us)) continue;
    const auto block = static_cast<std::size_t>(*record->intended_us - span.from_us - 1) * blocks /
                       static_cast<std::size_t>(span.to_us - span.from_us);
    ++counts[block];
  }
  return std::ranges::min(counts) >= kFewestPerBlock;
}

RunBlock whole_block(const Records& measured) {
  RunBlock block{.measured = measured, .arriving = measured, .window = {}};
  Micros from, to;
  for (const auto* record : measured) {
    if (!record->started_us || !record->end_us) continue;
    from = from ? std::min(*from, *record->started_us) : *record->started_us;
    to = to ? std::max(*to, *record->end_us) : *record->end_us;
  }
  if (from) block.window = {*from - 1, *to};
  return block;
}

/// How much of the window has at least one of the records in flight; records in order of their start.
std::int64_t busy_us(const Records& records, const Window& window) {
  std::int64_t sum = 0, until = window.from_us;
  for (const auto* record : records) {
    if (!record->started_us || !record->end_us || *record->started_us > window.to_us ||
        *record->end_us <= window.from_us)
      continue;
    const auto end = std::min(*record->end_us, window.to_us);
    sum += std::max<std::int64_t>(0, end - std::max(until, *record->started_us));
    until = std::max(until, end);
  }
  return sum;
}

/// A part of one target's requests; this target is idle during the blocks of the other one.
RunBlock beside(const Records& part, const Records& other) {
  auto block = whole_block(part);
  const auto length = block.window.to_us - block.window.from_us;
  if (length > 0)
    block.window.own_share =
        1 - static_cast<double>(busy_us(other, block.window)) / static_cast<double>(length);
  return block;
}

Records part_of(const Records& records, std::size_t i, std::size_t n) {
  const auto at = [&](std::size_t edge) {
    return records.begin() + static_cast<std::ptrdiff_t>(records.size() * edge / n);
  };
  return {at(i), at(i + 1)};
}

}  // namespace

BlockPairs blocks_of_time(const Records& a, const Records& b) {
  const auto span = common_span(a, b);
  if (!span) return {};
  std::size_t n = kMostBlocks;
  while (n > 0 && (!enough_in_time(a, *span, n) || !enough_in_time(b, *span, n))) --n;
  BlockPairs out;
  for (std::size_t i = 0; i < n; ++i) {
    const auto window = span->part(static_cast<std::int64_t>(i), static_cast<std::int64_t>(n));
    out.emplace_back(block_of(a, window), block_of(b, window));
  }
  return out;
}

double times_as_long(const Records& a, const Records& b, bool in_order) {
  constexpr double kSpare = 1.25;
  const auto fewest = [&]() -> std::size_t {
    if (in_order) return std::min(count_ok(a), count_ok(b));
    const auto span = common_span(a, b);
    if (!span) return 0;
    return std::min(count_ok(block_of(a, *span).measured), count_ok(block_of(b, *span).measured));
  };
  return kSpare * static_cast<double>(kFewestBlocks * kFewestPerBlock) /
         static_cast<double>(std::max<std::size_t>(1, fewest()));
}

BlockPairs blocks_in_order(const Records& a, const Records& b) {
  const auto n = std::min(kMostBlocks, std::min(count_ok(a), count_ok(b)) / kFewestPerBlock);
  BlockPairs out;
  for (std::size_t i = 0; i < n; ++i)
    out.emplace_back(beside(part_of(a, i, n), b), beside(part_of(b, i, n), a));
  return out;
}

std::pair<RunBlock, RunBlock> whole_blocks(const Records& a, const Records& b, bool alternating) {
  if (alternating) return {beside(a, b), beside(b, a)};
  return {whole_block(a), whole_block(b)};
}

}  // namespace infermeter
