#include "cli/gate.hpp"

#include <unistd.h>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/run/gate.hpp"
#include "io/host/host_facts.hpp"
#include "model/secrets/secret_values.hpp"

namespace infermeter {
namespace {

GatePlan gate_plan(const GateRequest& request) {
  return {.plan = request.run.plan,
          .rule = request.rule,
          .on_inconclusive = request.on_inconclusive,
          .budget = request.budget,
          .aa = request.aa,
          .commands = request.commands,
          .log_limit = request.log_limit};
}

ExitCode live_gate(const GateRequest& request) {
  const std::atomic<bool>& interrupt = watch_signals();
  raise_open_files_limit();
  const Output& output = request.run.plan.output;
  const auto log = make_log(request.run.verbosity, request.run.log_file, request.run.plan.command_line);
  ProgressStyle style = progress_style(request.run.plan, request.run.verbosity);
  Hooks hooks = shown_on_stderr(style, interrupt);
  hooks.log = log.get();
  // In plain output, one line per pair is enough.
  if (style.kind == Progress::plain) hooks.progress = {};
  TableOptions options = table_options(terminal_of(STDOUT_FILENO), output.wide, {});
  hooks.begin = [&](const RunResult&, const std::string& directory) { options.directory = directory; };
  hooks.end = [&](const RunResult& run, std::span<const RequestRecord> records) {
    const bool of_verdict = format_named(output.format.name).verdict_alone;
    put_out(of_verdict ? show_verdict(*run.verdict, output.format, options)
                       : show_run(run, records, output.format, options));
    if (request.run.page && !options.directory.empty()) write_page(run, records, options.directory);
  };
  return static_cast<ExitCode>(gate(gate_plan(request), hooks).verdict->exit_code);
}

/// A gate of saved results measures nothing.
ExitCode saved_gate(const GateRequest& request) {
  const Plan& plan = request.run.plan;
  const SavedGate gate = gate_saved({.baseline = request.baseline,
                                     .candidate = request.candidate,
                                     .rule = request.rule,
                                     .on_inconclusive = request.on_inconclusive,
                                     .asserts = plan.asserts,
                                     .assert_point = plan.assert_point,
                                     .directory = plan.output.directory});
  const TableOptions options = table_options(terminal_of(STDOUT_FILENO), plan.output.wide, gate.directory);
  put_out(show_verdict(gate.verdict, plan.output.format, options));
  if (request.run.page) write_page(gate.verdict, gate.directory);
  return static_cast<ExitCode>(gate.verdict.exit_code);
}

}  // namespace

ExitCode gate_command(const GateRequest& request) {
  keep_from_output(secrets_of(request.run.plan));
  print_warnings(request.run.warnings);
  const bool live = request.kind == GateKind::live || request.kind == GateKind::commands;
  return live ? live_gate(request) : saved_gate(request);
}

}  // namespace infermeter
