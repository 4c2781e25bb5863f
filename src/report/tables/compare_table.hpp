// Results side by side as a person reads them, as JSON, and as Markdown for a pull request. Each returns a
// string; locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/side_by_side.hpp"
#include "infermeter/report/table.hpp"

namespace infermeter {

/// The differences apart from the figures, a table, and notes for reading it. Up to two loads are shown in
/// full, more metric by metric, the main metrics only (`wide`: all).
std::string render_side_by_side(const SideBySide& compared, const TableOptions& options);

/// Key order fixed, absent is null, NaN never appears; two-space indent.
std::string side_by_side_to_json(const SideBySide& compared);

/// GitHub's Markdown: the changes first, then a table per load, the rest folded.
std::string side_by_side_to_markdown(const SideBySide& compared);

}  // namespace infermeter
