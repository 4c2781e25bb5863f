#include "analysis/figures/samples.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/figures/speed_evidence.hpp"
#include "model/request_view.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

namespace {

constexpr double kKnownShare = 0.9;

std::size_t count_gaps(const Records& records) {
  std::size_t gaps = 0;
  for (const auto* record : records) gaps += record->gaps_us.size();
  return gaps;
}

bool is_read(const Figure& figure, RequestView& request, const SampleRules& rules) {
  if (!figure.of_request || (figure.of_streams && !rules.stream)) return false;
  return !figure.of_tokens || !rules.counted || request.counts().counted;
}

/// Whether the record is the first of a later run than the last one; then counts on to that run.
bool begins_run(const RequestRecord& record, const std::vector<std::int64_t>& runs_from_us,
                std::size_t& run) {
  const Micros at = record.started_us ? record.started_us : record.intended_us;
  bool begins = false;
  for (; at && run < runs_from_us.size() && *at >= runs_from_us[run]; ++run) begins = true;
  return begins;
}

/// More than one where answers have several choices.
double samples_per_answer(const RequestSamples& samples, const Records& answers) {
  return std::max(1.0, static_cast<double>(samples.size()) / static_cast<double>(answers.size()));
}

/// The doubts of all answers, and how many streams are known. If most are not, the rest has no figure.
class Speeds {
 public:
  /// `judged`: no doubt matters otherwise.
  Speeds(const Records& records, bool judged)
      : judged_(judged), evidence_(judged ? speed_evidence(records) : SpeedEvidence{}) {}
  SpeedDoubt look_at(const RequestRecord& record, RequestView& request) const {
    const auto doubt = judged_ ? doubt_of_speed(record, count_tokens(record), evidence_) : SpeedDoubt::none;
    request.look_at(record, doubt);
    return doubt;
  }
  void count(SpeedDoubt doubt, std::size_t streams = 1) {
    (doubt == SpeedDoubt::none ? known_ : unknown_) += streams;
  }
  bool mostly_unknown() const { return unknown_ > known_; }

 private:
  bool judged_;
  SpeedEvidence evidence_;
  std::size_t known_ = 0, unknown_ = 0;
};

/// Complete streams with at least one gap.
std::size_t count_streams(RequestView& request) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.streams(), [](const auto& s) { return s.whole && s.arrivals_us.size() > 1; }));
}

}  // namespace

SampleRules sample_rules(const LoadPoint& load, std::optional<TokenSource> source, double in_flight) {
  SampleRules rules{load.stream, source != TokenSource::events, load.comfort_ms, in_flight};
  for (const auto& block : load.blocks)
    rules.runs_from_us.push_back(static_cast<std::int64_t>(block.from_us));
  return rules;
}

std::vector<RequestSamples> collect(const Records& records, std::span<const Figure* const> figures,
                                    const SampleRules& rules) {
  std::vector<RequestSamples> out;
  for (auto& one : collect_in_layout(records, figures, rules)) out.push_back(std::move(one.samples));
  return out;
}

std::vector<LaidOutSamples> collect_in_layout(const Records& records, std::span<const Figure* const> figures,
                                              const SampleRules& rules) {
  std::vector<LaidOutSamples> out(figures.size());
  RequestView request;
  RequestRecord scratch;
  Speeds speeds(records, rules.stream && std::ranges::any_of(figures, &Figure::of_speed));
  std::size_t run = 1;
  for (const auto* record : records) {
    const bool begins = begins_run(*record, rules.runs_from_us, run);
    const auto doubt = speeds.look_at(*record, request);
    speeds.count(doubt);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      auto& [samples, layout] = out[i];
      if (begins) layout.cuts.push_back(samples.size());
      const bool moves = i == 0 || figures[i]->span != figures[i - 1]->span;
      if (rules.side != ArrivalSide::recorded && moves)
        request.look_at(seen_from(*record, *figures[i], rules.side, scratch), doubt);
      if (is_read(*figures[i], request, rules)) figures[i]->of_request(request, samples);
    }
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i]->of_speed && speeds.mostly_unknown()) out[i] = {};
  }
  for (auto& [samples, layout] : out) {
    layout.per_answer = samples_per_answer(samples, records);
    layout.in_flight = rules.in_flight * layout.per_answer;
  }
  return out;
}

RequestSamples collect(const Records& records, const Figure& figure, const SampleRules& rules) {
  const Figure* const one[]{&figure};
  return std::move(collect(records, one, rules).front());
}

std::vector<double> values_of(const RequestSamples& samples) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const auto& sample : samples) values.push_back(sample.value());
  return values;
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
  const auto times = values_of(collect(answers, *find_figure("e2e")));
  const double sum_ms = std::accumulate(times.begin(), times.end(), 0.0);
  return !times.empty() && block_us() >= sum_ms * 1e3 / static_cast<double>(times.size());
}

std::vector<WeightedSample> collect_gaps(const Records& records, const Figure& figure,
                                         const TimeBlocks& blocks, ArrivalSide side) {
  std::vector<WeightedSample> out;
  if (!figure.of_stream) return out;
  out.reserve(count_gaps(records));
  RequestView request;
  std::vector<StreamGap> gaps;
  RequestRecord scratch;
  std::size_t streams = 0, known = 0;
  Speeds speeds(records, figure.of_speed);
  for (const auto* record : records) {
    const auto doubt = speeds.look_at(*record, request);
    request.look_at(seen_from(*record, figure, side, scratch), doubt);
    const auto own = count_streams(request);
    speeds.count(doubt, own);
    if (doubt != SpeedDoubt::none) continue;
    streams += own;
    if (figure.of_tokens && !request.counts().per_event_known) continue;
    known += own;
    gaps.clear();
    figure.of_stream(request, gaps);
    for (const auto& gap : gaps) out.push_back({gap.ms, gap.weight, blocks.of(gap.at_us)});
  }
  if (static_cast<double>(known) < kKnownShare * static_cast<double>(streams) || speeds.mostly_unknown())
    out.clear();
  return out;
}

}  // namespace infermeter
