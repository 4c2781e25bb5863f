#include "generator_fixture.hpp"

using namespace infermeter;

namespace {

Load staged(std::vector<LoadStage> stages, std::uint32_t most) {
  Load load;
  load.concurrency = most;
  load.stages = std::move(stages);
  return load;
}

}  // namespace

TEST_CASE("stages: slots open one by one along a ramp and hold along a level") {
  StagedPacer pacer(staged({{10s, 4}, {10s, 4}}, 4), {}, t0);
  std::vector<Instant> starts;
  for (Instant now = t0; now < t0 + 20s; now += 100ms) {
    while (const auto release = pacer.next(now)) starts.push_back(release->intended);
  }
  CHECK(starts == std::vector<Instant>{t0, t0 + 2500ms, t0 + 5s, t0 + 7500ms});
  CHECK(pacer.exhausted(t0 + 20s));
}

TEST_CASE("stages: a slot that closes is not filled again") {
  StagedPacer pacer(staged({{1s, 2}, {1s, 2}, {1s, 1}, {1s, 1}}, 2), {}, t0);
  pacer.next(t0);
  pacer.next(t0 + 1s);
  pacer.freed(1, t0 + 2500ms, Ended::answered, t0 + 2500ms);
  CHECK_FALSE(pacer.next(t0 + 3s));
  pacer.freed(0, t0 + 3200ms, Ended::answered, t0 + 3200ms);
  const auto last = pacer.next(t0 + 3200ms);
  REQUIRE(last);
  CHECK(last->slot == 0);
  CHECK(last->intended == t0 + 3200ms);
}

TEST_CASE("stages: requests that begin in a ramp are of the ramp") {
  Fixture f(staged({{1s, 10}, {2s, 10}, {1s, 0}}, 10));
  f.run();
  std::map<Phase, int> phases;
  for (const auto& record : f.records) {
    ++phases[record.phase];
    const bool held = *record.intended_us >= 1'000'000 && *record.intended_us < 3'000'000;
    CHECK((record.phase == Phase::measured) == held);
  }
  CHECK(phases[Phase::measured] > 300);
  CHECK(f.transport.most_in_flight == 10);
}

TEST_CASE("stages: the workers' slots together are those of one") {
  const Load load = staged({{10s, 5}, {1s, 5}}, 5);
  std::multiset<Instant> alone, together;
  const auto collect = [&](WorkerShare share, std::multiset<Instant>& starts) {
    StagedPacer pacer(load, share, t0);
    for (Instant now = t0; now < t0 + 11s; now += 500ms) {
      while (const auto release = pacer.next(now)) starts.insert(release->intended);
    }
  };
  collect({0, 1}, alone);
  collect({0, 2}, together);
  collect({1, 2}, together);
  CHECK(alone == together);
}
