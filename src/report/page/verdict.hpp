// What a gate or assertions came to, as HTML: the decision in a word, a row a judgement, how it ended, and
// the pairs of a gate folded. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/verdict.hpp"

namespace infermeter {

std::string html_verdict(const Verdict& verdict);

}  // namespace infermeter
