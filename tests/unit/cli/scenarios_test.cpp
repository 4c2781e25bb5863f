// The built-in scenarios, and how the user's options override a scenario.
#include "cli/scenarios.hpp"

#include <fstream>
#include <set>

#include "catch.hpp"
#include "cli/embedded_files.hpp"
#include "cli/run.hpp"
#include "parsing.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

Plan scenario(const std::string& name, const std::string& options = "") {
  return plan_of("--scenario " + name + " " + options);
}

}  // namespace

TEST_CASE("scenarios: all eight are built in, each with a description, SLOs and a short form") {
  std::set<std::string> names;
  for (const auto& file : scenario_files()) {
    CAPTURE(std::string(file.name));
    names.emplace(file.name);
    const Source source = find_scenario(std::string(file.name));
    CHECK_FALSE(source.description.empty());
    CHECK(source.description.size() <= 72);
    CHECK(source.has_quick);
    const Plan plan = scenario(std::string(file.name));
    CHECK(plan.scenario == file.name);
    CHECK_FALSE(plan.classes.front().slos.empty());
  }
  CHECK(names == std::set<std::string>{"agent", "batch", "chat", "context-sweep", "ghost-text",
                                       "prompt-cache", "reasoning", "voice"});
}

TEST_CASE("scenarios: each makes its first request, long and short") {
  for (const auto& file : scenario_files()) {
    for (const std::string quick : {"", " --quick"}) {
      CAPTURE(std::string(file.name), quick);
      const auto request = run_of(words_of("run --sim --scenario " + std::string(file.name) + quick));
      CHECK(dry_run_text(request.plan).find("Body of the first request\n{") != std::string::npos);
    }
  }
}

TEST_CASE("scenarios: the short form stands over the scenario, and the command line over both") {
  CHECK(scenario("batch").sweep.points.front().requests == 100'000u);
  CHECK(scenario("batch").sweep.points.front().concurrency == 256);
  CHECK(scenario("batch", "--quick").sweep.points.front().requests == 256u);
  CHECK(scenario("batch", "--quick -n 5").sweep.points.front().requests == 5u);
  CHECK(scenario("chat", "-c 4").sweep.points.front().concurrency == 4);
  CHECK(scenario("context-sweep").sweep.points.size() == 7);
}

TEST_CASE("scenarios: a configuration file stands over the scenario") {
  const TemporaryFile file("concurrency = 3\n[quick]\nrequests = 7\n");
  CHECK(scenario("batch", "--config " + file.path()).sweep.points.front().concurrency == 3);
  CHECK(scenario("batch", "--quick --config " + file.path()).sweep.points.front().requests == 7u);
}

TEST_CASE("scenarios: faults of a short form are the simulator's, a server gets none") {
  CHECK(run_of(words_of("run --sim --quick --scenario reasoning")).plan.simulator->faults.size() == 1);
  CHECK_FALSE(run_of(words_of("run http://h --quick --scenario reasoning")).plan.simulator.has_value());
  CHECK(run_of(words_of("run --sim --scenario reasoning")).plan.simulator->faults.empty());
}

TEST_CASE("scenarios: a file of the user's own may be one, and is called by its name") {
  const TemporaryFile file("concurrency = 5\n");
  const std::string path = file.path().find('/') == std::string::npos ? "./" + file.path() : file.path();
  const Plan plan = scenario(path);
  CHECK(plan.sweep.points.front().concurrency == 5);
  CHECK(plan.scenario == path.substr(path.rfind('/') + 1));
  CHECK(scenario_name("a/b/night.toml") == "night");
}

TEST_CASE("scenarios: the list shows how each is run, a name shows its file") {
  const std::string list = scenarios_text("");
  CHECK(list.find("chat            people in a chat") != std::string::npos);
  CHECK(list.find("infermeter run URL --scenario chat\n") != std::string::npos);
  CHECK(scenarios_text("voice").find("[quick]\n") != std::string::npos);
  CHECK_THROWS_AS(scenarios_text("voices"), UsageError);
  CHECK(invoked(scenarios_request, words_of("scenarios voice")) == "voice");
}

TEST_CASE("scenarios: the sample configurations are good ones") {
  for (const std::string name : {"batch", "chat", "long-context"}) {
    CAPTURE(name);
    CHECK_NOTHROW(plan_of("--config " INFERMETER_SOURCE_DIR "/configs/" + name + ".toml"));
  }
}
