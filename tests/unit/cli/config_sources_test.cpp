// Options over environment over file over default.
#include <fstream>
#include <regex>

#include "catch.hpp"
#include "cli/options/config_sources.hpp"
#include "parsing.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

std::string option_for(const TemporaryFile& file) { return "--config " + file.path(); }

}  // namespace

TEST_CASE("config sources: options win over the environment, which wins over the file") {
  const TemporaryFile file("concurrency = 2\noutput-tokens = 2\ninput_tokens = 2\n");
  const Variables variables{{"INFERMETER_CONCURRENCY", "3"}, {"INFERMETER_OUTPUT_TOKENS", "3"}};
  const Plan plan = plan_of(option_for(file) + " -c 4", variables);
  CHECK(plan.sweep.points.front().concurrency == 4);
  CHECK(plan.classes.front().answers.output_tokens.sole() == 3);
  CHECK(plan.classes.front().prompts.input_tokens.sole() == 2);
}

TEST_CASE("config sources: a file holds every kind of option") {
  const TemporaryFile file(
      "url = \"http://from-file\"\nrate = 2.5\nduration = \"5s\"\nhttp2 = true\npreflight = false\n"
      "no-save-gaps = true\nheader = [\"A: b\", \"C: d\"]\nlabel = \"k=v\"\nexact-output = "
      "false\nmax-error-rate = 0.1\n");
  const RunRequest request = run_of(words_of("run " + option_for(file)));
  const Plan& plan = request.plan;
  CHECK(plan.targets.front().url == "http://from-file");
  CHECK(plan.sweep.points.front().rate == 2.5);
  CHECK(plan.targets.front().http2);
  CHECK_FALSE(plan.preflight);
  CHECK_FALSE(plan.output.save_gaps);
  CHECK(plan.targets.front().headers.size() == 2);
  CHECK(plan.output.labels.size() == 1);
  CHECK(plan.classes.front().answers.exact_output == false);
  CHECK(plan.max_error_rate == 0.1);
}

TEST_CASE("config sources: the environment may name the file, the simulator and flags") {
  const TemporaryFile file("seed = 9\n");
  CHECK(plan_of("", {{"INFERMETER_CONFIG", file.path()}}).sweep.points.front().seed == 9);
  CHECK(run_of(words_of("run"), {{"INFERMETER_SIM", "true"}}).plan.simulator.has_value());
  CHECK_FALSE(run_of("", {{"INFERMETER_SIM", "false"}}).plan.simulator.has_value());
  CHECK(plan_of("", {{"INFERMETER_HTTP2", "1"}}).targets.front().http2);
  CHECK_FALSE(plan_of("--no-http2", {{"INFERMETER_HTTP2", "1"}}).targets.front().http2);
  CHECK(plan_of("", {{"INFERMETER_HEADER", "A: b\nC: d"}}).targets.front().headers.size() == 2);
  CHECK(plan_of("", {{"INFERMETER_MAX_CONCURRENCY", "5"}}).sweep.points.front().concurrency == 5);
}

TEST_CASE("config sources: a higher source also overrules what excludes its option") {
  const TemporaryFile open("rate = 5\narrival = \"gamma:2\"\nmax-in-flight = 8\non-cap = \"drop\"\n");
  CHECK_FALSE(plan_of(option_for(open) + " -c 4").sweep.points.front().open_loop());
  const TemporaryFile closed("concurrency = 32\n");
  CHECK(plan_of(option_for(closed) + " --rate 5").sweep.points.front().open_loop());
  const TemporaryFile remote("url = \"http://h\"\n");
  CHECK(run_of(words_of("run --sim " + option_for(remote))).plan.simulator.has_value());
  const TemporaryFile simulated("sim = true\nfault = \"429\"\n");
  CHECK_FALSE(run_of(option_for(simulated)).plan.simulator.has_value());
}

TEST_CASE("config sources: stages overrule a file's number of requests") {
  const TemporaryFile file("requests = 400\nconcurrency = 8\n");
  const Load load = plan_of(option_for(file) + " --stages 9s:2,9s:2").sweep.points.front();
  CHECK_FALSE(load.requests.has_value());
  CHECK(load.concurrency == 2);
  CHECK(plan_of("--rate 1 --stages 9s:2,9s:2 -n 7").sweep.points.front().requests == 7u);
}

TEST_CASE("config sources: an unknown name in a file is named with its line and the nearest one") {
  CHECK(error_of_file("rate = 5\nconcurency = 8\n") ==
        ":2: unknown name 'concurency'; did you mean concurrency?");
  CHECK(error_of_file("vus = 8\n") == ":1: unknown name 'vus': use -c N (--concurrency)");
  CHECK(error_of_file("help = true\n") == ":1: help: stands on the command line only");
  CHECK(error_of_file("[load]\nrate = 2\n") ==
        ":1: unknown name 'load' | infermeter run --help lists the options.");
  CHECK(error_of_file("http2 = { a = 1 }\n").starts_with(":1: 'http2' is a table; every option stands at"));
}

TEST_CASE("config sources: an option under two of its names in one file is an error") {
  CHECK(error_of_file("isl = 5\ninput_tokens = 6\n") == ":2: input-tokens is the same as isl in line 1");
}

TEST_CASE("config sources: arrays are lists and values between commas, tables are headers and JSON") {
  const TemporaryFile file(
      "concurrency = [1, 8]\nturns = [2, 6]\nslo = [\"ttft<1s\", \"tpot<50ms\"]\n"
      "headers = { X-Team = \"red\" }\nextra_body = { top_k = 5 }\ntools = [{ type = \"function\" }]\n");
  const Plan plan = plan_of(option_for(file));
  CHECK(plan.sweep.points.size() == 2);
  CHECK(plan.classes.front().prompts.turns.b == 6);
  CHECK(plan.classes.front().slos.size() == 2);
  CHECK(plan.targets.front().headers[0] == Header("X-Team", "red"));
  CHECK(plan.classes.front().answers.extra_body == "{\"top_k\":5}");
  CHECK(plan.classes.front().answers.tools == "[{\"type\":\"function\"}]");
}

TEST_CASE("config sources: a wrong value in a file is named with its line") {
  CHECK(error_of_file("\nconcurrency = 0\n") == ":2: concurrency: '0' is not in 1 … 100,000");
  CHECK(error_of_file("duration = 30\n") ==
        ":1: duration: '30' is not a duration such as 250ms, 30s, 1.5m or 2h");
  CHECK(error_of_file("seed = [1, 2]\n") == ":1: seed: takes one value, not 2");
  CHECK(error_of_file("http2 = \"maybe\"\n") == ":1: http2: 'maybe' is neither true nor false");
  CHECK(error_of_file("config = \"other.toml\"\n") == ":1: a configuration file cannot name another one");
}

TEST_CASE("config sources: a key in a file is refused and not repeated") {
  const std::string error = error_of_file("api-key = \"s3cr3t\"\n");
  CHECK(error.starts_with(":1: api-key does not exist"));
  CHECK(error.find("s3cr3t") == std::string::npos);
}

TEST_CASE("config sources: a file without a url says in one line where it is given") {
  const TemporaryFile file("name = \"azure\"\n");
  const std::string path = file.path();
  CHECK(error_of("run --config " + path) ==
        path + " names no url: give it, infermeter run URL --config " + path);
}

TEST_CASE("config sources: help in the environment is refused as such") {
  CHECK(error_of("run http://h", {{"INFERMETER_HELP", "1"}}) ==
        "INFERMETER_HELP: --help stands on the command line only");
}

TEST_CASE("config sources: a misspelt variable is an error, others are none of our business") {
  CHECK(error_of("run http://h", {{"INFERMETER_CONCURENCY", "8"}}) ==
        "unknown variable INFERMETER_CONCURENCY; did you mean INFERMETER_CONCURRENCY?");
  CHECK(error_of("run http://h", {{"CONCURENCY", "8"}}) == "no error");
}

TEST_CASE("config sources: the project's own variables do not break its commands") {
  const Variables own{{"INFERMETER_FORMATS", "junit"},
                      {"INFERMETER_BUILD", "true"},
                      {"INFERMETER_POINT_NUMBER", "2"},
                      {"INFERMETER_POINT_LOAD", "concurrency 8"},
                      {"INFERMETER_POINT_URL", "http://h"}};
  CHECK(run_of("", own).warnings.empty());
  CHECK(error_of("gate --baseline-url http://a --candidate-url http://b", own) == "no error");
}

TEST_CASE("config sources: an unknown variable that resembles no option is a warning") {
  const auto run = run_of("", {{"INFERMETER_BILLING_ACCOUNT", "7"}});
  CHECK(run.warnings ==
        std::vector<std::string>{"INFERMETER_BILLING_ACCOUNT sets nothing: no option has this name"});
}

TEST_CASE("config sources: every variable that scripts and documents name is known") {
  for (const std::string file :
       {"action.yml", "script/ci-gate", "script/ci-install", "docs/ci.md", "docs/configuration.md"}) {
    std::ifstream in(INFERMETER_SOURCE_DIR "/" + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    REQUIRE_FALSE(text.empty());
    const std::regex variable("INFERMETER_[A-Z0-9_]*[A-Z0-9]");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), variable); it != std::sregex_iterator();
         ++it) {
      INFO(file << ": " << it->str());
      CHECK(unknown_variables(run_options(), {{it->str(), "1"}}).empty());
      CHECK(error_of("run http://h", {{it->str(), "1"}}).find("unknown variable") == std::string::npos);
    }
  }
}
