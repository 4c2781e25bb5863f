#include "analysis/runs/merge_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "infermeter/base/errors.hpp"
#include "model/load.hpp"

namespace infermeter {

namespace {

/// Between machines, whose clocks are not quite the same.
constexpr std::int64_t kClockSlackUs = 5'000'000;
/// UTC may be corrected while shards run.
constexpr std::int64_t kOneBootNs = 1'000'000'000;

/// What must be equal in all shards, and its text.
struct Trait {
  std::string name, value;
};

template <typename T>
std::string text(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

std::vector<Trait> traits_of(const RunResult& run) {
  std::vector<Trait> traits{{"the version of infermeter", run.tool_version},
                            {"the number of shards", fmt::format("{}", run.shard.of)},
                            {"what was asked for (plan hash)", run.plan_hash},
                            {"the number of targets", fmt::format("{}", run.targets.size())}};
  for (const auto& target : run.targets) {
    traits.push_back({"the URL", target.url});
    traits.push_back({"the model", target.model});
  }
  return traits;
}

std::vector<Trait> traits_of(const LoadPoint& load) {
  return {{"the load", name(load_id(load))},
          {"the seed", fmt::format("{}", load.seed)},
          {"the number of requests", text(load.requests)},
          {"the duration", text(load.duration_s)},
          {"the warm-up", text(load.warmup_requests) + " requests, " + text(load.warmup_s) + " s"}};
}

[[noreturn]] void refuse(const ShardRun& a, const ShardRun& b, const std::string& difference) {
  throw UsageError(fmt::format("{} and {} are not shards of one run: {}", a.name, b.name, difference),
                   "`infermeter compare A B` sets different runs side by side.");
}

void compare(const ShardRun& a, const ShardRun& b, const std::vector<Trait>& of_a,
             const std::vector<Trait>& of_b) {
  for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
    if (of_a[i].value != of_b[i].value)
      refuse(a, b, fmt::format("{} differs ({} and {})", of_a[i].name, of_a[i].value, of_b[i].value));
  }
}

/// A shard that was killed before it made its schedule has no hash.
void compare_schedules(const ShardRun& a, const ShardRun& b, const LoadPoint& of_a, const LoadPoint& of_b) {
  if (of_a.schedule_hash.empty() || of_b.schedule_hash.empty()) return;
  if (of_a.schedule_hash != of_b.schedule_hash)
    refuse(a, b, fmt::format("the schedule differs ({} and {})", of_a.schedule_hash, of_b.schedule_hash));
}

void compare(const ShardRun& a, const ShardRun& b) {
  compare(a, b, traits_of(a.run), traits_of(b.run));
  for (const auto& mine : a.run.points) {
    for (const auto& other : b.run.points) {
      if (mine.point != other.point || mine.target != other.target) continue;
      compare(a, b, traits_of(mine.load), traits_of(other.load));
      compare_schedules(a, b, mine.load, other.load);
    }
  }
}

void refuse_whole(const ShardRun& shard) {
  if (shard.run.shard.whole())
    throw UsageError(fmt::format("{} is no shard of a run (--shard R/N)", shard.name),
                     "`infermeter compare A B` sets whole results side by side.");
}

struct Stay {
  const ShardRun* shard = nullptr;
  std::int64_t from_us = 0, to_us = 0;
};

/// A sum over things that were not measured at the same time means nothing.
void refuse_strangers_in_time(const Stay& a, const Stay& b, std::int64_t slack_us) {
  if (a.to_us + slack_us >= b.from_us) return;
  refuse(*a.shard, *b.shard,
         fmt::format("the second began {:.0f} s after the first had ended",
                     static_cast<double>(b.from_us - a.to_us) / 1e6));
}

std::int64_t last_end_us(const std::vector<RequestRecord>& records) {
  std::int64_t last = 0;
  for (const auto& record : records) last = std::max(last, record.end_us.value_or(0));
  return last;
}

/// Of a result file, whatever it says: differences of two of them do not overflow.
std::int64_t instant_ns(std::uint64_t ns) {
  constexpr std::uint64_t most = 4'000'000'000'000'000'000;  // the year 2096
  return static_cast<std::int64_t>(std::min(ns, most));
}

/// The time at which its monotonic clock was 0. Containers on several machines may have the same name.
std::int64_t boot_ns(const RunResult& run) {
  return instant_ns(run.start_unix_ns) - instant_ns(run.start_monotonic_ns);
}

}  // namespace

void refuse_strangers(std::span<const ShardRun> shards) {
  std::ranges::for_each(shards, refuse_whole);
  for (std::size_t i = 1; i < shards.size(); ++i) {
    compare(shards[0], shards[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (shards[i].run.shard.rank == shards[j].run.shard.rank)
        throw UsageError(fmt::format("{} and {} are the same shard: {} of {}", shards[j].name, shards[i].name,
                                     shards[i].run.shard.rank, shards[i].run.shard.of));
    }
  }
}

std::vector<std::uint32_t> missing_ranks(std::span<const ShardRun> shards) {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < shards.front().run.shard.of; ++rank) {
    const auto has_it = [&](const ShardRun& shard) { return shard.run.shard.rank == rank; };
    if (std::ranges::none_of(shards, has_it)) missing.push_back(rank);
  }
  return missing;
}

bool on_one_machine(std::span<const ShardRun> shards) {
  const RunResult& first = shards.front().run;
  const auto there = [&](const ShardRun& shard) {
    return shard.run.environment.hostname_hash == first.environment.hostname_hash &&
           std::abs(boot_ns(shard.run) - boot_ns(first)) < kOneBootNs;
  };
  return !first.environment.hostname_hash.empty() && std::ranges::all_of(shards, there);
}

std::vector<std::int64_t> starts_us(std::span<const ShardRun> shards) {
  const bool one_clock = on_one_machine(shards);
  const auto start_ns = [&](const ShardRun& s) {
    return instant_ns(one_clock ? s.run.start_monotonic_ns : s.run.start_unix_ns);
  };
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (const auto& shard : shards) {
    if (shard.records.empty()) continue;
    if (shard.run.start_unix_ns == 0)
      throw EnvironmentError(fmt::format("{} does not say when it began", shard.name));
    origin = std::min(origin, start_ns(shard));
  }
  std::vector<std::int64_t> starts;
  std::vector<Stay> stays;
  for (const auto& shard : shards) {
    starts.push_back(shard.records.empty() ? 0 : (start_ns(shard) - origin + 500) / 1000);
    if (!shard.records.empty())
      stays.push_back({&shard, starts.back(), starts.back() + last_end_us(shard.records)});
  }
  for (const auto& a : stays) {
    for (const auto& b : stays) refuse_strangers_in_time(a, b, one_clock ? 0 : kClockSlackUs);
  }
  return starts;
}

}  // namespace infermeter
