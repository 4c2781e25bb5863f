// The page's fixed parts, embedded by the build (page.cmake) from src/report/page and from the distribution's
// Chart.js. Private to src/report.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infermeter {

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
