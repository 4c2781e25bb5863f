// A run as one HTML file that holds all it needs: verdict and findings, the figures as tables, charts. No
// request leaves it (its policy forbids them), and without scripts the tables stay. Returns a string;
// locale-proof.
#pragma once

#include <string>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// `charts` are of the same run. Size grows with its points and not with its requests.
std::string render_html(const RunResult& result, const Charts& charts);

/// What a gate or assertions came to: the decision in a word, a row a judgement, how it ended, and the pairs
/// of a gate folded.
std::string html_verdict(const Verdict& verdict);

}  // namespace infermeter
