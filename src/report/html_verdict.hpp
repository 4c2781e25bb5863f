// What a gate or assertions came to, as HTML: the decision in a word, then a row a judgement. Private to
// src/report.
#pragma once

#include <string>

#include "infermeter/model/verdict.hpp"

namespace infermeter {

std::string html_verdict(const Verdict& verdict);

}  // namespace infermeter
