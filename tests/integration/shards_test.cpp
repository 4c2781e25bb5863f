// One run split over several processes and merged, against one simulator. Only exact values are asserted:
// counts, ids, prompts, and percentiles from the merged records; never the speed of this machine.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <map>

#include "catch.hpp"
#include "run_folder.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

/// Late enough that all processes have completed preflight by then, on a busy machine too.
std::string in_a_while() {
  const std::time_t at = std::time(nullptr) + 5;
  std::tm utc{};
  gmtime_r(&at, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::vector<std::string> run_words(const std::string& url, const std::string& out,
                                   const std::vector<std::string>& more) {
  std::vector<std::string> words{"run", url, "--no-calibrate", "--nonce", "lamp river stone cloud", "-q",
                                 "-o",  out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// `count` shards at the same time; their folders are out-0, out-1 …
void run_shards(const std::string& url, const TemporaryFolder& folder, int count,
                std::vector<std::string> words) {
  words.insert(words.end(), {"--start-at", in_a_while(), "--shard", "auto"});
  std::deque<Process> shards;
  for (int rank = 0; rank < count; ++rank) {
    shards.emplace_back(
        run_words(url, folder / ("out-" + std::to_string(rank)), words),
        std::vector<std::string>{"PMI_RANK=" + std::to_string(rank), "PMI_SIZE=" + std::to_string(count)});
  }
  for (auto& shard : shards) {
    const Finished ended = shard.wait();
    INFO(ended.err);
    CHECK((ended.exit_code == 0 || ended.exit_code == 4));  // 4: this machine was too busy, which is reported
  }
}

Finished merge(const TemporaryFolder& folder, const std::vector<int>& ranks,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"merge"};
  for (const int rank : ranks) words.push_back(folder / ("out-" + std::to_string(rank)));
  words.insert(words.end(), {"-o", folder / "whole"});
  words.insert(words.end(), more.begin(), more.end());
  return infermeter_once(words);
}

using RecordsById = std::map<std::uint64_t, RequestRecord>;

RecordsById records_by_id(const std::string& folder) {
  RecordsById by_id;
  for (auto& record : records_in(folder)) by_id.emplace(record.id, std::move(record));
  return by_id;
}

/// Linear between order statistics (type 7), of TTFT in ms.
double ttft_percentile(const RecordsById& records, double q) {
  std::vector<double> samples;
  for (const auto& [id, r] : records) {
    if (r.phase == Phase::measured && r.outcome == Outcome::ok)
      samples.push_back(static_cast<double>(*r.first_token_us - *r.sent_us) / 1e3);
  }
  std::ranges::sort(samples);
  const double at = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (at - std::floor(at)) * (samples[above] - samples[below]);
}

}  // namespace

TEST_CASE("merge: four shards of an open loop are the run unsplit") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=20ms,itl=2ms"});
  const std::vector<std::string> load{
      "--rate",         "80", "-d", "3s", "--warmup", "10", "--output-tokens", "4", "--input-tokens",
      "uniform:100,400"};
  run_shards(simulator.url(), folder, 4, load);
  infermeter_once(run_words(simulator.url(), folder / "unsplit", load));
  const Finished merged = merge(folder, {3, 1, 0, 2});
  INFO(merged.err);
  REQUIRE(merged.exit_code == 0);
  CHECK(merged.out.find("merged from 4 of 4 shards") != std::string::npos);

  const json whole = result_in(folder / "whole")["points"][0];
  const json unsplit = result_in(folder / "unsplit")["points"][0];
  CHECK(whole["load"]["schedule_hash"] == unsplit["load"]["schedule_hash"]);
  CHECK(whole["load"]["scheduled_requests"] == unsplit["load"]["scheduled_requests"]);
  CHECK(whole["load"]["shard"]["of"] == 1);
  CHECK(whole["requests"] == unsplit["requests"]);
  CHECK(whole["warmup_requests"] == 10);
  CHECK(whole["ok"] == whole["requests"]);
  CHECK_FALSE(whole["validity"]["partial"].get<bool>());

  const auto records = records_by_id(folder / "whole"), alone = records_by_id(folder / "unsplit");
  REQUIRE(records.size() == alone.size());
  for (const auto& [id, record] : records) {
    CHECK(record.phase == alone.at(id).phase);
    CHECK(record.prompt_tokens == alone.at(id).prompt_tokens);  // the same prompt, whoever sent it
  }
  const json& percentiles = whole["metrics"]["ttft"]["percentiles"];
  CHECK(percentiles["p50"]["value"].get<double>() == Approx(ttft_percentile(records, 0.5)));
  CHECK(percentiles["p95"]["value"].get<double>() == Approx(ttft_percentile(records, 0.95)));
  CHECK(percentiles["p99"]["value"].get<double>() == Approx(ttft_percentile(records, 0.99)));
}

TEST_CASE("merge: shards of a closed loop together send its requests, and each says which part it is") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=20ms,itl=2ms"});
  run_shards(simulator.url(), folder, 2, {"-c", "5", "-n", "50", "--output-tokens", "4"});
  const json shard = result_in(folder / "out-1");
  CHECK(shard["run"]["shard"] == json{{"rank", 1}, {"of", 2}});
  CHECK(shard["points"][0]["load"]["concurrency"] == 5);
  CHECK(shard["points"][0]["requests"] == 20);
  CHECK(infermeter_once({"report", folder / "out-1"}).out.find("shard 1 of 2") != std::string::npos);
  REQUIRE(merge(folder, {0, 1}).exit_code == 0);
  const json whole = result_in(folder / "whole")["points"][0];
  CHECK(whole["requests"] == 50);
  CHECK(whole["warmup_requests"] == 5);
  CHECK(records_by_id(folder / "whole").rbegin()->first == 54);
}

TEST_CASE("merge: what does not belong together is exit 2, a missing shard exit 3, and nothing is written") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=20ms,itl=2ms"});
  run_shards(simulator.url(), folder, 2, {"-c", "4", "-n", "8", "--output-tokens", "4"});
  infermeter_once(
      run_words(simulator.url(), folder / "out-7", {"-c", "4", "-n", "8", "--output-tokens", "4"}));
  const Finished twice = merge(folder, {0, 0});
  CHECK(twice.exit_code == 2);
  CHECK(twice.err.find("are the same shard: 0 of 2") != std::string::npos);
  const Finished no_shard = merge(folder, {0, 7});
  CHECK(no_shard.exit_code == 2);
  CHECK(no_shard.err.find("out-7 is no shard of a run") != std::string::npos);
  const Finished missing = merge(folder, {1});
  CHECK(missing.exit_code == 3);
  CHECK(missing.err.find("of 2 shards 0 is missing") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "whole"));
  CHECK(merge(folder, {1}, {"--allow-missing"}).exit_code == 0);
  CHECK(result_in(folder / "whole")["points"][0]["validity"]["partial"].get<bool>());
}

TEST_CASE("merge: a shard that was killed is merged, and the whole is partial") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=20ms,itl=2ms"});
  std::deque<Process> shards;
  for (const std::string rank : {"0", "1"}) {
    shards.emplace_back(run_words(simulator.url(), folder / ("out-" + rank),
                                  {"-c", "4", "-d", "4s", "--output-tokens", "4", "--shard", rank + "/2"}));
  }
  const auto began = [&](const char* shard) { return count_lines(folder / shard + "/requests.jsonl") >= 20; };
  REQUIRE(eventually([&] { return began("out-0") && began("out-1"); }));
  shards[1].signal(SIGKILL);
  shards[1].wait();
  shards[0].wait();
  const Finished merged = merge(folder, {0, 1});
  INFO(merged.err);
  REQUIRE(merged.exit_code == 0);
  CHECK(result_in(folder / "whole")["points"][0]["validity"]["partial"].get<bool>());
  CHECK(records_in(folder / "whole").size() >= 40);
}
