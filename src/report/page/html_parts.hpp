// What the HTML page is made of: spans as HTML, the charts' data, and the fixed parts that the build embeds
// (page.cmake) from src/report/page and from the distribution's Chart.js. Every text is escaped here: none of
// a server, a file or a command line reaches a browser as markup. Private to src/report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"
#include "report/text/page.hpp"

namespace infermeter {

/// A paragraph of unchanged spans.
std::string html_line(const std::vector<Span>& spans);
/// A paragraph of separate items behind a label, which may be empty.
std::string html_items(std::string_view label, const std::vector<Span>& items);
/// A paragraph of words behind a mark; a blank mark means that it continues the one above. Nothing without
/// words.
std::string html_prose(const Span& mark, const Span& words);

/// The data that the page's scripts draw, as JSON: five significant digits, NaN becomes null, and no
/// character that could end a script element.
std::string chart_data(const RunResult& result, const Charts& charts);

/// A metric's title above a chart: "TTFT", "TTFT incl. schedule delay", "ITL", ….
std::string chart_title(const std::string& metric, bool events);

/// A file in pieces that every compiler accepts as literals, and the SHA-256 of the whole in the form of a
/// content security policy.
struct PageAsset {
  std::span<const std::string_view> pieces;
  std::string_view hash;  // "sha256-…" in base64
  std::string text() const {
    std::string out;
    for (const auto piece : pieces) out += piece;
    return out;
  }
};

PageAsset page_template();
PageAsset page_style();
PageAsset page_script();
PageAsset chart_library();

}  // namespace infermeter
