// Building blocks of the example results.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter::example {

using Interval = std::pair<std::optional<double>, std::optional<double>>;

/// In ms; percentiles 50, 90, 95, 99, 99.9, of which three may have an interval.
Metric latency(std::string name, std::uint64_t count, double mean, double min, double max,
               const std::vector<double>& p50_90_95_99_999, const std::vector<Interval>& p50_95_99 = {});
Metric speed(std::uint64_t count, double mean, double min, double max, const std::vector<double>& p50_10_5_1);

/// What a metrics page said, with every quantity that a figure is made of.
ServerWindow server_window_of_vllm();

LoadPoint closed_load();
PointResult good_point();
TargetFacts local_target();
RunResult base_run();

}  // namespace infermeter::example
