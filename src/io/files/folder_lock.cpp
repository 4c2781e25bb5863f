#include "io/files/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include "infermeter/base/clock.hpp"
#include "infermeter/base/errors.hpp"
#include "io/files/write_errors.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(10);
/// How long a holder may take to write its lines, and a killed one's children to end.
constexpr auto kUnknownHolder = std::chrono::seconds(1);

std::string lock_path(const std::string& folder) { return folder + "/.infermeter.lock"; }

/// The process that holds a folder, as the lines of its lock file say.
struct FolderHolder {
  pid_t process = 0;  // 0: not known
  std::string start, host, boot;
  std::string space;        // its process ids are of this namespace
  std::uint64_t ticks = 0;  // when the process started, on the kernel's clock: its id may be used again

  bool operator==(const FolderHolder&) const = default;
};

template <typename T>
T number_or_zero(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Field 22 of /proc/PID/stat; the name before it may hold spaces and brackets.
std::uint64_t start_ticks(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string_view rest = all;
  rest.remove_prefix(std::min(rest.rfind(')'), rest.size()));
  for (int field = 2; field < 22 && !rest.empty(); ++field)
    rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  return number_or_zero<std::uint64_t>(rest);
}

FolderHolder this_process() {
  FolderHolder own{.process = ::getpid(), .start = utc_iso8601(), .host = {}, .boot = {}, .space = {}};
  utsname names{};
  if (::uname(&names) == 0) own.host = names.nodename;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> own.boot;
  char space[64];
  const ssize_t n = ::readlink("/proc/self/ns/pid", space, sizeof space);
  if (n > 0) own.space.assign(space, static_cast<std::size_t>(n));
  own.ticks = start_ticks("self");
  return own;
}

std::string lines_of(const FolderHolder& holder) {
  return fmt::format("pid {}\nsince {}\nhost {}\nboot {}\nspace {}\nticks {}\n", holder.process, holder.start,
                     holder.host, holder.boot, holder.space, holder.ticks);
}

/// The file may be anybody's, and some of its words are printed.
std::string plain_word(std::string_view text) {
  const auto plain = [](unsigned char c) { return c > ' ' && c < 0x7f; };
  return std::ranges::all_of(text, plain) ? std::string(text) : std::string("?");
}

FolderHolder parse_holder(std::string_view lines) {
  FolderHolder holder;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, space), value = line.substr(std::min(space + 1, line.size()));
    if (key == "pid") holder.process = number_or_zero<pid_t>(value);
    if (key == "since") holder.start = plain_word(value);
    if (key == "host") holder.host = plain_word(value);
    if (key == "boot") holder.boot = plain_word(value);
    if (key == "space") holder.space = plain_word(value);
    if (key == "ticks") holder.ticks = number_or_zero<std::uint64_t>(value);
  }
  return holder;
}

FolderHolder read_holder(int fd) {
  char text[1024];
  const ssize_t n = ::pread(fd, text, sizeof text, 0);
  return n <= 0 ? FolderHolder{} : parse_holder({text, static_cast<std::size_t>(n)});
}

/// True only if this machine can know it: a process of another host or namespace may run.
bool is_gone(const FolderHolder& holder) {
  const FolderHolder own = this_process();
  if (holder.process <= 0 || holder.host != own.host) return false;
  if (holder.boot != own.boot) return true;
  if (holder.space != own.space) return false;
  if (::kill(holder.process, 0) != 0 && errno == ESRCH) return true;
  const std::uint64_t ticks = start_ticks(fmt::format("{}", holder.process));
  return ticks != 0 && ticks != holder.ticks;
}

std::string words_of(const FolderHolder& holder) {
  if (holder.process <= 0) return "its process is not known";
  const bool here = holder.host == this_process().host;
  return fmt::format("pid {}{}, since {}", holder.process, here ? "" : " on " + holder.host, holder.start);
}

/// NFS without a lock daemon, FUSE and 9p without locks.
bool lacks_locks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOTSUP || error == ENOSYS || error == EINVAL;
}

/// 0: locked; else the error.
int lock_file(int fd, int how) {
  while (::flock(fd, how | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// False if the file was removed, or replaced, after it was opened.
bool is_at(int fd, const std::string& path) {
  struct stat open{}, there{};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
         open.st_dev == there.st_dev;
}

/// 0, or the error.
int write_at(int fd, std::string_view text, off_t at) {
  while (!text.empty()) {
    const ssize_t n = ::pwrite(fd, text.data(), text.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(n));
    at += n;
  }
  return 0;
}

constexpr int kOpen = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

[[noreturn]] void refuse_lock_file(const std::string& what) {
  throw EnvironmentError(what, "If no infermeter writes in the folder, remove it; or choose another folder.");
}

/// Throws if something that is no file has the lock file's name: opened, it could block, or be another's.
/// True if there is nothing any more.
bool refuse_other_file(const std::string& path) {
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) != 0) return errno == ENOENT;
  if (!S_ISREG(facts.st_mode))
    refuse_lock_file(
        fmt::format("{} is {}, not the lock file of a result folder", path, kind_of(facts.st_mode)));
  return false;
}

}  // namespace

FolderLock::FolderLock(std::string folder, std::chrono::milliseconds patience, LockWay way)
    : folder_(std::move(folder)), way_(way) {
  const Instant begun = now();
  while (true) {
    const Try result = try_to_take();
    if (result == Try::taken) return;
    if (result == Try::again) continue;
    const FolderHolder holder = read_holder(fd_);
    const bool known = holder.process > 0 && !is_gone(holder);
    if (now() - begun >= std::max<nanoseconds>(patience, known ? nanoseconds(0) : kUnknownHolder)) refuse();
    close_file();
    std::this_thread::sleep_for(kLookAgain);
  }
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : folder_(std::move(other.folder_)),
      way_(other.way_),
      fd_(std::exchange(other.fd_, -1)),
      own_size_(other.own_size_) {}

// The file goes first: whoever opened it before finds that it is not the folder's any more.
FolderLock::~FolderLock() {
  if (fd_ < 0) return;
  const std::string path = lock_path(folder_);
  if (is_at(fd_, path)) ::unlink(path.c_str());
  close_file();
}

FolderLock::Try FolderLock::try_to_take() {
  const std::string path = lock_path(folder_);
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | kOpen, 0644);
  const bool made = fd_ >= 0;
  if (!made && errno == EEXIST) {
    if (refuse_other_file(path)) return Try::again;
    fd_ = ::open(path.c_str(), O_RDWR | kOpen);
    if (fd_ < 0 && errno == EACCES) fd_ = ::open(path.c_str(), O_RDONLY | kOpen);
    if (fd_ < 0 && errno == ENOENT) return Try::again;
    if (fd_ < 0)
      refuse_lock_file(fmt::format("the lock file {} cannot be opened: {}", path, error_words(errno)));
  }
  if (fd_ < 0) refuse_folder(folder_, errno);
  try {
    return take_open_file(made);
  } catch (...) {
    close_file();
    throw;
  }
}

FolderLock::Try FolderLock::take_open_file(bool made) {
  const std::string path = lock_path(folder_);
  if (way_ == LockWay::kernel) {
    const int error = lock_file(fd_, LOCK_EX);
    if (error == EWOULDBLOCK) return Try::held;
    if (error == 0 && is_at(fd_, path)) return take_for_good();
    if (error != 0 && !lacks_locks(error)) refuse_folder(folder_, error);
    if (error == 0) {
      close_file();
      return Try::again;
    }
    way_ = LockWay::file;
  }
  if (made) return take_for_good();
  return is_gone(read_holder(fd_)) ? take_stale_file() : Try::held;
}

// Without locks two processes may find the same stale file: only the one that creates the second file removes
// it, and looks at it again before.
FolderLock::Try FolderLock::take_stale_file() {
  const std::string path = lock_path(folder_), claim = path + ".stale";
  const int claimed = ::open(claim.c_str(), O_WRONLY | O_CREAT | O_EXCL | kOpen, 0644);
  if (claimed < 0 && errno == EEXIST) return Try::held;
  if (claimed < 0) refuse_folder(folder_, errno);
  ::close(claimed);
  if (is_at(fd_, path) && is_gone(read_holder(fd_))) ::unlink(path.c_str());
  ::unlink(claim.c_str());
  close_file();
  return Try::again;
}

FolderLock::Try FolderLock::take_for_good() {
  const std::string lines = lines_of(this_process());
  int error = ::ftruncate(fd_, 0) == 0 ? write_at(fd_, lines, 0) : errno;
  if (error == 0) {
    own_size_ = lines.size();
    return Try::taken;
  }
  // A killed run of another user left the file: it can be replaced, if not written.
  const bool removed = ::unlink(lock_path(folder_).c_str()) == 0;
  if (!removed || (error != EBADF && error != EINVAL)) refuse_folder(folder_, error);
  close_file();
  return Try::again;
}

void FolderLock::close_file() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void FolderLock::refuse() const {
  const FolderHolder holder = read_holder(fd_);
  ::close(fd_);
  std::string advice = "Wait until it has ended, or choose another folder with --out.";
  if (way_ == LockWay::file) advice += fmt::format("\nIf none runs, remove {}*.", lock_path(folder_));
  throw UsageError(fmt::format("{} is in use by another infermeter ({})", folder_, words_of(holder)), advice);
}

void FolderLock::require_held() const {
  if (is_at(fd_, lock_path(folder_))) return;
  throw EnvironmentError(
      fmt::format("{} was removed or replaced while it was written: nothing more is written in it", folder_));
}

void FolderLock::keep_room(std::size_t bytes) {
  struct stat facts{};
  const bool known = ::fstat(fd_, &facts) == 0;
  const std::size_t size = known ? static_cast<std::size_t>(facts.st_size) : own_size_;
  if (size >= bytes) return;
  // Written rather than reserved: not every file system can reserve.
  int error = write_at(fd_, std::string(bytes - size, '\n'), static_cast<off_t>(size));
  if (error == 0 && ::fsync(fd_) != 0) error = errno;
  if (error == 0) return;
  static_cast<void>(::ftruncate(fd_, static_cast<off_t>(size)) == 0);
  refuse_folder(folder_, error);
}

void FolderLock::give_room_back() noexcept {
  static_cast<void>(::ftruncate(fd_, static_cast<off_t>(own_size_)) == 0);
}

std::optional<std::string> folder_holder(const std::string& folder) {
  const int fd = ::open(lock_path(folder).c_str(), O_RDONLY | kOpen);
  if (fd < 0) return std::nullopt;
  const int error = lock_file(fd, LOCK_SH);
  const FolderHolder holder = read_holder(fd);
  ::close(fd);
  const bool held = error == EWOULDBLOCK || (lacks_locks(error) && !is_gone(holder));
  return held ? std::optional(words_of(holder)) : std::nullopt;
}

bool was_left_by_holder(const std::string& folder) {
  struct stat facts{};
  return ::lstat(lock_path(folder).c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && !folder_holder(folder);
}

void refuse_unfinished(const std::string& folder) {
  const auto holder = folder_holder(folder);
  if (!holder) return;
  throw UsageError(fmt::format("{} is still being written by another infermeter ({})", folder, *holder),
                   "Wait until it has ended.");
}

}  // namespace infermeter
