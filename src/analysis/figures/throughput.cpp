#include "analysis/figures/throughput.hpp"

#include <algorithm>
#include <array>

#include "analysis/figures/in_flight.hpp"
#include "analysis/figures/token_arrivals.hpp"
#include "analysis/statistics/intervals.hpp"

namespace infermeter {

namespace {

/// Of events; with fewer, the ten blocks are too empty for an interval.
constexpr std::uint64_t kFewestArrivals = 100;

/// What arrives, in ten blocks of the window.
class Arrivals {
 public:
  explicit Arrivals(const Window& window) : window_(window) {}

  void add(std::int64_t at_us, double tokens) {
    if (!window_.contains(at_us)) return;
    // The window is open at its start: its last microsecond belongs to the last block.
    const auto block =
        (at_us - window_.from_us - 1) * std::int64_t{kBlocks} / (window_.to_us - window_.from_us);
    blocks_[static_cast<std::size_t>(block)] += tokens;
    ++count_;
  }

  /// Tokens that arrive evenly over (from, to], or at once.
  void spread(std::int64_t from_us, std::int64_t to_us, double tokens) {
    if (to_us <= from_us) return add(from_us, tokens);
    for (std::int64_t b = 0; b < std::int64_t{kBlocks}; ++b) {
      const auto inside = window_.part(b, kBlocks).overlap_us(from_us, to_us);
      if (inside > 0)
        blocks_[static_cast<std::size_t>(b)] +=
            tokens * static_cast<double>(inside) / static_cast<double>(to_us - from_us);
    }
    ++count_;
  }

  double per_second() const {
    double sum = 0;
    for (const double block : blocks_) sum += block;
    return sum / window_.seconds();
  }

  std::optional<double> half_width(std::uint64_t fewest) const {
    if (count_ < fewest) return std::nullopt;
    return block_half_width(blocks_) * kBlocks / window_.seconds();
  }
  void merge(const Arrivals& other) {
    for (std::size_t b = 0; b < kBlocks; ++b) blocks_[b] += other.blocks_[b];
    count_ += other.count_;
  }

 private:
  Window window_;
  std::array<double, kBlocks> blocks_{};
  std::uint64_t count_ = 0;
};

void add_request(const RequestRecord& record, const Window& window, Arrivals& to) {
  if (record.outcome == Outcome::ok && window.counts(record)) to.add(*record.end_us, 1);
}

/// A stream that was cut has no usage, but its prompt was read. A whole answer has no first token. The prompt
/// of a refused or failed request was, as far as we know, not read.
void add_prompt(const RequestRecord& record, Arrivals& to) {
  const bool whole = record.outcome == Outcome::ok && !record.first_token_us;
  const Micros read_at = whole ? record.end_us : record.first_token_us;
  if (read_at)
    to.add(*read_at, static_cast<double>(record.prompt_tokens.value_or(record.asked_input_tokens)));
}

}  // namespace

Rates rates(const Records& records, const Window& window, double tokens_per_event) {
  Arrivals output(window), requests(window), prompts(window);
  for (const auto* record : records) {
    walk_tokens(*record, tokens_per_event, output);
    add_request(*record, window, requests);
    add_prompt(*record, prompts);
  }
  Rates out;
  out.window_s = window.seconds();
  out.request = requests.per_second();
  out.input = prompts.per_second();
  out.output = output.per_second();
  out.total = out.input + out.output;
  out.output_half_width = output.half_width(kFewestArrivals);
  if (window.own_share == 1) {  // between a target's turns no output of its own can arrive
    out.request_half_width = requests.half_width(1);
    out.input_half_width = prompts.half_width(1);
    Arrivals all = output;
    all.merge(prompts);
    out.total_half_width = all.half_width(kFewestArrivals);
  }
  out.concurrency = mean_in_flight(records, window);
  return out;
}

Rate rate_of_ends(const Records& records, const Window& window) {
  Arrivals ends(window);
  for (const auto* record : records) {
    if (window.counts(*record)) ends.add(*record->end_us, 1);
  }
  return {ends.per_second(), window.own_share == 1 ? ends.half_width(1) : std::nullopt};
}

std::optional<double> offered_rate(const LoadPoint& load, const RunRecords& run,
                                   const std::optional<Window>& window) {
  if (!load.open_loop || !window || window->seconds() <= 0) return std::nullopt;
  const auto due = std::ranges::count_if(
      run.load, [&](const auto* record) { return window->contains(record->intended_us); });
  return static_cast<double>(due) / window->seconds();
}

}  // namespace infermeter
