#include "analysis/runs/merge_shards.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/conclude.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // point and target

/// With a larger difference the shards' schedules did not overlap as planned.
constexpr std::int64_t kTogetherUs = 50'000;

auto order_of(const RequestRecord& record) { return std::tuple(record.point, record.target, record.id); }

std::string seconds(std::int64_t us) { return format_number(static_cast<double>(us) / 1e6) + " s"; }

const PointResult* point_at(const RunResult& run, Place place) {
  const auto it = std::ranges::find_if(
      run.points, [&](const PointResult& p) { return Place(p.point, p.target) == place; });
  return it == run.points.end() ? nullptr : &*it;
}

std::vector<RequestRecord> join_records(std::vector<ShardRun>& shards,
                                        const std::vector<std::int64_t>& starts) {
  std::vector<RequestRecord> all;
  std::uint32_t workers = 0;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    std::uint32_t of_shard = 0;
    for (auto& record : shards[s].records) {
      shift_instants(record, starts[s]);
      of_shard = std::max(of_shard, record.worker + 1);
      record.worker += workers;
      all.push_back(std::move(record));
    }
    shards[s].records.clear();
    workers += of_shard;
  }
  std::ranges::sort(all, {}, order_of);
  const auto twice = std::ranges::adjacent_find(all, {}, order_of);
  if (twice != all.end())
    throw UsageError(fmt::format("request {} stands in two shards: they are not of one run", twice->id));
  return all;
}

void join_texts(std::vector<std::string>& texts, const std::vector<std::string>& more) {
  for (const auto& text : more) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
}

/// Texts of a single shard name that shard.
void join_reason(std::string& reason, const ShardRun& shard, const std::string& other) {
  if (other.empty()) return;
  reason += fmt::format("{}shard {}: {}", reason.empty() ? "" : "; ", shard.run.shard.rank, other);
}

void join_target(TargetFacts& facts, const ShardRun& shard, const TargetFacts& other, bool first) {
  join_reason(facts.ended_early, shard, other.ended_early);
  if (first) return;
  join(facts.timestamp_source, other.timestamp_source);
  join_texts(facts.system_fingerprints, other.system_fingerprints);
  if (facts.version != other.version)
    facts.notes.push_back(fmt::format("to shard {} the server called itself {}, not {}", shard.run.shard.rank,
                                      other.version, facts.version));
}

/// A note that all shards have appears once; others name their shards.
void join_notes(std::span<const ShardRun> shards, std::size_t target, std::vector<std::string>& notes) {
  std::vector<std::string> all;
  for (const auto& shard : shards) join_texts(all, shard.run.targets[target].notes);
  for (const auto& note : all) {
    std::vector<std::uint32_t> ranks;
    for (const auto& shard : shards) {
      const auto& own = shard.run.targets[target].notes;
      if (std::ranges::find(own, note) != own.end()) ranks.push_back(shard.run.shard.rank);
    }
    const bool everywhere = ranks.size() == shards.size();
    notes.push_back(everywhere ? note : fmt::format("shard {}: {}", fmt::join(ranks, ", "), note));
  }
}

std::vector<std::string> differences(const Environment& a, const Environment& b) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view what, const auto& mine, const auto& other) {
    if (mine != other) out.push_back(fmt::format("{} {}", what, other));
  };
  add("CPU", a.cpu, b.cpu);
  add("cores:", a.cores, b.cores);
  add("kernel", a.kernel, b.kernel);
  add("system", a.os, b.os);
  add("governor", a.governor, b.governor);
  add("build", a.build_type, b.build_type);
  return out;
}

void join_run(RunResult& run, const ShardRun& shard, bool first) {
  const RunResult& other = shard.run;
  run.interrupted = run.interrupted || other.interrupted;
  join_reason(run.ended_early, shard, other.ended_early);
  for (std::size_t t = 0; t < run.targets.size(); ++t)
    join_target(run.targets[t], shard, other.targets[t], first);
  if (first) return;
  run.run_id += "+" + other.run_id;
  run.connect_backoffs += other.connect_backoffs;
  run.lost_records += other.lost_records;
  Environment& environment = run.environment;
  environment.client_cpu_share = std::max(environment.client_cpu_share, other.environment.client_cpu_share);
  join(environment.timestamp_source, other.environment.timestamp_source);
  for (const auto& label : other.labels) {
    if (std::ranges::find(run.labels, label) == run.labels.end()) run.labels.push_back(label);
  }
}

/// Copies from the first shard what belongs to the whole run, without what belongs to that shard.
RunResult frame_of(const RunResult& first) {
  RunResult run = first;
  run.shard = {};
  run.complete = true;
  run.interrupted = false;
  run.ended_early.clear();
  run.points.clear();
  run.verdict.reset();
  for (auto& target : run.targets) {
    target.notes.clear();  // joined from all
    target.ended_early.clear();
  }
  return run;
}

bool cut_short(const ShardRun& shard, Place place) {
  if (const PointResult* point = point_at(shard.run, place)) return point->validity.partial;
  return !shard.run.complete || shard.run.interrupted || !shard.run.ended_early.empty();
}

RunState state_of(const RunResult& run, std::span<const ShardRun> shards, Place place, bool partial) {
  const TargetFacts& target = run.targets[place.second];
  RunState state{.partial = partial, .prices = target.prices, .gpus = target.gpus};
  state.timestamp_source = target.timestamp_source.value_or(state.timestamp_source);
  for (const auto& shard : shards) {
    state.partial = state.partial || cut_short(shard, place);
    const PointResult* point = point_at(shard.run, place);
    if (point == nullptr) continue;
    state.client_cpu_share = std::max(state.client_cpu_share, point->client_cpu_share);
    if (point->rate_limits) state.waited_s = std::max(state.waited_s, point->rate_limits->waited_s);
  }
  return state;
}

/// The whole load, as each shard knows it; a shard that was killed early may not know its schedule.
LoadPoint whole_load(std::span<const ShardRun> shards, Place place) {
  LoadPoint load;
  bool any = false;
  std::uint32_t workers = 0;
  for (const auto& shard : shards) {
    const PointResult* point = point_at(shard.run, place);
    if (point == nullptr) continue;
    workers += point->load.workers;
    if (!any || (load.open_loop && load.schedule_hash.empty())) load = point->load;
    any = true;
  }
  load.shard = {};
  load.shard_scheduled = 0;
  load.workers = workers;
  return load;
}

void summarize_points(std::span<const ShardRun> shards, bool partial, MergedRun& out) {
  std::set<Place> places;
  for (const auto& shard : shards) {
    for (const auto& point : shard.run.points) places.emplace(point.point, point.target);
  }
  for (const Place& place : places) {
    const auto records = std::ranges::equal_range(
        out.records, place, {}, [](const RequestRecord& r) { return Place(r.point, r.target); });
    PointResult point = summarize(whole_load(shards, place), {records.begin(), records.end()},
                                  state_of(out.run, shards, place, partial));
    std::tie(point.point, point.target) = place;
    out.run.points.push_back(std::move(point));
  }
}

bool one_nonce(std::span<const ShardRun> shards) {
  const auto same = [&](const ShardRun& s) { return s.run.workload.nonce == shards[0].run.workload.nonce; };
  return std::ranges::all_of(shards, same);
}

/// Notes on how the whole was merged, for its readers.
std::vector<std::string> notes_on(std::span<const ShardRun> shards, const std::vector<std::int64_t>& starts,
                                  const std::vector<std::uint32_t>& missing) {
  std::vector<std::string> notes{
      fmt::format("merged from {} of {} shards", shards.size(), shards.front().run.shard.of)};
  if (!missing.empty()) notes.front() += fmt::format(", without {}", fmt::join(missing, ", "));
  if (!on_one_machine(shards))
    notes.push_back(
        "joined by the machines' clocks: times of different shards are only as exact as these clocks");
  const std::int64_t apart = *std::ranges::max_element(starts);
  if (apart > kTogetherUs)
    notes.push_back(
        fmt::format("the shards began up to {} apart: --start-at begins them together", seconds(apart)));
  if (!one_nonce(shards))
    notes.push_back("each shard had its own nonce: prompts share prefixes within a shard only");
  for (const auto& shard : shards.subspan(1)) {
    const auto differing = differences(shards.front().run.environment, shard.run.environment);
    if (!differing.empty())
      notes.push_back(
          fmt::format("shard {} ran elsewhere: {}", shard.run.shard.rank, fmt::join(differing, ", ")));
  }
  return notes;
}

/// Offset 0 is the origin of the earliest shard.
void take_start(RunResult& run, const std::vector<ShardRun>& shards,
                const std::vector<std::int64_t>& starts) {
  for (std::size_t s = 0; s < shards.size(); ++s) {
    if (starts[s] != 0 || shards[s].records.empty()) continue;
    run.start_utc = shards[s].run.start_utc;
    run.start_monotonic_ns = shards[s].run.start_monotonic_ns;
    run.start_unix_ns = shards[s].run.start_unix_ns;
    return;
  }
}

}  // namespace

MergedRun merge_shards(std::vector<ShardRun> shards, bool allow_missing) {
  if (shards.empty()) throw UsageError("there are no shards to merge");
  refuse_strangers(shards);
  std::ranges::sort(shards, {}, [](const ShardRun& s) { return s.run.shard.rank; });
  const auto missing = missing_ranks(shards);
  if (!missing.empty() && !allow_missing)
    throw EnvironmentError(fmt::format("of {} shards {} {} missing", shards.front().run.shard.of,
                                       fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are"),
                           "--allow-missing merges the others; the result is then partial.");
  const auto starts = starts_us(shards);
  MergedRun out{.run = frame_of(shards.front().run), .records = {}};
  take_start(out.run, shards, starts);
  for (const auto& shard : shards) join_run(out.run, shard, &shard == &shards.front());
  out.run.complete = out.run.lost_records == 0;
  out.run.targets.front().notes = notes_on(shards, starts, missing);
  for (std::size_t t = 0; t < out.run.targets.size(); ++t) join_notes(shards, t, out.run.targets[t].notes);
  out.records = join_records(shards, starts);
  summarize_points(shards, !missing.empty(), out);
  conclude(out.run, out.records);
  return out;
}

}  // namespace infermeter
