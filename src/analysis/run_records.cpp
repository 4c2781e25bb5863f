#include "run_records.hpp"

#include <algorithm>
#include <tuple>

namespace infermeter {

namespace {

/// Where every class has a loop of its own, these together are the load, probes still left out.
auto common_load(std::span<const ClassLoad> classes) {
  const bool shared = std::ranges::any_of(classes, [](const auto& c) { return !c.own_loop && !c.probe; });
  return [=](const RequestRecord& record) {
    const auto* of = class_of(record, classes);
    return !of || (!of->probe && !(shared && of->own_loop));
  };
}

}  // namespace

const ClassLoad* class_of(const RequestRecord& record, std::span<const ClassLoad> classes) {
  return record.traffic_class < classes.size() ? &classes[record.traffic_class] : nullptr;
}

RunRecords order_records(std::span<const RequestRecord> records, std::span<const ClassLoad> classes) {
  RunRecords run;
  run.all.reserve(records.size());
  for (const auto& record : records) run.all.push_back(&record);
  std::ranges::sort(run.all, {}, [](const RequestRecord* record) {
    return std::tuple(record->intended_us, record->started_us, record->id);
  });
  const auto is_load = common_load(classes);
  for (const auto* record : run.all) {
    if (is_load(*record)) run.load.push_back(record);
    if (record->phase == Phase::ramp) ++run.ramp;
    if (record->phase != Phase::measured) continue;
    run.measured.push_back(record);
    if (is_load(*record)) run.load_measured.push_back(record);
    if (record->outcome == Outcome::ok) run.ok.push_back(record);
  }
  return run;
}

}  // namespace infermeter
