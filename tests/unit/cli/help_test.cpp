#include "cli/help.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "cli/options/foreign_names.hpp"
#include "cli/options/option_table.hpp"
#include "parsing.hpp"
#include "sim/engine/engine_model.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

constexpr std::size_t kNameColumn = 6;
const NamedLines kPresets{{"h100-8b", "an 8B model"}}, kFaults{{"429", "rate limited"}};

std::string page(HelpTopic topic) { return help_text(topic, kPresets, kFaults); }

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Columns on a terminal: bytes that begin a character.
std::size_t width(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_help(const std::string& line, HelpTopic topic) {
  const Command command = parse(words_of(line));
  return std::holds_alternative<ShowHelp>(command) && std::get<ShowHelp>(command).topic == topic;
}

std::string documentation() {
  std::ifstream file(INFERMETER_SOURCE_DIR "/docs/configuration.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("help: every page fits 80 columns, also with the real presets and faults") {
  for (const auto topic : {HelpTopic::program, HelpTopic::run, HelpTopic::gate, HelpTopic::simulate,
                           HelpTopic::compare, HelpTopic::report, HelpTopic::merge, HelpTopic::scenarios}) {
    for (const auto& line : lines_of(help_text(topic, sim::preset_list(), sim::fault_list()))) {
      CAPTURE(line);
      CHECK(width(line) <= 80);
    }
  }
}

TEST_CASE("help: the first page fits one screen and shows the commands and three examples") {
  const std::string text = page(HelpTopic::program);
  CHECK(lines_of(text).size() <= 24);
  for (const char* part : {"  infermeter run --sim\n", "  run [URL]", "  simulate [PRESET]", "  report DIR"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("help: every option of run stands in one line with its default") {
  const auto lines = lines_of(page(HelpTopic::run));
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
  CHECK(page(HelpTopic::run).find("    --shared-prefix-tokens N  the same opening") != std::string::npos);
}

TEST_CASE("help: the page of simulate lists presets and faults") {
  const std::string text = page(HelpTopic::simulate);
  CHECK(text.find("h100-8b                     an 8B model") != std::string::npos);
  CHECK(text.find("429                         rate limited") != std::string::npos);
}

TEST_CASE("help: is found under each of its names and wins over errors beside it") {
  CHECK(is_help("", HelpTopic::program));
  CHECK(is_help("--help", HelpTopic::program));
  CHECK(is_help("-h", HelpTopic::program));
  CHECK(is_help("help run", HelpTopic::run));
  CHECK(is_help("run --help", HelpTopic::run));
  CHECK(is_help("run --concurency 8 -h", HelpTopic::run));
  CHECK(is_help("simulate -h", HelpTopic::simulate));
  CHECK(is_help("report --help", HelpTopic::report));
  CHECK(is_help("merge -h", HelpTopic::merge));
  CHECK(is_help("scenarios -h", HelpTopic::scenarios));
  CHECK(std::holds_alternative<ShowVersion>(parse(words_of("--version"))));
}

TEST_CASE("help: the simulator's default preset is the one of its server") {
  CHECK(std::get<SimulateRequest>(parse({"simulate"})).server.preset == sim::ServerOptions{}.preset);
}

TEST_CASE("help: simulate and report read their options") {
  const auto request =
      std::get<SimulateRequest>(parse(words_of("simulate card --host 0.0.0.0 --port 0 --time-scale 0.5 "
                                               "--seed 3 --truth t --fault 429 --fault reset:5%")));
  CHECK(request.server.preset == "card");
  CHECK(request.server.host == "0.0.0.0");
  CHECK(request.server.port == 0);
  CHECK(request.server.time_scale == 0.5);
  CHECK(request.server.seed == 3);
  CHECK(request.server.truth_path == "t");
  CHECK(request.faults == std::vector<std::string>{"429", "reset:5%"});
  CHECK(std::get<SimulateRequest>(parse({"simulate"})).server.port == 8000);
  const auto report = std::get<ReportOptions>(parse(words_of("report out --format csv --wide")));
  CHECK(report.directory == "out");
  CHECK(report.format == Format::csv);
  CHECK(report.wide);
  CHECK(std::get<ReportOptions>(parse(words_of("report out --plot"))).plot);
  CHECK(std::get<ReportOptions>(parse(words_of("report out --format html"))).format == Format::html);
  CHECK(report.file.empty());
}

TEST_CASE("help: a report per request is CSV, and may go into a file") {
  const auto report =
      std::get<ReportOptions>(parse(words_of("report out --format csv --per-request -o r.csv")));
  CHECK(report.format == Format::csv_per_request);
  CHECK(report.file == "r.csv");
  CHECK(std::get<ReportOptions>(parse(words_of("report out --format vllm"))).format == Format::vllm);
}

TEST_CASE("help: docs/configuration.md has a row for every option, with the same default, and every alias") {
  const auto lines = lines_of(documentation());
  const auto has_row = [&](const std::string& name, const std::string& value) {
    return std::ranges::any_of(lines, [&](const std::string& line) {
      const bool named = line.starts_with("| `" + name + " ") || line.starts_with("| `" + name + "`");
      return named && line.find(" | " + value + " | ") != std::string::npos;
    });
  };
  for (const auto specs : {run_options(), gate_own_options(), simulate_options(), compare_options(),
                           report_options(), scenarios_options()}) {
    for (const auto& spec : specs) {
      CAPTURE(std::string(spec.name));
      if (spec.name == "help") continue;
      const std::string name =
          is_positional(spec.takes) ? std::string(spec.argument) : "--" + std::string(spec.name);
      CHECK(has_row(name, std::string(spec.fallback.empty() ? spec.otherwise : spec.fallback)));
    }
  }
  for (const auto& alias : aliases()) {
    CAPTURE(std::string(alias.name));
    CHECK(documentation().find("`--" + std::string(alias.name) + "`") != std::string::npos);
  }
}
