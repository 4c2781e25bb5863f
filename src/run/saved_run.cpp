#include "infermeter/run/saved_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "analysis/conclude.hpp"
#include "infermeter/analysis/assertions.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/result_json.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"
#include "run/exit_codes.hpp"
#include "run/scrapes.hpp"

namespace infermeter {
namespace {

void require_file(const std::string& directory, const char* name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    throw EnvironmentError(fmt::format("no result in {}: no such folder", directory));
  refuse_cut_short(directory);
  if (!std::filesystem::exists(directory + "/" + name, ignored))
    throw EnvironmentError(fmt::format("no result in {}: {} is missing", directory, name),
                           "`infermeter run --out DIR` makes such a folder.");
  // Of a pipe that nobody writes to, the end never comes.
  if (!std::filesystem::is_regular_file(directory + "/" + name, ignored))
    throw EnvironmentError(fmt::format("no result in {}: {} is no file", directory, name));
}

RunResult read_result(const std::string& path) {
  try {
    return result_from_json(read_file(path));
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{}: {}", path, error.what()), error.advice());
  }
}

std::pair<std::uint32_t, std::uint32_t> place(const RequestRecord& record) {
  return {record.point, record.target};
}

/// The records of one point and target; `sorted` is sorted by these.
std::span<const RequestRecord> records_of(const PointResult& point,
                                          const std::vector<RequestRecord>& sorted) {
  const auto wanted = std::pair(point.point, point.target);
  const auto range = std::ranges::equal_range(sorted, wanted, {}, place);
  return {range.begin(), range.end()};
}

bool was_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

// In a run that ended early, only the point in progress is partial.
bool is_partial(const RunResult& run, const PointResult& point) {
  if (was_measured(point)) return point.validity.partial;
  return !run.complete || run.interrupted || !run.ended_early.empty();
}

RunState state_of(const RunResult& run, const PointResult& point, std::span<const Scrape> scrapes) {
  RunState state;
  state.scrapes = scrapes;
  state.partial = is_partial(run, point);
  state.client_cpu_share =
      point.client_cpu_share > 0 ? point.client_cpu_share : run.environment.client_cpu_share;
  state.timestamp_source = run.environment.timestamp_source.value_or(state.timestamp_source);
  if (point.target >= run.targets.size()) return state;
  const TargetFacts& target = run.targets[point.target];
  state.timestamp_source = target.timestamp_source.value_or(state.timestamp_source);
  state.prices = target.prices;
  state.gpus = target.gpus;
  if (point.rate_limits) state.waited_s = point.rate_limits->waited_s;
  return state;
}

// With --no-save-gaps the records do not show the time between first and last token: the run's own figures
// are kept.
bool gaps_were_left_out(std::span<const RequestRecord> records) {
  const auto streamed = [](const RequestRecord& r) { return r.events >= 2; };
  return std::ranges::any_of(records, streamed) &&
         std::ranges::none_of(records, [](const RequestRecord& r) { return !r.gaps_us.empty(); });
}

std::uint64_t total(const PointResult& point) {
  return point.requests + point.warmup_requests + point.ramp_requests;
}

/// The records are not those that the run counted: some could not be written or were cut away, or are another
/// run's.
Check not_its_records(const PointResult& made, const PointResult& saved) {
  const std::string held =
      total(made) > total(saved)
          ? fmt::format("requests.jsonl holds {} requests, result.json counted {}", total(made), total(saved))
          : fmt::format("requests.jsonl holds {} of the {} requests that result.json counted", total(made),
                        total(saved));
  const std::string_view whose = total(made) == 0 ? "the run's own" : "of what is there";
  return {.kind = CheckKind::complete,
          .state = CheckState::failed,
          .evidence = held + ".",
          .advice = fmt::format("These figures are {}: measure again.", whose)};
}

void distrust(PointResult& point, Check why) {
  std::erase_if(point.validity.checks, [](const Check& check) { return check.kind == CheckKind::complete; });
  point.validity.checks.push_back(std::move(why));
  point.validity.partial = true;
  point.validity.trustworthy = false;
}

void make_again(PointResult& point, const RunResult& run, std::span<const RequestRecord> records,
                std::span<const Scrape> scrapes) {
  PointResult made = summarize(point.load, records, state_of(run, point, scrapes));
  made.point = point.point;
  made.target = point.target;
  const bool counted = was_measured(point);
  if (counted && total(made) != total(point)) {
    Check why = not_its_records(made, point);
    if (total(made) > 0) point = std::move(made);
    return distrust(point, std::move(why));
  }
  if (!counted || !gaps_were_left_out(records)) point = std::move(made);
}

Threshold read_saved(const std::string& text) {
  try {
    return parse_assertion("result.json", text);
  } catch (const UsageError& error) {
    throw EnvironmentError(error.what(), error.advice());
  }
}

std::vector<Threshold> own_asserts(const RunResult& run) {
  std::vector<Threshold> out;
  for (const auto& text : run.asserts) out.push_back(read_saved(text));
  return out;
}

/// The exit code with which the run ended, or would have, had it not been killed. That --max-error-rate ended
/// it is known from its saved code only.
ExitCode code_of_own(const RunResult& run, int before) {
  if (!run.complete) return ExitCode::interrupted;
  const bool failed = static_cast<ExitCode>(before) == ExitCode::environment;
  return joined({exit_code_of(run), failed ? ExitCode::environment : ExitCode::ok});
}

}  // namespace

SavedRun read_saved_run(const std::string& directory) {
  require_file(directory, "result.json");
  require_file(directory, "requests.jsonl");
  SavedRun saved{read_result(directory + "/result.json"), read_records(directory + "/requests.jsonl")};
  RunResult& run = saved.run;
  std::ranges::stable_sort(saved.records, {}, place);
  std::vector<Scrape> scrapes = read_scrapes(directory);
  std::ranges::stable_sort(scrapes, {}, &Scrape::target);
  for (auto& point : run.points) {
    const auto own = std::ranges::equal_range(scrapes, point.target, {}, &Scrape::target);
    make_again(point, run, records_of(point, saved.records), {own.begin(), own.end()});
  }
  // Removes the points that a killed sweep had not reached; a run of a single point is shown empty.
  if (std::ranges::any_of(run.points, was_measured))
    std::erase_if(run.points, [](const auto& point) { return !was_measured(point); });
  conclude(run, saved.records);
  return saved;
}

void compare_again(SavedRun& saved, std::optional<std::uint32_t> against, const std::string& sort) {
  if (!against && sort.empty()) return;
  if (against) saved.run.against = *against;
  if (!sort.empty()) saved.run.sort = sort;
  conclude(saved.run, saved.records);
}

void judge_again(SavedRun& saved, std::span<const Threshold> asserts, bool by_point) {
  const auto own = own_asserts(saved.run);
  const bool given = !asserts.empty();
  if (!given && own.empty()) return;
  const int before = saved.run.verdict ? saved.run.verdict->exit_code : 0;
  saved.run.verdict = judge_assertions(saved.run, saved.records, given ? asserts : std::span(own),
                                       by_point || (!given && saved.run.assert_point));
  if (!given) saved.run.verdict->exit_code = static_cast<int>(code_of_own(saved.run, before));
}

}  // namespace infermeter
