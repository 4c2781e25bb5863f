#include "analysis/figures/samples.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/figures/choice_streams.hpp"
#include "analysis/figures/text_speed.hpp"

namespace infermeter {

namespace {

constexpr double kStallGaps = 5;            // a stall is longer than so many median gaps …
constexpr double kShortestStallUs = 250e3;  // … and than this
constexpr double kKnownShare = 0.9;

std::optional<double> ms_between(Micros from, Micros to) {
  if (!from || !to) return std::nullopt;
  return static_cast<double>(*to - *from) / 1e3;
}

Micros first_known(Micros instant, Micros otherwise) { return instant ? instant : otherwise; }

/// Time in the client: from the wish to the first byte, without the setting up of a connection. `sent` of a
/// request that was tried again is the last try's: between the two lies a failed answer, not a queue.
std::optional<double> client_queue(const RequestRecord& r) {
  if (r.tries > 1) return std::nullopt;
  const auto whole = ms_between(r.intended_us, r.sent_us);
  if (!whole) return std::nullopt;
  const Micros set_up = first_known(r.tls_us, first_known(r.connected_us, r.dns_us));
  return *whole - ms_between(r.started_us, set_up).value_or(0);
}

std::optional<double> dns(const RequestRecord& r) { return ms_between(r.started_us, r.dns_us); }
std::optional<double> connect(const RequestRecord& r) {
  return ms_between(first_known(r.dns_us, r.started_us), r.connected_us);
}
std::optional<double> tls(const RequestRecord& r) { return ms_between(r.connected_us, r.tls_us); }
std::optional<double> upload(const RequestRecord& r) { return ms_between(r.sent_us, r.uploaded_us); }
std::optional<double> ttfb(const RequestRecord& r) { return ms_between(r.sent_us, r.headers_us); }
std::optional<double> ttft(const RequestRecord& r) { return ms_between(r.sent_us, r.first_token_us); }
std::optional<double> ttft_response(const RequestRecord& r) {
  return ms_between(r.intended_us, r.first_token_us);
}
std::optional<double> ttfo(const RequestRecord& r) { return ms_between(r.sent_us, r.first_output_us); }
std::optional<double> e2e(const RequestRecord& r) { return ms_between(r.sent_us, r.end_us); }
std::optional<double> e2e_response(const RequestRecord& r) { return ms_between(r.intended_us, r.end_us); }
std::optional<double> tail(const RequestRecord& r) { return ms_between(r.last_token_us, r.end_us); }

constexpr std::array<RequestMetric, 9> kToFirstToken{{{"client_queue", false, client_queue},
                                                      {"dns", false, dns},
                                                      {"connect", false, connect},
                                                      {"tls", false, tls},
                                                      {"upload", false, upload},
                                                      {"ttfb", false, ttfb},
                                                      {"ttft", true, ttft},
                                                      {"ttft_response", true, ttft_response},
                                                      {"ttfo", true, ttfo}}};

std::optional<double> chars_per_second(const RequestRecord& r) {
  const auto speed = text_speed(r);
  return speed ? std::optional(speed->chars / speed->seconds) : std::nullopt;
}

constexpr std::array<RequestMetric, 1> kOfText{{{"chars_per_second", true, chars_per_second}}};

constexpr std::array<RequestMetric, 3> kToEnd{
    {{"e2e", false, e2e}, {"e2e_response", false, e2e_response}, {"tail", true, tail}}};

std::size_t count_gaps(const Records& records) {
  std::size_t gaps = 0;
  for (const auto* record : records) gaps += record->gaps_us.size();
  return gaps;
}

/// Calls f(stream, counts) for each choice of each record.
template <typename F>
void for_each_stream(const Records& records, F f) {
  std::vector<ChoiceStream> streams;
  for (const auto* record : records) {
    const auto counts = count_tokens(*record);
    split_choices(*record, counts, streams);
    for (const auto& stream : streams) f(stream, counts);
  }
}

void add_speed(const ChoiceStream& stream, StreamSamples& out) {
  const double ms = static_cast<double>(stream.arrivals_us.back() - stream.arrivals_us.front()) / 1e3;
  const double tokens = stream.total - stream.tokens.front();
  if (ms <= 0 || tokens <= 0) return;  // all at one instant: no speed can be told
  out.tpot.push_back(ms / tokens);
  out.tps.push_back(tokens / (ms / 1e3));
  out.tokens += tokens;
  out.seconds += ms / 1e3;
}

std::vector<double> gaps_us(const ChoiceStream& stream) {
  std::vector<double> gaps;
  gaps.reserve(stream.arrivals_us.size());
  for (std::size_t j = 1; j < stream.arrivals_us.size(); ++j)
    gaps.push_back(static_cast<double>(stream.arrivals_us[j] - stream.arrivals_us[j - 1]));
  return gaps;
}

/// Gaps of 0 (events of one read) stay out of the median, or a burst would make every pause between bursts a
/// stall.
double count_stalls(std::vector<double> gaps) {
  std::erase(gaps, 0.0);
  const double limit = std::max(kStallGaps * median(gaps), kShortestStallUs);
  return static_cast<double>(std::ranges::count_if(gaps, [&](double gap) { return gap > limit; }));
}

void add_gaps(const ChoiceStream& stream, StreamSamples& out) {
  auto gaps = gaps_us(stream);
  const double largest = *std::ranges::max_element(gaps);
  out.ttst.push_back(gaps.front() / 1e3);
  out.max_gap.push_back(largest / 1e3);
  out.stalls.push_back(largest > kShortestStallUs ? count_stalls(std::move(gaps)) : 0);
}

void add_token_times(const ChoiceStream& stream, const TimeBlocks& blocks, std::vector<WeightedSample>& out) {
  std::int64_t since = stream.arrivals_us.front();
  double tokens = 0;
  const std::size_t k = stream.arrivals_us.size();
  std::size_t j = 1;
  while (j < k && stream.arrivals_us[j] == since) ++j;  // the rest of the first instant
  for (; j < k; ++j) {
    tokens += stream.tokens[j];
    const auto at = stream.arrivals_us[j];
    if (tokens <= 0 || (j + 1 < k && stream.arrivals_us[j + 1] == at)) continue;
    const double each = static_cast<double>(at - since) / 1e3 / tokens;
    out.push_back({each, static_cast<std::uint32_t>(tokens), blocks.of(at)});
    since = at;
    tokens = 0;
  }
}

}  // namespace

std::span<const RequestMetric> metrics_to_first_token() { return kToFirstToken; }
std::span<const RequestMetric> metrics_of_text() { return kOfText; }
std::span<const RequestMetric> metrics_to_end() { return kToEnd; }

std::vector<double> collect(const Records& records, const RequestMetric& metric) {
  std::vector<double> values;
  values.reserve(records.size());
  for (const auto* record : records) {
    if (const auto value = metric.value(*record)) values.push_back(*value);
  }
  return values;
}

std::vector<double> collect_server_times(const Records& records, ServerTime time) {
  std::vector<double> values;
  for (const auto* record : records) {
    if (const auto& value = (*record->server_times).*time) values.push_back(*value);
  }
  return values;
}

StreamSamples collect_streams(const Records& records, bool counted_only) {
  StreamSamples out;
  for_each_stream(records, [&](const ChoiceStream& stream, const TokenCounts& counts) {
    if (stream.arrivals_us.size() < 2) return;
    if (counts.counted || !counted_only) add_speed(stream, out);
    if (stream.whole) add_gaps(stream, out);
  });
  return out;
}

TimeBlocks::TimeBlocks(const Records& records) {
  bool any = false;
  for (const auto* record : records) {
    if (!record->first_token_us || !record->last_token_us) continue;
    from_us_ = any ? std::min(from_us_, *record->first_token_us) : *record->first_token_us;
    to_us_ = any ? std::max(to_us_, *record->last_token_us + 1) : *record->last_token_us + 1;
    any = true;
  }
}

std::uint32_t TimeBlocks::of(std::int64_t at_us) const {
  const auto block = (at_us - from_us_) * 10 / (to_us_ - from_us_);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(block, 0, 9));
}

double TimeBlocks::block_us() const { return static_cast<double>(to_us_ - from_us_) / 10; }

bool TimeBlocks::long_enough(const Records& answers) const {
  const auto times = collect(answers, kToEnd.front());
  const double sum_ms = std::accumulate(times.begin(), times.end(), 0.0);
  return !times.empty() && block_us() >= sum_ms * 1e3 / static_cast<double>(times.size());
}

std::vector<WeightedSample> collect_icl(const Records& records, const TimeBlocks& blocks) {
  std::vector<WeightedSample> out;
  out.reserve(count_gaps(records));
  for_each_stream(records, [&](const ChoiceStream& stream, const TokenCounts&) {
    if (!stream.whole) return;
    for (std::size_t j = 1; j < stream.arrivals_us.size(); ++j) {
      const auto gap = stream.arrivals_us[j] - stream.arrivals_us[j - 1];
      out.push_back({static_cast<double>(gap) / 1e3, 1, blocks.of(stream.arrivals_us[j])});
    }
  });
  return out;
}

std::vector<WeightedSample> collect_itl(const Records& records, const TimeBlocks& blocks) {
  std::vector<WeightedSample> out;
  out.reserve(count_gaps(records));
  std::size_t streams = 0, known = 0;
  for_each_stream(records, [&](const ChoiceStream& stream, const TokenCounts& counts) {
    if (!stream.whole || stream.arrivals_us.size() < 2) return;
    ++streams;
    if (!counts.per_event_known) return;
    ++known;
    add_token_times(stream, blocks, out);
  });
  if (static_cast<double>(known) < kKnownShare * static_cast<double>(streams)) out.clear();
  return out;
}

}  // namespace infermeter
