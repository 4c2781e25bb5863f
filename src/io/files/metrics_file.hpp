// metrics.jsonl: one line for each scrape of a server's metrics, appended with one write() each, so that a
// killed run keeps what was read.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

class MetricsFile {
 public:
  /// Creates the file, or continues it. It is made with the first line, so that a run without metrics leaves
  /// none.
  MetricsFile(std::string path, bool go_on) : path_(std::move(path)), go_on_(go_on) {}
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;
  /// One thread at a time. A failed write is kept, and the run continues.
  void append(std::string_view line);
  /// errno of the first failed write; 0: none failed.
  int first_error() const { return error_; }

 private:
  std::string path_;
  bool go_on_;
  int fd_ = -1;
  int error_ = 0;
};

/// Its lines; empty if there is no such file. A last line cut off by a kill is left out. Throws
/// EnvironmentError if it cannot be read.
std::vector<std::string> read_metrics_lines(const std::string& path);

}  // namespace infermeter
