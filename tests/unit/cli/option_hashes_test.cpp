// Each option once without and once with another value: the hashes change as its row states.
#include <algorithm>

#include "catch.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/source_file.hpp"
#include "parsing.hpp"
#include "run/plan_hash.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

/// Arguments of `run`; FILE stands for a file with `file` in it.
struct Example {
  std::string_view option, without, with;
  std::string_view file = "";
};

constexpr std::string_view kQuick = "duration = \"5s\"\n[quick]\nrequests = 7\n";
// clang-format off: a table
constexpr Example kExamples[] = {
    {"url", "http://h", "a=http://h b=http://i"},
    {"model", "", "--model m"},
    {"vendor", "", "--vendor groq"},
    {"region", "", "--region eu"},
    {"api-key-env", "", "--api-key-env KEY"},
    {"api-key-file", "", "--api-key-file FILE", "k\n"},
    {"header", "", "--header X:y"},
    {"endpoint", "", "--endpoint completions"},
    {"api-version", "", "--api-version 2024"},
    {"auth-header", "", "--auth-header X-Key"},
    {"sim", "http://h", "--sim"},
    {"fault", "--sim", "--sim --fault 429"},
    {"truth", "--sim", "--sim --truth t"},
    {"wait-ready", "", "--wait-ready 5s"},
    {"metrics-url", "http://h", "http://h --metrics-url http://h/metrics"},
    {"metrics-interval", "", "--metrics-interval 5s"},
    {"metrics-header", "", "--metrics-header X:y"},
    {"no-metrics", "", "--no-metrics"},
    {"concurrency", "", "-c 8"},
    {"rate", "--rate 5", "--rate 7"},
    {"arrival", "--rate 5", "--rate 5 --arrival constant"},
    {"burstiness", "--rate 5", "--rate 5 --burstiness 2"},
    {"replay-speed", "--workload FILE --arrival trace", "--workload FILE --arrival trace --replay-speed 2x"},
    {"stages", "", "--stages 10s:8,60s:8"},
    {"max-in-flight", "--rate 5", "--rate 5 --max-in-flight 8"},
    {"on-cap", "--rate 5 --max-in-flight 8", "--rate 5 --max-in-flight 8 --on-cap drop"},
    {"warmup", "", "--warmup 3s"},
    {"start-at", "", "--start-at 12:30"},
    {"shard", "-c 8", "-c 8 --shard 0/2"},
    {"workers", "", "--workers 2"},
    {"seed", "", "--seed 2"},
    {"requests", "", "-n 7"},
    {"duration", "", "-d 9s"},
    {"max-time", "", "--max-time 9s"},
    {"max-error-rate", "", "--max-error-rate 10%"},
    {"max-cost", "", "--max-cost 3"},
    {"max-tokens-total", "", "--max-tokens-total 9"},
    {"on-rate-limit", "", "--on-rate-limit wait"},
    {"retries", "", "--retries 2"},
    {"shape", "", "--shape 1k/64"},
    {"cooldown", "", "--cooldown 1s"},
    {"stop-when", "", "--stop-when error_rate>5%"},
    {"before-point", "", "--before-point true"},
    {"after-point", "", "--after-point true"},
    {"runs", "", "--runs 2"},
    {"resume", "", "--resume d"},
    {"workload", "", "--workload FILE"},
    {"skip-bad-lines", "--workload FILE", "--workload FILE --skip-bad-lines"},
    {"prompt", "", "--prompt Hello"},
    {"prompt-file", "", "--prompt-file FILE", "a\nb\n"},
    {"input-tokens", "", "--input-tokens 64"},
    {"no-calibrate", "", "--no-calibrate"},
    {"shared-prefix-tokens", "", "--shared-prefix-tokens 9"},
    {"prefix-groups", "--shared-prefix-tokens 9", "--shared-prefix-tokens 9 --prefix-groups 2"},
    {"prompt-reuse", "", "--prompt-reuse 2"},
    {"prime", "--shared-prefix-tokens 9", "--shared-prefix-tokens 9 --prime"},
    {"turns", "", "--turns 3"},
    {"think-time", "--turns 3", "--turns 3 --think-time 2s"},
    {"session-header", "--turns 3", "--turns 3 --session-header X-Session"},
    {"session-connection", "--turns 3", "--turns 3 --session-connection"},
    {"batch-size", "--endpoint embeddings", "--endpoint embeddings --batch-size 8"},
    {"images", "", "--images 1"},
    {"image-size", "--images 1", "--images 1 --image-size 64x64"},
    {"system-prompt", "", "--system-prompt Hello"},
    {"nonce", "", "--nonce mine"},
    {"output-tokens", "", "--output-tokens 64"},
    {"exact-output", "", "--exact-output"},
    {"no-stream", "", "--no-stream"},
    {"temperature", "", "--temperature 0"},
    {"top-p", "", "--top-p 0.9"},
    {"extra-body", "", "--extra-body {\"top_k\":5}"},
    {"reasoning-effort", "", "--reasoning-effort low"},
    {"thinking", "", "--thinking off"},
    {"tools", "", "--tools [{}]"},
    {"json-mode", "", "--json-mode"},
    {"json-schema", "", "--json-schema {}"},
    {"choices", "", "--choices 2"},
    {"logprobs", "", "--logprobs 1"},
    {"cancel-after", "", "--cancel-after 20"},
    {"cancel-share", "--cancel-after 20", "--cancel-after 20 --cancel-share 20%"},
    {"slo", "", "--slo ttft<500ms"},
    {"alternate", "a=http://h b=http://i", "a=http://h b=http://i --alternate"},
    {"sequential", "a=http://h b=http://i", "a=http://h b=http://i --sequential"},
    {"against", "a=http://h b=http://i", "a=http://h b=http://i --against b"},
    {"sort", "a=http://h b=http://i", "a=http://h b=http://i --sort ttft.p50"},
    {"gpus", "", "--gpus 2"},
    {"price-input", "", "--price-input 1"},
    {"price-cached", "", "--price-cached 1"},
    {"price-cache-write", "", "--price-cache-write 1"},
    {"price-output", "", "--price-output 1"},
    {"price-per-hour", "", "--price-per-hour 1"},
    {"assert", "", "--assert ttft.p95<1s"},
    {"assert-point", "--assert ttft.p95<1s", "--assert ttft.p95<1s --assert-point"},
    {"format", "", "--format json"},
    {"per-request", "--format csv", "--format csv --per-request"},
    {"out", "", "-o d"},
    {"label", "", "--label a=b"},
    {"comfort", "", "--comfort 10ms"},
    {"progress", "", "--progress none"},
    {"quiet", "", "-q"},
    {"wide", "", "--wide"},
    {"verbose", "", "-vv"},
    {"log", "", "--log FILE"},
    {"no-report", "", "--no-report"},
    {"no-save-gaps", "", "--no-save-gaps"},
    {"save-text", "", "--save-text"},
    {"fresh-connections", "", "--fresh-connections"},
    {"http2", "", "--http2"},
    {"insecure", "", "--insecure"},
    {"cacert", "", "--cacert f"},
    {"cert", "", "--cert f"},
    {"key", "--cert f", "--cert f --key k"},
    {"proxy", "", "--proxy http://p:1"},
    {"resolve", "", "--resolve h:80:127.0.0.1"},
    {"unix-socket", "", "--unix-socket s"},
    {"timeout-connect", "", "--timeout-connect 1s"},
    {"timeout-first-token", "", "--timeout-first-token 1s"},
    {"timeout-gap", "", "--timeout-gap 1s"},
    {"timeout-idle", "", "--timeout-idle 1s"},
    {"timeout", "", "--timeout 1s"},
    {"timeout-drain", "", "--timeout-drain 1s"},
    {"timeout-command", "", "--timeout-command 1s"},
    {"prepare-timeout", "", "--prepare-timeout 1s"},
    // A file's options are hashed as options; the file itself is not.
    {"scenario", "", "--scenario FILE", kQuick},
    {"quick", "--config FILE", "--config FILE --quick", kQuick},
    {"config", "", "--config FILE", kQuick},
    {"dry-run", "", "--dry-run"},
    {"no-preflight", "", "--no-preflight"},
    {"strict", "", "--strict"},
    {"timestamps", "", "--timestamps user"},
};

constexpr Example kTargetExamples[] = {
    {"name", "", "name = \"b\""},
    {"label", "", "label = \"b\""},
    {"extra-body", "", "extra-body = \"{\\\"top_k\\\": 5}\""},
};

constexpr Example kClassExamples[] = {
    {"name", "name = \"a\"", "name = \"b\""},
    {"share", "name = \"a\"", "name = \"a\"\nshare = 2"},
    {"rate", "name = \"a\"", "name = \"a\"\nrate = 5"},
    {"concurrency", "name = \"a\"", "name = \"a\"\nconcurrency = 5"},
    {"probe", "name = \"a\"\nconcurrency = 1", "name = \"a\"\nconcurrency = 1\nprobe = true"},
    {"model", "name = \"a\"", "name = \"a\"\nmodel = \"m\""},
    {"header", "name = \"a\"", "name = \"a\"\nheader = [\"X: y\"]"},
};
// clang-format on

const Variables kKey{{"KEY", "k"}};

/// FILE in the arguments is the file's path.
Plan planned(std::string_view arguments, const TemporaryFile& file) {
  std::string line(arguments);
  const bool reached = line.find("http://h") != std::string::npos || line.find("--sim") != std::string::npos;
  for (std::size_t at; (at = line.find("FILE")) != std::string::npos;) line.replace(at, 4, file.path());
  return run_of(words_of("run " + line + (reached ? "" : " http://h")), kKey).plan;
}

Plan planned_in_file(BlockKind kind, std::string_view keys) {
  const bool target = kind == BlockKind::target;
  const TemporaryFile file((target ? "[[target]]\nurl = \"http://h\"\n" : "[[class]]\n") + std::string(keys));
  return run_of(words_of("run --config " + file.path() + (target ? "" : " http://h"))).plan;
}

void check(const OptionSpec& spec, const Plan& without, const Plan& with) {
  CHECK((plan_hash(without) != plan_hash(with)) == (spec.enters != Enters::unhashed));
  CHECK((workload_hash(without) != workload_hash(with)) == (spec.enters == Enters::in_request));
}

void check_keys(BlockKind kind, std::span<const Example> examples) {
  for (const auto& spec : own_keys(kind)) {
    CAPTURE(std::string(spec.name));
    const auto example = std::ranges::find(examples, spec.name, &Example::option);
    REQUIRE(example != examples.end());
    check(spec, planned_in_file(kind, example->without), planned_in_file(kind, example->with));
  }
}

}  // namespace

TEST_CASE("option hashes: an option changes the hashes that its row names, and no other one") {
  for (const auto& spec : run_options()) {
    CAPTURE(std::string(spec.name));
    if (spec.name == "help") continue;
    const auto example = std::ranges::find(kExamples, spec.name, &Example::option);
    REQUIRE(example != std::end(kExamples));
    const TemporaryFile file{std::string(example->file)};
    check(spec, planned(example->without, file), planned(example->with, file));
  }
}

TEST_CASE("option hashes: the keys of a target and of a class do so too") {
  check_keys(BlockKind::target, kTargetExamples);
  check_keys(BlockKind::traffic, kClassExamples);
}
