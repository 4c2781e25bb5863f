#include "workload/schedule/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "workload/schedule/stages.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kArrivalStream = 1;         // of the seed; prompts use others
constexpr std::uint64_t kMaxArrivals = 50'000'000;  // 400 MB of offsets
constexpr double kNanosecondsPerSecond = 1e9;
constexpr auto kNoCount = std::numeric_limits<std::uint64_t>::max();
constexpr auto kNoEnd = nanoseconds::max();

/// The k-th arrival of a process with this mean gap, k = 0, 1, 2 …; must be called in order.
class ArrivalProcess {
 public:
  ArrivalProcess(const Load& load, double mean_gap)
      : arrival_(load.arrival),
        mean_gap_(mean_gap),
        shape_(1.0 / (load.cv * load.cv)),
        random_(load.seed, kArrivalStream) {}

  double next() {
    // Multiplied rather than summed, so that an hour of constant gaps ends where the rate requires.
    if (arrival_ == Arrival::constant) return mean_gap_ * static_cast<double>(k_++);
    at_ +=
        mean_gap_ * (arrival_ == Arrival::poisson ? random_.exponential() : random_.gamma_mean_one(shape_));
    return at_;
  }

 private:
  Arrival arrival_;
  double mean_gap_;
  double shape_;
  Random random_;
  std::uint64_t k_ = 0;
  double at_ = 0;
};

double expected(double rate, const std::optional<std::uint64_t>& count,
                const std::optional<nanoseconds>& time) {
  const double unbounded = std::numeric_limits<double>::infinity();
  const double by_count = count ? static_cast<double>(*count) : unbounded;
  const double by_time = time ? rate * static_cast<double>(time->count()) / kNanosecondsPerSecond : unbounded;
  return std::min(by_count, by_time);
}

std::size_t checked_size(double size, std::string_view what) {
  if (size <= static_cast<double>(kMaxArrivals)) return static_cast<std::size_t>(size);
  throw UsageError(fmt::format("{} is a schedule of more than {} requests", what, format_count(kMaxArrivals)),
                   "A shorter --duration, fewer --requests or a lower --rate.");
}

/// An estimate of the number of arrivals, before any is computed.
std::size_t expected_size(const Load& load) {
  const bool warm = load.warmup_requests || load.warmup_duration;
  return checked_size((warm ? expected(*load.rate, load.warmup_requests, load.warmup_duration) : 0) +
                          expected(*load.rate, load.requests, load.duration),
                      fmt::format("--rate {} for so long", *load.rate));
}

/// The arrivals one after the other; kNoEnd after the last.
using NextArrival = std::function<nanoseconds()>;

/// Appends arrivals until there are `count` or the next one is not before `end`; returns that next one.
nanoseconds append_arrivals(const NextArrival& following, nanoseconds next, std::uint64_t count,
                            nanoseconds end, std::vector<nanoseconds>& offsets) {
  for (std::uint64_t i = 0; i < count && next < end; ++i) {
    offsets.push_back(next);
    next = following();
  }
  return next;
}

std::string hash_of(const std::vector<nanoseconds>& offsets) {
  std::uint64_t state = hash_bytes({});
  for (const nanoseconds offset : offsets) {
    const auto bits = static_cast<std::uint64_t>(offset.count());
    char bytes[8];  // little-endian on every machine
    for (unsigned b = 0; b < 8; ++b) bytes[b] = static_cast<char>(bits >> (8 * b));
    state = hash_bytes({bytes, sizeof bytes}, state);
  }
  return fmt::format("{:016x}", state);
}

/// Warm-up and measured phase, each until its count or its time is reached.
Schedule scheduled(const Load& load, const NextArrival& following, std::size_t size) {
  Schedule schedule;
  schedule.offsets.reserve(size);
  const bool warm_by_time = load.warmup_duration.has_value();
  const std::uint64_t warm_count = warm_by_time ? kNoCount : load.warmup_requests.value_or(0);
  const nanoseconds warm_end = load.warmup_duration.value_or(kNoEnd);
  nanoseconds next = append_arrivals(following, following(), warm_count, warm_end, schedule.offsets);
  schedule.warmup = schedule.offsets.size();
  schedule.measured_from = warm_by_time ? warm_end : (warm_count > 0 ? next : nanoseconds(0));

  const std::uint64_t count = load.requests.value_or(kNoCount);
  const nanoseconds end = load.duration ? schedule.measured_from + *load.duration : kNoEnd;
  next = append_arrivals(following, next, count, end, schedule.offsets);
  const std::size_t measured = schedule.offsets.size() - schedule.warmup;
  const bool ended_by_count = (load.requests && measured == *load.requests) || next == kNoEnd;
  schedule.measured_to = ended_by_count && measured > 0 ? schedule.offsets.back() : end;
  return schedule;
}

Schedule steady_schedule(const Load& load) {
  ArrivalProcess process(load, kNanosecondsPerSecond / *load.rate);
  return scheduled(load, [&] { return nanoseconds(std::llround(process.next())); }, expected_size(load) + 1);
}

/// The time stamps of a trace, divided by the replay speed; a finished trace does not restart.
Schedule trace_schedule(const Load& load, std::span<const nanoseconds> stamps) {
  std::size_t i = 0;
  const auto following = [&] {
    if (i == stamps.size()) return kNoEnd;
    return nanoseconds(std::llround(static_cast<double>(stamps[i++].count()) / load.replay_speed));
  };
  const std::size_t size = checked_size(static_cast<double>(stamps.size()), "the trace");
  Schedule schedule = scheduled(load, following, size);
  // All arrivals belong to the warm-up: the measured phase starts where they end, and is empty.
  if (schedule.measured_from == kNoEnd) schedule.measured_from = schedule.offsets.back();
  if (schedule.measured_to == kNoEnd) schedule.measured_to = schedule.measured_from;
  return schedule;
}

/// Requests sent in `seconds` at a rate that changes linearly from `line.from` to `line.to`.
double sent_on(const StageLine& line) {
  return (line.from + line.to) / 2 * static_cast<double>((line.end - line.start).count()) /
         kNanosecondsPerSecond;
}

/// The time at which `sent` requests of the line have been sent: the inverse of from·s + (to − from)·s²/(2d),
/// in the form that loses no digits if the slope is small.
nanoseconds when_sent(const StageLine& line, double sent) {
  const double seconds = static_cast<double>((line.end - line.start).count()) / kNanosecondsPerSecond;
  const double slope = (line.to - line.from) / seconds;
  const double root = std::sqrt(std::max(0.0, line.from * line.from + 2 * slope * sent));
  const double denominator = line.from + root;
  const double after = denominator > 0 ? 2 * sent / denominator : 0;
  return line.start + nanoseconds(std::llround(std::min(after, seconds) * kNanosecondsPerSecond));
}

/// Arrivals of a process of mean gap 1, mapped by the inverse of the integral of the rate (Çinlar 1975).
Schedule staged_schedule(const Load& load) {
  const std::vector<StageLine> lines = stage_lines(load.stages);
  double total = 0;
  for (const StageLine& line : lines) total += sent_on(line);
  Schedule schedule;
  schedule.offsets.reserve(checked_size(total, "--stages") + 1);
  schedule.measured_to = total_length(load.stages);

  ArrivalProcess process(load, 1);
  double next = process.next(), before = 0;
  for (const StageLine& line : lines) {
    const double sent = sent_on(line);
    for (; next < before + sent; next = process.next())
      schedule.offsets.push_back(when_sent(line, next - before));
    before += sent;
    if (!line.holds()) schedule.ramps.emplace_back(line.start, line.end);
  }
  if (load.requests && *load.requests < schedule.offsets.size()) {
    schedule.offsets.resize(*load.requests);
    schedule.measured_to = schedule.offsets.empty() ? nanoseconds(0) : schedule.offsets.back();
  }
  return schedule;
}

Schedule unhashed(const Load& load, std::span<const nanoseconds> trace) {
  if (load.arrival == Arrival::trace) return trace_schedule(load, trace);
  return load.stages.empty() ? steady_schedule(load) : staged_schedule(load);
}

}  // namespace

Phase Schedule::phase_of(std::size_t index) const {
  if (index < warmup) return Phase::warmup;
  const nanoseconds at = offsets[index];
  const auto holds = [at](const auto& ramp) { return ramp.first <= at && at < ramp.second; };
  return std::ranges::any_of(ramps, holds) ? Phase::ramp : Phase::measured;
}

std::size_t Schedule::measured_count(Shard shard) const {
  std::size_t count = 0;
  for (std::size_t i = shard.rank; i < offsets.size(); i += shard.of)
    count += phase_of(i) == Phase::measured ? 1 : 0;
  return count;
}

Schedule make_schedule(const Load& load, std::span<const nanoseconds> trace) {
  Schedule schedule = unhashed(load, trace);
  schedule.hash = hash_of(schedule.offsets);
  return schedule;
}

}  // namespace infermeter
