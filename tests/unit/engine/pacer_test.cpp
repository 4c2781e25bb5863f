#include "engine/load/pacer.hpp"

#include <set>

#include "catch.hpp"

using namespace infermeter;

namespace {

const Instant kT0{std::chrono::seconds(1000)};

Load closed(std::uint32_t concurrency, std::uint64_t requests, std::uint64_t warmup = 0) {
  Load load;
  load.concurrency = concurrency;
  load.requests = requests;
  load.warmup_requests = warmup;
  return load;
}

Load open(std::uint32_t cap, bool drop) {
  Load load;
  load.rate = 10;
  load.max_in_flight = cap;
  load.drop_at_cap = drop;
  return load;
}

Schedule every_100ms(std::size_t count, std::size_t warmup = 0) {
  Schedule schedule;
  for (std::size_t i = 0; i < count; ++i) schedule.offsets.push_back(100ms * i);
  schedule.warmup = warmup;
  return schedule;
}

// Releases all requests that are due, ends each at once, and returns the ids in order.
std::vector<std::uint64_t> drain(Pacer& pacer, Instant now) {
  std::vector<std::uint64_t> ids;
  while (const auto release = pacer.next(now)) {
    ids.push_back(release->index);
    pacer.freed(release->slot, now, Ended::answered, now);
  }
  return ids;
}

}  // namespace

TEST_CASE(
    "pacer: a closed loop fills its slots at the start and a freed slot at the end of its last request") {
  ClosedPacer pacer(closed(2, 10), {}, kT0);
  const auto a = pacer.next(kT0), b = pacer.next(kT0);
  REQUIRE((a && b));
  CHECK_FALSE(pacer.next(kT0 + 1s));
  pacer.freed(b->slot, kT0 + 2s, Ended::answered, kT0 + 2s + 5ms);
  const auto c = pacer.next(kT0 + 2s + 5ms);
  REQUIRE(c);
  CHECK(c->slot == b->slot);
  CHECK(c->intended == kT0 + 2s);
  CHECK(c->index == 2);
}

TEST_CASE("pacer: warm-up requests by count come first and are not counted among the measured") {
  ClosedPacer pacer(closed(2, 3, 2), {}, kT0);
  std::vector<Phase> phases;
  while (const auto release = pacer.next(kT0)) {
    phases.push_back(release->phase);
    pacer.freed(release->slot, kT0, Ended::answered, kT0);
  }
  CHECK(phases ==
        std::vector{Phase::warmup, Phase::warmup, Phase::measured, Phase::measured, Phase::measured});
  CHECK(pacer.exhausted(kT0));
}

TEST_CASE("pacer: a warm-up by time passes into the measurement without a gap") {
  Load load = closed(1, 2);
  load.warmup_requests.reset();
  load.warmup_duration = 1s;
  ClosedPacer pacer(load, {}, kT0);
  CHECK(pacer.next(kT0)->phase == Phase::warmup);
  pacer.freed(0, kT0 + 999ms, Ended::answered, kT0 + 999ms);
  CHECK(pacer.next(kT0 + 999ms)->phase == Phase::warmup);
  pacer.freed(0, kT0 + 1s, Ended::answered, kT0 + 1s);
  CHECK(pacer.next(kT0 + 1s)->phase == Phase::measured);
}

TEST_CASE("pacer: a duration counts from the first measured request") {
  Load load = closed(1, 1000);
  load.requests.reset();
  load.duration = 10s;
  load.warmup_requests = 1;
  ClosedPacer pacer(load, {}, kT0);
  CHECK(pacer.next(kT0)->phase == Phase::warmup);
  pacer.freed(0, kT0 + 3s, Ended::answered, kT0 + 3s);
  CHECK(pacer.next(kT0 + 3s)->phase == Phase::measured);
  pacer.freed(0, kT0 + 12s, Ended::answered, kT0 + 12s);
  CHECK(pacer.next(kT0 + 12s));
  pacer.freed(0, kT0 + 13s, Ended::answered, kT0 + 13s);
  CHECK_FALSE(pacer.next(kT0 + 13s));
  CHECK(pacer.exhausted(kT0 + 13s));
}

TEST_CASE("pacer: workers together send exactly the requests of one worker") {
  for (const std::uint32_t workers : {1u, 2u, 3u, 5u}) {
    for (const auto& [requests, warmup] : {std::pair{100u, 7u}, {101u, 1u}, {1u, 1u}, {1u, 7u}, {3u, 10u}}) {
      INFO(workers << " workers, " << requests << " after " << warmup);
      std::multiset<std::uint64_t> all;
      for (std::uint32_t w = 0; w < workers; ++w) {
        ClosedPacer pacer(closed(7, requests, warmup), {w, workers}, kT0);
        for (const auto id : drain(pacer, kT0)) all.insert(id);
        CHECK(pacer.exhausted(kT0));
      }
      CHECK(all.size() == requests + warmup);
      CHECK(*all.rbegin() == requests + warmup - 1);
      CHECK(std::set(all.begin(), all.end()).size() == all.size());
    }
  }
}

TEST_CASE("pacer: a slot that finds no server rests 100 ms and doubles up to 2 s") {
  ClosedPacer pacer(closed(1, 100), {}, kT0);
  Instant now = kT0;
  std::vector<nanoseconds> rests;
  for (int i = 0; i < 7; ++i) {
    REQUIRE(pacer.next(now));
    pacer.freed(0, now, Ended::refused, now);
    CHECK_FALSE(pacer.next(now));
    rests.push_back(*pacer.wake() - now);
    now = *pacer.wake();
  }
  CHECK(rests == std::vector<nanoseconds>{100ms, 200ms, 400ms, 800ms, 1600ms, 2s, 2s});
  CHECK(pacer.backoffs() == 7);
}

TEST_CASE("pacer: a rest is over once a request got through") {
  ClosedPacer pacer(closed(1, 100), {}, kT0);
  pacer.next(kT0);
  pacer.freed(0, kT0, Ended::refused, kT0);
  pacer.next(kT0 + 100ms);
  pacer.freed(0, kT0 + 1s, Ended::answered, kT0 + 1s);
  pacer.next(kT0 + 1s);
  pacer.freed(0, kT0 + 2s, Ended::refused, kT0 + 2s);
  CHECK(*pacer.wake() == kT0 + 2s + 100ms);
}

TEST_CASE("pacer: an open loop that is late sends at once and keeps the intended times") {
  const Schedule schedule = every_100ms(4, 1);
  OpenPacer pacer(open(0, false), schedule, {}, kT0);
  CHECK(pacer.next(kT0)->phase == Phase::warmup);
  CHECK_FALSE(pacer.next(kT0 + 99ms));
  CHECK(*pacer.wake() == kT0 + 100ms);
  CHECK(pacer.next(kT0 + 250ms)->intended == kT0 + 100ms);
  CHECK(pacer.next(kT0 + 250ms)->intended == kT0 + 200ms);
  CHECK(pacer.next(kT0 + 300ms)->phase == Phase::measured);
  CHECK(pacer.exhausted(kT0 + 300ms));
}

TEST_CASE("pacer: at the cap requests wait with their intended time or are dropped") {
  const Schedule schedule = every_100ms(3);
  OpenPacer waiting(open(1, false), schedule, {}, kT0);
  REQUIRE(waiting.next(kT0));
  CHECK_FALSE(waiting.next(kT0 + 200ms));
  waiting.freed(0, kT0 + 500ms, Ended::answered, kT0 + 500ms);
  CHECK(waiting.next(kT0 + 500ms)->intended == kT0 + 100ms);

  OpenPacer dropping(open(1, true), schedule, {}, kT0);
  CHECK_FALSE(dropping.next(kT0)->dropped);
  CHECK(dropping.next(kT0 + 200ms)->dropped);
}

TEST_CASE("pacer: workers share the arrivals of one schedule") {
  const Schedule schedule = every_100ms(10);
  std::set<std::uint64_t> all;
  for (std::uint32_t w = 0; w < 3; ++w) {
    OpenPacer pacer(open(0, false), schedule, {w, 3}, kT0);
    for (const auto id : drain(pacer, kT0 + 10s)) {
      CHECK(id % 3 == w);
      all.insert(id);
    }
  }
  CHECK(all.size() == 10);
}

TEST_CASE("pacer: shards of a closed loop together send exactly the requests of one run") {
  for (const std::uint32_t shards : {2u, 3u, 4u}) {
    for (const auto& [requests, warmup] : {std::pair{100u, 7u}, {101u, 0u}, {5u, 7u}}) {
      INFO(shards << " shards, " << requests << " after " << warmup);
      std::multiset<std::uint64_t> all;
      for (std::uint32_t rank = 0; rank < shards; ++rank) {
        const Shard shard{rank, shards};
        std::size_t sent = 0;
        const auto workers =
            static_cast<std::uint32_t>(shard.share(7));  // one a slot: not the same everywhere
        for (std::uint32_t w = 0; w < workers; ++w) {
          ClosedPacer pacer(closed(7, requests, warmup), {w, workers, shard}, kT0);
          for (const auto id : drain(pacer, kT0)) {
            CHECK(id % 7 % shards == rank);
            all.insert(id);
            ++sent;
          }
        }
        CHECK(sent == shard.share_of_slots(requests + warmup, 7));
      }
      CHECK(all.size() == requests + warmup);
      CHECK(std::set(all.begin(), all.end()).size() == all.size());
    }
  }
}

TEST_CASE("pacer: shard r of n takes the arrivals r, r + n, … of the one schedule") {
  const Schedule schedule = every_100ms(10);
  std::set<std::uint64_t> own;
  for (std::uint32_t w = 0; w < 2; ++w) {
    OpenPacer pacer(open(0, false), schedule, {w, 2, {1, 3}}, kT0);
    for (const auto id : drain(pacer, kT0 + 10s)) own.insert(id);
  }
  CHECK(own == std::set<std::uint64_t>{1, 4, 7});
}

TEST_CASE("pacer: the caps of all workers of all shards add up to --max-in-flight") {
  const Schedule schedule = every_100ms(100);
  std::size_t in_flight = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const std::uint32_t workers = rank + 1;
    for (std::uint32_t w = 0; w < workers; ++w) {
      OpenPacer pacer(open(11, false), schedule, {w, workers, {rank, 3}}, kT0);
      while (pacer.next(kT0 + 10s)) ++in_flight;
    }
  }
  CHECK(in_flight == 11);
}
