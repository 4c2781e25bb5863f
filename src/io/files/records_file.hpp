// requests.jsonl: one line per finished request, appended with one write() each (O_APPEND), so that threads
// share the file without a lock and a killed run loses only the requests in flight.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "infermeter/model/record.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

/// Appends the record's JSON object (no newline) to `out`: keys as in docs/result-schema.md, absent ones
/// omitted. Allocates nothing once `out` has grown to the size of the largest record. Invalid UTF-8 in text
/// is repaired; `usage` and `server` must already be JSON.
void append_record_json(const RequestRecord& record, std::string& out);

class RecordsFile {
 public:
  /// Creates the file with these records in it (those of a resumed run); throws EnvironmentError naming it if
  /// it cannot be written. An existing file is replaced only once the records are in the new one.
  /// `secrets` are masked in each line once more.
  explicit RecordsFile(const std::string& path, const std::vector<RequestRecord>& first = {},
                       Secrets secrets = {});
  ~RecordsFile();
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;
  /// Any thread. A failed write is counted, and reported once by the owner at the end; the run continues.
  void append(const RequestRecord& record);
  std::uint64_t failed_writes() const { return failed_.load(std::memory_order_relaxed); }
  /// errno of the first failed write; 0: none failed.
  int first_error() const { return error_.load(std::memory_order_relaxed); }

 private:
  /// Returns errno, 0 on success.
  int write_line(const std::string& line) const;
  void take_back(const char* fragment, std::size_t size) const;

  int fd_;
  Secrets secrets_;
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<int> error_{0};
};

/// Reads records back; a last line cut off by a kill is skipped. Throws EnvironmentError naming file and line
/// for any other bad line, or if the file cannot be read. Holds one line in addition to the records.
std::vector<RequestRecord> read_records(const std::string& path);

}  // namespace infermeter
