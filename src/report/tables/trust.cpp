#include "report/tables/trust.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kFewestForP99 = 100;  // with fewer, the check judges the p95

std::string milliseconds(double ms) { return format_number(ms, 2) + " ms"; }

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
  if (point.load.stream) items.push_back({"late events " + as_percent(point.late_share)});
  if (result.environment.client_cpu_share > 0)
    items.push_back({"client CPU " + as_percent(result.environment.client_cpu_share)});
  if (result.environment.timestamp_source == TimestampSource::user)
    items.push_back({"arrival times from the user clock", Style::warn});
  return items;
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

}  // namespace

const char* why_nothing(const PointResult& point) {
  if (point.requests == 0) return "no request ended";
  const bool whole_only = std::ranges::all_of(point.outcomes, [](const OutcomeCount& entry) {
    return entry.count == 0 || entry.outcome == Outcome::not_streamed;
  });
  return whole_only ? "no answer came as a stream" : "no request ended well";
}

std::string sentence_of(const Check& check) {
  std::string text = check.evidence;
  if (!check.advice.empty()) text += (text.empty() || text.ends_with('.') ? " " : ". ") + check.advice;
  return text;
}

std::string_view how_it_stopped(const RunResult& result) {
  if (!result.complete) return "the run was killed";
  return result.interrupted ? "the run was interrupted" : "ended early";
}

void print_early_ends(const RunResult& result, Page& page) {
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

void print_trust(const RunResult& result, const PointResult& point, Page& page) {
  if (!point.has_figures()) {
    page.line({{" ✘ Nothing was measured", Style::bad}, {std::string(": ") + why_nothing(point)}});
  } else if (point.validity.trustworthy) {
    std::vector<Span> items{{" ✔ Trustworthy", Style::good}};
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

}  // namespace infermeter
