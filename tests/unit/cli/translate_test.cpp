// Lines of other benchmarks, as their own documentation has them (tests/data/rivals), as lines of infermeter.
#include "cli/translate.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

const std::string kData = INFERMETER_SOURCE_DIR "/tests/data/";

struct Case {
  std::string theirs;
  std::string ours;                // behind "= "
  std::vector<std::string> notes;  // behind "! "
};

std::vector<Case> cases() {
  std::ifstream file(kData + "rivals/lines.txt");
  std::vector<Case> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("= "))
      all.back().ours = line.substr(2);
    else if (line.starts_with("! "))
      all.back().notes.push_back(line.substr(2));
    else
      all.push_back({line, {}, {}});
  }
  return all;
}

Translation translated(const std::string& line) {
  const CommandSpec& spec = command("translate");
  return translate_request(
      {spec.name, spec.examples, spec.options(), {{"line", "LINE", {line}}}, kNoVariables, kHere});
}

/// The files of the lines stand in tests/data/workloads.
struct InData {
  InData() { std::filesystem::current_path(kData + "workloads"); }
  ~InData() { std::filesystem::current_path(before); }
  std::filesystem::path before = std::filesystem::current_path();
};

bool has_note(const Translation& translation, const std::string& note) {
  return std::ranges::find(translation.notes, note) != translation.notes.end();
}

}  // namespace

TEST_CASE("translate: lines of other benchmarks' documentation become lines that a dry run accepts") {
  const InData here;
  CHECK(cases().size() >= 60);
  for (const auto& one : cases()) {
    CAPTURE(one.theirs);
    const Translation translation = translated(one.theirs);
    CHECK(line_text(translation) == one.ours);
    CHECK(translation.notes == one.notes);
    auto words = shell_words(line_text(translation));
    words.erase(words.begin());
    words.emplace_back("--dry-run");
    CHECK(dry_run_text(run_of(words).plan).starts_with("Plan, nothing is sent\n"));
  }
}

TEST_CASE("translate: a rate with a cap, goodput and burstiness keep their meaning") {
  const auto translation = translated(
      "vllm bench serve --model M --base-url http://gpu:8000 --backend openai-chat --request-rate 5 "
      "--max-concurrency 4 --burstiness 0.5 --goodput ttft:500 tpot:50 --num-prompts 50 --foo bar");
  CHECK(
      line_text(translation) ==
      "infermeter run http://gpu:8000 --model M --rate 5 --max-in-flight 4 --burstiness 0.5 -n 50 --warmup 0 "
      "--input-tokens 1024 --output-tokens 128 --exact-output --slo 'ttft<500ms' --slo 'tpot<50ms'");
  CHECK(translation.notes == std::vector<std::string>{"--foo: infermeter has nothing like it"});
}

TEST_CASE("translate: a ramp of the rate is a sweep of its range") {
  const auto translation = translated(
      "vllm bench serve --ramp-up-strategy exponential --ramp-up-start-rps 1 --ramp-up-end-rps 16 "
      "--num-prompts 500");
  CHECK(line_text(translation).find("--rate 1,2,4,8,16 -n 100 ") != std::string::npos);
}

TEST_CASE("translate: guidellm's loads are closed or open loops") {
  const auto load = [](const std::string& options) {
    const std::string text = line_text(translated("guidellm benchmark --target http://h " + options));
    return text.substr(24, text.find(" --warmup") - 24);
  };
  CHECK(load("--rate-type synchronous --max-requests 9") == "-c 1 -n 9");
  CHECK(load("--rate-type concurrent --rate 1,8 --max-requests 9") == "-c 1,8 -n 9");
  CHECK(load("--rate-type constant --rate 2 --max-requests 9") == "--rate 2 --arrival constant -n 9");
  CHECK(load("--rate-type poisson --rate 2 --rate 4 --max-requests 9") == "--rate 2,4 -n 9");
  CHECK(load("--profile throughput --max-requests 9") == "-c 512 -n 9");
  CHECK(load("--rate 4 --max-requests 9") == "-c 1,8,64,512 -n 9");
}

TEST_CASE("translate: guidellm's warm-up is a part of the time where that is limited, else of the requests") {
  const auto warmup = [](const std::string& options) {
    const std::string text = line_text(translated("guidellm benchmark --target http://h " + options));
    const std::size_t at = text.find("--warmup ") + 9;
    return text.substr(at, text.find(' ', at) - at);
  };
  CHECK(warmup("--warmup 0.1 --max-seconds 60 --max-requests 500") == "6s");
  CHECK(warmup("--warmup 5 --max-seconds 60") == "5s");
  CHECK(warmup("--warmup-percent 0.1 --max-requests 500") == "50");
  CHECK(warmup("--warmup 5 --max-requests 500") == "5");
}

TEST_CASE("translate: the name for the API is that of --served-model-name, whatever stands first") {
  for (const auto* line : {"vllm bench serve --model W --served-model-name api --num-prompts 5",
                           "vllm bench serve --served-model-name api --model W --num-prompts 5"})
    CHECK(line_text(translated(line)).find(" --model api ") != std::string::npos);
}

TEST_CASE("translate: only vLLM's random prompts and traces, and all of SGLang's, have a forced length") {
  const auto forced = [](const std::string& line) {
    const std::string text = line_text(translated(line));
    return text.find(" --exact-output") != std::string::npos;
  };
  CHECK(forced("vllm bench serve --num-prompts 5"));
  CHECK_FALSE(forced("vllm bench serve --num-prompts 5 --dataset-name prefix_repetition"));
  CHECK_FALSE(forced("vllm bench serve --num-prompts 5 --dataset-name sonnet"));
  CHECK(forced("vllm bench serve --num-prompts 5 --dataset-name sonnet --ignore-eos"));
  CHECK(forced("python -m sglang.bench_serving --dataset-name generated-shared-prefix"));
  CHECK_FALSE(forced("python -m sglang.bench_serving --dataset-name random --disable-ignore-eos"));
}

TEST_CASE("translate: SGLang's port is that of the server it asks") {
  const auto port = [](const std::string& backend) {
    const std::string text =
        line_text(translated("python -m sglang.bench_serving --dataset-name random --backend " + backend));
    return text.substr(text.find("127.0.0.1:") + 10, 5);
  };
  CHECK(port("sglang") == "30000");
  CHECK(port("lmdeploy") == "23333");
  CHECK(port("vllm") == "8000/");
  CHECK(port("vllm-chat") == "30000");
}

TEST_CASE("translate: a key, a header's value and a password are not repeated") {
  const auto text = [](const std::string& line) {
    const auto translation = translated(line);
    std::string all = line_text(translation);
    for (const auto& note : translation.notes) all += "\n" + note;
    return all;
  };
  for (const auto* line :
       {"aiperf profile -m M --api-key sk-secret", "aiperf profile -m M -H 'X-Team: sk-secret'",
        "vllm bench serve --header Authorization=sk-secret X-Team=sk-secret",
        "guidellm benchmark --backend-kwargs '{\"api_key\": \"sk-secret\"}'",
        "vllm bench serve --base-url http://user:sk-secret@h:8000", "aiperf profile sk-secret"})
    CHECK(text(line).find("sk-secret") == std::string::npos);
  CHECK(text("vllm bench serve --header X-Team=blue").find("-H \"X-Team: $X_TEAM\"") != std::string::npos);
}

TEST_CASE("translate: a line that infermeter would refuse says why") {
  CHECK(has_note(translated("vllm bench serve --dataset-name custom --dataset-path none.jsonl"),
                 "not yet accepted: --workload: 'none.jsonl' cannot be read"));
  CHECK(has_note(translated("aiperf profile -m M --osl 9 --batch-size 2"),
                 "not yet accepted: several texts in one request (--batch-size) cannot be asked of the chat "
                 "endpoint"));
}

TEST_CASE("translate: another program's line is a usage error with an example") {
  CHECK(error_of("translate foo --bar").starts_with("translate: not a line of vllm bench serve, "));
  CHECK(error_of("translate vllm bench throughput --model M")
            .starts_with("vllm throughput: no line that measures"));
  CHECK(
      error_of("translate").starts_with("translate: no line given | infermeter translate vllm bench serve"));
}

TEST_CASE("run: another tool's options are answered with the whole line") {
  CHECK(error_of("run http://h --request-rate inf --max-concurrency 8 --num-prompts 64")
            .ends_with("\nThe whole line here:\ninfermeter run http://h -c 8 -n 64"));
  CHECK(error_of("run http://h --request-rate 5 --max-concurrency 4 --goodput ttft:500 tpot:50")
            .ends_with(
                "infermeter run http://h --rate 5 --max-in-flight 4 --slo 'ttft<500ms' --slo 'tpot<50ms'"));
  CHECK(error_of("run --target http://h --rate-type constant --rate 5 --max-seconds 30")
            .ends_with("infermeter run http://h --rate 5 --arrival constant --duration 30s"));
  CHECK(error_of("run vllm bench serve --model M --base-url http://h --num-prompts 10 --max-concurrency 2") ==
        "run: this is a line of vllm bench serve | The whole line here:\ninfermeter run "
        "http://h/v1/completions "
        "--model M -c 2 -n 10 --warmup 0 --input-tokens 1024 --output-tokens 128 --exact-output");
}

TEST_CASE("run: an option of ours among another tool's keeps its meaning") {
  CHECK(error_of("run http://h --request-rate inf --max-concurrency 8 --no-stream")
            .ends_with("infermeter run http://h -c 8 --no-stream"));
  CHECK(error_of("run http://h --endpoint completions --request-rate inf --max-concurrency 8")
            .ends_with("infermeter run http://h/v1/completions -c 8"));
}

TEST_CASE("run: an option of another tool has one hint, also where another one leaves it out") {
  CHECK(error_of("run --profile sweep").starts_with("unknown option --profile: -c N is a closed loop"));
  CHECK(error_of("run --save-result").starts_with("unknown option --save-result: every run is saved"));
  CHECK(error_of("run --wait-for-model-timeout 9")
            .starts_with("unknown option --wait-for-model-timeout: use --wait-ready 30s, with its unit"));
  CHECK(error_of("run --mean-input-tokens 9")
            .starts_with("unknown option --mean-input-tokens: use --input-tokens N"));
}

TEST_CASE("run: a misspelt option of ours is not answered with a translation") {
  CHECK(error_of("run http://h --concurency 8 --num-prompts 4") ==
        "unknown option --concurency; did you mean --concurrency?");
}
