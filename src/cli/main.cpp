#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "cli/compare.hpp"
#include "cli/dry_run/dry_run.hpp"
#include "cli/error_output.hpp"
#include "cli/gate.hpp"
#include "cli/help.hpp"
#include "cli/merge.hpp"
#include "cli/options/options.hpp"
#include "cli/report.hpp"
#include "cli/run.hpp"
#include "cli/scenarios.hpp"
#include "cli/simulate.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter {
namespace {

Variables variables_of(char** environment) {
  Variables variables;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = std::min(entry.find('='), entry.size());
    variables.emplace(entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size())));
  }
  return variables;
}

Surroundings surroundings() {
  std::random_device device;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.entropy = (std::uint64_t{device()} << 32) | device(),
          .now_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

std::vector<sim::Fault> parse_faults(const std::vector<std::string>& texts) {
  std::vector<sim::Fault> faults;
  for (const auto& text : texts) faults.push_back(sim::parse_fault(text));
  return faults;
}

// What starting it would refuse, a dry run refuses as well.
void refuse_bad_simulator(const RunRequest& request) {
  if (!request.sim_preset.empty())
    sim::make_engine(request.sim_preset, request.plan.sweep.points.front().seed);
  parse_faults(request.faults);
}

struct Dispatch {
  ExitCode operator()(const RunRequest& request) const {
    if (!request.dry_run) return run_command(request);
    if (request.sim) refuse_bad_simulator(request);
    fmt::print("{}", dry_run_text(request));
    return ExitCode::ok;
  }
  ExitCode operator()(const GateRequest& request) const { return gate_command(request); }
  ExitCode operator()(const SimulateRequest& request) const {
    sim::ServerOptions options = request.server;
    options.faults = parse_faults(request.faults);
    return simulate_command(options);
  }
  ExitCode operator()(const CompareRequest& request) const { return compare_command(request); }
  ExitCode operator()(const ReportOptions& options) const { return report_command(options); }
  ExitCode operator()(const MergeRequest& request) const { return merge_command(request); }
  ExitCode operator()(const ScenariosRequest& request) const {
    fmt::print("{}", scenarios_text(request.name));
    return ExitCode::ok;
  }
  ExitCode operator()(const ShowHelp& help) const {
    fmt::print("{}", help_text(help.topic, sim::preset_list(), sim::fault_list()));
    return ExitCode::ok;
  }
  ExitCode operator()(const ShowVersion&) const {
    fmt::print("infermeter {}\n", INFERMETER_VERSION);
    return ExitCode::ok;
  }
};

/// The message in one line, each line of advice indented below it.
void print_error(std::string_view message, std::string_view advice) {
  write_error_output(fmt::format("infermeter: {}\n", message));
  while (!advice.empty()) {
    const std::size_t end = std::min(advice.find('\n'), advice.size());
    write_error_output(fmt::format("  {}\n", advice.substr(0, end)));
    advice.remove_prefix(std::min(end + 1, advice.size()));
  }
}

ExitCode run_main(const std::vector<std::string>& words) {
  try {
    return std::visit(Dispatch{}, parse_command_line(words, variables_of(environ), surroundings()));
  } catch (const Error& error) {
    print_error(error.what(), error.advice());
    return error.code();
  } catch (const std::exception& error) {
    print_error(error.what(), {});
    return ExitCode::environment;
  }
}

}  // namespace
}  // namespace infermeter

int main(int argc, char** argv) {
  return static_cast<int>(infermeter::run_main(std::vector<std::string>(argv + 1, argv + argc)));
}
