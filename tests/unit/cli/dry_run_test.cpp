#include "cli/run.hpp"

#include "catch.hpp"
#include "parsing.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

TEST_CASE("dry run: a closed loop shows target, load and one whole body") {
  const RunRequest request =
      run_of(words_of("run localhost:8000 -c 32 -d 30s --prompt Hello --model llama --output-tokens 8"));
  CHECK(dry_run_text(request.plan) == R"(Plan, nothing is sent
  Target     http://localhost:8000/v1/chat/completions
  Key        none
  Model      llama
  Load       concurrency 32
  Length     30 s after 32 warm-up requests
  Schedule   none: a slot sends its next request when one ends
  Workers    chosen from the load and the cores
  Seed       1
  Prompts    the given text
  Answers    up to 8 tokens, streamed
  Tokens     about 1 prompt + up to 8 output tokens a request; how many are sent depends on the server
  Cost       not known: no prices are given (--price-input, --price-output, --price-per-hour)
  Result     results/<UTC time>-<model>
  Command    infermeter run localhost:8000 --concurrency 32 --duration 30s --prompt Hello --model llama --output-tokens 8

Body of the first request
{"model":"llama","messages":[{"role":"user","content":"Hello"}],"max_tokens":8,"stream":true,"stream_options":{"include_usage":true}}
)");
}

TEST_CASE("dry run: an open loop shows its schedule") {
  const RunRequest request =
      run_of(words_of("run --sim --rate 2 --arrival constant --warmup 1 -n 3 --max-in-flight 8 --nonce same "
                      "--input-tokens 8 -o out"));
  CHECK(dry_run_text(request.plan) == R"(Plan, nothing is sent
  Target     built-in simulator, h100-8b
  Model      the preset's
  Load       2 requests/s, evenly spaced
             at most 8 in flight, then waiting in the client
  Length     3 requests after 1 warm-up request
  Schedule   1 warm-up + 3 measured requests, hash 0dbdeb84962a8f27
             first at 0.0000 0.5000 1.0000 1.5000 s; measured from 0.5000 s to 1.5000 s
  Workers    chosen from the load and the cores
  Seed       1
  Prompts    synthetic, 8 tokens, calibrated against the server
  Nonce      same
  Answers    up to 128 tokens, forced where the server is known to take it, streamed
  Tokens     32 prompt + up to 512 output tokens, in 4 requests with warm-up
  Cost       not known: no prices are given (--price-input, --price-output, --price-per-hour)
  Result     out
  Command    infermeter run --sim --rate 2 --arrival constant --warmup 1 --requests 3 --max-in-flight 8 --nonce same --input-tokens 8 --out out

Body of the first request
{"model":"<model>","messages":[{"role":"user","content":"same center next happy only read board."}],"max_tokens":128,"stream":true,"stream_options":{"include_usage":true},"ignore_eos":true}
)");
}

TEST_CASE("dry run: no key, header value or credential is shown") {
  const RunRequest request = run_of({"run", "https://h/v1?api-key=s3cr3t", "-H", "X-Auth: s3cr3t", "--proxy",
                                     "http://me:s3cr3t@p:1", "--model", "m"},
                                    {{"OPENAI_API_KEY", "s3cr3t"}});
  const std::string text = dry_run_text(request.plan);
  CHECK(text.find("s3cr3t") == std::string::npos);
  CHECK(text.find("  Key        sent, not shown\n") != std::string::npos);
  CHECK(text.find("  Header     X-Auth: ****\n") != std::string::npos);
  CHECK(text.find("  Proxy      http://****@p:1\n") != std::string::npos);
}

TEST_CASE("dry run: escapes and names of 100 kB of the command line reached the terminal") {
  const std::string big(100'000, 'x');
  const RunRequest request = run_of({"run", "localhost:8000", "--prompt", "a\x1b[2J\u009b\u202e", "--model",
                                     "m\u009b2J\u202e", "--label", "a=\x1b]0;t\x07", "--session-header",
                                     "X-" + big, "--turns", "2", "-H", "Y-" + big + ": a"});
  const std::string text = dry_run_text(request.plan);
  CHECK(text.find_first_of("\x1b\x07") == std::string::npos);
  CHECK(text.find("\u009b") == std::string::npos);
  CHECK(text.find("\u202e") == std::string::npos);
  CHECK(text.find("  Model      m 2J?\n") != std::string::npos);
  CHECK(text.find(R"("content":"a\u001b[2J\u009b\u202e")") != std::string::npos);
  CHECK(text.size() < 10'000);
}

TEST_CASE("dry run: a sweep shows each point, and each class and target its body") {
  const TemporaryFile file(
      "cooldown = \"2s\"\n[[class]]\nname = \"a\"\nprompt = \"Hello\"\nslo = \"ttft<1s\"\n"
      "[[class]]\nname = \"b\"\nprompt = \"Good day\"\nprobe = true\ncancel_after = \"150ms\"\n");
  const RunRequest request = run_of(words_of(
      "run one=http://h two=http://i/v1/completions --model m -c 1,8 -n 10x --config " + file.path()));
  const std::string text = dry_run_text(request.plan);
  const std::string end = text.substr(text.find("\nBody"));
  CHECK(text.substr(0, text.find("  Command")) == R"(Plan, nothing is sent
  Targets    2, at the same time
  Target     one: http://h/v1/chat/completions
  Key        none
  Model      m
  Target     two: http://i/v1/completions
  Key        none
  Model      m
  Points     2, each with its own nonce, warm-up and drain
       1     concurrency 1; 10 requests after 1 warm-up request
       2     concurrency 8; 80 requests after 8 warm-up requests
  Cooldown   2 s
  Workers    chosen from the load and the cores
  Seed       1
  Class      a: a share of 1.00
  Prompts    the given text
  Answers    up to 128 tokens, streamed
  SLO        ttft<1s
  Class      b: concurrency 1 of its own, a probe
  Prompts    the given text
  Answers    up to 128 tokens, streamed
  Cancel     after 150 ms, 100 % of the requests
  Tokens     each target: about 1 prompt + up to 128 output tokens a request; how many are sent depends on the server
  Cost       each target: not known: no prices are given (--price-input, --price-output, --price-per-hour)
  Result     results/<UTC time>-<model>
)");
  CHECK(end == R"(
Body of the first request, class a, to one
{"model":"m","messages":[{"role":"user","content":"Hello"}],"max_tokens":128,"stream":true,"stream_options":{"include_usage":true}}

Body of the first request, class a, to two
{"model":"m","prompt":"Hello","max_tokens":128,"stream":true,"stream_options":{"include_usage":true}}

Body of the first request, class b, to one
{"model":"m","messages":[{"role":"user","content":"Good day"}],"max_tokens":128,"stream":true,"stream_options":{"include_usage":true}}

Body of the first request, class b, to two
{"model":"m","prompt":"Good day","max_tokens":128,"stream":true,"stream_options":{"include_usage":true}}
)");
}

TEST_CASE("dry run: a trace shows its speed") {
  const std::string text = dry_run_text(plan_of(
      "--arrival trace --replay-speed 2x --workload " INFERMETER_TEST_DATA "/workloads/mooncake.jsonl"));
  CHECK(text.find("  Load       trace at 2x\n") != std::string::npos);
  CHECK(text.find("  Length     to the trace's end after 0 warm-up requests\n") != std::string::npos);
  CHECK(text.find("  Schedule   0 warm-up + ") != std::string::npos);
}

TEST_CASE("dry run: stages and the start are shown") {
  const std::string text = dry_run_text(plan_of("--stages 10s:4,20s:4,5s:0 --start-at 12:30"));
  CHECK(text.find("  Load       concurrency in stages 10s:4,20s:4,5s:0\n") != std::string::npos);
  CHECK(text.find("  Start      2026-01-31T12:30:00Z\n") != std::string::npos);
}

TEST_CASE("dry run: the same schedule hash stands for one worker and for two") {
  const auto text = [](const std::string& workers) {
    return dry_run_text(plan_of("--rate 200 -d 10s --nonce x --workers " + workers));
  };
  const auto hash = [](const std::string& shown) { return shown.substr(shown.find("hash "), 21); };
  CHECK(hash(text("1")) == hash(text("2")));
}

TEST_CASE("dry run: an extra body that is no object is a usage error") {
  CHECK_THROWS_AS(dry_run_text(plan_of("--extra-body [1]")), UsageError);
}

TEST_CASE("dry run: output_tokens in a --prompt-file is the limit of its answer") {
  const TemporaryFile file("{\"prompt\":\"Why?\",\"output_tokens\":40}\n{\"prompt\":\"How?\"}\n");
  const auto text = dry_run_text(run_of({"run", "http://h", "--prompt-file", file.path(), "-n", "4"}).plan);
  CHECK(text.find("\"content\":\"Why?\"}],\"max_tokens\":40") != std::string::npos);
}

TEST_CASE("dry run: a --prompt-file of plain lines is sent line by line, and an unknown key is an error") {
  const TemporaryFile lines("\xef\xbb\xbfWhy?\r\n\n  \nWhat {is} it?\n");
  const auto text = dry_run_text(run_of({"run", "http://h", "--prompt-file", lines.path(), "-n", "4"}).plan);
  CHECK(text.find("\"content\":\"Why?\"") != std::string::npos);
  const TemporaryFile unknown("{\"prompt\":\"a\",\"ouput_tokens\":4}\n");
  const auto plan = run_of({"run", "http://h", "--prompt-file", unknown.path()}).plan;
  std::string error;
  try {
    dry_run_text(plan);
  } catch (const UsageError& refused) {
    error = refused.what();
  }
  CHECK(error.find("line 1: has an unknown key `ouput_tokens`") != std::string::npos);
}

TEST_CASE("dry run: loads with under three requests a slot are named with the number to ask for") {
  const auto text = dry_run_text(plan_of("-c 4,8,16,32,48 -n 80"));
  CHECK(text.find("concurrency 32, 48: 80 requests are too few for a steady rate, which takes three requests "
                  "a slot: -n 144, or -n 3x") != std::string::npos);
  CHECK(dry_run_text(plan_of("-c 16 -n 48")).find("too few") == std::string::npos);
  CHECK(dry_run_text(plan_of("-n 1")).find("too few") == std::string::npos);
  CHECK(dry_run_text(plan_of("-c 32 -d 30s")).find("too few") == std::string::npos);
}

namespace {

/// The text behind "Tokens" or "Cost" in a plan.
std::string line_of(const std::string& options, const std::string& title) {
  const std::string text = dry_run_text(plan_of(options));
  const std::size_t at = text.find("\n  " + title + ' ');
  if (at == std::string::npos) return "none";
  const std::size_t from = at + 14;
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

TEST_CASE("dry run: the tokens are those of all planned requests with warm-up") {
  CHECK(line_of("-c 4 -n 72", "Tokens") ==
        "38,912 prompt + up to 9,728 output tokens, in 76 requests with warm-up");
  CHECK(line_of("--rate 2 --arrival constant --warmup 10 -n 30", "Tokens") ==
        "20,480 prompt + up to 5,120 output tokens, in 40 requests with warm-up");
  CHECK(line_of("-c 1,4 -n 10x --shape 1k/64", "Tokens") ==
        "55,000 prompt + up to 3,520 output tokens, in 55 requests with warm-up");
  CHECK(line_of("-c 1 -n 9 --input-tokens uniform:100,300 --choices 2", "Tokens") ==
        "about 2,000 prompt + up to 2,560 output tokens, in 10 requests with warm-up");
  CHECK(line_of("-c 4 -d 30s", "Tokens") ==
        "512 prompt + up to 128 output tokens a request; how many are sent depends on the server");
  CHECK(line_of("--endpoint embeddings --batch-size 8 -c 1 -n 9", "Tokens") ==
        "40,960 prompt + up to 0 output tokens, in 10 requests with warm-up");
}

TEST_CASE("dry run: each turn of a conversation sends the ones before again") {
  CHECK(line_of("-c 1 -n 9 --turns 3 --input-tokens 100 --output-tokens 10", "Tokens") ==
        "about 6,300 prompt + up to 300 output tokens, in 10 conversations with warm-up");
}

TEST_CASE("dry run: the cost follows from the given prices, and is not known without") {
  CHECK(line_of("-c 4 -n 72 --price-input 1 --price-output 10", "Cost") == "up to $0.136");
  CHECK(line_of("-c 4 -d 30s --price-input 1 --price-output 10", "Cost") == "up to $0.00179 a request");
  CHECK(line_of("-c 4 -n 72", "Cost") ==
        "not known: no prices are given (--price-input, --price-output, --price-per-hour)");
  CHECK(line_of("--rate 5 -d 55s --warmup 5s --price-per-hour 60", "Cost") ==
        "about $1.00 for 60 s, at $60.0 an hour");
  CHECK(line_of("-c 4 -n 72 --price-per-hour 60", "Cost") == "$60.0 an hour");
}

TEST_CASE(
    "dry run: the most that a run may cost reckons with prompts written to the cache, as --max-cost does") {
  CHECK(line_of("-c 4 -n 72 --price-input 1 --price-cache-write 5 --price-output 10", "Cost") ==
        "up to $0.292");
  CHECK(line_of("-c 4 -n 72 --price-input 1 --price-cache-write 0.5 --price-output 10", "Cost") ==
        "up to $0.136");
}

TEST_CASE("dry run: means of drawn lengths are said as such, and are no bound") {
  const std::string drawn = "-c 4 -n 72 --output-tokens lognormal:100,0.5 --price-input 1 --price-output 10";
  CHECK(line_of(drawn, "Tokens").starts_with("about 38,912 prompt + about "));
  CHECK(line_of(drawn, "Cost").starts_with("about $"));
  CHECK(line_of("-c 4 -n 72 --input-tokens lognormal:100,0.5 --price-input 1 --price-output 10", "Cost")
            .starts_with("about $"));
}

TEST_CASE("dry run: tokens without a price are not counted as free") {
  CHECK(line_of("-c 4 -n 72 --price-input 1", "Cost") ==
        "up to $0.0389 for the prompts; the price of the output is not known (--price-output)");
  CHECK(line_of("-c 4 -n 72 --price-output 10", "Cost") ==
        "up to $0.0973 for the output; the price of the prompts is not known (--price-input)");
  CHECK(line_of("--endpoint embeddings -c 4 -n 72 --price-input 1", "Cost") == "up to $0.0389");
}

TEST_CASE("dry run: embeddings have no answer of tokens, and a limit of the cost has its unit") {
  const std::string text = dry_run_text(plan_of("--endpoint embeddings -n 9 --max-cost 0.5 --price-input 1"));
  CHECK(text.find("  Answers ") == std::string::npos);
  CHECK(text.find("  Limit      a cost of $0.5") != std::string::npos);
}

TEST_CASE("dry run: each target has its own cost") {
  const TemporaryFile file(
      "requests = 9\nwarmup = 1\n[[target]]\nname = \"a\"\nlabel = \"A\"\nregion = \"eu\"\nurl = "
      "\"http://h\"\n"
      "price_input = 1\n[[target]]\nname = \"b\"\nurl = \"http://i\"\nmodel = \"m\"\n");
  const std::string text = dry_run_text(run_of(words_of("run --config " + file.path())).plan);
  CHECK(text.find("  Target     A: http://h/v1/chat/completions, eu\n") != std::string::npos);
  CHECK(text.find(
            "in 10 requests with warm-up\n  Cost       A: up to $0.00512 for the prompts; the price of the "
            "output is not known (--price-output)\n"
            "  Cost       b: not known: ") != std::string::npos);
}

TEST_CASE("dry run: tokens of one's own prompts are estimated") {
  const TemporaryFile file("12345678\n1234\n");
  CHECK(line_of("-c 1 -n 9 --output-tokens 10 --prompt-file " + file.path(), "Tokens") ==
        "about 15 prompt + up to 100 output tokens, in 10 requests with warm-up");
}
