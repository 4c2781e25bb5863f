// The folder of one run: result.json (written to a temporary name and renamed), requests.jsonl and, of a
// gate, verdict.json.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

class ResultFolder {
 public:
  /// Creates the folder (and parents) and proves that it can be written and has room, before the first
  /// request. Throws EnvironmentError naming the folder and the reason; a folder that already holds a result
  /// is refused (UsageError) rather than overwritten, unless it is the one that is to be gone on with.
  explicit ResultFolder(std::string path, bool go_on = false);
  const std::string& path() const { return path_; }
  std::string records_path() const { return path_ + "/requests.jsonl"; }
  std::string result_path() const { return path_ + "/result.json"; }
  void write_result(std::string_view json) const;
  void write_verdict(std::string_view json) const;

 private:
  std::string path_;
};

/// Reads a whole file; throws EnvironmentError naming it.
std::string read_file(const std::string& path);
/// Writes to a temporary name in the same folder, syncs, renames; through a link to where it points. What is
/// no regular file (a pipe, a device) is written to as it is.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace infermeter
