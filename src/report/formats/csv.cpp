// CSV and TSV.
#include "report/formats/lines.hpp"

namespace infermeter {
namespace {

/// RFC 4180.
std::string quoted(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

constexpr LineForm kCsv{',', quoted};

/// text/tab-separated-values has no quoting: a character that would end a cell becomes a space.
std::string spaced(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

constexpr LineForm kTsv{'\t', spaced};

}  // namespace

std::string result_to_csv(const RunResult& result) { return point_lines(result, kCsv); }

std::string requests_to_csv(const RunResult& result, std::span<const RequestRecord> records) {
  return request_lines(result, records, kCsv);
}

std::string result_to_tsv(const RunReport& report) { return point_lines(report.run, kTsv); }

std::string requests_to_tsv(const RunReport& report) {
  return request_lines(report.run, report.records, kTsv);
}

}  // namespace infermeter
