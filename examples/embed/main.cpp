// Measures the built-in simulator and prints p95 of TTFT with its interval. With a URL as the first argument
// it measures the server there. Exit code: as `infermeter run` (docs/exit-codes.md).
#include <cstdio>
#include <string>

#include "infermeter/run/measure.hpp"

int main(int argc, char** argv) {
  using namespace infermeter;
  Plan plan;
  if (argc > 1) {
    plan.targets.front().url = argv[1];
  } else {
    plan.simulator = SimulatedServer{.preset = "fixed:ttft=20ms,itl=2ms,jitter=0.1"};
  }
  plan.classes.front().prompts.input_tokens = {.a = 64};
  plan.classes.front().answers.output_tokens = {.a = 16};
  plan.sweep.points.front().concurrency = 8;
  plan.sweep.points.front().requests = 400;
  plan.output.save = false;

  Hooks hooks;
  hooks.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  try {
    const RunResult run = measure(plan, hooks);
    const PointResult& point = run.points.front();
    std::printf("%llu of %llu requests are ok\n", static_cast<unsigned long long>(point.ok),
                static_cast<unsigned long long>(point.requests));
    const Metric* ttft = point.find("ttft");
    const Percentile* p95 = ttft ? ttft->find(95) : nullptr;
    if (p95 && p95->low && p95->high)
      std::printf("TTFT p95 %.2f ms (95%% interval %.2f ... %.2f)\n", p95->value, *p95->low, *p95->high);
    return static_cast<int>(exit_code_of(run));
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.advice().c_str());
    return static_cast<int>(error.code());
  }
}
