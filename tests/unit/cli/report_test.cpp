#include "cli/saved.hpp"

#include <algorithm>

#include "../io/temporary_folder.hpp"
#include "analysis/conclude.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/records_file.hpp"
#include "io/files/result_folder.hpp"
#include "run/exit_codes.hpp"

using namespace infermeter;

namespace {

/// The i-th of requests that follow one another in two slots: TTFT 50 ms and i µs, then 9 gaps of 10 ms.
RequestRecord answer_at(std::uint64_t i, std::uint32_t point) {
  const auto start = static_cast<std::int64_t>(i / 2 * 141'000);
  RequestRecord r;
  r.id = i;
  r.point = point;
  r.phase = i < 2 ? Phase::warmup : Phase::measured;
  r.intended_us = r.started_us = start;
  r.sent_us = start + 20;
  r.headers_us = r.first_byte_us = r.first_event_us = r.first_token_us = r.first_output_us =
      *r.sent_us + 50'000 + static_cast<std::int64_t>(i);
  r.last_token_us = *r.first_token_us + 90'000;
  r.end_us = *r.last_token_us + 50;
  r.status = 200;
  r.events = r.reads = 10;
  r.output_tokens = 10;
  r.prompt_tokens = 64;
  r.token_source = TokenSource::usage;
  r.finish_reason = "length";
  r.gaps_us.assign(9, 10'000);
  for (int n = 0; n < 10; ++n) r.lags.add(std::chrono::microseconds(12));
  return r;
}

LoadPoint two_at_a_time() {
  LoadPoint load;
  load.concurrency = 2;
  load.arrival = Arrival::closed;
  load.requests = 200;
  load.warmup_requests = 2;
  load.output_tokens = 10;
  return load;
}

RunResult run_of_points(std::uint32_t points) {
  RunResult run;
  run.tool_version = "0.1.0";
  run.run_id = "r";
  run.environment.timestamp_source = TimestampSource::kernel;
  run.targets.resize(1);
  run.targets[0].url = "http://localhost:8000/v1/chat/completions";
  run.targets[0].model = "m";
  run.workload.input_tokens = "64";
  for (std::uint32_t p = 0; p < points; ++p) {
    run.points.emplace_back().point = p;
    run.points.back().load = two_at_a_time();
  }
  return run;
}

struct SavedExample {
  TemporaryFolder base;
  std::string path = base.file("out");

  explicit SavedExample(std::uint32_t points = 1, bool gaps = true) {
    ResultFolder folder(path);
    folder.write_result(result_to_json(run_of_points(points)));
    RecordsFile file(folder.records_path());
    for (std::uint64_t i = 0; i < 200; ++i) {
      for (std::uint32_t p = 0; p < points; ++p) {
        RequestRecord record = answer_at(i, p);
        if (!gaps) record.gaps_us.clear();
        file.append(record);
      }
    }
  }
  void finish(RunResult run) const {
    run.complete = true;
    write_file_atomically(path + "/result.json", result_to_json(run));
  }
};

/// Every read came 20 ms after its bytes: this machine was too slow to know when they arrived.
RequestRecord answer_of_a_late_client() {
  RequestRecord record = answer_at(300, 0);
  for (int n = 0; n < 1000; ++n) record.lags.add(std::chrono::milliseconds(20));
  return record;
}

ExitCode judged(const ReportOptions& options) {
  SavedRun saved = read_saved_run(options.directory);
  judge_again(saved, options.asserts.thresholds, options.asserts.by_point);
  return options.asserts.thresholds.empty() ? ExitCode::ok : exit_code_of_saved(saved.run);
}

std::string why_not(const std::string& directory) {
  return complaint<EnvironmentError>(
      [&] { render_report({.directory = directory, .format = {"table"}}, {}); });
}

}  // namespace

TEST_CASE("report: a killed run shows what ended before") {
  const SavedExample saved;
  const RunResult run = read_saved_run(saved.path).run;
  REQUIRE(run.points.size() == 1);
  CHECK(run.points[0].ok == 198);
  CHECK(run.points[0].validity.partial);
  REQUIRE(run.points[0].find("ttft"));
  CHECK(run.points[0].find("ttft")->find(50)->value == Approx(50.1).margin(0.01));
  const std::string page = render_report({.directory = saved.path, .format = {"table"}}, {});
  CHECK(page.find(" TTFT               ms") != std::string::npos);
  CHECK(page.find("The result is partial") != std::string::npos);
}

TEST_CASE("report: a saved run's targets are compared with another one and ranked again") {
  const TemporaryFolder base;
  RunResult run = run_of_points(2);
  run.target_order = TargetOrder::at_once;
  run.targets.resize(2, run.targets.front());
  run.targets[0].name = "slow";
  run.targets[1].name = "fast";
  run.points[1].point = 0;
  run.points[1].target = 1;
  run.complete = true;
  ResultFolder folder(base.file("out"));
  folder.write_result(result_to_json(run));
  RecordsFile file(folder.records_path());
  for (std::uint64_t i = 0; i < 200; ++i) {
    for (const std::uint32_t target : {0u, 1u}) {
      RequestRecord record = answer_at(i, 0);
      record.target = target;
      if (target == 0) *record.sent_us -= 10'000;
      file.append(record);
    }
  }
  ReportOptions options{.directory = folder.path(), .format = {"table"}};
  const std::string as_it_was = render_report(options, {});
  CHECK(as_it_was.find(" vs slow") != std::string::npos);
  CHECK(as_it_was.find(" # ") == std::string::npos);
  options.against = "fast";
  options.sort = "ttft.p50";
  const std::string page = render_report(options, {});
  CHECK(page.find(" vs fast") != std::string::npos);
  CHECK(page.find(" 1  fast ") < page.find(" 2  slow "));
  CHECK(page.find("#: by TTFT p50, better ones first") != std::string::npos);
  options.against = "other";
  CHECK(complaint<UsageError>([&] { render_report(options, {}); }) ==
        "--against: no target is called 'other'");
}

TEST_CASE("report: the assertions of a killed run have not passed") {
  const SavedExample saved;
  RunResult run = run_of_points(1);
  run.asserts = {"error_rate < 50%"};
  write_file_atomically(saved.path + "/result.json", result_to_json(run));
  const std::string page = render_report({.directory = saved.path, .format = {"table"}}, {});
  CHECK(page.find(" Exit 130: interrupted, whatever was judged.") != std::string::npos);
}

TEST_CASE("report: a record cut short by the kill does not hide the others") {
  const SavedExample saved;
  const std::string records = read_file(saved.path + "/requests.jsonl");
  write_file_atomically(saved.path + "/requests.jsonl", records.substr(0, records.size() - 40));
  CHECK(read_saved_run(saved.path).run.points.at(0).ok == 197);
}

TEST_CASE("report: a saved run gives the numbers of the run") {
  const SavedExample saved(2);
  RunResult run = run_of_points(2);
  const auto records = read_records(saved.path + "/requests.jsonl");
  for (auto& point : run.points) {
    std::vector<RequestRecord> own;
    std::ranges::copy_if(records, std::back_inserter(own),
                         [&](const auto& r) { return r.point == point.point; });
    point = summarize(point.load, own, {});
  }
  conclude(run, records);
  run.complete = true;
  saved.finish(run);
  CHECK(render_report({.directory = saved.path, .format = {"json"}}, {}) == result_to_json(run));
  CHECK(render_report({.directory = saved.path, .format = {"json"}}, {}) ==
        read_file(saved.path + "/result.json"));
}

TEST_CASE("report: an assertion is judged from the records and decides the exit code") {
  const SavedExample saved;
  saved.finish(run_of_points(1));
  const auto code = [&](const char* text) {
    return judged({saved.path, {"json"}, false, {{parse_assertion("--assert", text)}, false}});
  };
  CHECK(code("itl.p95 < 20ms") == ExitCode::ok);
  CHECK(code("itl.p95 < 10ms") == ExitCode::gate_failed);
  CHECK(code("ttft.p99 < 1s") == ExitCode::inconclusive);  // 198 requests have no upper bound of p99
  CHECK(code("[concurrency=3] ttft.p50 < 1s") == ExitCode::inconclusive);
  CHECK(judged({saved.path, {"json"}, false, {{parse_assertion("--assert", "ttft.p99 < 1s")}, true}}) ==
        ExitCode::ok);
}

TEST_CASE("report: of a run that is not to be trusted an assertion comes to exit 4") {
  const SavedExample saved;
  auto run = run_of_points(1);
  saved.finish(run);
  const RequestRecord late = answer_of_a_late_client();
  RecordsFile file(saved.path + "/requests.jsonl");
  for (std::uint64_t i = 200; i < 210; ++i) file.append(late);
  CHECK(judged({saved.path, {"json"}, false, {{parse_assertion("--assert", "ok > 1k")}, false}}) ==
        ExitCode::untrustworthy);
}

TEST_CASE("report: the run's own assertions are judged again and leave the exit code alone") {
  const SavedExample saved;
  auto run = run_of_points(1);
  run.asserts = {"itl.p95 < 10ms", "ok > 1"};
  saved.finish(run);
  SavedRun again = read_saved_run(saved.path);
  judge_again(again);
  REQUIRE(again.run.verdict);
  CHECK(again.run.verdict->decision == Decision::fail);
  CHECK(again.run.verdict->judgements.size() == 2);
  judge_again(again, std::vector{parse_assertion("--assert", "ok > 1")});
  CHECK(again.run.verdict->decision == Decision::pass);
  CHECK(again.run.verdict->judgements.size() == 1);
}

TEST_CASE("report: a saved assertion that cannot be read is one clear line") {
  const SavedExample saved;
  auto run = run_of_points(1);
  run.asserts = {"wishes < 1"};
  saved.finish(run);
  CHECK(why_not(saved.path) == "result.json: 'wishes' is not a metric");
}

TEST_CASE("report: without gaps in the records the run's own figures stand") {
  const SavedExample saved(1, false);
  RunResult run = run_of_points(1);
  std::vector<RequestRecord> records;
  for (std::uint64_t i = 0; i < 200; ++i) records.push_back(answer_at(i, 0));
  run.points[0] = summarize(run.points[0].load, records, {});
  run.complete = true;
  saved.finish(run);
  CHECK(read_saved_run(saved.path).run.points.at(0).find("itl"));
}

TEST_CASE("report: a point without records is a page that says so") {
  const SavedExample saved;
  write_file_atomically(saved.path + "/requests.jsonl", "");
  CHECK(render_report({.directory = saved.path, .format = {"table"}}, {}).find("Nothing was measured") !=
        std::string::npos);
}

namespace {

/// Of 200 requests in a finished run, `kept` lines are left, or some are there twice.
std::string table_of_lines(std::size_t kept, std::uint64_t lost = 0) {
  const SavedExample saved;
  RunResult run = read_saved_run(saved.path).run;
  run.complete = lost == 0;
  run.lost_records = lost;
  write_file_atomically(saved.path + "/result.json", result_to_json(run));
  const std::string records = read_file(saved.path + "/requests.jsonl");
  std::string lines;
  for (std::size_t i = 0, at = 0; i < kept; ++i) {
    const std::size_t end = records.find('\n', at) + 1;
    lines += records.substr(at, end - at);
    at = end < records.size() ? end : 0;
  }
  write_file_atomically(saved.path + "/requests.jsonl", lines);
  return render_report({.directory = saved.path, .format = {"table"}}, {});
}

bool trusts(const std::string& table) { return table.find("✔") != std::string::npos; }

bool has(const std::string& table, std::string_view words) {
  std::string one_line;  // prose is wrapped
  for (const char c : table) {
    if (c == '\n') one_line += ' ';
    if (c != '\n' && !(c == ' ' && one_line.ends_with(' '))) one_line += c;
  }
  return one_line.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("report: a whole run has the mark of trust") { CHECK(trusts(table_of_lines(200))); }

TEST_CASE("report: records that could not be written are counted instead of a mark of trust") {
  const std::string table = table_of_lines(150, 50);
  CHECK_FALSE(trusts(table));
  CHECK(has(table, "requests.jsonl holds 150 of the 200 requests that result.json counted."));
  CHECK(has(table, "50 records could not be written to requests.jsonl"));
  CHECK_FALSE(has(table, "killed"));
}

TEST_CASE("report: where no record of a point is left its own figures are shown and not trusted") {
  const std::string table = table_of_lines(0);
  CHECK_FALSE(trusts(table));
  CHECK(has(table, "requests.jsonl holds 0 of the 200 requests that result.json counted."));
  CHECK(has(table, "198 ok"));
}

TEST_CASE("report: lines of another run in the records are not trusted") {
  const std::string table = table_of_lines(224);
  CHECK_FALSE(trusts(table));
  CHECK(has(table, "requests.jsonl holds 224 requests, result.json counted 200."));
}

TEST_CASE("report: a killed run is called partial instead of trustworthy") {
  const SavedExample saved;
  const std::string table = render_report({.directory = saved.path, .format = {"table"}}, {});
  CHECK_FALSE(trusts(table));
  CHECK(has(table, " ! Partial "));
}

TEST_CASE("report: a killed run has a page with charts, in a browser and in the terminal") {
  const SavedExample saved;
  const std::string page = render_report({.directory = saved.path, .format = {"html"}}, {});
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.find("stopped early") != std::string::npos);
  CHECK(page.find("\"metric\":\"itl\"") != std::string::npos);
  const std::string table = render_report({.directory = saved.path, .plot = true}, {});
  CHECK(table.find(" In flight\n") > table.find(" Requests "));
}

TEST_CASE("report: without gaps in the records the page says that they were not saved") {
  const SavedExample saved(1, false);
  const std::string page = render_report({.directory = saved.path, .format = {"html"}}, {});
  CHECK(page.find("\"gaps_kept\":false") != std::string::npos);
}

TEST_CASE("report: a missing folder or file is one clear line") {
  const SavedExample saved;
  CHECK(why_not("/nowhere/out") == "no result in /nowhere/out: no such folder");
  CHECK(why_not(saved.base.path()) == "no result in " + saved.base.path() + ": result.json is missing");
  std::filesystem::remove(saved.path + "/requests.jsonl");
  CHECK(why_not(saved.path) == "no result in " + saved.path + ": requests.jsonl is missing");
  write_file_atomically(saved.path + "/result.json", "[]");
  std::ofstream(saved.path + "/requests.jsonl");
  CHECK(why_not(saved.path) ==
        saved.path + "/result.json: not a result of infermeter: the file is not an object");
}
