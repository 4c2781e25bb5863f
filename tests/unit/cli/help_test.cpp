#include "cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "catch.hpp"
#include "cli/options/foreign_names.hpp"
#include "cli/options/option_table.hpp"
#include "cli/saved.hpp"
#include "cli/simulate.hpp"
#include "infermeter/report/formats.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

constexpr std::size_t kNameColumn = 6;
std::string page(std::string_view name) { return command_help(command(name)); }

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The number of columns on a terminal: counts bytes that begin a character.
std::size_t width(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_help(const std::string& line, const std::string& page) {
  const CommandLine read = parse(words_of(line));
  return !read.action && read.text == page;
}

std::string document(const std::string& name) {
  std::ifstream file(INFERMETER_SOURCE_DIR "/docs/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The lines about one command: below its own heading; those of run come before the first heading.
std::vector<std::string> section(std::string_view name) {
  std::vector<std::string> out;
  std::string at = "run";
  for (const auto& line : lines_of(document("configuration.md"))) {
    constexpr std::string_view kHeading = "## `infermeter ";
    if (line.starts_with(kHeading))
      at = line.substr(kHeading.size(), line.find_first_of(" `", kHeading.size()) - kHeading.size());
    if (at == name) out.push_back(line);
  }
  return out;
}

bool has_row(const std::vector<std::string>& lines, const std::string& name, const std::string& value) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    const bool named = line.starts_with("| `" + name + " ") || line.starts_with("| `" + name + "`");
    return named && line.find(" | " + value + " | ") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("help: every page fits 80 columns") {
  std::vector<std::string> pages{program_help()};
  for (const auto& command : commands()) pages.push_back(command_help(command));
  for (const auto& text : pages) {
    for (const auto& line : lines_of(text)) {
      CAPTURE(line);
      CHECK(width(line) <= 80);
    }
  }
}

TEST_CASE("help: the first page fits one screen and shows every command and three examples") {
  const std::string text = program_help();
  CHECK(lines_of(text).size() <= 24);
  CHECK(text.find("\n  infermeter run --sim\n  infermeter run http://localhost:8000 --concurrency 32") !=
        std::string::npos);
  CHECK(text.find("\n  run [URL]          measure a server, or") != std::string::npos);
  for (const auto& command : commands()) {
    CAPTURE(std::string(command.name));
    CHECK(text.find("\n  " + std::string(command.name) + " ") != std::string::npos);
    CHECK(text.find("  " + std::string(command.summary) + "\n") != std::string::npos);
  }
}

TEST_CASE("help: every option of run stands in one line with its default") {
  const auto lines = lines_of(page("run"));
  for (const auto& spec : run_options()) {
    CAPTURE(std::string(spec.name));
    if (is_positional(spec.takes) || spec.name == "help") continue;
    const std::string name = "--" + std::string(spec.name) + " ";
    const std::string value(spec.fallback.empty() ? spec.otherwise : spec.fallback);
    const auto names_it = [&](const std::string& line) {
      return line.find(name) == kNameColumn && line.ends_with("[" + value + "]");
    };
    CHECK(!value.empty());
    CHECK(std::ranges::count_if(lines, names_it) == 1);
  }
}

TEST_CASE("help: the longest name does not run into its explanation") {
  CHECK(page("run").find("    --shared-prefix-tokens N  common prefix") != std::string::npos);
}

TEST_CASE("help: the page of simulate lists presets and faults") {
  const std::string text = page("simulate");
  CHECK(text.find("\nPresets\n  h100-8b                     ") != std::string::npos);
  CHECK(text.find("\nFaults (KIND of --fault)\n  429 ") != std::string::npos);
}

TEST_CASE("help: is found under each of its names and wins over errors beside it") {
  for (const auto* line : {"", "--help", "-h", "help"}) CHECK(is_help(line, program_help()));
  for (const auto& command : commands()) {
    const std::string name(command.name), text = command_help(command);
    CHECK(is_help("help " + name, text));
    CHECK(is_help(name + " --help", text));
    CHECK(is_help(name + " --concurency 8 -h", text));
  }
  CHECK(parse({"--version"}).text.starts_with("infermeter "));
}

TEST_CASE("help: every example is a command line that its command takes") {
  for (const auto& command : commands()) {
    for (auto line : lines_of(std::string(command.examples))) {
      CAPTURE(line);
      line = line.substr(line.find("infermeter "));
      CHECK(line.starts_with("infermeter " + std::string(command.name) + " "));
      if (line.find("…") != std::string::npos || line.find('\'') != std::string::npos) continue;
      if (line.find("URL") != std::string::npos)
        line = std::regex_replace(line, std::regex(" URL"), " http://h");
      CHECK(parse(words_of(line.substr(11))).action);
    }
  }
}

TEST_CASE("help: the simulator's default preset is the one of its server") {
  CHECK(invoked(simulate_request, {"simulate"}).preset == sim::ServerOptions{}.preset);
}

TEST_CASE("help: simulate and report read their options") {
  const auto request =
      invoked(simulate_request, words_of("simulate card --host 0.0.0.0 --port 0 --time-scale 0.5 "
                                         "--seed 3 --truth t --fault 429 --fault reset:5%"));
  CHECK(request.preset == "card");
  CHECK(request.host == "0.0.0.0");
  CHECK(request.port == 0);
  CHECK(request.time_scale == 0.5);
  CHECK(request.seed == 3);
  CHECK(request.truth_path == "t");
  REQUIRE(request.faults.size() == 2);
  CHECK(request.faults[0].kind == "429");
  CHECK(request.faults[1].share == 0.05);
  CHECK(invoked(simulate_request, {"simulate"}).port == 8000);
  const auto report = invoked(report_request, words_of("report out --format csv --wide"));
  CHECK(report.directory == "out");
  CHECK(report.format.name == "csv");
  CHECK(report.wide);
  CHECK(invoked(report_request, words_of("report out --plot")).plot);
  CHECK(invoked(report_request, words_of("report out --format html")).format.name == "html");
  CHECK(report.file.empty());
}

TEST_CASE("help: a report per request is CSV, and may go into a file") {
  const auto report = invoked(report_request, words_of("report out --format csv --per-request -o r.csv"));
  CHECK(report.format.per_request);
  CHECK(report.file == "r.csv");
  CHECK(invoked(report_request, words_of("report out --format vllm")).format.name == "vllm");
}

TEST_CASE("formats: report takes every one, and its help and docs/reports.md name it") {
  const std::string docs = document("reports.md");
  const std::string report = page("report"), compare = page("compare");
  for (const auto& format : formats()) {
    CAPTURE(format.name);
    const std::string name(format.name);
    CHECK(invoked(report_request, {"report", "out", "--format", name}).format.name == name);
    CHECK(report.find(name) != std::string::npos);
    CHECK(docs.find("\n| `" + name + "` |") != std::string::npos);
    if (format.requests) CHECK(docs.find("\n| `" + name + " --per-request` |") != std::string::npos);
    if (format.comparison) CHECK(compare.find(name) != std::string::npos);
  }
}

TEST_CASE("help: the documentation of every command has a row for each option, with its default") {
  for (const auto& command : commands()) {
    const auto lines = section(command.name);
    CAPTURE(std::string(command.name));
    CHECK(!lines.empty());
    for (const auto& spec : command.listed()) {
      CAPTURE(std::string(spec.name));
      if (spec.name == "help") continue;
      const std::string name =
          is_positional(spec.takes) ? std::string(spec.argument) : "--" + std::string(spec.name);
      CHECK(has_row(lines, name, std::string(spec.fallback.empty() ? spec.otherwise : spec.fallback)));
    }
  }
}

TEST_CASE("help: the documentation has every alias, and the exit codes of every command") {
  const std::string page = document("configuration.md");
  for (const auto& alias : aliases()) {
    CAPTURE(std::string(alias.name));
    CHECK(page.find("`--" + std::string(alias.name) + "`") != std::string::npos);
  }
  std::string codes = document("exit-codes.md");
  codes = std::regex_replace(codes, std::regex("`--assert`"), "--assert");
  for (const auto& command : commands()) {
    CAPTURE(std::string(command.name));
    CHECK(codes.find(fmt::format("\n| `{}` | {} |\n", command.name, command.exit_codes)) !=
          std::string::npos);
  }
}
