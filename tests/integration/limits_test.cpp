// What the system refuses: room on the disk, the size of a file, memory, a device for the output. What was
// measured is shown and saved, what is lost is counted, and the exit code says so.
#include <sys/wait.h>

#include <algorithm>

#include "catch.hpp"
#include "raw_server.hpp"
#include "run_folder.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using test::says;
namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = INFERMETER_BINARY;

/// One line of the shell; $I is the program.
Finished shell(const std::string& line) {
  return Process({"-c", line}, {std::string("I=") + kProgram}, "/bin/sh").wait(std::chrono::seconds(120));
}

std::string streamed(const std::string& text) {
  return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
}

void serve_chat(int fd, const std::string& events) {
  for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
    const std::string body = events +
                             "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}],"
                             "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n";
    write_all(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + body);
  }
}

}  // namespace

TEST_CASE("limits: what is printed into a full device is exit 3, whatever command prints it") {
  TemporaryFolder folder;
  const std::string run = folder / "out";
  infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "4", "--output-tokens", "4", "-o", run});
  for (const std::string& words :
       {std::string(""), std::string("--help"), std::string("--version"), std::string("version"),
        std::string("help gate"), std::string("run --help"), std::string("scenarios"),
        std::string("scenarios chat"), std::string("run --sim --dry-run"), std::string("simulate --port 0"),
        "report " + run, "report --format json " + run, "compare " + run + " " + run,
        "gate " + run + " --assert 'ok >= 1' -o " + folder / "v",
        "run --sim fixed:ttft=5ms,itl=1ms --format json -n 4 --output-tokens 4 -o " + folder / "r"}) {
    INFO(words);
    const Finished full = shell("exec $I " + words + " >/dev/full");
    CHECK(full.exit_code == 3);
    CHECK(full.err.find("infermeter: cannot write to stdout: No space left on device\n") !=
          std::string::npos);
    CHECK(shell("exec $I " + words + " >&-").exit_code != 0);
  }
  CHECK(result_in(folder / "r")["run"]["complete"] == true);
}

TEST_CASE("limits: a closed standard output does not become the file of the records") {
  TemporaryFolder folder;
  const std::string words =
      "run --sim fixed:ttft=5ms,itl=1ms --format json -n 4 --output-tokens 4 -o " + folder / "out";
  CHECK(shell("exec $I " + words + " >&-").exit_code == 3);
  CHECK(records_in(folder / "out").size() >= 4);
}

TEST_CASE("limits: beyond ulimit -f records are lost and counted, and the table is shown") {
  TemporaryFolder folder;
  const std::string words =
      "run --sim fixed:ttft=5ms,itl=1ms --no-metrics -c 8 -n 400 --output-tokens 8 -o " + folder / "out";
  const Finished run = shell("ulimit -f 160; exec $I " + words);  // 512 bytes each: 80 kB
  INFO(run.err);
  CHECK(run.exit_code == 3);
  CHECK(run.out.find("400 ok") != std::string::npos);
  CHECK(says(run.err, "requests.jsonl: File too large (a file may have 80 kB: ulimit -f): "));
  const auto result = result_in(folder / "out");
  CHECK(result["run"]["complete"] == false);
  const auto lines = static_cast<std::uint64_t>(count_lines(folder / "out/requests.jsonl"));
  CHECK(result["run"]["lost_records"].get<std::uint64_t>() + lines == 408);
  CHECK(std::distance(fs::directory_iterator(folder / "out"), fs::directory_iterator()) == 2);
  const Finished report = infermeter_once({"report", folder / "out"});
  CHECK(says(report.out, "holds " + std::to_string(lines) + " of the 408 requests that result.json counted"));
  CHECK(report.out.find("✔") == std::string::npos);
}

TEST_CASE("limits: a report beyond ulimit -f is an error, and no part of a file is left") {
  TemporaryFolder folder;
  infermeter_once(
      {"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "4", "--output-tokens", "4", "-o", folder / "out"});
  const Finished report =
      shell("ulimit -f 8; exec $I report " + folder / "out" + " --format html -o " + folder / "r.html");
  CHECK(report.exit_code == 3);
  CHECK(says(report.err, "cannot write " + folder / "r.html" + ": File too large"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("limits: records that fill the disk leave the table, the result and a count of what is lost") {
  if (::geteuid() != 0) return;  // only root may mount
  TemporaryFolder folder;
  const Finished run = shell("unshare -m sh -c 'mount -t tmpfs -o size=256k tmpfs " + folder.path() +
                             " && cd " + folder.path() +
                             " && { $I run --sim fixed:ttft=5ms,itl=1ms --no-metrics -c 8 -n 400 "
                             "--output-tokens 32 -o out; echo exit $?; "
                             "ls -A out; $I report out; }'");
  if (run.out.empty()) return;  // a container without mounts
  INFO(run.out << run.err);
  CHECK(says(run.out, "400 ok"));
  CHECK(says(run.out, "exit 3 requests.jsonl result.json"));
  CHECK(says(run.err, "cannot write out/requests.jsonl: No space left on device: "));
  CHECK(says(run.out.substr(run.out.find("exit 3")), "of the 408 requests that result.json counted"));
  CHECK(run.out.substr(run.out.find("exit 3")).find("✔") == std::string::npos);
}

TEST_CASE("limits: a result that cannot be replaced is shown before the error") {
  TemporaryFolder folder;
  const std::string words = "run --sim fixed:ttft=5ms,itl=1ms -n 4 --output-tokens 4 -o " + folder / "out" +
                            " --after-point 'rm " + folder / "out/result.json" + " && mkdir -p " +
                            folder / "out/result.json/x" + "'";
  const Finished run = shell("exec $I " + words);
  CHECK(run.exit_code == 3);
  CHECK(run.out.find("4 ok") != std::string::npos);
  CHECK(says(run.err, "infermeter: cannot write " + folder / "out/result.json"));
}

TEST_CASE("limits: a model with a name of 3,000 characters is measured into a folder of a shorter name") {
  TemporaryFolder folder;
  RawServer server([](int fd) { serve_chat(fd, streamed("x") + streamed("y")); });
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
  const Finished run = shell("cd " + folder.path() + " && exec $I run " + url +
                             " --no-preflight -n 4 -c 1 --prompt hello --model " + std::string(3000, 'm'));
  INFO(run.err);
  CHECK((run.exit_code == 0 || run.exit_code == 4));
  const auto made = fs::directory_iterator(folder / "results")->path().filename().string();
  CHECK(made.size() < 130);
  CHECK(result_in(folder / "results/" + made)["targets"][0]["model"] == std::string(3000, 'm'));
}

#ifndef INFERMETER_SANITIZED  // a sanitizer needs terabytes of address space
TEST_CASE("limits: where memory is exhausted the run ends, saves what it has and is not complete") {
  TemporaryFolder folder;
  RawServer server([text = std::string(1'000'000, 'x')](int fd) { serve_chat(fd, streamed(text)); });
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
  const Finished run = shell(
      "ulimit -v 250000; exec $I run " + url +
      " --no-preflight -n 2000 -c 2 --workers 1 --prompt hello --model m --save-text -o " + folder / "out");
  INFO(run.err);
  CHECK(run.exit_code == 3);
  CHECK(says(run.out, "out of memory: this process may take 250,000 kB of address space"));
  const auto result = result_in(folder / "out");
  CHECK(result["run"]["complete"] == false);
  CHECK(result["run"]["lost_records"] == 0);
  const std::string table = infermeter_once({"report", folder / "out"}).out;
  CHECK(says(table, "out of memory"));
  CHECK(table.find("TTFT") != std::string::npos);
}
#endif
