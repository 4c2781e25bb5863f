#include "report/formats/lines.hpp"

namespace infermeter {
namespace {

/// text/tab-separated-values has no quoting: a character that would end a cell becomes a space.
std::string spaced(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

constexpr LineForm kTsv{'\t', spaced};

}  // namespace

std::string result_to_tsv(const RunReport& report) { return point_lines(report.run, kTsv); }

std::string requests_to_tsv(const RunReport& report) {
  return request_lines(report.run, report.records, kTsv);
}

}  // namespace infermeter
