// Reads a page of metrics: Prometheus's text format 0.0.4 and OpenMetrics 1.0
// (prometheus.io/docs/instrumenting/exposition_formats). Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

/// One line of a page.
struct MetricSample {
  std::string_view name;                                         // of the page
  std::vector<std::pair<std::string_view, std::string>> labels;  // in its order; values without escapes
  double value = 0;                                              // may be NaN or infinite
  /// Empty if it is absent.
  std::string_view label(std::string_view key) const;
};

class ExpositionReader {
 public:
  /// The page outlives the reader and its samples.
  explicit ExpositionReader(std::string_view page) : rest_(page) {}
  /// The next sample into `out`, whose memory is used again; false: there is none. Comments, time stamps and
  /// exemplars are skipped; a line that is none of these is counted.
  bool next(MetricSample& out);
  std::uint64_t bad_lines() const { return bad_; }

 private:
  std::string_view rest_;
  std::uint64_t bad_ = 0;
};

}  // namespace infermeter
