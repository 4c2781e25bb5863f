#include "slo.hpp"

#include <algorithm>

#include "infermeter/analysis/thresholds.hpp"
#include "intervals.hpp"

namespace infermeter {

namespace {

bool counts(const RequestRecord& record) {
  return record.outcome != Outcome::cancelled && record.outcome != Outcome::interrupted;
}

bool meets(const RequestRecord& record, const Threshold& slo) {
  const auto value = figure(slo, record);
  return value && holds(*value, slo.comparison, slo.limit);
}

/// How often each one alone was met, by its text: classes may share one.
class Each {
 public:
  void add(const std::string& text, bool met) {
    auto it = std::ranges::find(tallies_, text, &Tally::text);
    if (it == tallies_.end()) it = tallies_.insert(it, Tally{text, 0, 0});
    ++it->requests;
    if (met) ++it->met;
  }
  void finish(SloResult& result) const {
    for (const auto& tally : tallies_) {
      result.slos.push_back(tally.text);
      result.each.emplace_back(tally.text,
                               static_cast<double>(tally.met) / static_cast<double>(tally.requests));
    }
  }

 private:
  struct Tally {
    std::string text;
    std::uint64_t requests, met;
  };
  std::vector<Tally> tallies_;
};

bool meets_all(const RequestRecord& record, const std::vector<Threshold>& slos, Each& each) {
  bool all = true;
  for (const auto& slo : slos) {
    const bool met = meets(record, slo);
    each.add(slo.text, met);
    all = all && met;
  }
  return all;
}

/// Neighbours share a queue and miss together, so that the requests are worth fewer independent ones.
void add_interval(const std::vector<double>& misses, SloResult& result) {
  const auto bounds = wilson_share(result.attainment, effective_samples(misses, 0));
  result.low = bounds.low.value_or(0);
  result.high = bounds.high.value_or(1);
}

}  // namespace

std::optional<SloResult> judge_slos(const Records& measured, std::span<const ClassLoad> classes,
                                    const std::optional<Window>& window) {
  SloResult result;
  Each each;
  std::vector<double> misses;  // 1: missed, in order of intention
  std::uint64_t met_in_window = 0;
  for (const auto* record : measured) {
    const auto* of = class_of(*record, classes);
    if (!of || of->slos.empty() || !counts(*record)) continue;
    const bool met = meets_all(*record, of->slos, each);
    misses.push_back(met ? 0 : 1);
    if (met) ++result.met;
    if (met && window && window->contains(record->end_us)) ++met_in_window;
  }
  if (misses.empty()) return std::nullopt;
  result.requests = misses.size();
  result.attainment = static_cast<double>(result.met) / static_cast<double>(result.requests);
  if (window) result.goodput = static_cast<double>(met_in_window) / window->seconds();
  add_interval(misses, result);
  each.finish(result);
  return result;
}

}  // namespace infermeter
