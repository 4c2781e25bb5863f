#include "catch.hpp"
#include "sim/engine/engine_model.hpp"
#include "virtual_client.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;
using namespace std::chrono_literals;

TEST_CASE("fixed: every token of every stream leaves at its known instant") {
  const auto engine = make_engine("fixed:ttft=50ms,itl=10ms,jitter=0", 1);
  std::vector<nanoseconds> arrivals;
  for (int i = 0; i < 100; ++i) arrivals.push_back(i * 1ms);
  const Run run = open_loop(*engine, arrivals, std::vector<Ask>(100, {512, 20}));
  std::vector<int> seen(100);
  for (const Emission& e : run.emissions) CHECK(e.at == arrivals[e.id] + 50ms + seen[e.id]++ * 10ms);
  CHECK(run.emissions.size() == 2000);
  CHECK(std::ranges::is_sorted(run.emissions, {}, &Emission::at));
}

TEST_CASE("fixed: a long prompt waits per-token longer and events of m tokens come m itl apart") {
  const auto engine = make_engine("fixed:ttft=5ms,itl=10ms,per-token=20us,tokens=4", 1);
  const Run run = open_loop(*engine, {0ms}, {{1000, 10}});
  REQUIRE(run.emissions.size() == 3);
  CHECK(run.emissions[0].at == 25ms);
  CHECK(run.emissions[1].at == 65ms);
  CHECK(run.emissions[2].at == 85ms);  // its two tokens take two intervals
  CHECK(run.emissions[2].tokens == 2);
  CHECK(run.emissions[2].finished);
}

TEST_CASE("fixed: jitter spreads by a share or by a duration and does not depend on other streams") {
  for (const char* preset : {"fixed:ttft=50ms,itl=10ms,jitter=20%", "fixed:ttft=50ms,itl=10ms,jitter=2ms"}) {
    const auto alone = make_engine(preset, 7), crowd = make_engine(preset, 7);
    const Run one = open_loop(*alone, {0ms}, {{16, 5000}});
    CHECK(mean(one, &Outcome::tpot_ms) == Approx(10).margin(0.15));
    const Run many = open_loop(*crowd, {0ms, 1ms, 2ms}, std::vector<Ask>(3, {16, 5000}));
    CHECK(many.requests[0].truth.finished == one.requests[0].truth.finished);
    CHECK(many.requests[1].truth.finished - 1ms != one.requests[0].truth.finished);
  }
}

TEST_CASE("fixed: a cancelled stream emits nothing more and its truth stays until forgotten") {
  const auto engine = make_engine("fixed", 1);
  std::vector<Emission> out;
  engine->submit({7, {}, 16, 100}, 0ms);
  engine->advance(50ms, out);
  engine->forget(7);  // not finished: left alone
  engine->cancel(7, 55ms);
  CHECK_FALSE(engine->next_event().has_value());
  engine->advance(10s, out);
  CHECK(out.size() == 1);
  CHECK(engine->truth(7)->finished == 55ms);
  engine->forget(7);
  CHECK_FALSE(engine->truth(7).has_value());
  CHECK(engine->submit({7, {}, 16, 1}, 10s));
}

TEST_CASE("fixed engine: a time scale stretches the first token and all after it") {
  const auto engine = make_engine("fixed:ttft=50ms,itl=10ms,jitter=0,time-scale=1.2", 1);
  engine->submit({1, {}, 4, 3}, 0ms);
  std::vector<Emission> out;
  engine->advance(1s, out);
  REQUIRE(out.size() == 3);
  CHECK(out[0].at == 60ms);
  CHECK(out[2].at == 84ms);
}

TEST_CASE("fixed engine: a prompt that is only read ends without a token") {
  const auto engine = make_engine("fixed:ttft=50ms,itl=10ms,jitter=0", 1);
  REQUIRE(engine->submit({1, {}, 4, 0}, 0ms));
  std::vector<Emission> out;
  engine->advance(1s, out);
  REQUIRE(out.size() == 1);
  CHECK(out[0].tokens == 0);
  CHECK(out[0].finished);
  CHECK(engine->counters().generated_tokens == 0);
}
