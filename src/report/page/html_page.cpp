#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

#include "model/load.hpp"
#include "report/media/media.hpp"
#include "report/page/html_parts.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/remarks.hpp"
#include "report/tables/sections.hpp"
#include "report/tables/sweep.hpp"
#include "report/words/health_words.hpp"
#include "report/words/verdict_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kNamedTargets = 3;
constexpr unsigned kUnbroken = 1000;  // columns: the browser breaks lines

/// The output of `print` as HTML.
std::string printed(const std::function<void(Page&)>& print) {
  TableOptions options;
  options.width = kUnbroken;
  Page page(options, PageForm::html);
  print(page);
  return page.take();
}

std::string title_words(const RunResult& result) {
  if (result.targets.size() > kNamedTargets) return counted(result.targets.size(), "target", "targets");
  if (result.targets.size() > 1) {
    std::string names;
    for (std::uint32_t i = 0; i < result.targets.size(); ++i)
      names += (names.empty() ? "" : " and ") + target_name(result, i);
    return names;
  }
  if (result.targets.empty()) return "A run";
  return result.targets.front().model.empty() ? target_name(result, 0) : result.targets.front().model;
}

/// The verdict of the whole: it colours the frame. The text inside gives the reason.
std::string_view state_of(const Verdict& verdict) {
  const Ending ending = ending_of(verdict);
  if (ending == Ending::run_failed || !verdict.trustworthy) return "is_bad";
  if (ending == Ending::interrupted) return "is_warn";
  if (verdict.decision == Decision::fail) return "is_bad";
  return verdict.decision == Decision::pass ? "is_good" : "is_warn";
}

std::string_view state_of(const RunResult& result) {
  const HealthState health = worst_health(result);
  if (health == HealthState::failed || !doubts_of(result).empty()) return "is_bad";
  const std::string_view judged = result.verdict ? state_of(*result.verdict) : "is_good";
  return judged == "is_good" && health == HealthState::degraded ? "is_warn" : judged;
}

std::string header(const RunResult& result) {
  return fmt::format("<p class=\"dim\">infermeter {}   {}</p>\n<h1>{}</h1>\n",
                     escape_html(result.tool_version), escape_html(result.start_utc),
                     escape_html(title_words(result))) +
         printed([&](Page& page) { print_header(result, page); });
}

std::string headline(const Verdict& verdict) {
  const auto line = [](const char* colour, const char* words) {
    return fmt::format("<p class=\"decision {}\">{}</p>\n", colour, words);
  };
  const Ending ending = ending_of(verdict);
  if (ending == Ending::interrupted) return line("warn", "! Interrupted");
  if (ending == Ending::run_failed) return line("bad", "✘ The run failed");
  if (!verdict.trustworthy) return line("bad", "✘ Not to be trusted, so nothing is decided");
  if (verdict.decision == Decision::undecided) return line("warn", "? Cannot tell");
  return verdict.decision == Decision::pass ? line("good", "✔ Pass") : line("bad", "✘ Fail");
}

std::string verdict(const RunResult& result) {
  std::string out = result.verdict ? html_verdict(*result.verdict) : std::string();
  return out + printed([&](Page& page) {
           print_headline(result, page);
           if (result.points.size() == 1) {
             print_trust(result, result.points.front(), page);
             print_findings(result.points.front(), page);
           } else {
             print_trust_of_points(result, page);
             print_grouped_findings(result, page);
           }
           print_sweep_sentences(result, page);
         });
}

std::string figures(const RunResult& result) {
  const std::string head = "<h2>Figures</h2>\n";
  if (result.points.empty()) return head + "<p>The result holds no load point.</p>\n";
  return head + printed([&](Page& page) {
           if (result.points.size() == 1) {
             print_figures(result.points.front(), true, true, page);
           } else {
             print_overview(result, true, page);
             print_all_ends(result, page);
           }
           print_context_fits(result, page);
         });
}

/// For a sweep or several targets: what does not fit in the one table.
std::string each_point(const RunResult& result) {
  if (result.points.size() < 2) return {};
  std::string out = "<h2>Each point in full</h2>\n";
  for (const auto& point : result.points) {
    if (!was_measured(point)) continue;
    out += fmt::format("<details><summary>{}</summary>\n", escape_html(plain_title(result, point)));
    out += printed([&](Page& page) { print_figures(point, true, true, page); }) + "</details>\n";
  }
  return out;
}

void add_row(std::string& rows, const char* what, const std::string& value) {
  if (!value.empty()) rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", what, escape_html(value));
}

std::string surroundings(const RunResult& result) {
  const Environment& here = result.environment;
  std::string rows;
  add_row(rows, "Command", result.command_line);
  add_row(rows, "Run", result.run_id);
  add_row(rows, "CPU", here.cores > 0 ? fmt::format("{} ({} cores)", here.cpu, here.cores) : here.cpu);
  add_row(rows, "System", here.os + (here.kernel.empty() ? "" : ", " + here.kernel));
  add_row(rows, "Governor", here.governor);
  add_row(rows, "Build", here.build_type + (here.compiler.empty() ? "" : ", " + here.compiler));
  add_row(rows, "Arrival times", std::string(name(here.timestamp_source)));
  return "<h2>Environment</h2>\n<dl>\n" + rows + "</dl>\n";
}

using Parts = std::array<std::pair<std::string_view, std::string>, 12>;

/// Replaces {{name}} in the template; the inserted text is not scanned again.
std::string filled(std::string_view text, const Parts& parts) {
  std::string out;
  while (true) {
    const auto open = text.find("{{");
    const auto close = text.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return out.append(text);
    out += text.substr(0, open);
    const auto name = text.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : parts) {
      if (key == name) out += value;
    }
    text.remove_prefix(close + 2);
  }
}

/// The changing parts of the page; text from elsewhere is escaped already, except in the title.
struct Contents {
  std::string title, header, state, verdict, figures, each_point, surroundings, data;
};

std::string page_of(const Contents& contents) {
  const PageAsset style = page_style(), library = chart_library(), script = page_script();
  const Parts parts{
      {{"title", escape_html(contents.title) + " · infermeter"},
       {"style_hash", fmt::format("'{}'", style.hash)},
       {"script_hashes", fmt::format("'{}' '{}'", library.hash, script.hash)},
       {"style", style.text()},
       {"header", contents.header},
       {"state", contents.state},
       {"verdict", contents.verdict},
       {"figures", contents.figures},
       {"each_point", contents.each_point},
       {"surroundings", contents.surroundings},
       {"data", contents.data},
       {"scripts", "<script>" + library.text() + "</script>\n<script>" + script.text() + "</script>"}}};
  return filled(page_template().text(), parts);
}

}  // namespace

std::string html_verdict(const Verdict& verdict) {
  const TableOptions options;
  Page judgements(options, PageForm::html), units(options, PageForm::html);
  print_judgements(verdict, true, judgements);
  print_table(units_table(verdict), units);
  const std::string each = units.take();
  return headline(verdict) + judgements.take() +
         (each.empty() ? each
                       : fmt::format("<details><summary>Each {}</summary>\n{}</details>\n",
                                     verdict.basis == Basis::runs ? "run" : "pair", each));
}

std::string render_html(const RunResult& result, const Charts& charts) {
  return page_of({.title = title_words(result),
                  .header = header(result),
                  .state = std::string(state_of(result)),
                  .verdict = verdict(result),
                  .figures = figures(result),
                  .each_point = each_point(result),
                  .surroundings = surroundings(result),
                  .data = chart_data(result, charts)});
}

std::string verdict_to_html(const Verdict& verdict) {
  return page_of({.title = "Verdict",
                  .header = "<h1>Verdict on saved results</h1>\n",
                  .state = std::string(state_of(verdict)),
                  .verdict = html_verdict(verdict),
                  .figures = {},
                  .each_point = {},
                  .surroundings = {},
                  .data = chart_data({}, {})});
}

}  // namespace infermeter
