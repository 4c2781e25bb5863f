#include "report/tables/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

using SliceColumn = ColumnOf<Slice>;
using Group = std::vector<const Slice*>;

constexpr std::size_t kTurnsShown = 12;

struct Kind {
  SliceKind by;
  std::string_view head;
  bool cache = false;      // what the cache did matters more than speed
  bool wide_only = false;  // there may be hundreds
};

constexpr std::array<Kind, 5> kKinds{{{SliceKind::traffic_class, "Class"},
                                      {SliceKind::turn, "Turn", true},
                                      {SliceKind::cache, "Cache", true},
                                      {SliceKind::group, "Prefix group", true, true},
                                      {SliceKind::cancel, "Cancel"}}};

Group group_of(const PointResult& point, SliceKind by) {
  Group group;
  for (const auto& slice : point.slices) {
    if (slice.by == by) group.push_back(&slice);
  }
  return group;
}

std::optional<double> failed_share(const Slice& slice) {
  std::uint64_t sum = 0;
  for (const auto& entry : slice.outcomes) sum += is_failure(entry.outcome) ? entry.count : 0;
  return ratio(sum, slice.requests);
}

/// Of those picked for it, the ones that did not end before.
std::uint64_t closed_by_us(const Slice& slice) {
  const auto it = std::ranges::find(slice.outcomes, Outcome::cancelled, &OutcomeCount::outcome);
  return it == slice.outcomes.end() ? 0 : it->count;
}

std::uint64_t answers(const Slice& slice) {
  return slice.by == SliceKind::cancel ? slice.requests : slice.ok;
}

std::optional<double> a_request(std::uint64_t tokens, const Slice& slice) {
  return tokens > 0 ? ratio(tokens, answers(slice)) : std::nullopt;
}

SliceColumn tokens_column(const char* sub, int rank, std::uint64_t Slice::* member) {
  return number_column<Slice>("tokens", sub, rank,
                              [member](const Slice& s) { return a_request(s.*member, s); });
}

void add_tokens(const Kind& kind, bool cached, std::vector<SliceColumn>& columns) {
  const int rank = kind.cache ? 3 : 10;
  columns.push_back(tokens_column("in", rank, &Slice::prompt_tokens));
  columns.push_back(tokens_column("out", kind.by == SliceKind::cancel ? 3 : 12, &Slice::output_tokens));
  if (!cached) return;
  columns.push_back(number_column<Slice>("cached", "tokens", rank + 1, [](const Slice& s) {
    return s.prompt_tokens > 0 ? ratio(s.cached_tokens, s.ok) : std::nullopt;
  }));
  columns.push_back(number_column<Slice>(
      "hits", "", rank + 1, [](const Slice& s) { return ratio(s.cached_tokens, s.prompt_tokens); },
      CellKind::percent));
}

std::vector<SliceColumn> columns_for(const Kind& kind, const Group& group) {
  const bool per_token = std::ranges::any_of(group, [](const auto* s) { return s->find("itl") != nullptr; });
  const bool cached = std::ranges::any_of(group, [](const auto* s) { return s->cached_tokens > 0; });
  std::vector<SliceColumn> columns{
      {{std::string(kind.head), "", CellKind::words}, [](const Slice& s) { return Cell{s.name}; }}};
  columns.push_back(latency_column<Slice>("TTFT", "ttft", 50, 1));
  columns.push_back(latency_column<Slice>("TTFT", "ttft", 95, 2));
  columns.push_back(gap_column<Slice>(per_token, 50, 4));
  columns.push_back(gap_column<Slice>(per_token, 95, 9));
  columns.push_back(latency_column<Slice>("E2E", "e2e", 50, 6));
  columns.push_back(latency_column<Slice>("E2E", "e2e", 95, 8));
  columns.push_back(number_column<Slice>("tok/s", "out", kind.cache ? 13 : 5, [](const Slice& s) {
    return s.output_throughput > 0 ? std::optional<double>(s.output_throughput) : std::nullopt;
  }));
  add_tokens(kind, cached, columns);
  columns.push_back(slo_column<Slice>(3));
  columns.push_back(goodput_column<Slice>(11));
  if (kind.by != SliceKind::cancel) {
    columns.push_back(number_column<Slice>("errors", "", 7, failed_share, CellKind::percent));
    columns.push_back(ok_column<Slice>(3));
  } else {
    columns.push_back({{"closed", "by us", CellKind::count, 1},
                       [](const Slice& s) { return Cell{format_count(closed_by_us(s))}; }});
  }
  return columns;
}

void print_group(const Kind& kind, const Group& group, bool wide, Page& page) {
  const std::vector<SliceColumn> columns = columns_for(kind, group);
  Listing listing = listing_of(columns);
  const std::size_t shown = wide ? group.size() : std::min(group.size(), kTurnsShown);
  for (std::size_t i = 0; i < shown; ++i) listing.row(cells_of(columns, *group[i]));
  listing.print(page, wide);
  if (shown < group.size())
    page.line({{fmt::format(" and {} more with --wide", group.size() - shown), Style::dim}});
  page.blank();
}

void print_classes_in_full(const PointResult& point, const Group& classes, Page& page) {
  for (const auto* slice : classes) {
    page.line({{" " + slice->name, Style::bold}});
    print_metrics({slice->metrics, point.load.open_loop, counts_events(point), slice->ok, point.retries > 0},
                  true, page);
  }
}

}  // namespace

void print_slices(const PointResult& point, bool wide, Page& page) {
  for (const auto& kind : kKinds) {
    const Group group = group_of(point, kind.by);
    if (group.empty() || (kind.wide_only && !wide)) continue;
    print_group(kind, group, wide, page);
    if (wide && kind.by == SliceKind::traffic_class) print_classes_in_full(point, group, page);
  }
}

}  // namespace infermeter
