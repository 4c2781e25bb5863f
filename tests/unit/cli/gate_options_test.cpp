// The options of `gate`: what is compared with what, and by which rule.
#include "catch.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

GateRequest gate_of(const std::string& line) { return invoked(gate_request, words_of("gate " + line)); }

const std::string kLive = "--baseline-url http://a --candidate-url http://b ";

}  // namespace

TEST_CASE("gate: two URLs are the two targets of a run in pairs, each pair with a seed of its own") {
  const GateRequest gate = gate_of(kLive + "-c 8 -n 64");
  CHECK(gate.kind == GateKind::live);
  const Plan& plan = gate.run.plan;
  REQUIRE(plan.targets.size() == 2);
  CHECK(plan.targets[0].name == "baseline");
  CHECK(plan.targets[1].url == "http://b");
  CHECK(plan.target_order == TargetOrder::pairs);
  REQUIRE(plan.sweep.points.size() == 33);  // sixteen, and as many again that may be set aside
  CHECK(plan.sweep.points[2].seed == 3);
  CHECK(plan.sweep.points[2].run == 3);
  CHECK(plan.sweep.points[2].requests == 64u);
}

TEST_CASE("gate: without a length each run takes 15 seconds, with commands 30") {
  CHECK(gate_of(kLive).run.plan.sweep.points[0].duration == 15s);
  CHECK(gate_of("--baseline-cmd x --candidate-cmd y").run.plan.sweep.points[0].duration == 30s);
}

TEST_CASE("gate: commands are looked for at port 8000 of this machine unless a URL says where") {
  const GateRequest gate = gate_of("--baseline-cmd x --candidate-cmd y --candidate-url http://h:9");
  CHECK(gate.kind == GateKind::commands);
  CHECK(gate.run.plan.targets[0].url == "http://localhost:8000");
  CHECK(gate.run.plan.targets[1].url == "http://h:9");
  CHECK(gate.run.plan.sweep.blocks == 3);
  CHECK(gate.run.plan.wait_ready == 20min);
}

TEST_CASE("gate: --log-limit is a size, 64 MB unless given") {
  CHECK(gate_of("--baseline-cmd x --candidate-cmd y").log_limit == 64'000'000);
  CHECK(gate_of("--baseline-cmd x --candidate-cmd y --log-limit 1MiB").log_limit == 1'048'576);
  CHECK(error_of("gate --baseline-cmd x --candidate-cmd y --log-limit 1k") ==
        "--log-limit: '1k' is under 4 kB");
  CHECK(error_of("gate --baseline-cmd x --candidate-cmd y --log-limit much") ==
        "--log-limit: 'much' is not a size such as 64MB, 1.5GB or 512KiB");
}

TEST_CASE("gate: all folders behind --baseline are the baseline's where --candidate stands too") {
  const GateRequest gate = gate_of("--baseline b1 b2 --force --candidate c1 c2 c3");
  CHECK(gate.kind == GateKind::saved);
  CHECK(gate.baseline == std::vector<std::string>{"b1", "b2"});
  CHECK(gate.candidate == std::vector<std::string>{"c1", "c2", "c3"});
  CHECK(gate.rule.forced);
}

TEST_CASE("gate: without --candidate only the folder behind --baseline is the baseline's") {
  const GateRequest gate = gate_of("--baseline b1 --baseline b2 c1");
  CHECK(gate.baseline == std::vector<std::string>{"b1", "b2"});
  CHECK(gate.candidate == std::vector<std::string>{"c1"});
  CHECK(
      error_of("gate --baseline b1 b2 c1").starts_with("gate: is 'b2' of the baseline or of the candidate?"));
}

TEST_CASE("gate: the effects of a tail are twice as wide, unless a metric says its own") {
  const GateRule rule =
      gate_of(kLive + "--min-effect 3% --metric ttft.p50,ttft.p95,e2e.p50:10%/30%,request_throughput:4%")
          .rule;
  REQUIRE(rule.metrics.size() == 4);
  CHECK(rule.metrics[0].least == Approx(0.03));
  CHECK(rule.metrics[0].most == Approx(0.06));
  CHECK(rule.metrics[1].least == Approx(0.06));
  CHECK(rule.metrics[2].most == Approx(0.30));
  CHECK(rule.metrics[3].statistic.empty());
  CHECK(rule.metrics[3].most == Approx(0.08));
}

TEST_CASE("gate: a budget leaves as many pairs as still have runs of ten seconds") {
  const auto pairs = [](const std::string& time) {
    return gate_of(kLive + "--budget " + time).rule.looks.back();
  };
  const auto run = [](const std::string& time) {
    return gate_of(kLive + "--budget " + time).run.plan.sweep.points[0].duration;
  };
  CHECK(pairs("20m") == 16);
  CHECK(run("20m") == 34500ms);
  CHECK(pairs("4m") == 8);
  CHECK(pairs("2m") == 6);
  CHECK(run("2m") == 7s);
  CHECK(error_of("gate " + kLive + "--budget 30s") ==
        "--budget: 30 s is too short for 6 pairs of runs; 60 s is enough");
}

TEST_CASE("gate: a budget allows for the warm-up of an open loop and with the start of a command") {
  const auto run_of = [](const std::string& line) { return gate_of(line).run.plan.sweep.points[0].duration; };
  CHECK(run_of(kLive + "--budget 4m") == 12s);
  CHECK(run_of(kLive + "--rate 5 --budget 4m") == 13s);
  CHECK(run_of("--baseline-cmd x --candidate-cmd y --budget 8m") == 7s);
}

TEST_CASE("gate: --max-pairs beyond sixteen has looks on the way") {
  CHECK(gate_of(kLive + "--max-pairs 24").rule.looks == std::vector<std::uint32_t>{6, 8, 10, 12, 16, 20, 24});
}

TEST_CASE("gate: --aa measures one server against itself") {
  const GateRequest gate = gate_of("--aa http://h");
  CHECK(gate.aa);
  CHECK(gate.run.plan.targets[0].url == gate.run.plan.targets[1].url);
  CHECK(gate.rule.looks.back() == 10);
  CHECK(gate_of("--aa --sim").run.plan.targets.size() == 2);
}

TEST_CASE("gate: the command line that is kept holds no key of the servers' commands") {
  const GateRequest request =
      invoked(gate_request, {"gate", "--baseline-cmd", "vllm serve m --api-key abc --port 1",
                             "--candidate-cmd", "HF_TOKEN=abc vllm serve m"});
  const std::string& shown = request.run.plan.command_line;
  CHECK(shown.find("abc") == std::string::npos);
  CHECK(shown.find("vllm serve m --api-key **** --port 1") != std::string::npos);
}

TEST_CASE("gate: the facts of --vendor are those of both servers") {
  const auto targets =
      gate_of("--baseline-url http://h --candidate-url http://i --vendor cohere").run.plan.targets;
  REQUIRE(targets.size() == 2);
  for (const auto& target : targets)
    CHECK(target.facts.refused == std::vector<std::string>{"stream_options"});
  CHECK(targets[1].url == "http://i");
}

TEST_CASE("gate: what cannot be judged is refused with an example of each kind of gate") {
  const auto first_line = [](const std::string& line) {
    const std::string error = error_of("gate " + line);
    return error.substr(0, error.find(" | "));
  };
  CHECK(first_line("") == "gate: nothing to compare or check");
  CHECK(first_line("--baseline-url http://a") ==
        "gate: a server to compare with is missing: --candidate-url");
  CHECK(first_line("--baseline-cmd x") == "gate: --candidate-cmd is missing: each side is started in turn");
  CHECK(first_line("--baseline a --baseline-url http://a b") ==
        "--baseline and --baseline-url exclude each other");
  CHECK(first_line("dir") == "gate: nothing to check the result against: give --assert or --baseline");
  CHECK(first_line("a b --assert ok>1") == "gate: 2 results and no --baseline");
  CHECK(first_line("--baseline http://a c") == "--baseline: 'http://a' is a URL, not a folder of results");
  CHECK(first_line(kLive + "-c 1,2") == "gate: 2 loads are a sweep; a gate has one");
  CHECK(first_line(kLive + "--max-pairs 5") == "--max-pairs: '5' is not in 6 … 200");
  CHECK(first_line(kLive + "--min-effect 20% --max-effect 10%") ==
        "--max-effect: 10% is below 20% of --min-effect");
  CHECK(first_line("--baseline-cmd x --candidate-cmd y --budget 40s -d 30s") ==
        "--budget: '40s' is too short for 6 pairs of runs of 30 s");
  CHECK(first_line("--baseline-cmd x --candidate-cmd y --budget 40s -n 30") == "no error");
  CHECK(first_line(kLive + "--budget 20m -n 3") == "--budget and --requests exclude each other");
  CHECK(first_line("--sim") == "gate: compares two servers, and there is 1");
  CHECK(first_line(kLive + "--shard 0/2") == "unknown option --shard");
  CHECK(first_line("a --assert ok>1 --format vllm").starts_with("--format: 'vllm' is made of"));
  CHECK(first_line(kLive + "--runs 3") == "unknown option --runs");
}
