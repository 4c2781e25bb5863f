// The formats that results are shown in, each a row of one table: --format, the help, the documentation and
// the tests read it. A new format is its source, its row here, and its line in docs/reports.md. All of them
// return a string; locale-proof; golden-tested.
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

/// What a run is rendered from.
struct RunReport {
  const RunResult& run;
  std::span<const RequestRecord> records;  // all of the run, in any order
  const TableOptions& options;             // of tables in text
  std::function<Charts()> charts;          // makes the run's, for formats that draw
};

/// Where a format cannot render something, it has no function for it.
struct FormatSpec {
  std::string_view name, extension;  // "markdown", "md"
  std::string (*run)(const RunReport&) = nullptr;
  std::string (*requests)(const RunReport&) = nullptr;  // a line a request
  std::string (*verdict)(const Verdict&, const TableOptions&) = nullptr;
  std::string (*comparison)(const SideBySide&, const TableOptions&) = nullptr;
  bool verdict_alone = false;  // of a gate that measured: not the run beside it
};

inline bool can_show_run(const FormatSpec& format) { return format.run != nullptr; }
inline bool can_list_requests(const FormatSpec& format) { return format.requests != nullptr; }
inline bool can_compare(const FormatSpec& format) { return format.comparison != nullptr; }

std::span<const FormatSpec> formats();
/// Throws std::out_of_range for a name that none has.
const FormatSpec& format_named(std::string_view name);
/// "table, json, markdown": of those that `can`.
std::string format_names(bool (*can)(const FormatSpec&));

/// One line a load point and target, a header line first; every metric with count, mean, percentiles, min and
/// max. Beneath a point's line one for each of its slices (a class, a turn …), which `slice_by` and `slice`
/// name; they are empty in the line of the point itself.
std::string result_to_csv(const RunResult& result);
/// One line a request, warm-up and failed ones too, in the order of load point, target, intended start: what
/// it asked for, every instant as an offset from the run's start in microseconds, its figures in
/// milliseconds, its tokens. A cell that does not apply is empty.
std::string requests_to_csv(const RunResult& result, std::span<const RequestRecord> records);

/// GitHub- and GitLab-flavoured Markdown for a pull request: the verdict first, one table of the main
/// figures, all else folded. Text from elsewhere (names, URLs, servers' errors) is escaped, so that it cannot
/// become markup, a mention or a link.
std::string result_to_markdown(const RunResult& result);
std::string verdict_to_markdown(const Verdict& verdict);

/// JUnit XML for CI systems (GitLab, GitHub's reporters, Jenkins): one test case for each judgement, and for
/// a run "completed" and "trustworthy" beside them, so that a run that was killed is never green. A broken
/// demand is a <failure>; what cannot be told is an <error> of type "undecided", or <skipped> where it was
/// asked to pass; a run that is not whole or not to be trusted is an <error>. Valid against the Jenkins JUnit
/// schema.
std::string result_to_junit(const RunResult& result);
std::string verdict_to_junit(const Verdict& verdict);

/// GitHub workflow commands: ::error, ::warning and ::notice lines that Actions shows beside the job, the
/// most important ones first, since it shows ten of a kind: failed judgements, a run that is not whole or not
/// to be trusted, then what is undecided, warnings, findings, and one notice with the main figures.
std::string result_to_github(const RunResult& result);
std::string verdict_to_github(const Verdict& verdict);

/// What `vllm bench serve --save-result --save-detailed` of vLLM 0.32 writes: the same keys, types, units and
/// meanings (docs/reports.md has where ours must differ), so that scripts made for it read it. One JSON
/// object a line for each load point and target, as its --append-result puts them; of a run with one point a
/// plain JSON file.
std::string result_to_vllm(const RunResult& result, std::span<const RequestRecord> records);

}  // namespace infermeter
