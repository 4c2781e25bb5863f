#include "report/tables/compare_grid.hpp"

#include <algorithm>
#include <numeric>

#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kCompareMargin = 1;
constexpr std::size_t kUnit = 6;  // with the space before it
constexpr unsigned kRoomy = 100;  // from here on values have their own intervals

std::size_t columns_before_point(const std::string& text) { return columns(text.substr(0, text.find('.'))); }

void grow(std::size_t& width, const std::string& text) { width = std::max(width, columns(text)); }

}  // namespace

void CompareGrid::section(std::string title, std::string note) {
  sections_.push_back({std::move(title), std::move(note), rows_.size()});
}

void CompareGrid::row(std::string label, std::string unit, std::vector<Figures> figures) {
  rows_.push_back({std::move(label), std::move(unit), std::move(figures)});
}

std::size_t CompareGrid::label_columns(const Page& page) const {
  std::size_t width = 0;
  for (const auto& row : rows_) grow(width, page.fit(row.label));
  return kCompareMargin + width + kUnit;
}

std::vector<CompareGrid::Group> CompareGrid::measure(const Page& page) const {
  std::vector<Group> groups(heads_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Figures& figures = row.figures[i];
      const std::string value = page.fit(figures.value);
      groups[i].whole = std::max(groups[i].whole, columns_before_point(value));
      groups[i].fraction = std::max(groups[i].fraction, columns(value) - columns_before_point(value));
      grow(groups[i].sure, page.fit(figures.sure));
      grow(groups[i].change, page.fit(figures.change));
      grow(groups[i].interval, page.fit(figures.interval));
      grow(groups[i].word, page.fit(figures.word.text));
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t head = std::max(columns(page.fit(heads_[i].name)), columns(page.fit(heads_[i].mark)));
    groups[i].whole = std::max(groups[i].value(), head) - groups[i].fraction;
  }
  return groups;
}

/// Without the gap before it.
std::size_t CompareGrid::width_of(const Group& group, Setting setting) {
  std::size_t width = group.value();
  if (setting.sure && group.sure > 0) width += 1 + group.sure;
  if (group.change == 0) return width;
  const std::size_t change = setting.beneath ? std::max(group.change, group.interval) : group.change;
  width += setting.gap + change + setting.gap + group.word;
  return setting.beneath || group.interval == 0 ? width : width + 1 + group.interval;
}

std::string CompareGrid::padded_value(const std::string& text, const Group& group) const {
  const std::size_t fraction = columns(text) - columns_before_point(text);
  return pad_left(text + std::string(group.fraction - fraction, ' '), group.value());
}

void CompareGrid::append(const Figures& figures, const Group& group, Setting setting, const Page& page,
                         std::vector<Span>& line, std::vector<Span>& under) const {
  const std::string gap(setting.gap, ' ');
  line.push_back({gap + padded_value(page.fit(figures.value), group)});
  std::size_t indent = setting.gap + group.value();
  if (setting.sure && group.sure > 0) {
    line.push_back({" " + pad_right(page.fit(figures.sure), group.sure), Style::dim});
    indent += 1 + group.sure;
  }
  if (group.change > 0) {
    const std::size_t change = setting.beneath ? std::max(group.change, group.interval) : group.change;
    line.push_back({gap + pad_left(page.fit(figures.change), change), figures.word.style});
    if (!setting.beneath && group.interval > 0)
      line.push_back({" " + pad_right(page.fit(figures.interval), group.interval), Style::dim});
    line.push_back({gap + pad_right(page.fit(figures.word.text), group.word), figures.word.style});
    under.push_back({std::string(indent + setting.gap, ' ') + pad_left(page.fit(figures.interval), change) +
                         std::string(setting.gap + group.word, ' '),
                     Style::dim});
  } else {
    under.push_back({std::string(indent, ' ')});
  }
}

void CompareGrid::print_heads(const std::vector<std::size_t>& shown, const std::vector<Group>& groups,
                              Setting setting, std::size_t index, Page& page) const {
  const Section& section = sections_[index];
  const std::size_t label = label_columns(page);
  const std::string title = page.fit(" " + section.title);
  std::vector<Span> names, marks{{std::string(label, ' ')}};
  // A title that is longer than the labels has a line of its own.
  const bool beside = columns(title) <= label;
  if (!beside || !section.note.empty())
    page.line({{title, Style::bold}, {section.note.empty() ? "" : "   " + section.note, Style::dim}});
  names.push_back(
      {beside && section.note.empty() ? pad_right(title, label) : std::string(label, ' '), Style::bold});
  bool any_mark = false;
  for (const std::size_t i : shown) {
    const auto head = [&](const std::string& text) {
      std::string out(setting.gap, ' ');
      out += pad_left(page.fit(text), groups[i].value());
      return out.append(width_of(groups[i], setting) - groups[i].value(), ' ');
    };
    names.push_back({head(heads_[i].name), Style::bold});
    marks.push_back({head(heads_[i].mark), Style::warn});
    any_mark |= index == 0 && !heads_[i].mark.empty();
  }
  page.line(names);
  if (any_mark) page.line(marks);
}

void CompareGrid::print_section(std::size_t index, const std::vector<std::size_t>& shown,
                                const std::vector<Group>& groups, Setting setting, Page& page) const {
  const std::size_t end = index + 1 < sections_.size() ? sections_[index + 1].from : rows_.size();
  const std::size_t label = label_columns(page);
  print_heads(shown, groups, setting, index, page);
  for (std::size_t r = sections_[index].from; r < end; ++r) {
    const Row& row = rows_[r];
    std::vector<Span> line{{pad_right(page.fit(" " + row.label), label - kUnit)},
                           {pad_left(page.fit(row.unit), kUnit), Style::dim}};
    std::vector<Span> under{{std::string(label, ' ')}};
    bool any = false;
    for (const std::size_t i : shown) {
      append(row.figures[i], groups[i], setting, page, line, under);
      any |= !row.figures[i].interval.empty();
    }
    page.line(line);
    if (setting.beneath && any) page.line(under);
  }
}

void CompareGrid::print(Page& page) const {
  const std::vector<Group> groups = measure(page);
  const Setting setting = best_setting(groups, page);
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    for (const auto& bank : banks(groups, setting, page)) {
      if (s > 0 || bank[1] != 1) page.blank();
      print_section(s, bank, groups, setting, page);
    }
  }
}

/// The fewest banks; of equals the one that is read best.
CompareGrid::Setting CompareGrid::best_setting(const std::vector<Group>& groups, const Page& page) const {
  std::vector<Setting> settings{{2, false, false}, {1, false, false}, {2, true, false}, {1, true, false}};
  if (page.width() >= kRoomy) settings.insert(settings.begin(), {2, false, true});
  Setting best = settings.back();
  std::size_t least = heads_.size();
  for (const auto& setting : settings) {
    const std::size_t count = banks(groups, setting, page).size();
    if (count >= least || !fits(groups, setting, page)) continue;
    best = setting;
    least = count;
  }
  return best;
}

bool CompareGrid::fits(const std::vector<Group>& groups, Setting setting, const Page& page) const {
  const std::size_t first = label_columns(page) + setting.gap + width_of(groups[0], setting);
  return std::all_of(groups.begin() + 1, groups.end(), [&](const Group& group) {
    return first + setting.gap + width_of(group, setting) <= page.width();
  });
}

/// One result beside the reference at least, however narrow the page.
std::vector<CompareGrid::Bank> CompareGrid::banks(const std::vector<Group>& groups, Setting setting,
                                                  const Page& page) const {
  std::vector<Bank> out;
  std::size_t used = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const std::size_t width = setting.gap + width_of(groups[i], setting);
    if (out.empty() || used + width > page.width()) {
      out.push_back({0});
      used = label_columns(page) + setting.gap + width_of(groups[0], setting);
    }
    out.back().push_back(i);
    used += width;
  }
  return out;
}

}  // namespace infermeter
