#include "report/tables/grid.hpp"

#include <algorithm>

#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLeastLabel = 21;
constexpr std::size_t kLeastColumn = 9;
constexpr std::size_t kWidestColumn = 11;

struct SplitNumber {
  std::string whole, fraction;
};

SplitNumber split(const std::string& text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  return {text.substr(0, point), text.substr(point)};
}

}  // namespace

Grid::Grid(std::string corner, std::vector<std::string> heads)
    : corner_(std::move(corner)), heads_(std::move(heads)) {}

void Grid::row(Span label, std::vector<Span> cells) {
  cells.resize(heads_.size());
  rows_.push_back({std::move(label), std::move(cells)});
}

std::size_t Grid::label_columns(const Page& page) const {
  std::size_t width = std::max(kLeastLabel, columns(page.fit(corner_)));
  for (const auto& row : rows_) width = std::max(width, columns(page.fit(row.label.text)));
  return width;
}

std::vector<Grid::Column> Grid::measure_figures(const Page& page) const {
  std::vector<Column> measured(heads_.size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const SplitNumber figure = split(page.fit(row.cells[c].text));
      measured[c].whole = std::max(measured[c].whole, columns(figure.whole));
      measured[c].fraction = std::max(measured[c].fraction, columns(figure.fraction));
    }
  }
  for (std::size_t c = 0; c < heads_.size(); ++c) {
    Column& column = measured[c];
    column.whole = std::max(column.whole + column.fraction, columns(page.fit(heads_[c]))) - column.fraction;
  }
  return measured;
}

std::vector<Grid::Column> Grid::measure(const Page& page) const {
  std::vector<Column> measured = measure_figures(page);
  const std::size_t label = label_columns(page);
  const std::size_t room =
      page.width() > label ? (page.width() - label) / std::max<std::size_t>(1, measured.size()) : 0;
  const std::size_t even = std::clamp(room, kLeastColumn, kWidestColumn);
  std::size_t total = label;
  for (auto& column : measured) {
    column.gap = 2;
    column.gap += even - std::min(even, column.total());
    total += column.total();
  }
  // Wide figures on a narrow page: the gaps give way, down to one space.
  for (auto& column : measured) {
    const std::size_t excess = total - std::min(total, page.width());
    const std::size_t given = std::min(excess, column.gap - 1);
    column.gap -= given;
    total -= given;
  }
  return measured;
}

void Grid::print_html(Page& page) const {
  PageTable table;
  table.columns.push_back({corner_, "", true});
  for (const auto& head : heads_) table.columns.push_back({head, "", false});
  auto& rows = table.sections.emplace_back().rows;
  for (const auto& row : rows_) {
    auto& out = rows.emplace_back();
    out.cells.push_back(row.label);
    out.cells.insert(out.cells.end(), row.cells.begin(), row.cells.end());
    out.beneath = row.label.text.empty();
  }
  page.table(table);
}

void Grid::print(Page& page) const {
  if (page.html()) return print_html(page);
  const std::size_t label = label_columns(page);
  const std::vector<Column> measured = measure(page);
  std::vector<Span> head{{pad_right(page.fit(corner_), label), Style::plain}};
  for (std::size_t c = 0; c < heads_.size(); ++c)
    head.push_back({pad_left(page.fit(heads_[c]), measured[c].total()), Style::dim});
  page.line(head);
  for (const auto& row : rows_) {
    std::vector<Span> spans{{pad_right(page.fit(row.label.text), label), row.label.style}};
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const SplitNumber figure = split(page.fit(row.cells[c].text));
      spans.push_back({pad_left(figure.whole, measured[c].gap + measured[c].whole) +
                           pad_right(figure.fraction, measured[c].fraction),
                       row.cells[c].style});
    }
    page.line(spans);
  }
}

}  // namespace infermeter
