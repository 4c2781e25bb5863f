// The command line as plain values: which command, and all that it is to do. Reads the files that options
// name and nothing else; starts nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/gate/gate.hpp"
#include "cli/options/assert_values.hpp"
#include "cli/options/compare_options.hpp"
#include "cli/options/config_sources.hpp"
#include "cli/options/plan_values.hpp"
#include "infermeter/model/plan.hpp"
#include "run/gate/gate_plan.hpp"
#include "sim/http/server.hpp"

namespace infermeter {

struct RunRequest {
  Plan plan;
  bool sim = false;  // measure the built-in simulator: it is the only target, without URL
  std::string sim_preset;
  std::vector<std::string> faults;  // as given; sim::parse_fault reads them
  std::string truth;
  bool dry_run = false;
  bool quiet = false;  // plan.output.progress is `none` too
  std::string note;    // to be told before it begins; empty: nothing
};

/// The request's plan with the simulator that it asks for.
inline Plan plan_with_simulator(const RunRequest& request) {
  Plan plan = request.plan;
  if (request.sim) plan.simulator = {request.sim_preset, request.faults, request.truth};
  return plan;
}

/// What a gate holds against what.
enum class GateKind {
  live,        // two servers that run, in interleaved pairs
  commands,    // two servers that are started in turn
  saved,       // results of the baseline and of the candidate
  assertions,  // one result and its limits
};

struct GateRequest {
  GateKind kind = GateKind::live;
  RunRequest run;  // what a pair's runs are; of saved results only its output and assertions
  GateRule rule;   // its last look is the most pairs
  OnInconclusive on_inconclusive = OnInconclusive::exit5;
  std::optional<nanoseconds> budget;
  bool aa = false;                               // both sides are one server
  std::array<std::string, 2> commands;           // of baseline and candidate
  std::vector<std::string> baseline, candidate;  // folders; of assertions the candidate's alone
};

struct SimulateRequest {
  sim::ServerOptions server;        // without its faults
  std::vector<std::string> faults;  // as given; sim::parse_fault reads them
};

struct ReportOptions {
  std::string directory;
  Format format = Format::table;
  bool wide = false;
  Asserts asserts;    // none: those that the run was made with
  bool plot = false;  // pictures beneath the table
  std::string file;   // --out; empty: stdout
};

struct MergeRequest {
  std::vector<std::string> directories;
  std::string out;
  bool allow_missing = false;
  Format format = Format::table;
  bool wide = false;
};

struct ScenariosRequest {
  std::string name;  // empty: list all
};

enum class HelpTopic { program, run, gate, simulate, compare, report, merge, scenarios };
struct ShowHelp {
  HelpTopic topic = HelpTopic::program;
};
struct ShowVersion {};

using Command = std::variant<RunRequest, GateRequest, SimulateRequest, CompareRequest, ReportOptions,
                             MergeRequest, ScenariosRequest, ShowHelp, ShowVersion>;

/// `words` without the program's name. Throws UsageError for anything wrong; no error and no field but the
/// secret ones holds a key or header value.
Command parse_command_line(const std::vector<std::string>& words, const Variables& variables,
                           const Surroundings& here);

}  // namespace infermeter
