// Errors on stderr never end a run.
#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "catch.hpp"

using namespace infermeter;

namespace {

/// stderr goes to `path` as long as this lives.
class RedirectedStderr {
 public:
  explicit RedirectedStderr(const char* path) : saved_(dup(STDERR_FILENO)) {
    const int target = open(path, O_WRONLY | O_CLOEXEC);
    dup2(target, STDERR_FILENO);
    close(target);
  }
  ~RedirectedStderr() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }
  RedirectedStderr(const RedirectedStderr&) = delete;
  RedirectedStderr& operator=(const RedirectedStderr&) = delete;

 private:
  int saved_;
};

}  // namespace

TEST_CASE("error output: a stderr that takes nothing ends neither an error's message nor a run") {
  const RedirectedStderr full("/dev/full");
  CHECK_NOTHROW(write_error_output("infermeter: unknown option --foo\n"));
}
