// Formats made from records: vLLM's file, and one line per request.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_results.hpp"
#include "golden.hpp"
#include "infermeter/model/figures.hpp"
#include "infermeter/report/formats.hpp"
#include "report/formats/vllm_keys.hpp"
#include "report/formats/vllm_result.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

/// Sent 100 µs after it was handed over; a role-only event at 20 ms, tokens at 30, 32 and 36 ms, usage of 3.
RequestRecord answer(std::uint64_t id, std::int64_t at_us) {
  RequestRecord r;
  r.id = id;
  r.intended_us = at_us - 50;
  r.started_us = at_us;
  r.sent_us = at_us + 100;
  r.headers_us = r.first_byte_us = r.first_event_us = at_us + 20'000;
  r.first_token_us = r.first_output_us = at_us + 30'000;
  r.last_token_us = at_us + 36'000;
  r.end_us = at_us + 37'000;
  r.gaps_us = {2'000, 4'000};
  r.events = 3;
  r.prompt_tokens = 64;
  r.output_tokens = 3;
  r.token_source = TokenSource::usage;
  r.status = 200;
  r.text = "a b c";
  return r;
}

std::vector<RequestRecord> some_records() {
  std::vector<RequestRecord> records{answer(2, 2'000'000), answer(1, 1'000'000), answer(0, 0),
                                     answer(3, 2'500'000)};
  records[2].phase = Phase::warmup;
  records[3].outcome = Outcome::http_error;
  records[3].status = 502;
  records[3].error = "Bad, \"Gateway\"";
  records[3].first_event_us = records[3].first_token_us = records[3].first_output_us =
      records[3].last_token_us = {};
  records[3].gaps_us.clear();
  records[3].events = 0;
  records[3].output_tokens = records[3].prompt_tokens = {};
  records[3].asked_input_tokens = 64;
  records[3].text.clear();
  return records;
}

RunResult run_of_records() {
  RunResult run = good_run();
  run.start_monotonic_ns = 5'000'000'000;
  run.points[0].whole.window_s = 2;
  return run;
}

json vllm_of(const RunResult& run) { return json::parse(result_to_vllm(run, some_records())); }

}  // namespace

TEST_CASE(
    "vllm: the keys are those of bench serve --save-result --save-detailed of 0.32, in its order and types") {
  const std::vector<std::pair<std::string, std::string>> expected{{"date", "string"},
                                                                  {"endpoint_type", "string"},
                                                                  {"backend", "string"},
                                                                  {"label", "null"},
                                                                  {"model_id", "string"},
                                                                  {"tokenizer_id", "string"},
                                                                  {"num_prompts", "number"},
                                                                  {"gpu", "string"},
                                                                  {"branch", "string"},
                                                                  {"request_rate", "string"},
                                                                  {"burstiness", "number"},
                                                                  {"max_concurrency", "number"},
                                                                  {"duration", "number"},
                                                                  {"completed", "number"},
                                                                  {"failed", "number"},
                                                                  {"total_input_tokens", "number"},
                                                                  {"total_output_tokens", "number"},
                                                                  {"request_throughput", "number"},
                                                                  {"request_goodput", "null"},
                                                                  {"output_throughput", "number"},
                                                                  {"total_token_throughput", "number"},
                                                                  {"input_lens", "array"},
                                                                  {"output_lens", "array"},
                                                                  {"ttfts", "array"},
                                                                  {"itls", "array"},
                                                                  {"latencies", "array"},
                                                                  {"start_times", "array"},
                                                                  {"queue_times", "array"},
                                                                  {"generated_texts", "array"},
                                                                  {"errors", "array"},
                                                                  {"max_output_tokens_per_s", "number"},
                                                                  {"max_concurrent_requests", "number"},
                                                                  {"rtfx", "number"},
                                                                  {"mean_ttft_ms", "number"},
                                                                  {"median_ttft_ms", "number"},
                                                                  {"std_ttft_ms", "number"},
                                                                  {"p99_ttft_ms", "number"},
                                                                  {"mean_tpot_ms", "number"},
                                                                  {"median_tpot_ms", "number"},
                                                                  {"std_tpot_ms", "number"},
                                                                  {"p99_tpot_ms", "number"},
                                                                  {"mean_itl_ms", "number"},
                                                                  {"median_itl_ms", "number"},
                                                                  {"std_itl_ms", "number"},
                                                                  {"p99_itl_ms", "number"}};
  std::vector<std::pair<std::string, std::string>> found;
  const auto written = nlohmann::ordered_json::parse(result_to_vllm(run_of_records(), some_records()));
  for (const auto& [key, value] : written.items()) found.emplace_back(key, value.type_name());
  CHECK(found == expected);
  CHECK(written["duration"].is_number_float());
  CHECK(written["completed"].is_number_integer());
  CHECK(written["rtfx"].is_number_float());
}

TEST_CASE("vllm: TTFT ends at the first event and the gap to the first token is an ITL, in seconds") {
  const json file = vllm_of(run_of_records());
  CHECK(file["ttfts"][0].get<double>() == Approx(0.020));
  CHECK(file["itls"][0] == json({0.01, 0.002, 0.004}));
  CHECK(file["latencies"][0].get<double>() == Approx(0.036));
  CHECK(file["queue_times"][0].get<double>() == Approx(0.00005));
  CHECK(file["start_times"] == json({6.0, 7.0, 7.5}));
  CHECK(file["mean_tpot_ms"].get<double>() == Approx(8.0));
  CHECK(file["median_itl_ms"].get<double>() == Approx(4.0));
}

TEST_CASE("vllm: the figures of a file that is written are read back") {
  const RunResult run = run_of_records();
  const auto back = vllm_result_from_json(result_to_vllm(run, some_records())).run.points.at(0);
  for (const auto& [theirs, ours] : vllm::kFigures) CHECK(find_figure(ours) != nullptr);
  for (const char* figure : {"ttft", "icl", "tpot"}) CHECK(back.find(figure) != nullptr);
  CHECK(back.requests > back.ok);
  CHECK(back.whole.output > 0);
  CHECK(back.prompt_tokens > 0);
}

TEST_CASE("vllm: a failed request has an error and no tokens, the warm-up is left out") {
  const json file = vllm_of(run_of_records());
  CHECK(file["num_prompts"] == 3);
  CHECK(file["completed"] == 2);
  CHECK(file["failed"] == 1);
  CHECK(file["output_lens"] == json({3, 3, 0}));
  CHECK(file["input_lens"] == json({64, 64, 64}));
  CHECK(file["errors"] == json({"", "", "Bad, \"Gateway\""}));
  CHECK(file["generated_texts"] == json({"a b c", "a b c", ""}));
  CHECK(file["total_input_tokens"] == 128);
  CHECK(file["request_throughput"].get<double>() == Approx(1.0));
  CHECK(file["output_throughput"].get<double>() == Approx(3.0));
  CHECK(file["max_output_tokens_per_s"] == 4);
  CHECK(file["max_concurrent_requests"] == 1);
}

TEST_CASE("vllm: the load is said in its words") {
  RunResult run = run_of_records();
  CHECK(vllm_of(run)["request_rate"] == "inf");
  CHECK(vllm_of(run)["max_concurrency"] == 32);
  LoadPoint& load = run.points[0].load;
  load.open_loop = true;
  load.rate = 20;
  load.arrival = Arrival::gamma;
  load.cv = 2;
  CHECK(vllm_of(run)["request_rate"] == 20.0);
  CHECK(vllm_of(run)["burstiness"] == 0.25);
  CHECK(vllm_of(run)["max_concurrency"].is_null());
}

TEST_CASE("vllm: without gaps in the records the run's own figures stand for ITL") {
  std::vector<RequestRecord> records{answer(0, 0)};
  records[0].gaps_us.clear();
  const json file = json::parse(result_to_vllm(run_of_records(), records));
  CHECK(file["itls"] == json::array({json::array()}));
  CHECK(file["median_itl_ms"] == 9.79);
}

TEST_CASE("vllm: vectors have its keys for embeddings") {
  RunResult run = embeddings_run();
  const json file = json::parse(result_to_vllm(run, some_records()));
  CHECK(file["backend"] == "openai-embeddings");
  CHECK(file.contains("input_sequence_throughput"));
  CHECK(file.contains("p99_e2el_ms"));
  CHECK_FALSE(file.contains("ttfts"));
}

TEST_CASE("vllm: each load point is a line of its own") {
  const std::string text = result_to_vllm(sweep_run(), {});
  CHECK(std::ranges::count(text, '\n') == 5);
  CHECK(json::parse(text.substr(0, text.find('\n')))["completed"] == 0);
}

TEST_CASE("requests csv: a line a request, the warm-up and failures too, by intended start") {
  const std::string text = requests_to_csv(run_of_records(), some_records());
  CHECK(std::ranges::count(text, '\n') == 5);
  CHECK(text.starts_with("id,point,target,concurrency,rate,run,phase,class,status,"));
  CHECK(text.find("\n0,0,localhost:8000,32,,1,warmup,ok,200,") != std::string::npos);
  CHECK(text.find(",\"Bad, \"\"Gateway\"\"\",") != std::string::npos);
}

TEST_CASE("requests csv, vllm: each is as in its golden file, in a comma-decimal locale too") {
  const std::string csv = requests_to_csv(run_of_records(), some_records());
  const std::string vllm = result_to_vllm(run_of_records(), some_records());
  CHECK(csv == golden("requests.csv", csv));
  CHECK(vllm == golden("vllm.json", vllm));
  const CommaLocale locale;
  CHECK(requests_to_csv(run_of_records(), some_records()) == csv);
  CHECK(result_to_vllm(run_of_records(), some_records()) == vllm);
}
