// GET /metrics in vLLM's names: Prometheus text from the counters of engine and server. Pure; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter::sim {

/// A Prometheus histogram of seconds.
class Histogram {
 public:
  /// `edges` ascend and outlive the histogram.
  explicit Histogram(std::span<const double> edges) : edges_(edges), counts_(edges.size() + 1) {}
  void observe(nanoseconds value);
  void append(std::string& out, std::string_view name, std::string_view help, std::string_view labels) const;

 private:
  std::span<const double> edges_;
  std::vector<std::uint64_t> counts_;  // per bucket, not cumulative; the last one is +Inf
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

class ServerMetrics {
 public:
  ServerMetrics();
  /// One emission of the engine after a request's first. Like vLLM, observes the interval per event, not per
  /// token.
  void observe_gap(nanoseconds gap) { inter_token_.observe(gap); }
  void observe_first_token(const RequestTruth& truth);
  void observe_finished(const RequestTruth& truth, std::uint32_t output_tokens, std::string_view reason);
  void count_aborted() { ++aborted_; }
  std::string text(std::string_view model, const EngineCounters& engine) const;

 private:
  Histogram queue_, prefill_, decode_, first_token_, inter_token_, per_output_token_, e2e_;
  std::uint64_t stopped_ = 0, limited_ = 0, aborted_ = 0;
};

}  // namespace infermeter::sim
