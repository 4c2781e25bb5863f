// requests.jsonl: one line per finished request, appended with one write() each (O_APPEND), so that threads
// share the file without a lock and a killed run loses only the requests in flight.
#pragma once

#include <string>
#include <vector>

#include "infermeter/model/record.hpp"

namespace infermeter {

/// Appends the record's JSON object (no newline) to `out`: keys as in docs/result-schema.md, absent ones left
/// out.
void append_record_json(const RequestRecord& record, std::string& out);

class RecordsFile {
 public:
  /// Creates the file; throws EnvironmentError naming it if it cannot be written.
  explicit RecordsFile(const std::string& path);
  ~RecordsFile();
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;
  /// Any thread. A failed write is counted, and said once by the owner at the end; the run goes on.
  void append(const RequestRecord& record);
  std::uint64_t failed_writes() const;

 private:
  int fd_;
  std::uint64_t* failed_;
};

/// Reads records back; a last line cut short by a kill is skipped. Throws EnvironmentError naming file and
/// line for any other bad line, or if the file cannot be read.
std::vector<RequestRecord> read_records(const std::string& path);

}  // namespace infermeter
