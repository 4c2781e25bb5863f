// Several targets: their URLs, their own settings, and that no key goes to another target.
#include <filesystem>

#include "catch.hpp"
#include "cli/options/source_file.hpp"
#include "parsing.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

const Variables kKeys{{"OPENAI_API_KEY", "common"}, {"ONE_KEY", "one"}, {"TWO_KEY", "two"}};

Plan plan_of_file(const std::string& content, const std::string& options = "",
                  const Variables& variables = kKeys) {
  const TemporaryFile file(content);
  return run_of(words_of("run --config " + file.path() + " " + options), variables).plan;
}

std::string error_of_targets(const std::string& content) { return error_of_file(content, "run", kKeys); }

}  // namespace

TEST_CASE("targets: several URLs have names, commas part the replicas of one") {
  const Plan plan = run_of(words_of("run a=http://h b=http://i:1,http://i:2?x=y")).plan;
  REQUIRE(plan.targets.size() == 2);
  CHECK(plan.targets[0].name == "a");
  CHECK(plan.targets[1].url == "http://i:1");
  CHECK(plan.targets[1].replicas == std::vector<std::string>{"http://i:2?x=y"});
  CHECK(plan.target_order == TargetOrder::at_once);
}

TEST_CASE("targets: the only URL needs no name, and a query is none") {
  CHECK(run_of(words_of("run http://h/v1?api-version=1")).plan.targets.front().name.empty());
  CHECK(run_of(words_of("run h?a=b")).plan.targets.front().name.empty());
  CHECK(run_of(words_of("run mine=h")).plan.targets.front().name == "mine");
}

TEST_CASE("targets: a block falls back to the top level for what it does not say") {
  const Plan plan = plan_of_file(
      "model = \"common\"\nhttp2 = true\n[[target]]\nname = \"one\"\nurl = \"http://h\"\n"
      "[[target]]\nurls = [\"http://i\", \"http://j\"]\nmodel = \"own\"\nhttp2 = false\ngpus = 2\n"
      "extra_body = { top_k = 1 }\nmax_cost = 3\n",
      "--sequential");
  REQUIRE(plan.targets.size() == 2);
  CHECK(plan.target_order == TargetOrder::sequential);
  CHECK(plan.targets[0].model == "common");
  CHECK(plan.targets[0].http2);
  CHECK(plan.targets[0].extra_body.empty());
  CHECK(plan.targets[1].name == "i");
  CHECK(plan.targets[1].replicas.size() == 1);
  CHECK(plan.targets[1].model == "own");
  CHECK_FALSE(plan.targets[1].http2);
  CHECK(plan.targets[1].gpus == 2);
  CHECK(plan.targets[1].extra_body == "{\"top_k\":1}");
  CHECK(plan.targets[1].max_cost == 3.0);
}

TEST_CASE("targets: the command line wins over a block, and its URL replaces all blocks") {
  const std::string file = "[[target]]\nurl = \"http://h\"\nmodel = \"own\"\n";
  CHECK(plan_of_file(file, "--model typed").targets.front().model == "typed");
  const Plan plan = plan_of_file(file, "http://other");
  CHECK(plan.targets.size() == 1);
  CHECK(plan.targets.front().url == "http://other");
  CHECK(plan.targets.front().model.empty());
  CHECK(plan_of_file(file, "--sim").targets.front().url.empty());
}

TEST_CASE("targets: each key goes to its own target only") {
  const Plan plan = plan_of_file(
      "[[target]]\nurl = \"http://h\"\napi_key_env = \"ONE_KEY\"\n"
      "[[target]]\nurl = \"http://i\"\napi_key_env = \"TWO_KEY\"\n[[target]]\nurl = \"http://j\"\n");
  CHECK(plan.targets[0].api_key == "one");
  CHECK(plan.targets[1].api_key == "two");
  CHECK(plan.targets[2].api_key.empty());
}

TEST_CASE("targets: a key that reaches none of several hosts is a warning, with what sends it") {
  const auto warnings = [](const std::string& options) {
    return run_of(words_of("run ours=http://localhost:8000 theirs=https://api.example.com/v1 " + options),
                  kKeys)
        .warnings;
  };
  CHECK(
      warnings("") ==
      std::vector<std::string>{
          "OPENAI_API_KEY is sent to none of several hosts: --api-key-env OPENAI_API_KEY sends it to all of "
          "them, api_key_env in a [[target]] of --config to one"});
  CHECK(warnings("--api-key-env OPENAI_API_KEY").empty());
  CHECK(run_of(words_of("run a=http://h:1 b=http://h:2"), kKeys).warnings.empty());
  CHECK(run_of(words_of("run a=http://h b=http://i"), {}).warnings.empty());
}

TEST_CASE("targets: OPENAI_API_KEY is not sent to several hosts unless it is named") {
  CHECK(run_of(words_of("run a=http://h b=http://i"), kKeys).plan.targets[0].api_key.empty());
  CHECK(run_of(words_of("run a=http://h:1 b=http://h:2"), kKeys).plan.targets[1].api_key == "common");
  CHECK(run_of(words_of("run a=http://h b=http://i --api-key-env OPENAI_API_KEY"), kKeys)
            .plan.targets[1]
            .api_key == "common");
}

TEST_CASE("targets: a block with a key of its own does not send the top level's Authorization") {
  const Plan plan = plan_of_file(
      "headers = { Authorization = \"Bearer other\", X-Team = \"red\" }\n"
      "[[target]]\nurl = \"http://h\"\napi_key_env = \"ONE_KEY\"\n[[target]]\nurl = \"http://i\"\n");
  CHECK(plan.targets[0].api_key == "one");
  CHECK(plan.targets[0].headers == std::vector<Header>{{"X-Team", "red"}});
  CHECK(plan.targets[1].headers.size() == 2);
}

TEST_CASE("targets: a key in its own header is not sent twice") {
  const auto key = [](const std::vector<std::string>& words) {
    return run_of(words, kKeys).plan.targets.front().api_key;
  };
  CHECK(key({"run", "h", "--auth-header", "api-key"}) == "common");
  CHECK(key({"run", "h", "--auth-header", "Api-Key", "-H", "api-key: x"}).empty());
}

TEST_CASE("targets: what is wrong in a block is named with its line and block") {
  CHECK(error_of_targets("[[target]]\nmodel = \"m\"\n") == ":1: [[target]]: needs url, or urls");
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\n[[target]]\nurl = \"http://h\"\n") ==
        ":3: [[target]]: another target is called 'h' too: give each a name");
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\nmodell = \"m\"\n") ==
        ":3: [[target]] unknown name 'modell'; did you mean model?");
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\nduration = \"5s\"\n") ==
        ":3: [[target]] duration applies to the whole run: put it at the top level");
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\ngpus = 0\n") ==
        ":3: [[target]] gpus: '0' is not in 1 … 1,000,000");
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\nurls = \"http://i\"\n") ==
        ":3: [[target]] urls is the same as url in line 2");
  CHECK(error_of_targets("url = \"http://h\"\n[[target]]\nurl = \"http://i\"\n")
            .starts_with(":2: [[target]] and "));
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\napi_key = \"s3cr3t\"\n")
            .starts_with(":3: [[target]] api-key does not exist"));
}

TEST_CASE("targets: a price by the hour beside one by the token is refused within a block") {
  CHECK(error_of_targets("[[target]]\nurl = \"http://h\"\nprice_input = 1\nprice_per_hour = 5\n")
            .starts_with(":3: [[target]] price-input and "));
}

TEST_CASE("targets: a block paid by the hour is not charged the top level's price by the token") {
  const Prices prices = plan_of_file("price_output = 1\n[[target]]\nurl = \"http://h\"\nprice_per_hour = 5\n")
                            .targets[0]
                            .prices;
  CHECK(prices.per_hour == 5.0);
  CHECK_FALSE(prices.output_per_million.has_value());
}

TEST_CASE("targets: every file of configs/vendors is a configuration file") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(INFERMETER_SOURCE_DIR "/configs/vendors")) {
    const std::string path = entry.path().string();
    CAPTURE(path);
    const Values top = read_source(path).top;
    const std::string url = top.given("url") ? "" : " http://h";
    const Plan plan = run_of(words_of("run --config " + path + url), {{top.text("api-key-env"), "key"}}).plan;
    CHECK(plan.targets.front().api_key == "key");
    ++files;
  }
  CHECK(files > 20);
}

TEST_CASE("targets: a file of facts about a server is a configuration file") {
  const Plan plan = plan_of_file(
      "verified = false\nname = \"v\"\ndescription = \"a vendor\"\nurl = \"https://api.example.com/v1\"\n"
      "api_key_env = \"ONE_KEY\"\n[facts]\nusage = \"last event\"\n");
  CHECK(plan.targets.front().url == "https://api.example.com/v1");
  CHECK(plan.targets.front().api_key == "one");
}

TEST_CASE("targets: they are compared with the one that --against names, and ranked by --sort") {
  const Plan plan = run_of(words_of("run a=http://h b=http://i c=http://j --against b --sort ttft.p95")).plan;
  CHECK(plan.against == 1);
  CHECK(plan.sort == "ttft.p95");
  CHECK(run_of(words_of("run a=http://h b=http://i")).plan.against == 0);
  CHECK(run_of(words_of("run a=http://h b=http://i --sort output_throughput")).plan.sort ==
        "output_throughput");
}

TEST_CASE("targets: --against takes a target of the run, --sort a figure with its statistic") {
  const std::string two = "run a=http://h b=http://i ";
  CHECK_THROWS_WITH(run_of(words_of(two + "--against c")), "--against: no target is called 'c'");
  CHECK_THROWS_WITH(run_of(words_of(two + "--sort ttft")),
                    "--sort: ttft has many values: say which, as in ttft.p95");
  CHECK_THROWS_WITH(run_of(words_of(two + "--sort tftt.p50")),
                    "--sort: 'tftt' is not a metric; did you mean 'ttft'?");
  CHECK_THROWS_WITH(run_of(words_of("run http://h --sort ttft.p50")), "--sort needs several targets");
}
