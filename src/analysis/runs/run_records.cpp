#include "analysis/runs/run_records.hpp"

#include <algorithm>
#include <tuple>

namespace infermeter {

namespace {

constexpr double kFewestLeft = 0.05;  // answers of the picked requests and of the others

/// Where every class has its own loop, these together are the load; probes are still left out.
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

bool is_picked(const RequestRecord& record) {
  return record.outcome == Outcome::cancelled || record.flags.has(Flag::cancel_planned);
}

Records timed_answers(const Records& measured) {
  Records ok, left;
  std::size_t picked = 0;
  for (const auto* record : measured) {
    if (is_picked(*record)) ++picked;
    if (record->outcome != Outcome::ok) continue;
    ok.push_back(record);
    if (!is_picked(*record)) left.push_back(record);
  }
  const auto all = static_cast<double>(picked + left.size());
  return static_cast<double>(left.size()) < kFewestLeft * all ? ok : left;
}

// A probe observes the load and is not part of it: its slice has its figures.
Records timed_of_load(const Records& measured, std::span<const ClassLoad> classes) {
  Records looked_at;
  std::ranges::copy_if(measured, std::back_inserter(looked_at), [&](const auto* record) {
    const auto* of = class_of(*record, classes);
    return of == nullptr || !of->probe;
  });
  return timed_answers(looked_at.empty() ? measured : looked_at);
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
  run.timed = timed_of_load(run.measured, classes);
  return run;
}

RunPlaces place_all(std::span<const RequestRecord> records) {
  RunPlaces places;
  for (const auto& record : records) places[{record.point, record.target}].push_back(&record);
  for (auto& [place, of] : places) {
    std::ranges::sort(of, {}, [](const RequestRecord* record) {
      return std::tuple(record->intended_us, record->started_us, record->id);
    });
  }
  return places;
}

RunPlaces place_records(std::span<const RequestRecord> records) {
  auto places = place_all(records);
  for (auto& [place, of] : places) of = only_measured(of);
  std::erase_if(places, [](const auto& one) { return one.second.empty(); });
  return places;
}

Records only_measured(const Records& records) {
  Records out;
  std::ranges::copy_if(records, std::back_inserter(out),
                       [](const auto* record) { return record->phase == Phase::measured; });
  return out;
}

}  // namespace infermeter
