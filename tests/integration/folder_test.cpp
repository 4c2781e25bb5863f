// A result folder belongs to one process: two real ones want the same folder, and a killed one leaves it.
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "run_folder.hpp"

using namespace infermeter;
namespace fs = std::filesystem;

namespace {

/// A run that lasts until it is stopped, and has taken its folder.
class EndlessRun {
 public:
  EndlessRun(const std::string& url, const std::string& folder)
      : folder_(folder),
        process_(
            {"run", url, "-c", "2", "-d", "600s", "--warmup", "0", "--output-tokens", "4", "-o", folder}) {
    if (!eventually([&] { return count_lines(folder + "/requests.jsonl") >= 4; }))
      throw std::runtime_error("the run did not start: " + process_.err());
  }
  /// "pid 4711": as others are told who has the folder.
  std::string name() const { return "pid " + std::to_string(process_.pid()); }
  void kill() {
    process_.signal(SIGKILL);
    process_.wait();
  }
  Finished stop() {
    process_.signal(SIGINT);
    return process_.wait();
  }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  Process process_;
};

void check_refused(const Finished& second, const EndlessRun& first) {
  INFO(second.err);
  CHECK(second.exit_code == 2);
  CHECK(second.err.find(first.folder() + " is ") != std::string::npos);
  CHECK(second.err.find(" by another infermeter (" + first.name() + ", since 20") != std::string::npos);
}

std::uint64_t counted_in(const std::string& folder) {
  const auto point = first_point_in(folder);
  return point["requests"].get<std::uint64_t>() + point["warmup_requests"].get<std::uint64_t>();
}

std::vector<std::string> short_run(const std::string& url, const std::string& folder) {
  return {"run", url, "-c", "2", "-n", "6", "--output-tokens", "4", "-o", folder};
}

/// `infermeter` with these words in the folder `here`.
Process process_in(const std::string& here, const std::string& words) {
  return Process({"-c", "cd " + here + " && exec " INFERMETER_BINARY " " + words}, {}, "/bin/sh");
}

}  // namespace

TEST_CASE("folder: a second run into it is exit 2 with the first one's process, and no line is lost") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  EndlessRun first(simulator.url(), folder / "out");
  check_refused(infermeter_once(short_run(simulator.url(), folder / "out")), first);
  fs::create_directory_symlink(folder / "out", folder / "alias");
  const Finished alias = infermeter_once(short_run(simulator.url(), folder / "alias"));
  CHECK(alias.exit_code == 2);
  CHECK(alias.err.find(first.name()) != std::string::npos);
  CHECK(first.stop().exit_code == 130);
  CHECK(static_cast<std::uint64_t>(count_lines(folder / "out/requests.jsonl")) == counted_in(folder / "out"));
  CHECK(std::distance(fs::directory_iterator(folder / "out"), fs::directory_iterator()) ==
        4);  // and the server's metrics, and its page
}

TEST_CASE("folder: --resume, report -o, merge and gate do not write where a run writes, nor use its result") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  REQUIRE(measured(infermeter_once(short_run(simulator.url(), folder / "done"))));
  EndlessRun first(simulator.url(), folder / "out");
  const std::string out = folder / "out", done = folder / "done", limit = "ok >= 1";
  const std::vector<std::vector<std::string>> commands{
      {"run", simulator.url(), "-c", "2", "-d", "600s", "--warmup", "0", "--output-tokens", "4", "--resume",
       out},
      {"run", simulator.url(), "-n", "2", "--shard", "0/2", "-c", "2", "-o", out},
      {"report", done, "--format", "markdown", "-o", out + "/report.md"},
      {"merge", done, "-o", out},
      {"merge", out, "-o", folder / "merged"},
      {"gate", done, "--assert", limit, "-o", out},
      {"gate", out, "--assert", limit, "-o", folder / "verdict"},
      {"gate", "--baseline", done, "--candidate", out, "--assert", limit, "-o", folder / "verdict"},
      {"gate", "--baseline-url", simulator.url(), "--candidate-url", simulator.url(), "-c", "2", "-n", "20",
       "-o", out}};
  for (const auto& command : commands) {
    INFO(command.front() << " " << command[1]);
    check_refused(infermeter_once(command), first);
  }
  CHECK_FALSE(fs::exists(out + "/report.md"));
  CHECK_FALSE(fs::exists(folder / "merged"));
  CHECK_FALSE(fs::exists(folder / "verdict"));
  const Finished shown = infermeter_once({"report", out});
  CHECK(shown.exit_code == 0);
  CHECK(shown.err.find("is still being written (" + first.name()) != std::string::npos);
}

TEST_CASE("folder: a run that was killed leaves it free, with its records, and nothing half written") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  EndlessRun first(simulator.url(), folder / "out");
  first.kill();
  const auto lines = count_lines(folder / "out/requests.jsonl");
  std::ofstream(folder / "out/result.json.4711.tmp") << "half";
  const Finished other = infermeter_once(short_run(simulator.url(), folder / "out"));
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("already holds a result (result.json)") != std::string::npos);
  CHECK(count_lines(folder / "out/requests.jsonl") == lines);
  CHECK(infermeter_once({"report", folder / "out", "-o", folder / "out/report.txt"}).exit_code == 0);
  Process resumed({"run", simulator.url(), "-c", "2", "-d", "600s", "--warmup", "0", "--output-tokens", "4",
                   "--resume", folder / "out"});
  REQUIRE(eventually([&] { return fs::exists(folder / "out/.infermeter.lock"); }));
  CHECK(eventually([&] { return !fs::exists(folder / "out/result.json.4711.tmp"); }));
  resumed.signal(SIGINT);
  CHECK(resumed.wait().exit_code == 130);
}

TEST_CASE("folder: runs that begin in the same second have folders of their own") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  const std::string words = "run " + simulator.url() + " -c 2 -n 6 --output-tokens 4";
  Process a = process_in(folder.path(), words), b = process_in(folder.path(), words),
          c = process_in(folder.path(), words);
  for (Process* process : {&a, &b, &c}) CHECK(measured(process->wait()));
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(folder / "results")) folders.push_back(entry.path());
  REQUIRE(folders.size() == 3);
  for (const auto& one : folders)
    CHECK(static_cast<std::uint64_t>(count_lines(one + "/requests.jsonl")) == counted_in(one));
}

TEST_CASE("folder: an empty one is taken, and one made for a run that does not begin is removed") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  fs::create_directory(folder / "made");
  CHECK(measured(infermeter_once(short_run(simulator.url(), folder / "made"))));
  const HeldPort nobody;
  CHECK(infermeter_once(short_run(nobody.url(), folder / "none")).exit_code == 3);
  CHECK_FALSE(fs::exists(folder / "none"));
  const Finished resumed = infermeter_once({"run", simulator.url(), "-n", "6", "--resume", folder / "none"});
  CHECK(resumed.exit_code == 3);
  CHECK_FALSE(fs::exists(folder / "none"));
}

TEST_CASE("folder: a pipe in the place of a file of the result was waited for") {
  const TemporaryFolder folder;
  for (const std::string name : {"result.json", "requests.jsonl"}) {
    const std::string out = folder / ("of-" + name);
    fs::create_directory(out);
    std::ofstream(out + "/result.json") << "{}";
    fs::remove(out + "/" + name);
    REQUIRE(mkfifo((out + "/" + name).c_str(), 0600) == 0);
    Process report({"report", out});
    const Finished ended = report.wait(std::chrono::seconds(60));
    CHECK(ended.exit_code == 3);
    CHECK(ended.err.find(name + " is no file") != std::string::npos);
  }
}

TEST_CASE("folder: whatever has the name of its lock file, a run ends with words and does not wait") {
  const TemporaryFolder folder;
  const std::string make = GENERATE("mkdir $L", "mkfifo $L", "ln -s nowhere $L", "ln -s . $L");
  fs::create_directory(folder / "out");
  const std::string commands = "L=" + folder / "out/.infermeter.lock" + "; " + make + "; exec " +
                               INFERMETER_BINARY + " run --sim fixed:ttft=5ms,itl=1ms -n 1 -o " +
                               folder / "out";
  const Finished run = Process({"-c", commands}, {}, "/bin/sh").wait(std::chrono::seconds(60));
  INFO(make << ": " << run.err);
  CHECK(run.exit_code == 3);
  CHECK(run.err.find(".infermeter.lock is a ") != std::string::npos);
}

TEST_CASE("merge: a source that is the absent output folder is missing, not in use") {
  const TemporaryFolder folder;
  const Finished merged =
      infermeter_once({"merge", folder / "none", folder / "other", "-o", folder / "none"});
  INFO(merged.err);
  CHECK(merged.exit_code == 3);
  CHECK(merged.err.find("still being written") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "none"));
}
