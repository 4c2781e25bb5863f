#include "cli/run.hpp"

#include <unistd.h>

#include <chrono>

#include "cli/dry_run/dry_run.hpp"
#include "cli/options/start_time.hpp"
#include "cli/progress.hpp"
#include "cli/show.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "io/files/result_folder.hpp"
#include "io/host/host_facts.hpp"
#include "report/json/result_json.hpp"
#include "report/tables/table.hpp"
#include "run/measured_run.hpp"
#include "run/run_setup.hpp"
#include "sim/engine/engine_model.hpp"

namespace infermeter {
namespace {

void say_the_wait(const Plan& plan, const Say& say) {
  if (!plan.start_at_unix_ms) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string text = waiting_text(*plan.start_at_unix_ms,
                                        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  if (!text.empty()) say(text);
}

// Whichever of the two cannot be written, the other is.
void save_and_print(const ResultFolder& folder, const MeasuredRun& run, Format format,
                    const TableOptions& options) {
  std::exception_ptr not_saved;
  try {
    folder.write_result(result_to_json(run.result()));
  } catch (const Error&) {
    not_saved = std::current_exception();
  }
  put_out(show_run(run.result(), run.records(), format, options));
  if (not_saved) std::rethrow_exception(not_saved);
}

// What starting the simulator would refuse, a dry run refuses as well.
void check_simulator(const RunRequest& request) {
  if (!request.sim_preset.empty())
    sim::make_engine(request.sim_preset, request.plan.sweep.points.front().seed);
  for (const auto& fault : request.faults) sim::parse_fault(fault);
}

ExitCode print_dry_run(const RunRequest& request) {
  if (request.sim) check_simulator(request);
  put_out(dry_run_text(request));
  return ExitCode::ok;
}

}  // namespace

ExitCode run_command(const RunRequest& request) {
  if (request.dry_run) return print_dry_run(request);
  const std::atomic<bool>& interrupt = watch_signals();
  raise_open_files_limit();
  Plan plan = plan_with_simulator(request);
  const auto simulator = start_simulator(plan);
  if (simulator) plan.targets.front().url = simulator->url();
  // A folder named by the user is proved before anything is sent; the default one's name needs the model
  // first.
  std::optional<ResultFolder> folder;
  const bool resume = !plan.sweep.resume.empty();
  if (resume) plan.output.directory = plan.sweep.resume;
  if (!plan.output.directory.empty()) folder.emplace(plan.output.directory, resume);

  const ProgressStyle style = progress_style(plan);
  const Say say = say_progress(style);
  MeasuredRun run(plan, open_all_data(plan, say), style, interrupt, say);
  if (!folder) folder.emplace(free_directory(run.prepared().front().target.model, plan.shard));
  const TableOptions options = table_options(terminal_of(STDOUT_FILENO), plan.output.wide, folder->path());
  if (plan.output.format == Format::table && !request.quiet)
    put_out(render_header(run.result(), options) + "\n");
  if (!request.note.empty()) say(request.note);
  say_the_wait(plan, say);
  run.measure(*folder);
  save_and_print(*folder, run, plan.output.format, options);
  return run.verdict();
}

}  // namespace infermeter
