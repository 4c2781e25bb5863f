#include "io/files/folder_lock.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "io/files/result_folder.hpp"
#include "temporary_folder.hpp"

using namespace infermeter;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kAtOnce{0};

std::string lock_file(const TemporaryFolder& base) { return base.file(".infermeter.lock"); }

std::string own_pid() { return "pid " + std::to_string(::getpid()); }

std::string line_of(const std::string& lines, const std::string& key) {
  const std::size_t begin = lines.find(key + " ");
  return lines.substr(begin, lines.find('\n', begin) + 1 - begin);
}

/// The lines of a lock file of this machine, with another process in it.
std::string lines_with(const std::string& lines, const std::string& key, const std::string& value) {
  const std::string old = line_of(lines, key);
  std::string out = lines;
  return out.replace(out.find(old), old.size(), key + " " + value + "\n");
}

std::string own_lines(LockWay way) {
  const TemporaryFolder base;
  const FolderLock lock(base.path(), kAtOnce, way);
  return read_file(lock_file(base));
}

/// The process id of a child that has ended.
std::string ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return std::to_string(child);
}

bool can_take(const TemporaryFolder& base, LockWay way) {
  return complaint<UsageError>([&] { FolderLock(base.path(), kAtOnce, way); }) == "nothing";
}

}  // namespace

TEST_CASE("folder lock: a second holder is refused with the first one's process and start") {
  const auto way = GENERATE(LockWay::kernel, LockWay::file);
  const TemporaryFolder base;
  const FolderLock first(base.path(), kAtOnce, way);
  const std::string refused = complaint<UsageError>([&] { FolderLock(base.path(), kAtOnce, way); });
  CHECK(refused.starts_with(base.path() + " is in use by another infermeter (" + own_pid() + ", since 20"));
  CHECK(refused.ends_with("Z)"));
}

TEST_CASE("folder lock: at its end the folder is free and holds nothing of it") {
  const auto way = GENERATE(LockWay::kernel, LockWay::file);
  const TemporaryFolder base;
  {
    const FolderLock first(base.path(), kAtOnce, way);
  }
  CHECK(fs::is_empty(base.path()));
  CHECK(can_take(base, way));
}

TEST_CASE("folder lock: moved, it is held until its new end") {
  const TemporaryFolder base;
  FolderLock first(base.path());
  {
    const FolderLock second(std::move(first));
    CHECK_FALSE(can_take(base, LockWay::kernel));
  }
  CHECK(can_take(base, LockWay::kernel));
}

TEST_CASE("folder lock: a lock file that nobody holds, as a killed run leaves it, does not keep the folder") {
  const TemporaryFolder base;
  base.write(".infermeter.lock", lines_with(own_lines(LockWay::kernel), "pid", "1"));
  CHECK_FALSE(folder_holder(base.path()));
  CHECK(can_take(base, LockWay::kernel));
}

TEST_CASE("folder lock: a child that was started meanwhile does not keep the folder") {
  const TemporaryFolder base;
  int child = 0;
  {
    const FolderLock first(base.path());
    child = ::fork();
    if (child == 0) {
      ::execl("/bin/sleep", "sleep", "60", nullptr);
      ::_exit(127);
    }
  }
  CHECK(can_take(base, LockWay::kernel));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("folder lock: without locks a file of a process that has ended is stale") {
  const TemporaryFolder base;
  base.write(".infermeter.lock", lines_with(own_lines(LockWay::file), "pid", ended_process()));
  CHECK(can_take(base, LockWay::file));
  CHECK(fs::is_empty(base.path()));
}

TEST_CASE("folder lock: without locks a file from before the last boot is stale, whatever its process") {
  const TemporaryFolder base;
  base.write(".infermeter.lock", lines_with(own_lines(LockWay::file), "boot", "another"));
  CHECK(can_take(base, LockWay::file));
}

TEST_CASE("folder lock: without locks a process that only has the id of the first one does not hold it") {
  const TemporaryFolder base;
  base.write(".infermeter.lock", lines_with(own_lines(LockWay::file), "ticks", "1"));
  CHECK(can_take(base, LockWay::file));
}

TEST_CASE("folder lock: without locks a process of another host or namespace may still run") {
  const auto key = GENERATE(as<std::string>{}, "host", "space");
  const TemporaryFolder base;
  const std::string lines = lines_with(own_lines(LockWay::file), "pid", ended_process());
  base.write(".infermeter.lock", lines_with(lines, key, "another"));
  CHECK_FALSE(can_take(base, LockWay::file));
  CHECK(fs::exists(lock_file(base)));
}

TEST_CASE("folder lock: what stands in a lock file is not printed as it is") {
  const TemporaryFolder base;
  std::string lines = lines_with(own_lines(LockWay::file), "since", "\x1b]0;bad\x07");
  base.write(".infermeter.lock", lines_with(lines, "host", "\x1b[2J"));
  const std::string refused = complaint<UsageError>([&] { FolderLock(base.path(), kAtOnce, LockWay::file); });
  CHECK(refused.find('\x1b') == std::string::npos);
}

TEST_CASE("folder lock: another process sees who writes, and that a finished folder is nobody's") {
  const auto way = GENERATE(LockWay::kernel, LockWay::file);
  const TemporaryFolder base;
  {
    const FolderLock first(base.path(), kAtOnce, way);
    if (way == LockWay::kernel) {
      CHECK(folder_holder(base.path()).value_or("").starts_with(own_pid() + ", since 20"));
      CHECK(complaint<UsageError>([&] {
              refuse_unfinished(base.path());
            }).starts_with(base.path() + " is still being written by another infermeter (" + own_pid()));
    }
  }
  CHECK_FALSE(folder_holder(base.path()));
  CHECK_FALSE(folder_holder(base.file("none")));
}

TEST_CASE("folder lock: something else with the name of its file is named, not opened") {
  const TemporaryFolder base;
  const std::string path = lock_file(base);
  const auto refused = [&] { return complaint<EnvironmentError>([&] { FolderLock(base.path(), kAtOnce); }); };
  const std::string rest = ", not the lock file of a result folder";
  fs::create_directory(path);
  CHECK(refused() == path + " is a folder" + rest);
  fs::remove(path);
  fs::create_symlink("nowhere", path);
  CHECK(refused() == path + " is a symbolic link" + rest);
  fs::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(refused() == path + " is a pipe" + rest);
  CHECK_FALSE(folder_holder(base.path()));
  CHECK(fs::is_fifo(path));
  fs::remove(path);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(refused() == path + " is a socket" + rest);
  CHECK_FALSE(folder_holder(base.path()));
  ::close(socket);
}

TEST_CASE("folder lock: a file of another user that cannot be read is named") {
  if (::geteuid() == 0 && ::seteuid(65534) != 0) return;
  {
    const TemporaryFolder base;
    base.write(".infermeter.lock", "pid 1\n");
    ::chmod(lock_file(base).c_str(), 0);
    CHECK(complaint<EnvironmentError>([&] { FolderLock(base.path(), kAtOnce); }) ==
          "the lock file " + lock_file(base) + " cannot be opened: Permission denied");
  }
  if (::getuid() == 0) CHECK(::seteuid(0) == 0);
}

TEST_CASE("folder lock: a folder that cannot be written in is an error that names it") {
  const TemporaryFolder base;
  CHECK(complaint<EnvironmentError>([&] { FolderLock(base.file("none")); }) ==
        "cannot write in " + base.file("none") + ": No such file or directory");
}

TEST_CASE("folder lock: room is kept in its file and given back") {
  const TemporaryFolder base;
  FolderLock lock(base.path());
  const auto lines = fs::file_size(lock_file(base));
  lock.keep_room(100'000);
  CHECK(fs::file_size(lock_file(base)) == 100'000);
  lock.keep_room(50'000);
  CHECK(fs::file_size(lock_file(base)) == 100'000);
  lock.give_room_back();
  CHECK(fs::file_size(lock_file(base)) == lines);
}
