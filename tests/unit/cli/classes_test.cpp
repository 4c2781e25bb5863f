// [[class]] blocks: kinds of traffic that run together.
#include "catch.hpp"
#include "parsing.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

std::vector<TrafficClass> classes_of_file(const std::string& content, const std::string& options = "") {
  const TemporaryFile file(content);
  return plan_of("--config " + file.path() + " " + options).classes;
}

}  // namespace

TEST_CASE("classes: without blocks there is one, without a name, of the whole load") {
  const auto classes = plan_of("").classes;
  REQUIRE(classes.size() == 1);
  CHECK(classes[0].name.empty());
  CHECK(classes[0].share == 1);
  CHECK_FALSE(classes[0].own_loop());
}

TEST_CASE("classes: a block falls back to the top level for what it does not say") {
  const auto classes = classes_of_file(
      "input_tokens = 100\nslo = \"ttft<1s\"\nmodel = \"m\"\n"
      "[[class]]\nname = \"chat\"\nshare = \"70%\"\noutput_tokens = 50\n"
      "[[class]]\nname = \"long\"\nshare = 0.3\ninput_tokens = \"4k\"\nmodel = \"lora\"\n"
      "headers = { X-Class = \"long\" }\nslo = [\"ttft<5s\", \"tpot<50ms\"]\n");
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].name == "chat");
  CHECK(classes[0].share == 0.7);
  CHECK(classes[0].prompts.input_tokens.sole() == 100);
  CHECK(classes[0].answers.output_tokens.sole() == 50);
  CHECK(classes[0].model.empty());
  CHECK(classes[0].slos.size() == 1);
  CHECK(classes[1].prompts.input_tokens.sole() == 4000);
  CHECK(classes[1].answers.output_tokens.sole() == 128);
  CHECK(classes[1].model == "lora");
  CHECK(classes[1].headers == std::vector<Header>{{"X-Class", "long"}});
  CHECK(classes[1].slos.size() == 2);
}

TEST_CASE("classes: a rate or a concurrency of its own is beside the common load") {
  const TemporaryFile file(
      "concurrency = 8\n[[class]]\nname = \"heavy\"\n[[class]]\nname = \"open\"\nrate = 2\n"
      "[[class]]\nname = \"probe\"\nprobe = true\n");
  const Plan plan = plan_of("--config " + file.path());
  CHECK(plan.sweep.points.front().concurrency == 8);
  CHECK(plan.classes[1].rate == 2.0);
  CHECK(plan.classes[2].probe);
  CHECK(plan.classes[2].concurrency == 1u);
}

TEST_CASE("classes: what an option needs may stand in the block or above it") {
  const auto classes = classes_of_file(
      "think_time = \"1s\"\n[[class]]\nname = \"talk\"\nturns = 3\n[[class]]\nname = \"talk2\"\nturns = 4\n");
  CHECK(classes[0].prompts.think_time.a == 1000);
  CHECK(error_of_file("think_time = \"1s\"\n[[class]]\nname = \"a\"\nturns = 3\n[[class]]\nname = \"b\"\n") ==
        ":1: think-time needs --turns or --workload");
}

TEST_CASE("classes: prompts of a block replace the synthetic ones of the top level") {
  const auto classes = classes_of_file("input_tokens = 100\n[[class]]\nname = \"own\"\nprompt = \"Hello\"\n");
  CHECK(classes[0].prompts.prompts == std::vector<std::string>{"Hello"});
}

TEST_CASE("classes: what the run's load does not go with is refused in a block, too") {
  const std::string file = INFERMETER_TEST_DATA "/workloads/mooncake.jsonl";
  const std::string shaped =
      error_of_file("shape = \"1k/8\"\n[[class]]\nname = \"a\"\nworkload = \"" + file + "\"\n");
  CHECK(shaped.starts_with(":1: shape and "));
  CHECK(shaped.find(":4: [[class]] workload exclude each other") != std::string::npos);
  const std::string capped = "rate = 5\nmax-in-flight = 8\n[[class]]\nname = \"a\"\nturns = 3\n";
  CHECK(error_of_file(capped).starts_with(":2: max-in-flight and "));
  CHECK(classes_of_file(capped + "probe = true\n").size() == 1);
}

TEST_CASE("classes: what is wrong in a block is named with its line and block") {
  CHECK(error_of_file("[[class]]\nshare = 1\n") == ":1: [[class]]: needs a name");
  CHECK(error_of_file("[[class]]\nname = \"a\"\n[[class]]\nname = \"a\"\n") ==
        ":3: [[class]]: another class is called 'a' too");
  CHECK(error_of_file("[[class]]\nname = \"a\"\nshare = 0\n") ==
        ":1: [[class]]: no class has a share of the load");
  CHECK(error_of_file("[[class]]\nname = \"a\"\nshare = 1\nrate = 2\n") ==
        ":3: [[class]] share: is a share of the common load, but this class has its own load");
  CHECK(error_of_file("[[class]]\nname = \"a\"\nduration = \"5s\"\n") ==
        ":3: [[class]] duration applies to the whole run: put it at the top level");
  CHECK(error_of_file("[[class]]\nname = \"a\"\nrate = 2\nconcurrency = 2\n").find("exclude each other") !=
        std::string::npos);
}
