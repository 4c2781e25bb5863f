#include "generator_fixture.hpp"

using namespace infermeter;

namespace {

// Parts of a response that the fake transport cannot express as body bytes: a status and its headers.
FakeStep status(nanoseconds at, int code, std::vector<Header> headers = {}) {
  FakeStep step{at, ""};
  step.status = code;
  step.headers = std::move(headers);
  return step;
}

const std::vector<FakeStep> kLimited{status(5ms, 429, {{"retry-after", "2"}}), {5ms, ""}};

}  // namespace

TEST_CASE("cancel: a stream is closed so long after it was sent") {
  Fixture f(load_of(1, 2));
  f.lane.classes.front().cancel.after = 55ms;
  f.run();
  REQUIRE(f.records.size() == 2);
  CHECK(f.records[0].outcome == Outcome::cancelled);
  CHECK(f.records[0].events == 1);
  CHECK(f.records[0].end_us == 55'000);
  CHECK(f.transport.cancelled.size() == 2);
  CHECK(f.counters.errors == 0);
  CHECK_FALSE(f.control.stop);
}

TEST_CASE("cancel: a stream is closed with its n-th token") {
  Fixture f(load_of(1, 1));
  f.lane.classes.front().cancel.after_tokens = 2;
  f.transport.script = {{50ms, token("a")}, {60ms, token("b")}, {70ms, token("c")}, {80ms, kFinish + kDone}};
  f.run();
  CHECK(f.records[0].outcome == Outcome::cancelled);
  CHECK(f.records[0].events == 2);
  CHECK(f.records[0].end_us == 60'000);
}

TEST_CASE("cancel: a share of the requests is cancelled, the same ones every time") {
  const auto outcomes = [] {
    Fixture f(load_of(4, 1000));
    f.lane.classes.front().cancel = {.after = 55ms, .share = 0.3};
    f.run();
    std::map<std::uint64_t, Outcome> by_id;
    for (const auto& record : f.records) by_id[record.id] = record.outcome;
    return by_id;
  };
  const auto first = outcomes();
  const auto cancelled =
      std::ranges::count(first, Outcome::cancelled, [](const auto& p) { return p.second; });
  CHECK(cancelled > 250);
  CHECK(cancelled < 350);
  CHECK(first == outcomes());
}

TEST_CASE("retries: a request tried again keeps its first intended time and says how often") {
  Fixture f(load_of(1, 2));
  f.plan.retries = 3;
  f.transport.special[0] = kLimited;
  f.transport.special[1] = kLimited;
  f.run();
  REQUIRE(f.records.size() == 2);
  CHECK(f.records[0].outcome == Outcome::ok);
  CHECK(f.records[0].tries == 3);
  CHECK(f.records[0].intended_us == 0);
  // What the server asks for is the least: at most 100 and 200 ms come on top.
  CHECK(*f.records[0].sent_us >= 2 * 2'005'000);
  CHECK(*f.records[0].sent_us <= 2 * 2'005'000 + 300'000);
  CHECK(f.records[1].tries == 1);
}

namespace {

/// A run of one request that fails `tries` times; the waits between its tries, in milliseconds.
std::vector<double> waits_of(std::uint64_t seed, const std::vector<FakeStep>& failure, std::uint32_t tries) {
  Fixture f(load_of(1, 1));
  f.plan.seed = seed;
  f.plan.retries = tries;
  f.transport.script = failure;
  std::vector<double> waits;
  Instant last = t0;
  std::size_t seen = 0;
  f.run([&](Instant at) {
    if (f.transport.requests.size() == seen) return;
    seen = f.transport.requests.size();
    waits.push_back(std::chrono::duration<double, std::milli>(at - last).count());
    last = at;
  });
  waits.erase(waits.begin());
  return waits;
}

const std::vector<FakeStep> kLimitedAtOnce{status(0ms, 429, {{"retry-after", "0"}}), {0ms, ""}};

}  // namespace

TEST_CASE("retries: Retry-After 0 does not make a loop without pauses") {
  Fixture f(load_of(16, 16));
  f.plan.retries = 100;
  f.transport.script = kLimitedAtOnce;
  std::size_t sent_in_a_second = 0;
  f.run([&](Instant at) {
    if (at <= t0 + 1s) sent_in_a_second = f.transport.requests.size();
    f.control.stop = at > t0 + 2s;
  });
  // 16 slots: the first try, then pauses of 50, 100, 200, 400 ms on average.
  CHECK(sent_in_a_second >= 32);
  CHECK(sent_in_a_second <= 128);
}

TEST_CASE("retries: pauses are random up to a bound that doubles from 100 ms to 10 s") {
  std::vector<double> longest(10, 0), sum(10, 0);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto waits = waits_of(seed, kLimitedAtOnce, 10);
    REQUIRE(waits.size() == 10);
    for (std::size_t i = 0; i < waits.size(); ++i) {
      longest[i] = std::max(longest[i], waits[i]);
      sum[i] += waits[i] / 200;
    }
  }
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const double bound = std::min(100.0 * (1 << i), 10'000.0);
    CHECK(longest[i] <= bound + 1);
    CHECK(longest[i] > 0.9 * bound);
    CHECK(sum[i] > 0.4 * bound);
    CHECK(sum[i] < 0.6 * bound);
  }
}

TEST_CASE("retries: the same seed gives the same pauses and another one others") {
  const auto first = waits_of(7, kLimitedAtOnce, 4);
  CHECK(first == waits_of(7, kLimitedAtOnce, 4));
  CHECK(first != waits_of(8, kLimitedAtOnce, 4));
}

TEST_CASE("retries: a Retry-After longer than the timeout of a request ends it instead") {
  Fixture f(load_of(1, 1), Timeouts{.whole = 1s});
  f.plan.retries = 5;
  f.transport.script = kLimited;  // 2 s
  f.run();
  REQUIRE(f.records.size() == 1);
  CHECK(f.records[0].status == 429);
  CHECK(f.records[0].tries == 1);
  CHECK(f.records[0].end_us == 5'000);
}

TEST_CASE("retries: the drain does not wait for a retry that would come after it") {
  Fixture f(load_of(2, 2), Timeouts{.drain = 1s});
  f.plan.retries = 5;
  f.transport.script = kLimited;  // 2 s
  Instant last = t0;
  f.run([&](Instant at) { last = at; });
  REQUIRE(f.records.size() == 2);
  CHECK(f.records[0].status == 429);
  CHECK(last < t0 + 500ms);
}

TEST_CASE("retries: none by default") {
  Fixture f(load_of(1, 2));
  f.transport.special[0] = kLimited;
  f.run();
  CHECK(f.records[0].status == 429);
  CHECK(f.records[0].tries == 1);
}

TEST_CASE("retries: what waits for another try when the run is stopped ends as its last one did") {
  Fixture f(load_of(1, 2));
  f.plan.retries = 5;
  f.transport.script = kLimited;
  f.run([&](Instant at) { f.control.stop = at >= t0 + 1s; });
  REQUIRE(f.records.size() == 1);
  CHECK(f.records[0].status == 429);
}

TEST_CASE("rate limits: with wait nothing is started before the server allows it") {
  Fixture f(load_of(2, 4));
  f.limits.on_rate_limit = OnRateLimit::wait;
  f.transport.special[0] = kLimited;
  f.run();
  REQUIRE(f.transport.requests.size() == 4);
  for (const auto& record : f.records) {
    const bool first_two = record.id < 2;
    CHECK((first_two || *record.sent_us >= 2'005'000));
  }
  CHECK(f.control.held_ns == nanoseconds(2s).count());
}

TEST_CASE("rate limits: a 429 is an error of the live progress") {
  Fixture f(load_of(1, 4));
  f.transport.special[2] = kLimited;
  f.run();
  CHECK(f.counters.errors == 1);
}

TEST_CASE("rate limits: with stop the run ends at the first") {
  Fixture f(load_of(1, 100));
  f.limits.on_rate_limit = OnRateLimit::stop;
  f.transport.special[2] = kLimited;
  f.run();
  CHECK(f.records.size() == 3);
  CHECK(f.control.reason == StopReason::rate_limited);
}

TEST_CASE("limits: tokens end the run before those in flight could go over") {
  Fixture f(load_of(2, 1000));
  f.limits.max_tokens = 70;  // 7 a request
  f.run();
  std::int64_t used = 0;
  for (const auto& record : f.records) used += *record.prompt_tokens + *record.output_tokens;
  CHECK(used <= 70);
  CHECK(used >= 63);
  CHECK(f.control.reason == StopReason::max_tokens);
}

TEST_CASE("limits: cost is reckoned by the prices where the server does not tell") {
  Fixture f(load_of(1, 1000));
  f.limits.prices.input_per_million = 1e6;
  f.limits.prices.output_per_million = 2e6;  // 5 + 2·2 a request
  f.limits.max_cost = 45;
  f.run();
  CHECK(f.records.size() == 5);
  CHECK(f.control.reason == StopReason::max_cost);
}

TEST_CASE("limits: a cost below that of one request is known as such, and one that is used up is not") {
  Fixture f(load_of(2, 1000));
  f.limits.prices.output_per_million = 2e6;
  f.limits.max_cost = 3;  // 4 a request
  f.run();
  CHECK(f.records.empty());
  CHECK(f.control.unaffordable_output == 2);
  Fixture enough(load_of(2, 1000));
  enough.limits = f.limits;
  enough.limits.max_cost = 9;
  enough.run();
  CHECK(enough.records.size() == 2);
  CHECK(enough.control.reason == StopReason::max_cost);
  CHECK(enough.control.unaffordable_output == 0);
}

TEST_CASE("limits: a prompt may be written to the cache at a higher price") {
  Fixture f(load_of(1, 1000));
  f.limits.prices = {.input_per_million = 1e6, .cache_write_per_million = 10e6};  // 5 or 50 a request
  f.limits.max_cost = 45;
  f.run();
  CHECK(f.records.empty());
  CHECK(f.control.reason == StopReason::max_cost);
}

TEST_CASE("limits: requests that begin together are held to the limit too") {
  Fixture f(load_of(100, 1000));
  f.limits.max_tokens = 200;
  f.run();
  CHECK(f.records.size() == 28);
}

TEST_CASE("limits: what a target used at earlier points counts") {
  Fixture f(load_of(1, 1000));
  f.limits.max_tokens = 70;
  f.limits.before = {.tokens = 40};
  f.run();
  CHECK(f.records.size() == 4);
}

TEST_CASE("limits: a cancelled stream uses what was asked and what arrived") {
  RunControl control;
  RunBudget budget(control, {.prices = {.input_per_million = 1e6, .output_per_million = 1e6}});
  RequestRecord cut;
  cut.outcome = Outcome::cancelled;
  cut.sent_us = 0;
  cut.asked_input_tokens = 100;
  cut.events = 7;
  budget.count(cut, t0);
  CHECK(budget.use().tokens == 107);
  CHECK(budget.use().cost == Approx(107));
}

TEST_CASE("beside: a probe ends with the common load") {
  Fixture f(load_of(1, 1));
  f.lane.load.requests.reset();
  f.lane.beside = true;
  f.control.common_loads = 1;
  f.run([&](Instant at) {
    if (at >= t0 + 1s) f.control.common_loads = 0;
  });
  CHECK(f.records.size() >= 16);
  CHECK(f.records.size() <= 17);
}

TEST_CASE("replicas: requests go to a target's URLs in turn") {
  Fixture f(load_of(1, 4));
  f.plan.urls = {"http://a", "http://b"};
  f.run();
  CHECK(f.transport.requests[0].url == "http://a");
  CHECK(f.transport.requests[1].url == "http://b");
  CHECK(f.transport.requests[2].url == "http://a");
  CHECK(f.records[3].replica == 1);
}

TEST_CASE("unreachable: a server that takes no connection for so long ends the run") {
  Fixture f(load_of(2, 100'000));
  f.limits.unreachable = 5s;
  f.transport.special[0] = kAnswer;
  f.transport.script = {{0ms, "", Outcome::connect}};
  f.run();
  CHECK(f.control.reason == StopReason::unreachable);
  CHECK(*f.records.back().started_us > 5'000'000);
  CHECK(*f.records.back().started_us < 9'000'000);
}

TEST_CASE("unreachable: one answer begins the time anew") {
  Fixture f(load_of(1, 20));
  f.limits.unreachable = 5s;
  f.transport.script = {{0ms, "", Outcome::connect}};
  for (std::size_t i = 0; i < 20; i += 3) f.transport.special[i] = kAnswer;
  f.run();
  CHECK(f.control.reason == StopReason::none);
  CHECK(f.records.size() == 20);
}

TEST_CASE("rate limit: a wait of a day that a server asks for is cut to the longest request") {
  Fixture f(load_of(1, 2));
  f.limits.on_rate_limit = OnRateLimit::wait;
  f.limits.longest_hold = 60s;
  f.transport.special[0] = {status(5ms, 429, {{"retry-after", "86400"}}), {5ms, ""}};
  f.run();
  REQUIRE(f.records.size() == 2);
  CHECK(f.records[1].started_us == 60'005'000);
}
