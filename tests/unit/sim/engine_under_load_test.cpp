// The model's behaviour under load: how arrivals change TTFT, and the cliffs of a full KV cache.
#include "catch.hpp"
#include "sim/engine/engine_model.hpp"
#include "virtual_client.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;
using namespace std::chrono_literals;

TEST_CASE("load: at equal throughput a closed loop sees less TTFT than Poisson and that less than bursts") {
  const std::size_t n = 1500;
  const auto asks = mixed_asks(n, 1);
  for (const std::uint32_t streams : {16u, 64u}) {
    const auto closed_engine = make_engine("h100-8b", 1), poisson_engine = make_engine("h100-8b", 1),
               bursts_engine = make_engine("h100-8b", 1);
    const Run closed = closed_loop(*closed_engine, streams, asks);
    const Run poisson = open_loop(*poisson_engine, gamma_arrivals(n, closed.steady_rate(), 1, 2), asks);
    const Run bursts = open_loop(*bursts_engine, gamma_arrivals(n, closed.steady_rate(), 0.25, 2), asks);
    for (const double share : {0.5, 0.9}) {
      const double of_closed = percentile(closed, share, &Outcome::ttft_ms, streams);
      const double of_poisson = percentile(poisson, share, &Outcome::ttft_ms);
      CHECK(of_closed < of_poisson);
      CHECK(of_poisson < percentile(bursts, share, &Outcome::ttft_ms));
    }
    CHECK(mean(poisson, &Outcome::tpot_ms) == Approx(mean(closed, &Outcome::tpot_ms)).epsilon(0.1));
  }
}

TEST_CASE("load: with 80k tokens of KV instead of 144k the queue explodes and TPOT hides it (V8)") {
  const std::size_t n = 6000;
  const auto asks = mixed_asks(n, 1);
  const auto arrivals = gamma_arrivals(n, 16, 1, 2);  // 70 % of the engine's capacity
  const auto run = [&](std::string_view preset) {
    return open_loop(*make_engine(preset, 1), arrivals, asks);
  };
  const Run roomy = run("h100-8b:kv-tokens=144k,watermark=0,prefix-cache=off");
  const Run tight = run("h100-8b:kv-tokens=80k,watermark=0,prefix-cache=off");
  CHECK(percentile(roomy, 0.5, &Outcome::ttft_ms) < 60);
  CHECK(roomy.counters.preemptions < 20);
  CHECK(percentile(tight, 0.5, &Outcome::ttft_ms) > 20'000);
  CHECK(tight.counters.preemptions > 1000);
  CHECK(percentile(tight, 0.99, &Outcome::max_gap_ms) > 2 * percentile(roomy, 0.99, &Outcome::max_gap_ms));
  CHECK(mean(tight, &Outcome::tpot_ms) < 1.6 * mean(roomy, &Outcome::tpot_ms));
}

TEST_CASE("load: streams that outgrow the KV cache run many times slower past 95 % of it") {
  struct Speeds {
    double before = 0, after = 0;  // longest gap just below 95 %, shortest once anything is offloaded
  };
  const auto measure = [](std::string_view preset) {
    const auto engine = make_engine(preset, 1);
    for (std::uint64_t id = 0; id < 8; ++id) engine->submit(request_of(id, {9000, 1500}), 0ms);
    Speeds speeds{0, 1e9};
    std::vector<Emission> out;
    nanoseconds last{};
    std::uint64_t preempted = 0;  // before the step that just ended
    while (const auto next = engine->next_event()) {
      out.clear();
      engine->advance(*next, out);
      if (out.size() < 8 || out.front().finished) continue;  // all eight decode
      const double gap = static_cast<double>((out.back().at - last).count()) / 1e6;
      last = out.back().at;
      const EngineCounters now = engine->counters();
      CHECK(now.kv_used_share <= 0.951);
      if (preempted > 0) speeds.after = std::min(speeds.after, gap);
      if (preempted == 0 && now.kv_used_share > 0.93) speeds.before = std::max(speeds.before, gap);
      preempted = now.preemptions;
    }
    return speeds;
  };
  const Speeds host = measure("h100-8b:kv-tokens=80k,offload=host");
  const Speeds ssd = measure("h100-8b:kv-tokens=80k,offload=ssd");
  CHECK(host.before == Approx(11.7).margin(0.1));
  CHECK(ssd.before == host.before);
  CHECK(host.after > 5 * host.before);
  CHECK(ssd.after > 20 * ssd.before);
}
