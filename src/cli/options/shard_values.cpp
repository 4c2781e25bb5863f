#include "cli/options/shard_values.hpp"

#include <fmt/format.h>

#include <array>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMostShards = 10'000;
constexpr std::string_view kForms = "--shard R/N with ranks from 0, as 2/4; or auto, auto/N.";

/// The variables in which a launcher passes a process its rank, and the number of processes.
struct Launcher {
  const char* rank;
  std::array<const char*, 2> size;  // the first that is set; null: the launcher does not set it
};
/// Open MPI before PMI before Slurm: `mpirun` in a Slurm job sets its own variables besides those of the job.
/// The size of a step comes before that of the job.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE", nullptr}},
    {"PMI_RANK", {"PMI_SIZE", nullptr}},
    {"SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}},
    {"JOB_COMPLETION_INDEX", {nullptr, nullptr}},
};

struct Launched {
  std::string rank_name, rank;  // the variable and its value
  std::string size_name, size;  // empty: not set
};

const std::string* find(const Variables& variables, const char* name) {
  if (name == nullptr) return nullptr;
  const auto it = variables.find(name);
  return it == variables.end() ? nullptr : &it->second;
}

std::optional<Launched> find_launcher(const Variables& variables) {
  for (const auto& launcher : kLaunchers) {
    const std::string* rank = find(variables, launcher.rank);
    if (rank == nullptr) continue;
    Launched out{.rank_name = launcher.rank, .rank = *rank, .size_name = {}, .size = {}};
    for (const char* name : launcher.size) {
      const std::string* size = out.size.empty() ? find(variables, name) : nullptr;
      if (size == nullptr) continue;
      out.size_name = name;
      out.size = *size;
    }
    return out;
  }
  return std::nullopt;
}

Shard checked(const Values& values, std::uint64_t rank, std::uint64_t of) {
  if (of < 1 || of > kMostShards)
    values.refuse("shard",
                  fmt::format("has a number of shards that is not in 1 … {}", format_count(kMostShards)));
  if (rank >= of) values.refuse("shard", fmt::format("has a rank beyond {}: ranks count from 0", of - 1));
  return {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(of)};
}

Shard launched_shard(const Values& values, const Variables& variables, std::optional<std::uint64_t> of) {
  const std::string origin = values.origin("shard");
  const auto launched = find_launcher(variables);
  if (!launched)
    throw UsageError(fmt::format("{}: no launcher variable gives the rank", origin),
                     "Looked for OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX.");
  if (!of && launched->size.empty())
    throw UsageError(fmt::format("{}: {} gives no number of shards", origin, launched->rank_name),
                     "--shard auto/N gives it.");
  const std::uint64_t rank = parse_count(launched->rank_name, launched->rank);
  const std::uint64_t size = launched->size.empty() ? *of : parse_count(launched->size_name, launched->size);
  if (of && *of != size) throw UsageError(fmt::format("{}: {} is {}", origin, launched->size_name, size));
  if (rank >= size)
    throw UsageError(fmt::format("{}: {} is {}, of {}", origin, launched->rank_name, rank, size));
  return checked(values, rank, size);
}

/// Every shard needs its part of each closed loop; otherwise it would send nothing.
void refuse_too_few(const Values& values, fmt::format_string<std::string> what, std::uint64_t count,
                    std::uint32_t shards) {
  if (count >= shards) return;
  throw UsageError(fmt::format("{}: {} cannot be split over {} shards", values.origin("shard"),
                               fmt::format(what, format_count(count)), shards));
}

void check_load(const Values& values, const Plan& plan) {
  const Load& load = plan.sweep.points.front();
  const std::uint32_t of = plan.shard.of;
  if (load.requests) refuse_too_few(values, "{} requests", *load.requests, of);
  if (load.max_in_flight > 0)
    refuse_too_few(values, "{} in flight (--max-in-flight)", load.max_in_flight, of);
  bool common = false;
  for (const auto& traffic : plan.classes) {
    common = common || (!traffic.own_loop() && !traffic.probe);
    if (traffic.concurrency && !traffic.probe)
      refuse_too_few(values, "concurrency {} of a class", *traffic.concurrency, of);
  }
  if (common && !load.open_loop()) refuse_too_few(values, "concurrency {}", load.concurrency, of);
}

}  // namespace

Shard shard_of(const Values& values, const Variables& variables) {
  if (!values.given("shard")) return {};
  const std::string text = values.text("shard");
  const std::size_t slash = text.find('/');
  const std::string left = text.substr(0, slash);
  std::optional<std::uint64_t> of;
  if (slash != std::string::npos) of = parse_count(values.origin("shard"), text.substr(slash + 1));
  if (left == "auto") return launched_shard(values, variables, of);
  if (!of)
    throw UsageError(fmt::format("{}: '{}' is not of the form R/N", values.origin("shard"), text),
                     std::string(kForms));
  return checked(values, parse_count(values.origin("shard"), left), *of);
}

void check_shard(const Values& values, const Plan& plan) {
  if (plan.shard.whole()) return;
  // Shards would reach the next point at different times, and their loads would not add up.
  if (plan.sweep.points.size() > 1)
    throw UsageError(fmt::format("{}: a run of several load points cannot be split", values.origin("shard")),
                     "Shards are synchronised by --start-at only: measure one load per run.");
  check_load(values, plan);
}

std::string unused_launcher_note(const Plan& plan, const Variables& variables) {
  if (!plan.shard.whole()) return {};
  const auto launched = find_launcher(variables);
  if (!launched || launched->size == "1") return {};
  const bool sized = !launched->size.empty();
  return fmt::format(
      "{} says that this is process {}{}: each process sends the whole load; --shard {} splits it",
      launched->rank_name, launched->rank, sized ? " of " + launched->size : "", sized ? "auto" : "auto/N");
}

}  // namespace infermeter
