#include "io/files/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/files/write_errors.hpp"
#include "io/host/descriptor.hpp"

namespace infermeter {
namespace {

namespace fs = std::filesystem;

/// Space that must be free before the first request and is kept for the last result.json, which must find
/// room where the records fill the disk: more than one load point needs.
constexpr std::size_t kKeptBytes = 64 * 1024;

class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  bool open() const { return fd_.open(); }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_.number(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// A pipe or a device cannot be synced and returns EINVAL.
  bool sync() const { return ::fsync(fd_.number()) == 0 || errno == EINVAL || errno == EROFS; }
  ssize_t read(char* to, std::size_t size) const {
    ssize_t n = -1;
    do {
      n = ::read(fd_.number(), to, size);
    } while (n < 0 && errno == EINTR);
    return n;
  }

 private:
  Descriptor fd_;
};

/// Creates or replaces a file and syncs it to disk; returns errno, 0 on success.
int write_whole(const std::string& path, std::string_view content) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  return file.open() && file.write(content) && file.sync() ? 0 : errno;
}

// The process id separates two programs that write at the same time. Together they are no longer than a file
// name may be.
std::string temporary_name(const std::string& path) {
  constexpr std::size_t kLongest = 200;
  const fs::path place(path);
  return (place.parent_path() / place.filename().string().substr(0, kLongest)).string() +
         fmt::format(".{}.tmp", ::getpid());
}

constexpr const char* kResultFiles[] = {"result.json", "requests.jsonl", "verdict.json"};

/// Empty records are those of a run that was killed before its first request, as while a gate's server
/// starts: without a result.json nothing is lost in them.
bool is_there(const std::string& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? fs::exists(file, error) : size > 0;
}

void refuse_old_result(const std::string& folder) {
  for (const char* name : kResultFiles) {
    if (is_there(folder + "/" + name))
      throw UsageError(fmt::format("{} already holds a result ({})", folder, name),
                       "Choose another folder with --out, or move the old result away.");
  }
}

/// "result.json.4711.tmp", "requests.jsonl.new".
bool is_left_over(std::string_view name) {
  return std::ranges::any_of(kResultFiles, [&](std::string_view of) {
    return name.starts_with(of) && (name.ends_with(".tmp") || name.ends_with(".new"));
  });
}

/// What a killed run had begun to write: nobody else writes in a folder that we hold.
void remove_left_overs(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (is_left_over(entry.path().filename().string())) ::unlink(entry.path().c_str());
  }
}

/// In a folder without a result.json: its records are copies, and not all of them may be there.
std::string merge_mark(const std::string& folder) { return folder + "/merge.unfinished"; }

bool is_cut_merge(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(merge_mark(folder), ignored) && !is_there(folder + "/result.json");
}

/// The mark goes last: until then the folder says what it is.
void remove_cut_merge(const std::string& folder) {
  if (is_cut_merge(folder)) ::unlink((folder + "/requests.jsonl").c_str());
  ::unlink(merge_mark(folder).c_str());
}

MadeFolder make_or_find(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code error;
  const bool made = fs::create_directories(path, error);
  if (error) refuse_file("create the folder", path, error.value());
  if (!fs::is_directory(path, error)) refuse_file("create the folder", path, ENOTDIR);
  return {std::move(path), made};
}

bool holds_result(const std::string& folder) {
  return folder_holder(folder) ||
         std::ranges::any_of(kResultFiles, [&](const char* name) { return is_there(folder + "/" + name); });
}

/// Another report into the same folder takes milliseconds to write.
constexpr auto kReportPatience = std::chrono::seconds(2);

}  // namespace

MadeFolder::MadeFolder(MadeFolder&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}

MadeFolder::~MadeFolder() {
  if (made_) ::rmdir(path_.c_str());
}

// Only writing proves that the folder is writable and has space: permissions do not show a read-only or full
// file system.
ResultFolder::ResultFolder(MadeFolder folder, Use use) : folder_(std::move(folder)), lock_(folder_.path()) {
  if (use != Use::resume) {
    remove_cut_merge(path());
    refuse_old_result(path());
  }
  remove_left_overs(path());
  if (use == Use::merge) begin_merge();
  try {
    lock_.keep_room(kKeptBytes);
  } catch (...) {
    end_merge();
    throw;
  }
}

ResultFolder::ResultFolder(const std::string& path, bool go_on)
    : ResultFolder(make_or_find(path), go_on ? Use::resume : Use::fresh) {}

ResultFolder::ResultFolder(ResultFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      lock_(std::move(other.lock_)),
      secrets_(std::move(other.secrets_)),
      last_(other.last_),
      merging_(std::exchange(other.merging_, false)) {}

ResultFolder::~ResultFolder() { end_merge(); }

ResultFolder ResultFolder::for_merge(const std::string& path) {
  return ResultFolder(make_or_find(path), Use::merge);
}

void ResultFolder::begin_merge() {
  const std::string mark = merge_mark(path());
  if (const int error = write_whole(mark, {}); error != 0) refuse_file("write", mark, error);
  merging_ = true;
}

void ResultFolder::end_merge() noexcept {
  if (!std::exchange(merging_, false)) return;
  try {
    remove_cut_merge(path());
  } catch (const std::exception&) {
    return;  // no memory for a name: the mark stays, and says that the merge was cut short
  }
}

ResultFolder ResultFolder::make_new(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  for (int i = 2;; ++i) {
    const std::string name = i == 2 ? path : fmt::format("{}-{}", path, i - 1);
    if (::mkdir(name.c_str(), 0777) == 0) return ResultFolder(MadeFolder(name, true), Use::fresh);
    if (errno != EEXIST) refuse_file("create the folder", name, errno);
  }
}

void ResultFolder::write_result(std::string_view json) {
  lock_.require_held();
  write_file_atomically(result_path(), secrets_.mask_written(std::string(json)));
  end_merge();
  try {
    if (!last_) lock_.keep_room(json.size() + kKeptBytes);
  } catch (const EnvironmentError&) {
    return;  // what is kept may suffice; the last write reports the error
  }
}

void ResultFolder::expect_last_files() {
  last_ = true;
  lock_.give_room_back();
}

void ResultFolder::write_verdict(std::string_view json) const {
  lock_.require_held();
  write_file_atomically(path() + "/verdict.json", secrets_.mask_written(std::string(json)));
}

void refuse_cut_short(const std::string& folder) {
  if (is_there(folder + "/result.json") || folder_holder(folder)) return;
  if (is_cut_merge(folder))
    throw EnvironmentError(fmt::format("no result in {}: merge was cut short", folder),
                           "Run it again; it may write into the same folder.");
  if (was_left_by_holder(folder) && !is_there(folder + "/requests.jsonl"))
    throw EnvironmentError(fmt::format("no result in {}: the command that wrote in it was cut short", folder),
                           "Run it again; it may write into the same folder.");
}

std::string read_file(const std::string& path) {
  const File file(path, O_RDONLY);
  if (!file.open()) refuse_file("read", path, errno);
  std::string content, chunk(64 * 1024, '\0');
  while (true) {
    const ssize_t n = file.read(chunk.data(), chunk.size());
    if (n < 0) refuse_file("read", path, errno);
    if (n == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(n));
  }
}

void write_file_atomically(const std::string& path, std::string_view content) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // A pipe or a device is written to, never replaced.
    if (const int error = write_whole(path, content); error != 0) refuse_file("write", path, error);
    return;
  }
  // A link is kept; the file that it points to is replaced.
  const std::string target =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : path;
  const std::string& place = target.empty() ? path : target;
  const std::string temporary = temporary_name(place);
  int error = write_whole(temporary, content);
  if (error == 0 && ::rename(temporary.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  refuse_file("write", path, error);
}

void write_file_in_folder(const std::string& path, std::string_view content) {
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!holds_result(folder)) return write_file_atomically(path, content);
  const std::string name = fs::path(path).filename().string();
  if (std::ranges::find(kResultFiles, name) != std::end(kResultFiles))
    throw UsageError(fmt::format("{} is part of the result itself", path), "Write to another file.");
  const FolderLock lock(folder, kReportPatience);
  write_file_atomically(path, content);
}

}  // namespace infermeter
