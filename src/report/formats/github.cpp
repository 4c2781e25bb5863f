#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include "report/media/media.hpp"
#include "report/tables/remarks.hpp"
#include "report/words/health_words.hpp"
#include "report/words/verdict_words.hpp"

namespace infermeter {
namespace {

class Annotations {
 public:
  void add(std::string_view kind, std::string_view title, const std::vector<std::string>& lines) {
    std::string message;
    for (const auto& line : lines) message += (message.empty() ? "" : "\n") + printable(line, false);
    out_ += fmt::format("::{} title={}::{}\n", kind, github_property(fmt::format("infermeter: {}", title)),
                        github_message(message));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void add_judgements(const Verdict& verdict, Decision decision, std::string_view kind, Annotations& out) {
  for (const auto& judgement : verdict.judgements) {
    if (judgement.decision != decision) continue;
    std::vector<std::string> lines{fmt::format("{}: {}", state_word(decision), figures_words(judgement))};
    const std::string remark = remark_words(judgement);
    if (!remark.empty()) lines.push_back(remark);
    out.add(kind, judgement.text, lines);
  }
}

/// A judgement that the user asked to count as passed is a note, not a warning.
void add_undecided(const Verdict& verdict, Annotations& out) {
  const bool passes = verdict.decision == Decision::undecided && verdict.exit_code == 0;
  add_judgements(verdict, Decision::undecided, passes ? "notice" : "warning", out);
}

std::string_view kind_of(const Verdict& verdict, bool doubts_told) {
  const Ending ending = ending_of(verdict);
  if (ending == Ending::run_failed) return "error";
  if (ending == Ending::interrupted) return "warning";
  return verdict.trustworthy || doubts_told ? "notice" : "error";
}

/// An error, unless an earlier line said that the run is not to be trusted.
void add_outcome(const Verdict& verdict, bool doubts_told, Annotations& out) {
  std::vector<std::string> lines{as_sentence(tally_words(verdict)), exit_words(verdict)};
  if (!verdict.ended.empty()) lines.push_back(as_sentence(verdict.ended));
  for (const auto& note : verdict.notes) lines.push_back(as_sentence(note));
  out.add(kind_of(verdict, doubts_told), outcome_word(verdict), lines);
}

void add_figures(const RunResult& result, Annotations& out) {
  std::vector<std::string> lines;
  for (const auto* point : measured_points(result)) {
    const std::string name = result.points.size() > 1 ? points_named(result, {point}) + ": " : "";
    lines.push_back(name + main_figures(*point));
  }
  if (!lines.empty()) out.add("notice", "measured", lines);
}

}  // namespace

std::string result_to_github(const RunResult& result) {
  Annotations out;
  if (result.verdict) add_judgements(*result.verdict, Decision::fail, "error", out);
  for (const auto* health : complaints_of(result))
    out.add(health->state == HealthState::failed ? "error" : "warning", "requests failed",
            {as_sentence(health_words(result, *health)), as_sentence(failures_words(*health))});
  const auto doubts = doubts_of(result);
  if (!doubts.empty()) out.add("error", "not to be trusted", doubts);
  const std::string incomplete = why_incomplete(result);
  if (!incomplete.empty()) out.add("warning", "not complete", {as_sentence(incomplete)});
  if (result.verdict) add_undecided(*result.verdict, out);
  for (const auto& warning : warnings_of(result))
    out.add("warning", warning.kind, {words_of(result, warning)});
  if (result.verdict) add_outcome(*result.verdict, !doubts.empty(), out);
  add_figures(result, out);
  for (const auto& finding : findings_of(result)) out.add("notice", "finding", {words_of(result, finding)});
  return out.take();
}

std::string verdict_to_github(const Verdict& verdict) {
  Annotations out;
  add_judgements(verdict, Decision::fail, "error", out);
  add_undecided(verdict, out);
  add_outcome(verdict, false, out);
  return out.take();
}

}  // namespace infermeter
