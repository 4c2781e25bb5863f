#include "generator_fixture.hpp"

using namespace infermeter;

TEST_CASE("load generator: a record holds the instants of its request") {
  Fixture f(load_of(1, 1));
  f.run();
  REQUIRE(f.records.size() == 1);
  const RequestRecord& r = f.records[0];
  CHECK(r.outcome == Outcome::ok);
  CHECK(r.intended_us == 0);
  CHECK(r.sent_us == 0);
  CHECK(r.first_token_us == 50'000);
  CHECK(r.last_token_us == 60'000);
  CHECK(r.end_us == 61'000);
  CHECK(r.output_tokens == 2);
  CHECK(r.gaps_us == std::vector<std::uint32_t>{10'000});
}

TEST_CASE("load generator: a slot refills at the end of its request and never holds more than its share") {
  Fixture f(load_of(4, 40));
  f.run();
  CHECK(f.records.size() == 40);
  CHECK(f.transport.most_in_flight == 4);
  CHECK(f.records.back().end_us == 10 * 61'000);
  CHECK(f.counters.in_flight == 0);
  CHECK(f.counters.events == 80);
}

TEST_CASE("load generator: request ids name run and request") {
  Fixture f(load_of(1, 2));
  f.run();
  CHECK(f.transport.requests[0].request_id == "r-0");
  CHECK(f.transport.requests[1].request_id == "r-1");
  CHECK(f.transport.requests[0].body != f.transport.requests[1].body);
}

TEST_CASE("load generator: each time-out ends as its class and closes the stream") {
  Timeouts timeouts{.first_token = 1s, .gap = 2s, .idle = 3s, .whole = 10s};
  Fixture f(load_of(1, 4), timeouts);
  f.transport.special[0] = {{5s, token("a")}};                     // no first token
  f.transport.special[1] = {{1ms, token("a")}, {5s, token("b")}};  // a gap
  std::vector<FakeStep> trickle;                                   // tokens for ever
  for (int i = 0; i < 20; ++i) trickle.push_back({1s * i + 1ms, token("a")});
  f.transport.special[2] = trickle;
  f.run();
  REQUIRE(f.records.size() == 4);
  CHECK(f.records[0].outcome == Outcome::first_token_timeout);
  CHECK(f.records[0].end_us == 1'000'000);
  CHECK(f.records[1].outcome == Outcome::idle_timeout);
  CHECK(f.records[2].outcome == Outcome::timeout);
  CHECK(f.records[3].outcome == Outcome::ok);
  CHECK(f.transport.cancelled.size() == 3);
}

TEST_CASE("load generator: a connection that stays open after DONE is ok, flagged, and its slot goes on") {
  Fixture f(load_of(1, 2));
  f.transport.special[0] = {{50ms, token("a")}, {60ms, token("b") + kFinish + kDone}, {3600s, ""}};
  f.run();
  CHECK(f.records[0].outcome == Outcome::ok);
  CHECK(f.records[0].flags.has(Flag::late_transport_idle));
  CHECK(f.records[0].end_us == 60'000);
  CHECK(f.records[1].outcome == Outcome::ok);
}

TEST_CASE("load generator: bytes after the terminal event are the server's and not the client's queue") {
  Fixture f(load_of(1, 2));
  f.transport.special[0] = {{50ms, token("a")}, {60ms, token("b") + kFinish + kDone}, {110ms, ""}};
  f.run();
  CHECK(f.records[0].end_us == 60'000);
  CHECK(f.records[1].intended_us == 110'000);
  CHECK(f.records[1].sent_us == 110'000);
}

TEST_CASE("load generator: an interrupt keeps what was measured and ends what is in flight") {
  Fixture f(load_of(2, 100));
  f.run([&](Instant at) { f.control.interrupt = at >= t0 + 100ms; });
  REQUIRE(f.records.size() == 4);
  CHECK(f.records[0].outcome == Outcome::ok);
  CHECK(f.records[3].outcome == Outcome::interrupted);
}

TEST_CASE("load generator: requests still open when the drain ends are aborted") {
  Fixture f(load_of(1, 1), Timeouts{.drain = 2s});
  f.transport.script = {{50ms, token("a")}, {100s, ""}};
  f.run();
  CHECK(f.records[0].outcome == Outcome::aborted);
  CHECK(f.records[0].events == 1);
}

TEST_CASE("load generator: a run whose first requests all failed stops by itself") {
  Fixture f(load_of(2, 1000));
  f.transport.script = {{1ms, token("a")}, {2ms, "", Outcome::truncated}};
  f.run();
  CHECK(f.records.size() >= 10);
  CHECK(f.records.size() <= 12);
  CHECK(f.control.stop);
}

TEST_CASE("load generator: a dead server is tried a few times a second and no more") {
  Load load = load_of(1, 1000);
  load.requests.reset();
  load.duration = 10s;
  Fixture f(load);
  f.transport.script = {{0ms, "", Outcome::connect}};
  f.run();
  CHECK(f.records.size() >= 5);
  CHECK(f.records.size() <= 10);
}

TEST_CASE(
    "load generator: an end that comes a moment after DONE is waited for and the next request starts at "
    "once") {
  Fixture f(load_of(1, 6));
  f.transport.script = {{50ms, token("a")}, {60ms, token("b") + kFinish + kDone}, {65ms, ""}};
  f.run();
  CHECK(f.transport.cancelled.empty());
  CHECK_FALSE(f.records[5].flags.has(Flag::late_transport_idle));
  CHECK(*f.records[5].sent_us == 5 * 65'000);
}

TEST_CASE("load generator: a slot whose request timed out is filled at once") {
  Fixture f(load_of(1, 2), Timeouts{.first_token = 1s});
  f.transport.special[0] = {{5s, token("a")}};
  f.run();
  CHECK(f.records[1].sent_us == 1'000'000);
}

namespace {

/// A stream that sends a token every 100 ms for an hour.
std::vector<FakeStep> endless() {
  std::vector<FakeStep> script;
  for (nanoseconds at = 100ms; at < 3600s; at += 100ms) script.push_back({at, token("a")});
  return script;
}

Load timed(nanoseconds duration, std::uint64_t warmup) {
  Load load;
  load.duration = duration;
  load.warmup_requests = warmup;
  return load;
}

Schedule every_second(std::size_t count) {
  Schedule schedule;
  for (std::size_t i = 0; i < count; ++i) schedule.offsets.push_back(1s * i);
  schedule.measured_to = 1s * count;
  return schedule;
}

}  // namespace

TEST_CASE("load generator: a warm-up that never ends is over after the duration and the drain") {
  Fixture f(timed(5s, 1), Timeouts{.drain = 2s});
  f.transport.script = endless();
  f.run();
  REQUIRE(f.records.size() == 1);
  CHECK(f.records[0].outcome == Outcome::aborted);
  CHECK(f.records[0].phase == Phase::warmup);
  CHECK(f.records[0].end_us == 7'000'000);
  CHECK(f.control.reason == StopReason::warmup);
}

TEST_CASE("load generator: a warm-up by time is over after its time, the duration and the drain") {
  Load load = timed(5s, 0);
  load.warmup_requests.reset();
  load.warmup_duration = 3s;
  Fixture f(load, Timeouts{.drain = 2s});
  f.transport.script = endless();
  f.run();
  REQUIRE(f.records.size() == 1);
  CHECK(f.records[0].end_us == 10'000'000);
}

TEST_CASE("load generator: a long warm-up whose requests end is not cut off") {
  Fixture f(timed(5s, 40), Timeouts{.drain = 2s});
  f.transport.script = {{500ms, token("a")}, {1s, kFinish + kDone}, {1s, ""}};
  f.run();
  CHECK(f.records.size() == 45);
  CHECK(std::ranges::count(f.records, Phase::measured, &RequestRecord::phase) == 5);
  CHECK(f.control.reason == StopReason::none);
}

TEST_CASE("load generator: one stream that never ends does not end the measurement of the others") {
  Load load = timed(5s, 2);
  load.concurrency = 2;
  Fixture f(load, Timeouts{.drain = 2s});
  f.transport.special[0] = endless();
  f.run();
  CHECK(f.control.reason == StopReason::none);
  CHECK(std::ranges::count(f.records, Outcome::aborted, &RequestRecord::outcome) == 1);
  CHECK(std::ranges::count(f.records, Outcome::ok, &RequestRecord::outcome) > 50);
}

TEST_CASE("load generator: a conversation in its think time is no warm-up that never ends") {
  Fixture f(timed(5s, 1), Timeouts{.drain = 2s});
  f.converse(2, 60s);
  f.run();
  CHECK(f.control.reason == StopReason::none);
  CHECK(std::ranges::count(f.records, Phase::measured, &RequestRecord::phase) > 0);
}

TEST_CASE("load generator: what waits at the cap when the drain is over is recorded as not sent") {
  Load load = timed(5s, 0);
  load.rate = 1;
  load.max_in_flight = 1;
  Fixture f(load, Timeouts{.drain = 2s});
  f.lane.schedule = every_second(5);
  f.transport.script = endless();
  f.run();
  REQUIRE(f.records.size() == 5);
  CHECK(std::ranges::count(f.records, Outcome::dropped, &RequestRecord::outcome) == 4);
  const auto sent = std::ranges::find(f.records, Outcome::aborted, &RequestRecord::outcome);
  REQUIRE(sent != f.records.end());
  CHECK(sent->end_us == 7'000'000);
}

TEST_CASE("load generator: without an end by time what waits at the cap is sent, however late") {
  Load load;
  load.rate = 1;
  load.requests = 5;
  load.max_in_flight = 1;
  Fixture f(load, Timeouts{.drain = 20s});
  f.lane.schedule = every_second(5);
  f.transport.script = {{500ms, token("a")}, {15s, kFinish + kDone}, {15s, ""}};
  f.run();
  CHECK(std::ranges::count(f.records, Outcome::ok, &RequestRecord::outcome) == 5);
}
