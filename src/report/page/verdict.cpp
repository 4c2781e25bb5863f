#include "report/page/verdict.hpp"

#include <fmt/format.h>

#include "report/tables/verdict_lines.hpp"

namespace infermeter {
namespace {

std::string headline(const Verdict& verdict) {
  const auto line = [](const char* colour, const char* words) {
    return fmt::format("<p class=\"decision {}\">{}</p>\n", colour, words);
  };
  if (!verdict.trustworthy) return line("bad", "✘ Not to be trusted, so nothing is decided");
  if (verdict.decision == Decision::undecided) return line("warn", "? Cannot tell");
  return verdict.decision == Decision::pass ? line("good", "✔ Pass") : line("bad", "✘ Fail");
}

}  // namespace

std::string html_verdict(const Verdict& verdict) {
  const TableOptions options;
  Page judgements(options, PageForm::html), units(options, PageForm::html);
  print_judgements(verdict, true, judgements);
  print_units(verdict, units);
  const std::string each = units.take();
  return headline(verdict) + judgements.take() +
         (each.empty() ? each
                       : fmt::format("<details><summary>Each {}</summary>\n{}</details>\n",
                                     verdict.basis == Basis::runs ? "run" : "pair", each));
}

}  // namespace infermeter
