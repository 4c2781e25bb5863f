// A run as one self-contained HTML file: verdict and findings, the figures as tables, charts. It sends no
// request (its policy forbids them), and its tables work without scripts. Returns a string; locale-proof.
#pragma once

#include <string>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// `charts` must be of the same run. The size grows with the number of points, not of requests.
std::string render_html(const RunResult& result, const Charts& charts);

/// The verdict of a gate or of assertions: the decision in a word, a row per judgement, how it ended, and the
/// pairs of a gate folded.
std::string html_verdict(const Verdict& verdict);

}  // namespace infermeter
