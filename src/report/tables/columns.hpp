// Columns of tables whose rows are load points, targets or slices: any figure of the catalogue, and a few
// columns that are not figures. Private to src/report.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "infermeter/model/figures.hpp"
#include "infermeter/model/result.hpp"
#include "report/tables/table.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {

/// A column, and its cell for a point.
struct PointColumn {
  Table::Column column;
  std::function<Cell(const PointResult&)> cell;
};

/// A figure as a table shows it: nothing where nothing was measured, and no token rate where there are no
/// tokens.
Estimate shown_estimate(const PointResult& point, const Figure& figure, std::string_view statistic);

/// "TTFT" over "p50 ms"; "tok/s" over "out". `head`: replaces the figure's own; `sure`: adds its interval.
PointColumn figure_column(const Figure& figure, std::string_view statistic, int rank, std::string head = {},
                          bool sure = false);

/// The figures shown at one place for these points: those that add information for at least one of them. In
/// open loop, figures from the intended time replace the others.
struct PlacedFigure {
  const Figure* figure;  // as it is shown
  const Figure* base;    // as the catalogue lists it there
  ShownAt at;
};
std::vector<PlacedFigure> placed_figures(FigureOutput output, const Points& points);

PointColumn number_column(std::string head, std::string sub, int rank,
                          std::function<std::optional<double>(const PointResult&)> value,
                          CellKind kind = CellKind::number);

/// Requests that ended well, out of all.
PointColumn ok_column(int rank);

/// The change of a target against the reference, in words; behind the column of the compared figure.
PointColumn difference_column(const RunResult& result, std::string metric, std::string statistic, int rank);

Table table_of(const std::vector<PointColumn>& columns);
std::vector<Cell> cells_of(const std::vector<PointColumn>& columns, const PointResult& point);

/// A slice with its figures, in the form of a point.
PointResult as_point(const PointResult& whole, const Slice& slice);

/// The value of a percentile; nothing where the point has none.
std::optional<double> quantile(const PointResult& point, std::string_view metric, double percentile);

/// A quotient; absent where the divisor is 0.
std::optional<double> ratio(std::uint64_t part, std::uint64_t whole);

}  // namespace infermeter
