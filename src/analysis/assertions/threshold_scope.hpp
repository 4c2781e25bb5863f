// `[target=a, concurrency=8]`: which places an assertion is for. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/assertions/expression_text.hpp"

namespace infermeter {

using ThresholdScope = std::vector<std::pair<std::string, std::string>>;

/// Takes a scope if one comes next; else it is empty. Refuses an unknown or repeated key and a value that no
/// such key can have, with a caret.
ThresholdScope take_scope(ExpressionText& text);

}  // namespace infermeter
