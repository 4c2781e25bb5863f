#include "catch.hpp"
#include "parsing.hpp"
#include "run/plan_hash.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

std::string hash(const std::string& options) { return workload_hash(plan_of(options)); }

decltype(Workload::options) options_of(const std::string& options) {
  const Plan plan = plan_of(options);
  return request_options(plan, plan.classes.front());
}

}  // namespace

TEST_CASE("workload hash: a saved result stays comparable, and resumable, in later versions") {
  CHECK(plan_hash(plan_of("-n 2")) == "1ae07bd23ac949db");
  CHECK(workload_hash(plan_of("-n 2")) == "b6e1ed250487eebd");
}

TEST_CASE("workload hash: options that make requests other ones change it") {
  for (const auto* options : {"--turns 3",
                              "--turns 3 --think-time 2s",
                              "--shared-prefix-tokens 3800",
                              "--shared-prefix-tokens 9 --prefix-groups 2",
                              "--shared-prefix-tokens 9 --prime",
                              "--prompt-reuse 4",
                              "--system-prompt Hello",
                              "--system-prompt Howdy",
                              "--reasoning-effort low",
                              "--thinking off",
                              "--tools [{}]",
                              "--json-mode",
                              "--choices 2",
                              "--logprobs 1",
                              "--images 1",
                              "--batch-size 2",
                              "--fresh-connections",
                              "--http2",
                              "--timestamps user",
                              "--cancel-after 20",
                              "--prompt Hello",
                              "--input-tokens 1k"}) {
    INFO(options);
    CHECK(hash(options) != hash(""));
  }
  CHECK(hash("--system-prompt Hello") != hash("--system-prompt Howdy"));
}

TEST_CASE("workload hash: who is asked, seeds, nonces, loads and SLOs do not change it") {
  for (const auto* options :
       {"--model m", "--seed 2", "--nonce mine", "-c 8", "-n 10", "--rate 3", "--slo ttft<500ms",
        "--endpoint completions", "--exact-output", "--turns 1", "--label a=b", "--shard 0/2 -c 8"}) {
    INFO(options);
    CHECK(hash(options) == hash(""));
  }
}

TEST_CASE("workload hash: one target has that of several which are reached alike") {
  Plan plan = plan_of("");
  plan.targets.push_back(plan.targets.front());
  plan.targets.back().name = "b";
  CHECK(workload_hash(plan) == hash(""));
  plan.targets.back().fresh_connections = true;
  CHECK(workload_hash(plan) != hash(""));
}

TEST_CASE("request options: only what is not the default is kept, long texts by their size") {
  CHECK(options_of("--turns 1 --think-time 0 --thinking unsaid --images 0").empty());
  CHECK(options_of("--turns 2,5 --think-time 2s --system-prompt Hello --thinking off --timestamps user "
                   "--cancel-after 150ms --cancel-share 20%") ==
        decltype(Workload::options){{"cancel-after", "150 ms"},
                                    {"cancel-share", "20%"},
                                    {"system-prompt", "5 bytes"},
                                    {"turns", "uniform:2,5"},
                                    {"think-time", "2s"},
                                    {"thinking", "off"},
                                    {"timestamps", "user"}});
}
