// A page of text under construction: lines of styled spans, laid out to the given width, or as HTML, which
// the browser lays out. Its text may come from anywhere; it is made printable here (and escaped in HTML).
// Private to src/report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infermeter/report/table.hpp"

namespace infermeter {

/// Dim is context, bold the main figure; the other three mark states that the words give too.
enum class Style { plain, bold, dim, good, bad, warn };

struct Span {
  std::string text;
  Style style = Style::plain;
};

enum class PageForm { terminal, html };

class Page {
 public:
  /// Where the text of a labelled line begins.
  static constexpr std::size_t kLabelColumns = 14;

  explicit Page(const TableOptions& options, PageForm form = PageForm::terminal)
      : options_(options), form_(form) {}

  /// Lines become paragraphs; elements are added as they are, already escaped.
  bool html() const { return form_ == PageForm::html; }
  void add_html(std::string_view element) { out_ += element; }

  /// The text as this page can show it (ASCII or not); use it to compute widths.
  std::string fit(std::string_view text) const { return printable_text(text); }
  std::size_t width() const { return options_.width; }

  void blank();
  /// One line of unchanged spans, trailing spaces cut.
  void line(const std::vector<Span>& spans);
  /// Items with three spaces between them, behind a label; continued at column `indent` after the width.
  void items(std::string_view label, const std::vector<Span>& items, std::size_t indent = kLabelColumns);
  /// Words wrapped to the width (at most 100 columns: wide terminals get more columns, not longer prose),
  /// behind `first`, then indented by as many spaces.
  void prose(const Span& first, std::string_view text, Style style = Style::plain);

  std::string take() { return std::move(out_); }

 private:
  std::string printable_text(std::string_view text) const;
  void append(const Span& span);

  const TableOptions& options_;
  PageForm form_;
  std::string out_;
};

}  // namespace infermeter
