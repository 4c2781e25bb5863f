// Runs the command lines that docs/ci.md and action.yml contain, with simulators in place of the servers,
// fewer requests, and the built binary in PATH.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "catch.hpp"
#include "ci_documents.hpp"
#include "process.hpp"

using namespace infermeter;

namespace {

using std::string;

const string kServer = "fixed:ttft=20ms,itl=5ms";
const string kWideMarginOption =
    "--metric ttft.p50:100%/200%";  // chance never makes equal servers differ so much

string source(const string& path) { return string(INFERMETER_SOURCE_DIR) + "/" + path; }
string guide() { return slurp(source("docs/ci.md")); }

using Replacements = std::vector<std::pair<string, string>>;

string replaced(string text, const Replacements& replacements) {
  for (const auto& [from, to] : replacements) {
    for (auto at = text.find(from); at != string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

/// One job: a folder to work in, two servers, and a program called infermeter.
class Job {
 public:
  Job() : baseline_({kServer}), candidate_({kServer}) {
    std::filesystem::create_symlink(INFERMETER_BINARY, folder_ / "infermeter");
    const string command = "infermeter simulate " + kServer + " --port " + idle_.number();
    replacements_ = {
        {"docker run --rm --gpus all -p 8000:8000 my/server:main", command},
        {"docker run --rm --gpus all -p 8000:8000 my/server:candidate", command},
        {"--ready-timeout 20m", "--ready-timeout 30s --baseline-url " + idle_.url() + " -n 3 --blocks 2"},
        {"http://localhost:8001", baseline_.url()},
        {"http://baseline:8000", baseline_.url()},
        {"http://localhost:8002", candidate_.url()},
        {"http://candidate:8000", candidate_.url()},
        {"http://localhost:8000", baseline_.url()},
        {"https://llm.example.com", baseline_.url()},
        {"/usr/share/infermeter/ci-gate", source("script/ci-gate")},
        {"-n 400", "-n 4"},
        {"-n 1000", "-n 5"},
        {"--input-tokens 512 --output-tokens 128", "--max-pairs 6 " + kWideMarginOption},
        {"--out verdict", "--out verdict " + kWideMarginOption},
        {"-c 16", "-c 2 --output-tokens 3"},
        {"--rate 5", "--rate 5 --output-tokens 3"},
    };
  }

  /// As a step of a job does.
  Finished shell(const string& script, std::vector<string> variables = {}) {
    const string prelude =
        "cd " + folder_.path() + "\nexport PATH=" + folder_.path() + ":$PATH\nset -eo pipefail\n";
    variables.insert(variables.end(), {"GITHUB_STEP_SUMMARY=" + (folder_ / "summary.md"),
                                       "GITHUB_OUTPUT=" + (folder_ / "output"), "GITHUB_ACTIONS=true"});
    Process process({"-c", prelude + replaced(script, replacements_)}, variables, "/bin/bash");
    return process.wait(std::chrono::seconds(120));
  }
  /// The action's own step, with the inputs of an example.
  Finished measure(const string& arguments) {
    return shell(values_of(slurp(source("action.yml")), "run").at(2),
                 {"ARGS=" + replaced(arguments, replacements_), "OUTPUT=out",
                  "GITHUB_ACTION_PATH=" + string(INFERMETER_SOURCE_DIR)});
  }
  string operator/(const string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
  SimulatorProcess baseline_, candidate_;
  HeldPort idle_;
  Replacements replacements_;
};

/// A gate of equal servers, or few requests compared with a limit, may be undecided; a run on a busy machine
/// may be untrustworthy. None fails.
bool not_red(const Finished& run) { return run.exit_code == 0 || run.exit_code == 4 || run.exit_code == 5; }

void check_reports(const Job& job, int exit_code) {
  for (const auto* name :
       {"out/report.md", "out/report.html", "out/junit.xml", "out/annotations.txt", "summary.md"}) {
    INFO(name);
    CHECK_FALSE(slurp(job / name).empty());
  }
  CHECK(slurp(job / "out/junit.xml").find("<testsuite") != string::npos);
  CHECK(slurp(job / "output") == fmt::format("exit-code={}\ndirectory=out\n", exit_code));
}

string action_example(std::size_t number) {
  return values_of(fenced_blocks(guide(), "yaml").at(number), "args").at(0);
}

}  // namespace

TEST_CASE("ci examples: jobs wait for the accelerator and do not cancel each other") {
  for (const std::size_t block : {0, 1}) {
    const string yaml = fenced_blocks(guide(), "yaml").at(block);
    CHECK(values_of(yaml, "group") == std::vector<string>{"gpu"});
    CHECK(values_of(yaml, "queue") == std::vector<string>{"max"});
  }
}

TEST_CASE("ci examples: every YAML block and action.yml are laid out as YAML") {
  const auto blocks = fenced_blocks(guide(), "yaml");
  REQUIRE(blocks.size() == 4);
  for (const auto& block : blocks) CHECK(layout_fault(block) == "");
  for (const auto* file : {"action.yml", ".github/workflows/release.yml"})
    CHECK(layout_fault(slurp(source(file))) == "");
  CHECK(layout_fault("a:\n\tb: 1\n") == "line 2: a tab");
  CHECK(layout_fault("a:\n  b\n") == "line 2:   b");
  CHECK(layout_fault("a:\n   b: 1\n") == "line 2: indented by 3");
}

TEST_CASE("ci examples: the gate of two servers in a pull request") {
  Job job;
  const Finished run = job.measure(action_example(0));
  INFO(run.out << run.err);
  CHECK(not_red(run));
  check_reports(job, run.exit_code);
  CHECK(run.out.find("::notice title=infermeter") != string::npos);
}

TEST_CASE("ci examples: the gate of one accelerator starts both servers in turn") {
  Job job;
  const Finished run = job.measure(action_example(1));
  INFO(run.out << run.err);
  CHECK(not_red(run));
  check_reports(job, run.exit_code);
}

TEST_CASE("ci examples: the nightly promises") {
  Job job;
  const Finished run = job.measure(action_example(2));
  INFO(run.out << run.err);
  CHECK(not_red(run));
  check_reports(job, run.exit_code);
}

TEST_CASE("ci examples: GitLab's script, and the report is where its artifacts look for it") {
  Job job;
  const string gitlab = fenced_blocks(guide(), "yaml").at(3);
  const Finished run = job.shell(values_of(gitlab, "script").at(0));
  INFO(run.out << run.err);
  CHECK(not_red(run));
  check_reports(job, run.exit_code);
  CHECK(values_of(gitlab, "junit") == std::vector<string>{"out/junit.xml"});
}

TEST_CASE("ci examples: the shell's own line") {
  Job job;
  const Finished run = job.shell(fenced_blocks(guide(), "sh").at(0));
  INFO(run.out << run.err);
  CHECK(not_red(run));
  check_reports(job, run.exit_code);
}

TEST_CASE("ci examples: saved baselines are measured and compared") {
  Job job;
  const auto blocks = fenced_blocks(guide(), "sh");
  for (const auto* folder : {"baseline", "candidate"}) {
    const Finished run = job.shell(replaced(blocks.at(1), {{"--out baseline", string("--out ") + folder}}));
    INFO(run.out << run.err);
    CHECK(not_red(run));
  }
  const Finished gate = job.shell(blocks.at(2));
  INFO(gate.out << gate.err);
  CHECK(not_red(gate));
  CHECK_FALSE(slurp(job / "verdict/verdict.json").empty());
  const Finished step = job.shell(source("script/ci-gate") +
                                  " out -- infermeter gate --baseline baseline --candidate candidate");
  INFO(step.out << step.err);
  check_reports(job, step.exit_code);  // the page too
}

TEST_CASE("ci examples: a limit that cannot hold is red, and the reports are there") {
  Job job;
  const Finished run =
      job.measure("run http://localhost:8001 -n 8 --output-tokens 3 --assert 'request_throughput > 1000000'");
  INFO(run.out << run.err);
  CHECK((run.exit_code == 1 || run.exit_code == 4));
  check_reports(job, run.exit_code);
  CHECK(slurp(job / "out/annotations.txt").find("::error title=infermeter") != string::npos);
}

TEST_CASE("ci examples: a server that is not there is exit 3, and the summary says why") {
  Job job;
  const Finished run = job.measure("run http://127.0.0.1:1 -n 1");
  CHECK(run.exit_code == 3);
  CHECK(slurp(job / "summary.md").find("cannot connect to 127.0.0.1:1") != string::npos);
  CHECK(run.out.find("::error title=infermeter%3A exit code 3::infermeter: cannot connect") != string::npos);
}

TEST_CASE("ci examples: words of the action are not executed") {
  Job job;
  const Finished run = job.measure("run $(touch executed) ; touch executed `touch executed`");
  CHECK(run.exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(job / "executed"));
}

TEST_CASE("ci examples: an empty word of the action stays a word, and a quote without an end is refused") {
  Job job;
  const Finished run = job.measure("run '' -n 1");
  CHECK(run.exit_code == 2);
  CHECK(slurp(job / "summary.md").find("the URL is empty") != string::npos);
  CHECK(job.measure("run 'http://127.0.0.1:1").exit_code == 2);
}

TEST_CASE("ci examples: a tag installs its release, a SHA the version that its sources name, or itself") {
  Job job;
  const auto chosen = [&](std::vector<string> variables) {
    variables.insert(variables.end(), {"REPOSITORY=o/infermeter", "GITHUB_SERVER_URL=https://h"});
    return job.shell(source("script/ci-version"), variables);
  };
  const auto release = [](const string& version) {
    return fmt::format(
        "package=https://h/o/infermeter/releases/download/v{0}/infermeter-{0}-linux-{{machine}}.tar.gz\n",
        version);
  };
  CHECK(chosen({"REF=v9.8.7"}).out.starts_with(release("9.8.7")));
  const Finished pinned = chosen({"REF=0123abcd"});
  CHECK(pinned.out.starts_with(release(INFERMETER_VERSION)));
  CHECK(pinned.err.find(
            fmt::format("infermeter {}, the release that '0123abcd' names", INFERMETER_VERSION)) == 0);
  CHECK(chosen({"REF=main", "VERSION=v0.0.9"}).out.starts_with(release("0.0.9")));
  CHECK(chosen({"REF=main", "INFERMETER_BUILD=true"}).out.starts_with("package=source\n"));
  CHECK(chosen({"REF=v9.8.7", "INFERMETER_BUILD=true"}).out.starts_with(release("9.8.7")));
}

TEST_CASE(
    "ci examples: a release's tarball is installed, kept for the next job, and refused if it is damaged") {
  Job job;
  const string install = source("script/ci-install") + " file://$PWD/{machine}.tar.gz";
  const std::vector<string> variables{"CI_INSTALL_CACHE=" + (job / "cache"), "GITHUB_PATH=" + (job / "path"),
                                      "CI_INSTALL_PREFIX=" + (job / "prefix")};
  CHECK(job.shell(install, variables).exit_code == 3);
  const Finished installed = job.shell(
      "mkdir -p t/bin && cp infermeter t/bin && tar czf $(uname -m).tar.gz t && sha256sum *.tar.gz "
      ">SHA256SUMS\n" +
          install,
      variables);
  INFO(installed.err);
  CHECK(installed.out.starts_with(fmt::format("infermeter {}\n", INFERMETER_VERSION)));
  CHECK(slurp(job / "path") == (job / "prefix/bin\n"));
  CHECK(job.shell("rm *.tar.gz\n" + install, variables).exit_code == 0);
  const Finished damaged =
      job.shell("cp cache/*.tar.gz . && rm cache/*\nprintf x >>$(uname -m).tar.gz\n" + install, variables);
  CHECK(damaged.exit_code == 3);
  CHECK(damaged.err.find("is not the file that its SHA256SUMS names") != string::npos);
}

TEST_CASE("ci examples: the packages that are named are those of this version") {
  const string text = guide();
  CHECK(text.find(fmt::format("infermeter_{}_trixie_amd64.deb", INFERMETER_VERSION)) != string::npos);
  for (auto at = text.find("infermeter_"); at != string::npos; at = text.find("infermeter_", at + 1)) {
    const auto rest = text.substr(at, 40);
    CHECK((rest.starts_with(fmt::format("infermeter_{}_", INFERMETER_VERSION)) ||
           rest.starts_with("infermeter_VERSION")));
  }
}
