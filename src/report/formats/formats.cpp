#include "infermeter/report/formats.hpp"

#include <algorithm>
#include <stdexcept>

#include "infermeter/report/result_json.hpp"

namespace infermeter {

// Reporters that are called only through their row.
std::string result_to_tsv(const RunReport& report);
std::string requests_to_tsv(const RunReport& report);

namespace {

using Run = const RunReport&;

constexpr FormatSpec kFormats[] = {
    {.name = "table",
     .extension = "txt",
     .run = [](Run r) { return render_table(r.run, r.options); },
     .verdict = render_verdict,
     .comparison = render_side_by_side,
     .verdict_alone = true},
    {.name = "json",
     .extension = "json",
     .run = [](Run r) { return result_to_json(r.run); },
     .verdict = [](const Verdict& verdict, const TableOptions&) { return verdict_to_json(verdict); },
     .comparison = [](const SideBySide& compared,
                      const TableOptions&) { return side_by_side_to_json(compared); },
     .verdict_alone = true},
    {.name = "csv",
     .extension = "csv",
     .run = [](Run r) { return result_to_csv(r.run); },
     .requests = [](Run r) { return requests_to_csv(r.run, r.records); }},
    {.name = "tsv", .extension = "tsv", .run = result_to_tsv, .requests = requests_to_tsv},
    {.name = "markdown",
     .extension = "md",
     .run = [](Run r) { return result_to_markdown(r.run); },
     .verdict = [](const Verdict& verdict, const TableOptions&) { return verdict_to_markdown(verdict); },
     .comparison = [](const SideBySide& compared,
                      const TableOptions&) { return side_by_side_to_markdown(compared); }},
    {.name = "junit",
     .extension = "junit.xml",
     .run = [](Run r) { return result_to_junit(r.run); },
     .verdict = [](const Verdict& verdict, const TableOptions&) { return verdict_to_junit(verdict); }},
    {.name = "github",
     .extension = "github.txt",
     .run = [](Run r) { return result_to_github(r.run); },
     .verdict = [](const Verdict& verdict, const TableOptions&) { return verdict_to_github(verdict); }},
    {.name = "vllm", .extension = "vllm.json", .run = [](Run r) { return result_to_vllm(r.run, r.records); }},
    {.name = "html",
     .extension = "html",
     .run = [](Run r) { return render_html(r.run, r.charts()); },
     .verdict = [](const Verdict& verdict, const TableOptions&) { return verdict_to_html(verdict); }}};

}  // namespace

std::span<const FormatSpec> formats() { return kFormats; }

const FormatSpec& format_named(std::string_view name) {
  const auto* it = std::ranges::find(kFormats, name, &FormatSpec::name);
  if (it == std::end(kFormats)) throw std::out_of_range("no format is called " + std::string(name));
  return *it;
}

std::string format_names(bool (*can)(const FormatSpec&)) {
  std::string names;
  for (const auto& format : kFormats) {
    if (can(format)) names.append(names.empty() ? "" : ", ").append(format.name);
  }
  return names;
}

}  // namespace infermeter
