#include "run_places.hpp"

#include <algorithm>
#include <tuple>

namespace infermeter {

RunPlaces place_records(std::span<const RequestRecord> records) {
  RunPlaces places;
  for (const auto& record : records) {
    if (record.phase == Phase::measured) places[{record.point, record.target}].push_back(&record);
  }
  for (auto& [place, of] : places) {
    std::ranges::sort(of, {}, [](const RequestRecord* record) {
      return std::tuple(record->intended_us, record->started_us, record->id);
    });
  }
  return places;
}

}  // namespace infermeter
