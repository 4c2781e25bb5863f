#include "cli/options/compare_options.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/options/option_table.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

using enum Takes;

// clang-format off: one option a line, as in the help that is made of it
constexpr OptionSpec kCompareOptions[] = {
  {"results", 0, arguments, "RESULT", "", "two at least", "Compare", "folder or file (vLLM bench's too)"},
  {"format", 0, value, "F", "table", "", "Compare", "table, json or markdown"},
  {"wide", 0, flag, "", "", "off", "Compare", "all metrics of a sweep"},
  {"help", 'h', flag, "", "", "", "Compare", "this page"},
};
// clang-format on

}  // namespace

std::span<const OptionSpec> compare_options() { return kCompareOptions; }

CompareRequest compare_request(const Values& values) {
  constexpr std::array<std::string_view, 3> kNames{"table", "json", "markdown"};
  constexpr std::array kFormats{Format::table, Format::json, Format::markdown};
  CompareRequest request;
  request.paths = values.list("results");
  if (request.paths.size() < 2)
    throw UsageError(request.paths.empty() ? "compare: names no result"
                                           : fmt::format("compare: only one result, {}", request.paths[0]),
                     "infermeter compare results/before results/after");
  request.format = kFormats[values.choice("format", kNames)];
  request.wide = values.flag("wide");
  return request;
}

}  // namespace infermeter
