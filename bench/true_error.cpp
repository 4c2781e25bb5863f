// true_error: the run's own bound of each headline figure against its true error, which is known from the
// exact server's log, as one row of bench/trust's table and one line a figure in --lines.
//   --truth F --run DIR --label TEXT --lines F
// A true arrival lies between the clock before the server's write and the clock after it, so the true figure
// lies between those of both; the true error is the distance from there. What TCP held back lies between the
// write and the clock when it was seen sent. When the segments of an answer
// arrived that TCP lost and sent again is not known: its times count as 0 and as endless.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "run_files.hpp"

namespace infermeter::bench {
namespace {

using simdjson::dom::element;

struct Weighted {
  double value = 0;
  std::uint64_t weight = 1;
};

/// Type 7 with each value repeated by its weight.
double quantile(std::vector<Weighted> values, double q) {
  if (values.empty()) return std::nan("");
  std::ranges::sort(values, {}, &Weighted::value);
  std::uint64_t total = 0;
  for (const auto& one : values) total += one.weight;
  const double at = q * static_cast<double>(total - 1);
  const auto value_at = [&](std::uint64_t rank) {
    std::uint64_t passed = 0;
    for (const auto& one : values) {
      passed += one.weight;
      if (rank < passed) return one.value;
    }
    return values.back().value;
  };
  const auto below = static_cast<std::uint64_t>(at);
  const double from = value_at(below);
  return from + (at - static_cast<double>(below)) * (value_at(below + 1) - from);
}

/// One answer by the server's clock before each write and after it; milliseconds.
struct Answer {
  double sent_ms = 0, closing_ms = 0, closed_ms = 0;
  std::vector<double> before_ms, after_ms;
  bool lost = false;  // in part, and sent again
};

using Samples = std::vector<Weighted>;

/// The time from event i to event j, at its least or at its greatest.
double between(const Answer& a, std::size_t i, std::size_t j, bool greatest) {
  return greatest ? a.after_ms[j] - a.before_ms[i] : std::max(0.0, a.before_ms[j] - a.after_ms[i]);
}

/// As docs/metrics.md defines them, with one token an event.
Samples ttft(const Answer& a, bool greatest) {
  return {{(greatest ? a.after_ms : a.before_ms).front() - a.sent_ms}};
}
Samples e2e(const Answer& a, bool greatest) {
  return {{(greatest ? a.closed_ms : a.closing_ms) - a.sent_ms}};
}
std::size_t events_of_first_write(const Answer& a) {
  const auto& at = a.before_ms;
  return static_cast<std::size_t>(std::ranges::find_if(at, [&](double t) { return t != at.front(); }) -
                                  at.begin());
}
Samples tpot(const Answer& a, bool greatest) {
  const std::size_t first = events_of_first_write(a), last = a.before_ms.size() - 1;
  if (first > last) return {};
  return {{between(a, 0, last, greatest) / static_cast<double>(last + 1 - first)}};
}
/// Events of one write are one instant.
Samples itl(const Answer& a, bool greatest) {
  Samples out;
  const auto& at = a.before_ms;
  std::size_t j = events_of_first_write(a);
  for (std::size_t since = 0; j < at.size();) {
    std::size_t next = j;
    while (next < at.size() && at[next] == at[j]) ++next;
    out.push_back({between(a, since, j, greatest) / static_cast<double>(next - j), next - j});
    since = j;
    j = next;
  }
  return out;
}

struct Headline {
  const char* metric;
  double least_limit_ms;
  std::function<Samples(const Answer&, bool)> of;
};
const std::vector<Headline> kHeadlines{
    {"ttft", 0.5, ttft}, {"e2e", 0.5, e2e}, {"tpot", 0, tpot}, {"itl", 0, itl}};

constexpr double kEndlessMs = 1e9;

double quantile_of(const Headline& headline, const std::vector<Answer>& answers, double q, bool greatest) {
  Samples all;
  for (const auto& answer : answers) {
    auto own = headline.of(answer, greatest);
    for (auto& sample : own) {
      if (answer.lost) sample.value = greatest ? kEndlessMs : 0;
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  return quantile(std::move(all), q);
}

struct Joined {
  std::vector<Answer> answers;
  std::uint64_t unmatched = 0;
  std::int64_t events = 0, held = 0;
};

Joined join(const ClientRun& run, const std::unordered_map<std::string, ServerTruth>& truths) {
  Joined joined;
  const auto ms = [&](std::int64_t ns) { return static_cast<double>(ns - run.origin_ns) / 1e6; };
  for (const auto& record : run.records) {
    const auto found = truths.find(record.id);
    if (!record.ok || found == truths.end() || found->second.sent_ns.size() != record.events ||
        record.events == 0) {
      ++joined.unmatched;
      continue;
    }
    const ServerTruth& truth = found->second;
    joined.events += static_cast<std::int64_t>(record.events);
    joined.held += truth.held;
    Answer answer{static_cast<double>(record.sent_us) / 1e3,
                  ms(truth.closing_ns),
                  ms(truth.closed_ns),
                  {},
                  {},
                  truth.lost > 0};
    for (const auto ns : truth.sent_ns) answer.before_ms.push_back(ms(ns));
    for (const auto ns : truth.written_ns) answer.after_ms.push_back(ms(ns));
    joined.answers.push_back(std::move(answer));
  }
  return joined;
}

/// What the run says of itself.
class Result {
 public:
  explicit Result(const std::string& directory) {
    if (parser_.load(directory + "/result.json").get(root_) != simdjson::SUCCESS)
      throw std::runtime_error("cannot read " + directory);
    point_ = root_["points"].at(0);
  }
  double value(const char* metric, const std::string& statistic) {
    return point_["metrics"][metric]["percentiles"][statistic]["value"].get_double();
  }
  /// 0 where it is not listed.
  double bound(std::string_view metric, std::string_view statistic) {
    double bound = 0;
    for (const auto error : point_["client"]["possible_errors"].get_array()) {
      if (error["metric"].get_string().value() == metric &&
          error["statistic"].get_string().value() == statistic)
        bound = std::max(error["less"].get_double().value(), error["more"].get_double().value());
    }
    return bound;
  }
  double late_share() { return point_["client"]["late_share"].get_double(); }
  bool client_trusted() {
    for (const auto check : point_["validity"]["checks"].get_array()) {
      if (check["name"].get_string().value() == "client")
        return check["state"].get_string().value() != "failed";
    }
    return true;
  }

 private:
  simdjson::dom::parser parser_;
  element root_, point_;
};

/// Records round down to whole microseconds, and the two clocks are mapped onto each other to about one.
constexpr double kResolutionMs = 0.003;

void run(int argc, char** argv) {
  const Arguments arguments(argc, argv, {"--truth", "--run", "--label", "--lines"});
  const auto joined = join(read_run(arguments.text("--run")), read_truth(arguments.text("--truth")));
  Result result(arguments.text("--run"));
  std::FILE* lines = std::fopen(arguments.text("--lines").c_str(), "a");
  if (!lines) throw std::runtime_error("cannot write the lines");
  double worst_share = 0, worst_true = 0;
  std::string worst = "exact";
  int smaller = 0;
  for (const auto& headline : kHeadlines) {
    for (const double q : {0.5, 0.95}) {
      const auto statistic = fmt::format("p{:.0f}", 100 * q);
      const double value = result.value(headline.metric, statistic),
                   bound = result.bound(headline.metric, statistic);
      const double least = quantile_of(headline, joined.answers, q, false),
                   greatest = quantile_of(headline, joined.answers, q, true);
      const double error = std::max({0.0, least - value, value - greatest});
      const double limit = std::max(headline.least_limit_ms, 0.02 * value);
      const bool holds = error <= bound + kResolutionMs;
      if (!holds) ++smaller;
      fmt::print(lines, "{}|{} {}|{:.4f}|{:.4f}|{:.4f}|{:.4f}|{}|{}\n", arguments.text("--label"),
                 headline.metric, statistic, value, error, bound, limit, holds ? "holds" : "smaller",
                 bound > limit ? "decides" : "trusted");
      if (bound / limit <= worst_share) continue;
      worst_share = bound / limit;
      worst_true = error;
      worst = fmt::format("{} {}: {:.3f} of {:.2f}", headline.metric, statistic, bound, value);
    }
  }
  std::fclose(lines);
  fmt::print("| {} | {:.1f} % | {} | {:.3f} | {:.2f} | {} | {} |\n", arguments.text("--label"),
             100 * result.late_share(), worst, worst_true, worst_share,
             result.client_trusted() ? "trusted" : "not trusted",
             smaller == 0 ? "yes" : fmt::format("{} no", smaller));
  if (joined.held > 0)
    fmt::print(stderr, "{}: TCP held back {} of {} events\n", arguments.text("--label"), joined.held,
               joined.events);
  if (const auto lost = std::ranges::count_if(joined.answers, &Answer::lost); lost > 0)
    fmt::print(stderr, "{}: {} of {} answers were lost in part and sent again: their times are not known\n",
               arguments.text("--label"), lost, joined.answers.size());
  if (joined.unmatched > 0)
    fmt::print(stderr, "{}: {} requests failed or do not match the server's truth\n",
               arguments.text("--label"), joined.unmatched);
}

}  // namespace
}  // namespace infermeter::bench

int main(int argc, char** argv) { return infermeter::bench::run_program(infermeter::bench::run, argc, argv); }
