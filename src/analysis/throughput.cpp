#include "throughput.hpp"

#include <algorithm>
#include <array>

#include "in_flight.hpp"
#include "intervals.hpp"
#include "token_counts.hpp"

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

void add_stream(const RequestRecord& record, const TokenCounts& counts, double scale, Arrivals& arrivals) {
  const double first = event_tokens(record, counts, 0);
  arrivals.add(*record.first_token_us, scale * (first + counts.generated - counts.streamed));
  if (!has_arrivals(record)) {
    arrivals.spread(*record.first_token_us, record.last_token_us.value_or(*record.first_token_us),
                    scale * (counts.streamed - first));
    return;
  }
  std::int64_t at = *record.first_token_us;
  for (std::size_t j = 1; j < record.events; ++j) {
    at += record.gaps_us[j - 1];
    arrivals.add(at, scale * event_tokens(record, counts, j));
  }
  if (counts.streamed > counts.carried) arrivals.add(at, scale * (counts.streamed - counts.carried));
}

void add_tokens(const RequestRecord& record, double tokens_per_event, Arrivals& arrivals) {
  const auto counts = count_tokens(record);
  const double scale = counts.counted ? 1 : tokens_per_event;
  if (record.first_token_us && record.events > 0)
    add_stream(record, counts, scale, arrivals);
  else if (record.end_us && counts.generated > 0)
    arrivals.add(*record.end_us, scale * counts.generated);
}

}  // namespace

Rates rates(const Records& records, const Window& window, double tokens_per_event) {
  Arrivals output(window);
  double requests = 0, prompts = 0;
  for (const auto* record : records) {
    add_tokens(*record, tokens_per_event, output);
    if (record->outcome == Outcome::ok && window.contains(record->end_us)) ++requests;
    const Micros read_at = record->first_token_us ? record->first_token_us : record->end_us;
    // A stream that was cut has no usage: its prompt was read all the same.
    if (window.contains(read_at))
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
