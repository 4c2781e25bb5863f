// Around the program: the page beside each result, `open`, -v and --log, and the help after a mistake.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "process.hpp"
#include "run_folder.hpp"

using namespace infermeter;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Finished quick_run(const std::string& out, std::vector<std::string> more = {}) {
  std::vector<std::string> words{
      "run", "--sim", "fixed:ttft=5ms,itl=1ms", "-n", "20", "-c", "4", "--output-tokens", "8", "-o", out};
  words.insert(words.end(), more.begin(), more.end());
  return infermeter_once(words);
}

}  // namespace

TEST_CASE("page: each run writes report.html beside its result, and its last line opens it when pasted") {
  const TemporaryFolder folder;
  const std::string out = folder / "my run";
  const Finished run = quick_run(out);
  CAPTURE(run.out, run.err);
  CHECK(has(slurp(out + "/report.html"), "<html"));
  CHECK(run.out.ends_with("\n infermeter open '" + out + "'\n"));
  const Finished opened = infermeter_once({"open", out});
  CHECK(opened.exit_code == 0);
  CHECK(opened.out == out + "/report.html\n");
}

TEST_CASE("page: --no-report writes none, and open makes it from the result") {
  const TemporaryFolder folder;
  const std::string out = folder / "results/one";
  quick_run(out, {"--no-report"});
  CHECK_FALSE(std::filesystem::exists(out + "/report.html"));
  const Finished opened = infermeter_once({"open", folder / "results"});
  CHECK(opened.out == out + "/report.html\n");
  CHECK(has(slurp(out + "/report.html"), "<html"));
}

TEST_CASE("page: merge and a gate of saved results write one beside their result, but not with --no-report") {
  const TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  const Finished shard = infermeter_once({"run", simulator.url(), "-n", "8", "-c", "2", "--output-tokens",
                                          "4", "--shard", "0/2", "--no-report", "-q", "-o", folder / "s0"});
  INFO(shard.err);
  const std::vector<std::string> merge{"merge", folder / "s0", "--allow-missing", "-o"};
  const auto gate = std::vector<std::string>{"gate",           folder / "merged", "--assert",
                                             "ttft.p50 < 10s", "--assert-point",  "-o"};
  const auto page_of = [&](std::vector<std::string> words, const char* name, bool wanted) {
    words.push_back(folder / name);
    if (!wanted) words.emplace_back("--no-report");
    const Finished done = infermeter_once(words);
    INFO(done.err);
    CHECK(std::filesystem::exists(
        folder / (std::string(name) + (words[0] == "gate" ? "/verdict.json" : "/result.json"))));
    return slurp(folder / (std::string(name) + "/report.html"));
  };
  CHECK(has(page_of(merge, "merged", true), "<html"));
  CHECK(page_of(merge, "merged without", false).empty());
  CHECK(has(page_of(gate, "judged", true), "<html"));
  CHECK(page_of(gate, "judged without", false).empty());
}

TEST_CASE("open: takes the newest result of a folder, and says where there is none") {
  const TemporaryFolder folder;
  for (const auto* name : {"a", "b"}) quick_run(folder / (std::string("all/") + name));
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto* file : {"result.json", "requests.jsonl"})
    std::filesystem::last_write_time(folder / (std::string("all/b/") + file), now - std::chrono::hours(1));
  CHECK(infermeter_once({"open", folder / "all"}).out == folder / "all/a/report.html" + "\n");
  const Finished none = infermeter_once({"open", folder / "nowhere"});
  CHECK(none.exit_code == 3);
  CHECK(has(none.err, "no result in " + (folder / "nowhere")));
}

TEST_CASE("open: starts the desktop's opener where there is a display, and prints the path in any case") {
  const TemporaryFolder folder;
  const std::string opener = folder / "xdg-open";
  std::ofstream(opener) << "#!/bin/sh\necho \"$1\" >" << folder / "opened" << "\n";
  std::filesystem::permissions(opener, std::filesystem::perms::owner_all);
  quick_run(folder / "out");
  const std::string page = folder / "out/report.html" + "\n";
  const std::string path = "PATH=" + folder.path() + ":/usr/bin:/bin";
  CHECK(infermeter_once({"open", folder / "out"}, {path}).out == page);
  CHECK_FALSE(std::filesystem::exists(folder / "opened"));
  CHECK(infermeter_once({"open", folder / "out"}, {path, "DISPLAY=:0"}).out == page);
  CHECK(eventually([&] { return slurp(folder / "opened") == page; }));
  CHECK(infermeter_once({"open", folder / "out"}, {"PATH=/nowhere", "WAYLAND_DISPLAY=w"}).out == page);
}

TEST_CASE("log: -v says what preflight tried, each retry and a failing answer's head and body") {
  const TemporaryFolder folder;
  const Finished run =
      quick_run(folder / "out", {"--fault", "500:50%", "--retries", "3", "-v", "--log", folder / "log"});
  CAPTURE(run.err);
  CHECK(has(run.err, "preflight: http://127.0.0.1:"));
  CHECK(has(run.err, "/v1/models: ok 200, "));
  CHECK(has(run.err, ": try 2 of 4 in "));
  CHECK(has(run.err, "http_error 500"));
  CHECK(has(run.err, " | head: 500; "));
  CHECK(has(run.err, " | body: {\"error\""));
  CHECK_FALSE(has(run.err, "first token after"));
  const std::string log = slurp(folder / "log");
  CHECK(has(log, "first token after"));
  CHECK(has(log, ": try 2 of 4 in "));
}

TEST_CASE("log: without -v and --log nothing is said, and -vv names every request") {
  const TemporaryFolder folder;
  CHECK_FALSE(has(quick_run(folder / "a").err, "preflight: http"));
  const std::string said = quick_run(folder / "b", {"-vv"}).err;
  std::size_t requests = 0;
  for (std::size_t at = 0; (at = said.find(", first token after ", at)) != std::string::npos; ++at)
    ++requests;
  CHECK(requests == 24);  // with one of each slot before the measured ones
}

TEST_CASE("log: a file that cannot be written ends the run before it begins, with 3") {
  const TemporaryFolder folder;
  const Finished run = quick_run(folder / "out", {"--log", "/proc/nowhere/log"});
  CHECK(run.exit_code == 3);
  CHECK(has(run.err, "--log: '/proc/nowhere/log' cannot be written"));
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_CASE("help: a mistake in any subcommand ends with 2 and the hint at its help") {
  for (const auto* command :
       {"run", "gate", "simulate", "compare", "report", "merge", "scenarios", "open", "completions", "man"}) {
    CAPTURE(command);
    const Finished ended = infermeter_once({command, "--banana-split"});
    CHECK(ended.exit_code == 2);
    CHECK(has(ended.err, "\n  infermeter " + std::string(command) + " --help lists the options.\n"));
  }
  CHECK(has(infermeter_once({"simulate", "--port", "x"}).err,
            "\n  infermeter simulate --help lists the options.\n"));
}
