// Errors in a command line are reported in one line that names option, value and rule.
#include "catch.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

struct ErrorCase {
  const char* line;
  const char* error;
};

const ErrorCase kNames[] = {
    {"run --concurency 8", "unknown option --concurency; did you mean --concurrency?"},
    {"run --banana-split 8", "unknown option --banana-split | infermeter run --help lists the options."},
    {"run http://h --max-concurency 8", "unknown option --max-concurency; did you mean --max-concurrency?"},
    {"compare a b --banana-split x",
     "unknown option --banana-split | infermeter compare --help lists the options."},
    {"report a --banana-split x",
     "unknown option --banana-split | infermeter report --help lists the options."},
    {"run -x", "unknown option -x | infermeter run --help lists the options."},
    {"run http://h http://i",
     "URL: several targets need names, and 'http://h' has none | infermeter run one=http://localhost:8000 "
     "two=http://localhost:8001\nReplicas of one server stand in one argument: http://a:8000,http://b:8000"},
    {"run a=http://h a=http://i", "URL: two targets are called 'a'"},
    {"run --help loads",
     "--help: 'loads' is neither a group nor an option; did you mean load? | infermeter run --help all lists "
     "every option."},
    {"completions", "completions: no shell given | infermeter completions bash"},
    {"completions tcsh", "SHELL: 'tcsh' is not one of bash, zsh, fish"},
    {"scenarios chat voice", "'voice' is one argument too many"},
    {"run http://h --scenario chatt", "--scenario: no scenario is called 'chatt'; did you mean chat?"},
    {"run http://h --rate", "--rate needs a value"},
    {"run http://h --rate=", "--rate: '' is not a number such as 2.5 or 4k"},
    {"run http://h --label=", "--label: '' is not of the form K=V"},
    {"simulate --porto 1", "unknown option --porto; did you mean --port?"},
    {"report", "report: no folder given | infermeter report results/20261129-121501-llama-3.1-8b"},
    {"report out --plot --format csv", "--plot: draws below the table; --format html has its own charts"},
    {"runn", "unknown command 'runn'; did you mean run?"},
    {"rnu", "unknown command 'rnu'; did you mean run?"},
    {"bench", "unknown command 'bench' | infermeter --help lists the commands."},
    {"http://h", "a URL is measured by `infermeter run URL`"},
    {"--concurrency 8 run",
     "--concurrency stands before a command | infermeter run [URL] [OPTIONS]; infermeter --help lists the "
     "commands."},
};

const ErrorCase kHints[] = {
    {"run --vus 8", "unknown option --vus: use -c N (--concurrency)"},
    {"run --iterations=8", "unknown option --iterations: use -n N (--requests)"},
    {"run --max-seconds 30", "unknown option --max-seconds: use --duration 30s, with its unit"},
    {"run --target http://h",
     "unknown option --target: the URL stands alone: infermeter run http://localhost:8000 | The whole line "
     "here:\ninfermeter run http://h"},
    {"run --backend vllm",
     "unknown option --backend: the URL decides (…/v1 is chat, …/v1/completions text completion), or "
     "--endpoint KIND"},
    {"run --output-format json", "unknown option --output-format: use --format table|json|csv|…"},
    {"run --users 8", "unknown option --users: use -c N (--concurrency)"},
    {"run -k", "unknown option -k: use --insecure"},
    {"run --requests-per-second 5", "unknown option --requests-per-second: use --rate R"},
    {"run --no-warmup", "unknown option --no-warmup: use --warmup 0: nothing is left out then"},
    {"run --model-names llama", "unknown option --model-names: use --model NAME"},
    {"run --concurrency-range 1:8",
     "unknown option --concurrency-range: several values make a sweep: -c 1,2,4,8, or --rate 1,2,5"},
    {"run --tokenizer x", "unknown option --tokenizer: none is needed: the server counts the tokens"},
    {"run --config_file x", "unknown option --config_file: use --config F (TOML)"},
};

const ErrorCase kValues[] = {
    {"run http://h -c 0", "--concurrency: '0' is not in 1 … 100,000"},
    {"run http://h -c 100001", "--concurrency: '100001' is not in 1 … 100,000"},
    {"run http://h -c 1.5", "--concurrency: '1.5' is not a whole number such as 128, 4k or 8_192"},
    {"run http://h -c 1,,8", "--concurrency: '' is not a whole number such as 128, 4k or 8_192"},
    {"run http://h -n x", "--requests: 'x' is not a whole number such as 128, 4k or 8_192"},
    {"run http://h --max-concurrency x",
     "--max-concurrency: 'x' is not a whole number such as 128, 4k or 8_192"},
    {"run http://h -n 0", "--requests: '0' is not at least 1"},
    {"run http://h -n 0x", "--requests: '0x' is not at least 1"},
    {"run http://h -n 2000M", "--requests: '2000M' is above 1,000,000,000"},
    {"run http://h --rate 5 -n 10x", "--requests: '10x' counts per slot, and an open loop has none"},
    {"run http://h -d 30", "--duration: '30' is not a duration such as 250ms, 30s, 1.5m or 2h"},
    {"run http://h -d 0", "--duration: '0' is not above 0"},
    {"run http://h --rate 0", "--rate: '0' is not above 0"},
    {"run http://h --rate -5", "--rate: '-5' is not above 0"},
    {"run http://h --rate inf",
     "--rate: 'inf' is not a rate | For as many as the server takes use a closed loop: -c N without --rate."},
    {"run http://h --rate 2M", "--rate: '2M' is above 1,000,000 requests per second"},
    {"run http://h --rate 5 --arrival burst",
     "--arrival: 'burst' is not one of constant, poisson, gamma:CV, trace"},
    {"run http://h --rate 5 --arrival gamma:0", "--arrival: 'gamma:0' has no CV above 0"},
    {"run http://h --rate 5 --burstiness 0", "--burstiness: '0' is not above 0"},
    {"run http://h --rate 5 --max-in-flight 8 --on-cap queue", "--on-cap: 'queue' is not one of wait, drop"},
    {"run http://h --warmup 10q", "--warmup: '10q' is not a whole number such as 128, 4k or 8_192"},
    {"run http://h --timeout-gap 0", "--timeout-gap: '0' is not above 0"},
    {"run http://h --format xml",
     "--format: 'xml' is not one of table, json, csv, tsv, markdown, junit, github, vllm, html"},
    {"report out --per-request",
     "--per-request goes with --format csv, tsv | The other formats have one form each."},
    {"run http://h --progress bars", "--progress: 'bars' is not one of auto, bar, plain, json, none"},
    {"run http://h --timestamps tsc", "--timestamps: 'tsc' is not one of kernel, user"},
    {"run http://h --max-error-rate 10", "--max-error-rate: '10' is not a share such as 10% or 0.1"},
    {"run http://h --label x", "--label: 'x' is not of the form K=V"},
    {"run http://h --resolve h:1", "--resolve: 'h:1' is not of the form host:port:address"},
    {"run http://h --prompt-file /nonexistent", "--prompt-file: '/nonexistent' cannot be read"},
    {"run http://h --api-key-file /nonexistent", "--api-key-file: '/nonexistent' cannot be read"},
    {"run http://h --http2=maybe", "--http2: 'maybe' is neither true nor false"},
    {"run ftp://h", "URL 'ftp://h' does not begin with http:// or https://"},
    {"run http://h:0", "URL 'http://h:0' has no port in 1 … 65535 after the colon"},
    {"run http://h --arrival trace", "--arrival: 'trace' needs --workload FILE, whose timestamps it replays"},
    {"run http://h --rate 5 --replay-speed 2", "--replay-speed needs --arrival"},
    {"run http://h --stages 9s:2,9s:2 --rate 1,2", "--rate: '1,2' is a sweep, and stages are one load"},
    {"run http://h --stages 9s:2,9s:2 --rate 0", "--rate: '0' is not above 0"},
    {"run http://h --shape 1k/", "--shape: '' is not a whole number such as 128, 4k or 8_192"},
    {"run http://h --workload none.jsonl",
     "--workload: 'none.jsonl' cannot be read | A workload is `synthetic`, a file, or FORMAT:FILE."},
    {"run http://h --workload foo:x",
     "--workload: 'foo:x' cannot be read | Formats: text, jsonl, sharegpt, batch, mooncake, azure."},
    {"run http://h --workload shargpt:x",
     "--workload: 'shargpt:x' cannot be read | Did you mean sharegpt:x? Formats: text, jsonl, sharegpt, "
     "batch, "
     "mooncake, azure."},
    {"run http://h -c 1-64",
     "--concurrency: '1-64' is a range | A sweep lists its values: -c 1,2,4,8,16,32,64"},
    {"run http://h -c 4..10", "--concurrency: '4..10' is a range | A sweep lists its values: -c 4,8,10"},
    {"run http://h --rate 0.5-2", "--rate: '0.5-2' is a range | A sweep lists its values: --rate 0.5,1,2"},
    {"run http://h --input-tokens 512-1024",
     "--input-tokens: '512-1024' is a range; did you mean uniform:512,1024?"},
    {"run http://h --turns 2-4", "--turns: '2-4' is a range; did you mean uniform:2,4?"},
    {"run http://h --shape 512:128", "--shape: '512:128' is not of the form IN/OUT; did you mean 512/128?"},
    {"run http://h --tools none.json", "--tools: 'none.json' cannot be read"},
    {"run http://h --images 1 --image-size 5", "--image-size: '5' is not of the form 640x480"},
    {"run http://h --images 1 --image-size 5x0", "--image-size: '5x0' has a side that is not in 1 … 8,192"},
    {"run http://h --cancel-after 0",
     "--cancel-after: '0' is neither a time such as 150ms nor a number of tokens such as 20"},
    {"run http://h --temperature hot", "--temperature: 'hot' is not a number such as 2.5 or 4k"},
    {"run http://h --temperature -1", "--temperature: '-1' is below 0"},
    {"run http://h --top-p 1.5", "--top-p: '1.5' is not a share in 0 … 1"},
    {"run http://h --thinking maybe", "--thinking: 'maybe' is not one of unsaid, on, off"},
    {"run http://h --endpoint speech",
     "--endpoint: 'speech' is not one of chat, completions, responses, messages, embeddings, rerank"},
    {"run http://h --auth-header a:b", "--auth-header: takes the name of a header, not its value"},
    {"run http://h --on-rate-limit go", "--on-rate-limit: 'go' is not one of count, wait, stop"},
    {"run http://h --max-cost 0", "--max-cost: '0' is not above 0"},
    {"run http://h --price-input -1", "--price-input: '-1' is below 0"},
    {"run http://h --start-at 11:59",
     "--start-at: '11:59' has passed | Times are UTC; another day needs its date: 2026-01-31T12:00:00Z."},
    {"simulate --port 70000", "--port: '70000' is not in 0 … 65,535"},
    {"simulate --time-scale 0", "--time-scale: '0' is not above 0"},
};

const ErrorCase kTogether[] = {
    {"run http://h --rate 5 -c 8",
     "--rate and --concurrency exclude each other | --rate is an open loop; --max-in-flight N caps its "
     "requests in flight."},
    {"run http://h --request-rate 5 --max-concurrency 8",
     "--request-rate and --max-concurrency exclude each other | --rate is an open loop; --max-in-flight N "
     "caps its requests in flight.\nThe whole line here:\ninfermeter run http://h --rate 5 --max-in-flight "
     "8"},
    {"run http://h --prompt a --prompt-file f", "--prompt and --prompt-file exclude each other"},
    {"run http://h --prompt a --isl 8",
     "--prompt and --isl exclude each other | Your own prompts are sent as they are."},
    {"run http://h --request-rate inf --max-concurrency 8",
     "--request-rate: 'inf' is not a rate | For as many as the server takes use a closed loop: -c N "
     "without --rate.\nThe whole line here:\ninfermeter run http://h -c 8"},
    {"run http://h --arrival poisson", "--arrival needs --rate or --stages"},
    {"run http://h --think-time 1s", "--think-time needs --turns or --workload"},
    {"run http://h --cancel-share 5%", "--cancel-share needs --cancel-after"},
    {"run http://h --prime", "--prime needs --shared-prefix-tokens"},
    {"run http://h --stages 60s:20,60s:20 -c 4",
     "--stages and --concurrency exclude each other | The stages set the requests in flight; with --rate, "
     "the requests per second."},
    {"run http://h --stages 60s:20 -d 5s",
     "--stages and --duration exclude each other | The stages define the length of the run."},
    {"run http://h --json-mode --json-schema {}",
     "--json-mode and --json-schema exclude each other | A schema asks for JSON already."},
    {"run http://h --alternate", "--alternate needs several targets"},
    {"run a=http://h b=http://i --alternate --sequential", "--alternate and --sequential exclude each other"},
    {"run http://h --price-input 1 --price-per-hour 2",
     "--price-input and --price-per-hour exclude each other | A target is paid by the token or by the hour."},
    {"run http://h --price-output 1 --price-per-hour 2",
     "--price-output and --price-per-hour exclude each other | A target is paid by the token or by the "
     "hour."},
    {"run a=http://h b=http://i --alternate --stages 9s:2,9s:2",
     "--alternate and --stages exclude each other | Blocks of a ramp are not equal: --sequential gives "
     "each target the whole ramp."},
    {"run http://h --stages 9s:2,9s:2 -n 10",
     "--stages and --requests exclude each other | Stages of requests in flight end by themselves."},
    {"run http://h --rate 5 --max-in-flight 8 --turns 2,4",
     "--max-in-flight and --turns exclude each other | A conversation would occupy its slot during "
     "think time."},
    {"run http://h --shape 1k/8 --workload f.jsonl",
     "--shape and --workload exclude each other | A data file has its own prompts."},
    {"run http://h --shape 1k/8 --prompt-file f",
     "--shape and --prompt-file exclude each other | Your own prompts are sent as they are."},
    {"run http://h --resume one --out two",
     "--resume and --out exclude each other | The result goes into the folder that is resumed."},
    {"run http://h --quick", "--quick needs a --scenario, or a --config file with a [quick] table"},
    {"run http://h --rate 5 --on-cap drop", "--on-cap needs --max-in-flight"},
    {"run http://h --key sk-1", "--key needs --cert"},
    {"run http://h --fault 429", "--fault needs --sim"},
    {"run http://h --truth t", "--truth needs --sim"},
    {"run http://h --sim",
     "--sim and URL exclude each other | --sim measures the built-in simulator, a URL a server."},
    {"run --sim http://h",
     "--sim and a URL exclude each other | --sim measures the built-in simulator, a URL a server."},
    {"run http://h -q --progress bar", "--quiet and --progress exclude each other | -q is --progress none."},
};

template <std::size_t n>
void check_all(const ErrorCase (&cases)[n]) {
  for (const auto& c : cases) CHECK(error_of(std::string(c.line)) == c.error);
}

}  // namespace

TEST_CASE("option errors: an unknown name is answered by the nearest one") { check_all(kNames); }
TEST_CASE("option errors: another tool's name is answered by ours") { check_all(kHints); }
TEST_CASE("option errors: a wrong value is named with its rule") { check_all(kValues); }
TEST_CASE("option errors: options that do not go together say so") { check_all(kTogether); }

TEST_CASE("option errors: without a server the error names the URL, the variable and the simulator") {
  const std::string error = error_of("run -c 8");
  CHECK(error.starts_with("no server to measure: give its URL, or set OPENAI_BASE_URL | "));
  CHECK(error.find("infermeter run --sim") != std::string::npos);
}

TEST_CASE("option errors: a wrong OPENAI_BASE_URL is named as such") {
  CHECK(error_of("run", {{"OPENAI_BASE_URL", "ftp://h"}}) ==
        "OPENAI_BASE_URL: URL 'ftp://h' does not begin with http:// or https://");
}

TEST_CASE("option errors: JSON nested too deep is refused by option, file, depth and limit") {
  const std::string deep = std::string(80'000, '[') + std::string(80'000, ']');
  const test::TemporaryFile file(deep);
  const std::string depth = "nested 80,000 levels deep; 256 at most are read";
  for (const std::string option : {"--json-schema", "--tools"}) {
    CHECK(error_of("run http://h " + option + " " + deep) == option + ": " + depth);
    CHECK(error_of("run http://h " + option + " " + file.path()) ==
          option + " " + file.path() + ": " + depth);
  }
  CHECK(error_of("run http://h --extra-body " + deep) == "--extra-body: " + depth);
}
