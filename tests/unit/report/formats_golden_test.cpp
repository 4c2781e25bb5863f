// Formats other than table, JSON and CSV, each compared with its golden file.
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "comma_locale.hpp"
#include "example_results.hpp"
#include "golden.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/table.hpp"

using namespace infermeter;

namespace {

void check_golden(const std::string& file, const std::function<std::string()>& render) {
  INFO(file);
  const std::string plain = render();
  CHECK(plain == golden(file, plain));
  const CommaLocale locale;
  CHECK(render() == plain);
}

}  // namespace

TEST_CASE("verdict: every page is as in its golden file, in a comma-decimal locale too") {
  const std::tuple<const char*, Verdict (*)(), TableOptions> cases[] = {
      {"verdict_assert_40.txt", assert_verdict, {.width = 40}},
      {"verdict_assert_80.txt", assert_verdict, {.width = 80}},
      {"verdict_assert_80_color.txt", assert_verdict, {.width = 80, .color = true}},
      {"verdict_assert_160.txt", assert_verdict, {.width = 160}},
      {"verdict_gate_80.txt", gate_verdict, {.width = 80}},
      {"verdict_gate_80_ascii.txt", gate_verdict, {.width = 80, .ascii = true}},
      {"verdict_gate_80_wide.txt", gate_verdict, {.width = 80, .wide = true}},
      {"verdict_gate_160.txt", gate_verdict, {.width = 160}},
      {"verdict_untrusted_80.txt", untrusted_verdict, {.width = 80}},
      {"verdict_passed_80.txt", passed_verdict, {.width = 80}},
      {"verdict_passed_80_wide.txt", passed_verdict, {.width = 80, .wide = true}}};
  for (const auto& [file, verdict, options] : cases)
    check_golden(file, [make = verdict, &how = options] { return render_verdict(make(), how); });
}

TEST_CASE("verdict: its JSON is as in its golden file, in a comma-decimal locale too") {
  check_golden("verdict_assert.json", [] { return verdict_to_json(assert_verdict()); });
  check_golden("verdict_gate.json", [] { return verdict_to_json(gate_verdict()); });
}

namespace {

using Runs = std::vector<std::pair<std::string, RunResult (*)()>>;

/// One point, many, without a figure, with targets, and the verdicts.
const Runs& runs() {
  static const Runs all{
      {"good", good_run},         {"failing", failing_run}, {"untrustworthy", untrustworthy_run},
      {"hopeless", hopeless_run}, {"sweep", sweep_run},     {"targets", targets_run},
      {"asserted", asserted_run}, {"pairs", pairs_run},     {"set_aside", set_aside_run}};
  return all;
}

}  // namespace

TEST_CASE("markdown: every result is as in its golden file, in a comma-decimal locale too") {
  for (const auto& [name, make] : runs())
    check_golden(name + ".md", [make = make] { return result_to_markdown(make()); });
  check_golden("verdict_gate.md", [] { return verdict_to_markdown(gate_verdict()); });
}

TEST_CASE("junit: every result is as in its golden file, in a comma-decimal locale too") {
  for (const auto& [name, make] : runs())
    check_golden(name + ".junit.xml", [make = make] { return result_to_junit(make()); });
  check_golden("verdict_gate.junit.xml", [] { return verdict_to_junit(gate_verdict()); });
}

TEST_CASE("github: every result is as in its golden file, in a comma-decimal locale too") {
  for (const auto& [name, make] : runs())
    check_golden(name + ".github.txt", [make = make] { return result_to_github(make()); });
  check_golden("verdict_gate.github.txt", [] { return verdict_to_github(gate_verdict()); });
}
