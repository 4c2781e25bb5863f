// What a gate or assertions came to, line by line. Private to src/report.
#pragma once

#include "infermeter/model/verdict.hpp"
#include "report/tables/table.hpp"

namespace infermeter {

/// A line a judgement with its figures, beneath it why and what would settle it; then how it ended, and
/// notes. Passed assertions of one text are one line unless `wide`, which also lists the pairs of a gate. In
/// HTML a table with all of the judgements, and no pairs.
void print_judgements(const Verdict& verdict, bool wide, Page& page);

/// The pairs or runs of a gate, what changed in each; empty where there are none.
Table units_table(const Verdict& verdict);

}  // namespace infermeter
