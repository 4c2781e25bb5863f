// Errors on stderr never end a run.
#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "catch.hpp"
#include "io/files/result_folder.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

/// A stream of this process goes to `path` as long as this lives.
class Redirected {
 public:
  Redirected(int stream, const char* path) : stream_(stream), saved_(dup(stream)) {
    const int target = open(path, O_WRONLY | O_CLOEXEC);
    dup2(target, stream_);
    close(target);
  }
  ~Redirected() {
    dup2(saved_, stream_);
    close(saved_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int stream_, saved_;
};

}  // namespace

TEST_CASE("error output: a stderr that takes nothing ends neither an error's message nor a run") {
  const Redirected full(STDERR_FILENO, "/dev/full");
  CHECK_NOTHROW(write_error_output("infermeter: unknown option --foo\n"));
}

TEST_CASE("error output: -q hides progress, not warnings") {
  const RunRequest run = run_of("--vendor groq -q --dry-run");
  REQUIRE(run.quiet);
  const TemporaryFile file("");
  {
    const Redirected nowhere(STDOUT_FILENO, "/dev/null"), said(STDERR_FILENO, file.path().c_str());
    run_command(run);
  }
  CHECK(read_file(file.path()) == "warning: GROQ_API_KEY is not set: no key is sent to groq\n");
}

TEST_CASE("error output: what preflight left out is a warning of its target") {
  RunResult planned;
  planned.targets = {{.name = "a", .notes = {"n is left out"}}};
  CHECK(target_warnings(planned) == std::vector<std::string>{"n is left out"});
  planned.targets.push_back({.name = "b", .label = "B", .notes = {"m is left out"}});
  CHECK(target_warnings(planned) == std::vector<std::string>{"a: n is left out", "B: m is left out"});
}
