#include "cli/options/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

struct Conflict {
  std::string_view one, other;
  std::string_view advice;
};
constexpr std::string_view kOwnPrompts = "Your own prompts are sent as they are.";
constexpr std::string_view kStagesEnd = "The stages define the length of the run.";
constexpr std::string_view kFileLengths = "A data file has its own prompts.";
constexpr std::string_view kHourly = "A target is paid by the token or by the hour.";
constexpr std::string_view kInStep = "Shards are synchronised at the start of a run only.";
// clang-format off: a table
constexpr Conflict kConflicts[] = {
    {"rate", "concurrency", "--rate is an open loop; --max-in-flight N caps its requests in flight."},
    {"arrival", "burstiness", "--burstiness K is --arrival gamma:CV with CV = 1/√K."},
    {"stages", "concurrency", "The stages set the requests in flight; with --rate, the requests per second."},
    {"stages", "duration", kStagesEnd},
    {"stages", "warmup", "A first ramp is the warm-up: it is not measured."},
    {"prompt", "prompt-file", ""},
    {"prompt", "workload", ""},
    {"prompt-file", "workload", "--prompt-file is the plain form of --workload."},
    {"prompt", "input-tokens", kOwnPrompts},
    {"prompt", "nonce", kOwnPrompts},
    {"prompt", "shared-prefix-tokens", kOwnPrompts},
    {"prompt-file", "input-tokens", kOwnPrompts},
    {"prompt-file", "nonce", kOwnPrompts},
    {"prompt-file", "shared-prefix-tokens", kOwnPrompts},
    {"workload", "input-tokens", kFileLengths},
    {"shape", "input-tokens", "--shape 1k/128 gives the lengths of a point: in, out."},
    {"shape", "prompt", kOwnPrompts},
    {"shape", "prompt-file", kOwnPrompts},
    {"shape", "workload", kFileLengths},
    {"json-mode", "json-schema", "A schema asks for JSON already."},
    {"alternate", "sequential", ""},
    {"alternate", "stages", "Blocks of a ramp are not equal: --sequential gives each target the whole ramp."},
    {"resume", "out", "The result goes into the folder that is resumed."},
    {"shard", "alternate", kInStep},
    {"shard", "sequential", kInStep},
    {"shard", "resume", "A shard is one load point: measure it again."},
    {"shard", "no-save-gaps", "infermeter merge computes all metrics from the records."},
    {"shard", "sim", "Shards measure one server: infermeter simulate, and its URL."},
    {"price-input", "price-per-hour", kHourly},
    {"price-cached", "price-per-hour", kHourly},
    {"price-cache-write", "price-per-hour", kHourly},
    {"price-output", "price-per-hour", kHourly},
    {"api-key-env", "api-key-file", ""},
    {"sim", "url", "--sim measures the built-in simulator, a URL a server."},
    {"sim", "unix-socket", "--sim measures the built-in simulator."},
    {"quiet", "progress", "-q is --progress none."},
};

/// One of the needed options is sufficient.
struct Need {
  std::string_view option;
  std::array<std::string_view, 3> needed;
};
constexpr Need kNeeds[] = {
    {"arrival", {"rate", "stages", ""}}, {"burstiness", {"rate", "stages", ""}},
    {"replay-speed", {"arrival", "", ""}},
    {"max-in-flight", {"rate", "arrival", "burstiness"}}, {"on-cap", {"max-in-flight", "", ""}},
    {"fault", {"sim", "", ""}}, {"truth", {"sim", "", ""}}, {"key", {"cert", "", ""}},
    {"skip-bad-lines", {"workload", "prompt-file", ""}},
    {"prefix-groups", {"shared-prefix-tokens", "", ""}}, {"prime", {"shared-prefix-tokens", "", ""}},
    {"think-time", {"turns", "workload", ""}}, {"session-header", {"turns", "workload", ""}},
    {"session-connection", {"turns", "workload", ""}},
    {"image-size", {"images", "", ""}}, {"cancel-share", {"cancel-after", "", ""}},
};
// clang-format on

constexpr std::string_view kSynthetic = "synthetic";  // the workload without options of its own
constexpr std::string_view kTrace = "trace";          // the arrival process that needs no rate

/// Whether the option is set to a value that excludes others.
bool stands(const Values& values, std::string_view name) {
  return values.given(name) && (name != "workload" || values.text(name) != kSynthetic);
}

bool is_met(const Values& values, const Need& need) {
  if (need.option == "arrival" && values.text("arrival") == kTrace) return true;
  return std::ranges::any_of(need.needed, [&](auto name) { return !name.empty() && values.given(name); });
}

/// Erases an option, and options that need it.
void drop(Values& lower, std::string_view name) {
  lower.erase(name);
  for (const auto& need : kNeeds) {
    const bool concerned = std::ranges::find(need.needed, name) != need.needed.end();
    if (concerned && lower.given(need.option) && !is_met(lower, need)) drop(lower, need.option);
  }
}

/// The options that those of `higher` exclude.
std::vector<Overruled> exclusions_of(const Values& higher) {
  std::vector<Overruled> all;
  for (const auto& [one, other, advice] : kConflicts) {
    if (stands(higher, one)) all.push_back({one, other});
    if (stands(higher, other)) all.push_back({other, one});
  }
  // The command line allows both with --rate, so this is not in kConflicts.
  if (higher.given("stages")) all.push_back({"stages", "requests"});
  return all;
}

void refuse_boundless_rate(const Values& source) {
  const std::string rate = source.given("rate") ? source.text("rate") : "";
  if (rate != "inf" && rate != "Infinity" && rate != "infinity") return;
  throw UsageError(fmt::format("{}: '{}' is not a rate", source.origin("rate"), rate),
                   "For as many as the server takes use a closed loop: -c N without --rate.");
}

}  // namespace

void refuse_conflicts(const Values& source) {
  refuse_boundless_rate(source);
  for (const auto& [one, other, advice] : kConflicts) {
    if (!stands(source, one) || !stands(source, other)) continue;
    throw UsageError(fmt::format("{} and {} exclude each other", source.origin(one), source.origin(other)),
                     std::string(advice));
  }
}

void drop_overruled(Values& lower, const Values& higher) {
  for (const auto& [winner, loser] : exclusions_of(higher)) drop(lower, loser);
}

std::vector<Overruled> overruled(const Values& lower, const Values& higher) {
  std::vector<Overruled> all;
  for (const auto& one : exclusions_of(higher)) {
    const bool known = std::ranges::find(all, one.loser, &Overruled::loser) != all.end();
    if (!known && stands(lower, one.loser)) all.push_back(one);
  }
  return all;
}

void refuse_orphans(const Values& values) {
  for (const auto& need : kNeeds) {
    if (!values.given(need.option) || is_met(values, need)) continue;
    std::vector<std::string> names;
    for (const auto name : need.needed) {
      if (!name.empty()) names.push_back(fmt::format("--{}", name));
    }
    throw UsageError(fmt::format("{} needs {}", values.origin(need.option), fmt::join(names, " or ")));
  }
}

}  // namespace infermeter
