// The catalogue of figures: one row for each number that a run gives, with everything known about it: name,
// labels, unit, formula, source, and where it is shown. All code that prints, compares or judges a figure
// reads its row; a figure that is missing in an output lacks an entry here. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

class RequestView;  // model/request_view.hpp
struct Estimate;

/// A point with the rates to use: of its steady window, or of the whole run.
struct PointView {
  const PointResult& point;
  const Rates& rates;
};

enum class FigureUnit : std::uint8_t {
  milliseconds,
  share,
  tokens_per_second,
  chars_per_second,
  requests_per_second,
  vectors_per_second,
  count,
  money
};
/// As files write it: "ms", "share", "tokens/s", "chars/s", "requests/s", "vectors/s", "count", "$".
std::string_view name(FigureUnit unit);
/// As people read it: "ms", "%", "tok/s", "chars/s", "req/s", "vectors/s", "", "$". `events`: tokens were not
/// counted, so a rate of them is one of events.
std::string_view symbol(FigureUnit unit, bool events = false);
/// The same for a unit in the form of files; a name that is not a unit is returned unchanged.
std::string_view symbol(std::string_view unit);

/// What one sample belongs to: a token or an event of a stream, a request (or one of its choices), or the
/// whole load point, which has one value.
enum class FigureLevel : std::uint8_t { token, event, request, point };

/// One sample of a request as a ratio: tokens and seconds for a speed, whose mean is pooled (Σ above / Σ
/// below); other samples are a value over 1.
struct RequestSample {
  double above = 0, below = 1;
  double value() const { return above / below; }
};

/// A gap of a stream, in milliseconds, which counts `weight` times, and when it ended.
struct StreamGap {
  double ms = 0;
  std::uint32_t weight = 1;
  std::int64_t at_us = 0;
};

/// Where figures are shown.
enum class FigureOutput : std::uint8_t {
  table,         // the grid of one load point: every statistic
  wide,          // the same with --wide only
  rates,         // a column; a row the steady window, and one the whole run
  sweep,         // a column per statistic
  slices,        // a column per statistic; a row per class, turn …
  targets,       // a column per statistic
  markdown,      // a column per statistic
  compare,       // a row per statistic
  compare_main,  // the main figures for a sweep of many loads
  differences,   // between the targets of a run
  csv,           // all statistics of a point
  requests_csv,  // of each request
  charts         // its distribution
};

/// One of these places. Columns and rows are sorted by `order`, then as in the catalogue.
struct ShownAt {
  FigureOutput output;
  std::string_view statistic = {};  // "p50"; "p50 p95": both; empty: all of them, or the only value
  int order = 0;
  int rank = 0;         // of a column: where a line is too short, those with the greatest rank are left out
  bool change = false;  // shown with the change against the first target
};

/// When a figure adds information that no other one has; else outputs leave it out.
enum class FigureTells : std::uint8_t {
  always,
  from_intended,  // in open loop, and where requests were sent again
  reasons_first,  // where the first visible token is not the first of any kind
  without_itl,    // where the tokens of an event are not known
  across_models   // where a token of one model is not a token of the other
};

/// Between which instants a figure lies: how arrivals that are not exact move it.
enum class FigureSpan : std::uint8_t {
  to_event,  // from an instant of the client to an event
  stream,    // from the first event of a stream to the last
  gaps       // between neighbouring events
};

struct Figure {
  std::string_view name;
  FigureUnit unit = FigureUnit::milliseconds;
  FigureLevel level = FigureLevel::request;
  std::string_view label;             // "TTFT incl. schedule delay"
  std::string_view short_label = {};  // where the label is too long: "TTFT incl. delay"; see brief()
  std::string_view event_label = {};  // where events stand for tokens: "Time per event"
  std::string_view head = {},
                   under = {};     // of a column, in two lines: "tok/s", "out"; empty: the short label
  std::string_view formula;        // in words, as docs/metrics.md has it
  std::string_view peers = {};     // its names in other tools, in the form of docs/metrics.md
  std::string_view absent = {};    // why a point may have none, a sentence; empty: by its level
  std::string_view response = {};  // the same from the intended time, by its name
  double margin = 0.03;            // a smaller change is noise: relative, of a share in points

  bool more_is_better = false;
  bool low_tail = false;        // a rate of one stream: its percentiles are 50, 10, 5, 1
  bool headline = false;        // a main figure
  bool of_tokens = false;       // counted in tokens, or in events without token counts
  bool of_streams = false;      // has no meaning for an answer that came as one body
  bool of_speed = false;        // only where the tokens between first and last event are known
  bool of_slo = false;          // only where an SLO can be judged
  bool to_first_token = false;  // known for a stream that was closed after its first token
  bool of_set_up = false;       // only where the request opened a connection
  bool holds_prefill = false;   // differs between a warm and a cold cache
  bool by_server = false;       // reported by the server
  bool of_class = true;         // a class of traffic has one of its own
  bool in_slo = true;           // may be used in a limit on a single request (SLO)
  FigureTells tells = FigureTells::always;
  FigureSpan span = FigureSpan::to_event;

  /// Appends the samples of one request: one, one per choice, or none. Of level request.
  void (*of_request)(RequestView&, std::vector<RequestSample>&) = nullptr;
  /// Appends the gaps of one stream. Of level token and event.
  void (*of_stream)(RequestView&, std::vector<StreamGap>&) = nullptr;
  /// Of level point.
  std::optional<double> (*of_point)(const PointView&) = nullptr;
  /// The bounds of such a value, from the result; null: it is counted, not sampled.
  void (*bound)(const PointView&, Estimate&) = nullptr;

  std::vector<ShownAt> shown = {};

  std::string_view brief() const { return short_label.empty() ? label : short_label; }
  bool is_distribution() const { return level != FigureLevel::point; }
  bool has_gaps() const { return of_stream != nullptr; }
  bool is_shown(FigureOutput output) const;
};

/// All of them, in the order of docs/metrics.md.
std::span<const Figure> known_figures();
/// Nothing for an unknown name.
const Figure* find_figure(std::string_view name);

/// The figures shown at one place, in its order: a figure occurs once per statistic.
struct ShownFigure {
  const Figure* figure = nullptr;
  ShownAt at;
};
std::vector<ShownFigure> shown_figures(FigureOutput output);

/// In open loop the figure from the intended time, if it exists; else the figure itself.
const Figure& headline_figure(const Figure& figure, bool open_loop);
/// Whether the figure adds information at this point. `models_differ`: it stands beside a point of another
/// model.
bool tells_more(const Figure& figure, const PointResult& point, bool models_differ = false);

/// The statistics that a distribution has: "mean", "min", "max", then its percentiles, "p50" first.
std::vector<std::string> statistics_of(const Figure& figure);
/// 50, 90, 95, 99, 99.9; of a low tail 50, 10, 5, 1.
std::span<const double> percentiles_of(const Figure& figure);
/// 99.9 for "p99.9", between 0 and 100; nothing if it is not a percentile.
std::optional<double> percentile_of(std::string_view statistic);
/// Margin of one statistic: 5 % for a p95, 10 % for a p99, which scatter more.
double margin_of(const Figure& figure, std::string_view statistic);

/// The distribution of a figure; null where the point has none. The server's own times are stored separately.
const Metric* find_distribution(const PointResult& point, const Figure& figure);

/// The value of a single request; the worst one if it has several choices. Nothing where it lacks the figure,
/// failed, or where the figure is of a point or of the gaps.
std::optional<double> figure_of(const Figure& figure, const RequestRecord& record);

/// A figure with its 95 % interval. A bound that the data cannot give is absent.
struct Estimate {
  std::optional<double> value, low, high;
  std::uint64_t samples = 0;  // number of samples
  std::string why_not;        // a sentence: why there is no value
};

/// A figure from the result; `statistic` is empty for figures of level point. Rates are those of the steady
/// window, or of the whole run without one (`whole_rates`: always of the whole run).
Estimate estimate_of(const PointResult& point, const Figure& figure, std::string_view statistic = {},
                     bool whole_rates = false);

}  // namespace infermeter
