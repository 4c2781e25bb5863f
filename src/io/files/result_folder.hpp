// The folder of one run: result.json (written to a temporary name and renamed), requests.jsonl and, for a
// gate, verdict.json.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

class ResultFolder {
 public:
  /// Creates the folder (and parents) and checks, before the first request, that it is writable and has
  /// space. Throws EnvironmentError naming the folder and the reason; a folder that already holds a result is
  /// rejected (UsageError) rather than overwritten, unless that run is to be resumed.
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
/// Writes to a temporary name in the same folder, syncs, renames; follows a link to its file. Anything but a
/// regular file (a pipe, a device) is written to directly.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace infermeter
