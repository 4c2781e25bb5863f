// --vendor and several --config: whose word counts, which key goes where, and what is said about it.
#include "cli/options/vendors.hpp"
#include "catch.hpp"
#include "cli/embedded_files.hpp"
#include "model/target_url.hpp"
#include "parsing.hpp"
#include "run/plan_hash.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

const Variables kVendorKeys{{"GROQ_API_KEY", "groq"}, {"CEREBRAS_API_KEY", "cerebras"}, {"OWN_KEY", "own"}};

RunRequest run_with(const std::string& line, const Variables& variables = kVendorKeys) {
  return run_of(words_of("run " + line), variables);
}

Target target_with(const std::string& line) { return run_with(line).plan.targets.front(); }

std::string error_with(const std::string& line) { return error_of("run " + line, kVendorKeys); }

}  // namespace

TEST_CASE("vendors: each of them is found by its name and shapes a whole body") {
  CHECK(vendor_files().size() > 20);
  for (const auto& file : vendor_files()) {
    const std::string name(file.name);
    CAPTURE(name);
    const Source source = find_vendor("--vendor", name);
    REQUIRE(source.facts);
    CHECK(source.facts->known.vendor == name);
    CHECK_FALSE(source.facts->known.limit_field.empty());
    CHECK(source.top.given("url") == source.facts->url_example.empty());
    const std::string url = source.top.given("url") ? "" : source.facts->url_example + " ";
    const RunRequest run = run_with(url + "--vendor " + name + " --thinking off -n 5",
                                    {{source.top.text("api-key-env"), "key"}});
    const Target& target = run.plan.targets.front();
    CHECK(target.api_key == "key");
    CHECK(resolve_target_url(target.url, target.endpoint, {}).request_url().starts_with("http"));
    const std::string text = dry_run_text(run.plan);
    CHECK(text.find('"' + source.facts->known.limit_field + "\":128") != std::string::npos);
    for (const auto& field : source.facts->known.refused) {
      CAPTURE(field);
      CHECK(text.find('"' + field + '"') == std::string::npos);
    }
  }
}

TEST_CASE("vendors: a name gives URL, key and facts") {
  const Target target = target_with("--vendor groq --model m");
  CHECK(target.url == "https://api.groq.com/openai/v1");
  CHECK(target.api_key == "groq");
  CHECK(target.facts.limit_field == "max_completion_tokens");
  CHECK(target.facts.refused == std::vector<std::string>{"n", "logprobs", "top_logprobs", "logit_bias"});
  CHECK(target.facts.endpoint == Endpoint::chat);
}

TEST_CASE("vendors: what the user says wins over the vendor's file") {
  CHECK(target_with("http://h --vendor groq").url == "http://h");
  CHECK(target_with("--url http://h --vendor groq").facts.vendor == "groq");
  CHECK(target_with("--vendor groq --api-key-env OWN_KEY").api_key == "own");
  const Target completions = target_with("http://h/v1/completions --vendor groq");
  CHECK(resolve_target_url(completions.url, completions.endpoint, {}).endpoint == Endpoint::completions);
  const TemporaryFile file("url = \"http://i\"\napi_key_env = \"OWN_KEY\"\n");
  const Target target = target_with("--vendor groq --config " + file.path());
  CHECK(target.url == "http://i");
  CHECK(target.api_key == "own");
}

TEST_CASE("vendors: an unknown one is an error in one line with the near names") {
  CHECK(error_with("--vendor grok") == "--vendor: no vendor is called 'grok'; did you mean groq?");
  CHECK(error_with("--vendor openia") == "--vendor: no vendor is called 'openia'; did you mean openai?");
  CHECK(error_with("--vendor responses") ==
        "--vendor: no vendor is called 'responses'; did you mean openai-responses?");
  CHECK(
      error_with("--vendor zzz")
          .starts_with("--vendor: no vendor is called 'zzz' | known: alibaba, anthropic, azure, cerebras, "));
  CHECK(error_of_file("[[target]]\nvendor = \"grok\"\n", "run")
            .starts_with(":2: [[target]] vendor: no vendor is called 'grok'; did you mean groq?"));
}

TEST_CASE("vendors: one without a URL says how to give it") {
  CHECK(error_with("--vendor azure") ==
        "azure has a URL of your own: infermeter run https://RESOURCE.openai.azure.com/openai/v1 --vendor "
        "azure");
  CHECK(error_of_file("[[target]]\nvendor = \"databricks\"\n", "run") ==
        ":1: [[target]]: databricks has a URL of your own: url = "
        "\"https://WORKSPACE.databricks.com/serving-endpoints\"");
  const std::string path = INFERMETER_SOURCE_DIR "/configs/vendors/foundry-local.toml";
  CHECK(error_with("--config " + path) ==
        "foundry-local has a URL of your own: infermeter run http://localhost:5272/v1 --config " + path);
}

TEST_CASE("vendors: a block takes one, and keeps what it says itself") {
  const TemporaryFile file(
      "[[target]]\nvendor = \"groq\"\nmodel = \"a\"\nlabel = \"LPU\"\nregion = \"us-east\"\n"
      "[[target]]\nvendor = \"cerebras\"\nname = \"second\"\nurl = \"http://gateway\"\nmodel = \"b\"\n"
      "[[target]]\nurl = \"http://ours\"\n");
  const auto targets = run_with("--config " + file.path()).plan.targets;
  REQUIRE(targets.size() == 3);
  CHECK(targets[0].url == "https://api.groq.com/openai/v1");
  CHECK(targets[0].name == "api.groq.com");
  CHECK(targets[0].label == "LPU");
  CHECK(targets[0].region == "us-east");
  CHECK(targets[0].api_key == "groq");
  CHECK(targets[1].url == "http://gateway");
  CHECK(targets[1].api_key == "cerebras");
  CHECK(targets[1].facts.vendor == "cerebras");
  CHECK(targets[2].facts.vendor.empty());
  CHECK(targets[2].api_key.empty());
  CHECK(error_of_file("vendor = [\"groq\", \"openai\"]\n[[target]]\nurl = \"http://h\"\n", "run")
            .starts_with(":1: vendor: 2 vendors of one target"));
}

TEST_CASE("vendors: several are several targets, each with its own key") {
  const Plan plan = run_with("--vendor groq --vendor cerebras --model m").plan;
  REQUIRE(plan.targets.size() == 2);
  CHECK(plan.targets[0].name == "groq");
  CHECK(plan.targets[0].api_key == "groq");
  CHECK(plan.targets[1].name == "cerebras");
  CHECK(plan.targets[1].url.find("cerebras") != std::string::npos);
  CHECK(plan.targets[1].api_key == "cerebras");
  CHECK(plan.targets[1].model == "m");
  const Plan own = run_with("vllm=http://gpu:8000 --vendor vllm,groq").plan;
  REQUIRE(own.targets.size() == 2);
  CHECK(own.targets[0].url == "http://gpu:8000");
  CHECK(own.targets[0].api_key.empty());
  CHECK(own.targets[1].url == "https://api.groq.com/openai/v1");
  CHECK(error_with("http://h --vendor groq --vendor cerebras")
            .starts_with("URL: with several --vendor each URL is named after one of them, groq=URL"));
  CHECK(error_with("--sim --vendor groq --vendor cerebras").starts_with("--sim takes one --vendor"));
}

TEST_CASE("vendors: --vendor replaces the blocks of a file, as a URL does") {
  const TemporaryFile file("concurrency = 4\n[[target]]\nurl = \"http://h\"\n");
  const Plan plan = run_with("--vendor groq --config " + file.path()).plan;
  REQUIRE(plan.targets.size() == 1);
  CHECK(plan.targets[0].url == "https://api.groq.com/openai/v1");
  CHECK(plan.sweep.points.front().concurrency == 4);
}

TEST_CASE("vendors: a missing key is an error at the vendor, and a warning at a URL of one's own") {
  CHECK(error_of("run --vendor groq", {}).find("the variable GROQ_API_KEY is not set") != std::string::npos);
  const std::vector<std::string> warning{"GROQ_API_KEY is not set: no key is sent to groq"};
  CHECK(run_with("--vendor groq --dry-run", {}).warnings == warning);
  CHECK(run_with("http://h --vendor groq", {}).warnings == warning);
  CHECK(run_with("http://h --vendor groq", {{"OPENAI_API_KEY", "k"}}).plan.targets[0].api_key.empty());
  CHECK(run_with("http://h --vendor groq").plan.targets[0].api_key == "groq");
  CHECK(run_with("http://h --vendor groq").warnings.empty());
}

TEST_CASE("vendors: a target knows the variable of its key") {
  CHECK(target_with("http://h").key_variable == "OPENAI_API_KEY");
  CHECK(target_with("http://h --vendor groq").key_variable == "GROQ_API_KEY");
  CHECK(target_with("--vendor groq --api-key-env OWN_KEY").key_variable == "OWN_KEY");
  const TemporaryFile key("k\n");
  CHECK(target_with("--vendor groq --api-key-file " + key.path()).key_variable.empty());
}

TEST_CASE("vendors: a fact that is misspelt or of the wrong form is an error with file, line and rule") {
  const auto error = [](const std::string& facts) { return error_of_file("[facts]\n" + facts + "\n"); };
  CHECK(error("max_token_field = \"a\"") ==
        ":2: [facts] unknown name 'max_token_field'; did you mean max_tokens_field?");
  CHECK(error("refuse = [\"n\"]") == ":2: [facts] unknown name 'refuse'; did you mean refused?");
  CHECK(error("nonsense = 1").starts_with(":2: [facts] unknown name 'nonsense' | known: url_example, "));
  CHECK(error("max_tokens_field = 3") == ":2: [facts] max_tokens_field: '3' is not the name of a field");
  CHECK(error("max_tokens_field = [\"a\", \"b\"]") == ":2: [facts] max_tokens_field: takes one value, not 2");
  CHECK(error("thinking_on = '{\"a\": tru'") ==
        ":2: [facts] thinking_on: '{\"a\": tru' is not a JSON object");
  CHECK(error("thinking_off = '[1]'") == ":2: [facts] thinking_off: '[1]' is not a JSON object");
  CHECK(error("thinking_off = ''") == ":2: [facts] thinking_off: '' is not a JSON object");
  CHECK(error("refused = [\"n\", \"\"]") == ":2: [facts] refused: '' is not the name of a field");
  CHECK(error("verified = false\nmax-tokens-field = \"max_tokens\"") == "no error");
}

TEST_CASE("vendors: a vendor's file that cannot be read is named with its own option") {
  CHECK(error_with("--vendor ./none.toml") == "--vendor ./none.toml: cannot be read");
  CHECK(error_with("http://h --scenario ./none.toml") == "--scenario ./none.toml: cannot be read");
  CHECK(error_with("http://h --config ./none.toml") == "--config ./none.toml: cannot be read");
}

TEST_CASE("vendors: one key of a vendor does not go to several hosts unasked") {
  const RunRequest run = run_with("a=http://h b=http://i --vendor groq");
  CHECK(run.plan.targets[0].api_key.empty());
  CHECK(run.plan.targets[1].facts.vendor == "groq");
  CHECK(run.warnings ==
        std::vector<std::string>{
            "GROQ_API_KEY is sent to none of several hosts: --api-key-env GROQ_API_KEY sends it to all"});
  CHECK(run_with("a=http://h b=http://i --vendor groq --api-key-env GROQ_API_KEY").plan.targets[1].api_key ==
        "groq");
}

TEST_CASE("vendors: facts that change requests enter the plan's hash, and a name alone does not") {
  const Plan plain = run_with("http://h").plan, groq = run_with("http://h --vendor groq").plan,
             vllm = run_with("http://h --vendor vllm").plan;
  CHECK(plan_hash(plain) != plan_hash(groq));
  CHECK(workload_hash(plain) == workload_hash(groq));
  CHECK(plan_hash(vllm) != plan_hash(groq));
  CHECK(plan_hash(run_with("http://h --vendor tgi").plan) == plan_hash(plain));
}

TEST_CASE("vendors: what a vendor does not take is said before the run") {
  const std::string text = dry_run_text(run_with("--vendor groq --model m -n 2 --choices 3").plan);
  CHECK(text.find("  Note       groq does not take --choices (n): left out\n") != std::string::npos);
  CHECK(text.find("\"n\":") == std::string::npos);
  const Plan strict = run_with("--vendor groq --model m -n 2 --choices 3 --strict").plan;
  CHECK_THROWS_WITH(dry_run_text(strict), "--strict: groq does not take --choices (n): left out");
}

TEST_CASE("vendors: answers that a vendor does not take as forced are not announced as forced") {
  const auto answers = [](const std::string& line) {
    const std::string text = dry_run_text(run_with(line + " --model m -n 2 --exact-output").plan);
    const std::size_t from = text.find("  Answers ");
    return text.substr(from, text.find('\n', from) - from);
  };
  CHECK(answers("http://h") == "  Answers    up to 128 tokens, forced, streamed");
  CHECK(answers("http://h --vendor mistral") == "  Answers    up to 128 tokens, streamed");
  CHECK(answers("a=http://h b=http://i") == "  Answers    up to 128 tokens, forced, streamed");
}

TEST_CASE("config: several files are merged, and a key with two values is said once") {
  const TemporaryFile one("model = \"a\"\nconcurrency = 4\nduration = \"9s\"\n");
  const TemporaryFile two("duration = \"9s\"\nmodel = \"b\"\nrate = 5\n");
  const RunRequest run = run_with("http://h --config " + one.path() + " --config " + two.path());
  CHECK(run.plan.targets[0].model == "b");
  CHECK(run.plan.sweep.points.front().rate == 5.0);
  CHECK(run.warnings ==
        std::vector<std::string>{two.path() + ":2: model wins over " + one.path() + ":1: model",
                                 two.path() + ":3: rate wins over " + one.path() + ":2: concurrency"});
  CHECK(run_with("http://h --config " + two.path() + " --config " + one.path()).plan.targets[0].model == "a");
}

TEST_CASE("config: an option that a later file's option excludes is not dropped in silence") {
  const auto warnings = [](const std::string& one, const std::string& two) {
    const TemporaryFile a(one), b(two);
    auto said = run_with("http://h --config " + a.path() + " --config " + b.path()).warnings;
    for (auto& line : said) {
      for (const auto& path : {a.path(), b.path()}) line.replace(line.find(path), path.size(), "F");
    }
    return said;
  };
  using Lines = std::vector<std::string>;
  CHECK(warnings("concurrency = 4\n", "rate = 5\n") == Lines{"F:1: rate wins over F:1: concurrency"});
  CHECK(warnings("requests = 40\n", "stages = \"10s:4,20s:4\"\n") ==
        Lines{"F:1: stages wins over F:1: requests"});
  CHECK(warnings("workload = \"synthetic\"\n", "prompt = \"hi\"\n").empty());
  CHECK(warnings("model = \"m\"\n", "rate = 5\n").empty());
}

TEST_CASE("config: a vendor's file and one's own go together") {
  const std::string vendor = INFERMETER_SOURCE_DIR "/configs/vendors/groq.toml";
  const TemporaryFile own("model = \"m\"\nconcurrency = 4\n");
  const RunRequest run = run_with("--config " + vendor + " --config " + own.path());
  CHECK(run.warnings.empty());
  CHECK(run.plan.targets[0].url == "https://api.groq.com/openai/v1");
  CHECK(run.plan.targets[0].model == "m");
  CHECK(run.plan.targets[0].facts.limit_field == "max_completion_tokens");
}

TEST_CASE("config: the blocks of several files add up, and replace an earlier file's server") {
  const std::string vendor = INFERMETER_SOURCE_DIR "/configs/vendors/groq.toml";
  const TemporaryFile one("[[target]]\nurl = \"http://h\"\n"), two("[[target]]\nurl = \"http://i\"\n");
  CHECK(run_with("--config " + one.path() + " --config " + two.path()).plan.targets.size() == 2);
  const RunRequest run = run_with("--config " + vendor + " --config " + one.path());
  REQUIRE(run.plan.targets.size() == 1);
  CHECK(run.plan.targets[0].url == "http://h");
  CHECK(run.plan.targets[0].api_key.empty());
  CHECK(run.plan.targets[0].facts.vendor.empty());
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].ends_with("[[target]] wins over " + vendor + ":3: url"));
}

TEST_CASE("config: a label names a target in scopes, and so does its name") {
  const TemporaryFile file("[[target]]\nname = \"a\"\nlabel = \"A (eu)\"\nurl = \"http://h\"\n");
  CHECK(error_of({"run", "--config", file.path(), "--assert", "[target=a] ttft.p95<1s"}) == "no error");
  CHECK(error_of({"run", "--config", file.path(), "--assert", "[target=A (eu)] ttft.p95<1s"}) == "no error");
}
