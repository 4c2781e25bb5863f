// Differences between two results apart from their figures (differences_of_kind,
// differences_of_surroundings).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/gate/places.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

/// Sentences of the form "The model differs: a against b."
class Differences {
 public:
  void compare(std::string_view what, std::string_view one, std::string_view other) {
    if (one == other) return;
    const auto shown = [](std::string_view value) { return value.empty() ? "none" : value; };
    out_.push_back(fmt::format("The {} differs: {} against {}.", what, shown(one), shown(other)));
  }
  void compare(std::string_view what, double one, double other) {
    compare(what, fmt::format("{:.6g}", one), fmt::format("{:.6g}", other));
  }
  void add(std::string text) { out_.push_back(std::move(text)); }
  std::size_t count() const { return out_.size(); }
  std::vector<std::string> take() { return std::move(out_); }

 private:
  std::vector<std::string> out_;
};

std::string_view yes_no(bool value) { return value ? "yes" : "no"; }

std::string seconds(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g} s", *value) : std::string();
}

std::string count(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string_view major_version(std::string_view version) { return version.substr(0, version.find('.')); }

std::vector<Workload> workloads(const RunResult& run) {
  return run.classes.empty() ? std::vector{run.workload} : run.classes;
}

using Options = decltype(Workload::options);

std::string_view option_value(const Options& options, std::string_view name) {
  const auto it = std::ranges::find(options, name, &Options::value_type::first);
  return it == options.end() ? std::string_view() : it->second;
}

std::string of_class(const Workload& workload) {
  return workload.name.empty() ? "" : fmt::format(" of class {}", workload.name);
}

void compare_options(const Workload& one, const Workload& other, Differences& out) {
  Options named = one.options;
  for (const auto& option : other.options) {
    if (option_value(one.options, option.first).empty()) named.push_back(option);
  }
  for (const auto& [name, value] : named)
    out.compare("option --" + name + of_class(one), option_value(one.options, name),
                option_value(other.options, name));
}

/// How prompt lengths were learnt and the nonce are new in each run: they do not change the workload.
void compare_workload(const Workload& one, const Workload& other, Differences& out) {
  const auto what = [&](std::string_view name) { return std::string(name) + of_class(one); };
  out.compare(what("class"), one.name, other.name);
  out.compare(what("workload"), one.source, other.source);
  out.compare(what("prompt length"), one.input_tokens, other.input_tokens);
  out.compare(what("answer length"), one.output_tokens, other.output_tokens);
  out.compare(what("forced answer length"), yes_no(one.exact_output), yes_no(other.exact_output));
  out.compare(what("share of requests"), one.share, other.share);
  out.compare(what("number of items"), static_cast<double>(one.items), static_cast<double>(other.items));
  out.compare(what("extra body"), one.extra_body, other.extra_body);
}

/// The only targets of two results are compared whatever their names; of several the name decides.
void compare_endpoints(const RunResult& one, const RunResult& other, Differences& out) {
  const bool sole = one.targets.size() == 1 && other.targets.size() == 1;
  for (const auto& here : one.targets) {
    for (const auto& there : other.targets) {
      if (sole || here.name == there.name) out.compare("endpoint", here.endpoint, there.endpoint);
    }
  }
}

void compare_workloads(const RunResult& one, const RunResult& other, Differences& out) {
  const auto before = out.count();
  const auto of_one = workloads(one), of_other = workloads(other);
  out.compare("number of traffic classes", static_cast<double>(of_one.size()),
              static_cast<double>(of_other.size()));
  // Results of older versions have neither hash nor options.
  const bool hashed = !one.workload_hash.empty() && !other.workload_hash.empty();
  for (std::size_t i = 0; i < std::min(of_one.size(), of_other.size()); ++i) {
    compare_workload(of_one[i], of_other[i], out);
    if (hashed) compare_options(of_one[i], of_other[i], out);
  }
  if (hashed && one.workload_hash != other.workload_hash && out.count() == before)
    out.add(
        "The requests differ in an option that is not listed: compare the command lines in both "
        "result.json.");
}

std::string slos_text(const LoadPoint& load) {
  std::string text;
  for (const auto& traffic : load.classes) {
    for (const auto& slo : traffic.slos) text += (text.empty() ? "" : ", ") + slo.text;
  }
  return text;
}

/// Of the same place: other differences that change the load.
void compare_load(const LoadPoint& one, const LoadPoint& other, Differences& out) {
  const auto what = [&](std::string_view name) {
    return fmt::format("{} at {}", name, short_name(load_id(one)));
  };
  out.compare(what(one.conversations ? "number of conversations" : "number of requests"), count(one.requests),
              count(other.requests));
  out.compare(what("duration"), seconds(one.duration_s), seconds(other.duration_s));
  out.compare(what("arrival"), name(one.arrival), name(other.arrival));
  if (one.open_loop) out.compare(what("coefficient of variation"), one.cv, other.cv);
  out.compare(what("cap in flight"), one.max_in_flight, other.max_in_flight);
  out.compare(what("streaming"), yes_no(one.stream), yes_no(other.stream));
  out.compare(what("number of retries"), one.max_retries, other.max_retries);
  out.compare(what("SLO"), slos_text(one), slos_text(other));
}

void compare_point(const PointResult& one, const PointResult& other, Differences& out) {
  const auto at = short_name(load_id(one.load));
  compare_load(one.load, other.load, out);
  if (one.load.run == other.load.run)
    out.compare("open-loop schedule at " + at, one.load.schedule_hash, other.load.schedule_hash);
  if ((one.token_source == TokenSource::events) != (other.token_source == TokenSource::events))
    out.compare("source of token counts at " + at, name(one.token_source), name(other.token_source));
}

const PointResult* counterpart(const PointResult& point, const RunResult& other) {
  const PointResult* any = nullptr;
  for (const auto& candidate : other.points) {
    if (gated_load(candidate.load) != gated_load(point.load)) continue;
    if (candidate.load.run == point.load.run) return &candidate;
    if (!any) any = &candidate;
  }
  return any;
}

void compare_points(const RunResult& one, const RunResult& other, Differences& out) {
  bool common = false;
  for (const auto& point : one.points) {
    const auto* same = counterpart(point, other);
    common = common || same;
    if (same) compare_point(point, *same, out);
  }
  if (!common) out.add("They have no load point in common.");
}

/// Repeated runs of a load give the same sentence once.
std::vector<std::string> distinct(const std::vector<std::string>& sentences) {
  std::vector<std::string> out;
  for (const auto& sentence : sentences) {
    if (std::ranges::find(out, sentence) == out.end()) out.push_back(sentence);
  }
  return out;
}

void compare_targets(const TargetFacts& one, const TargetFacts& other, Differences& out) {
  out.compare("model", one.model, other.model);
  out.compare("engine", one.engine, other.engine);
  out.compare("server version", one.version, other.version);
}

// Drawn lengths, or lengths that the model chooses, differ by chance between two short runs.
constexpr double kSameLength = 0.05, kSameFreeLength = 0.25;

/// Tokens of an average ok answer; 0: not known.
double mean_tokens(std::uint64_t sum, const PointResult& point) {
  return point.ok > 0 ? static_cast<double>(sum) / static_cast<double>(point.ok) : 0;
}

void compare_lengths(std::string_view what, double a, double b, bool fixed, std::vector<std::string>& out) {
  const double most = fixed ? kSameLength : kSameFreeLength;
  if (a <= 0 || b <= 0 || std::abs(b / a - 1) <= most) return;
  out.push_back(fmt::format("the baseline's {} have {} tokens, the candidate's {}", what, format_number(a),
                            format_number(b)));
}

/// Answers that came whole, or with all their events at once.
bool is_stream(const PointResult& point) {
  const auto whole = [](const OutcomeCount& count) { return count.outcome == Outcome::not_streamed; };
  const auto checked = std::ranges::find(point.validity.checks, CheckKind::stream, &Check::kind);
  const bool packed = checked != point.validity.checks.end() && checked->state != CheckState::passed &&
                      checked->state != CheckState::not_applicable;
  return !packed && std::ranges::none_of(point.outcomes, whole);
}

}  // namespace

std::vector<std::string> differences_of_kind(const RunResult& one, const RunResult& other) {
  Differences out;
  out.compare("major version of infermeter", major_version(one.tool_version),
              major_version(other.tool_version));
  compare_endpoints(one, other, out);
  compare_workloads(one, other, out);
  compare_points(one, other, out);
  return distinct(out.take());
}

std::vector<std::string> differences_of_surroundings(const RunResult& one, const RunResult& other) {
  Differences out;
  const auto &here = one.environment, &there = other.environment;
  out.compare("machine (hash of its name)", here.hostname_hash, there.hostname_hash);
  out.compare("processor", here.cpu, there.cpu);
  out.compare("number of cores", here.cores, there.cores);
  out.compare("kernel", here.kernel, there.kernel);
  out.compare("build type of infermeter", here.build_type, there.build_type);
  out.compare("source of time stamps", name(here.timestamp_source), name(there.timestamp_source));
  for (std::size_t i = 0; i < std::min(one.targets.size(), other.targets.size()); ++i)
    compare_targets(one.targets[i], other.targets[i], out);
  return out.take();
}

std::vector<std::string> differences_of_answers(const PointResult& baseline, const PointResult& candidate) {
  std::vector<std::string> out;
  if (is_stream(baseline) != is_stream(candidate))
    out.push_back(fmt::format("the {} does not stream", is_stream(baseline) ? "candidate" : "baseline"));
  if (baseline.token_source != candidate.token_source && baseline.token_source && candidate.token_source)
    out.push_back(fmt::format("the baseline's tokens are counted by {}, the candidate's by {}",
                              name(*baseline.token_source), name(*candidate.token_source)));
  compare_lengths("prompts", mean_tokens(baseline.prompt_tokens, baseline),
                  mean_tokens(candidate.prompt_tokens, candidate), baseline.load.input_tokens > 0, out);
  compare_lengths("answers", mean_tokens(baseline.output_tokens, baseline),
                  mean_tokens(candidate.output_tokens, candidate),
                  baseline.load.output_tokens > 0 && baseline.load.exact_output, out);
  return out;
}

}  // namespace infermeter
