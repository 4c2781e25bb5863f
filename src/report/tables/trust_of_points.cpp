#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/tables/figures.hpp"
#include "report/tables/remarks.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/tables/trust.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

/// The advice of a check appears once, beneath the points that need it.
void print_bad(const RunResult& result, const PointResult& point, std::vector<std::string>& advice,
               Page& page) {
  const std::string who = points_named(result, {&point});
  if (!point.has_figures()) {
    page.prose({" ✘ ", Style::bad}, fmt::format("{}: nothing was measured: {}", who, why_nothing(point)));
    return;
  }
  std::string why;
  for (const auto& check : point.validity.checks) {
    if (check.state != CheckState::failed) continue;
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", name(check.kind), check.evidence);
    if (!check.advice.empty() && std::ranges::find(advice, check.advice) == advice.end())
      advice.push_back(check.advice);
  }
  page.prose({" ✘ ", Style::bad}, fmt::format("{}: not to be trusted. {}", who, why));
}

/// "at most 0.3 %": the worst of several, and shorter where all are 0.
std::string bounded(const char* bound, double share, double ideal) {
  constexpr double kShown = 0.0005;  // of the shown digits
  const std::string text = as_percent(share);
  return std::abs(share - ideal) < kShown ? text : fmt::format("{} {}", bound, text);
}

std::vector<Span> evidence(const RunResult& result, const Points& points) {
  double late = 0, ratio = 1;
  for (const auto* point : points) {
    late = std::max(late, point->late_share);
    ratio = std::min(ratio, point->achieved_ratio.value_or(1));
  }
  std::vector<Span> items{{"late events " + bounded("at most", late, 0)}};
  if (points.front()->load.open_loop) items.push_back({bounded("at least", ratio, 1) + " sent in time"});
  if (result.environment.client_cpu_share > 0)
    items.push_back({"client CPU " + as_percent(result.environment.client_cpu_share)});
  return items;
}

void print_partial(const RunResult& result, const Points& points, Page& page) {
  Points partial;
  std::ranges::copy_if(points, std::back_inserter(partial),
                       [](const auto* p) { return p->validity.partial; });
  if (partial.empty()) return;
  page.prose({" ! ", Style::warn}, fmt::format("Partial: {} ({}). Finished requests are included.",
                                               how_it_stopped(result), places_of(result, partial)));
}

void print_remarks(const RunResult& result, const std::vector<Remark>& remarks, const Span& lead,
                   Page& page) {
  for (const auto& remark : remarks)
    page.prose(lead, fmt::format("{} ({})", remark.text, places_of(result, remark.points)));
}

}  // namespace

void print_trust_of_points(const RunResult& result, Page& page) {
  const Points points = measured_points(result);
  if (points.empty()) {
    page.line({{" ✘ Nothing was measured", Style::bad}});
    print_early_ends(result, page);
    return;
  }
  const auto good = [](const auto* p) { return p->has_figures() && p->validity.trustworthy; };
  const Points counted = counted_points(result);
  Points trusted;
  std::ranges::copy_if(counted, std::back_inserter(trusted), good);
  if (!trusted.empty()) {
    std::vector<Span> items{{" ✔ Trustworthy", Style::good}};
    if (trusted.size() < points.size())
      items.front().text += fmt::format(": {} of {} points", trusted.size(), points.size());
    for (auto& item : evidence(result, trusted)) items.push_back(std::move(item));
    page.items("", items, 3);
  }
  std::vector<std::string> advice;
  for (const auto* point : counted) {
    if (!good(point)) print_bad(result, *point, advice, page);
  }
  for (const auto& text : advice) page.prose({"   "}, text);
  print_partial(result, points, page);
  print_early_ends(result, page);
  print_remarks(result, warnings_of(result), {" ! ", Style::warn}, page);
}

void print_grouped_findings(const RunResult& result, Page& page) {
  const std::vector<Remark> remarks = findings_of(result);
  if (remarks.empty()) return;
  page.line({{" ! " + counted(remarks.size(), "finding", "findings"), Style::warn}});
  print_remarks(result, remarks, {"   "}, page);
}

}  // namespace infermeter
