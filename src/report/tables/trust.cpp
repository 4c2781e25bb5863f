#include "report/tables/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/remarks.hpp"
#include "report/words/health_words.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kFewestForP99 = 100;  // with fewer, the check judges the p95

std::string milliseconds(double ms) { return format_number(ms, 2) + " ms"; }

/// The greatest possible error of a main figure's p50 or p95, as a share of it; nothing where it is not
/// known.
std::optional<double> greatest_error(const PointResult& point) {
  if (!point.possible_errors) return std::nullopt;
  double greatest = 0;
  for (const std::string_view name : {"ttft", "e2e", "itl", "tpot"}) {
    const Metric* metric = point.find(name);
    for (const double percentile : {50.0, 95.0}) {
      const Percentile* value = metric ? metric->find(percentile) : nullptr;
      const auto* error = point.error_of(name, fmt::format("p{}", percentile));
      if (value && error && value->value > 0) greatest = std::max(greatest, error->largest() / value->value);
    }
  }
  return greatest;
}

/// Records of older versions tell only how many events were late.
std::string arrivals_words(const PointResult& point) {
  const auto error = greatest_error(point);
  if (!error) return "late events " + as_percent(point.late_share);
  return "possible error " + (*error > 0 && *error < 0.001 ? std::string("< 0.1 %") : as_percent(*error));
}

/// The figures behind a good verdict, the same that the checks use.
std::vector<Span> evidence_items(const RunResult& result, const PointResult& point) {
  std::vector<Span> items;
  const Metric* queue = point.find("client_queue");
  const bool waited = point.rate_limits && point.rate_limits->waited_s > 0;
  const int rank = queue && queue->count < kFewestForP99 ? 95 : 99;
  if (const Percentile* judged = queue ? queue->find(rank) : nullptr)
    items.push_back({fmt::format("{} p{} {}{}", point.load.open_loop ? "schedule lag" : "client queue", rank,
                                 milliseconds(judged->value), waited ? " with the server's waits" : "")});
  if (point.achieved_ratio) items.push_back({as_percent(*point.achieved_ratio) + " sent in time"});
  if (point.load.stream) items.push_back({arrivals_words(point)});
  if (result.environment.client_cpu_share > 0)
    items.push_back({"client CPU " + as_percent(result.environment.client_cpu_share)});
  if (result.environment.timestamp_source == TimestampSource::user)
    items.push_back({"arrival times from the user clock", Style::warn});
  return items;
}

void add_few_failed(const RunResult& result, std::vector<Span>& items) {
  const std::string words = few_failed_words(result);
  if (!words.empty()) items.push_back({words, Style::warn});
}

void print_checks(const PointResult& point, CheckState state, const Span& lead, Page& page) {
  for (const auto& check : point.validity.checks) {
    if (check.state == state) page.prose(lead, fmt::format("{}: {}", name(check.kind), sentence_of(check)));
  }
}

// The check "complete" of analysis says more than a line without figures.
bool told_by_check(const PointResult& point) {
  return std::ranges::find(point.validity.checks, CheckKind::complete, &Check::kind) !=
         point.validity.checks.end();
}

void print_state(const RunResult& result, const PointResult& point, Page& page) {
  if (point.validity.partial && !told_by_check(point))
    page.prose({" ! ", Style::warn},
               fmt::format("Partial: {}. Finished requests are included, requests in flight are not.",
                           how_it_stopped(result)));
  print_early_ends(result, page);
}

/// The result of a killed run, or of one that lost records, may lack any of its requests.
bool is_whole(const RunResult& result, const PointResult& point) {
  return result.complete || !point.validity.partial;
}

/// Why this machine did not ask the server; empty if it did.
std::string limit_sentence(const PointResult& point) {
  const auto& checks = point.validity.checks;
  const auto met = std::ranges::find(checks, CheckKind::client_limit, &Check::kind);
  return met == checks.end() ? std::string() : sentence_of(*met);
}

/// The advice of a check appears once, beneath the points that need it.
void print_bad(const RunResult& result, const PointResult& point, std::vector<std::string>& advice,
               Page& page) {
  const std::string who = points_named(result, {&point});
  if (!point.has_figures()) {
    const std::string limit = limit_sentence(point);
    page.prose({" ✘ ", Style::bad}, fmt::format("{}: nothing was measured: {}{}{}", who, why_nothing(point),
                                                limit.empty() ? "" : ". ", limit));
    return;
  }
  std::string why;
  for (const auto& check : point.validity.checks) {
    if (check.state != CheckState::failed) continue;
    append_reason(why, fmt::format("{}: {}", name(check.kind), check.evidence));
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
  std::optional<double> error = 0;
  for (const auto* point : points) {
    late = std::max(late, point->late_share);
    ratio = std::min(ratio, point->achieved_ratio.value_or(1));
    const auto own = greatest_error(*point);
    error = error && own ? std::optional(std::max(*error, *own)) : std::nullopt;
  }
  std::vector<Span> items{{error ? "possible error " + bounded("at most", *error, 0)
                                 : "late events " + bounded("at most", late, 0)}};
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

const char* why_nothing(const PointResult& point) {
  if (point.requests == 0) return "no request ended";
  const auto only = [&](Outcome outcome) {
    return std::ranges::all_of(point.outcomes, [outcome](const OutcomeCount& entry) {
      return entry.count == 0 || entry.outcome == outcome;
    });
  };
  if (only(Outcome::client_limit)) return "this machine's limits let no request through";
  const bool whole_only = only(Outcome::not_streamed);
  return whole_only ? "no answer came as a stream" : "no request ended well";
}

void append_reason(std::string& reasons, const std::string& reason) {
  if (reasons.ends_with('.')) reasons.pop_back();
  reasons += (reasons.empty() ? "" : "; ") + reason;
}

std::string sentence_of(const Check& check) {
  std::string text = check.evidence;
  if (!check.advice.empty()) text += (text.empty() || text.ends_with('.') ? " " : ". ") + check.advice;
  return text;
}

std::string_view how_it_stopped(const RunResult& result) {
  const bool told = result.lost_records > 0 || !result.ended_early.empty();
  if (!result.complete && !told) return "the run was killed or not saved";
  if (result.interrupted) return "the run was interrupted";
  const bool early =
      !result.ended_early.empty() ||
      std::ranges::any_of(result.targets, [](const auto& target) { return !target.ended_early.empty(); });
  return early ? "ended early" : "records are missing";
}

void print_early_ends(const RunResult& result, Page& page) {
  if (const std::string lost = lost_words(result); !lost.empty()) page.prose({" ! ", Style::warn}, lost);
  const bool several = result.targets.size() > 1;
  const bool of_a_target = std::ranges::find(result.targets, result.ended_early, &TargetFacts::ended_early) !=
                           result.targets.end();
  if (!result.ended_early.empty() && (!several || !of_a_target))
    page.prose({" ! ", Style::warn}, "Ended early: " + result.ended_early);
  for (std::uint32_t i = 0; i < result.targets.size(); ++i) {
    const std::string& why = result.targets[i].ended_early;
    if (why.empty() || (why == result.ended_early && !several)) continue;
    const std::string whose = several ? target_name(result, i) + " ended" : "Ended";
    page.prose({" ! ", Style::warn}, fmt::format("{} early: {}", whose, why));
  }
}

void print_health(const RunResult& result, Page& page) {
  for (const auto* health : complaints_of(result)) {
    const bool failed = health->state == HealthState::failed;
    const Style style = failed ? Style::bad : Style::warn;
    page.prose({failed ? " ✘ " : " ! ", style}, health_words(result, *health), style);
  }
}

void print_trust(const RunResult& result, const PointResult& point, Page& page) {
  print_health(result, page);
  if (!point.has_figures()) {
    page.line({{" ✘ Nothing was measured", Style::bad}, {std::string(": ") + why_nothing(point)}});
    page.prose({"   "}, limit_sentence(point));
  } else if (point.validity.trustworthy) {
    std::vector<Span> items{is_whole(result, point) ? Span{" ✔ Trustworthy", Style::good}
                                                    : Span{" ! Partial", Style::warn}};
    add_few_failed(result, items);
    for (auto& item : evidence_items(result, point)) items.push_back(std::move(item));
    page.items("", items, 3);
  } else {
    page.line({{" ✘ Not to be trusted", Style::bad}});
    print_checks(point, CheckState::failed, {"   "}, page);
  }
  print_state(result, point, page);
  print_checks(point, CheckState::warning, {" ! ", Style::warn}, page);
}

void print_findings(const PointResult& point, Page& page) {
  if (point.findings.empty()) return;
  page.line({{" ! " + counted(point.findings.size(), "finding", "findings"), Style::warn}});
  for (const auto& finding : point.findings) page.prose({"   "}, finding.text);
}

void print_trust_of_points(const RunResult& result, Page& page) {
  const Points points = measured_points(result);
  print_health(result, page);
  if (points.empty()) {
    page.line({{" ✘ Nothing was measured", Style::bad}});
    print_early_ends(result, page);
    return;
  }
  const auto good = [](const auto* p) { return p->has_figures() && p->validity.trustworthy; };
  const Points counted = counted_points(result);
  Points trusted;
  std::ranges::copy_if(counted, std::back_inserter(trusted),
                       [&](const auto* p) { return good(p) && is_whole(result, *p); });
  std::vector<std::string> advice;
  for (const auto* point : counted) {
    if (!good(point)) print_bad(result, *point, advice, page);
  }
  for (const auto& text : advice) page.prose({"   "}, text);
  if (!trusted.empty()) {
    std::vector<Span> items{{" ✔ Trustworthy", Style::good}};
    if (trusted.size() < points.size())
      items.front().text += fmt::format(": {} of {} points", trusted.size(), points.size());
    add_few_failed(result, items);
    for (auto& item : evidence(result, trusted)) items.push_back(std::move(item));
    page.items("", items, 3);
  }
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
