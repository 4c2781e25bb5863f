// CSV and TSV.
#include "report/formats/lines.hpp"
#include "report/media/media.hpp"

namespace infermeter {
namespace {

constexpr LineForm kCsv{',', csv_cell};
constexpr LineForm kTsv{'\t', tsv_cell};

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
