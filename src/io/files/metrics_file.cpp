#include "io/files/metrics_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/files/result_folder.hpp"

namespace infermeter {

MetricsFile::~MetricsFile() {
  if (fd_ >= 0) close(fd_);
}

void MetricsFile::append(std::string_view line) {
  if (error_ != 0) return;
  if (fd_ < 0) {
    constexpr mode_t kMode = 0666;
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (go_on_ ? 0 : O_TRUNC), kMode);
  }
  const std::string whole = std::string(line) + "\n";
  const ssize_t written = fd_ < 0 ? -1 : write(fd_, whole.data(), whole.size());
  if (written < 0)
    error_ = errno;
  else if (static_cast<std::size_t>(written) < whole.size())
    error_ = ENOSPC;
}

std::vector<std::string> read_metrics_lines(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const std::string text = read_file(path);
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace infermeter
