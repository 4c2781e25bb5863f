#include "analysis/checks/validity.hpp"

#include <algorithm>

#include "analysis/checks/checks.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

/// A refused connection was still tried in time. `sent` of a retried request is that of its last try.
Micros sent_or_started(const RequestRecord& record) {
  if (record.tries > 1) return record.intended_us;
  return record.sent_us ? record.sent_us : record.started_us;
}

/// A replayed trace has no rate of its own.
double mean_gap_us(const LoadPoint& load, Micros first, Micros last, std::uint64_t scheduled) {
  if (load.rate > 0) return 1e6 / load.rate;
  if (scheduled < 2) return 1e6;
  return static_cast<double>(*last - *first) / static_cast<double>(scheduled - 1);
}

}  // namespace

std::optional<double> achieved_ratio(const LoadPoint& load, const Records& measured, bool partial) {
  if (!load.open_loop) return std::nullopt;
  std::uint64_t scheduled = 0, sent = 0;
  Micros first, last;
  for (const auto* record : measured) {
    if (!record->intended_us) continue;
    ++scheduled;
    first = std::min(first.value_or(*record->intended_us), *record->intended_us);
    last = std::max(last.value_or(*record->intended_us), *record->intended_us);
  }
  if (scheduled == 0 && (partial || load.scheduled_requests == 0)) return std::nullopt;
  const double gap_us = mean_gap_us(load, first, last, scheduled);
  for (const auto* record : measured) {
    const auto at = sent_or_started(*record);
    if (record->intended_us && at && static_cast<double>(*at - *last) <= gap_us) ++sent;
  }
  if (!partial) scheduled = std::max(scheduled, load.scheduled_requests);
  return static_cast<double>(sent) / static_cast<double>(scheduled);
}

Validity judge(const PointResult& point, const RunRecords& run, const std::optional<Window>& steady_part,
               const Steadiness& steadiness, const RunState& state) {
  const Facts facts{point, run, steady_part, steadiness, state};
  Validity validity;
  validity.partial = state.partial;
  auto& checks = validity.checks;
  // First, because the others may have failed for it.
  if (auto met = check_client_limit(facts)) checks.push_back(std::move(*met));
  checks.push_back(point.load.open_loop ? check_open_loop(facts) : check_closed_loop(facts));
  checks.push_back(check_client(facts));
  checks.push_back(check_stream(facts));
  checks.push_back(check_speed(facts));
  checks.push_back(check_steady(facts));
  checks.push_back(check_lengths(facts));
  checks.push_back(check_tokens(facts));
  for (const auto check : {check_prompt_lengths, check_cold}) {
    if (auto found = check(facts)) checks.push_back(std::move(*found));
  }
  if (steady_part) {
    checks.push_back(check_in_flight(facts, *steady_part));
    checks.push_back(check_little(facts, *steady_part));
  }
  if (state.partial) checks.push_back(check_complete(facts));
  validity.trustworthy = std::ranges::find(checks, CheckState::failed, &Check::state) == checks.end();
  return validity;
}

Check passed(CheckKind kind, std::string evidence) {
  return {kind, CheckState::passed, std::move(evidence), {}};
}

Check not_applicable(CheckKind kind, std::string evidence) {
  return {kind, CheckState::not_applicable, std::move(evidence), {}};
}

Check complaint(CheckKind kind, CheckState state, std::string evidence, std::string advice) {
  return {kind, state, std::move(evidence), std::move(advice)};
}

std::string percent(double share, int significant) { return format_number(100 * share, significant) + " %"; }
std::string milliseconds(double value, int significant) { return format_number(value, significant) + " ms"; }
std::string part_of(std::uint64_t part, std::uint64_t whole) {
  return format_count(part) + " of " + format_count(whole);
}

const Metric* seen_metric(const PointResult& point, std::string_view name) {
  if (point.ok > 0) return point.find(name);
  const auto it = std::ranges::find(point.slices, SliceKind::cancel, &Slice::by);
  return it == point.slices.end() ? nullptr : it->find(name);
}

double median_seen(const PointResult& point, std::string_view name) {
  const auto* metric = seen_metric(point, name);
  const auto* p50 = metric ? metric->find(50) : nullptr;
  return p50 ? p50->value : 0;
}

double metric_median(const PointResult& point, std::string_view name) {
  const auto* metric = point.find(name);
  const auto* p50 = metric ? metric->find(50) : nullptr;
  return p50 ? p50->value : 0;
}

}  // namespace infermeter
