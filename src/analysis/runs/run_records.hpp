// Orders the records of a run independently of the order in which they came, so that shuffled records give
// the same figures to the last bit: of one load point, or of all by load point and target. Pointers are not
// owned. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

using Records = std::vector<const RequestRecord*>;

/// Each list in order of intention: completion order would hide how neighbouring requests depend on each
/// other.
struct RunRecords {
  Records all;       // with warm-up and ramps
  Records measured;  // whatever their outcome
  Records ok;        // measured and ok
  Records timed;     // of these, those that enter latency
  /// Records of the common load, with warm-up and ramps, and the measured ones of these. Statements about the
  /// load itself use them. Probes and classes with their own loop run beside it.
  Records load, load_measured;
  std::uint64_t ramp = 0;
};

/// `classes`: those of the load point; without any, all requests belong to the common load.
RunRecords order_records(std::span<const RequestRecord> records, std::span<const ClassLoad> classes = {});

/// Picked for cancelling, whether or not it ended before the cut.
bool is_picked(const RequestRecord& record);

/// The ok answers that represent all of them. Of those picked for cancelling only the short ones end, so
/// these stay out unless there is hardly any other.
Records timed_answers(const Records& measured);

/// The timed answers of a point among its measured requests; probes only if there is nothing else.
Records timed_of_load(const Records& measured, std::span<const ClassLoad> classes);

/// The class of a record; nothing where the point does not have it.
const ClassLoad* class_of(const RequestRecord& record, std::span<const ClassLoad> classes);

/// By (point, target).
using RunPlaces = std::map<std::pair<std::uint32_t, std::uint32_t>, Records>;

/// Measured requests only.
RunPlaces place_records(std::span<const RequestRecord> records);
/// Warm-up and ramps too.
RunPlaces place_all(std::span<const RequestRecord> records);

Records only_measured(const Records& records);

}  // namespace infermeter
