#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "report/media/media.hpp"
#include "report/tables/remarks.hpp"
#include "report/words/health_words.hpp"
#include "report/words/verdict_words.hpp"

namespace infermeter {
namespace {

enum class Mark { passed, failure, error, skipped };

struct Case {
  std::string name, kind;
  Mark mark = Mark::passed;
  std::string type, message;  // the message of a failure or error; without one it is printed as output
};

struct Suite {
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<Case> cases;
  std::string started;
  double seconds = 0;
};

/// An undecided judgement is not a failure of the server: it is an error, unless the user asked that it pass.
Mark mark_of(const Judgement& judgement, const Verdict& verdict) {
  if (judgement.decision == Decision::pass) return Mark::passed;
  if (judgement.decision == Decision::fail) return Mark::failure;
  return verdict.decision == Decision::undecided && verdict.exit_code == 0 ? Mark::skipped : Mark::error;
}

Case case_of(const Judgement& judgement, const Verdict& verdict) {
  Case one;
  one.name = judgement.text + (judgement.where.empty() ? "" : " (" + judgement.where + ")");
  one.kind = std::string(name(judgement.kind));
  one.mark = mark_of(judgement, verdict);
  one.type = judgement.decision == Decision::fail ? "broken" : "undecided";
  one.message = figures_words(judgement);
  const std::string remark = remark_words(judgement);
  if (!remark.empty()) one.message += (one.message.empty() ? "" : ". ") + remark;
  return one;
}

void add_judgements(const Verdict& verdict, Suite& suite) {
  for (const auto& judgement : verdict.judgements) suite.cases.push_back(case_of(judgement, verdict));
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& sentence : sentences) text += (text.empty() ? "" : " ") + as_sentence(sentence);
  return text;
}

/// Whether the servers did their work.
Case answered_case(const RunResult& result) {
  std::string message;
  for (const auto* health : complaints_of(result))
    message += fmt::format("{}{} ({}).", message.empty() ? "" : " ", health_words(result, *health),
                           failures_words(*health));
  return {"answered", "run", message.empty() ? Mark::passed : Mark::error, "failed_requests", message};
}

void add_run_cases(const RunResult& result, Suite& suite) {
  suite.cases.push_back(answered_case(result));
  const std::string incomplete = why_incomplete(result);
  suite.cases.push_back(
      {"completed", "run", incomplete.empty() ? Mark::passed : Mark::error, "incomplete", incomplete});
  const std::string doubts = joined(doubts_of(result));
  const bool trusted = doubts.empty() && (!result.verdict || result.verdict->trustworthy);
  suite.cases.push_back({"trustworthy", "run", trusted ? Mark::passed : Mark::error, "untrustworthy",
                         doubts.empty() && !trusted ? "what was judged is not to be trusted" : doubts});
}

/// Of all load points; those of several targets at the same time overlap.
double seconds_of(const RunResult& result) {
  std::map<std::uint32_t, double> longest;
  for (const auto& point : result.points)
    longest[point.point] = std::max(longest[point.point], point.whole.window_s);
  double sum = 0;
  for (const auto& [point, seconds] : longest) sum += std::isfinite(seconds) ? seconds : 0;
  return sum;
}

void add_properties(const RunResult& result, Suite& suite) {
  const auto add = [&](std::string name, const std::string& value) {
    if (!value.empty()) suite.properties.emplace_back(std::move(name), value);
  };
  add("infermeter", result.tool_version);
  add("command", result.command_line);
  for (const auto& target : result.targets) {
    add("url", target.url);
    add("model", target.model);
  }
  for (const auto& point : result.points)
    add("figures",
        (result.points.size() > 1 ? points_named(result, {&point}) + ": " : "") + main_figures(point));
}

std::string_view element_of(Mark mark) {
  if (mark == Mark::failure) return "failure";
  return mark == Mark::error ? "error" : "skipped";
}

std::string case_xml(const Case& one) {
  const std::string head =
      fmt::format("    <testcase name=\"{}\" classname=\"infermeter.{}\"", xml_text(one.name), one.kind);
  const std::string message = xml_text(one.message);
  if (one.mark != Mark::passed)
    return fmt::format("{}>\n      <{} type=\"{}\" message=\"{}\"/>\n    </testcase>\n", head,
                       element_of(one.mark), one.type, message);
  if (message.empty()) return head + "/>\n";
  return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", head, message);
}

std::string counts_xml(const Suite& suite, bool with_skipped) {
  const auto count = [&](Mark mark) { return std::ranges::count(suite.cases, mark, &Case::mark); };
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"{} time=\"{:.3f}\"", suite.cases.size(),
                     count(Mark::failure), count(Mark::error),
                     with_skipped ? fmt::format(" skipped=\"{}\"", count(Mark::skipped)) : "", suite.seconds);
}

std::string suite_xml(const Suite& suite) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"infermeter\" {}>\n", counts_xml(suite, false));
  out += fmt::format("  <testsuite name=\"infermeter\" {}{}>\n", counts_xml(suite, true),
                     suite.started.empty() ? "" : fmt::format(" timestamp=\"{}\"", xml_text(suite.started)));
  if (!suite.properties.empty()) out += "    <properties>\n";
  for (const auto& [name, value] : suite.properties)
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_text(value));
  if (!suite.properties.empty()) out += "    </properties>\n";
  for (const auto& one : suite.cases) out += case_xml(one);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace

std::string result_to_junit(const RunResult& result) {
  Suite suite;
  suite.started = result.start_utc;
  suite.seconds = seconds_of(result);
  add_properties(result, suite);
  if (result.verdict) add_judgements(*result.verdict, suite);
  add_run_cases(result, suite);
  return suite_xml(suite);
}

std::string verdict_to_junit(const Verdict& verdict) {
  Suite suite;
  add_judgements(verdict, suite);
  suite.cases.push_back({"trustworthy", "run", verdict.trustworthy ? Mark::passed : Mark::error,
                         "untrustworthy", verdict.trustworthy ? "" : "what was judged is not to be trusted"});
  return suite_xml(suite);
}

}  // namespace infermeter
