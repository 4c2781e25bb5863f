// Columns of a listing that load points, targets and slices have in common. Private to src/report.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/base/units.hpp"
#include "infermeter/model/result.hpp"
#include "report/tables/listing.hpp"

namespace infermeter {

/// A column, and what of a subject (a PointResult or a Slice) stands in it.
template <typename Subject>
struct ColumnOf {
  ListingColumn column;
  std::function<Cell(const Subject&)> cell;
};

template <typename Subject>
std::optional<double> quantile(const Subject& subject, std::string_view metric, double percentile) {
  const Metric* found = subject.find(metric);
  const Percentile* value = found && found->count > 0 ? found->find(percentile) : nullptr;
  return value ? std::optional<double>(value->value) : std::nullopt;
}

/// "TTFT" over "p50 ms".
template <typename Subject>
ColumnOf<Subject> latency_column(std::string head, std::string metric, int percentile, int rank) {
  return {{std::move(head), fmt::format("p{}", percentile), CellKind::milliseconds, rank},
          [metric = std::move(metric), percentile](const Subject& s) {
            return Cell{{}, quantile(s, metric, percentile)};
          }};
}

/// Per token where each event's tokens are known, else per event.
template <typename Subject>
ColumnOf<Subject> gap_column(bool per_token, int percentile, int rank) {
  return latency_column<Subject>(per_token ? "ITL" : "ICL", per_token ? "itl" : "icl", percentile, rank);
}

template <typename Subject>
ColumnOf<Subject> number_column(std::string head, std::string sub, int rank,
                                std::function<std::optional<double>(const Subject&)> value,
                                CellKind kind = CellKind::number) {
  return {{std::move(head), std::move(sub), kind, rank},
          [value = std::move(value)](const Subject& s) { return Cell{{}, value(s)}; }};
}

/// Requests that ended well, of all.
template <typename Subject>
ColumnOf<Subject> ok_column(int rank) {
  return {{"ok", "of all", CellKind::count, rank}, [](const Subject& s) {
            if (s.requests == 0) return Cell{"–"};
            return Cell{fmt::format("{} / {}", format_count(s.ok), format_count(s.requests))};
          }};
}

/// Nothing where no request could be judged.
template <typename Subject>
std::optional<double> slo_figure(const Subject& subject, double SloResult::* member) {
  return subject.slo && subject.slo->requests > 0 ? std::optional<double>((*subject.slo).*member)
                                                  : std::nullopt;
}

template <typename Subject>
ColumnOf<Subject> slo_column(int rank) {
  return number_column<Subject>(
      "SLOs", "met", rank, [](const Subject& s) { return slo_figure(s, &SloResult::attainment); },
      CellKind::percent);
}

template <typename Subject>
ColumnOf<Subject> goodput_column(int rank) {
  return number_column<Subject>("goodput", "req/s", rank,
                                [](const Subject& s) { return slo_figure(s, &SloResult::goodput); });
}

template <typename Subject>
Listing listing_of(const std::vector<ColumnOf<Subject>>& columns) {
  std::vector<ListingColumn> heads;
  for (const auto& column : columns) heads.push_back(column.column);
  return Listing(std::move(heads));
}

template <typename Subject>
std::vector<Cell> cells_of(const std::vector<ColumnOf<Subject>>& columns, const Subject& subject) {
  std::vector<Cell> cells;
  for (const auto& column : columns) cells.push_back(column.cell(subject));
  return cells;
}

/// A quotient that is absent where nothing is to be divided by, or nothing is there.
inline std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace infermeter
