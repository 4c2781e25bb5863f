#include "infermeter/analysis/compare.hpp"

#include <algorithm>

#include "analysis/checks/health.hpp"
#include "analysis/compare/compared.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/analysis/gate.hpp"
#include "model/load.hpp"

namespace infermeter {

namespace {

constexpr double kNegligibleQueueMs = 1, kNegligibleQueueShare = 0.01;  // docs/metrics.md, "generator"

/// One load at one target in one result, with every run of it.
struct Group {
  LoadPoint load;  // of its first run
  std::string target;
  std::vector<FigurePlace> runs;
};
using Groups = std::vector<Group>;

std::string target_of(const RunResult& run, const PointResult& point) {
  if (run.targets.size() < 2 || point.target >= run.targets.size()) return {};
  return target_name(run, point.target);
}

/// `places` own the records of the groups.
Groups groups_of(const NamedResult& result, const RunPlaces& places) {
  Groups groups;
  for (const auto& point : result.run->points) {
    if (point.requests == 0) continue;  // the run did not reach it
    const auto target = target_of(*result.run, point);
    auto it = std::ranges::find_if(
        groups, [&](const Group& g) { return g.target == target && load_id(g.load) == load_id(point.load); });
    if (it == groups.end()) it = groups.insert(it, Group{point.load, target, {}});
    const auto found = places.find({point.point, point.target});
    it->runs.push_back(figure_place(point, found == places.end() ? nullptr : &found->second));
  }
  return groups;
}

bool only_target(const Groups& groups, const Group& group) {
  return std::ranges::all_of(groups, [&](const Group& g) { return g.target == group.target; });
}

/// A result with one target matches whatever its name; of several the name decides.
bool same_target(const Groups& of_a, const Group& a, const Groups& of_b, const Group& b) {
  return a.target == b.target || (only_target(of_a, a) && only_target(of_b, b));
}

std::size_t loads_of(const Groups& groups, const std::string& target) {
  return static_cast<std::size_t>(std::ranges::count(groups, target, &Group::target));
}

/// The same load; where both results have only one load, that one, whatever it is.
const Group* match(const Groups& of_reference, const Group& wanted, const Groups& others) {
  const Group* sole = nullptr;
  for (const auto& other : others) {
    if (!same_target(of_reference, wanted, others, other)) continue;
    if (load_id(wanted.load) == load_id(other.load)) return &other;
    sole = &other;
  }
  const bool alone =
      sole && loads_of(others, sole->target) == 1 && loads_of(of_reference, wanted.target) == 1;
  return alone ? sole : nullptr;
}

using Matched = std::vector<const Group*>;  // one per result; nothing: not measured there

bool counts_events(const Group& group) {
  return std::ranges::any_of(group.runs,
                             [](const auto& m) { return m.point->token_source == TokenSource::events; });
}

/// Too small to matter: the client's own cost, whose ratio would look large.
bool negligible(const Figure& figure, const Group& group, double value) {
  if (figure.name != "client_queue") return false;
  const auto ttft = estimates({*find_figure("ttft"), "p50"}, group.runs);
  const double limit =
      std::max(kNegligibleQueueMs, ttft.empty() ? 0 : kNegligibleQueueShare * *ttft.front().value);
  return value <= limit;
}

void judge(const ComparedFigure& compared, const Group& reference, const Group& other, double before,
           ComparedCell& cell) {
  const auto& figure = compared.figure;
  if (figure.of_tokens && counts_events(reference) != counts_events(other)) {
    cell.reason = counts_events(other) ? "per event" : "per token";
    return;
  }
  compare_estimates(estimates(compared, reference.runs), estimates(compared, other.runs), compared.scale(),
                    cell);
  cell.word = word_for(cell, margin_of(figure, compared.statistic), figure.more_is_better);
  // Nothing failed on either side: with so few requests no margin is required.
  if (figure.name == "error_rate" && before == 0 && *cell.value == 0) cell.word = ChangeWord::same;
  if (negligible(figure, reference, before) && negligible(figure, other, *cell.value)) {
    cell.word = ChangeWord::same;
    cell.reason = "negligible";
  }
}

ComparedCell cell_of(const ComparedFigure& compared, const Group* group) {
  ComparedCell cell;
  const auto pooled = group ? pool(estimates(compared, group->runs), compared.scale()) : std::nullopt;
  if (group && !pooled) cell.reason = why_none(compared, group->runs);
  if (!pooled) return cell;
  cell.value = pooled->value;
  cell.low = pooled->low;
  cell.high = pooled->high;
  return cell;
}

ComparedRow row_of(const ComparedFigure& compared, const Matched& matched) {
  const auto& figure = compared.figure;
  ComparedRow row{.metric = std::string(figure.name),
                  .statistic = std::string(compared.statistic),
                  .unit = std::string(name(figure.unit)),
                  .more_is_better = figure.more_is_better,
                  .absolute = compared.scale() == Scale::points,
                  .events = figure.of_tokens &&
                            std::ranges::all_of(matched, [](auto* g) { return !g || counts_events(*g); }),
                  .margin = margin_of(figure, compared.statistic),
                  .cells = {}};
  for (const auto* group : matched) row.cells.push_back(cell_of(compared, group));
  const auto before = row.cells.front().value;
  for (std::size_t i = 1; i < matched.size() && before; ++i) {
    if (row.cells[i].value) judge(compared, *matched.front(), *matched[i], *before, row.cells[i]);
  }
  return row;
}

ComparedPoint without_rows(const Matched& matched) {
  ComparedPoint out;
  for (const auto* group : matched) {
    out.loads.push_back(group ? std::optional(group->load) : std::nullopt);
    out.runs.push_back(group ? static_cast<std::uint32_t>(group->runs.size()) : 0);
    if (group && out.target.empty()) out.target = group->target;
    out.loads_differ |= group && matched.front() && load_id(group->load) != load_id(matched.front()->load);
  }
  return out;
}

bool all_steady(const Group& group) {
  return std::ranges::all_of(group.runs, [](const auto& m) { return m.point->steady.has_value(); });
}

/// The same groups with rates over the whole run, owned by `kept`.
Matched with_whole_rates(const Matched& matched, std::vector<Group>& kept) {
  kept.reserve(matched.size());
  Matched out;
  for (const auto* group : matched) {
    out.push_back(group ? &kept.emplace_back(*group) : nullptr);
    if (!group) continue;
    for (auto& run : kept.back().runs) run.whole_rates = true;
  }
  return out;
}

ComparedPoint point_of(Matched matched, bool models_differ) {
  ComparedPoint out = without_rows(matched);
  std::vector<Group> kept;
  out.whole_rates =
      std::ranges::any_of(matched, [](const Group* group) { return group && !all_steady(*group); });
  if (out.whole_rates) matched = with_whole_rates(matched, kept);
  std::vector<FigurePlace> all;
  for (const auto* group : matched) {
    if (group) all.insert(all.end(), group->runs.begin(), group->runs.end());
  }
  for (const auto& figure : figures_to_compare(all, models_differ))
    out.rows.push_back(row_of(figure, matched));
  return out;
}

std::vector<std::string> doubts_of(const RunResult& run) {
  std::vector<std::string> out;
  for (const auto& point : run.points) {
    if (point.validity.trustworthy || point.requests == 0) continue;
    for (const auto& check : point.validity.checks) {
      const bool told = std::ranges::find(out, check.evidence) != out.end();
      if (check.state == CheckState::failed && !told) out.push_back(check.evidence);
    }
  }
  return out;
}

ComparedResult describe_result(const NamedResult& named) {
  const RunResult& run = *named.run;
  ComparedResult out{.name = named.name, .source = named.source, .model = {}, .start = run.start_utc};
  if (!run.targets.empty()) out.model = run.targets.front().model;
  for (const auto& point : run.points) {
    if (point.requests == 0) continue;
    out.trustworthy &= point.validity.trustworthy;
    out.partial |= point.validity.partial;
  }
  for (const auto& health : find_health(run.points)) {
    out.requests += health.requests;
    out.failed += health.failed;
    if (health.failed > 0) out.health = std::max(out.health, health.state);
  }
  out.doubts = doubts_of(run);
  return out;
}

bool models_differ(std::span<const ComparedFact> surroundings) {
  return std::ranges::find(surroundings, "model", &ComparedFact::name) != surroundings.end();
}

/// Fills points and unmatched.
void match_all(std::span<const NamedResult> results, SideBySide& out) {
  std::vector<Groups> all;
  std::vector<RunPlaces> places;
  places.reserve(results.size());  // the groups point into them
  for (const auto& result : results)
    all.push_back(groups_of(result, places.emplace_back(place_all(result.records))));
  const bool in_characters = models_differ(out.surroundings);
  std::vector<const Group*> met;
  for (const auto& group : all.front()) {
    Matched matched{&group};
    for (std::size_t i = 1; i < all.size(); ++i) matched.push_back(match(all.front(), group, all[i]));
    met.insert(met.end(), matched.begin() + 1, matched.end());
    const bool alone = std::all_of(matched.begin() + 1, matched.end(), [](auto* g) { return !g; });
    if (alone)
      out.unmatched.push_back(without_rows(matched));
    else
      out.points.push_back(point_of(matched, in_characters));
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (const auto& group : all[i]) {
      if (std::ranges::find(met, &group) != met.end()) continue;
      Matched matched(all.size());
      matched[i] = &group;
      out.unmatched.push_back(without_rows(matched));
    }
  }
}

}  // namespace

SideBySide compare_results(std::span<const NamedResult> results) {
  SideBySide out;
  for (const auto& result : results) out.results.push_back(describe_result(result));
  // Another tool's file does not describe its requests; the facts list the little that is known.
  for (std::size_t i = 1; i < results.size(); ++i) {
    if (results[0].source.empty() && results[i].source.empty())
      out.results[i].differences_of_kind = differences_of_kind(*results[0].run, *results[i].run);
  }
  out.surroundings = surroundings_that_differ(results);
  out.traffic = traffic_that_differs(results);
  match_all(results, out);
  return out;
}

}  // namespace infermeter
