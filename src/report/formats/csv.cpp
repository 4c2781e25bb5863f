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

}  // namespace

std::string result_to_csv(const RunResult& result) { return point_lines(result, kCsv); }

std::string requests_to_csv(const RunResult& result, std::span<const RequestRecord> records) {
  return request_lines(result, records, kCsv);
}

}  // namespace infermeter
