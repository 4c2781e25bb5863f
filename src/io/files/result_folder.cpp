#include "io/files/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {
namespace {

namespace fs = std::filesystem;

/// Space that must be free before the first request: more than result.json needs.
constexpr std::size_t kProbeBytes = 64 * 1024;

/// A file descriptor that is closed at the end of its scope.
class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool open() const { return fd_ >= 0; }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// A pipe or a device cannot be synced and returns EINVAL.
  bool sync() const { return ::fsync(fd_) == 0 || errno == EINVAL || errno == EROFS; }
  ssize_t read(char* to, std::size_t size) const {
    ssize_t n = -1;
    do {
      n = ::read(fd_, to, size);
    } while (n < 0 && errno == EINTR);
    return n;
  }

 private:
  int fd_;
};

[[noreturn]] void refuse_folder(std::string_view action, const std::string& path, int error) {
  throw EnvironmentError(fmt::format("cannot {} {}: {}", action, path, error_words(error)));
}

/// Creates or replaces a file and syncs it to disk; returns errno, 0 on success.
int write_whole(const std::string& path, std::string_view content) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  return file.open() && file.write(content) && file.sync() ? 0 : errno;
}

// The process id separates two runs that write at the same time.
std::string temporary_name(const std::string& path) { return fmt::format("{}.{}.tmp", path, ::getpid()); }

void refuse_old_result(const std::string& folder) {
  for (const char* name : {"result.json", "requests.jsonl", "verdict.json"}) {
    std::error_code ignored;
    if (fs::exists(folder + "/" + name, ignored))
      throw UsageError(fmt::format("{} already holds a result ({})", folder, name),
                       "Choose another folder with --out, or move the old result away.");
  }
}

// Only writing proves that the folder is writable and has space: permissions do not show a read-only or full
// file system.
void prove_room(const std::string& folder) {
  const std::string probe = temporary_name(folder + "/probe");
  const int error = write_whole(probe, std::string(kProbeBytes, '\n'));
  ::unlink(probe.c_str());
  if (error == ENOSPC || error == EDQUOT)
    throw EnvironmentError(fmt::format("no room in {}: {}", folder, std::strerror(error)),
                           "Free some space, or write elsewhere with --out.");
  if (error != 0) refuse_folder("write in", folder, error);
}

}  // namespace

ResultFolder::ResultFolder(std::string path, bool go_on) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) refuse_folder("create the folder", path_, error.value());
  if (!fs::is_directory(path_, error)) refuse_folder("create the folder", path_, ENOTDIR);
  if (!go_on) refuse_old_result(path_);
  prove_room(path_);
}

void ResultFolder::write_result(std::string_view json) const { write_file_atomically(result_path(), json); }

void ResultFolder::write_verdict(std::string_view json) const {
  write_file_atomically(path_ + "/verdict.json", json);
}

std::string read_file(const std::string& path) {
  const File file(path, O_RDONLY);
  if (!file.open()) refuse_folder("read", path, errno);
  std::string content, chunk(64 * 1024, '\0');
  while (true) {
    const ssize_t n = file.read(chunk.data(), chunk.size());
    if (n < 0) refuse_folder("read", path, errno);
    if (n == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(n));
  }
}

void write_file_atomically(const std::string& path, std::string_view content) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  int error = 0;
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // A pipe or a device is written to, never replaced.
    error = write_whole(path, content);
    if (error != 0) refuse_folder("write", path, error);
    return;
  }
  // A link is kept; the file that it points to is replaced.
  const std::string place = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path).string() : path;
  const std::string temporary = temporary_name(place);
  error = write_whole(temporary, content);
  if (error == 0 && ::rename(temporary.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  refuse_folder("write", path, error);
}

}  // namespace infermeter
