// How many requests would settle an assertion that its interval leaves open (METHOD: planned once, at 90 %
// power). Pure; any thread.
#pragma once

#include <string>

#include "analysis/assertions/places.hpp"

namespace infermeter {

/// In words, with one digit: "about 2,000 requests". A figure that lies at its limit is reported as one that
/// no number of requests would settle. Empty where no estimate is possible. The figure must have a value.
std::string requests_needed(const Threshold& assertion, const Estimate& figure, const AssertionPlace& place);

}  // namespace infermeter
