// Critical properties of the formats for other programs: escaping, markers, and how each reports an
// untrustworthy run.
#include "infermeter/report/formats.hpp"
#include "base/text.hpp"
#include "catch.hpp"
#include "example_results.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/table.hpp"
#include "report/media/media.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

Verdict open_verdict(int exit_code) {
  Verdict verdict;
  verdict.decision = Decision::undecided;
  verdict.exit_code = exit_code;
  verdict.judgements = {{.decision = Decision::undecided, .text = "ttft.p99 < 150ms"}};
  return verdict;
}

RunResult killed_run() {
  RunResult run = good_run();
  run.complete = false;
  run.points[0].validity.partial = true;
  return run;
}

}  // namespace

TEST_CASE("report: a label with an ill-formed UTF-8 byte makes no file that does not parse") {
  const std::string bad = "a\xff|\xe2\x82|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80";
  CHECK(xml_text(bad) == "a?|??|??|???|????");
  RunResult run = good_run();
  run.labels = {{"team" + bad, bad}};
  run.targets[0].name = bad;
  run.verdict = open_verdict(0);
  run.verdict->judgements[0].text = bad;
  const std::vector<RequestRecord> none;
  for (const std::string& text :
       {result_to_junit(run), result_to_markdown(run), result_to_github(run), result_to_json(run),
        result_to_csv(run), render_html(run, Charts{}), result_to_vllm(run, none), render_table(run, {})}) {
    CHECK(is_utf8(text));
    CHECK(text.find(bad.substr(0, 2)) == std::string::npos);
  }
}

TEST_CASE("markdown: text from elsewhere is no markup, no mention, no link to an issue") {
  CHECK(markdown_text("a|b <img> & *x* _y_ `z` [l](u) ~s~ \\") ==
        R"(a\|b &lt;img&gt; &amp; \*x\* \_y\_ \`z\` \[l\](u) \~s\~ \\)");
  CHECK(markdown_text("@all see #12") == "@&#8203;all see #&#8203;12");
  CHECK(markdown_text("one\ntwo\x1b[31m") == "one two \\[31m");
}

TEST_CASE("markdown: neither GH-12 nor !12 nor a bare address becomes a link") {
  CHECK(markdown_text("GH-12 gh-7 !12 &12") == "GH-&#8203;12 gh-&#8203;7 !&#8203;12 &amp;&#8203;12");
  CHECK(markdown_text("see https://evil.example or WWW.evil.example") ==
        "see https:&#8203;//evil.example or WWW&#8203;.evil.example");
  CHECK(markdown_text("GH-x! a: b, 5 - 3, -12, ww.") == "GH-x! a: b, 5 - 3, -12, ww.");
}

TEST_CASE("markdown: code holds any text, in a table too") {
  CHECK(markdown_code("a|b<c>") == "`a|b<c>`");
  CHECK(markdown_cell_code("a|b<c>") == "`a\\|b<c>`");
  CHECK(markdown_code("a `tick` b") == "``a `tick` b``");
  CHECK(markdown_code("`tick`") == "`` `tick` ``");
  CHECK(markdown_block("a\n````\nb") == "`````text\na\n````\nb\n`````\n");
}

TEST_CASE("markdown: the verdict is the first line, before any figure") {
  CHECK(result_to_markdown(asserted_run())
            .starts_with("### infermeter: FAIL\n\n- **FAIL** `ttft.p95 < 100ms`"));
  CHECK(result_to_markdown(good_run()).starts_with("### infermeter: trustworthy\n"));
  CHECK(result_to_markdown(untrustworthy_run()).starts_with("### infermeter: not to be trusted\n\n- "));
  CHECK(result_to_markdown(hopeless_run()).starts_with("### infermeter: nothing was measured\n"));
  CHECK(result_to_markdown(killed_run()).starts_with("### infermeter: not complete\n"));
}

TEST_CASE("markdown: many passed assertions are folded") {
  Verdict verdict;
  for (int i = 0; i < 9; ++i) verdict.judgements.push_back({.text = "x" + std::to_string(i)});
  const std::string text = verdict_to_markdown(verdict);
  CHECK(has(text, "- **pass** 9 more\n"));
  CHECK(text.find("`x0`") > text.find("<details>"));
}

TEST_CASE("junit: what XML may not hold does not reach it") {
  CHECK(xml_text("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(xml_text(std::string("\x01\x1b[0m\n\xff\xef\xbf\xbe", 10)) == "  [0m ??");
}

TEST_CASE("junit: what cannot be told is an error, and skipped where it was asked to pass") {
  CHECK(has(verdict_to_junit(open_verdict(5)), R"(<error type="undecided")"));
  CHECK(has(verdict_to_junit(open_verdict(1)), R"(<error type="undecided")"));
  CHECK(has(verdict_to_junit(open_verdict(0)), R"(<skipped type="undecided")"));
}

TEST_CASE("junit: a run that was killed or is not to be trusted is not green") {
  CHECK(has(result_to_junit(good_run()), R"(tests="3" failures="0" errors="0")"));
  CHECK(has(result_to_junit(killed_run()), R"(<error type="incomplete" message="the run was killed)"));
  CHECK(has(result_to_junit(untrustworthy_run()),
            R"(<error type="untrustworthy" message="Not to be trusted: client)"));
  CHECK(has(result_to_junit(hopeless_run()), R"(message="Nothing was measured: no request ended well)"));
}

TEST_CASE("junit, github: a gate that passes is not red for a pair that it set aside") {
  CHECK_FALSE(has(result_to_junit(set_aside_run()), "<error"));
  CHECK_FALSE(has(result_to_github(set_aside_run()), "::error"));
  CHECK_FALSE(has(result_to_markdown(set_aside_run()), "\n- candidate, pair 7"));
  RunResult distrusted = set_aside_run();
  distrusted.verdict->trustworthy = false;
  CHECK(has(result_to_junit(distrusted), "<error type=\"untrustworthy\" message=\"candidate, pair 7"));
}

TEST_CASE("github: a message is one line, and a title ends at neither comma nor colon") {
  Verdict verdict = assert_verdict();
  verdict.judgements[0].text = "ttft.p95[target=a, class=b] < 1s: 100%";
  verdict.judgements[0].reason = "one\ntwo";
  const std::string text = verdict_to_github(verdict);
  CHECK(text.starts_with("::error title=infermeter%3A ttft.p95[target=a%2C class=b] < 1s%3A 100%25::FAIL: "));
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    CHECK(text.compare(at, 2, "::") == 0);
}

TEST_CASE("github: an open question warns, and is a note where it was asked to pass") {
  CHECK(has(verdict_to_github(open_verdict(5)), "::warning title=infermeter%3A ttft.p99 < 150ms::"));
  CHECK(has(verdict_to_github(open_verdict(0)), "::notice title=infermeter%3A ttft.p99 < 150ms::"));
}
