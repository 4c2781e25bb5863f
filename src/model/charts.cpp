#include "infermeter/model/charts.hpp"

#include <algorithm>

namespace infermeter {

const Distribution* PointCharts::find(std::string_view metric) const {
  const auto it = std::ranges::find(distributions, metric, &Distribution::metric);
  return it == distributions.end() ? nullptr : &*it;
}

}  // namespace infermeter
