#include "latency_series.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <optional>
#include <queue>
#include <utility>

#include "base/random.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter::bench {

namespace {

constexpr double kMedianMs = 50;

double lognormal(double sigma, double normal) { return kMedianMs * std::exp(sigma * normal); }

DrawSeries independent(double sigma) {
  return [=](std::uint64_t seed, std::size_t n) {
    Random random(seed);
    Series out;
    while (out.values.size() < n) out.values.push_back(lognormal(sigma, random.normal()));
    return out;
  };
}

DrawSeries autoregressive(double rho, double sigma) {
  return [=](std::uint64_t seed, std::size_t n) {
    Random random(seed);
    Series out;
    double state = random.normal();
    while (out.values.size() < n) {
      out.values.push_back(lognormal(sigma, state));
      state = rho * state + std::sqrt(1 - rho * rho) * random.normal();
    }
    return out;
  };
}

/// Neighbours of one round have a common part of the variance.
DrawSeries in_rounds(std::size_t round, double common, double sigma) {
  return [=](std::uint64_t seed, std::size_t n) {
    Random random(seed);
    Series out;
    double shared = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % round == 0) shared = random.normal();
      out.values.push_back(
          lognormal(sigma, std::sqrt(common) * shared + std::sqrt(1 - common) * random.normal()));
    }
    return out;
  };
}

DrawSeries with_slow_mode(double share, double factor, double sigma) {
  return [=](std::uint64_t seed, std::size_t n) {
    Random random(seed);
    Series out;
    while (out.values.size() < n) {
      const double slower = random.uniform() < share ? factor : 1;
      out.values.push_back(slower * lognormal(sigma, random.normal()));
    }
    return out;
  };
}

DrawSeries drifting(double by, double sigma) {
  return [=](std::uint64_t seed, std::size_t n) {
    Random random(seed);
    Series out;
    for (std::size_t i = 0; i < n; ++i) {
      const double level = 1 + by * static_cast<double>(i) / static_cast<double>(n);
      out.values.push_back(level * lognormal(sigma, random.normal()));
    }
    return out;
  };
}

/// Phases of so many requests, one in three of them slower.
DrawSeries in_phases(std::size_t length, double factor, double sigma) {
  return [=](std::uint64_t seed, std::size_t n) {
    Random random(seed);
    Series out;
    auto at = random.below(length);
    double level = random.below(3) == 0 ? factor : 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (++at % length == 0) level = random.below(3) == 0 ? factor : 1;
      out.values.push_back(level * lognormal(sigma, random.normal()));
    }
    return out;
  };
}

/// Requests for the simulator's engine, and the times that it takes.
class EngineRun {
 public:
  EngineRun(std::uint64_t seed, std::uint32_t least_output, std::uint32_t most_output)
      : engine_(sim::make_engine("h100-8b:jitter=0.1,prefix-cache=off", seed)),
        random_(seed, 1),
        least_output_(least_output),
        most_output_(most_output) {}

  /// The first request of each slot is warm-up.
  Series closed_loop(std::size_t slots, std::size_t n) {
    for (std::size_t i = 0; i < slots; ++i) send(nanoseconds{0});
    while (done_ < slots + n) {
      const auto now = *engine_->next_event();
      for (auto ends = advance(now); ends > 0; --ends) send(now);
    }
    return series(slots, n, static_cast<double>(slots));
  }

  /// Poisson arrivals; the first `warmup` are left out.
  Series open_loop(double per_second, std::size_t warmup, std::size_t n) {
    const auto gap = [&] { return nanoseconds(std::llround(1e9 * random_.exponential() / per_second)); };
    nanoseconds arrival = gap();
    while (done_ < warmup + n) {
      const auto event = engine_->next_event();
      if (!event || arrival <= *event) {
        advance(arrival);
        send(arrival);
        arrival += gap();
      } else {
        advance(*event);
      }
    }
    return series(warmup, n, per_second * mean_stay_s(warmup, n));
  }

 private:
  struct Times {
    nanoseconds sent{};
    std::optional<nanoseconds> first, last;
  };

  void send(nanoseconds now) {
    sim::SimRequest request;
    request.id = times_.size();
    request.prompt_tokens = static_cast<std::uint32_t>(256 + random_.below(513));
    request.output_tokens =
        static_cast<std::uint32_t>(least_output_ + random_.below(most_output_ - least_output_ + 1));
    request.blocks.resize((request.prompt_tokens + request.output_tokens) / 16);
    for (std::size_t i = 0; i < request.blocks.size(); ++i) request.blocks[i] = mix64((request.id << 20) + i);
    engine_->submit(request, now);
    times_.push_back({.sent = now, .first = {}, .last = {}});
  }

  /// How many requests ended. Requests that are done count once all before them are.
  std::size_t advance(nanoseconds now) {
    emitted_.clear();
    engine_->advance(now, emitted_);
    std::size_t ended = 0;
    for (const auto& one : emitted_) {
      auto& times = times_[one.id];
      if (!times.first) times.first = one.at;
      if (!one.finished) continue;
      times.last = one.at;
      engine_->forget(one.id);
      ++ended;
    }
    while (done_ < times_.size() && times_[done_].last) ++done_;
    return ended;
  }

  Series series(std::size_t from, std::size_t n, double in_flight) const {
    Series out{.values = {}, .in_flight = in_flight};
    for (std::size_t i = from; i < from + n; ++i)
      out.values.push_back(
          std::chrono::duration<double, std::milli>(*times_[i].first - times_[i].sent).count());
    return out;
  }

  double mean_stay_s(std::size_t from, std::size_t n) const {
    double sum = 0;
    for (std::size_t i = from; i < from + n; ++i)
      sum += std::chrono::duration<double>(*times_[i].last - times_[i].sent).count();
    return sum / static_cast<double>(n);
  }

  std::unique_ptr<sim::EngineModel> engine_;
  Random random_;
  std::uint32_t least_output_, most_output_;
  std::vector<Times> times_;
  std::vector<sim::Emission> emitted_;
  std::size_t done_ = 0;
};

DrawSeries closed_engine(std::size_t slots, std::uint32_t least_output, std::uint32_t most_output) {
  return [=](std::uint64_t seed, std::size_t n) {
    return EngineRun(seed, least_output, most_output).closed_loop(slots, n);
  };
}

DrawSeries open_engine(double per_second) {
  return [=](std::uint64_t seed, std::size_t n) {
    return EngineRun(seed, 64, 192).open_loop(per_second, 100, n);
  };
}

}  // namespace

std::vector<Workload> promised_workloads() {
  return {{"independent, lognormal σ 0.5", independent(0.5)},
          {"independent, lognormal σ 1", independent(1)},
          {"AR(0.9)", autoregressive(0.9, 0.5)},
          {"rounds of 16, half shared", in_rounds(16, 0.5, 0.5)},
          {"rounds of 16, one value each", in_rounds(16, 0.999, 0.5)},
          {"engine, closed loop 16", closed_engine(16, 64, 192)},
          {"engine, lockstep 16", closed_engine(16, 128, 128)},
          {"engine, lockstep 64", closed_engine(64, 128, 128)},
          {"engine, open loop 12/s", open_engine(12)},
          {"engine, open loop 20/s", open_engine(20)},
          {"5.5 % are four times slower", with_slow_mode(0.055, 4, 0.3)},
          {"drift by 50 %", drifting(0.5, 0.5)}};
}

std::vector<Workload> long_memories() {
  return {{"AR(0.98)", autoregressive(0.98, 0.5)}, {"phases of 120 requests", in_phases(120, 2, 0.3)}};
}

}  // namespace infermeter::bench
