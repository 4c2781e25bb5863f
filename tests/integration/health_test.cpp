// Servers that do not do their work, from the binary.
#include "catch.hpp"
#include "raw_server.hpp"
#include "run_folder.hpp"

using namespace infermeter;

namespace {

/// Answers so many requests, one per connection, and closes every later connection without a byte.
class DyingServer {
 public:
  explicit DyingServer(int answers)
      : left_(answers), server_([this](int fd) {
          if (!read_request(fd).empty() && left_.fetch_sub(1) > 0) write_all(fd, kAnswer);
        }) {}
  std::string url() const { return server_.url(); }

 private:
  static constexpr const char* kAnswer =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}],"
      "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";

  std::atomic<int> left_;
  RawServer server_;
};

std::vector<std::string> run_at(const DyingServer& server, const std::string& requests,
                                const std::string& out, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"run", server.url(), "--model",        "m",        "--no-preflight",
                                 "-n",  requests,     "--no-calibrate", "--warmup", "0",
                                 "-o",  out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("run: a server that dies half way is exit 3, and no format shows it as good") {
  TemporaryFolder folder;
  const DyingServer server(8);
  const Finished run = infermeter_once(run_at(server, "41", folder / "out"));
  INFO(run.out << run.err);
  CHECK(run.exit_code == 3);
  CHECK(run.out.find(" ✘ 33 of 41 failed; latencies are of the others") != std::string::npos);
  const auto health = result_in(folder / "out")["health"][0];
  CHECK(health["failed"] == 33);
  CHECK(health["requests"] == 41);
  CHECK(health["state"] == "failed");
  const auto report = [&](const char* format) {
    return infermeter_once({"report", folder / "out", "--format", format}).out;
  };
  CHECK(report("junit").find("type=\"failed_requests\"") != std::string::npos);
  CHECK(report("github").find("::error title=infermeter%3A requests failed::33 of 41") != std::string::npos);
  CHECK(report("markdown").find("**33 of 41 failed; latencies are of the others**") != std::string::npos);
  CHECK(report("html").find("<section id=\"verdict\" class=\"is_bad\">") != std::string::npos);
}

TEST_CASE("run: where half of the requests failed, assertions that hold are 3 and a broken one is 1") {
  for (const auto& [limit, code] : {std::pair("ok > 4", 3), std::pair("error_rate < 1%", 1)}) {
    INFO(limit);
    TemporaryFolder folder;
    const DyingServer server(8);
    const Finished run = infermeter_once(run_at(server, "20", folder / "out", {"--assert", limit}));
    INFO(run.out << run.err);
    const bool trusted = code_if_trusted(result_in(folder / "out"), 0) == 0;
    CHECK(run.exit_code == (trusted ? code : 3));  // what is not to be trusted breaks no assertion
    CHECK(result_in(folder / "out")["verdict"]["exit_code"] == run.exit_code);
  }
}

TEST_CASE("run: a sweep whose highest load nobody answers is red in its reports and exit 0") {
  TemporaryFolder folder;
  const DyingServer server(4);
  const Finished run = infermeter_once(run_at(server, "4", folder / "out", {"-c", "1,2"}));
  INFO(run.out << run.err);
  CHECK(run.exit_code == code_if_trusted(result_in(folder / "out"), 0));
  CHECK(run.out.find(" ✘ concurrency 2: 4 of 4 failed") != std::string::npos);
}

TEST_CASE("run: some failed requests are amber and exit 0") {
  TemporaryFolder folder;
  const DyingServer server(18);
  const Finished run = infermeter_once(run_at(server, "20", folder / "out"));
  INFO(run.out << run.err);
  CHECK(run.exit_code == code_if_trusted(result_in(folder / "out"), 0));
  CHECK(run.out.find(" ! 2 of 20 failed; latencies are of the others") != std::string::npos);
}

TEST_CASE("run: the verdict of an interrupted run has its exit code") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  Process run({"run", simulator.url(), "-c", "4", "-d", "60s", "--output-tokens", "8", "--assert",
               "error_rate < 1%", "-o", folder / "out"});
  REQUIRE(eventually([&] { return count_lines(folder / "out/requests.jsonl") >= 50; }));
  run.signal(SIGTERM);
  const Finished finished = run.wait();
  CHECK(finished.exit_code == 130);
  CHECK(result_in(folder / "out")["verdict"]["exit_code"] == 130);
  CHECK(finished.out.find("Exit 130: interrupted") != std::string::npos);
  const Finished report = infermeter_once({"report", folder / "out"});
  CHECK(report.out.find("Exit 130: interrupted") != std::string::npos);
}
