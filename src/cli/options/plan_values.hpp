// Merged options → Plan. Each function fills one part and checks its values; a wrong one is a UsageError that
// names the option as the user wrote it. Loads, classes, targets and shards have sources of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/report/formats.hpp"

namespace infermeter {

/// Everything in a Plan except its command line. Reads the files that options name.
Plan plan_of(const Settings& settings, const Variables& variables, const Surroundings& here);

/// Targets without their own proxy or --cacert use those of the environment variables, as curl does.
void use_network_variables(Plan& plan, const Variables& variables);
/// Where SSL_CERT_FILE names a file that cannot be read, a note for the user; else empty.
std::string unread_authorities_note(const Plan& plan, const Variables& variables);

/// The format name given as --format; throws unless `can` accepts the format.
std::string format_choice(const Values& values, bool (*can)(const FormatSpec&));
Format format_of(const Values& values);

/// --format, --out and the other output options.
Output output_of(const Values& values);

/// The load points of a run, and the steps before and after each: one point for each combination of
/// load level and shape, shape by shape. Throws UsageError.
Sweep sweep_of(const Values& values);

/// The loads repeated `runs` times, run after run, each run with its own seed.
std::vector<Load> repeated(const std::vector<Load>& loads, std::uint32_t runs);

/// The largest seed that parse_count reads exactly.
inline constexpr std::uint64_t kMaxSeed = 9'000'000'000'000'000;
inline constexpr std::uint64_t kMaxSlots = 100'000;
/// A rate in requests per second, within bounds; `origin` is the option as written.
double parse_rate(const std::string& origin, const std::string& text);

/// The traffic classes: one per [[class]] block, or a single one without a name. Reads the files that options
/// name; a --workload file is only opened. `entropy` gives a nonce to classes without one. Throws UsageError.
std::vector<TrafficClass> classes_of(const Settings& settings, std::uint64_t entropy);

/// `512`, `uniform:1k,8k`, `histogram:FILE` …: in tokens, within the limits of any model. Throws UsageError.
Lengths lengths_of(const Values& values, std::string_view option);

/// The targets of options, URLs and [[target]] blocks: at least one. A key is sent to the target that names
/// it; a key of the whole run to all targets. OPENAI_API_KEY is not sent if the targets are on several hosts,
/// because the user may not know that it is set. Throws UsageError that never contains a key or a header's
/// value.
std::vector<Target> targets_of(const Settings& settings, const Variables& variables);

/// A warning that OPENAI_API_KEY is set and sent to none of several hosts, and what would send it; else
/// empty.
std::string unsent_key_note(const Plan& plan, const Variables& variables);

/// Warnings that the key of a vendor's file is not sent, and why; mostly none.
std::vector<std::string> missing_key_notes(const Settings& settings, const Plan& plan,
                                           const Variables& variables);

TargetOrder target_order_of(const Values& values, std::size_t targets);

/// The number of the target that --against names. Throws UsageError with the names that there are.
std::uint32_t target_named(const std::string& origin, const std::string& name,
                           const std::vector<std::string>& names);

/// --assert and --assert-point, of every command that judges a run.
struct Asserts {
  std::vector<Threshold> thresholds;
  bool by_point = false;
};

/// A comma separates assertions, but not within the brackets of a scope. Throws UsageError.
Asserts asserts_of(const Values& values);

/// Rejects a scope with a target, class or load that is not in the plan: it could never be judged. `origin`:
/// the option as written. Throws UsageError.
void check_scopes(const std::string& origin, const Plan& plan);

/// --shard, the part of a run that this process sends: `2/4` (ranks count from 0), `auto` (rank and size from
/// Open MPI, PMI, Slurm) or `auto/4` (a size that a launcher does not give, as Kubernetes' indexed jobs).
/// Throws UsageError naming what is wrong or missing.
Shard shard_of(const Values& values, const Variables& variables);

/// Throws UsageError for options that cannot be split over shards, or would be a different load if split.
void check_shard(const Values& values, const Plan& plan);

/// A warning if a launcher started several processes that would each send the whole load; else empty.
std::string unused_launcher_note(const Plan& plan, const Variables& variables);

/// --start-at, a common start time for several machines: `2026-01-31T12:00:00Z` (a fraction of a second or an
/// offset such as +01:00 may follow), or `12:00:00` and `12:00`, today in UTC. Milliseconds since 1970.
/// `now_unix_ms` defines today. Throws UsageError naming `origin` for anything else, and for a time in the
/// past.
std::int64_t parse_start_time(const std::string& origin, std::string_view text, std::int64_t now_unix_ms);

/// 2026-01-31T12:00:00Z.
std::string utc_text(std::int64_t unix_ms);
/// "waiting until 12:00:00 UTC", with its date if that is on another day; empty if the time is not in the
/// future.
std::string waiting_text(std::int64_t start_unix_ms, std::int64_t now_unix_ms);

}  // namespace infermeter
