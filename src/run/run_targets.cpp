#include "run/run_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/prepare/calibrate.hpp"
#include "engine/session/worker.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/data/data_formats.hpp"

namespace infermeter {
namespace {

// Whether the text is synthetic, so that its length can be calibrated.
bool may_calibrate(const TrafficClass& traffic, const ClassData& data) {
  const bool made = traffic.prompts.prompts.empty() && (!data.items || is_trace(data.items->format()));
  return made && traffic.prompts.calibrate;
}

// Requests per second of the first trace, on average.
double trace_rate(const std::vector<ClassData>& data, double speed) {
  for (const auto& one : data) {
    if (one.stamps.size() < 2 || one.stamps.back() <= 0ns) continue;
    const double length = std::chrono::duration<double>(one.stamps.back()).count();
    return speed * static_cast<double>(one.stamps.size()) / length;
  }
  return 1;
}

}  // namespace

RunTargets::RunTargets(const Plan& plan, std::vector<ClassData> data, const TimeLimit& limit, const Say& say,
                       Log* log)
    : plan_(plan),
      data_(std::move(data)),
      limit_(limit),
      say_(say),
      log_(log),
      prepared_(plan.targets.size()),
      calibrations_(plan.targets.size()),
      workers_(plan.targets.size(), most_workers()) {}

void RunTargets::prepare(std::uint32_t target) {
  prepared_[target] = look_at(plan_.targets[target]);
  auto& learnt = calibrations_[target];
  if (learnt.empty()) {
    learnt.resize(plan_.classes.size());
    for (std::uint32_t c = 0; c < plan_.classes.size(); ++c) {
      if (calibrates(c)) learnt[c] = calibrate(plan_, prepared_[target], c, limit_, say_);
    }
  }
  const nanoseconds most = plan_.timeouts.prepare - own_time();
  spare_ = std::clamp(nanoseconds(prepared_[target].ask_until - now()), 0ns, most);
}

// A single request is its own probe.
bool RunTargets::calibrates(std::uint32_t traffic_class) const {
  const auto& points = plan_.sweep.points;
  const bool single = points.size() == 1 && points.front().requests == 1u && !plan_.preflight;
  return !single && may_calibrate(plan_.classes[traffic_class], data_[traffic_class]);
}

nanoseconds RunTargets::own_time() const {
  return plan_.timeouts.prepare / static_cast<std::int64_t>(plan_.targets.size());
}

void RunTargets::expect_like(std::uint32_t target, std::uint32_t other) {
  prepared_[target] = prepared_[other];
  prepared_[target].target = plan_.targets[target];
  prepared_[target].facts.name = plan_.targets[target].name;
  prepared_[target].facts.label = plan_.targets[target].label;
  prepared_[target].facts.region = plan_.targets[target].region;
}

const std::string& RunTargets::calibration_report(std::uint32_t target, std::size_t traffic_class) const {
  static const std::string none;
  const auto& learnt = calibrations_[target];
  return learnt.empty() || !learnt[traffic_class] ? none : learnt[traffic_class]->report;
}

std::vector<Lane> RunTargets::lanes(const Load& load, std::uint32_t target, const std::string& nonce,
                                    std::span<const std::uint64_t> sent_before) const {
  return make_lanes({.plan = plan_,
                     .load = load,
                     .prepared = prepared_[target],
                     .data = data_,
                     .calibrations = calibrations_[target],
                     .nonce = nonce,
                     .sent_before = sent_before});
}

PreparedTarget RunTargets::look_at(const Target& target) const {
  try {
    return prepare_target(plan_, target, own_time() + spare_, limit_, say_, log_);
  } catch (const EnvironmentError& error) {
    if (target.name.empty()) throw;
    throw EnvironmentError(fmt::format("target {}: {}", target.name, error.what()), error.advice());
  }
}

// The maximum over all points: a target keeps its workers.
std::uint32_t RunTargets::most_workers() const {
  std::uint32_t most = 1;
  for (const auto& point : plan_.sweep.points) {
    Load load = own_part(joint_load(plan_, point), plan_.shard);
    if (load.arrival == Arrival::trace) load.rate = trace_rate(data_, load.replay_speed) / plan_.shard.of;
    most = std::max(most, worker_count(load.workers, load, std::thread::hardware_concurrency()));
  }
  return most;
}

}  // namespace infermeter
