// Random spread of a duration: lognormal with the given mean kept.
#pragma once

#include "infermeter/base/clock.hpp"
#include "infermeter/base/random.hpp"

namespace infermeter::sim {

/// `mean` times a lognormal factor of mean 1 and coefficient of variation `cv`; `mean` itself, and no number
/// drawn, where cv = 0.
nanoseconds jittered(nanoseconds mean, double cv, Random& random);

}  // namespace infermeter::sim
