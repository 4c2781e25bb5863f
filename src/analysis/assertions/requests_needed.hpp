// How many requests would settle an assertion that its interval leaves open (METHOD: planned once, at 90 %
// power). Pure; any thread.
#pragma once

#include <string>

#include "analysis/assertions/places.hpp"

namespace infermeter {

/// In words, with one digit: "about 2,000 requests"; of a figure at its limit that none would settle it.
/// Empty where nothing can be said. The figure has a value.
std::string requests_needed(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place);

}  // namespace infermeter
