// Changes of a duration: a factor, and random spread, lognormal with the given mean kept.
#pragma once

#include "infermeter/base/clock.hpp"
#include "infermeter/base/random.hpp"

namespace infermeter::sim {

/// `mean` times a lognormal factor of mean 1 and coefficient of variation `cv`; `mean` itself, and no number
/// drawn, where cv = 0.
nanoseconds jittered(nanoseconds mean, double cv, Random& random);

/// `mean` times `scale`, to the nearest nanosecond.
nanoseconds scaled(nanoseconds mean, double scale);

}  // namespace infermeter::sim
