#include "sim/engine/step_time.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::sim;

namespace {
EngineConfig exact(std::string_view device, std::string_view model) {
  EngineConfig config;
  config.device = find_device(device);
  config.model = find_model(model);
  config.compute_efficiency = config.memory_efficiency = 1;
  config.overhead = nanoseconds(0);
  return config;
}
StepLoad decode(std::uint32_t sequences, double context) {
  StepLoad load;
  load.tokens = sequences;
  load.token_context = load.context = sequences * context;
  return load;
}
double ms(const EngineConfig& config, const StepLoad& load) {
  return static_cast<double>(StepTime(config).of(load).count()) / 1e6;
}
}  // namespace

TEST_CASE("step_time: one token alone takes the weights over the bandwidth, H100 8B 4.8 ms") {
  CHECK(ms(exact("h100", "llama-3.1-8b"), decode(1, 0)) == Approx(16.06 / 3.350).epsilon(1e-6));
}

TEST_CASE("step_time: each context token read adds its KV bytes") {
  const EngineConfig config = exact("h100", "llama-3.1-8b");
  const double added = ms(config, decode(32, 1000)) - ms(config, decode(32, 0));
  CHECK(added == Approx(32e3 * 131'072 / 3350e9 * 1e3).epsilon(1e-6));
}

TEST_CASE("step_time: past the ridge batch of 295 tokens a step is bound by compute") {
  const EngineConfig config = exact("h100", "llama-3.1-8b");
  CHECK(ms(config, decode(290, 0)) == ms(config, decode(1, 0)));
  CHECK(ms(config, decode(590, 0)) == Approx(2 * ms(config, decode(295, 0))).epsilon(0.001));
}

TEST_CASE("step_time: two devices halve the time and add two all-reduces a layer") {
  EngineConfig config = exact("h100", "llama-3.1-70b");
  config.precision = Precision::fp8;
  const double alone = ms(config, decode(1, 0));
  config.tensor_parallel = 2;
  const double reduce = 2 * 80 * (10e-6 + 8192 * 2 / 400e9) * 1e3;
  CHECK(ms(config, decode(1, 0)) == Approx(alone / 2 + reduce).epsilon(1e-6));
}

TEST_CASE("step_time: a mixture of experts loses its advantage as the batch touches all experts") {
  const EngineConfig mixture = exact("h100", "qwen3-30b-a3b");
  const double alone = ms(mixture, decode(1, 0));
  CHECK(alone == Approx(2 * 3.3 / 3.350).epsilon(1e-6));
  CHECK(ms(mixture, decode(64, 0)) > 8 * alone);
  CHECK(ms(mixture, decode(64, 0)) < 2 * 30.5 / 3.350);
}

TEST_CASE("step_time: KV that is read or moved over the bus takes the bus's time") {
  EngineConfig config = exact("h100", "llama-3.1-8b");
  config.offload_gb_s = 25;
  StepLoad load = decode(1, 0);
  const double before = ms(config, load);
  load.offloaded_context = 1000;
  load.moved = 500;
  CHECK(ms(config, load) - before == Approx(1.5e3 * 131'072 / 25e9 * 1e3).epsilon(1e-6));
}

TEST_CASE("step_time: each draft pass reads the draft model's weights") {
  EngineConfig config = exact("h100", "llama-3.1-8b");
  config.speculation = {0.7, 4, 0.05};
  StepLoad load = decode(1, 0);
  const double before = ms(config, load);
  load.draft_passes = 4;
  CHECK(ms(config, load) == Approx(before * (1 + 4 * 0.05)).epsilon(1e-6));
}

TEST_CASE("speculation: acceptance 0.7 of 4 drafts yields 2.773 tokens a step (V2)") {
  Random random(1);
  const int steps = 200'000;
  std::uint64_t tokens = 0;
  for (int i = 0; i < steps; ++i) tokens += 1 + accepted_drafts(4, 0.7, random);
  CHECK(static_cast<double>(tokens) / steps == Approx(2.773).margin(0.012));
}

TEST_CASE("jitter: the mean stays and the coefficient of variation is the asked one") {
  Random random(1);
  const int n = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = static_cast<double>(jittered(nanoseconds(10'000'000), 0.2, random).count()) / 1e7;
    sum += x;
    squares += x * x;
  }
  const double mean = sum / n;
  CHECK(mean == Approx(1).margin(0.003));
  CHECK(std::sqrt(squares / n - mean * mean) == Approx(0.2).margin(0.003));
  CHECK(jittered(nanoseconds(7), 0, random) == nanoseconds(7));
}
