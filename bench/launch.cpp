// launch STATS COMMAND…: runs a command and writes the kernel's figures for it to the file STATS, as JSON:
// {"start_ns": CLOCK_MONOTONIC just before exec, "cpu_s", "wall_s", "peak_rss_kb", "exit_code"}.
// Ends with the command's exit code.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace {

std::int64_t monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "launch STATS COMMAND…\n");
    return 2;
  }
  // The instant before exec needs no pipe: the parent's own, before fork, is earlier only by the duration of
  // the fork.
  const auto start = monotonic_ns();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) < 0) {
    std::perror("launch");
    return 1;
  }
  const auto end = monotonic_ns();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::FILE* file = std::fopen(argv[1], "w");
  if (!file) {
    std::perror(argv[1]);
    return 1;
  }
  fmt::print(file, R"({{"start_ns":{},"cpu_s":{:.6f},"wall_s":{:.3f},"peak_rss_kb":{},"exit_code":{}}})",
             start, seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(end - start) / 1e9,
             usage.ru_maxrss, code);
  std::fputc('\n', file);
  std::fclose(file);
  return code;
}
