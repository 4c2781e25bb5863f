#include "infermeter/workload/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/random.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kArrivalStream = 1;         // of the seed; prompts use others
constexpr std::uint64_t kMaxArrivals = 50'000'000;  // 400 MB of offsets
constexpr double kNanosecondsPerSecond = 1e9;

/// The k-th arrival of the process, k = 0, 1, 2 …; must be asked in order.
class ArrivalProcess {
 public:
  explicit ArrivalProcess(const Load& load)
      : arrival_(load.arrival),
        mean_gap_(kNanosecondsPerSecond / *load.rate),
        shape_(1.0 / (load.cv * load.cv)),
        random_(load.seed, kArrivalStream) {}

  nanoseconds next() {
    // Multiplied rather than summed, so that an hour of constant gaps ends where the rate says.
    if (arrival_ == Arrival::constant)
      return nanoseconds(std::llround(mean_gap_ * static_cast<double>(k_++)));
    at_ +=
        mean_gap_ * (arrival_ == Arrival::poisson ? random_.exponential() : random_.gamma_mean_one(shape_));
    return nanoseconds(std::llround(at_));
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

/// About how many arrivals there will be, before any is made.
std::size_t expected_size(const Load& load) {
  const bool warm = load.warmup_requests || load.warmup_duration;
  const double size = (warm ? expected(*load.rate, load.warmup_requests, load.warmup_duration) : 0) +
                      expected(*load.rate, load.requests, load.duration);
  if (size <= static_cast<double>(kMaxArrivals)) return static_cast<std::size_t>(size);
  throw UsageError(fmt::format("--rate {} for so long is a schedule of more than {} requests", *load.rate,
                               format_count(kMaxArrivals)),
                   "A shorter --duration, fewer --requests or a lower --rate.");
}

/// Appends arrivals until `count` are there or the next one is not before `end`; that next one is returned.
nanoseconds append_arrivals(ArrivalProcess& process, nanoseconds next, std::uint64_t count, nanoseconds end,
                            std::vector<nanoseconds>& offsets) {
  for (std::uint64_t i = 0; i < count && next < end; ++i) {
    offsets.push_back(next);
    next = process.next();
  }
  return next;
}

std::string hash_of(const std::vector<nanoseconds>& offsets) {
  std::uint64_t state = hash_bytes({});
  for (const nanoseconds offset : offsets) {
    const auto bits = static_cast<std::uint64_t>(offset.count());
    char bytes[8];  // little-endian whatever the machine is
    for (unsigned b = 0; b < 8; ++b) bytes[b] = static_cast<char>(bits >> (8 * b));
    state = hash_bytes({bytes, sizeof bytes}, state);
  }
  return fmt::format("{:016x}", state);
}

}  // namespace

Schedule make_schedule(const Load& load, std::span<const nanoseconds>) {
  constexpr auto kNoCount = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kNoEnd = nanoseconds::max();
  Schedule schedule;
  schedule.offsets.reserve(expected_size(load) + 1);
  ArrivalProcess process(load);

  const bool warm_by_time = load.warmup_duration.has_value();
  const std::uint64_t warm_count = warm_by_time ? kNoCount : load.warmup_requests.value_or(0);
  const nanoseconds warm_end = load.warmup_duration.value_or(kNoEnd);
  nanoseconds next = append_arrivals(process, process.next(), warm_count, warm_end, schedule.offsets);
  schedule.warmup = schedule.offsets.size();
  schedule.measured_from = warm_by_time ? warm_end : (warm_count > 0 ? next : nanoseconds(0));

  const std::uint64_t count = load.requests.value_or(kNoCount);
  const nanoseconds end = load.duration ? schedule.measured_from + *load.duration : kNoEnd;
  append_arrivals(process, next, count, end, schedule.offsets);
  const std::size_t measured = schedule.offsets.size() - schedule.warmup;
  const bool ended_by_count = load.requests && measured == *load.requests;
  schedule.measured_to = ended_by_count && measured > 0 ? schedule.offsets.back() : end;
  schedule.hash = hash_of(schedule.offsets);
  return schedule;
}

}  // namespace infermeter
