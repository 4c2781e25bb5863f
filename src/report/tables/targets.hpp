// Several targets that had the same load, side by side. Private to src/report.
#pragma once

#include "report/tables/sweep.hpp"

namespace infermeter {

/// A row a target, its main figures with the difference to the first one; a section each load point of
/// `groups`, with the same columns. False where columns had to be left out.
bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page);

/// What "vs first" means; nothing where nothing was compared.
void explain_differences(const RunResult& result, Page& page);

}  // namespace infermeter
