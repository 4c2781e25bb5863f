// A figure as people choose it: "ttft.p95", "output_throughput". Pure; any thread.
#pragma once

#include <string_view>

#include "infermeter/model/figures.hpp"

namespace infermeter {

struct FigureChoice {
  const Figure* figure = nullptr;  // null: not one of the catalogue
  std::string_view statistic;      // a view of the text; empty for figures of level point
};

FigureChoice figure_choice(std::string_view text);

}  // namespace infermeter
