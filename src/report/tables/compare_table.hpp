// Results side by side as a person reads them, as JSON, and as Markdown for a pull request. Each returns a
// string; locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/side_by_side.hpp"
#include "infermeter/report/table.hpp"

namespace infermeter {

/// What differs beside the figures, a table, and how it is to be read. Two loads at most are shown in full,
/// more metric by metric, the main ones (`wide`: all).
std::string render_side_by_side(const SideBySide& compared, const TableOptions& options);

/// Key order fixed, absent is null, NaN never appears; two-space indent.
std::string side_by_side_to_json(const SideBySide& compared);

/// GitHub's Markdown: what changed first, then a table a load, the rest folded.
std::string side_by_side_to_markdown(const SideBySide& compared);

}  // namespace infermeter
