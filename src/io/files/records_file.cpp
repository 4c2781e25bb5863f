#include "io/files/records_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

// Opened for reading too, because take_back reads the end. If that is not allowed (a pipe, a device), opened
// for writing only.
int open_for_appending(const std::string& path) {
  constexpr int kCreate = O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
  const int fd = ::open(path.c_str(), O_RDWR | kCreate, 0644);
  return fd >= 0 || errno != EACCES ? fd : ::open(path.c_str(), O_WRONLY | kCreate, 0644);
}

}  // namespace

RecordsFile::RecordsFile(const std::string& path, const std::vector<RequestRecord>& first)
    : fd_(open_for_appending(first.empty() ? path : path + ".new")) {
  if (fd_ < 0) throw EnvironmentError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  for (const auto& record : first) append(record);
  const bool renamed = first.empty() || ::rename((path + ".new").c_str(), path.c_str()) == 0;
  if (renamed && failed_ == 0) return;
  const int error = errno;
  ::close(fd_);
  throw EnvironmentError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

RecordsFile::~RecordsFile() { ::close(fd_); }

void RecordsFile::append(const RequestRecord& record) {
  thread_local std::string line;
  line.clear();
  append_record_json(record, line);
  line += '\n';
  if (!write_line(line)) failed_.fetch_add(1, std::memory_order_relaxed);
}

bool RecordsFile::write_line(const std::string& line) const {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = ::write(fd_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      take_back(line.data(), written);
      return false;
    }
    written += static_cast<std::size_t>(n);
  }
  return true;
}

// A full disk accepts the first bytes of a record and rejects the rest. If they stayed, they would corrupt
// the next record's line once there is space again. They are removed only while nothing follows them: other
// threads append too, although on a full disk they fail as well.
void RecordsFile::take_back(const char* fragment, std::size_t size) const {
  struct stat facts{};
  if (size == 0 || ::fstat(fd_, &facts) != 0 || facts.st_size < static_cast<off_t>(size)) return;
  const off_t start = facts.st_size - static_cast<off_t>(size);
  std::string tail(size, '\0');
  const ssize_t n = ::pread(fd_, tail.data(), size, start);
  if (n == static_cast<ssize_t>(size) && std::memcmp(tail.data(), fragment, size) == 0)
    static_cast<void>(::ftruncate(fd_, start) == 0);
}

}  // namespace infermeter
