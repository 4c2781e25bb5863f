#include "run/hand_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/report/result_json.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {
namespace {

/// What could not be done, and what to do about the first of it.
struct Problems {
  std::vector<std::string> texts;
  std::string advice;

  void add(const std::exception& failure) {
    if (const auto* error = dynamic_cast<const Error*>(&failure); error && advice.empty())
      advice = error->advice();
    texts.push_back(failure_words(failure));
  }
};

/// The counts without the figures, which a report makes again from the records: a small file may be written
/// where the whole one has no room.
RunResult counts_of(const RunResult& result) {
  RunResult counts = result;
  counts.complete = false;
  counts.differences.clear();
  counts.ranking.clear();
  counts.verdict.reset();
  for (auto& point : counts.points) {
    PointResult small;
    small.point = point.point;
    small.target = point.target;
    small.load = std::move(point.load);
    small.requests = point.requests;
    small.warmup_requests = point.warmup_requests;
    small.ramp_requests = point.ramp_requests;
    small.ok = point.ok;
    small.outcomes = std::move(point.outcomes);
    small.client_cpu_share = point.client_cpu_share;
    small.rate_limits = std::move(point.rate_limits);
    small.validity.partial = point.validity.partial;
    point = std::move(small);
  }
  return counts;
}

template <typename Work>
void attempt(Problems& problems, const Work& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    problems.add(failure);
  }
}

void write_whole_or_counts(ResultFolder& folder, const RunResult& result) {
  try {
    folder.write_result(result_to_json(result));
  } catch (const std::exception&) {
    Problems ignored;  // the first error is thrown
    attempt(ignored, [&] { folder.write_result(result_to_json(counts_of(result))); });
    throw;
  }
}

}  // namespace

void hand_out(const RunResult& result, const MeasuredRun& run, ResultFolder* folder, const Hooks& hooks,
              bool of_gate) {
  Problems problems;
  if (const std::string lost = run.lost_words(); !lost.empty()) problems.texts.push_back(lost);
  if (folder != nullptr) {
    folder->expect_last_files();
    if (of_gate) attempt(problems, [&] { folder->write_verdict(verdict_to_json(*result.verdict)); });
    attempt(problems, [&] { write_whole_or_counts(*folder, result); });
  }
  if (problems.texts.empty()) return hooks.end(result, run.records());
  attempt(problems, [&] { hooks.end(result, run.records()); });
  throw Error(result.interrupted ? ExitCode::interrupted : ExitCode::environment,
              fmt::format("{}", fmt::join(problems.texts, "; ")), problems.advice);
}

}  // namespace infermeter
