#include "workload/schedule/arrivals.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

Load open_loop(double rate, Arrival arrival = Arrival::poisson) {
  Load load;
  load.rate = rate;
  load.arrival = arrival;
  load.warmup_requests = 0;
  return load;
}

Load staged(std::vector<LoadStage> stages, Arrival arrival = Arrival::poisson) {
  Load load = open_loop(20, arrival);
  load.stages = std::move(stages);
  return load;
}

Load replay(double speed = 1) {
  Load load;
  load.arrival = Arrival::trace;
  load.replay_speed = speed;
  return load;
}

std::ptrdiff_t between(const Schedule& schedule, nanoseconds from, nanoseconds to) {
  return std::ranges::lower_bound(schedule.offsets, to) - std::ranges::lower_bound(schedule.offsets, from);
}

std::pair<double, double> mean_and_cv_of_gaps(const Schedule& schedule) {
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < schedule.offsets.size(); ++i) {
    const auto gap = static_cast<double>((schedule.offsets[i] - schedule.offsets[i - 1]).count()) / 1e9;
    sum += gap;
    squares += gap * gap;
  }
  const auto n = static_cast<double>(schedule.offsets.size() - 1);
  const double mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean) / mean};
}

}  // namespace

TEST_CASE("arrivals: of a schedule with ramps only what is held is measured") {
  Schedule schedule;
  for (int i = 0; i < 6; ++i) schedule.offsets.push_back(i * 1s);
  schedule.warmup = 1;
  schedule.ramps = {{1s, 3s}, {5s, 6s}};
  CHECK(schedule.phase_of(0) == Phase::warmup);
  CHECK(schedule.phase_of(2) == Phase::ramp);
  CHECK(schedule.phase_of(3) == Phase::measured);
  CHECK(schedule.measured_count() == 2);
}

TEST_CASE("arrivals: Poisson at 10/s sends 10 ± 1 per second over an hour") {
  Load load = open_loop(10);
  load.duration = 1h;
  const auto count = static_cast<double>(make_schedule(load).offsets.size());
  CHECK(count / 3600 == Approx(10).margin(1));
}

TEST_CASE("arrivals: Poisson at 200/s for 10 s makes 2,000 ± 150 requests") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Load load = open_loop(200);
    load.duration = 10s;
    load.seed = seed;
    const auto count = make_schedule(load).offsets.size();
    CHECK((count >= 1850 && count <= 2150));
  }
}

TEST_CASE("arrivals: gaps have the asked mean and CV") {
  for (const double cv : {0.25, 1.0, 2.0}) {
    Load load = open_loop(100, Arrival::gamma);
    load.cv = cv;
    load.requests = 100'000;
    const auto [mean, measured] = mean_and_cv_of_gaps(make_schedule(load));
    CHECK(mean == Approx(0.01).epsilon(0.03));
    CHECK(measured == Approx(cv).epsilon(0.04));
  }
}

TEST_CASE("arrivals: constant gaps start at zero, end where the rate says and never drift") {
  Load load = open_loop(3, Arrival::constant);
  load.duration = 1h;
  const Schedule schedule = make_schedule(load);
  CHECK(schedule.offsets.size() == 3 * 3600);
  CHECK(schedule.offsets.front() == 0ns);
  CHECK(schedule.offsets[3 * 3599] == 3599s);
}

TEST_CASE("arrivals: offsets ascend") {
  Load load = open_loop(1e5, Arrival::gamma);
  load.cv = 4;
  load.requests = 20'000;
  const Schedule schedule = make_schedule(load);
  CHECK(std::is_sorted(schedule.offsets.begin(), schedule.offsets.end()));
}

TEST_CASE("arrivals: the same seed gives the same hash whatever the workers, another seed another one") {
  Load load = open_loop(200);
  load.duration = 10s;
  load.workers = 1;
  const Schedule one = make_schedule(load);
  load.workers = 2;
  const Schedule two = make_schedule(load);
  CHECK(one.hash == two.hash);
  CHECK(one.offsets == two.offsets);
  CHECK(one.hash.size() == 16);
  load.seed = 2;
  CHECK(make_schedule(load).hash != one.hash);
}

TEST_CASE("arrivals: the hash of a schedule is part of the format") {
  Load load = open_loop(2, Arrival::constant);
  load.requests = 3;  // 0, 500 ms, 1 s
  CHECK(make_schedule(load).hash == "551c37daf17f0f81");
}

TEST_CASE("arrivals: a warm-up by duration is followed at once by the measured phase") {
  Load load = open_loop(10, Arrival::constant);
  load.warmup_requests.reset();
  load.warmup_duration = 5s;
  load.duration = 2s;
  const Schedule schedule = make_schedule(load);
  CHECK(schedule.warmup == 50);
  CHECK(schedule.offsets.size() == 70);
  CHECK(schedule.offsets[50] == 5s);
  CHECK(schedule.measured_from == 5s);
  CHECK(schedule.measured_to == 7s);
}

TEST_CASE("arrivals: a warm-up by count ends at the arrival after its last") {
  Load load = open_loop(10, Arrival::constant);
  load.warmup_requests = 4;
  load.requests = 6;
  const Schedule schedule = make_schedule(load);
  CHECK(schedule.warmup == 4);
  CHECK(schedule.offsets.size() == 10);
  CHECK(schedule.measured_from == 400ms);
  CHECK(schedule.measured_to == 900ms);
}

TEST_CASE("arrivals: of a count and a duration whichever ends first ends it") {
  Load load = open_loop(10, Arrival::constant);
  load.duration = 2s;
  load.requests = 5;
  CHECK(make_schedule(load).offsets.size() == 5);
  CHECK(make_schedule(load).measured_to == 400ms);
  load.requests = 1000;
  CHECK(make_schedule(load).offsets.size() == 20);
  CHECK(make_schedule(load).measured_to == 2s);
}

TEST_CASE("arrivals: a duration without an arrival is an empty schedule, not an endless one") {
  Load load = open_loop(1e-6);
  load.duration = 1s;
  const Schedule schedule = make_schedule(load);
  CHECK(schedule.offsets.empty());
  CHECK(schedule.measured_to == 1s);
}

TEST_CASE("arrivals: a schedule that would not fit memory is refused before it is made") {
  Load load = open_loop(1e6);
  load.duration = 24h;
  CHECK_THROWS_WITH(make_schedule(load),
                    "--rate 1000000 for so long is a schedule of more than 50,000,000 requests");
}

TEST_CASE(
    "arrivals: constant ones on a ramp from 0 to 20/s over 10 s come at the square roots of their number") {
  const Schedule schedule = make_schedule(staged({{10s, 20}, {10s, 20}}, Arrival::constant));
  CHECK(schedule.offsets.size() == 300);
  CHECK(schedule.offsets[0] == 0ns);
  CHECK(schedule.offsets[1] == 1s);
  CHECK(schedule.offsets[4] == 2s);
  CHECK(schedule.offsets[100] == 10s);
  CHECK(schedule.offsets[101] == 10'050ms);
  CHECK(schedule.offsets[299] == 19'950ms);
}

TEST_CASE("arrivals: a ramp down is a ramp up in a mirror") {
  const Schedule schedule = make_schedule(staged({{0s, 20}, {10s, 20}, {10s, 0}}, Arrival::constant));
  CHECK(schedule.offsets.size() == 300);
  CHECK(schedule.offsets[200] == 10s);
  CHECK(schedule.offsets[299] == 19s);
}

TEST_CASE("arrivals: Poisson stages send what the rate's integral says") {
  const Schedule schedule = make_schedule(staged({{100s, 200}, {100s, 200}, {100s, 50}, {100s, 50}}));
  CHECK(static_cast<double>(between(schedule, 0s, 100s)) == Approx(10'000).epsilon(0.04));
  CHECK(static_cast<double>(between(schedule, 100s, 200s)) == Approx(20'000).epsilon(0.03));
  CHECK(static_cast<double>(between(schedule, 200s, 300s)) == Approx(12'500).epsilon(0.04));
  CHECK(static_cast<double>(between(schedule, 300s, 400s)) == Approx(5'000).epsilon(0.06));
  CHECK(std::is_sorted(schedule.offsets.begin(), schedule.offsets.end()));
}

TEST_CASE("arrivals: what changes or pauses is a ramp, and the stages' length ends it") {
  const Schedule schedule = make_schedule(staged({{10s, 20}, {10s, 20}, {5s, 0}, {5s, 0}}));
  using Ramps = std::vector<std::pair<nanoseconds, nanoseconds>>;
  CHECK(schedule.ramps == Ramps{{0s, 10s}, {20s, 25s}, {25s, 30s}});
  CHECK(schedule.warmup == 0);
  CHECK(schedule.measured_from == 0s);
  CHECK(schedule.measured_to == 30s);
  CHECK(between(schedule, 25s, 31s) == 0);
}

TEST_CASE("arrivals: a count ends stages early") {
  Load load = staged({{10s, 20}, {10s, 20}}, Arrival::constant);
  load.requests = 5;
  CHECK(make_schedule(load).offsets.size() == 5);
  CHECK(make_schedule(load).measured_to == 2s);
}

TEST_CASE("arrivals: stages too many to hold are refused before they are made") {
  CHECK_THROWS_WITH(make_schedule(staged({{0s, 1e6}, {24h, 1e6}})),
                    "--stages is a schedule of more than 50,000,000 requests");
}

TEST_CASE("arrivals: a trace keeps its own stamps, at any speed") {
  const std::vector<nanoseconds> stamps{0s, 1s, 1s, 4s};
  CHECK(make_schedule(replay(), stamps).offsets == stamps);
  CHECK(make_schedule(replay(2), stamps).offsets == std::vector<nanoseconds>{0s, 500ms, 500ms, 2s});
  CHECK(make_schedule(replay(0.5), stamps).measured_to == 8s);
}

TEST_CASE("arrivals: a trace ends at its end, by count or by time, and is not begun anew") {
  const std::vector<nanoseconds> stamps{0s, 1s, 2s, 4s};
  Load load = replay();
  load.requests = 100;
  CHECK(make_schedule(load, stamps).offsets.size() == 4);
  CHECK(make_schedule(load, stamps).measured_to == 4s);
  load.requests = 2;
  CHECK(make_schedule(load, stamps).measured_to == 1s);
  load.requests.reset();
  load.duration = 2s;
  CHECK(make_schedule(load, stamps).offsets == std::vector<nanoseconds>{0s, 1s});
}

TEST_CASE("arrivals: a trace of which all is warm-up measures nothing") {
  const std::vector<nanoseconds> stamps{0s, 1s};
  Load load = replay();
  load.warmup_requests = 5;
  const Schedule schedule = make_schedule(load, stamps);
  CHECK(schedule.warmup == 2);
  CHECK(schedule.measured_from == 1s);
  CHECK(schedule.measured_to == 1s);
}
