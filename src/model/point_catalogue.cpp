#include <algorithm>
#include <cmath>

#include "model/catalogue.hpp"

namespace infermeter {

namespace {

using Out = FigureOutput;
using Unit = FigureUnit;
using Value = std::optional<double>;

Value share_of(const PointResult& point, bool (*belongs)(const OutcomeCount&)) {
  if (point.requests == 0) return std::nullopt;
  std::uint64_t count = 0;
  for (const auto& outcome : point.outcomes) count += belongs(outcome) ? outcome.count : 0;
  return static_cast<double>(count) / static_cast<double>(point.requests);
}

bool has_failed(const OutcomeCount& count) { return is_error(count.outcome, count.status); }

/// Of all tries: one that was refused and then retried successfully was refused too.
Value limited_share(const PointView& view) {
  const auto& point = view.point;
  if (point.requests == 0) return std::nullopt;
  const auto limited = point.rate_limits ? point.rate_limits->limited : 0;
  return static_cast<double>(limited) / static_cast<double>(point.requests + point.retries);
}

/// Nothing where no time passed.
template <double Rates::* rate>
Value rate_of(const PointView& view) {
  return view.rates.window_s > 0 ? Value(view.rates.*rate) : std::nullopt;
}

/// Nothing where no request could be judged.
template <double SloResult::* member>
Value slo_part(const PointView& view) {
  const auto& slo = view.point.slo;
  return slo && slo->requests > 0 ? Value((*slo).*member) : std::nullopt;
}

template <auto part, auto member>
Value part_of(const PointView& view) {
  const auto& whole = view.point.*part;
  return whole ? Value((*whole).*member) : std::nullopt;
}

template <std::optional<double> PointResult::* member>
Value own(const PointView& view) {
  return view.point.*member;
}

template <std::uint64_t PointResult::* member>
Value count_of(const PointView& view) {
  return static_cast<double>(view.point.*member);
}

/// Half width over the rate.
Value relative(const Value& half, double rate) {
  return half && rate > 0 ? Value(*half / rate) : std::nullopt;
}

void bound_around(const Value& off, Estimate& estimate) {
  if (!off) return;
  estimate.low = *estimate.value - *off * *estimate.value;
  estimate.high = *estimate.value + *off * *estimate.value;
}

/// With the relative interval of the rate that it follows from.
template <double Rates::* rate, Value Rates::* half>
void bound_by(const PointView& view, Estimate& estimate) {
  bound_around(relative(view.rates.*half, view.rates.*rate), estimate);
}
constexpr auto bound_by_requests = bound_by<&Rates::request, &Rates::request_half_width>;
constexpr auto bound_by_output = bound_by<&Rates::output, &Rates::output_half_width>;

Value requests_off(const PointView& view) {
  return relative(view.rates.request_half_width, view.rates.request);
}

/// A rate like the others, of the good answers alone.
void bound_goodput(const PointView& view, Estimate& estimate) {
  const auto& slo = *view.point.slo;
  bound_around(relative(slo.goodput_half_width, slo.goodput), estimate);
}

void bound_attainment(const PointView& view, Estimate& estimate) {
  estimate.low = view.point.slo->low;
  estimate.high = view.point.slo->high;
}

void bound_errors(const PointView& view, Estimate& estimate) {
  if (!view.point.errors) return;
  estimate.low = view.point.errors->low;
  estimate.high = view.point.errors->high;
}

/// Paid by the hour, an answer costs its share of the time; paid by tokens it is counted exactly.
void bound_cost(const PointView& view, Estimate& estimate) {
  const auto off = requests_off(view);
  if (view.point.cost->source != "per_hour" || !off || *off >= 1) return;
  estimate.low = *estimate.value / (1 + *off);
  estimate.high = *estimate.value / (1 - *off);
}

/// A schedule is known.
void bound_exactly(const PointView&, Estimate& estimate) { estimate.low = estimate.high = estimate.value; }

constexpr std::string_view kNoSchedule = "Only an open loop (--rate) has a schedule to keep.";
constexpr std::string_view kNoSlo = "No --slo says what a good request is.";
constexpr std::string_view kNoPrice =
    "No price is known: --price-input, --price-output or --price-per-hour tell it.";

/// One value per load point.
void add_of_point(Rows& rows, Figure figure) {
  figure.level = FigureLevel::point;
  figure.in_slo = false;
  rows.push_back(std::move(figure));
}

void add_rates(Rows& rows) {
  add_of_point(rows, {.name = "request_throughput",
                      .unit = Unit::requests_per_second,
                      .label = "Request throughput",
                      .short_label = "Requests",
                      .head = "req/s",
                      .formula = "requests that ended `ok` inside the window / window",
                      .more_is_better = true,
                      .of_point = rate_of<&Rates::request>,
                      .bound = bound_by_requests,
                      .shown = {{Out::rates, "", 3, 2},
                                {Out::sweep, "", 5, 10},
                                {Out::markdown, "", 5},
                                {Out::compare, "", 7},
                                {Out::differences, "", 1}}});
  add_of_point(rows, {.name = "offered",
                      .unit = Unit::requests_per_second,
                      .label = "Offered",
                      .head = "offered",
                      .under = "req/s",
                      .formula = "open loop: requests per second by the schedule of the window",
                      .absent = kNoSchedule,
                      .of_class = false,
                      .of_point = own<&PointResult::offered>,
                      .bound = bound_exactly,
                      .shown = {{Out::targets, "", -1, 2}, {Out::compare, "", 6}}});
  add_of_point(rows, {.name = "served",
                      .unit = Unit::requests_per_second,
                      .label = "Served",
                      .head = "served",
                      .under = "req/s",
                      .formula = "open loop: requests per second that ended `ok` in that window",
                      .absent = kNoSchedule,
                      .more_is_better = true,
                      .of_class = false,
                      .of_point = own<&PointResult::served>,
                      .bound = bound_by_requests,
                      .shown = {{Out::targets, "", -1, 2}, {Out::compare, "", 6}}});
  add_of_point(rows, {.name = "input_throughput",
                      .unit = Unit::tokens_per_second,
                      .label = "Input throughput",
                      .short_label = "Input",
                      .head = "tok/s",
                      .under = "in",
                      .formula = "prompt tokens / window, at their request's first token",
                      .more_is_better = true,
                      .of_class = false,
                      .of_point = rate_of<&Rates::input>,
                      .bound = bound_by<&Rates::input, &Rates::input_half_width>,
                      .shown = {{Out::rates, "", 1, 4}}});
  add_of_point(rows, {.name = "output_throughput",
                      .unit = Unit::tokens_per_second,
                      .label = "Output throughput",
                      .short_label = "Output",
                      .head = "tok/s",
                      .under = "out",
                      .formula = "tokens that *arrived* inside the window / window",
                      .more_is_better = true,
                      .of_tokens = true,
                      .of_point = rate_of<&Rates::output>,
                      .bound = bound_by_output,
                      .shown = {{Out::rates, "", 0, 1},
                                {Out::slices, "", 2, 5},
                                {Out::compare_main},
                                {Out::sweep, "", 3, 2},
                                {Out::targets, "", 4, 5, true},
                                {Out::markdown, "", 3, 0, true},
                                {Out::compare, "", 6},
                                {Out::differences}}});
  add_of_point(rows, {.name = "total_throughput",
                      .unit = Unit::tokens_per_second,
                      .label = "Total throughput",
                      .short_label = "Total",
                      .head = "tok/s",
                      .under = "total",
                      .formula = "input + output",
                      .more_is_better = true,
                      .of_tokens = true,
                      .of_class = false,
                      .of_point = rate_of<&Rates::total>,
                      .bound = bound_by<&Rates::total, &Rates::total_half_width>,
                      .shown = {{Out::rates, "", 2, 5}}});
  add_of_point(
      rows,
      {.name = "item_throughput",
       .unit = Unit::vectors_per_second,
       .label = "Vector throughput",
       .short_label = "Vectors",
       .head = "vectors",
       .under = "per s",
       .formula = "vectors (embeddings) or documents (rerank) of `ok` answers inside the window / window",
       .absent = "Only embeddings and rerank have it.",
       .more_is_better = true,
       .of_class = false,
       .of_point = own<&PointResult::item_throughput>,
       .bound = bound_by_requests,
       .shown = {{Out::compare_main},
                 {Out::sweep, "", 4, 2},
                 {Out::targets, "", 5, 1},
                 {Out::markdown, "", 4},
                 {Out::compare, "", 8}}});
  add_of_point(rows, {.name = "output_per_gpu",
                      .unit = Unit::tokens_per_second,
                      .label = "Output per GPU",
                      .head = "tok/s",
                      .under = "per GPU",
                      .formula = "output throughput / GPUs of the target, if known",
                      .absent = "How many GPUs the target has is not known: --gpus tells it.",
                      .more_is_better = true,
                      .of_tokens = true,
                      .of_class = false,
                      .of_point = own<&PointResult::output_per_gpu>,
                      .bound = bound_by_output,
                      .shown = {{Out::sweep, "", 7, 15}, {Out::targets, "", 6, 10}}});
  add_of_point(rows, {.name = "concurrency",
                      .unit = Unit::count,
                      .label = "Requests in flight",
                      .short_label = "In flight",
                      .head = "in",
                      .under = "flight",
                      .formula = "time-weighted mean of requests in flight (D to E)",
                      .absent = "No time passed that it could be a mean of.",
                      .of_class = false,
                      .of_point = rate_of<&Rates::concurrency>,
                      .shown = {{Out::rates, "", 4, 3}, {Out::sweep, "", 6, 14}}});
}

void add_shares(Rows& rows) {
  add_of_point(
      rows,
      {.name = "goodput",
       .unit = Unit::requests_per_second,
       .label = "Goodput",
       .head = "goodput",
       .under = "req/s",
       .formula = "requests that met every SLO and ended inside the window / window",
       .absent = kNoSlo,
       .more_is_better = true,
       .of_slo = true,
       .of_point = slo_part<&SloResult::goodput>,
       .bound = bound_goodput,
       .shown = {
           {Out::slices, "", 4, 11}, {Out::compare_main}, {Out::sweep, "", 8, 7}, {Out::compare, "", 9}}});
  add_of_point(rows, {.name = "slo_attainment",
                      .unit = Unit::share,
                      .label = "SLOs met",
                      .head = "SLOs",
                      .under = "met",
                      .formula = "requests that met every SLO / measured requests",
                      .absent = kNoSlo,
                      .margin = kShareMargin,
                      .more_is_better = true,
                      .of_slo = true,
                      .of_point = slo_part<&SloResult::attainment>,
                      .bound = bound_attainment,
                      .shown = {{Out::slices, "", 3, 3},
                                {Out::sweep, "", 9, 6},
                                {Out::targets, "", 7, 10},
                                {Out::markdown, "", 6},
                                {Out::compare, "", 10}}});
  add_of_point(
      rows,
      {.name = "error_rate",
       .unit = Unit::share,
       .label = "Errors",
       .head = "errors",
       .formula = "failed requests / measured requests; 429 and 503 do not count as failed",
       .margin = kShareMargin,
       .of_point = [](const PointView& view) { return share_of(view.point, has_failed); },
       .bound = bound_errors,
       .shown = {
           {Out::slices, "", 5, 7}, {Out::compare_main}, {Out::targets, "", 9, 6}, {Out::compare, "", 11}}});
  add_of_point(rows, {.name = "rate_limited",
                      .unit = Unit::share,
                      .label = "Rate limited",
                      .formula = "answers with status 429 or 503 / all attempts",
                      .margin = kShareMargin,
                      .of_class = false,
                      .of_point = limited_share});
  add_of_point(
      rows, {.name = "comfort",
             .unit = Unit::share,
             .label = "Comfort",
             .formula = "share of tokens with `itl` ≤ 30 ms (`--comfort`)",
             .absent = "The tokens of an event are not known, so that there is no itl to be within a limit.",
             .margin = kShareMargin,
             .more_is_better = true,
             .of_tokens = true,
             .of_class = false,
             .of_point = own<&PointResult::comfort>});
  add_of_point(rows, {.name = "achieved_ratio",
                      .unit = Unit::share,
                      .label = "Achieved ratio",
                      .short_label = "Achieved",
                      .formula = "open loop: requests sent while the schedule ran / scheduled; of a "
                                 "retried one the first attempt",
                      .absent = kNoSchedule,
                      .margin = kShareMargin,
                      .more_is_better = true,
                      .of_class = false,
                      .of_point = own<&PointResult::achieved_ratio>});
  add_of_point(rows, {.name = "cache_hit_share",
                      .unit = Unit::share,
                      .label = "Prompt tokens from the cache",
                      .short_label = "Cached",
                      .head = "cached",
                      .under = "prompt",
                      .formula = "`cached_tokens` / prompt tokens of the `ok` answers that report them",
                      .absent = "The server does not report cached tokens.",
                      .margin = kShareMargin,
                      .more_is_better = true,
                      .of_class = false,
                      .of_point = part_of<&PointResult::cache, &CacheFacts::hit_share>,
                      .shown = {{Out::sweep, "", 10, 16}}});
}

void add_counts(Rows& rows) {
  add_of_point(rows, {.name = "tokens_per_event",
                      .unit = Unit::count,
                      .label = "Tokens per event",
                      .formula = "tokens that events carried / events",
                      .absent = "The server did not count the tokens.",
                      .of_class = false,
                      .of_point = [](const PointView& view) {
                        return view.point.tokens_per_event > 0 ? Value(view.point.tokens_per_event)
                                                               : std::nullopt;
                      }});
  add_of_point(rows, {.name = "cost",
                      .unit = Unit::money,
                      .label = "Cost",
                      .formula = "cost of all measured requests",
                      .absent = kNoPrice,
                      .of_class = false,
                      .of_point = part_of<&PointResult::cost, &Cost::total>});
  add_of_point(rows, {.name = "cost_per_1k",
                      .unit = Unit::money,
                      .label = "Cost of 1,000 answers",
                      .short_label = "1,000 answers",
                      .head = "$/1k",
                      .under = "answers",
                      .formula = "1,000 · cost / answers that ended `ok`",
                      .absent = kNoPrice,
                      .of_class = false,
                      .of_point = part_of<&PointResult::cost, &Cost::per_1k>,
                      .bound = bound_cost,
                      .shown = {{Out::sweep, "", 11, 17},
                                {Out::targets, "", 10, 7},
                                {Out::markdown, "", 7},
                                {Out::compare, "", 12}}});
  add_of_point(rows, {.name = "requests",
                      .unit = Unit::count,
                      .label = "Requests",
                      .formula = "measured requests of every outcome",
                      .more_is_better = true,
                      .of_point = count_of<&PointResult::requests>});
  add_of_point(rows, {.name = "ok",
                      .unit = Unit::count,
                      .label = "Good answers",
                      .short_label = "ok",
                      .formula = "measured requests that ended `ok`",
                      .more_is_better = true,
                      .of_point = count_of<&PointResult::ok>});
  add_of_point(rows, {.name = "retries",
                      .unit = Unit::count,
                      .label = "Retries",
                      .formula = "attempts after the first of measured requests",
                      .of_class = false,
                      .of_point = count_of<&PointResult::retries>});
}

}  // namespace

void add_point_rows(std::vector<Figure>& rows) {
  for (auto* add : {add_rates, add_shares, add_counts}) add(rows);
}

}  // namespace infermeter
