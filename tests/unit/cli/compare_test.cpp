#include "cli/saved.hpp"

#include "../io/temporary_folder.hpp"
#include "catch.hpp"
#include "infermeter/report/result_json.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"
#include "parsing.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using infermeter::test::has;

namespace {

/// The i-th of requests that follow one another in two slots, then 9 gaps of 10 ms.
RequestRecord compared_answer(std::uint64_t i, std::int64_t ttft_us) {
  const auto start = static_cast<std::int64_t>(i / 2 * 241'000);
  RequestRecord r;
  r.id = i;
  r.phase = i < 2 ? Phase::warmup : Phase::measured;
  r.intended_us = r.started_us = start;
  r.sent_us = start + 20;
  r.headers_us = r.first_byte_us = r.first_event_us = r.first_token_us = r.first_output_us =
      *r.sent_us + ttft_us + static_cast<std::int64_t>(i * 7 % 100);
  r.last_token_us = *r.first_token_us + 90'000;
  r.end_us = *r.last_token_us + 50;
  r.status = 200;
  r.events = r.reads = 10;
  r.output_tokens = 10;
  r.prompt_tokens = 64;
  r.token_source = TokenSource::usage;
  r.finish_reason = "length";
  r.gaps_us.assign(9, 10'000);
  return r;
}

RunResult compared_run(std::uint32_t concurrency) {
  RunResult run;
  run.tool_version = "0.1.0";
  run.run_id = "r";
  run.complete = true;
  run.targets.resize(1);
  run.targets[0].url = "http://localhost:8000/v1/chat/completions";
  run.targets[0].model = "m";
  PointResult& point = run.points.emplace_back();
  point.load.concurrency = concurrency;
  point.load.arrival = Arrival::closed;
  point.load.requests = 200;
  point.load.warmup_requests = 2;
  return run;
}

class Results {
 public:
  std::string folder(const std::string& name, std::int64_t ttft_us, std::uint32_t concurrency = 2) const {
    ResultFolder folder(base_.file(name));
    folder.write_result(result_to_json(compared_run(concurrency)));
    RecordsFile file(folder.records_path());
    for (std::uint64_t i = 0; i < 200; ++i) file.append(compared_answer(i, ttft_us));
    return folder.path();
  }
  std::string file(const std::string& name, const std::string& text) const {
    write_file_atomically(base_.file(name), text);
    return base_.file(name);
  }
  std::string path(const std::string& name) const { return base_.file(name); }

 private:
  TemporaryFolder base_;
};

std::string compared(std::vector<std::string> paths, const std::string& format = "table") {
  return render_compare({std::move(paths), format, false}, {.width = 80, .color = false, .ascii = false});
}

constexpr const char* kVllm =
    R"({"date": "20261129-121501", "backend": "openai-chat", "model_id": "m", "num_prompts": 100,
 "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 2, "duration": 10.0, "completed": 100,
 "failed": 0, "total_input_tokens": 6400, "total_output_tokens": 1000, "request_throughput": 10.0,
 "output_throughput": 100.0, "total_token_throughput": 740.0, "mean_ttft_ms": 55.0, "median_ttft_ms": 55.0,
 "std_ttft_ms": 1.0, "p99_ttft_ms": 58.0, "mean_itl_ms": 10.0, "median_itl_ms": 10.0, "p99_itl_ms": 10.0})";

}  // namespace

TEST_CASE("compare: two saved folders show what became slower and what did not") {
  const Results results;
  const std::string text = compared({results.folder("a", 50'000), results.folder("b", 60'000)});
  CHECK(has(text, " concurrency 2 "));
  CHECK(has(text, " TTFT p50            ms"));
  CHECK(has(text, "+20.0 %"));
  CHECK(has(text, "worse"));
  CHECK(has(text, " TPOT p50            ms"));
  CHECK(has(text, "same"));
}

TEST_CASE("compare: a result.json is read with the records beside it") {
  const Results results;
  const std::string a = results.folder("a", 50'000), b = results.folder("b", 60'000);
  const std::string by_folder = compared({a, b});
  std::string by_file = compared({a + "/result.json", b + "/result.json"});
  CHECK(has(by_file, "+20.0 %"));
  CHECK(by_file.substr(by_file.find("against A")) == by_folder.substr(by_folder.find("against A")));
}

TEST_CASE("compare: a file of vLLM bench is marked, and its definitions are named") {
  const Results results;
  const std::string text = compared({results.folder("a", 50'000), results.file("v.json", kVllm)});
  CHECK(has(text, "vLLM bench"));
  CHECK(has(text, "empty role"));
  CHECK(has(text, "ICL p50"));
  CHECK(has(text, "+9.9 %"));
}

TEST_CASE("compare: a workload that differs is marked, and compared all the same") {
  const Results results;
  const std::string text = compared({results.folder("a", 50'000), results.folder("b", 60'000, 4)});
  CHECK(has(text, "B is not the same kind of run as A"));
  CHECK(has(text, "A concurrency 2, B concurrency 4"));
}

TEST_CASE("compare: JSON and Markdown are what they were asked for") {
  const Results results;
  const std::string a = results.folder("a", 50'000);
  CHECK(compared({a, a}, "json").starts_with("{\n  \"schema_version\": 1,"));
  CHECK(compared({a, a}, "markdown").starts_with("## "));
}

TEST_CASE("compare: what cannot be read is named") {
  const Results results;
  const std::string a = results.folder("a", 50'000), missing = results.path("nowhere");
  const std::string other = results.file("x.json", "{\"a\": 1}");
  CHECK(has(complaint<EnvironmentError>([&] { compared({a, missing}); }), "cannot read " + missing));
  CHECK(has(complaint<EnvironmentError>([&] { compared({a, other}); }), other + ": "));
}

TEST_CASE("compare: --against puts another result first, by its path or the end of it") {
  const auto paths = [](const std::vector<std::string>& words) {
    return test::invoked(compare_request, words).paths;
  };
  using Paths = std::vector<std::string>;
  CHECK(paths({"compare", "r/a", "r/b/", "r/c", "--against", "c"}) == Paths{"r/c", "r/a", "r/b/"});
  CHECK(paths({"compare", "r/a", "r/b/", "--against", "b"}) == Paths{"r/b/", "r/a"});
  CHECK(paths({"compare", "r/a", "r/b", "--against", "r/b"}) == Paths{"r/b", "r/a"});
  CHECK_THROWS_WITH(test::parse({"compare", "a", "b", "--against", "x"}),
                    "--against: 'x' is none of the results");
}

TEST_CASE("compare: fewer than two results are a usage error") {
  CHECK_THROWS_AS(test::parse({"compare"}), UsageError);
  CHECK_THROWS_AS(test::parse({"compare", "a"}), UsageError);
  CHECK_THROWS_AS(test::parse({"compare", "a", "b", "--format", "csv"}), UsageError);
}

TEST_CASE("compare: results, format and width are read") {
  const auto request =
      test::invoked(compare_request, {"compare", "a", "b", "c", "--format", "markdown", "--wide"});
  CHECK(request.paths == std::vector<std::string>{"a", "b", "c"});
  CHECK(request.format == "markdown");
  CHECK(request.wide);
}
