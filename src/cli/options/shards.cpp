#include "cli/options/plan_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <optional>

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

using std::chrono::milliseconds;

/// Parses a time from left to right; each step returns whether the text matched.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool skip(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Exactly `digits` digits, with a value of at most `most`.
  bool number(std::size_t digits, int most, int& out) {
    if (rest_.size() < digits) return false;
    const char* end = rest_.data() + digits;
    if (rest_[0] < '0' || rest_[0] > '9') return false;
    const auto [stop, error] = std::from_chars(rest_.data(), end, out);
    if (error != std::errc() || stop != end || out > most) return false;
    rest_.remove_prefix(digits);
    return true;
  }
  /// `.123456`: digits beyond milliseconds are cut off.
  milliseconds fraction() {
    if (!skip('.')) return {};
    int value = 0, scale = 100;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1), scale /= 10)
      value += scale * (rest_[0] - '0');
    return milliseconds(value);
  }

 private:
  std::string_view rest_;
};

std::optional<milliseconds> time_of_day(Cursor& in, bool seconds_too) {
  int hours = 0, minutes = 0, seconds = 0;
  if (!in.number(2, 23, hours) || !in.skip(':') || !in.number(2, 59, minutes)) return std::nullopt;
  if (in.skip(':') ? !in.number(2, 59, seconds) : seconds_too) return std::nullopt;
  return std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::seconds(seconds) +
         in.fraction();
}

std::optional<milliseconds> offset(Cursor& in) {
  if (in.skip('Z') || in.skip('z')) return milliseconds(0);
  const bool ahead = in.skip('+');
  if (!ahead && !in.skip('-')) return std::nullopt;
  int hours = 0, minutes = 0;
  if (!in.number(2, 23, hours) || !in.skip(':') || !in.number(2, 59, minutes)) return std::nullopt;
  const milliseconds size = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return ahead ? size : -size;
}

/// RFC 3339.
std::optional<milliseconds> whole_instant(std::string_view text) {
  Cursor in(text);
  int year = 0, month = 0, day = 0;
  if (!in.number(4, 9999, year) || !in.skip('-') || !in.number(2, 12, month) || !in.skip('-') ||
      !in.number(2, 31, day))
    return std::nullopt;
  if (!in.skip('T') && !in.skip('t') && !in.skip(' ')) return std::nullopt;
  const auto time = time_of_day(in, true);
  const auto ahead = time ? offset(in) : std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!ahead || !in.at_end() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch() + *time - *ahead;
}

std::optional<milliseconds> of_today(std::string_view text, milliseconds now) {
  Cursor in(text);
  const auto time = time_of_day(in, false);
  if (!time) return std::nullopt;
  in.skip('Z');
  if (!in.at_end()) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(now) + *time;
}

/// 17:55:36.
std::string clock_text(milliseconds at) {
  const std::chrono::hh_mm_ss time(at - std::chrono::floor<std::chrono::days>(at));
  return fmt::format("{:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(),
                     time.seconds().count());
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

std::int64_t parse_start_time(const std::string& origin, std::string_view text, std::int64_t now_unix_ms) {
  const milliseconds now(now_unix_ms);
  const bool today = text.size() > 2 && text[2] == ':';
  const auto at = today ? of_today(text, now) : whole_instant(text);
  if (!at)
    throw UsageError(fmt::format(
        "{}: '{}' is not a time such as 2026-01-31T12:00:00Z, or 12:00:00 of today (UTC)", origin, text));
  if (*at < now)
    throw UsageError(fmt::format("{}: '{}' has passed", origin, text),
                     today ? "Times are UTC; another day needs its date: 2026-01-31T12:00:00Z." : "");
  return at->count();
}

std::string utc_text(std::int64_t unix_ms) {
  const milliseconds at(unix_ms);
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  return fmt::format("{:04}-{:02}-{:02}T{}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock_text(at));
}

std::string waiting_text(std::int64_t start_unix_ms, std::int64_t now_unix_ms) {
  using std::chrono::days, std::chrono::floor;
  const milliseconds start(start_unix_ms), now(now_unix_ms);
  if (start <= now) return {};
  if (floor<days>(start) != floor<days>(now)) return "waiting until " + utc_text(start_unix_ms);
  return fmt::format("waiting until {} UTC", clock_text(start));
}

}  // namespace infermeter
