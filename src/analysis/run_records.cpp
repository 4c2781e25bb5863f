#include "run_records.hpp"

#include <algorithm>
#include <tuple>

namespace infermeter {

RunRecords order_records(std::span<const RequestRecord> records) {
  RunRecords run;
  run.all.reserve(records.size());
  for (const auto& record : records) run.all.push_back(&record);
  std::ranges::sort(run.all, {}, [](const RequestRecord* record) {
    return std::tuple(record->intended_us, record->started_us, record->id);
  });
  for (const auto* record : run.all) {
    if (record->phase != Phase::measured) continue;
    run.measured.push_back(record);
    if (record->outcome == Outcome::ok) run.ok.push_back(record);
  }
  return run;
}

}  // namespace infermeter
