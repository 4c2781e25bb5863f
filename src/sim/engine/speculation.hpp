// Speculative decoding: how many of the proposed tokens a verification accepts.
#pragma once

#include <cstdint>

#include "infermeter/base/random.hpp"

namespace infermeter::sim {

/// Each of `drafts` proposals is accepted with probability `alpha` while all before it were (truncated
/// geometric; with the token that verification itself yields, the mean is (1 − α^(γ+1)) / (1 − α) a step,
/// Leviathan et al., arXiv 2211.17192).
std::uint32_t accepted_drafts(std::uint32_t drafts, double alpha, Random& random);

}  // namespace infermeter::sim
