#include "cli/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "cli/options/config_sources.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/options/secrets.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/sweep_rows.hpp"
#include "engine/prepare/foresee.hpp"
#include "infermeter/report/table.hpp"
#include "infermeter/run/measure.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/host_facts.hpp"
#include "model/load.hpp"
#include "model/secrets/secret_values.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/http/server.hpp"

namespace infermeter {
namespace {

std::string wait_text(const Plan& plan) {
  if (!plan.start_at_unix_ms) return {};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return waiting_text(*plan.start_at_unix_ms,
                      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

// A dry run rejects everything that starting the simulator would reject.
void check_simulator(const Plan& plan) {
  sim::make_engine(plan.simulator->preset, plan.sweep.points.front().seed);
  for (const auto& fault : plan.simulator->faults) sim::parse_fault(fault);
}

ExitCode print_dry_run(const RunRequest& request) {
  if (request.plan.simulator) check_simulator(request.plan);
  raise_open_files_limit();
  refuse_beyond_limits(request.plan, std::vector<std::uint32_t>(request.plan.targets.size(), 1),
                       read_host_limits());
  put_out(dry_run_text(request.plan));
  return ExitCode::ok;
}

}  // namespace

std::vector<std::string> warnings_of(const Settings& settings, const Plan& plan, const Variables& variables) {
  std::vector<std::string> warnings = settings.notes;
  for (const auto& name : unknown_variables(run_options(), variables))
    warnings.push_back(fmt::format("{} sets nothing: no option has this name", name));
  if (auto note = unsent_key_note(plan, variables); !note.empty()) warnings.push_back(std::move(note));
  if (auto note = unread_authorities_note(plan, variables); !note.empty())
    warnings.push_back(std::move(note));
  std::ranges::move(missing_key_notes(settings, plan, variables), std::back_inserter(warnings));
  return warnings;
}

RunRequest run_request(const Invocation& invocation) {
  const Settings settings = join_sources(invocation.variables, invocation.typed);
  const Values& values = settings.values;
  RunRequest request;
  request.plan = plan_of(settings, invocation.variables, invocation.here);
  use_network_variables(request.plan, invocation.variables);
  request.plan.command_line = shown_command(invocation);
  const Sweep& sweep = request.plan.sweep;
  if (!sweep.before_point.empty() || !sweep.after_point.empty())
    add_variables(invocation.variables, request.plan.secrets);
  request.dry_run = values.flag("dry-run");
  read_what_to_say(values, request);
  request.warnings = warnings_of(settings, request.plan, invocation.variables);
  if (auto note = unused_launcher_note(request.plan, invocation.variables); !note.empty())
    request.warnings.push_back(std::move(note));
  return request;
}

void read_what_to_say(const Values& values, RunRequest& request) {
  request.quiet = values.flag("quiet");
  request.page = !values.flag("no-report");
  request.verbosity = values.level("verbose");
  request.log_file = values.text("log");
}

std::vector<std::string> target_warnings(const RunResult& planned) {
  std::vector<std::string> warnings;
  for (const auto& target : planned.targets) {
    const std::string whose = planned.targets.size() > 1 ? target_name(target) + ": " : "";
    for (const auto& note : target.notes) warnings.push_back(whose + note);
  }
  return warnings;
}

ExitCode run_command(const RunRequest& request) {
  keep_from_output(secrets_of(request.plan));
  print_warnings(request.warnings);
  if (request.dry_run) return print_dry_run(request);
  const std::atomic<bool>& interrupt = watch_signals();
  raise_open_files_limit();
  const Plan& plan = request.plan;
  const Output& output = plan.output;
  const auto log = make_log(request.verbosity, request.log_file, plan.command_line);
  Hooks hooks = shown_on_stderr(progress_style(plan, request.verbosity), interrupt);
  hooks.log = log.get();
  TableOptions options = table_options(terminal_of(STDOUT_FILENO), output.wide, {});
  std::optional<SweepRows> rows;
  hooks.begin = [&](const RunResult& planned, const std::string& directory) {
    options.directory = directory;
    const bool with_header = output.format.name == "table";
    if (with_header) put_out(render_header(planned, options) + "\n");
    if (!with_header) print_warnings(target_warnings(planned));
    const std::string few = too_few_requests_words(plan), wait = wait_text(plan);
    if (!few.empty() && request.quiet) print_warnings(std::vector{few});
    for (const auto& line : {request.quiet ? std::string() : few, wait}) {
      if (!line.empty() && hooks.say) hooks.say(line);
    }
    rows.emplace(plan, planned, now());
  };
  hooks.point_end = [&](const RunResult& so_far) {
    for (const auto& line : rows->take(so_far, now())) {
      if (hooks.say && output.progress != Progress::json) hooks.say(line);
    }
    return false;
  };
  hooks.end = [&](const RunResult& run, std::span<const RequestRecord> records) {
    put_out(show_run(run, records, output.format, options));
    if (request.page && !options.directory.empty()) write_page(run, records, options.directory);
  };
  return exit_code_of(measure(plan, hooks));
}

}  // namespace infermeter
