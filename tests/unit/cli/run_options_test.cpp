// Every option of `run` reaches its field of the plan.
#include <functional>

#include "catch.hpp"
#include "parsing.hpp"
#include "sim/http/server.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

struct OptionCase {
  const char* options;
  std::function<bool(const RunRequest&)> holds;
};

#define HOLDS(expression) [](const RunRequest& r) { return static_cast<bool>(expression); }

const OptionCase kTarget[] = {
    {"", HOLDS(r.plan.targets.front().url == "http://h" && r.plan.targets.front().model.empty() &&
               !r.plan.simulator)},
    {"--model llama", HOLDS(r.plan.targets.front().model == "llama")},
    {"-H X-Team:red -H X-Run:7", HOLDS(r.plan.targets.front().headers.size() == 2 &&
                                       r.plan.targets.front().headers[1] == Header("X-Run", "7"))},
    {"--wait-ready 10m", HOLDS(r.plan.wait_ready == 10min)},
};

const OptionCase kLoad[] = {
    {"", HOLDS(r.plan.sweep.points.front().concurrency == 1 && !r.plan.sweep.points.front().open_loop() &&
               r.plan.sweep.points.front().seed == 1)},
    {"", HOLDS(r.plan.sweep.points.front().duration == 30s && !r.plan.sweep.points.front().requests &&
               r.plan.sweep.points.front().workers == 0)},
    {"", HOLDS(r.plan.sweep.points.front().warmup_requests == 1u &&
               !r.plan.sweep.points.front().warmup_duration)},
    {"-c 32", HOLDS(r.plan.sweep.points.front().concurrency == 32 &&
                    r.plan.sweep.points.front().warmup_requests == 32u)},
    {"-c32", HOLDS(r.plan.sweep.points.front().concurrency == 32)},
    {"--concurrency=8", HOLDS(r.plan.sweep.points.front().concurrency == 8)},
    {"-c 8 -c 16", HOLDS(r.plan.sweep.points.front().concurrency == 16)},
    {"-n 320", HOLDS(r.plan.sweep.points.front().requests == 320u && !r.plan.sweep.points.front().duration)},
    {"-n 4k", HOLDS(r.plan.sweep.points.front().requests == 4000u)},
    {"-c 32 -n 10x", HOLDS(r.plan.sweep.points.front().requests == 320u)},
    {"-d 1.5m", HOLDS(r.plan.sweep.points.front().duration == 90s && !r.plan.sweep.points.front().requests)},
    {"-n 10 -d 5s",
     HOLDS(r.plan.sweep.points.front().requests == 10u && r.plan.sweep.points.front().duration == 5s)},
    {"--rate 200", HOLDS(r.plan.sweep.points.front().rate == 200.0 &&
                         r.plan.sweep.points.front().arrival == Arrival::poisson)},
    {"--rate 200", HOLDS(r.plan.sweep.points.front().warmup_duration == 5s &&
                         !r.plan.sweep.points.front().warmup_requests)},
    {"--rate 0.5 --arrival constant", HOLDS(r.plan.sweep.points.front().rate == 0.5 &&
                                            r.plan.sweep.points.front().arrival == Arrival::constant)},
    {"--rate 5 --arrival gamma:2.5",
     HOLDS(r.plan.sweep.points.front().arrival == Arrival::gamma && r.plan.sweep.points.front().cv == 2.5)},
    {"--rate 5 --burstiness 0.25",
     HOLDS(r.plan.sweep.points.front().arrival == Arrival::gamma && r.plan.sweep.points.front().cv == 2.0)},
    {"--rate 5 --max-in-flight 64",
     HOLDS(r.plan.sweep.points.front().max_in_flight == 64 && !r.plan.sweep.points.front().drop_at_cap)},
    {"--rate 5 --max-in-flight 64 --on-cap drop", HOLDS(r.plan.sweep.points.front().drop_at_cap)},
    {"--warmup 0", HOLDS(r.plan.sweep.points.front().warmup_requests == 0u)},
    {"-c 4 --warmup 2x", HOLDS(r.plan.sweep.points.front().warmup_requests == 8u)},
    {"--warmup 10s", HOLDS(r.plan.sweep.points.front().warmup_duration == 10s &&
                           !r.plan.sweep.points.front().warmup_requests)},
    {"--workers 2 --seed 42",
     HOLDS(r.plan.sweep.points.front().workers == 2 && r.plan.sweep.points.front().seed == 42)},
    {"--workers auto", HOLDS(r.plan.sweep.points.front().workers == 0)},
};

const OptionCase kPrompts[] = {
    {"", HOLDS(r.plan.classes.front().prompts.source == "synthetic" &&
               r.plan.classes.front().prompts.input_tokens.sole() == 512)},
    {"",
     HOLDS(!r.plan.classes.front().prompts.nonce.empty() && r.plan.classes.front().prompts.prompts.empty())},
    {"--prompt Hello", HOLDS(r.plan.classes.front().prompts.prompts == std::vector<std::string>{"Hello"} &&
                             r.plan.classes.front().prompts.source == "prompt")},
    {"--prompt Hello", HOLDS(r.plan.classes.front().prompts.nonce.empty())},
    {"--input-tokens 4k --output-tokens 256",
     HOLDS(r.plan.classes.front().prompts.input_tokens.sole() == 4000 &&
           r.plan.classes.front().answers.output_tokens.sole() == 256)},
    {"--nonce again", HOLDS(r.plan.classes.front().prompts.nonce == "again")},
    {"--nonce= -n 5",
     HOLDS(r.plan.classes.front().prompts.nonce.empty() && r.plan.sweep.points.front().requests == 5u)},
    {"--system-prompt Brief", HOLDS(r.plan.classes.front().prompts.system_prompt == "Brief")},
    {"", HOLDS(!r.plan.classes.front().answers.exact_output && r.plan.classes.front().answers.stream &&
               r.plan.classes.front().answers.output_tokens.sole() == 128)},
    {"--exact-output", HOLDS(r.plan.classes.front().answers.exact_output == true)},
    {"--no-exact-output", HOLDS(r.plan.classes.front().answers.exact_output == false)},
    {"--no-stream", HOLDS(!r.plan.classes.front().answers.stream)},
    {"--no-stream --stream", HOLDS(r.plan.classes.front().answers.stream)},
    {"--extra-body {}", HOLDS(r.plan.classes.front().answers.extra_body == "{}")},
    {"--extra-body {\"stop\":[\"a\",\"b\"]}",
     HOLDS(r.plan.classes.front().answers.extra_body == "{\"stop\":[\"a\",\"b\"]}")},
    {"--prompt [a,b]", HOLDS(r.plan.classes.front().prompts.prompts[0] == "[a,b]")},
    {"--prompt -v", HOLDS(r.plan.classes.front().prompts.prompts[0] == "-v")},
};

const TrafficClass& traffic(const RunRequest& r) { return r.plan.classes.front(); }
const Prompts& prompts(const RunRequest& r) { return traffic(r).prompts; }
const Answers& answers(const RunRequest& r) { return traffic(r).answers; }

const OptionCase kWorkload[] = {
    {"--input-tokens uniform:1k,8k",
     HOLDS(prompts(r).input_tokens.kind == Lengths::Kind::uniform && prompts(r).input_tokens.b == 8000)},
    {"--workload synthetic --input-tokens 9",
     HOLDS(prompts(r).input_tokens.sole() == 9 && prompts(r).file.empty())},
    {"--dataset sharegpt:" INFERMETER_TEST_DATA "/workloads/sharegpt.json --skip-bad-lines",
     HOLDS(prompts(r).file == "sharegpt:" INFERMETER_TEST_DATA "/workloads/sharegpt.json" &&
           prompts(r).source == INFERMETER_TEST_DATA "/workloads/sharegpt.json" &&
           prompts(r).skip_bad_lines)},
    {"--no-calibrate", HOLDS(!prompts(r).calibrate)},
    {"", HOLDS(prompts(r).calibrate && !prompts(r).nonce_given && prompts(r).prompt_reuse == 1)},
    {"--shared-prefix-tokens 1k --prefix-groups 4 --prime",
     HOLDS(prompts(r).shared_prefix_tokens == 1000 && prompts(r).prefix_groups == 4 && prompts(r).prime)},
    {"--prompt-reuse 3", HOLDS(prompts(r).prompt_reuse == 3)},
    {"--turns 2,6 --think-time lognormal:2s,0.5",
     HOLDS(prompts(r).conversations() && prompts(r).turns.a == 2 && prompts(r).turns.b == 6 &&
           prompts(r).think_time.a == 2000)},
    {"--turns 3 --session-header X-S --session-connection",
     HOLDS(prompts(r).session_header == "X-S" && prompts(r).session_connection)},
    {"--endpoint embeddings --batch-size 8", HOLDS(prompts(r).batch == 8)},
    {"--images 2 --image-size 64x32",
     HOLDS(prompts(r).images == 2 && prompts(r).image_width == 64 && prompts(r).image_height == 32)},
};

const OptionCase kAnswers[] = {
    {"--choices 4 --logprobs 5", HOLDS(answers(r).choices == 4 && answers(r).logprobs == 5)},
    {"--reasoning-effort low --thinking off",
     HOLDS(answers(r).reasoning_effort == "low" && answers(r).thinking == Thinking::off)},
    {"",
     HOLDS(answers(r).thinking == Thinking::unsaid && answers(r).tools.empty() && !traffic(r).cancel.any())},
    {"--tools [1] --json-mode", HOLDS(answers(r).tools == "[1]" && answers(r).json_mode)},
    {"--json-schema {}", HOLDS(answers(r).json_schema == "{}")},
    {"--cancel-after 150ms", HOLDS(traffic(r).cancel.after == 150ms && traffic(r).cancel.share == 1)},
    {"--cancel-after 20 --cancel-share 40%",
     HOLDS(!traffic(r).cancel.after && traffic(r).cancel.after_tokens == 20 &&
           traffic(r).cancel.share == 0.4)},
    {"--cancel-after 20tokens", HOLDS(traffic(r).cancel.after_tokens == 20)},
    {"--slo ttft<500ms,tpot<50ms --goodput e2e:9000",
     HOLDS(traffic(r).slos.size() == 3 && traffic(r).slos[1].metric == "tpot" &&
           traffic(r).slos[2].limit == 9000)},
};

const OptionCase kTargets[] = {
    {"--endpoint responses --api-version v1 --auth-header api-key",
     HOLDS(r.plan.targets.front().endpoint == Endpoint::responses &&
           r.plan.targets.front().api_version == "v1" && r.plan.targets.front().auth_header == "api-key")},
    {"", HOLDS(!r.plan.targets.front().endpoint && !r.plan.targets.front().prices.any())},
    {"--price-input 2 --price-cached 0.5 --price-output 8",
     HOLDS(r.plan.targets.front().prices.input_per_million == 2.0 &&
           r.plan.targets.front().prices.cached_per_million == 0.5 &&
           r.plan.targets.front().prices.output_per_million == 8.0)},
    {"--price-input 2 --price-cache-write 2.5",
     HOLDS(r.plan.targets.front().prices.cache_write_per_million == 2.5)},
    {"--price-per-hour 3 --gpus 4",
     HOLDS(r.plan.targets.front().prices.per_hour == 3.0 && r.plan.targets.front().gpus == 4)},
    {"--max-cost 2.5 --max-tokens-total 1M",
     HOLDS(r.plan.targets.front().max_cost == 2.5 && r.plan.targets.front().max_tokens_total == 1'000'000u)},
    {"--on-rate-limit wait --retries 2",
     HOLDS(r.plan.on_rate_limit == OnRateLimit::wait && r.plan.retries == 2)},
    {"--start-at 12:30", HOLDS(r.plan.start_at_unix_ms == kHere.now_unix_ms + 30 * 60'000)},
};

const OptionCase kOutput[] = {
    {"", HOLDS(r.plan.output.format.name == "table" && r.plan.output.directory.empty() && !r.quiet)},
    {"", HOLDS(r.plan.output.save_gaps && !r.plan.output.save_text && r.plan.output.comfort == 30ms)},
    {"", HOLDS(r.plan.output.progress == Progress::automatic && !r.plan.output.wide)},
    {"--format json -o out", HOLDS(r.plan.output.format.name == "json" && r.plan.output.directory == "out")},
    {"--format csv --wide", HOLDS(r.plan.output.format.name == "csv" && r.plan.output.wide)},
    {"--label gpu=h100 --label note=a=b",
     HOLDS(r.plan.output.labels[1] == std::make_pair(std::string("note"), std::string("a=b")))},
    {"--comfort 50ms", HOLDS(r.plan.output.comfort == 50ms)},
    {"--progress json", HOLDS(r.plan.output.progress == Progress::json)},
    {"--progress none", HOLDS(r.plan.output.progress == Progress::none)},
    {"-q", HOLDS(r.plan.output.progress == Progress::none && r.quiet)},
    {"--no-save-gaps --save-text", HOLDS(!r.plan.output.save_gaps && r.plan.output.save_text)},
    {"--max-error-rate 10%", HOLDS(r.plan.max_error_rate == 0.1)},
    {"", HOLDS(!r.plan.max_error_rate)},
};

const OptionCase kTransport[] = {
    {"--fresh-connections --http2 --insecure",
     HOLDS(r.plan.targets.front().fresh_connections&& r.plan.targets.front().http2 &&
           !r.plan.targets.front().verify_tls)},
    {"", HOLDS(!r.plan.targets.front().fresh_connections && !r.plan.targets.front().http2 &&
               r.plan.targets.front().verify_tls)},
    {"--cacert ca.pem --cert me.pem --key me.key",
     HOLDS(r.plan.targets.front().ca_file == "ca.pem" && r.plan.targets.front().cert_file == "me.pem" &&
           r.plan.targets.front().key_file == "me.key")},
    {"--proxy socks5://p:1080", HOLDS(r.plan.targets.front().proxy == "socks5://p:1080")},
    {"--resolve h:80:10.0.0.1 --resolve h:81:[::1]",
     HOLDS(r.plan.targets.front().resolve[1] == "h:81:[::1]")},
    {"--unix-socket /run/s", HOLDS(r.plan.targets.front().unix_socket == "/run/s")},
    {"--timeout-connect 1s --timeout-first-token 2s --timeout-gap 3s",
     HOLDS(r.plan.timeouts.connect == 1s && r.plan.timeouts.first_token == 2s && r.plan.timeouts.gap == 3s)},
    {"--timeout 4s --timeout-idle 5s --timeout-drain 6s",
     HOLDS(r.plan.timeouts.whole == 4s && r.plan.timeouts.idle == 5s && r.plan.timeouts.drain == 6s)},
};

const OptionCase kAdvanced[] = {
    {"", HOLDS(r.plan.preflight && !r.plan.strict && r.plan.kernel_timestamps && !r.dry_run)},
    {"-n 1", HOLDS(!r.plan.preflight)},
    {"-n 1 --preflight", HOLDS(r.plan.preflight)},
    {"--no-preflight --strict --timestamps user --dry-run",
     HOLDS(!r.plan.preflight && r.plan.strict && !r.plan.kernel_timestamps && r.dry_run)},
};

template <std::size_t n>
void check_all(const OptionCase (&cases)[n]) {
  for (const auto& c : cases) {
    CAPTURE(c.options, &c - cases);
    CHECK(c.holds(run_of(std::string(c.options))));
  }
}

}  // namespace

TEST_CASE("run options: target") { check_all(kTarget); }
TEST_CASE("run options: load") { check_all(kLoad); }
TEST_CASE("run options: prompts and answers") { check_all(kPrompts); }
TEST_CASE("run options: workload") { check_all(kWorkload); }
TEST_CASE("run options: answers, cancelling and SLOs") { check_all(kAnswers); }
TEST_CASE("run options: endpoint, prices and limits") { check_all(kTargets); }
TEST_CASE("run options: output") { check_all(kOutput); }
TEST_CASE("run options: transport and timeouts") { check_all(kTransport); }
TEST_CASE("run options: advanced") { check_all(kAdvanced); }

TEST_CASE("run options: without any, the plan's own defaults hold") {
  const Plan plan = plan_of(""), fresh;
  CHECK(plan.timeouts.connect == fresh.timeouts.connect);
  CHECK(plan.timeouts.first_token == fresh.timeouts.first_token);
  CHECK(plan.timeouts.gap == fresh.timeouts.gap);
  CHECK(plan.timeouts.idle == fresh.timeouts.idle);
  CHECK(plan.timeouts.whole == fresh.timeouts.whole);
  CHECK_FALSE(plan.timeouts.drain.has_value());
  CHECK(plan.wait_ready == fresh.wait_ready);
  CHECK(plan.sweep.points.front().seed == fresh.sweep.points.front().seed);
  CHECK(plan.classes.front().prompts.input_tokens.sole() ==
        fresh.classes.front().prompts.input_tokens.sole());
  CHECK(plan.classes.front().answers.output_tokens.sole() ==
        fresh.classes.front().answers.output_tokens.sole());
  CHECK(plan.output.comfort == fresh.output.comfort);
  CHECK(plan.retries == fresh.retries);
  CHECK(plan.classes.front().prompts.image_width == fresh.classes.front().prompts.image_width);
  CHECK(plan.classes.front().prompts.turns.sole() == fresh.classes.front().prompts.turns.sole());
  CHECK(plan.classes.front().prompts.think_time.a == fresh.classes.front().prompts.think_time.a);
  CHECK(plan.classes.front().cancel.share == fresh.classes.front().cancel.share);
}

TEST_CASE("run options: the simulator takes a preset, faults and a truth file and no key") {
  const Variables variables{{"OPENAI_API_KEY", "sk-1"}, {"OPENAI_BASE_URL", "http://elsewhere"}};
  const RunRequest bare = run_of(words_of("run --sim"), variables);
  REQUIRE(bare.plan.simulator.has_value());
  CHECK(bare.plan.simulator->preset == sim::ServerOptions{}.preset);
  CHECK(bare.plan.targets.front().url.empty());
  CHECK(bare.plan.targets.front().api_key.empty());
  const RunRequest full =
      run_of(words_of("run --sim fixed:ttft=50ms,itl=10ms --fault 429:10% --fault reset --truth t.jsonl"));
  CHECK(full.plan.simulator->preset == "fixed:ttft=50ms,itl=10ms");
  CHECK(full.plan.simulator->faults == std::vector<std::string>{"429:10%", "reset"});
  CHECK(full.plan.simulator->truth == "t.jsonl");
  CHECK(run_of(words_of("run --sim -c 4")).plan.simulator->preset == sim::ServerOptions{}.preset);
}

TEST_CASE("run options: behind a double dash stands the URL") {
  CHECK(run_of(words_of("run -c 8 -- http://other")).plan.targets.front().url == "http://other");
}

TEST_CASE("run options: a nonce is new for other entropy and four words") {
  const auto nonce = [](std::uint64_t entropy) {
    return invoked(run_request, {"run", "http://h"}, {}, Surroundings{.entropy = entropy})
        .plan.classes.front()
        .prompts.nonce;
  };
  CHECK(nonce(1) != nonce(2));
  CHECK(nonce(1) == nonce(1));
  CHECK(words_of(nonce(1)).size() == 4);
}

TEST_CASE("run options: names of other tools that mean the same work as ours") {
  CHECK(run_of(words_of("run --base-url http://other:1 --max-concurrency 8 --num-prompts 80"))
            .plan.targets.front()
            .url == "http://other:1");
  CHECK(plan_of("--max-concurrency 8 --num-prompts 80").sweep.points.front().requests == 80u);
  CHECK(plan_of("--request-rate 5").sweep.points.front().rate == 5.0);
  CHECK(plan_of("--isl 100 --osl 50").classes.front().prompts.input_tokens.sole() == 100);
  CHECK(
      plan_of("--random-input-len 100 --random-output-len 50").classes.front().answers.output_tokens.sole() ==
      50);
  CHECK(plan_of("--ignore-eos").classes.front().answers.exact_output == true);
}
