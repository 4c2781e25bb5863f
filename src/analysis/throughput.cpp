#include "throughput.hpp"

#include <algorithm>
#include <array>

#include "in_flight.hpp"
#include "intervals.hpp"
#include "token_arrivals.hpp"

namespace infermeter {

namespace {

/// Fewer arrivals do not fill ten blocks well enough for an interval.
constexpr std::uint64_t kFewestArrivals = 100;

/// Tokens by arrival, in ten blocks of the window.
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
      const auto part = window_.part(b, kBlocks);
      const auto inside = std::min(part.to_us, to_us) - std::max(part.from_us, from_us);
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

  std::optional<double> half_width() const {
    if (count_ < kFewestArrivals) return std::nullopt;
    return block_half_width(blocks_) * kBlocks / window_.seconds();
  }

 private:
  Window window_;
  std::array<double, kBlocks> blocks_{};
  std::uint64_t count_ = 0;
};

}  // namespace

Rates rates(const Records& records, const Window& window, double tokens_per_event) {
  Arrivals output(window);
  double requests = 0, prompts = 0;
  for (const auto* record : records) {
    walk_tokens(*record, tokens_per_event, output);
    if (record->outcome == Outcome::ok && window.contains(record->end_us)) ++requests;
    // A whole answer has no first token; a refused or failed request has had no prompt read that we know of.
    const bool whole = record->outcome == Outcome::ok && !record->first_token_us;
    // A stream that was cut has no usage: its prompt was read all the same.
    if (window.contains(whole ? record->end_us : record->first_token_us))
      prompts += static_cast<double>(record->prompt_tokens.value_or(record->asked_input_tokens));
  }
  Rates out;
  out.window_s = window.seconds();
  out.request = requests / out.window_s;
  out.input = prompts / out.window_s;
  out.output = output.per_second();
  out.total = out.input + out.output;
  out.output_half_width = output.half_width();
  out.concurrency = mean_in_flight(records, window);
  return out;
}

}  // namespace infermeter
