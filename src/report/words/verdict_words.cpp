#include "report/words/verdict_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/model/figures.hpp"
#include "report/tables/figures.hpp"

namespace infermeter {
namespace {

constexpr double kSecondsFromMs = 10'000;
constexpr double kLargestCount = 1e9;
constexpr double kWholePercentFrom = 1;  // of a change: from +100 % on tenths do not matter

/// "+19.8 %": a change always has a sign.
std::string signed_change(double change) {
  const double percent = 100 * std::abs(change);
  const int decimals = std::abs(change) >= kWholePercentFrom ? 0 : 1;
  const std::string digits = fmt::format("{:.{}f}", percent, decimals);
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  return (zero ? "" : change < 0 ? "−" : "+") + digits;
}

/// Counts in full, other figures with three digits.
std::string signed_figure(double value) {
  const double whole = std::round(std::abs(value));
  if (std::abs(value) == whole && whole < kLargestCount)
    return (value < 0 ? "−" : "") + format_count(static_cast<std::uint64_t>(whole));
  const bool zero = figure(std::abs(value)) == "0";
  return (value < 0 && !zero ? "−" : "") + figure(std::abs(value));
}

/// The unit for all figures of one judgement.
struct Unit {
  double scale = 1;
  bool relative = false;
  std::string before, behind;  // "$", " ms"
  std::string bare(double value) const {
    return relative ? signed_change(value) : before + signed_figure(value * scale);
  }
  std::string whole(double value) const { return bare(value) + behind; }
};

Unit own_unit(const std::string& name, double largest) {
  const std::string shown(symbol(name));
  if (name == "share") return {.scale = 100, .behind = " " + shown};
  if (name == "ms" && largest >= kSecondsFromMs) return {.scale = 1e-3, .behind = " s"};
  if (name == "$") return {.before = shown};
  return {.behind = shown.empty() ? "" : " " + shown};
}

double largest_of(std::initializer_list<std::optional<double>> values) {
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, std::abs(value.value_or(0)));
  return largest;
}

Unit unit_of(const Judgement& j) {
  if (j.relative) return {.relative = true, .behind = " %"};
  return own_unit(j.unit, largest_of({j.value, j.low, j.high, j.limit}));
}

void append(std::string& text, const std::string& more, const char* between) {
  if (more.empty()) return;
  text += (text.empty() ? "" : between) + more;
}

/// The text `ttft.p95 < 500ms` contains its limit; `goodput >= 0.99 * request_throughput` does not.
bool says_its_limit(const Judgement& j) { return j.kind == JudgementKind::assertion && !j.limit_follows; }

}  // namespace

std::string_view state_word(Decision decision) {
  return decision == Decision::fail ? "FAIL" : name(decision);
}

Ending ending_of(const Verdict& verdict) {
  if (verdict.exit_code == static_cast<int>(ExitCode::interrupted)) return Ending::interrupted;
  return verdict.exit_code == static_cast<int>(ExitCode::environment) ? Ending::run_failed : Ending::judged;
}

std::string_view outcome_word(const Verdict& verdict) {
  const Ending ending = ending_of(verdict);
  if (ending == Ending::interrupted) return "interrupted";
  if (ending == Ending::run_failed) return "the run failed";
  return verdict.trustworthy ? state_word(verdict.decision) : "not to be trusted";
}

std::string value_words(const Judgement& j) { return j.value ? unit_of(j).whole(*j.value) : std::string(); }

std::string interval_words(const Judgement& j) {
  const Unit unit = unit_of(j);
  // The unit of the value beside it is left out, except a per cent sign.
  const bool percent = unit.behind == " %";
  if (j.low && j.high)
    return unit.bare(*j.low) + " … " + (percent ? unit.whole(*j.high) : unit.bare(*j.high));
  if (j.low) return "≥ " + unit.whole(*j.low);
  return j.high ? "≤ " + unit.whole(*j.high) : std::string();
}

std::string limit_words(const Judgement& j) {
  if (!j.limit || says_its_limit(j)) return {};
  const Unit unit = unit_of(j);
  const std::string whole = unit.whole(*j.limit);
  // As a person writes the number: 5, not 5.0.
  const double shown = std::abs(*j.limit) * (j.relative ? 100 : unit.scale);
  const std::string chosen = fmt::format("{:.6g}", shown);
  if (shown >= 1000 || chosen.size() > figure(shown).size()) return whole;
  return (j.relative     ? (*j.limit < 0 ? "−" : "+")
          : *j.limit < 0 ? "−"
                         : "") +
         unit.before + chosen + unit.behind;
}

std::string medians_words(const Judgement& j) {
  if (!j.baseline || !j.candidate) return {};
  const Unit unit = own_unit(j.unit, largest_of({j.baseline, j.candidate}));
  return unit.bare(*j.baseline) + " → " + unit.whole(*j.candidate);
}

std::string figures_words(const Judgement& j) {
  std::string text = value_words(j);
  const std::string interval = interval_words(j), limit = limit_words(j);
  append(text, interval.empty() ? interval : "(" + interval + ")", " ");
  append(text, limit.empty() ? limit : "limit " + limit, ", ");
  append(text, medians_words(j), ", ");
  append(text, j.where, ", ");
  return text;
}

std::string remark_words(const Judgement& j) {
  std::string text = as_sentence(j.reason);
  append(text, j.needed.empty() ? "" : as_sentence("to settle it: " + j.needed), " ");
  return text;
}

std::string change_words(double logarithm) { return signed_change(std::expm1(logarithm)) + " %"; }

std::string tally_words(const Verdict& verdict) {
  const auto count = [&](Decision d) {
    return std::ranges::count(verdict.judgements, d, &Judgement::decision);
  };
  const auto all = std::ssize(verdict.judgements);
  const auto failed = count(Decision::fail), undecided = count(Decision::undecided);
  if (all == 0) return "nothing was judged";
  if (failed + undecided == 0) return all == 1 ? "passed" : fmt::format("all {} passed", all);
  std::string text;
  if (failed > 0) text = fmt::format("{} of {} failed", failed, all);
  if (undecided > 0)
    append(text, fmt::format("{}{} undecided", undecided, failed > 0 ? "" : fmt::format(" of {}", all)),
           ", ");
  return text;
}

std::string exit_words(const Verdict& verdict) {
  if (ending_of(verdict) != Ending::judged)
    return fmt::format("Exit {}: {}, whatever was judged.", verdict.exit_code, outcome_word(verdict));
  std::string words = "undecided";
  if (verdict.decision != Decision::undecided)
    words = verdict.decision == Decision::pass ? "passed" : "failed";
  if (!verdict.trustworthy) words = "not to be trusted";
  // --on-inconclusive decides how an undecided judgement counts.
  if (words == "undecided" && verdict.exit_code == 0) words += ", taken as passed";
  if (words == "undecided" && verdict.exit_code == 1) words += ", taken as failed";
  return fmt::format("Exit {}: {}.", verdict.exit_code, words);
}

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  // A name such as output_throughput is unchanged.
  const std::string word = text.substr(0, text.find(' '));
  const bool plain = std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  if (plain) text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (!text.ends_with('.') && !text.ends_with('?')) text += '.';
  return text;
}

}  // namespace infermeter
