// The sections of a result, which the terminal page and the HTML page share; each page has its own order.
// Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/verdict.hpp"
#include "report/tables/table.hpp"
#include "report/text/page.hpp"

namespace infermeter {

/// The server that was measured, and the load.
void print_header(const RunResult& result, Page& page);

/// The conclusion of the run in one or two sentences, with a warning where its figures are not to be trusted.
void print_headline(const RunResult& result, Page& page);

/// All figures of one point. `all_columns`: of the latencies; `whole`: every slice, each with its latencies.
void print_figures(const PointResult& point, bool all_columns, bool whole, Page& page);

/// Several points in one table: a row per load or target. False where columns were left out.
bool print_overview(const RunResult& result, bool all_columns, Page& page);

/// Failures of all points by kind, since the advice is the same.
void print_all_ends(const RunResult& result, Page& page);

/// "vendor-two   20 requests/s": a point among several; in running text "vendor-two, 20 requests/s".
std::string title_of(const RunResult& result, const PointResult& point);
std::string plain_title(const RunResult& result, const PointResult& point);

void print_rates(const PointResult& point, Page& page);
/// Counts by class, an example of each failure with advice, finish reasons, flags of answers.
void print_requests(const PointResult& point, Page& page);
/// The classes that are not ok, with an example and advice for each.
void print_ends(const std::vector<OutcomeCount>& outcomes, Page& page);
/// The source of token counts, tokens per answer, reading comfort.
void print_tokens(const PointResult& point, Page& page);
/// How many requests met their SLOs; nothing without any.
void print_slo(const PointResult& point, Page& page);
/// The server's cache, cost, rate limits, retries.
void print_facts(const PointResult& point, Page& page);
/// What other tools call these figures.
void print_names(const PointResult& point, Page& page);
/// With `wide` also prefix groups, every turn, and every metric of each class.
void print_slices(const PointResult& point, bool wide, Page& page);
/// The server's own times beside our times of the same name.
void print_server_times(const PointResult& point, Page& page);
/// What the mean TTFT consists of; nothing where the server tells no queue time.
void print_ttft_parts(const PointResult& point, Page& page);
/// What the server's metrics page says, its means beside ours; `all`: every time that it has.
void print_server_window(const PointResult& point, bool all, Page& page);

/// False for a load point that the run did not reach.
bool was_measured(const PointResult& point);
/// The warnings for the row of a point: how many requests failed and how, whether it can be trusted.
Span point_note(const PointResult& point);

/// A line per judgement with its figures, and beneath it the reason and what would settle it; then how it
/// ended, and notes. Passed assertions with the same text are one line unless `wide`, which also lists the
/// pairs of a gate. In HTML a table of all judgements, without pairs.
void print_judgements(const Verdict& verdict, bool wide, Page& page);

/// The pairs or runs of a gate with the changes in each; empty where there are none.
Table units_table(const Verdict& verdict);

/// How many requests failed, for each load and target at which they are too many; nothing otherwise.
void print_health(const RunResult& result, Page& page);
/// The health of the targets, the verdict on the measurement with its figures or reasons, then the warnings.
void print_trust(const RunResult& result, const PointResult& point, Page& page);
void print_findings(const PointResult& point, Page& page);

/// The same for several points: each untrustworthy one by name, warnings and findings grouped by kind.
void print_trust_of_points(const RunResult& result, Page& page);
void print_grouped_findings(const RunResult& result, Page& page);

/// Why a point without an answer has none.
const char* why_nothing(const PointResult& point);
/// A check's evidence and advice.
std::string sentence_of(const Check& check);
/// Adds one behind a semicolon, in the place of the full stop before it.
void append_reason(std::string& reasons, const std::string& reason);
/// The state of a partial result: "the run was killed or not saved", "the run was interrupted", "ended
/// early", "records are missing".
std::string_view how_it_stopped(const RunResult& result);
/// The reason why the run or one of its targets stopped.
void print_early_ends(const RunResult& result, Page& page);

}  // namespace infermeter
