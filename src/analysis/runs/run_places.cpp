#include "analysis/runs/run_places.hpp"

#include <algorithm>
#include <tuple>

namespace infermeter {

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
