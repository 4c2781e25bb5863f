#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "report/tables/table.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMargin = 1;
constexpr std::size_t kGap = 2, kWideGap = 3;
constexpr std::size_t kLeastEven = 9, kWidestEven = 11;  // of a column that shares the width, with its gap
constexpr std::size_t kRoomy = 100;
constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

/// The layout of cells: the gap between columns, and where intervals go.
struct Setting {
  std::size_t gap = kGap;
  bool beneath = false, roomy = false;
};

std::size_t whole_columns(const std::string& text) { return columns(text.substr(0, text.find('.'))); }

bool is_aligned(CellKind kind) { return kind >= CellKind::written; }

class TerminalTable {
 public:
  TerminalTable(const Table& table, Page& page) : table_(table), page_(page) {
    for (auto& written : written_columns(table)) columns_.push_back({fitted(std::move(written))});
    for (const auto& section : table.sections) {
      for (const auto& row : section.rows) rows_.push_back(&row);
    }
    for (const auto* row : rows_) unit_ = std::max(unit_, columns(page.fit(row->unit)));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].written.column.breaks) breaks_ = c;
    }
    measure();
  }

  bool print(bool all) {
    if (columns_.empty()) return true;
    setting_ = best_setting();
    std::vector<Group> rest = groups();
    std::vector<Bank> banks;
    do {
      banks.push_back(take_fitting(rest, setting_, all));
    } while (all && breaks_ == kAny && !rest.empty());
    shorten_lines(banks.front());
    std::size_t from = 0;
    for (std::size_t s = 0; s < table_.sections.size(); ++s) {
      print_section(s, from, banks);
      from += table_.sections[s].rows.size();
    }
    return rest.empty();
  }

 private:
  struct Column {
    WrittenColumn written;
    std::size_t whole = 0, fraction = 0, sure = 0;  // intervals that are not beneath
    std::size_t value() const { return whole + fraction; }
  };
  using Bank = std::vector<std::size_t>;  // of columns, in order
  /// A column and those joined to it.
  struct Group {
    int rank = 0;
    Bank members;
  };

  WrittenColumn fitted(WrittenColumn written) const {
    for (auto* text : {&written.column.head, &written.column.sub}) *text = page_.fit(*text);
    for (auto* texts : {&written.cells, &written.sures}) {
      for (auto& text : *texts) text = page_.fit(text);
    }
    return written;
  }

  bool too_long(std::size_t row) const {
    return breaks_ != kAny && columns(columns_[breaks_].written.cells[row]) > longest_;
  }

  void measure_text(const std::string& text, Column& column) const {
    const std::size_t whole = is_aligned(column.written.column.kind) ? whole_columns(text) : columns(text);
    column.whole = std::max(column.whole, whole);
    column.fraction = std::max(column.fraction, columns(text) - whole);
  }

  /// Rows that are too long count only with the cells before their text.
  void measure() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      column.whole = column.fraction = column.sure = 0;
      const Table::Column& about = column.written.column;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (too_long(r) && c >= breaks_) continue;
        measure_text(column.written.cells[r], column);
        const std::string& sure = column.written.sures[r];
        if (about.sure == Table::Sure::beneath)
          measure_text(sure, column);
        else
          column.sure = std::max(column.sure, columns(sure));
      }
      if (c == 0 && unit_ > 0) column.whole += 1 + unit_;
      const std::size_t least = std::max({columns(about.head), columns(about.sub), about.least});
      if (column.value() < least) column.whole = least - column.fraction;
    }
  }

  /// Without the intervals beside it.
  std::size_t main_width(std::size_t c, Setting setting) const {
    const Column& column = columns_[c];
    const bool under = column.written.column.sure == Table::Sure::beside && setting.beneath;
    return under ? std::max(column.value(), column.sure) : column.value();
  }

  std::size_t tail_width(std::size_t c, Setting setting) const {
    const auto sure = columns_[c].written.column.sure;
    const bool shown =
        sure == Table::Sure::beside ? !setting.beneath : sure == Table::Sure::roomy && setting.roomy;
    return shown && columns_[c].sure > 0 ? 1 + columns_[c].sure : 0;
  }

  std::size_t width(std::size_t c, Setting setting) const {
    return main_width(c, setting) + tail_width(c, setting);
  }

  /// With the gap before each; 0 for a column without anything to show.
  std::size_t width_of(std::span<const std::size_t> members, Setting setting) const {
    const std::size_t gap = table_.even ? 1 : setting.gap;
    std::size_t sum = 0;
    for (const std::size_t c : members) sum += width(c, setting) > 0 ? gap + width(c, setting) : 0;
    return sum;
  }

  Bank keys() const {
    Bank out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].written.column.rank == 0) out.push_back(c);
    }
    return out;
  }

  std::size_t keys_width(Setting setting) const {
    const Bank all = keys();
    return kMargin + width_of(all, setting) - (all.empty() ? 0 : table_.even ? 1 : setting.gap);
  }

  std::vector<Group> groups() const {
    std::vector<Group> out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Table::Column& about = columns_[c].written.column;
      if (about.rank == 0) continue;
      if (about.joined && !out.empty() && out.back().members.back() + 1 == c) {
        out.back().members.push_back(c);
      } else {
        out.push_back({about.rank, {c}});
      }
    }
    return out;
  }

  /// Moves the most important groups that fit beside the keys out of `rest`: at least one if rows have
  /// nothing else. `in_order`: groups of one rank keep their order through the banks.
  Bank take_fitting(std::vector<Group>& rest, Setting setting, bool in_order) const {
    std::vector<std::size_t> order(rest.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rest[i].rank; });
    Bank bank = keys();
    std::size_t used = keys_width(setting);
    std::vector<bool> taken(rest.size());
    bool any = breaks_ != kAny;
    int blocked = 0;
    for (const std::size_t i : order) {
      const std::size_t cost = width_of(rest[i].members, setting);
      if (in_order && rest[i].rank == blocked) continue;
      if (any && used + cost > page_.width()) {
        blocked = rest[i].rank;
        continue;
      }
      used += cost;
      taken[i] = any = true;
      bank.insert(bank.end(), rest[i].members.begin(), rest[i].members.end());
    }
    std::vector<Group> left;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (!taken[i]) left.push_back(std::move(rest[i]));
    }
    rest = std::move(left);
    std::ranges::sort(bank);
    return bank;
  }

  std::size_t bank_count(Setting setting) const {
    std::vector<Group> rest = groups();
    std::size_t count = 0;
    do {
      take_fitting(rest, setting, true);
      ++count;
    } while (breaks_ == kAny && !rest.empty());
    return count;
  }

  bool fits(Setting setting) const {
    const std::size_t first = keys_width(setting);
    return std::ranges::all_of(groups(), [&](const Group& group) {
      return first + width_of(group.members, setting) <= page_.width();
    });
  }

  bool has_tails() const {
    return std::ranges::any_of(columns_, [](const Column& column) { return column.sure > 0; });
  }

  /// The layout with the fewest banks; of equals the most readable.
  Setting best_setting() const {
    if (!has_tails()) return {};
    std::vector<Setting> settings{{2, false, false}, {1, false, false}, {2, true, false}, {1, true, false}};
    if (page_.width() >= kRoomy) settings.insert(settings.begin(), {2, false, true});
    Setting best = settings.back();
    std::size_t least = kAny;
    for (const auto& setting : settings) {
      const std::size_t count = bank_count(setting);
      if (count >= least || !fits(setting)) continue;
      best = setting;
      least = count;
    }
    return best;
  }

  std::size_t total_width(const Bank& bank, std::span<const std::size_t> gaps) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < bank.size(); ++i) total += gaps[i] + width(bank[i], setting_);
    return total;
  }

  /// Rows whose text would make the page too narrow for the others have their cells beneath.
  void shorten_lines(const Bank& bank) {
    if (breaks_ == kAny) return;
    longest_ = columns_[breaks_].value();
    while (total_width(bank, gaps_of(bank)) > page_.width() && longest_ > 0) {
      --longest_;
      measure();
    }
  }

  std::vector<std::size_t> even_gaps(const Bank& bank) const {
    const std::size_t label = kMargin + width(bank.front(), setting_), count = bank.size() - 1;
    const std::size_t room =
        page_.width() > label ? (page_.width() - label) / std::max<std::size_t>(1, count) : 0;
    const std::size_t even = std::clamp(room, kLeastEven, kWidestEven);
    std::vector<std::size_t> gaps{kMargin};
    for (std::size_t i = 1; i < bank.size(); ++i)
      gaps.push_back(std::max(kGap + width(bank[i], setting_), even) - width(bank[i], setting_));
    // Wide figures on a narrow page: the gaps shrink, down to one space.
    for (std::size_t i = 1; i < bank.size(); ++i) {
      const std::size_t total = total_width(bank, gaps);
      gaps[i] -= std::min(total - std::min(total, page_.width()), gaps[i] - 1);
    }
    return gaps;
  }

  std::vector<std::size_t> gaps_of(const Bank& bank) const {
    if (table_.even) return even_gaps(bank);
    const auto with = [&](std::size_t gap) {
      std::vector<std::size_t> gaps;
      for (const std::size_t c : bank)
        gaps.push_back(gaps.empty() ? kMargin : width(c, setting_) > 0 ? gap : 0);
      return gaps;
    };
    std::vector<std::size_t> wide = with(kWideGap);
    const bool roomy = !has_tails() && breaks_ == kAny && total_width(bank, wide) <= page_.width();
    return roomy ? wide : with(setting_.gap);
  }

  /// Padded to the column's width.
  std::string placed(std::size_t c, const std::string& text) const {
    const Column& column = columns_[c];
    if (column.written.left()) return pad_right(text, column.value());
    const std::size_t fraction =
        is_aligned(column.written.column.kind) ? columns(text) - whole_columns(text) : 0;
    const std::size_t behind = is_aligned(column.written.column.kind) ? column.fraction - fraction : 0;
    return pad_left(text + std::string(behind, ' '), column.value());
  }

  /// Title and note on their own line, unless the title can stand above the rows' names.
  bool title_in_corner(const Table::Section& section) const {
    const Table::Column& first = columns_.front().written.column;
    return !section.title.text.empty() && section.note.empty() && first.head.empty() && first.sub.empty() &&
           columns(page_.fit(section.title.text)) <= columns_.front().value();
  }

  void print_title(const Table::Section& section) {
    const std::string note = section.note.empty() ? "" : "   " + section.note;
    const std::string margin(kMargin, ' ');
    if (kMargin + columns(page_.fit(section.title.text + note)) <= page_.width())
      return page_.line({{margin + section.title.text, section.title.style}, {note, Style::dim}});
    page_.prose({margin}, section.title.text, section.title.style);
    if (!section.note.empty()) page_.prose({margin}, section.note, Style::dim);
  }

  void print_section(std::size_t index, std::size_t from, const std::vector<Bank>& banks) {
    const Table::Section& section = table_.sections[index];
    if (index > 0) page_.blank();
    if (!section.title.text.empty() && !title_in_corner(section)) print_title(section);
    for (const auto& bank : banks) {
      const bool first = &bank == &banks.front();
      if (!first) page_.blank();
      print_heads(section, bank, index == 0 || !table_.sub_once);
      for (std::size_t r = from; r < from + section.rows.size(); ++r) print_row(r, bank, first);
    }
  }

  void print_heads(const Table::Section& section, const Bank& bank, bool with_subs) {
    const std::string corner = title_in_corner(section) ? page_.fit(section.title.text) : std::string();
    print_head_line(bank, &Table::Column::head, &Table::Column::head_style, {corner, section.title.style});
    if (with_subs) print_head_line(bank, &Table::Column::sub, &Table::Column::sub_style, {});
  }

  void print_head_line(const Bank& bank, std::string Table::Column::* part, Style Table::Column::* style,
                       const Span& corner) {
    const auto about = [&](std::size_t c) -> const Table::Column& { return columns_[c].written.column; };
    if (corner.text.empty() &&
        std::ranges::all_of(bank, [&](std::size_t c) { return (about(c).*part).empty(); }))
      return;
    const std::vector<std::size_t> gaps = gaps_of(bank);
    std::vector<Span> spans;
    for (std::size_t i = 0; i < bank.size(); ++i) {
      const std::size_t c = bank[i], main = main_width(c, setting_);
      const bool is_corner = i == 0 && !corner.text.empty();
      const std::string& text = is_corner ? corner.text : about(c).*part;
      spans.push_back({std::string(gaps[i], ' ')});
      spans.push_back({columns_[c].written.left() ? pad_right(text, main) : pad_left(text, main),
                       is_corner ? corner.style : about(c).*style});
      spans.push_back({std::string(tail_width(c, setting_), ' ')});
    }
    page_.line(spans);
  }

  void append_first(std::size_t r, std::size_t c, Style style, std::vector<Span>& spans) const {
    if (unit_ == 0) {
      spans.push_back({placed(c, columns_[c].written.cells[r]), style});
      return;
    }
    spans.push_back({pad_right(columns_[c].written.cells[r], columns_[c].value() - unit_), style});
    spans.push_back({pad_left(page_.fit(rows_[r]->unit), unit_), Style::dim});
  }

  std::vector<Span> cells_line(std::size_t r, const Bank& bank, std::span<const std::size_t> gaps) const {
    std::vector<Span> spans;
    for (std::size_t i = 0; i < bank.size(); ++i) {
      const std::size_t c = bank[i], tail = tail_width(c, setting_);
      const WrittenColumn& written = columns_[c].written;
      const auto& cells = rows_[r]->cells;
      const Style style = written.index < cells.size() ? cells[written.index].style : Style::plain;
      spans.push_back({std::string(gaps[i], ' ')});
      if (c == 0)
        append_first(r, c, style, spans);
      else
        spans.push_back({pad_left(placed(c, written.cells[r]), main_width(c, setting_)), style});
      if (tail > 0) spans.push_back({" " + pad_right(written.sures[r], tail - 1), Style::dim});
    }
    return spans;
  }

  /// The text beneath the cells of a row; nothing if empty.
  std::vector<Span> sure_line(std::size_t r, const Bank& bank, std::span<const std::size_t> gaps) const {
    std::vector<Span> spans;
    bool any = false;
    for (std::size_t i = 0; i < bank.size(); ++i) {
      const std::size_t c = bank[i], main = main_width(c, setting_);
      const Table::Sure where = columns_[c].written.column.sure;
      const bool under = where == Table::Sure::beneath || (where == Table::Sure::beside && setting_.beneath);
      const std::string text = under ? columns_[c].written.sures[r] : std::string();
      any |= !text.empty();
      spans.push_back({std::string(gaps[i], ' ')});
      spans.push_back({pad_left(where == Table::Sure::beneath ? placed(c, text) : text, main), Style::dim});
      spans.push_back({std::string(tail_width(c, setting_), ' ')});
    }
    return any ? spans : std::vector<Span>{};
  }

  void print_row(std::size_t r, const Bank& bank, bool with_notes) {
    const std::vector<std::size_t> gaps = gaps_of(bank);
    const Span& note = rows_[r]->note;
    const bool beside = total_width(bank, gaps) + kGap + columns(page_.fit(note.text)) <= page_.width();
    if (too_long(r)) {
      print_stacked(r);
    } else {
      std::vector<Span> spans = cells_line(r, bank, gaps);
      if (with_notes && beside && !note.text.empty())
        spans.push_back({std::string(kGap, ' ') + note.text, note.style});
      page_.line(spans);
      if (const auto sure = sure_line(r, bank, gaps); !sure.empty()) page_.line(sure);
    }
    if (!with_notes) return;
    if (!beside) page_.prose({"     "}, note.text, note.style);
    for (const auto& line : rows_[r]->below) page_.prose({std::string(indent(), ' ')}, line, Style::dim);
  }

  /// For lines beneath a row: where its text begins.
  std::size_t indent() const {
    std::size_t out = kMargin;
    for (std::size_t c = 0; breaks_ != kAny && c < breaks_; ++c) out += columns_[c].value() + kGap;
    return out;
  }

  /// The text on its own lines, the other cells beneath; joined columns together.
  void print_stacked(std::size_t r) {
    std::string lead(kMargin, ' ');
    Style style = Style::plain;
    std::vector<Span> items;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& text = columns_[c].written.cells[r];
      if (c < breaks_) {
        lead += pad_right(text, columns_[c].value()) + std::string(kGap, ' ');
        style = rows_[r]->cells[columns_[c].written.index].style;
      } else if (c > breaks_ && !text.empty()) {
        const bool follows = columns_[c].written.column.joined && !items.empty();
        if (follows)
          items.back().text += " " + text;
        else
          items.push_back({text});
      }
    }
    page_.prose({lead, style}, columns_[breaks_].written.cells[r]);
    if (!items.empty()) page_.items(std::string(indent() - 1, ' '), items, indent());
  }

  const Table& table_;
  Page& page_;
  std::vector<Column> columns_;
  std::vector<const Table::Row*> rows_;
  std::size_t unit_ = 0;  // columns of the rows' units
  std::size_t breaks_ = kAny, longest_ = kAny;
  Setting setting_;
};

}  // namespace

bool print_table(const Table& table, Page& page, bool all) {
  if (page.html()) {
    page.add_html(html_table(table));
    return true;
  }
  return TerminalTable(table, page).print(all);
}

}  // namespace infermeter
