#include "run/saved_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "analysis/compare/bench_intervals.hpp"
#include "analysis/runs/merge_shards.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"
#include "model/load.hpp"
#include "report/formats/vllm_result.hpp"

namespace infermeter {
namespace {

namespace fs = std::filesystem;

fs::path folder_part(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// The folder of a result.json with records beside it; empty if there are none.
std::string folder_of(const fs::path& file) {
  std::error_code ignored;
  const fs::path folder = folder_part(file);
  const bool whole = file.filename() == "result.json" && fs::exists(folder / "requests.jsonl", ignored);
  return whole ? folder.string() : std::string();
}

SavedRun read_vllm(const std::string& text) {
  BenchRun bench = vllm_result_from_json(text);
  add_intervals(bench);
  return {std::move(bench.run), {}};
}

LoadedResult load_file(const std::string& path) {
  if (const auto folder = folder_of(path); !folder.empty()) return {"", read_saved_run(folder)};
  if (fs::path(path).filename() == "result.json") refuse_cut_short(folder_part(path).string());
  const std::string text = read_file(path);
  try {
    if (is_vllm_result(text)) return {"vLLM bench", read_vllm(text)};
    return {"", {result_from_json(text), {}}};
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{}: {}", path, error.what()), error.advice());
  }
}

/// The same load, requested in the same way.
bool same_point(const LoadPoint& a, const LoadPoint& b) {
  return load_id(a) == load_id(b) && a.requests == b.requests && a.duration_s == b.duration_s &&
         a.seed == b.seed && a.input_tokens == b.input_tokens && a.output_tokens == b.output_tokens;
}

[[noreturn]] void refuse(const std::string& directory, std::string_view rule) {
  throw UsageError(fmt::format("--resume: '{}' {}", directory, rule),
                   "Give the options of the run that is to be resumed, and its folder.");
}

/// A simulator that the run starts has another port in each run.
bool same_server(const TargetFacts& saved, const TargetFacts& planned, bool simulated) {
  if (saved.model != planned.model) return false;
  return simulated ? saved.simulated == planned.simulated : saved.url == planned.url;
}

std::string server_words(const TargetFacts& target, bool simulated) {
  if (simulated && !target.simulated.empty()) return fmt::format("the simulator {}", target.simulated);
  return fmt::format("{} ({})", target.url, target.model);
}

void refuse_another_run(const std::string& directory, const RunResult& saved, const RunResult& planned,
                        bool simulated) {
  if (saved.targets.size() != planned.targets.size())
    refuse(directory,
           fmt::format("was measured at {} targets, not {}", saved.targets.size(), planned.targets.size()));
  if (saved.plan_hash != planned.plan_hash) refuse(directory, "was measured with other options");
  for (std::size_t t = 0; t < planned.targets.size(); ++t) {
    if (!same_server(saved.targets[t], planned.targets[t], simulated))
      refuse(directory, fmt::format("was measured at {}, not {}", server_words(saved.targets[t], simulated),
                                    server_words(planned.targets[t], simulated)));
  }
}

bool finished(const PointResult& point) { return point.requests > 0 && !point.validity.partial; }

/// The saved point of each planned one, if any; each is used at most once.
class SavedPoints {
 public:
  explicit SavedPoints(const RunResult& run) : run_(run), taken_(run.points.size(), false) {}

  const PointResult* take(const PointResult& wanted) {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const PointResult& point = run_.points[i];
      if (taken_[i] || point.target != wanted.target || !same_point(point.load, wanted.load)) continue;
      taken_[i] = true;
      return &point;
    }
    return nullptr;
  }

  /// Measured results are never discarded.
  void refuse_left_over(const std::string& directory) const {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i] && finished(run_.points[i]))
        refuse(directory,
               fmt::format("has a finished point that these options leave out or ask for differently: {}",
                           short_name(load_id(run_.points[i].load))));
    }
  }

 private:
  const RunResult& run_;
  std::vector<bool> taken_;
};

Instant origin_before(const std::vector<RequestRecord>& records, std::uint64_t start_monotonic_ns) {
  std::int64_t last_us = 0;
  for (const auto& record : records) last_us = std::max(last_us, record.end_us.value_or(0));
  // After a reboot the machine's clock starts again at zero: the kept records still come first.
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const Instant saved{nanoseconds(static_cast<std::int64_t>(std::min(start_monotonic_ns, most)))};
  return std::min(saved, now() - std::chrono::microseconds(last_us) - std::chrono::milliseconds(1));
}

}  // namespace

LoadedResult load_result(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {"", read_saved_run(path)};
  return load_file(path);
}

void merge_saved(const std::vector<std::string>& directories, bool allow_missing, const std::string& out) {
  std::vector<ShardRun> shards;
  for (const auto& directory : directories) {
    refuse_unfinished(directory);
    SavedRun saved = read_saved_run(directory);
    shards.push_back({directory, std::move(saved.run), std::move(saved.records)});
  }
  ResultFolder folder = ResultFolder::for_merge(out);
  const MergedRun merged = merge_shards(std::move(shards), allow_missing);
  const std::string json = result_to_json(merged.run);
  folder.expect_last_files();
  const RecordsFile records(folder.records_path(), merged.records);
  folder.write_result(json);
}

ResumedRun read_resumed_run(const std::string& directory, const RunResult& planned, bool simulated) {
  SavedRun saved = read_saved_run(directory);
  refuse_another_run(directory, saved.run, planned, simulated);
  ResumedRun out;
  const std::size_t targets = planned.targets.size();
  out.done.assign(planned.points.size() / targets, true);
  std::vector<PointResult> points;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> renamed;  // saved point → planned point
  SavedPoints saved_points(saved.run);
  for (const auto& wanted : planned.points) {
    const PointResult* found = saved_points.take(wanted);
    if (found == nullptr || !finished(*found)) out.done[wanted.point] = false;
    points.push_back(found != nullptr ? *found : wanted);
    points.back().point = wanted.point;
    if (found != nullptr) renamed.emplace_back(found->point, wanted.point);
  }
  saved_points.refuse_left_over(directory);
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
