// The engines' random draws: the spread of a duration, and how many proposed tokens a verification accepts.
#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

/// `mean` times a lognormal factor of mean 1 and coefficient of variation `cv`; if cv = 0, `mean` itself,
/// without drawing a number.
nanoseconds jittered(nanoseconds mean, double cv, Random& random);

/// `mean` times `scale`, to the nearest nanosecond.
nanoseconds scaled(nanoseconds mean, double scale);

/// Each of `drafts` proposals is accepted with probability `alpha` while all before it were (truncated
/// geometric; with the token that verification itself yields, the mean is (1 − α^(γ+1)) / (1 − α) a step,
/// Leviathan et al., arXiv 2211.17192).
std::uint32_t accepted_drafts(std::uint32_t drafts, double alpha, Random& random);

}  // namespace infermeter::sim
