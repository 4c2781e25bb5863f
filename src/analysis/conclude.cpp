#include "analysis/conclude.hpp"

#include "analysis/checks/health.hpp"
#include "analysis/compare/differences.hpp"
#include "analysis/compare/ranking.hpp"
#include "analysis/findings/findings.hpp"
#include "analysis/runs/run_records.hpp"

namespace infermeter {

void conclude(RunResult& run, std::span<const RequestRecord> records) {
  const auto places = place_records(records);
  run.health = find_health(run.points);
  run.differences = find_differences(run, places);
  run.ranking = rank_targets(run, records);
  run.knees = find_knees(run.points);
  run.context_fits = find_context_fits(run, places);
  run.headline = make_headline(run, places);
}

}  // namespace infermeter
