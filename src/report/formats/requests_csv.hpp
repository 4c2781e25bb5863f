// One line a request, warm-up and failed ones too: what it asked for, every instant as an offset from the
// run's start in microseconds, its figures in milliseconds, its tokens. A cell that does not apply is empty.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// A metric of one request by its name in docs/metrics.md ("ttft", "tpot"); nothing where it has none.
using RequestFigure =
    std::function<std::optional<double>(std::string_view metric, const RequestRecord& record)>;

/// `records` are all of the run, in any order; lines are in the order of load point, target, intended start.
std::string requests_to_csv(const RunResult& result, std::span<const RequestRecord> records,
                            const RequestFigure& figure);

}  // namespace infermeter
