// The requests of one load point at one target: per class a source and its body template, and the class of
// the i-th request of a lane. Built once before the workers start, read by all of them.
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
  std::uint32_t traffic_class = 0;  // index into the plan's classes
  std::shared_ptr<const RequestSource> source;
  BodyTemplate body;
  StreamOptions stream;
  std::vector<std::string> headers;  // header lines of the class
  Cancel cancel;
  std::uint32_t choices = 1;
  bool conversations = false;
  std::string session_header;
  bool session_connection = false;
};

/// A separate load within a point: that of all classes with shares together, or of one class with its own
/// rate or concurrency.
struct Lane {
  Load load;
  Schedule schedule;  // for an open loop
  std::vector<ClassTraffic> classes;
  Mix mix{{1.0}, 0};
  bool beside = false;          // ends with the common load, even if its own end is later
  std::uint32_t max_turns = 1;  // of its conversations

  bool conversations() const { return max_turns > 1; }
  /// Turns of the conversations from `first_index` on. The lane must outlive it.
  ConversationScript script(std::uint64_t first_index) const;
};

/// Data of a class besides its plan, the same for all points.
struct ClassData {
  std::shared_ptr<const ItemSource> items;  // items of its data file, or null
  std::vector<nanoseconds> stamps;          // time stamps of a trace, else empty
  std::uint64_t bad_lines = 0;              // number of lines skipped
};

struct TrafficInputs {
  const Plan& plan;
  const Load& load;
  const PreparedTarget& prepared;
  std::span<const ClassData> data;                                   // by class
  std::span<const std::shared_ptr<const Calibration>> calibrations;  // by class; null: not calibrated
  std::string nonce;                                                 // for this point and target
  std::span<const std::uint64_t> sent_before = {};  // by class: SourceInputs::sent_before; empty: none
};

/// Whether any class takes part in the point's common load.
bool has_common_load(const Plan& plan);
/// The load of a point; if every class has a load of its own, the sum of these.
Load joint_load(const Plan& plan, const Load& common);

/// The common load first, if any class takes part in it.
std::vector<Lane> make_lanes(const TrafficInputs& inputs);

/// A class's own header lines.
std::vector<std::string> class_headers(const TrafficClass& traffic);

}  // namespace infermeter
