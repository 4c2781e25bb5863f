// The prefix cache across turns of a conversation, prompts that are only read, and rising load.
#include "catch.hpp"
#include "sim/engine/engine_model.hpp"
#include "virtual_client.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;
using namespace std::chrono_literals;

namespace {

// Runs one request from `at` to its end and returns its truth.
RequestTruth run_alone(EngineModel& engine, const SimRequest& request, nanoseconds at) {
  engine.submit(request, at);
  std::vector<Emission> out;
  while (const auto next = engine.next_event()) engine.advance(*next, out);
  return *engine.truth(request.id);
}

std::vector<std::uint64_t> chain(std::uint64_t blocks) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < blocks; ++i) hashes.push_back(mix64(i));
  return hashes;
}

}  // namespace

TEST_CASE("next turn: the blocks that an answer filled are found by the prompt that contains it") {
  const auto engine = make_engine("h100-8b", 1);
  run_alone(*engine, {1, chain(8), 64, 64}, 0ms);  // 4 blocks of prompt and 4 of answer
  const RequestTruth second = run_alone(*engine, {2, chain(10), 160, 16}, 10s);
  CHECK(second.cached_tokens == 112);  // the last token's keys are never computed, nor is its block full
}

TEST_CASE("next turn: an answer that differs is not taken for the cached one") {
  const auto engine = make_engine("h100-8b", 1);
  run_alone(*engine, {1, chain(8), 64, 64}, 0ms);
  auto other = chain(10);
  other[5] = 7;
  CHECK(run_alone(*engine, {2, other, 160, 16}, 10s).cached_tokens == 80);
}

TEST_CASE("next turn: an answer that was left in the middle is cached as far as it came") {
  const auto engine = make_engine("h100-8b", 1);
  engine->submit({1, chain(100), 64, 1536}, 0ms);
  std::vector<Emission> out;
  while (out.size() < 34) engine->advance(*engine->next_event(), out);
  engine->cancel(1, out.back().at);
  CHECK(engine->counters().kv_used_share == 0);
  CHECK(run_alone(*engine, {2, chain(10), 160, 16}, 10s).cached_tokens == 96);
}

TEST_CASE("read only: a prompt takes its prefill's time, as its first token would") {
  const auto reads = make_engine("h100-8b", 1), answers = make_engine("h100-8b", 1);
  const RequestTruth read = run_alone(*reads, {1, {}, 4000, 0}, 0ms);
  const RequestTruth answered = run_alone(*answers, {1, {}, 4000, 8}, 0ms);
  CHECK(read.finished == answered.first_token);
  CHECK(reads->counters().generated_tokens == 0);
  CHECK(reads->counters().running == 0);
}

TEST_CASE("time scale: every step takes so many times as long") {
  const auto usual = make_engine("h100-8b", 1), slow = make_engine("h100-8b:time-scale=1.2", 1);
  const RequestTruth fast = run_alone(*usual, {1, {}, 512, 128}, 0ms);
  const RequestTruth late = run_alone(*slow, {1, {}, 512, 128}, 0ms);
  CHECK(static_cast<double>(late.finished.count()) ==
        Approx(1.2 * static_cast<double>(fast.finished.count())).epsilon(1e-6));
}

TEST_CASE("load: more streams at once get more done together and each one slower") {
  double rate = 0, tpot = 0;
  for (const std::uint32_t streams : {1u, 4u, 16u, 64u}) {
    const auto engine = make_engine("h100-8b", 1);
    const Run run = closed_loop(*engine, streams, std::vector<Ask>(12 * streams, Ask{512, 128}));
    CHECK(run.steady_rate() > 1.5 * rate);
    CHECK(mean(run, &Outcome::tpot_ms) > tpot);
    rate = run.steady_rate();
    tpot = mean(run, &Outcome::tpot_ms);
  }
}

TEST_CASE("load: past the streams that its KV cache holds, a small one gets no more done") {
  const auto at = [](std::string_view preset, std::uint32_t streams) {
    const auto engine = make_engine(preset, 1);
    return closed_loop(*engine, streams, std::vector<Ask>(6 * streams, Ask{4000, 256}));
  };
  const Run few = at("h100-8b:kv-tokens=80k", 16), many = at("h100-8b:kv-tokens=80k", 64);
  const Run roomy = at("h100-8b", 64);
  CHECK(percentile(many, 0.5, &Outcome::ttft_ms, 64) > 5 * percentile(few, 0.5, &Outcome::ttft_ms, 16));
  CHECK(percentile(many, 0.5, &Outcome::queue_ms, 64) > 10 * percentile(roomy, 0.5, &Outcome::queue_ms, 64));
  CHECK(many.steady_rate() < 1.3 * few.steady_rate());
}
