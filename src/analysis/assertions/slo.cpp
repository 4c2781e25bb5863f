#include "analysis/assertions/slo.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "analysis/figures/samples.hpp"
#include "analysis/figures/speed_evidence.hpp"
#include "analysis/figures/throughput.hpp"
#include "analysis/statistics/intervals.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/model/figures.hpp"
#include "model/request_view.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

namespace {

/// The statistic of one request's own gaps.
std::optional<double> gap_statistic(const std::vector<StreamGap>& of, std::string_view statistic) {
  if (of.empty()) return std::nullopt;
  std::vector<WeightedSample> gaps;
  gaps.reserve(of.size());
  for (const auto& gap : of) gaps.push_back({gap.ms, gap.weight, 0});
  std::ranges::sort(gaps, {}, &WeightedSample::value);
  const auto total = total_weight(gaps);
  if (statistic == "min") return gaps.front().value;
  if (statistic == "max") return gaps.back().value;
  if (statistic != "mean") return quantile(gaps, total, percentile_of(statistic).value_or(50) / 100);
  double sum = 0;
  for (const auto& gap : gaps) sum += gap.value * gap.weight;
  return sum / static_cast<double>(total);
}

/// The outcome of one SLO for one request.
enum class Mark : std::uint8_t {
  met,
  missed,
  failed,   // no answer: always a miss
  lacking,  // an answer without this figure
  untold,   // does not apply: the request has no such figure by its nature, or we closed the stream before
  unknown,  // the speed of the stream is not known: neither met nor missed
};

/// A stream that we closed is judged on its first token like any other; nothing is known of what came after.
/// One that was closed before its first token has missed every limit shorter than its wait.
Mark judge_cancelled(const RequestRecord& record, const Threshold& slo) {
  if (!find_figure(slo.metric)->to_first_token) return Mark::untold;
  if (const auto value = value_of(slo, record))
    return holds(*value, slo.comparison, slo.limit) ? Mark::met : Mark::missed;
  const Micros since = slo.metric == "ttft_response" ? record.intended_us : record.sent_us;
  if (!is_upper(slo.comparison) || !since || !record.end_us) return Mark::untold;
  const double waited = static_cast<double>(*record.end_us - *since) / 1e3;
  return holds(waited, slo.comparison, slo.limit) ? Mark::untold : Mark::missed;
}

/// The time between two tries is not a queue, and a reused connection has no setup time.
bool has_none_by_nature(const RequestRecord& record, std::string_view metric) {
  if (metric == "client_queue") return record.tries > 1;
  return find_figure(metric)->of_set_up;
}

std::optional<double> value_under(const Threshold& slo, const RequestRecord& record, SpeedDoubt doubt) {
  const auto& figure = *find_figure(slo.metric);
  if (record.outcome != Outcome::ok && record.outcome != Outcome::cancelled) return std::nullopt;
  if (!figure.of_request && !figure.of_stream) return std::nullopt;
  RequestView request;
  request.look_at(record, doubt);
  if (!figure.has_gaps()) return worst_of(figure, request);
  std::vector<StreamGap> gaps;
  figure.of_stream(request, gaps);
  return gap_statistic(gaps, slo.statistic);
}

/// `doubt`: of the answer as it was recorded.
Mark mark_of(const RequestRecord& record, const Threshold& slo, SpeedDoubt doubt) {
  if (record.outcome == Outcome::cancelled) return judge_cancelled(record, slo);
  if (record.outcome != Outcome::ok) return Mark::failed;
  if (find_figure(slo.metric)->of_speed && doubt != SpeedDoubt::none) return Mark::unknown;
  if (const auto value = value_under(slo, record, doubt))
    return holds(*value, slo.comparison, slo.limit) ? Mark::met : Mark::missed;
  return has_none_by_nature(record, slo.metric) ? Mark::untold : Mark::lacking;
}

SpeedDoubt doubt_of(const RequestRecord& record, const SpeedEvidence& load) {
  return doubt_of_speed(record, count_tokens(record), load);
}

/// How often each SLO alone was met, by its text: classes may share one.
class Each {
 public:
  void mention(const std::string& text) { of(text); }
  void add(const std::string& text, Mark verdict) {
    auto& tally = of(text);
    if (verdict == Mark::unknown) ++tally.unknown;
    if (verdict == Mark::unknown || verdict == Mark::untold) return;
    ++tally.requests;
    if (verdict == Mark::met) ++tally.met;
    if (verdict == Mark::lacking) ++tally.lacking;
  }
  void finish(SloResult& result) const {
    for (const auto& [text, requests, met, lacking, unknown] : tallies_) {
      result.slos.push_back(text);
      auto& share = result.each.emplace_back(text, std::nullopt).second;
      if (requests > 0) share = static_cast<double>(met) / static_cast<double>(requests);
      if (lacking > 0) result.without.emplace_back(text, lacking);
      if (unknown > 0) result.unjudged.emplace_back(text, unknown);
    }
  }

 private:
  struct Tally {
    std::string text;
    std::uint64_t requests = 0, met = 0, lacking = 0, unknown = 0;
  };
  Tally& of(const std::string& text) {
    const auto it = std::ranges::find(tallies_, text, &Tally::text);
    return it != tallies_.end() ? *it : tallies_.emplace_back(Tally{.text = text});
  }
  std::vector<Tally> tallies_;
};

/// The marks of all requests, made once: an SLO on a request's own gaps sorts them.
class Marks {
 public:
  Marks(const Records& records, std::span<const ClassLoad> classes) {
    const auto evidence = speed_evidence(records);
    for (const auto* record : records) {
      const auto* of = class_of(*record, classes);
      if (!of || of->slos.empty() || record->outcome == Outcome::interrupted) continue;
      const auto begin = all_.size();
      const auto doubt = doubt_of(*record, evidence);
      for (const auto& slo : of->slos) all_.push_back(mark_of(*record, slo, doubt));
      requests_.push_back({record, &of->slos, begin});
      for (std::size_t i = 0; i < of->slos.size(); ++i) look_at(of->slos[i], all_[begin + i]);
    }
  }

  /// Calls f(record, slos, marks) for each request whose class has SLOs.
  template <typename F>
  void for_each(F f) const {
    for (const auto& r : requests_) f(*r.record, *r.slos, std::span(all_).subspan(r.begin, r.slos->size()));
  }
  /// Where every answer lacks a figure, the server does not report it, and nobody missed the SLO. Where the
  /// speed of most answers is unknown, there is no such figure either.
  bool can_be_told(const Threshold& slo) const {
    const auto& seen = seen_.at(&slo);
    return seen.unknown <= seen.told && (seen.told > 0 || !seen.lacking);
  }

 private:
  struct Request {
    const RequestRecord* record;
    const std::vector<Threshold>* slos;
    std::size_t begin;
  };
  struct Seen {
    std::uint64_t told = 0, unknown = 0;
    bool lacking = false;
  };
  void look_at(const Threshold& slo, Mark verdict) {
    auto& seen = seen_[&slo];
    if (verdict == Mark::met || verdict == Mark::missed) ++seen.told;
    if (verdict == Mark::unknown) ++seen.unknown;
    seen.lacking = seen.lacking || verdict == Mark::lacking;
  }

  std::vector<Mark> all_;
  std::vector<Request> requests_;
  std::map<const Threshold*, Seen> seen_;
};

/// Whether it met every SLO that can be judged; nothing where none can.
std::optional<bool> meets_all(const Marks& marks, const std::vector<Threshold>& slos,
                              std::span<const Mark> of, Each& each) {
  std::optional<bool> all;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    each.mention(slos[i].text);
    const bool told = marks.can_be_told(slos[i]);
    each.add(slos[i].text, told || of[i] == Mark::unknown ? of[i] : Mark::untold);
    if (of[i] == Mark::untold || of[i] == Mark::unknown || !told) continue;
    all = all.value_or(true) && of[i] == Mark::met;
  }
  return all;
}

/// Neighbouring requests share a queue and miss together, so they are worth fewer independent requests.
void add_shares(const std::vector<double>& misses, SloResult& result) {
  if (misses.empty()) {
    result.attainment = result.low = result.high = result.goodput = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  result.attainment = static_cast<double>(result.met) / static_cast<double>(result.requests);
  const auto bounds = wilson_share(result.attainment, effective_samples(misses, 0));
  result.low = bounds.low.value_or(0);
  result.high = bounds.high.value_or(1);
}

}  // namespace

std::optional<double> value_of(const Threshold& slo, const RequestRecord& record, const SpeedEvidence& load) {
  return value_under(slo, record, doubt_of(record, load));
}

std::optional<SloResult> judge_slos(const Records& records, std::span<const ClassLoad> classes,
                                    const std::optional<Window>& window) {
  const Marks marks(records, classes);
  SloResult result;
  Each each, beside;           // of the measured requests, and of the others
  std::vector<double> misses;  // 1: missed, in order of intention
  Records good;
  marks.for_each([&](const RequestRecord& record, const auto& slos, std::span<const Mark> of) {
    const bool measured = record.phase == Phase::measured;
    const auto met = meets_all(marks, slos, of, measured ? each : beside);
    if (!met) return;
    if (*met) good.push_back(&record);
    if (!measured) return;
    misses.push_back(*met ? 0 : 1);
    if (*met) ++result.met;
  });
  each.finish(result);
  if (result.slos.empty()) return std::nullopt;
  result.requests = misses.size();
  if (window) {
    const auto rate = rate_of_ends(good, *window);
    result.goodput = rate.value;
    result.goodput_half_width = rate.half_width;
  }
  add_shares(misses, result);
  return result;
}

double undecided_share(const Records& measured, std::span<const ClassLoad> classes) {
  const auto evidence = speed_evidence(measured);
  RequestRecord scratch;
  std::uint64_t judged = 0, undecided = 0;
  for (const auto* record : measured) {
    const auto* of = class_of(*record, classes);
    if (!of || of->slos.empty()) continue;
    ++judged;
    const auto doubt = doubt_of(*record, evidence);
    const auto differs = [&](const Threshold& slo) {
      const auto on = [&](ArrivalSide side) {
        return mark_of(seen_from(*record, *find_figure(slo.metric), side, scratch), slo, doubt);
      };
      const Mark recorded = on(ArrivalSide::recorded);
      return on(ArrivalSide::low) != recorded || on(ArrivalSide::high) != recorded;
    };
    if (std::ranges::any_of(of->slos, differs)) ++undecided;
  }
  return judged == 0 ? 0 : static_cast<double>(undecided) / static_cast<double>(judged);
}

}  // namespace infermeter
