#include "analysis/findings/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/checks/checks.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

// Limits of the scenarios of configs/scenarios.
// The time between the caller's last word and the first sound, without the speech step, is not all available
// for the text: detecting that the caller has ended, recognition and the network take part of it.
constexpr double kSpeechBudgetMs = 500, kSpeechStepMs = 120, kSpeechTtftMs = 180;
constexpr double kGhostMs = 150, kIdealGhostMs = 80;
constexpr double kDocuments = 100'000, kBatchAim = 4'000;  // tokens per second
constexpr double kHeldShare = 0.95;  // of the requests that met every SLO: from this share on the SLOs held

/// The inputs of a sentence.
struct Told {
  const RunResult& run;
  const PointResult& point;
  const Records& measured;
};
using Sentence = std::string;

std::string whole_percent(double share) { return fmt::format("{} %", format_number(100 * share, 3)); }

std::string duration_words(double ms) {
  return ms >= 1000 ? fmt::format("{} s", format_number(ms / 1000)) : milliseconds(ms);
}

double percentile_of(const Metric* metric, double percentile) {
  const auto* found = metric ? metric->find(percentile) : nullptr;
  return found ? found->value : 0;
}

const Slice* slice_of(const PointResult& point, SliceKind by, std::string_view name) {
  const auto it = std::ranges::find_if(
      point.slices, [&](const auto& slice) { return slice.by == by && slice.name == name; });
  return it == point.slices.end() ? nullptr : &*it;
}

/// Share of the requests that should be answered whose first visible token came within `ms`.
double shown_within(const Records& measured, double ms) {
  std::uint64_t shown = 0;
  for (const auto* r : measured) {
    const bool came = r->outcome == Outcome::ok || r->outcome == Outcome::cancelled;
    if (came && r->sent_us && r->first_output_us &&
        static_cast<double>(*r->first_output_us - *r->sent_us) <= ms * 1e3)
      ++shown;
  }
  return measured.empty() ? 0 : static_cast<double>(shown) / static_cast<double>(measured.size());
}

Sentence chat(const Told& told) {
  const auto* ttft = told.point.find(told.point.load.open_loop ? "ttft_response" : "ttft");
  return fmt::format("Answers begin after {} (p50) and {} (p95) and run at {} tokens/s.",
                     duration_words(percentile_of(ttft, 50)), duration_words(percentile_of(ttft, 95)),
                     format_number(metric_median(told.point, "tps")));
}

Sentence voice(const Told& told) {
  return fmt::format(
      "{} of the answers are ready for speech in time: TTFT within {:.0f} ms, of {:.0f} ms with {:.0f} ms "
      "for the speech step and the rest for hearing the caller; TTFT {} (p50), {} (p95).",
      whole_percent(shown_within(told.measured, kSpeechTtftMs)), kSpeechTtftMs, kSpeechBudgetMs,
      kSpeechStepMs, duration_words(metric_median(told.point, "ttft")),
      duration_words(percentile_of(told.point.find("ttft"), 95)));
}

Sentence ghost_text(const Told& told) {
  const auto cancelled = static_cast<std::uint64_t>(
      std::ranges::count(told.measured, Outcome::cancelled, [](const auto* r) { return r->outcome; }));
  return fmt::format(
      "{} of the suggestions begin to show within {:.0f} ms, {} within {:.0f} ms; the typist "
      "cancelled {}.",
      whole_percent(shown_within(told.measured, kGhostMs)), kGhostMs,
      whole_percent(shown_within(told.measured, kIdealGhostMs)), kIdealGhostMs,
      part_of(cancelled, told.measured.size()));
}

/// "3 h 12 min", "42 min", "55 s".
std::string long_duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<std::uint64_t>(std::llround(seconds / 60));
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", format_count(minutes / 60), minutes % 60);
}

Sentence batch(const Told& told) {
  const auto& rates = told.point.rates();
  if (rates.request <= 0) return {};
  return fmt::format("At this rate {} documents are finished in {}: {} tok/s (aim {} tok/s: {}).",
                     format_count(static_cast<std::uint64_t>(kDocuments)),
                     long_duration(kDocuments / rates.request), format_number(rates.output),
                     format_count(static_cast<std::uint64_t>(kBatchAim)),
                     rates.output >= kBatchAim ? "held" : "missed");
}

Sentence context_sweep(const Told& told) {
  const auto& fits = told.run.context_fits;
  const auto it = std::ranges::find(fits, told.point.target, &ContextFit::target);
  return it == fits.end()
             ? "Too few prompt lengths were answered, or too unevenly, to tell how TTFT grows with them."
             : it->text;
}

Sentence prompt_cache(const Told& told) {
  const auto* cold = slice_of(told.point, SliceKind::cache, "cold");
  const auto* warm = slice_of(told.point, SliceKind::cache, "warm");
  const double before = percentile_of(cold ? cold->find("ttft") : nullptr, 50);
  const double after = percentile_of(warm ? warm->find("ttft") : nullptr, 50);
  if (before <= 0 || after <= 0) return "No prompt was answered both cold and warm.";
  auto text =
      fmt::format("TTFT is {} cold and {} warm (p50): ", duration_words(before), duration_words(after));
  text += after < before ? fmt::format("the cache saves {} of it", whole_percent(1 - after / before))
                         : "the cache saves nothing";
  if (warm->prompt_tokens > 0 && warm->cached_tokens > 0)
    text += fmt::format(
        "; {} of the warm prompt tokens came from it",
        whole_percent(static_cast<double>(warm->cached_tokens) / static_cast<double>(warm->prompt_tokens)));
  return text + ".";
}

/// The last turn that is shown separately.
const Slice* last_turn(const PointResult& point) {
  const Slice* last = nullptr;
  for (const auto& slice : point.slices) {
    if (slice.by == SliceKind::turn && slice.find("ttft")) last = &slice;
  }
  return last;
}

Sentence agent(const Told& told) {
  const auto* first = slice_of(told.point, SliceKind::turn, "1");
  const auto* last = last_turn(told.point);
  if (!first || !last || first == last || !first->find("ttft"))
    return fmt::format("TTFT is {} (p50).", duration_words(metric_median(told.point, "ttft")));
  auto text = fmt::format("Over {} conversations TTFT goes from {} in turn 1 to {} in turn {} (p50)",
                          format_count(told.point.conversations),
                          duration_words(percentile_of(first->find("ttft"), 50)),
                          duration_words(percentile_of(last->find("ttft"), 50)), last->name);
  if (told.point.cache)
    text += fmt::format("; {} of the prompt tokens came from the cache",
                        whole_percent(told.point.cache->hit_share));
  return text + ".";
}

Sentence reasoning(const Told& told) {
  const auto& point = told.point;
  auto text =
      fmt::format("The first visible token comes after {} (p50), the first of any kind after {}",
                  duration_words(metric_median(point, "ttfo")), duration_words(metric_median(point, "ttft")));
  if (point.reasoning_tokens > 0 && point.output_tokens > 0)
    text += fmt::format(
        "; {} of the output is reasoning, {} tokens an answer",
        whole_percent(static_cast<double>(point.reasoning_tokens) / static_cast<double>(point.output_tokens)),
        format_number(static_cast<double>(point.reasoning_tokens) / static_cast<double>(point.ok)));
  return text + ".";
}

constexpr std::array<std::pair<std::string_view, Sentence (*)(const Told&)>, 8> kScenarios{
    {{"chat", chat},
     {"voice", voice},
     {"ghost-text", ghost_text},
     {"batch", batch},
     {"context-sweep", context_sweep},
     {"prompt-cache", prompt_cache},
     {"agent", agent},
     {"reasoning", reasoning}}};

/// Over all points of the target together: a sweep meets its SLOs if its requests do, all with equal weight.
Sentence slo_sentence(const RunResult& run, std::uint32_t target) {
  std::uint64_t requests = 0, met = 0;
  std::vector<std::string> slos;
  for (const auto& point : run.points) {
    if (point.target != target || !point.slo) continue;
    requests += point.slo->requests;
    met += point.slo->met;
    if (slos.empty()) slos = point.slo->slos;
  }
  if (requests == 0) return {};
  const double share = static_cast<double>(met) / static_cast<double>(requests);
  return fmt::format("{} {}: {} of {} requests met {} (at least {:.0f} % should).",
                     slos.size() > 1 ? "SLOs" : "SLO", share >= kHeldShare ? "held" : "missed",
                     whole_percent(share), format_count(requests), fmt::join(slos, ", "), 100 * kHeldShare);
}

std::string target_prefix(const RunResult& run, std::uint32_t target) {
  if (run.targets.size() < 2 || target >= run.targets.size()) return {};
  return run.targets[target].name + ": ";
}

}  // namespace

std::vector<std::string> make_headline(const RunResult& run, const RunPlaces& places) {
  std::vector<std::string> out;
  const auto scenario = std::ranges::find(kScenarios, run.scenario, &decltype(kScenarios)::value_type::first);
  if (scenario == kScenarios.end()) return out;
  std::vector<std::uint32_t> told;
  for (const auto& point : run.points) {
    const auto it = places.find({point.point, point.target});
    if (!point.has_figures() || it == places.end()) continue;
    if (std::ranges::find(told, point.target) != told.end()) continue;
    told.push_back(point.target);
    const auto prefix = target_prefix(run, point.target);
    for (const auto& text : {scenario->second({run, point, it->second}), slo_sentence(run, point.target)}) {
      if (!text.empty()) out.push_back(prefix + text);
    }
  }
  return out;
}

}  // namespace infermeter
