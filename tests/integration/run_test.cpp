// The binary as users run it, against its own simulator. Asserted are counts, and times relative to the
// simulator's truth: this machine may be slow.
#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include "catch.hpp"
#include "io/files/records_file.hpp"
#include "raw_server.hpp"
#include "run_folder.hpp"
#include "truth.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

std::map<std::string, std::uint64_t> classes(const json& result) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& outcome : result["points"][0]["outcomes"])
    counts[outcome["class"]] += outcome["count"].get<std::uint64_t>();
  return counts;
}

double p50_of(const json& point, const std::string& metric) {
  return point["metrics"][metric]["percentiles"]["p50"]["value"];
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() / 2);
}

}  // namespace

TEST_CASE("run: every arrival joins the simulator's truth and none precedes its sending") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=50ms,itl=10ms,jitter=0", "--truth", folder / "truth.jsonl"});
  const Finished run = infermeter_once({"run", simulator.url(), "-c", "8", "-n", "40", "--output-tokens",
                                        "20", "--warmup", "0", "-o", folder / "out"});
  CHECK(simulator.stop().exit_code == 0);
  REQUIRE((run.exit_code == 0 || run.exit_code == 4));  // 4: this machine was too busy, which is reported
  auto errors = arrival_errors(folder / "out", folder / "truth.jsonl");
  REQUIRE(errors.size() == 40 * 20);
  std::ranges::sort(errors);
  CHECK(errors[errors.size() / 2] < 5'000'000);
  std::vector<double> ttft, tpot;  // ms, as sent
  for (const auto& [record, served] : join_truth(folder / "out", folder / "truth.jsonl")) {
    ttft.push_back(static_cast<double>(served.sent.front() - served.arrived) / 1e6);
    tpot.push_back(static_cast<double>(served.sent.back() - served.sent.front()) / 19e6);
  }
  const json point = first_point_in(folder / "out");
  CHECK(p50_of(point, "ttft") >= 50.0);
  CHECK(p50_of(point, "ttft") == Approx(middle(ttft)).margin(5));
  CHECK(p50_of(point, "tpot") == Approx(middle(tpot)).margin(1));
  CHECK(point["metrics"].contains("itl"));
  CHECK(classes(result_in(folder / "out")) == std::map<std::string, std::uint64_t>{{"ok", 40}});
}

TEST_CASE("run: a report of the saved run shows the same table") {
  TemporaryFolder folder;
  const Finished run = infermeter_once({"run", "--sim", "fixed:ttft=20ms,itl=2ms", "-c", "4", "-n", "40",
                                        "--output-tokens", "16", "-o", folder / "out"});
  const Finished report = infermeter_once({"report", folder / "out"});
  CHECK(report.exit_code == 0);
  const auto table = run.out.find("mean");
  REQUIRE(table != std::string::npos);
  CHECK(report.out.find(run.out.substr(run.out.rfind('\n', table), 800)) != std::string::npos);
  const Finished again = infermeter_once({"report", folder / "out", "--format", "json"});
  const json made_again = json::parse(again.out), saved = result_in(folder / "out");
  CHECK(made_again["points"] == saved["points"]);
}

TEST_CASE("run: the schedule and its hash do not depend on the number of workers") {
  TemporaryFolder folder;
  std::vector<json> loads;
  for (const std::string workers : {"1", "2"}) {
    infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--rate", "200", "--arrival", "poisson", "-d",
                     "2s", "--warmup", "0", "--output-tokens", "4", "--workers", workers, "-o",
                     folder / workers});
    const json result = result_in(folder / workers);
    loads.push_back(result["points"][0]["load"]);
    CHECK(records_in(folder / workers).size() == loads.back()["scheduled_requests"]);
  }
  CHECK(loads[0]["schedule_hash"] == loads[1]["schedule_hash"]);
  CHECK(loads[0]["scheduled_requests"].get<int>() > 300);
  CHECK(loads[0]["scheduled_requests"].get<int>() < 500);
}

TEST_CASE("run: a share of faults ends in its class and leaves the others unharmed") {
  const std::map<std::string, std::string> expected{
      {"429:20%", "http_error"},     {"500:20%", "http_error"},      {"503:20%", "http_error"},
      {"html502:20%", "http_error"}, {"inband:20%", "inband_error"}, {"reset:20%", "truncated"},
      {"truncate:20%", "truncated"}};
  for (const auto& [fault, outcome] : expected) {
    INFO(fault);
    TemporaryFolder folder;
    const Finished run =
        infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", fault, "-c", "8", "-n", "80",
                         "--warmup", "0", "--output-tokens", "8", "-o", folder / "out"});
    CHECK((run.exit_code == 0 || run.exit_code == 4));
    const auto counts = classes(result_in(folder / "out"));
    REQUIRE(counts.contains(outcome));
    CHECK(counts.at(outcome) >= 4);
    CHECK(counts.at("ok") == 80 - counts.at(outcome));
  }
}

TEST_CASE("run: quirks of servers change nothing but what they say") {
  for (const std::string quirk :
       {"crlf", "heartbeat=1ms", "split", "role-first", "no-done", "empty-tokens", "echo"}) {
    INFO(quirk);
    TemporaryFolder folder;
    infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", quirk, "-c", "4", "-n", "20",
                     "--warmup", "0", "--output-tokens", "8", "-o", folder / "out"});
    const json result = result_in(folder / "out");
    CHECK(classes(result) == std::map<std::string, std::uint64_t>{{"ok", 20}});
    CHECK(result["points"][0]["tokens"]["output"] == 160);
  }
}

TEST_CASE("run: what keeps it from measuring is one clear line and exit 3") {
  const auto first_line = [](const Finished& f) { return f.err.substr(0, f.err.find('\n')); };
  const Finished dead = infermeter_once({"run", "http://127.0.0.1:1", "-d", "1s"});
  CHECK(dead.exit_code == 3);
  CHECK(first_line(dead) == "infermeter: cannot connect to 127.0.0.1:1: connection refused");
  const Finished unknown = infermeter_once({"run", "http://no-such-host.invalid:8000", "-d", "1s"});
  CHECK(unknown.exit_code == 3);
  CHECK(first_line(unknown).starts_with("infermeter: cannot resolve no-such-host.invalid"));
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  const Finished tls = infermeter_once({"run", "https" + simulator.url().substr(4), "-d", "1s"});
  CHECK(tls.exit_code == 3);
  CHECK(first_line(tls).starts_with("infermeter: cannot set up TLS with 127.0.0.1:"));
  const Finished html =
      infermeter_once({"run", simulator.url() + "/nowhere/chat/completions", "--model", "m", "-d", "1s"});
  CHECK(html.exit_code == 3);
  CHECK(first_line(html).find("404") != std::string::npos);
}

TEST_CASE("run: an output folder that cannot be written is found before the first request") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms", "--truth", folder / "truth.jsonl"});
  std::ofstream(folder / "file") << "not a folder";
  const Finished run = infermeter_once({"run", simulator.url(), "-n", "4", "-o", folder / "file/out"});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find(folder / "file/out") != std::string::npos);
  simulator.stop();
  CHECK(served_requests(folder / "truth.jsonl").empty());
}

TEST_CASE("run: SIGINT stops, saves and prints and SIGKILL loses only what was in flight") {
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    INFO(number);
    TemporaryFolder folder;
    SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
    Process run(
        {"run", simulator.url(), "-c", "4", "-d", "60s", "--output-tokens", "8", "-o", folder / "out"});
    REQUIRE(eventually([&] { return count_lines(folder / "out/requests.jsonl") >= 50; }));
    run.signal(number);
    const Finished finished = run.wait();
    CHECK(finished.exit_code == (number == SIGKILL ? 128 + SIGKILL : 130));
    const Finished report = infermeter_once({"report", folder / "out"});
    CHECK(report.out.find("TTFT") != std::string::npos);
    CHECK(report.out.find("ok") != std::string::npos);
    CHECK(records_in(folder / "out").size() >= 50);
    if (number != SIGKILL) CHECK(finished.out.find("TTFT") != std::string::npos);
  }
}

TEST_CASE("run: two signals at once, as timeout sends them, are one wish to stop") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  Process run({"run", simulator.url(), "-c", "4", "-d", "60s", "--output-tokens", "8", "-o", folder / "out"});
  REQUIRE(eventually([&] { return count_lines(folder / "out/requests.jsonl") >= 50; }));
  for (const int number : {SIGSTOP, SIGINT, SIGTERM, SIGCONT}) run.signal(number);
  const Finished finished = run.wait();
  CHECK(finished.exit_code == 130);
  CHECK(finished.out.find("TTFT") != std::string::npos);
}

TEST_CASE("run: every request failing ends the run by itself with exit 3") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "500", "--no-preflight",
                       "--model", "sim", "-c", "4", "-d", "30s", "-o", folder / "out"});
  CHECK(run.exit_code == 3);
  CHECK(records_in(folder / "out").size() < 30);
}

TEST_CASE("run: an error rate over its limit stops, saves and exits 3") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "500:50%", "--max-error-rate",
                       "10%", "-c", "4", "-n", "4000", "-o", folder / "out"});
  CHECK(run.exit_code == 3);
  CHECK(records_in(folder / "out").size() < 200);
  CHECK(run.out.find("--max-error-rate") != std::string::npos);
}

TEST_CASE("run: a preflight that is told of a refused field leaves it out and says so") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "refuse=stream_options", "-n",
                       "8", "--output-tokens", "4", "-o", folder / "out"});
  const json result = result_in(folder / "out");
  CHECK(classes(result) == std::map<std::string, std::uint64_t>{{"ok", 8}});
  CHECK(run.out.find("stream_options") != std::string::npos);
  const Finished strict =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "refuse=stream_options", "-n",
                       "8", "--strict", "-o", folder / "strict"});
  CHECK(strict.exit_code == 3);
}

TEST_CASE("run: standard output holds nothing but JSON where JSON was asked for") {
  const Finished run = infermeter_once(
      {"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "8", "--output-tokens", "4", "--format", "json"});
  CHECK(json::parse(run.out)["points"][0]["ok"] == 8);
}

TEST_CASE("run: a run over two workers has the requests of a run over one") {
  TemporaryFolder folder;
  std::vector<std::vector<std::uint64_t>> ids;
  for (const std::string workers : {"1", "2"}) {
    infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-c", "6", "-n", "60", "--output-tokens", "4",
                     "--workers", workers, "-o", folder / workers});
    std::vector<std::uint64_t> seen;
    for (const auto& record : records_in(folder / workers)) seen.push_back(record.id);
    std::ranges::sort(seen);
    ids.push_back(seen);
  }
  CHECK(ids[0] == ids[1]);
  CHECK(ids[0].size() == 66);
}

TEST_CASE("run: whole answers instead of streams give E2E and tokens and no TTFT") {
  TemporaryFolder folder;
  infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--no-stream", "-c", "2", "-n", "10",
                   "--output-tokens", "8", "-o", folder / "out"});
  const json point = first_point_in(folder / "out");
  CHECK(point["ok"] == 10);
  CHECK(point["tokens"]["output"] == 80);
  CHECK(point["metrics"].contains("e2e"));
  CHECK_FALSE(point["metrics"].contains("ttft"));
}

TEST_CASE("run: a stream answered by one whole body is called that") {
  TemporaryFolder folder;
  const Finished run = infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "not-stream",
                                        "-c", "2", "-n", "10", "--output-tokens", "8", "-o", folder / "out"});
  CHECK(classes(result_in(folder / "out")) == std::map<std::string, std::uint64_t>{{"not_streamed", 10}});
  CHECK(run.out.find("one whole body") != std::string::npos);
}

TEST_CASE("run: it waits for a server that comes up late") {
  TemporaryFolder folder;
  const HeldPort port;
  Process run(
      {"run", port.url(), "--wait-ready", "60s", "-n", "4", "--output-tokens", "4", "-o", folder / "out"});
  REQUIRE(eventually([&] { return run.err().find("waiting up to 60 s") != std::string::npos; }));
  Process late({"simulate", "fixed:ttft=5ms,itl=1ms", "--port", port.number()});
  const int code = run.wait().exit_code;
  CHECK((code == 0 || code == 4));
  CHECK(classes(result_in(folder / "out")) == std::map<std::string, std::uint64_t>{{"ok", 4}});
}

TEST_CASE("run: a schedule that was not kept is measured, saved and exit 4") {
  TemporaryFolder folder;
  const Finished run = infermeter_once({"run", "--sim", "fixed:ttft=40ms,itl=20ms", "--rate", "50", "-n",
                                        "20", "--warmup", "0", "--max-in-flight", "1", "--on-cap", "drop",
                                        "--output-tokens", "3", "-o", folder / "out"});
  CHECK(run.exit_code == 4);
  CHECK(run.out.find("Not to be trusted") != std::string::npos);
  CHECK(first_point_in(folder / "out")["validity"]["trustworthy"] == false);
}

TEST_CASE("run: a cap drops what would go over it and says so") {
  TemporaryFolder folder;
  infermeter_once({"run", "--sim", "fixed:ttft=500ms,itl=1ms", "--rate", "50", "-n", "40", "--warmup", "0",
                   "--max-in-flight", "2", "--on-cap", "drop", "--output-tokens", "4", "-o", folder / "out"});
  auto counts = classes(result_in(folder / "out"));
  CHECK(counts["ok"] + counts["dropped"] == 40);
  CHECK(counts["ok"] >= 2);
  CHECK(counts["dropped"] >= 20);
}

TEST_CASE("run: the key goes to the server and nowhere else") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "4", "--output-tokens", "4", "-H",
                       "X-Token: hush-hush", "-o", folder / "out"},
                      {"OPENAI_API_KEY=sk-very-secret"});
  for (const std::string& text :
       {run.out, run.err, slurp(folder / "out/result.json"), slurp(folder / "out/requests.jsonl")}) {
    CHECK(text.find("sk-very-secret") == std::string::npos);
    CHECK(text.find("hush-hush") == std::string::npos);
  }
  const Finished refused = infermeter_once({"run", "--sim", "--api-key", "sk-on-the-command-line"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("sk-on-the-command-line") == std::string::npos);
  CHECK(refused.err.find("OPENAI_API_KEY") != std::string::npos);
}

TEST_CASE("run: figures are made of all gaps though none is saved") {
  TemporaryFolder folder;
  // Slow enough that a busy machine does not make bursts of the answers, which have no speed.
  infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=20ms", "--no-save-gaps", "-n", "10", "--output-tokens",
                   "8", "-o", folder / "out"});
  CHECK(first_point_in(folder / "out")["metrics"].contains("itl"));
  CHECK(slurp(folder / "out/requests.jsonl").find("gaps_us") == std::string::npos);
}

TEST_CASE("run: records tell how early an event can have come, without gaps of the first and the last only") {
  for (const bool gaps : {true, false}) {
    TemporaryFolder folder;
    std::vector<std::string> arguments{"run",
                                       "--sim",
                                       "fixed:ttft=5ms,itl=1ms",
                                       "--timestamps",
                                       "user",
                                       "-n",
                                       "10",
                                       "--output-tokens",
                                       "8",
                                       "-o",
                                       folder / "out"};
    if (!gaps) arguments.emplace_back("--no-save-gaps");
    infermeter_once(arguments);
    std::size_t lines = 0;
    for (const auto& record : read_records(folder / "out/requests.jsonl")) {
      ++lines;
      REQUIRE(record.early_us);
      CHECK(record.early_us->size() == (gaps ? 8 : 2));  // none is exact
    }
    CHECK(lines >= 10);
  }
}

TEST_CASE("run: a proxy is asked for the whole URL and named in the header line without its password") {
  TemporaryFolder folder;
  std::mutex mutex;
  std::vector<std::string> first_lines;  // by the proxy's threads, hence the mutex
  RawServer proxy([&](int fd) {
    for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
      {
        const std::lock_guard lock(mutex);
        first_lines.push_back(request.substr(0, request.find("\r\n")));
      }
      write_all(
          fd,
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3a\r\n"
          "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n\r\n"
          "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
    }
  });
  const Finished run = infermeter_once({"run", "http://model.test:8000", "--model", "m", "--proxy",
                                        "http://user:hush@127.0.0.1:" + std::to_string(proxy.port()),
                                        "--no-preflight", "--no-calibrate", "-n", "3", "-o", folder / "out"});
  CHECK(classes(result_in(folder / "out")) == std::map<std::string, std::uint64_t>{{"ok", 3}});
  const std::lock_guard lock(mutex);
  REQUIRE_FALSE(first_lines.empty());
  CHECK(first_lines.front() == "POST http://model.test:8000/v1/chat/completions HTTP/1.1");
  CHECK(run.out.find("127.0.0.1:" + std::to_string(proxy.port())) != std::string::npos);
  for (const std::string& text : {run.out, run.err, slurp(folder / "out/result.json")})
    CHECK(text.find("hush") == std::string::npos);
}

/// Answers POST by `stream` in pieces of 20 ms until the client is gone, GET by a list of one model.
RawServer endless_server(const std::string& piece) {
  return RawServer([piece](int fd) {
    for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
      if (request.starts_with("GET")) {
        const std::string models = R"({"object":"list","data":[{"id":"m","object":"model"}]})";
        write_all(fd, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                          std::to_string(models.size()) + "\r\n\r\n" + models);
        continue;
      }
      write_all(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
      pollfd closed{fd, POLLIN, 0};
      for (int i = 0; i < 3000 && ::poll(&closed, 1, 20) == 0; ++i) write_all(fd, piece);
      return;
    }
  });
}

TEST_CASE("run: a server that sends only keep-alives does not hold up the preparation") {
  TemporaryFolder folder;
  const RawServer server = endless_server(": still here\n\n");
  const Finished run = infermeter_once({"run", server.url(), "-n", "2", "--warmup", "0", "--prepare-timeout",
                                        "400ms", "--timeout-first-token", "600ms", "-o", folder / "out"});
  const json result = result_in(folder / "out");
  CHECK(classes(result) == std::map<std::string, std::uint64_t>{{"first_token_timeout", 2}});
  CHECK(run.exit_code == 3);
  CHECK(run.out.find("--prepare-timeout") != std::string::npos);
  CHECK(server.accepted() <= 6);
}

TEST_CASE("run: a single request is sent without learning the lengths of prompts first") {
  TemporaryFolder folder;
  const Finished run = infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "1", "--truth",
                                        folder / "truth.jsonl", "-o", folder / "out"});
  CHECK(run.exit_code == code_if_trusted(result_in(folder / "out"), 0));
  CHECK(count_lines(folder / "truth.jsonl") == 1);
}

TEST_CASE("run: a server that wants max_completion_tokens gets it") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "--fault", "refuse=max_tokens", "-n", "4",
                       "--output-tokens", "6", "-o", folder / "out"});
  const json result = result_in(folder / "out");
  CHECK(result["points"][0]["tokens"]["output"] == 24);
  CHECK(result["workload"]["max_tokens_field"] == "max_completion_tokens");
}

TEST_CASE("run: a report says that records are missing") {
  TemporaryFolder folder;
  infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "8", "--warmup", "0", "--output-tokens",
                   "4", "-o", folder / "out"});
  const std::string records = slurp(folder / "out/requests.jsonl");
  std::ofstream(folder / "out/requests.jsonl")
      << records.substr(0, records.rfind('\n', records.size() - 2) + 1);
  const Finished report = infermeter_once({"report", folder / "out"});
  CHECK(report.exit_code == 0);
  CHECK(report.out.find("holds 7 of the 8 requests") != std::string::npos);
  CHECK(report.out.find("✔") == std::string::npos);
}

TEST_CASE("run: a key that the server repeats is struck out") {
  TemporaryFolder folder;
  RawServer server([](int fd) {
    for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
      const std::string body = R"({"error":{"message":"no such key: sk-very-secret"}})";
      write_all(fd, "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
    }
  });
  const std::vector<std::string> key{"OPENAI_API_KEY=sk-very-secret"};
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
  const Finished probed = infermeter_once({"run", url, "-o", folder / "a"}, key);
  CHECK(probed.exit_code == 3);
  CHECK(probed.err.find("no such key: ****") != std::string::npos);
  const Finished run =
      infermeter_once({"run", url, "--model", "m", "--no-preflight", "-n", "3", "-o", folder / "b"}, key);
  CHECK(run.exit_code == 3);
  for (const std::string& text :
       {probed.err, run.out, run.err, slurp(folder / "b/result.json"), slurp(folder / "b/requests.jsonl")})
    CHECK(text.find("sk-very-secret") == std::string::npos);
  CHECK(slurp(folder / "b/requests.jsonl").find("no such key: ****") != std::string::npos);
}
