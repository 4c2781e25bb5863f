#include "infermeter/model/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/catalogue.hpp"
#include "model/request_view.hpp"

namespace infermeter {

namespace {

constexpr std::array kHighTail{50.0, 90.0, 95.0, 99.0, 99.9};
constexpr std::array kLowTail{50.0, 10.0, 5.0, 1.0};
/// Changes too small to act on, for few requests: slightly below the smallest effects of a gate.
constexpr double kMarginOfP95 = 0.05, kMarginOfP99 = 0.10;
constexpr double kLeastDifferenceMs = 1e-3;  // records hold whole microseconds

struct UnitNames {
  std::string_view file, shown;
};
constexpr std::array<UnitNames, 8> kUnits{{{"ms", "ms"},
                                           {"share", "%"},
                                           {"tokens/s", "tok/s"},
                                           {"chars/s", "chars/s"},
                                           {"requests/s", "req/s"},
                                           {"vectors/s", "vectors/s"},
                                           {"count", ""},
                                           {"$", "$"}}};

Rows all_rows() {
  Rows rows;
  add_request_rows(rows);
  add_point_rows(rows);
  add_server_rows(rows);
  return rows;
}

bool reasons_first(const PointResult& point) {
  const Metric* visible = point.find("ttfo");
  const Metric* first = point.find("ttft");
  return visible && first && visible->mean > first->mean + kLeastDifferenceMs;
}

const Check* warning_of_speed(const PointResult& point) {
  const auto& checks = point.validity.checks;
  const auto check = std::ranges::find(checks, CheckKind::speed, &Check::kind);
  return check != checks.end() && check->state == CheckState::warning ? &*check : nullptr;
}

std::string why_none(const PointResult& point, const Figure& figure, std::string_view statistic) {
  if (point.requests == 0) return "Nothing was measured here.";
  if (figure.is_distribution() && point.ok == 0) return "No request went well.";
  if (figure.is_distribution() && find_distribution(point, figure))
    return fmt::format("The records do not tell its {}.", statistic);
  const bool no_gaps = figure.level == FigureLevel::token && !point.find("icl");
  if (figure.of_speed && point.load.stream) {
    if (const auto* check = warning_of_speed(point)) return check->evidence;
  }
  if (figure.of_slo && point.slo) {
    const auto* check = point.slo->unjudged.empty() ? nullptr : warning_of_speed(point);
    return "No SLO can be judged. " + (check ? check->evidence : "No answer has the figure of one.");
  }
  if (!figure.absent.empty() && !no_gaps) return std::string(figure.absent);
  if (!point.load.stream) return "Whole answers (--no-stream) do not have it.";
  return "No answer has it.";
}

void read_statistic(const Metric& metric, std::string_view statistic, Estimate& out) {
  out.samples = metric.count;
  if (statistic == "min") out.value = metric.min;
  if (statistic == "max") out.value = metric.max;
  if (statistic == "mean") {
    out.value = metric.mean;
    out.low = metric.mean_low;
    out.high = metric.mean_high;
  }
  const auto percentile = percentile_of(statistic);
  const auto* found = percentile ? metric.find(*percentile) : nullptr;
  if (!found) return;
  out.value = found->value;
  out.low = found->low;
  out.high = found->high;
}

void read_single(const PointView& view, const Figure& figure, Estimate& out) {
  const auto value = figure.of_point(view);
  if (!value || std::isnan(*value)) return;
  out.value = value;
  out.samples = figure.unit == FigureUnit::share ? view.point.requests : view.point.ok;
  if (figure.bound) figure.bound(view, out);
}

}  // namespace

std::string_view name(FigureUnit unit) { return kUnits[static_cast<std::size_t>(unit)].file; }

std::string_view symbol(FigureUnit unit, bool events) {
  if (events && unit == FigureUnit::tokens_per_second) return "evt/s";
  return kUnits[static_cast<std::size_t>(unit)].shown;
}

std::string_view symbol(std::string_view unit) {
  if (unit == "events/s") return "evt/s";
  const auto it = std::ranges::find(kUnits, unit, &UnitNames::file);
  return it == kUnits.end() ? unit : it->shown;
}

std::span<const Figure> known_figures() {
  static const Rows rows = all_rows();
  return rows;
}

const Figure* find_figure(std::string_view name) {
  const auto known = known_figures();
  const auto it = std::ranges::find(known, name, &Figure::name);
  return it == known.end() ? nullptr : &*it;
}

bool Figure::is_shown(FigureOutput output) const {
  return std::ranges::find(shown, output, &ShownAt::output) != shown.end();
}

std::vector<ShownFigure> shown_figures(FigureOutput output) {
  std::vector<ShownFigure> out;
  for (const auto& figure : known_figures()) {
    for (auto at : figure.shown) {
      if (at.output != output) continue;
      std::string_view rest = at.statistic;
      do {
        at.statistic = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(at.statistic.size() + 1, rest.size()));
        out.push_back({&figure, at});
      } while (!rest.empty());
    }
  }
  std::ranges::stable_sort(out, {}, [](const ShownFigure& one) { return one.at.order; });
  return out;
}

const Figure& headline_figure(const Figure& figure, bool open_loop) {
  return open_loop && !figure.response.empty() ? *find_figure(figure.response) : figure;
}

bool tells_more(const Figure& figure, const PointResult& point, bool models_differ) {
  switch (figure.tells) {
    case FigureTells::from_intended:
      return point.load.open_loop || point.retries > 0;
    case FigureTells::reasons_first:
      return reasons_first(point);
    case FigureTells::without_itl:
      return point.find("itl") == nullptr;
    case FigureTells::across_models:
      return models_differ;
    case FigureTells::always:
      break;
  }
  return true;
}

std::vector<std::string> statistics_of(const Figure& figure) {
  std::vector<std::string> out{"mean", "min", "max"};
  for (const double percentile : percentiles_of(figure)) out.push_back(fmt::format("p{}", percentile));
  return out;
}

std::span<const double> percentiles_of(const Figure& figure) {
  return figure.low_tail ? std::span<const double>(kLowTail) : std::span<const double>(kHighTail);
}

std::optional<double> percentile_of(std::string_view statistic) {
  if (!statistic.starts_with('p')) return std::nullopt;
  double percentile = 0;
  const char* end = statistic.data() + statistic.size();
  const auto [stop, error] = std::from_chars(statistic.data() + 1, end, percentile);
  if (error != std::errc() || stop != end || percentile <= 0 || percentile >= 100) return std::nullopt;
  return percentile;
}

double margin_of(const Figure& figure, std::string_view statistic) {
  if (statistic == "p95") return kMarginOfP95;
  return statistic == "p99" ? kMarginOfP99 : figure.margin;
}

const Metric* find_distribution(const PointResult& point, const Figure& figure) {
  if (!figure.by_server) return point.find(figure.name);
  constexpr std::string_view server = "server_";
  return find_metric(point.server_metrics, figure.name.substr(server.size()));
}

std::optional<double> figure_of(const Figure& figure, const RequestRecord& record) {
  if (record.outcome != Outcome::ok && record.outcome != Outcome::cancelled) return std::nullopt;
  if (!figure.of_request) return std::nullopt;
  RequestView view;
  view.look_at(record);
  return worst_of(figure, view);
}

std::optional<double> worst_of(const Figure& figure, RequestView& request) {
  std::vector<RequestSample> samples;
  figure.of_request(request, samples);
  if (samples.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(samples, {}, &RequestSample::value);
  return figure.more_is_better ? least.value() : most.value();
}

Estimate estimate_of(const PointResult& point, const Figure& figure, std::string_view statistic,
                     bool whole_rates) {
  Estimate out;
  if (figure.is_distribution()) {
    if (const auto* metric = find_distribution(point, figure)) read_statistic(*metric, statistic, out);
  } else {
    read_single({point, whole_rates ? point.whole : point.rates()}, figure, out);
  }
  if (!out.value) out.why_not = why_none(point, figure, statistic);
  return out;
}

}  // namespace infermeter
