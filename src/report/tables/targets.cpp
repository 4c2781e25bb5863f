#include "report/tables/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/repeats.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/words/difference_words.hpp"
#include "report/words/load_words.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

using TargetColumn = ColumnOf<PointResult>;

constexpr std::size_t kLongestName = 24;
constexpr int kFewestBlocks = 6;  // of which a change can be told

bool compared(const RunResult& result, std::string_view metric) {
  return std::ranges::find(result.differences, metric, &Difference::metric) != result.differences.end();
}

const Difference* find_difference(const RunResult& result, const PointResult& point, std::string_view metric,
                                  std::string_view statistic) {
  const auto it = std::ranges::find_if(result.differences, [&](const Difference& d) {
    return d.point == point.point && d.target == point.target && d.metric == metric &&
           d.statistic == statistic;
  });
  return it == result.differences.end() ? nullptr : &*it;
}

/// Stands behind the column of the figure it compares.
TargetColumn difference_column(const RunResult& result, std::string metric, std::string statistic, int rank) {
  ListingColumn column{"vs first", "", CellKind::words, rank, true};
  return {column,
          [&result, metric = std::move(metric), statistic = std::move(statistic)](const PointResult& p) {
            const Difference* d = find_difference(result, p, metric, statistic);
            if (!d) return Cell{};
            const bool dim = d->within_noise || (!d->low && !d->absolute);
            return Cell{difference_words(*d), {}, dim ? Style::dim : Style::plain};
          }};
}

/// Columns with a difference behind each.
class Builder {
 public:
  explicit Builder(const RunResult& result) : result_(result) {}
  void latency(const char* head, const std::string& metric, int percentile, int rank) {
    columns_.push_back(latency_column<PointResult>(head, metric, percentile, rank));
    compare(metric, fmt::format("p{}", percentile), rank);
  }
  void rate(const char* head, const char* sub, const std::string& metric, int rank) {
    columns_.push_back(number_column<PointResult>(
        head, sub, rank, [metric](const PointResult& p) { return quantile(p, metric, 50); }));
    compare(metric, "p50", rank);
  }
  void figure(const char* head, const char* sub, int rank,
              std::function<std::optional<double>(const PointResult&)> value,
              CellKind kind = CellKind::number) {
    columns_.push_back(number_column<PointResult>(head, sub, rank, std::move(value), kind));
  }
  void compare(const std::string& metric, const std::string& statistic, int rank) {
    columns_.push_back(difference_column(result_, metric, statistic, rank));
  }
  /// By itself, since the shares beside each other show as much.
  void compare_errors() {
    TargetColumn column = difference_column(result_, "error_rate", "", 14);
    column.column = {"errors", "vs first", CellKind::words, 14};
    columns_.push_back(std::move(column));
  }
  void add(TargetColumn column) { columns_.push_back(std::move(column)); }
  std::vector<TargetColumn> take() { return std::move(columns_); }

 private:
  const RunResult& result_;
  std::vector<TargetColumn> columns_;
};

bool is_limited(const OutcomeCount& entry) {
  return entry.outcome == Outcome::http_error && is_rate_limit(entry.status);
}

template <typename Counts>
std::optional<double> share_of(const PointResult& point, Counts counts) {
  std::uint64_t sum = 0;
  for (const auto& entry : point.outcomes) sum += counts(entry) ? entry.count : 0;
  return ratio(sum, point.requests);
}

std::uint64_t refused(const PointResult& point, int status) {
  std::uint64_t sum = 0;
  for (const auto& entry : point.outcomes)
    sum += is_limited(entry) && entry.status == status ? entry.count : 0;
  return sum;
}

/// Of all tries.
std::uint64_t limited(const PointResult& point) {
  const auto ended = refused(point, 429) + refused(point, 503);
  return std::max(ended, point.rate_limits ? point.rate_limits->limited : 0);
}

std::optional<double> limited_share(const PointResult& point) {
  return ratio(limited(point), point.requests + point.retries);
}

/// Which statuses they had, as far as is known: tries before the last one do not tell.
bool only_429(const PointResult* point) { return limited(*point) == refused(*point, 429); }

void add_errors(const Points& points, Builder& build) {
  build.figure(
      "errors", "", 3,
      [](const PointResult& p) {
        return share_of(p, [](const OutcomeCount& e) { return is_failure(e.outcome) && !is_limited(e); });
      },
      CellKind::percent);
  build.compare_errors();
  if (std::ranges::all_of(points, [](const auto* p) { return limited(*p) == 0; })) return;
  build.figure(std::ranges::all_of(points, only_429) ? "429" : "429, 503", "", 5, limited_share,
               CellKind::percent);
}

void add_rates(const RunResult& result, Builder& build) {
  build.rate("TPS", "p50", "tps", 7);
  build.rate("chars/s", "p50", "chars_per_second", 15);
  build.figure("tok/s", "out", 8, [](const PointResult& p) -> std::optional<double> {
    const double output = p.rates().output;
    return p.has_figures() && output > 0 ? std::optional<double>(output) : std::nullopt;
  });
  build.compare("output_throughput", "", 8);
  build.figure("vectors", "per s", 1, [](const PointResult& p) { return p.item_throughput; });
  build.figure("tok/s", "per GPU", 9, [](const PointResult& p) { return p.output_per_gpu; });
  build.figure("reasoning", "tok/answer", 13, [](const PointResult& p) {
    return p.reasoning_tokens > 0 ? ratio(p.reasoning_tokens, p.ok) : std::nullopt;
  });
  build.figure(
      "RTT", "", 16,
      [&result](const PointResult& p) {
        return p.target < result.targets.size() ? result.targets[p.target].rtt_ms : std::nullopt;
      },
      CellKind::milliseconds);
}

/// From the intended time in open loop, unless only the other was compared.
std::string response(const RunResult& result, const Points& points, const std::string& metric) {
  const bool open = points.front()->load.open_loop;
  return open && (compared(result, metric + "_response") || !compared(result, metric)) ? metric + "_response"
                                                                                       : metric;
}

/// True where the first visible token is not the first of any kind.
bool reasons_first(const PointResult* point) {
  const Metric* visible = point->find("ttfo");
  const Metric* first = point->find("ttft");
  return visible && first && visible->mean > first->mean + 1e-3;
}

void add_latencies(const RunResult& result, const Points& points, Builder& build) {
  const std::string ttft = response(result, points, "ttft");
  const bool per_token = std::ranges::any_of(points, [](const auto* p) { return p->find("itl") != nullptr; });
  const char* gap = per_token ? "itl" : "icl";
  const bool by_tpot = compared(result, "tpot") && !compared(result, gap);
  build.latency("TTFT", ttft, 50, 1);
  build.latency("TTFT", ttft, 95, 10);
  if (std::ranges::any_of(points, reasons_first)) {
    build.latency("TTFO", "ttfo", 50, 5);
    build.latency("TTFO", "ttfo", 95, 14);
  }
  build.latency(per_token ? "ITL" : "ICL", gap, 50, by_tpot ? 12 : 2);
  build.latency(per_token ? "ITL" : "ICL", gap, 95, 12);
  if (by_tpot) build.latency("TPOT", "tpot", 50, 2);
  build.latency("E2E", response(result, points, "e2e"), 50, 6);
}

std::vector<TargetColumn> target_columns(const RunResult& result, const Points& points) {
  Builder build(result);
  build.add({{result.target_order == TargetOrder::pairs ? "Pair" : "Run", "", CellKind::count},
             [&result](const PointResult& p) { return Cell{run_number(result, p)}; }});
  build.add({{"Target", "", CellKind::words}, [&result](const PointResult& p) {
               return Cell{short_target_name(result, p.target, kLongestName)};
             }});
  add_latencies(result, points, build);
  add_rates(result, build);
  build.add(slo_column<PointResult>(9));
  build.figure(
      "$/1k", "answers", 4,
      [](const PointResult& p) { return p.cost ? std::optional<double>(p.cost->per_1k) : std::nullopt; },
      CellKind::money);
  add_errors(points, build);
  return build.take();
}

std::string with_interval(const std::vector<std::uint32_t>& blocks) {
  const auto [least, most] = std::ranges::minmax(blocks);
  return fmt::format(
      " with its 95 % interval, by {} blocks of the run; \"no difference\": by its 99 % interval, or under "
      "1 % (p95: 3 %)",
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
}

void add_rows(const RunResult& result, const Points& points, const std::vector<TargetColumn>& columns,
              Listing& listing) {
  const bool differs = !result.differences.empty();
  for (const auto* point : points) {
    std::vector<Cell> cells = cells_of(columns, *point);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool first = differs && point == points.front() && columns[i].column.joined;
      const bool used =
          std::ranges::any_of(points, [&](const auto* p) { return columns[i].cell(*p).present(); });
      if (first && used) cells[i].text = "–";
    }
    listing.row(std::move(cells), point_note(*point));
  }
}

/// Pairs are judged as pairs, by the verdict.
void add_spreads(const RunResult& result, const Points& group, Listing& listing) {
  if (!has_runs(result) || result.target_order == TargetOrder::pairs) return;
  for (std::uint32_t target = 0; target < result.targets.size(); ++target) {
    Points runs;
    std::ranges::copy_if(group, std::back_inserter(runs), [&](const auto* p) { return p->target == target; });
    const std::string spread = runs.empty() ? std::string() : spread_words(runs);
    if (!spread.empty()) listing.below(target_name(result, target) + " " + spread);
  }
}

}  // namespace

bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page) {
  Points all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  const std::vector<TargetColumn> columns = target_columns(result, all);
  Listing listing = listing_of(columns);
  for (const auto& group : groups) {
    listing.section({groups.size() > 1 ? " " + short_name(load_id(group.front()->load)) : "", Style::bold});
    add_rows(result, group, columns, listing);
    add_spreads(result, group, listing);
  }
  return listing.print(page, wide);
}

void explain_differences(const RunResult& result, Page& page) {
  if (std::ranges::all_of(result.differences, &Difference::absolute)) return;  // they say so themselves
  std::vector<std::uint32_t> blocks;
  bool too_few = false;
  for (const auto& difference : result.differences) {
    if (difference.absolute) continue;
    if (difference.low && difference.high) blocks.push_back(difference.blocks);
    too_few |= !difference.low || !difference.high;
  }
  std::string text = "vs first: change against " + target_name(result, 0);
  if (!blocks.empty()) text += with_interval(blocks);
  if (too_few)
    text += fmt::format("; \"too few blocks\": under {} with enough answers of both", kFewestBlocks);
  page.prose({" "}, text, Style::dim);
}

}  // namespace infermeter
