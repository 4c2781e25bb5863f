#include "report/tables/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kWideGap = 3;
constexpr std::size_t kMargin = 1;

std::string_view unit_of(CellKind kind, bool seconds) {
  if (kind == CellKind::milliseconds) return seconds ? "s" : "ms";
  if (kind == CellKind::percent) return "%";
  return {};
}

std::string per_cent(double share) {
  const std::string text = fmt::format("{:.1f}", 100 * share);
  if (text == "100.0") return "100";
  return share == 0 ? "0" : text;
}

std::string written(const Cell& cell, CellKind kind, bool seconds) {
  if (!cell.value) return cell.text.empty() && kind != CellKind::words ? "–" : cell.text;
  if (kind == CellKind::percent) return per_cent(*cell.value);
  if (kind == CellKind::money) return format_number(*cell.value);
  return figure(seconds ? *cell.value / 1000 : *cell.value);
}

std::size_t whole_columns(const std::string& text) { return columns(text.substr(0, text.find('.'))); }

}  // namespace

void Listing::section(Span title) { sections_.push_back({std::move(title), rows_.size()}); }

void Listing::row(std::vector<Cell> cells, Span note) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::move(note), {}});
}

// One unit a column, so that its figures can be compared at a glance.
bool Listing::in_seconds(std::size_t index) const {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& row : rows_) {
    if (!row.cells[index].value) continue;
    least = std::min(least, *row.cells[index].value);
    most = std::max(most, *row.cells[index].value);
  }
  return least >= 1000 || (most >= 10'000 && least >= 100);
}

Listing::Laid Listing::lay(std::size_t index, const Page& page) const {
  const ListingColumn& column = columns_[index];
  const bool seconds = column.kind == CellKind::milliseconds && in_seconds(index);
  const std::string_view unit = unit_of(column.kind, seconds);
  Laid laid;
  laid.index = index;
  laid.head = page.fit(column.head);
  laid.sub = page.fit(column.sub + (column.sub.empty() || unit.empty() ? "" : " ") + std::string(unit));
  const std::size_t least = std::max(columns(laid.head), columns(laid.sub));
  for (const auto& row : rows_) {
    laid.cells.push_back(page.fit(written(row.cells[index], column.kind, seconds)));
    const std::string& text = laid.cells.back();
    const std::size_t whole = column.kind == CellKind::words ? columns(text) : whole_columns(text);
    laid.whole = std::max(laid.whole, whole);
    laid.fraction = std::max(laid.fraction, columns(text) - whole);
  }
  if (laid.width() < least) laid.whole = least - laid.fraction;
  return laid;
}

std::string Listing::placed(const std::string& text, const Laid& laid) const {
  if (columns_[laid.index].kind == CellKind::words) return pad_right(text, laid.width());
  const std::size_t fraction = columns(text) - whole_columns(text);
  return pad_left(text + std::string(laid.fraction - fraction, ' '), laid.width());
}

/// Moves the most important columns that fit beside `keys` out of `figures`: one at least.
std::vector<Listing::Laid> Listing::take_fitting(const std::vector<Laid>& keys, std::vector<Laid>& figures,
                                                 std::size_t width) const {
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(columns_[figures[i].index].rank, i); });
  const auto joined = [&](std::size_t i) { return i < figures.size() && columns_[figures[i].index].joined; };
  std::size_t used = kMargin;
  for (const auto& key : keys) used += key.width() + (&key == &keys.front() ? 0 : kGap);
  std::vector<bool> taken(figures.size());
  bool any = false;
  for (const std::size_t i : order) {
    if (joined(i)) continue;
    const std::size_t cost = kGap + figures[i].width() + (joined(i + 1) ? kGap + figures[i + 1].width() : 0);
    if (any && used + cost > width) continue;
    used += cost;
    taken[i] = any = true;
    if (joined(i + 1)) taken[i + 1] = true;
  }
  std::vector<Laid> bank = keys, rest;
  for (std::size_t i = 0; i < figures.size(); ++i) (taken[i] ? bank : rest).push_back(std::move(figures[i]));
  figures = std::move(rest);
  return bank;
}

void Listing::print_heads(const std::vector<Laid>& bank, std::size_t gap, Page& page) const {
  for (const auto part : {&Laid::head, &Laid::sub}) {
    if (std::ranges::all_of(bank, [&](const Laid& laid) { return (laid.*part).empty(); })) continue;
    std::vector<Span> spans;
    for (std::size_t i = 0; i < bank.size(); ++i) {
      const std::string& text = bank[i].*part;
      const bool left = columns_[bank[i].index].kind == CellKind::words;
      spans.push_back({std::string(i == 0 ? kMargin : gap, ' ')});
      spans.push_back(
          {left ? pad_right(text, bank[i].width()) : pad_left(text, bank[i].width()), Style::dim});
    }
    page.line(spans);
  }
}

void Listing::print_bank(const Bank& bank, std::pair<std::size_t, std::size_t> rows, bool with_notes,
                         Page& page) const {
  std::size_t total = kMargin;
  for (const auto& laid : bank) total += laid.width();
  const bool roomy = total + kWideGap * (bank.size() - 1) <= page.width();
  const std::size_t gap = roomy ? kWideGap : kGap;
  total += gap * (bank.size() - 1);
  print_heads(bank, gap, page);
  for (std::size_t r = rows.first; r < rows.second; ++r) {
    std::vector<Span> spans;
    for (std::size_t i = 0; i < bank.size(); ++i) {
      spans.push_back({std::string(i == 0 ? kMargin : gap, ' ')});
      spans.push_back({placed(bank[i].cells[r], bank[i]), rows_[r].cells[bank[i].index].style});
    }
    const Span& note = rows_[r].note;
    const bool beside = total + kGap + columns(page.fit(note.text)) <= page.width();
    if (with_notes && beside) spans.push_back({std::string(kGap, ' ') + note.text, note.style});
    page.line(spans);
    if (with_notes && !beside) page.prose({"     "}, note.text, note.style);
    for (const auto& line : with_notes ? rows_[r].below : std::vector<std::string>{})
      page.prose({" "}, line, Style::dim);
  }
}

/// Those with a cell; one that tells of the column before it only where that is there.
std::vector<std::size_t> Listing::filled_columns() const {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool any = std::ranges::any_of(rows_, [&](const Row& row) { return row.cells[c].present(); });
    const bool orphan =
        columns_[c].joined && (out.empty() || out.back() + 1 != c || columns_[out.back()].rank == 0);
    if (any && !orphan) out.push_back(c);
  }
  return out;
}

std::vector<Listing::Section> Listing::sections() const {
  return sections_.empty() ? std::vector<Section>{{}} : sections_;
}

void Listing::print_html(Page& page) const {
  PageTable table;
  std::vector<Laid> laid;
  for (const std::size_t c : filled_columns()) {
    laid.push_back(lay(c, page));
    table.columns.push_back({laid.back().head, laid.back().sub, columns_[c].kind == CellKind::words});
  }
  const std::vector<Section> parts = sections();
  for (std::size_t s = 0; s < parts.size(); ++s) {
    auto& section = table.sections.emplace_back();
    section.title = parts[s].title.text;
    const std::size_t end = s + 1 < parts.size() ? parts[s + 1].from : rows_.size();
    for (std::size_t r = parts[s].from; r < end; ++r) {
      auto& row = section.rows.emplace_back();
      row.note = rows_[r].note;
      for (const auto& column : laid)
        row.cells.push_back({column.cells[r], rows_[r].cells[column.index].style});
    }
  }
  page.table(table);
}

bool Listing::print(Page& page, bool all) const {
  if (page.html()) {
    print_html(page);
    return true;
  }
  std::vector<Laid> keys, figures;
  for (const std::size_t c : filled_columns())
    (columns_[c].rank == 0 ? keys : figures).push_back(lay(c, page));
  std::vector<Bank> banks;
  do {
    banks.push_back(take_fitting(keys, figures, page.width()));
  } while (all && !figures.empty());
  const std::vector<Section> parts = sections();
  for (std::size_t s = 0; s < parts.size(); ++s) {
    if (s > 0) page.blank();
    if (!parts[s].title.text.empty()) page.line({parts[s].title});
    const std::size_t end = s + 1 < parts.size() ? parts[s + 1].from : rows_.size();
    for (const auto& bank : banks) {
      if (&bank != &banks.front()) page.blank();
      print_bank(bank, {parts[s].from, end}, &bank == &banks.front(), page);
    }
  }
  return figures.empty();
}

}  // namespace infermeter
