// GitHub- and GitLab-flavoured Markdown for a pull request: the verdict first, one table of the main figures,
// all else folded. Text from elsewhere (names, URLs, servers' errors) is escaped, so that it cannot become
// markup, a mention or a link. Returns a string; locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

std::string result_to_markdown(const RunResult& result);
/// Of a verdict alone.
std::string verdict_to_markdown(const Verdict& verdict);

}  // namespace infermeter
