// The verdict of a gate or of assertions, line by line. Private to src/report.
#pragma once

#include "infermeter/model/verdict.hpp"
#include "report/tables/table.hpp"

namespace infermeter {

/// A line per judgement with its figures, and beneath it the reason and what would settle it; then how it
/// ended, and notes. Passed assertions with the same text are one line unless `wide`, which also lists the
/// pairs of a gate. In HTML a table of all judgements, without pairs.
void print_judgements(const Verdict& verdict, bool wide, Page& page);

/// The pairs or runs of a gate with the changes in each; empty where there are none.
Table units_table(const Verdict& verdict);

}  // namespace infermeter
