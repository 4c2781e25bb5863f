// What the requests of one load point say at one target: per class a source and the body around it, and which
// class the i-th request of a lane is of. Made once before the workers start, read by all of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/load/pacer.hpp"
#include "engine/prepare/preflight.hpp"
#include "protocol/request/body.hpp"
#include "protocol/stream/stream_reader.hpp"
#include "workload/request_source.hpp"
#include "workload/schedule/arrivals.hpp"
#include "workload/schedule/mix.hpp"

namespace infermeter {

/// One class at one target.
struct ClassTraffic {
  std::uint32_t traffic_class = 0;  // index into the plan's
  std::shared_ptr<const RequestSource> source;
  BodyTemplate body;
  StreamOptions stream;
  std::vector<std::string> headers;  // lines of the class's own
  Cancel cancel;
  std::uint32_t choices = 1;
  bool conversations = false;
  std::string session_header;
  bool session_connection = false;
};

/// A load of its own within a point: that of all classes with shares together, or of one class that has its
/// own rate or concurrency.
struct Lane {
  Load load;
  Schedule schedule;  // open loop
  std::vector<ClassTraffic> classes;
  Mix mix{{1.0}, 0};
  bool beside = false;          // ends with the common load, whatever its own end
  std::uint32_t max_turns = 1;  // of its conversations

  bool conversations() const { return max_turns > 1; }
  /// Of the conversations from `first_index` on. The lane outlives it.
  ConversationScript script(std::uint64_t first_index) const;
};

/// What a class has beside its plan, for all points.
struct ClassData {
  std::shared_ptr<const ItemSource> items;  // of its data file, or null
  std::vector<nanoseconds> stamps;          // of a trace, else empty
  std::uint64_t bad_lines = 0;              // that were skipped
};

struct TrafficInputs {
  const Plan& plan;
  const Load& load;
  const PreparedTarget& prepared;
  std::span<const ClassData> data;                                   // by class
  std::span<const std::shared_ptr<const Calibration>> calibrations;  // by class; null: not calibrated
  std::string nonce;                                                 // of this point and target
};

/// Whether any class takes part in the point's own load.
bool has_common_load(const Plan& plan);
/// The load of a point; where every class has a load of its own, all of them together.
Load joint_load(const Plan& plan, const Load& common);

/// The common load first, if any class takes part in it.
std::vector<Lane> make_lanes(const TrafficInputs& inputs);

/// A class's own header lines.
std::vector<std::string> class_headers(const TrafficClass& traffic);

}  // namespace infermeter
