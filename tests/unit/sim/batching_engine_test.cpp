// The validations of docs/simulator-model.md that need no load: V1 to V7, cancelling, prefix cache.
#include "catch.hpp"
#include "sim/engine/engine_model.hpp"
#include "virtual_client.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;
using namespace std::chrono_literals;

namespace {
Run alone(std::string_view preset, Ask ask) {
  const auto engine = make_engine(preset, 1);
  return open_loop(*engine, {0ms}, {ask});
}
double ttft_seconds(std::string_view preset, std::uint32_t prompt) {
  return alone(preset, {prompt, 1}).requests[0].ttft_ms() / 1e3;
}
std::uint64_t tokens_of(const std::vector<Ask>& asks) {
  std::uint64_t sum = 0;
  for (const Ask& ask : asks) sum += ask.output;
  return sum;
}
}  // namespace

TEST_CASE("engine: 35 GB at 1000 GB/s are 35.000000 ms to the first token and per token (V1)") {
  const Run run = alone("card", {512, 100});
  REQUIRE(run.emissions.size() == 100);
  nanoseconds expected{};
  for (const Emission& e : run.emissions) CHECK(e.at == (expected += 35ms));
}

TEST_CASE("engine: speculation 0.7 x 4 emits 2.773 tokens a step and counts what it accepted (V2)") {
  const Run run = alone("h100-8b:spec=0.7x4", {16, 20'000});
  const double decode_steps = static_cast<double>(run.emissions.size() - 1);
  CHECK((20'000 - 1) / decode_steps == Approx(2.773).margin(0.05));
  CHECK(run.counters.generated_tokens == 20'000);
  const auto accepted = static_cast<double>(run.counters.accepted_tokens);
  CHECK(accepted / static_cast<double>(run.counters.drafts) == Approx(1.773).margin(0.05));
}

TEST_CASE("engine: prefill costs 27.06 us a token beyond the quadratic part (V3)") {
  const char* preset = "h100-8b:max-batched-tokens=8192";
  const double x = 1024, f1 = ttft_seconds(preset, 1024), f2 = ttft_seconds(preset, 2048),
               f4 = ttft_seconds(preset, 4096);
  const double first = (f2 - f1) / x, second = (f4 - f2) / (2 * x);
  const double quadratic = (second - first) / (3 * x);
  CHECK((first - 3 * x * quadratic) * 1e6 == Approx(27.06).margin(0.02));
}

TEST_CASE("engine: prefill below the ridge takes no longer than one decode step (V3)") {
  CHECK(ttft_seconds("h100-8b", 32) == Approx(ttft_seconds("h100-8b", 200)).epsilon(0.005));
  CHECK(ttft_seconds("h100-8b", 512) > 1.5 * ttft_seconds("h100-8b", 200));
}

TEST_CASE("engine: requests in the engine over time equal the sum of their stays to the nanosecond (V4)") {
  const auto engine = make_engine("h100-8b:kv-tokens=20k", 1);
  const auto asks = mixed_asks(300, 3);
  const auto arrivals = gamma_arrivals(300, 20, 1, 4);
  std::vector<Emission> out;
  nanoseconds area{}, last{};
  const auto advance = [&](nanoseconds to) {
    const EngineCounters now = engine->counters();
    area += (to - last) * (now.running + now.waiting);
    last = to;
    engine->advance(to, out);
  };
  std::size_t next = 0, taken = 0;
  while (next < asks.size() || engine->next_event()) {
    const auto event = engine->next_event();
    if (next < asks.size() && (!event || arrivals[next] <= *event)) {
      advance(arrivals[next]);
      taken += engine->submit(request_of(next, asks[next]), arrivals[next]);
      ++next;
    } else {
      advance(*event);
    }
  }
  nanoseconds stays{};
  for (std::size_t id = 0; id < asks.size(); ++id) {
    if (const auto truth = engine->truth(id)) stays += truth->finished - truth->arrived;
  }
  CHECK(taken > 290);
  CHECK(area == stays);
}

TEST_CASE("engine: tokens asked are tokens emitted and all blocks come back, preempted or not (V5)") {
  for (const char* preset : {"h100-8b", "h100-8b:kv-tokens=20k", "h100-8b:kv-tokens=20k,offload=host",
                             "h100-8b:kv-tokens=20k,spec=0.7x4",
                             "h100-8b:kv-tokens=20k,prefix-cache=off,max-batched-tokens=256"}) {
    CAPTURE(preset);
    const auto engine = make_engine(preset, 1);
    auto asks = mixed_asks(200, 5);
    for (Ask& ask : asks) ask = {std::min(ask.prompt, 4000u), std::min(ask.output, 1000u)};
    const Run run = open_loop(*engine, gamma_arrivals(200, 30, 1, 6), asks);
    for (std::size_t i = 0; i < asks.size(); ++i) CHECK(run.requests[i].tokens == asks[i].output);
    CHECK(run.counters.generated_tokens == tokens_of(asks));
    CHECK(run.counters.kv_used_share == 0);
    CHECK(run.counters.running + run.counters.waiting == 0);
    CHECK((run.counters.preemptions > 0) == (std::string_view(preset) != "h100-8b"));
  }
}

TEST_CASE("engine: one at a time with equal lengths waits as M/D/1 says (V6)") {
  for (const double load : {0.5, 0.8}) {
    const auto engine = make_engine("card:max-seqs=1", 1);
    const std::size_t n = 60'000;
    const Run run = open_loop(*engine, gamma_arrivals(n, load / 0.035, 1, 8), std::vector<Ask>(n, {16, 1}));
    const double expected = load * 35 / (2 * (1 - load));
    CHECK(mean(run, &Outcome::queue_ms) == Approx(expected).epsilon(0.05));
  }
}

TEST_CASE("engine: the same seed gives the same emissions and another seed does not (V7)") {
  const auto emissions = [](std::uint64_t seed) {
    const auto engine = make_engine("h100-8b:spec=0.7x4,jitter=5%,kv-tokens=30k", seed);
    auto asks = mixed_asks(150, 9);
    return open_loop(*engine, gamma_arrivals(150, 20, 0.5, 10), asks).emissions;
  };
  const auto same = [](const std::vector<Emission>& a, const std::vector<Emission>& b) {
    return std::ranges::equal(a, b, [](const Emission& x, const Emission& y) {
      return x.id == y.id && x.at == y.at && x.tokens == y.tokens && x.finished == y.finished;
    });
  };
  const auto first = emissions(1);
  CHECK(same(first, emissions(1)));
  CHECK_FALSE(same(first, emissions(2)));
}

TEST_CASE("engine: a request that comes during a step is considered at the next one") {
  const auto engine = make_engine("card", 1);
  const Run run = open_loop(*engine, {0ms, 1ms}, {{16, 10}, {16, 10}});
  CHECK(run.requests[0].truth.scheduled == 0ms);
  CHECK(run.requests[1].truth.scheduled == 35ms);
  CHECK(run.requests[1].truth.first_token == 70ms);
}

TEST_CASE("engine: a step after idleness begins when its work arrives") {
  const auto engine = make_engine("card", 1);
  const Run run = open_loop(*engine, {0ms, 1s}, {{16, 1}, {16, 1}});
  CHECK(run.requests[1].truth.scheduled == 1s);
  CHECK(run.requests[1].truth.first_token == 1s + 35ms);
}

TEST_CASE("engine: a long prompt is computed in chunks of the token budget beside running decodes") {
  const auto engine = make_engine("h100-8b:max-batched-tokens=512,prefix-cache=off", 1);
  const Run run = open_loop(*engine, {0ms, 100ms}, {{16, 100}, {2000, 1}});
  // 2000 tokens at 511 a step, the decode taking one of each 512: four steps.
  int steps = 0;
  for (const Emission& e : run.emissions)
    steps += e.id == 0 && e.at > run.requests[1].truth.scheduled && e.at <= run.requests[1].truth.first_token;
  CHECK(steps == 4);
}

TEST_CASE("engine: where blocks run out the last arrived gives way and comes back before later ones") {
  const auto engine = make_engine("h100-8b:kv-tokens=640,watermark=0,prefix-cache=off", 1);
  const Run run = open_loop(*engine, {0ms, 1ms, 2ms, 200ms}, std::vector<Ask>(4, {160, 160}));
  CHECK(run.requests[0].truth.preemptions == 0);
  CHECK(run.requests[2].truth.preemptions > 0);
  CHECK(run.requests[2].max_gap > 100ms);  // it waited, and no work was lost
  CHECK(run.requests[2].tokens == 160);
  CHECK(run.requests[3].truth.scheduled > run.requests[2].truth.first_token);
  CHECK(run.requests[3].truth.first_token > run.requests[0].truth.finished);
}

TEST_CASE("engine: a prompt seen before starts at its last block") {
  const auto engine = make_engine("h100-8b", 1);
  std::vector<Emission> out;
  SimRequest request = request_of(1, {1600, 4});
  engine->submit(request, 0ms);
  engine->advance(1s, out);
  request.id = 2;
  engine->submit(request, 1s);
  engine->advance(2s, out);
  const RequestTruth cold = *engine->truth(1), warm = *engine->truth(2);
  CHECK(cold.cached_tokens == 0);
  CHECK(warm.cached_tokens == 1584);  // the last of 100 blocks is computed: its end is the first token
  CHECK((warm.first_token - warm.arrived) * 4 < cold.first_token - cold.arrived);
  CHECK(engine->counters().prefix_queries == 3200);
  CHECK(engine->counters().prefix_hits == 1584);
  CHECK(engine->counters().kv_used_share == 0);
}

TEST_CASE("engine: a cancelled request frees its blocks at once, whatever it was doing") {
  const auto engine = make_engine("h100-8b:max-batched-tokens=256,max-seqs=2", 1);
  std::vector<Emission> out;
  engine->submit(request_of(1, {64, 1000}), 0ms);  // decodes
  engine->advance(100ms, out);
  engine->submit(request_of(2, {100'000, 10}), 100ms);  // in the middle of its prompt
  engine->submit(request_of(3, {64, 10}), 100ms);       // waits
  engine->advance(500ms, out);
  CHECK(engine->counters().waiting == 1);
  engine->cancel(3, 500ms);
  CHECK(engine->counters().waiting == 0);
  const double with_prompt = engine->counters().kv_used_share;
  engine->cancel(2, 500ms);
  CHECK(engine->counters().kv_used_share < with_prompt / 2);
  engine->cancel(1, 500ms);
  CHECK(engine->counters().kv_used_share == 0);
  out.clear();
  engine->advance(10s, out);
  CHECK(out.empty());
  CHECK_FALSE(engine->next_event().has_value());
  CHECK(engine->truth(2)->finished == 500ms);
}

TEST_CASE("engine: a request that can never fit is refused, one that just fits finishes") {
  const auto engine = make_engine("h100-8b:kv-tokens=1024", 1);
  CHECK_FALSE(engine->submit(request_of(1, {1000, 25}), 0ms));
  CHECK_FALSE(engine->submit(request_of(2, {0, 1}), 0ms));
  CHECK_FALSE(engine->truth(1).has_value());
  CHECK(engine->submit(request_of(4, {1000, 24}), 0ms));
  CHECK_FALSE(engine->submit(request_of(4, {1, 1}), 0ms));
  std::vector<Emission> out;
  engine->advance(10s, out);
  CHECK(out.size() == 24);
  CHECK(out.back().finished);
}

TEST_CASE("engine: no mixture of sizes, shared prompts and cancelling hangs it or loses a block") {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    const std::string preset =
        "h100-8b:kv-tokens=" + std::to_string(64 + 16 * random.below(60)) +
        ",max-batched-tokens=" + std::to_string(1 + random.below(300)) +
        ",max-seqs=" + std::to_string(1 + random.below(12)) + (random.below(2) != 0 ? ",spec=0.6x3" : "") +
        (random.below(2) != 0 ? ",offload=host" : "") + (random.below(4) == 0 ? ",prefix-cache=off" : "");
    CAPTURE(preset);
    const auto engine = make_engine(preset, 1);
    std::vector<Emission> out;
    std::uint64_t asked = 0, cancelled = 0;
    nanoseconds now{};
    for (std::uint64_t id = 0; id < 40; ++id) {
      SimRequest request = request_of(random.below(3), {static_cast<std::uint32_t>(1 + random.below(300)),
                                                        static_cast<std::uint32_t>(1 + random.below(60))});
      request.id = id;
      asked += engine->submit(request, now) ? request.output_tokens : 0;
      now += std::chrono::milliseconds(random.below(60));
      engine->advance(now, out);
      if (random.below(6) == 0) {
        const std::uint64_t victim = random.below(id + 1);
        engine->cancel(victim, now);
        ++cancelled;
      }
    }
    int turns = 0;
    while (const auto next = engine->next_event()) {
      engine->advance(*next, out);
      REQUIRE(++turns < 100'000);
    }
    const EngineCounters end = engine->counters();
    CHECK(end.kv_used_share == 0);
    CHECK(end.running + end.waiting == 0);
    CHECK((cancelled > 0 || end.generated_tokens == asked));
  }
}
