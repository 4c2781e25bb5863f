#include "analysis/charts/charts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/request_view.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kSlowestKept = 50;
constexpr std::size_t kMostStreams = 5;

double milliseconds(std::int64_t us) { return static_cast<double>(us) / 1e3; }
double seconds(std::int64_t us) { return static_cast<double>(us) / 1e6; }

/// `most` indices of 0 … n − 1, evenly spaced, both ends included.
std::vector<std::size_t> even_ranks(std::size_t n, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t count = std::min(n, most);
  for (std::size_t i = 0; i < count; ++i) out.push_back(count < 2 ? 0 : i * (n - 1) / (count - 1));
  return out;
}

std::optional<std::uint64_t> prompt_length(const RequestRecord& r) {
  if (r.prompt_tokens && *r.prompt_tokens > 0) return static_cast<std::uint64_t>(*r.prompt_tokens);
  if (r.asked_input_tokens > 0) return r.asked_input_tokens;
  return std::nullopt;
}

std::vector<PromptDot> prompt_dots(const Records& timed) {
  std::vector<PromptDot> dots;
  for (const auto* r : timed) {
    const auto length = prompt_length(*r);
    if (length && r->sent_us && r->first_token_us)
      dots.push_back({*length, milliseconds(*r->first_token_us - *r->sent_us)});
  }
  std::ranges::sort(dots, {}, [](const PromptDot& dot) { return std::pair(dot.ttft_ms, dot.prompt_tokens); });
  return dots;
}

/// A missing instant takes the time of the end, and no instant precedes the one before it.
WaterfallBar bar_of(const RequestRecord& r) {
  const std::int64_t start = r.intended_us ? *r.intended_us : r.started_us.value_or(0);
  const std::int64_t end = std::max(start, r.end_us.value_or(start));
  const auto within = [end](std::int64_t from, Micros at) { return std::clamp(at.value_or(end), from, end); };
  const std::int64_t sent = within(start, r.sent_us);
  const std::int64_t first = within(sent, r.first_token_us);
  // What the server says may be longer than the request was.
  const double waited_us = 1e3 * std::max(0.0, r.server_times->queue_ms.value_or(0));
  const auto queued = static_cast<std::int64_t>(std::min(waited_us, static_cast<double>(first - sent)));
  return {.id = r.id,
          .intended_s = seconds(start),
          .sent_s = seconds(sent),
          .queued_until_s = seconds(std::min(first, sent + queued)),
          .first_token_s = seconds(first),
          .end_s = seconds(end),
          .failed = is_failure(r.outcome)};
}

struct Candidate {
  const RequestRecord* record = nullptr;
  double tokens_per_s = 0;
  std::uint32_t largest_gap_us = 0;
};

std::vector<Candidate> candidates(const Records& timed) {
  std::vector<Candidate> out;
  for (const auto* r : timed) {
    if (!has_arrivals(*r) || r->gaps_us.empty() || !r->last_token_us) continue;
    const double s = seconds(std::max<std::int64_t>(1, *r->last_token_us - *r->first_token_us));
    const TokenCounts counts = count_tokens(*r);
    out.push_back({r, (counts.streamed - event_tokens(*r, counts, 0)) / s, std::ranges::max(r->gaps_us)});
  }
  std::ranges::stable_sort(out, std::greater<>{}, &Candidate::tokens_per_s);
  return out;
}

/// The largest gap of each of `parts` parts of equal count: a thinned curve must keep it.
void add_gaps(const ChoiceStream& stream, std::size_t parts, StreamTrace& trace) {
  const std::size_t gaps = stream.arrivals_us.size() - 1;
  parts = std::min(parts, gaps);
  const auto gap = [&](std::size_t j) { return stream.arrivals_us[j + 1] - stream.arrivals_us[j]; };
  for (std::size_t part = 0; part < parts; ++part) {
    std::size_t largest = part * gaps / parts;
    for (std::size_t j = largest; j < (part + 1) * gaps / parts; ++j) {
      if (gap(j) > gap(largest)) largest = j;
    }
    trace.at_ms.push_back(milliseconds(stream.arrivals_us[largest + 1] - stream.arrivals_us.front()));
    trace.gap_ms.push_back(milliseconds(gap(largest)));
  }
}

StreamTrace trace_of(const RequestRecord& record, std::string_view why, std::size_t most_gaps) {
  std::vector<ChoiceStream> choices;
  split_choices(record, count_tokens(record), choices);
  StreamTrace trace{.id = record.id, .why = std::string(why)};
  if (!choices.empty() && choices.front().arrivals_us.size() > 1) add_gaps(choices.front(), most_gaps, trace);
  return trace;
}

}  // namespace

std::vector<PromptDot> pick_prompts(const Records& timed, std::size_t most) {
  const std::vector<PromptDot> dots = prompt_dots(timed);
  if (dots.size() <= most) return dots;
  const auto [shortest, longest] = std::ranges::minmax(dots, {}, &PromptDot::prompt_tokens);
  std::vector<PromptDot> out{shortest, longest};
  const std::size_t slowest = std::min(kSlowestKept, most / 4);
  for (const std::size_t i : even_ranks(dots.size() - slowest, most - slowest - 2)) out.push_back(dots[i]);
  out.insert(out.end(), dots.end() - static_cast<std::ptrdiff_t>(slowest), dots.end());
  return out;
}

std::vector<WaterfallBar> pick_waterfall(const Records& measured, std::size_t most) {
  const std::size_t count = std::min(most, measured.size());
  const std::size_t from = (measured.size() - count) / 2;
  std::vector<WaterfallBar> out;
  for (std::size_t i = from; i < from + count; ++i) out.push_back(bar_of(*measured[i]));
  return out;
}

std::vector<StreamTrace> pick_streams(const Records& timed, std::size_t most_gaps) {
  std::vector<Candidate> streams = candidates(timed);
  std::vector<StreamTrace> out;
  const auto pick = [&](const Candidate& one, std::string_view why) {
    if (out.size() < kMostStreams && std::ranges::find(out, one.record->id, &StreamTrace::id) == out.end())
      out.push_back(trace_of(*one.record, why, most_gaps));
  };
  if (streams.empty()) return out;
  pick(streams[streams.size() / 2], "median");
  pick(streams.front(), "fastest");
  pick(streams.back(), "slowest");
  std::ranges::stable_sort(streams, std::greater<>{}, &Candidate::largest_gap_us);
  for (std::size_t i = 0; i < std::min(kMostStreams, streams.size()); ++i) pick(streams[i], "large gap");
  std::erase_if(out, [](const StreamTrace& trace) { return trace.gap_ms.empty(); });
  return out;
}

}  // namespace infermeter
