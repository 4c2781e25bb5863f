#include "resumed_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/errors.hpp"
#include "saved_run.hpp"

namespace infermeter {
namespace {

bool same_load(const LoadPoint& a, const LoadPoint& b) {
  return a.open_loop == b.open_loop && a.concurrency == b.concurrency && a.rate == b.rate &&
         a.arrival == b.arrival && a.stages == b.stages && a.shape == b.shape && a.requests == b.requests &&
         a.duration_s == b.duration_s && a.seed == b.seed && a.input_tokens == b.input_tokens &&
         a.output_tokens == b.output_tokens;
}

[[noreturn]] void refuse(const std::string& directory, std::string_view rule) {
  throw UsageError(fmt::format("--resume: '{}' {}", directory, rule),
                   "Give the options of the run that is to be resumed, and its folder.");
}

void refuse_another_run(const std::string& directory, const RunResult& saved, const RunResult& planned) {
  if (saved.targets.size() != planned.targets.size())
    refuse(directory,
           fmt::format("was measured at {} targets, not {}", saved.targets.size(), planned.targets.size()));
  for (std::size_t t = 0; t < planned.targets.size(); ++t) {
    if (saved.targets[t].url != planned.targets[t].url || saved.targets[t].model != planned.targets[t].model)
      refuse(directory,
             fmt::format("was measured at {} ({}), not {} ({})", saved.targets[t].url, saved.targets[t].model,
                         planned.targets[t].url, planned.targets[t].model));
  }
}

const PointResult* find_point(const RunResult& run, const PointResult& wanted) {
  const auto same = [&](const PointResult& point) {
    return point.target == wanted.target && same_load(point.load, wanted.load);
  };
  const auto found = std::ranges::find_if(run.points, same);
  return found == run.points.end() ? nullptr : &*found;
}

bool finished(const PointResult* point) {
  return point != nullptr && point->requests > 0 && !point->validity.partial;
}

Instant origin_before(const std::vector<RequestRecord>& records, std::uint64_t start_monotonic_ns) {
  std::int64_t last_us = 0;
  for (const auto& record : records) last_us = std::max(last_us, record.end_us.value_or(0));
  // After a restart of the machine its clock has begun again: what was kept still comes first.
  const Instant saved{nanoseconds(static_cast<std::int64_t>(start_monotonic_ns))};
  return std::min(saved, now() - std::chrono::microseconds(last_us) - std::chrono::milliseconds(1));
}

}  // namespace

ResumedRun read_resumed_run(const std::string& directory, const RunResult& planned) {
  SavedRun saved = read_saved_run(directory);
  refuse_another_run(directory, saved.run, planned);
  ResumedRun out;
  const std::size_t targets = planned.targets.size();
  out.done.assign(planned.points.size() / targets, true);
  std::vector<PointResult> points;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> renamed;  // saved point → planned point
  for (const auto& wanted : planned.points) {
    const PointResult* found = find_point(saved.run, wanted);
    if (!finished(found)) out.done[wanted.point] = false;
    points.push_back(found != nullptr ? *found : wanted);
    points.back().point = wanted.point;
    if (found != nullptr) renamed.emplace_back(found->point, wanted.point);
  }
  for (auto& record : saved.records) {
    const auto name = std::ranges::find(renamed, record.point, [](const auto& pair) { return pair.first; });
    if (name == renamed.end() || !out.done[name->second]) continue;
    record.point = name->second;
    out.records.push_back(std::move(record));
  }
  out.run = std::move(saved.run);
  out.run.points = std::move(points);
  out.origin = origin_before(out.records, out.run.start_monotonic_ns);
  return out;
}

}  // namespace infermeter
