// Results as text in the formats of `infermeter report --format`: a table of formats, which --format, the
// help, the documentation and the tests read, and their functions. All return a string; locale-proof;
// golden-tested.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/model/side_by_side.hpp"
#include "infermeter/report/table.hpp"

namespace infermeter {

/// The inputs for rendering a run.
struct RunReport {
  const RunResult& run;
  std::span<const RequestRecord> records;  // all of the run, in any order
  const TableOptions& options;             // width for text tables
  std::function<Charts()> charts;          // computes the run's charts, for formats that draw
};

/// A format without a function for something cannot render it.
struct FormatSpec {
  std::string_view name, extension;  // "markdown", "md"
  std::string (*run)(const RunReport&) = nullptr;
  std::string (*requests)(const RunReport&) = nullptr;  // a line per request
  std::string (*verdict)(const Verdict&, const TableOptions&) = nullptr;
  std::string (*comparison)(const SideBySide&, const TableOptions&) = nullptr;
  bool verdict_alone = false;  // of a gate that measured: without the run's own report
};

inline bool can_show_run(const FormatSpec& format) { return format.run != nullptr; }
inline bool can_list_requests(const FormatSpec& format) { return format.requests != nullptr; }
inline bool can_compare(const FormatSpec& format) { return format.comparison != nullptr; }

std::span<const FormatSpec> formats();
/// Throws std::out_of_range for an unknown name.
const FormatSpec& format_named(std::string_view name);
/// "table, json, markdown": the names of those that `can`.
std::string format_names(bool (*can)(const FormatSpec&));

/// One line per load point and target, a header line first; every metric with count, mean, percentiles, min
/// and max. Beneath a point's line follows one line for each of its slices (a class, a turn …), named by
/// `slice_by` and `slice`, which are empty in the point's own line.
std::string result_to_csv(const RunResult& result);
/// One line per request, with warm-up and failed ones, in the order of load point, target, intended start. It
/// has what the request asked for, every instant as an offset from the run's start in microseconds, its
/// figures in milliseconds, and its tokens. A cell that does not apply is empty.
std::string requests_to_csv(const RunResult& result, std::span<const RequestRecord> records);

/// GitHub- and GitLab-flavoured Markdown for a pull request: the verdict first, one table of the main
/// figures, the rest folded. Text from elsewhere (names, URLs, servers' errors) is escaped, so that it cannot
/// become markup, a mention or a link.
std::string result_to_markdown(const RunResult& result);
std::string verdict_to_markdown(const Verdict& verdict);

/// JUnit XML for CI systems (GitLab, GitHub's reporters, Jenkins): one test case for each judgement, and for
/// a run "completed" and "trustworthy" as well, so that a killed run is never green. A broken assertion is a
/// <failure>. An undecided one is an <error> of type "undecided", or <skipped> if the user asked that it
/// pass. A partial or untrustworthy run is an <error>. Valid against the Jenkins JUnit schema.
std::string result_to_junit(const RunResult& result);
std::string verdict_to_junit(const Verdict& verdict);

/// GitHub workflow commands: ::error, ::warning and ::notice lines that Actions shows beside the job. Actions
/// shows ten of a kind, so the most important ones come first: failed judgements, a partial or untrustworthy
/// run, then undecided judgements, warnings, findings, and one notice with the main figures.
std::string result_to_github(const RunResult& result);
std::string verdict_to_github(const Verdict& verdict);

/// What `vllm bench serve --save-result --save-detailed` of vLLM 0.32 writes: the same keys, types, units and
/// meanings (docs/reports.md lists where ours must differ), so that scripts for it can read it. One JSON
/// object per line for each load point and target, as with its --append-result; a plain JSON file for a run
/// with one point.
std::string result_to_vllm(const RunResult& result, std::span<const RequestRecord> records);

/// One self-contained HTML file: verdict and findings, the figures as tables, charts. It sends no request
/// (its policy forbids them), and its tables work without scripts. `charts` must be of the same run. The size
/// grows with the number of points, not of requests.
std::string render_html(const RunResult& result, const Charts& charts);
/// The page of a verdict alone (a gate of saved results): without figures and charts.
std::string verdict_to_html(const Verdict& verdict);
/// The verdict of a gate or of assertions: the decision in a word, a row per judgement, how it ended, and the
/// pairs of a gate folded.
std::string html_verdict(const Verdict& verdict);

/// Results side by side: the differences apart from the figures, a table, and notes for reading it. Up to two
/// loads are shown in full, more metric by metric, the main metrics only (`wide`: all).
std::string render_side_by_side(const SideBySide& compared, const TableOptions& options);
/// Key order fixed, absent is null, NaN never appears; two-space indent.
std::string side_by_side_to_json(const SideBySide& compared);
/// GitHub's Markdown: the changes first, then a table per load, the rest folded.
std::string side_by_side_to_markdown(const SideBySide& compared);

/// Of each point with charts, drawn with block characters: histograms of TTFT and ITL (TPOT where no gaps
/// were kept), then requests in flight, output and TTFT over time. `charts` are of the same run.
std::string render_plot(const RunResult& result, const Charts& charts, const TableOptions& options);

}  // namespace infermeter
