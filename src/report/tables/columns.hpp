// Columns of tables whose rows are load points, targets or slices: of any figure of the catalogue, and the
// few that are none. Private to src/report.
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

/// A column, and what of a point stands in it.
struct PointColumn {
  Table::Column column;
  std::function<Cell(const PointResult&)> cell;
};

/// A figure as a table shows it: nothing where nothing was measured, nor a rate of tokens where there are
/// none.
Estimate shown_estimate(const PointResult& point, const Figure& figure, std::string_view statistic);

/// "TTFT" over "p50 ms"; "tok/s" over "out". `head`: instead of the figure's own; `sure`: with its interval.
PointColumn figure_column(const Figure& figure, std::string_view statistic, int rank, std::string head = {},
                          bool sure = false);

/// What is shown at one place of these points: figures that tell of one of them what no other does; in open
/// loop those from the intended time in the place of the others.
struct PlacedFigure {
  const Figure* figure;  // as it is shown
  const Figure* base;    // as the catalogue has it there
  ShownAt at;
};
std::vector<PlacedFigure> placed_figures(FigureOutput output, const Points& points);

PointColumn number_column(std::string head, std::string sub, int rank,
                          std::function<std::optional<double>(const PointResult&)> value,
                          CellKind kind = CellKind::number);

/// Requests that ended well, of all.
PointColumn ok_column(int rank);

/// Of a target against the first one, in words; behind the column of the figure that it compares.
PointColumn difference_column(const RunResult& result, std::string metric, std::string statistic, int rank);

Table table_of(const std::vector<PointColumn>& columns);
std::vector<Cell> cells_of(const std::vector<PointColumn>& columns, const PointResult& point);

/// A slice with the figures that it has, as a point of its own.
PointResult as_point(const PointResult& whole, const Slice& slice);

/// The value of a percentile; nothing where the point has none.
std::optional<double> quantile(const PointResult& point, std::string_view metric, double percentile);

/// A quotient that is absent where nothing is to be divided by.
std::optional<double> ratio(std::uint64_t part, std::uint64_t whole);

}  // namespace infermeter
