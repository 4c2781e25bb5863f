// Rows of figures with their changes, a group of columns a result: value, change, interval, word. Groups that
// do not fit beside each other come in further banks under the reference's. Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

class CompareGrid {
 public:
  struct Figures {
    std::string value, sure;       // sure: how sure the value itself is, where there is room
    std::string change, interval;  // of the reference: empty
    Span word;
  };
  struct Head {
    std::string name, mark;  // "B", "vLLM bench"
  };

  explicit CompareGrid(std::vector<Head> heads) : heads_(std::move(heads)) {}

  /// The rows that follow stand beneath a title, with a note behind it.
  void section(std::string title, std::string note);
  /// Figures answer to the heads, in order.
  void row(std::string label, std::string unit, std::vector<Figures> figures);

  void print(Page& page) const;

 private:
  struct Row {
    std::string label, unit;
    std::vector<Figures> figures;
  };
  struct Section {
    std::string title, note;
    std::size_t from = 0;  // its first row
  };
  /// Columns that the parts of a result's group take.
  struct Group {
    std::size_t whole = 0, fraction = 0, sure = 0, change = 0, interval = 0, word = 0;
    std::size_t value() const { return whole + fraction; }
  };
  /// How the groups are set: the gaps between columns, intervals beside or beneath the changes, and whether
  /// values have theirs.
  struct Setting {
    std::size_t gap = 2;
    bool beneath = false, sure = false;
  };

  using Bank = std::vector<std::size_t>;  // of heads, the reference's first
  std::vector<Bank> banks(const std::vector<Group>& groups, Setting setting, const Page& page) const;
  bool fits(const std::vector<Group>& groups, Setting setting, const Page& page) const;
  Setting best_setting(const std::vector<Group>& groups, const Page& page) const;
  std::size_t label_columns(const Page& page) const;
  std::vector<Group> measure(const Page& page) const;
  static std::size_t width_of(const Group& group, Setting setting);
  std::string padded_value(const std::string& text, const Group& group) const;
  void append(const Figures& figures, const Group& group, Setting setting, const Page& page,
              std::vector<Span>& line, std::vector<Span>& under) const;
  void print_heads(const std::vector<std::size_t>& shown, const std::vector<Group>& groups, Setting setting,
                   std::size_t index, Page& page) const;
  void print_section(std::size_t index, const std::vector<std::size_t>& shown,
                     const std::vector<Group>& groups, Setting setting, Page& page) const;

  std::vector<Head> heads_;
  std::vector<Row> rows_;
  std::vector<Section> sections_;
};

}  // namespace infermeter
