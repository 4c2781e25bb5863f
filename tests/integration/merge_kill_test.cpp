// A merge that is killed before each of its changes to files: whatever it leaves can be read, or says that
// merge is to be run again.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <array>

#include "catch.hpp"
#include "run_folder.hpp"

using namespace infermeter;
namespace fs = std::filesystem;

namespace {

/// Whether a system call changes a file or folder.
bool changes_files(const __ptrace_syscall_info& info) {
  const auto& [number, words] = info.entry;
  switch (number) {
    case SYS_openat:
      return (words[2] & O_CREAT) != 0;
    case SYS_write:
      return words[0] > STDERR_FILENO;
    case SYS_renameat2:
    case SYS_mkdirat:
    case SYS_unlinkat:
    case SYS_pwrite64:
    case SYS_ftruncate:
    case SYS_fsync:
    case SYS_flock:
#ifdef SYS_open
    case SYS_rename:
    case SYS_mkdir:
    case SYS_unlink:
    case SYS_rmdir:
#endif
      return true;
    default:
      return false;
  }
}

enum class Ended { by_itself, killed, untraceable };

/// Runs the command and kills it before its `n`-th change, counted from 0.
Ended killed_before(int n, std::vector<std::string> words) {
  words.insert(words.begin(), INFERMETER_BINARY);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  int status = 0, changes = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return Ended::untraceable;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  while (true) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return Ended::by_itself;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !changes_files(info) || changes++ < n) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return Ended::killed;
  }
}

/// A run's own folder as the two halves of one: shards without a server.
void split(const std::string& whole, const TemporaryFolder& folder) {
  for (const int rank : {0, 1}) {
    const std::string half = folder / ("half-" + std::to_string(rank));
    fs::create_directory(half);
    auto result = result_in(whole);
    result["run"]["shard"] = {{"rank", rank}, {"of", 2}};
    std::ofstream(half + "/result.json") << result.dump();
    std::ofstream records(half + "/requests.jsonl");
    std::istringstream lines(slurp(whole + "/requests.jsonl"));
    int number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
      if (number % 2 == rank) records << line << "\n";
    }
  }
}

}  // namespace

TEST_CASE("merge: killed at any moment, it left records without a result that no command could use") {
  TemporaryFolder folder;
  const std::string whole = folder / "whole";
  REQUIRE(infermeter_once({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-c", "2", "-n", "4", "--warmup", "0",
                           "--output-tokens", "4", "-q", "-o", whole})
              .exit_code != 3);
  split(whole, folder);
  int cut_short = 0, moments = 0;
  while (true) {
    const std::string out = folder / ("out-" + std::to_string(moments));
    const std::vector<std::string> words{"merge", folder / "half-0", folder / "half-1", "-o", out};
    const Ended ended = killed_before(moments, words);
    if (ended == Ended::untraceable) return;  // a container that forbids it
    const Finished report = infermeter_once({"report", out});
    INFO("before change " << moments << ": " << report.err);
    const bool readable = report.out.find("4 ok") != std::string::npos;
    if (ended == Ended::by_itself) {
      CHECK(readable);
      break;
    }
    const bool said = report.err.find("was cut short") != std::string::npos;
    const bool nothing = !fs::exists(out) || fs::is_empty(out);
    CHECK((readable || said || nothing));
    const Finished again = infermeter_once(words);
    CHECK(again.exit_code == (readable ? 2 : 0));  // 2: a result is there
    CHECK(count_lines(out + "/requests.jsonl") == 4);
    cut_short += report.err.find("merge was cut short") != std::string::npos ? 1 : 0;
    ++moments;
  }
  CHECK(moments > 10);
  CHECK(cut_short > 5);
}
