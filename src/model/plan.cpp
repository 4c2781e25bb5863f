#include "infermeter/model/plan.hpp"

#include <array>

namespace infermeter {

std::string_view name(Arrival arrival) {
  constexpr std::array<std::string_view, 3> names{"constant", "poisson", "gamma"};
  return names[static_cast<std::size_t>(arrival)];
}

std::string_view name(Endpoint endpoint) { return endpoint == Endpoint::chat ? "chat" : "completions"; }

}  // namespace infermeter
