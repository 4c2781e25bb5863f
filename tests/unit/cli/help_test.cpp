#include "cli/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "catch.hpp"
#include "cli/options/foreign_names.hpp"
#include "cli/options/option_table.hpp"
#include "cli/saved.hpp"
#include "cli/shell/completions.hpp"
#include "cli/shell/manual.hpp"
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
  for (const auto& line : lines_of(document("options.md"))) {
    constexpr std::string_view kHeading = "## `infermeter ";
    if (line.starts_with(kHeading))
      at = line.substr(kHeading.size(), line.find_first_of(" `", kHeading.size()) - kHeading.size());
    if (at == name) out.push_back(line);
  }
  return out;
}

bool has_row(const std::vector<std::string>& lines, const std::string& name, const std::string& value) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    const auto at = line.find(name);
    return (at == 0 || at == 4) && line[at + name.size()] == ' ' && line.ends_with(" [" + value + "]");
  });
}

}  // namespace

TEST_CASE("help: every page fits 80 columns") {
  std::vector<std::string> pages{program_help()};
  for (const auto& command : commands()) {
    for (const auto* topic : {"", "all"}) pages.push_back(command_help(command, topic));
  }
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
  const auto lines = lines_of(command_help(command("run"), "all"));
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
  CHECK(command_help(command("run"), "all").find("    --shared-prefix-tokens N  common prefix") !=
        std::string::npos);
}

TEST_CASE("help: the first page of run has 20 options and fits one screen with the next prompt") {
  const auto lines = lines_of(page("run"));
  CHECK(lines.size() <= 23);
  CHECK(std::ranges::count_if(lines, [](const auto& line) { return line.find(" --") < 6; }) == 20);
  CHECK(page("run").find("--help all lists all, --help GROUP those of target, load,") != std::string::npos);
}

TEST_CASE("help: every group of every command has a page with its options and no others") {
  for (const auto& spec : command("gate").options()) {
    if (is_positional(spec.takes)) continue;
    CAPTURE(std::string(spec.name));
    std::string group(spec.group);
    group[0] = static_cast<char>(group[0] + 'a' - 'A');
    const std::string text = parse({"gate", "--help", group}).text;
    CHECK(text.starts_with(std::string(spec.group) + "\n"));
    CHECK(text.find("--" + std::string(spec.name)) != std::string::npos);
    CHECK(text.find("--" + std::string(spec.group == "Load" ? "cacert" : "arrival") + " ") ==
          std::string::npos);
  }
  CHECK(parse({"help", "run", "load"}).text == parse({"run", "--help", "LOAD"}).text);
  CHECK(parse({"run", "-h", "rate"}).text.find("--rate R,…") != std::string::npos);
}

TEST_CASE("help: a mistake in any subcommand is answered with that subcommand's help") {
  for (const auto& command : commands())
    CHECK(help_hint({std::string(command.name), "--bogus"}) ==
          fmt::format("infermeter {} --help lists the options.", command.name));
  CHECK(help_hint({"bogus"}) == "infermeter --help lists the commands.");
}

TEST_CASE("help: names as people type them are taken: -m, --json, --temperature, --top-p, --max-tokens") {
  const RunRequest run = run_of("-m llama --json --temperature 0 --top-p 0.9 --max-tokens 64");
  CHECK(run.plan.targets.front().model == "llama");
  CHECK(run.plan.output.format.name == "json");
  const Answers& answers = run.plan.classes.front().answers;
  CHECK(answers.extra_body == R"({"temperature":0,"top_p":0.9})");
  CHECK(answers.output_tokens.mean() == 64);
  CHECK(test::plan_of("--extra-body {\"temperature\":1,\"top_k\":5} --temperature 0.5")
            .classes.front()
            .answers.extra_body == R"({"temperature":0.5,"top_k":5})");
  CHECK(invoked(report_request, {"report", "out", "--json"}).format.name == "json");
}

TEST_CASE("completions: every word that is offered for an option is one that it takes") {
  for (const auto& spec : run_options()) {
    if (spec.name == "help") continue;
    for (const auto& word : completion_of("run", spec).words) {
      if (word == "trace") continue;  // it needs a file of one
      std::string line = spec.name == "sim" || spec.name == "fault" ? "run" : "run http://h";
      if (spec.name == "fault") line += " --sim";
      if (spec.name == "arrival" || spec.name == "on-cap") line += " --rate 5";
      if (spec.name == "on-cap") line += " --max-in-flight 8";
      CAPTURE(std::string(spec.name), word);
      const std::string error =
          error_of(fmt::format("{} --{} {}", line, spec.name, word), {{"OPENAI_API_KEY", "k"}});
      CHECK((error == "no error" || (spec.name == "vendor" && error.find(word) == std::string::npos)));
    }
  }
}

TEST_CASE("manual: the page of every command has each of its options, in ASCII") {
  for (const auto& command : commands()) {
    const std::string text = manual_text(std::string(command.name));
    CHECK(std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; }));
    for (const auto& spec : command.options()) {
      std::string name(spec.name);
      name = std::regex_replace(name, std::regex("-"), "\\-");
      if (!is_positional(spec.takes)) CHECK(text.find("\\-\\-" + name) != std::string::npos);
    }
  }
  CHECK(error_of("man runn").starts_with("COMMAND: 'runn' is not one of run, gate, "));
  CHECK(manual_text("").find("\n.B gate ") != std::string::npos);
}

TEST_CASE("help: the page of simulate lists presets and faults") {
  const std::string text = page("simulate");
  CHECK(text.find("\nPresets\n  h100-8b                     ") != std::string::npos);
  CHECK(text.find("\nFaults (KIND of --fault)\n  429 ") != std::string::npos);
}

TEST_CASE("help: is found under each of its names and wins over errors beside it") {
  for (const auto* line : {"", "--help", "-h", "help"}) CHECK(is_help(line, program_help()));
  CHECK(is_help("run --help http://h:8000 -c 8", page("run")));
  for (const auto& command : commands()) {
    const std::string name(command.name), text = command_help(command);
    CHECK(is_help("help " + name, text));
    CHECK(is_help(name + " --help", text));
    CHECK(is_help(name + " --concurency 8 -h", text));
  }
  const std::string version = parse({"--version"}).text;
  CHECK(version.starts_with("infermeter " INFERMETER_VERSION "\n"));
  for (const auto* word : {"\nfeatures ", "HTTP/2", "libcurl ", "simdjson ", "glibc ", "\nbuild "})
    CHECK(version.find(word) != std::string::npos);
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
      const std::string value(spec.fallback.empty() ? spec.otherwise : spec.fallback);
      CHECK(has_row(lines, name, value));
    }
  }
}

TEST_CASE("help: the documentation has every alias, and the exit codes of every command") {
  const std::string page = document("from-vllm-bench.md");
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
