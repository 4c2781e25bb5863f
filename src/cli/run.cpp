#include "run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "error_output.hpp"
#include "infermeter/io/host_facts.hpp"
#include "infermeter/io/item_file.hpp"
#include "infermeter/io/result_folder.hpp"
#include "infermeter/report/csv.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/table.hpp"
#include "infermeter/sim/server.hpp"
#include "infermeter/workload/trace.hpp"
#include "measured_run.hpp"
#include "signals.hpp"
#include "start_time.hpp"
#include "terminal.hpp"

namespace infermeter {
namespace {

std::unique_ptr<sim::Server> start_simulator(const RunRequest& request) {
  if (!request.sim) return nullptr;
  sim::ServerOptions options;
  if (!request.sim_preset.empty()) options.preset = request.sim_preset;
  options.truth_path = request.truth;
  options.seed = request.plan.sweep.points.front().seed;
  const std::string& session_header = request.plan.classes.front().prompts.session_header;
  if (!session_header.empty()) options.session_header = session_header;
  for (const auto& fault : request.faults) options.faults.push_back(sim::parse_fault(fault));
  auto server = std::make_unique<sim::Server>(options);
  server->start();
  return server;
}

std::string file_name_part(const std::string& model) {
  std::string part;
  for (const char c : model.substr(model.rfind('/') + 1)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    part += plain ? c : '-';
  }
  return part.empty() ? "model" : part;
}

// results/<UTC time>-<model>, with a number behind it where two runs begin within one second.
std::string free_directory(const std::string& model) {
  const std::string base = fmt::format("results/{}-{}", utc_compact(), file_name_part(model));
  std::string path = base;
  for (int i = 2; std::filesystem::exists(path); ++i) path = fmt::format("{}-{}", base, i);
  return path;
}

ProgressStyle progress_style(const RunRequest& request) {
  const Terminal terminal = terminal_of(STDERR_FILENO);
  ProgressStyle style{.kind = request.plan.output.progress, .width = terminal.width, .ascii = terminal.ascii};
  if (style.kind == Progress::automatic)
    style.kind = isatty(STDERR_FILENO) != 0 ? Progress::bar : Progress::plain;
  return style;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw EnvironmentError(fmt::format("cannot write to stdout: {}", std::generic_category().message(errno)));
}

std::string formatted(const RunResult& result, Format format, const TableOptions& options) {
  switch (format) {
    case Format::json:
      return result_to_json(result);
    case Format::csv:
      return result_to_csv(result);
    default:
      return render_table(result, options);
  }
}

ClassData open_data(const TrafficClass& traffic, const Say& say) {
  ClassData data;
  const Prompts& prompts = traffic.prompts;
  if (prompts.file.empty()) return data;
  const OpenedItems opened = open_items(prompts);
  data.items = opened.items;
  data.bad_lines = opened.skipped;
  if (opened.skipped > 0)
    say(fmt::format("{}: {} bad lines are skipped, the first of them {}", opened.path, opened.skipped,
                    opened.first_skipped));
  return data;
}

std::vector<ClassData> open_all_data(const Plan& plan, const Say& say) {
  const auto replays = [](const Load& load) { return load.arrival == Arrival::trace; };
  const bool replay = std::ranges::any_of(plan.sweep.points, replays);
  std::vector<ClassData> all;
  for (const auto& traffic : plan.classes) {
    ClassData& data = all.emplace_back(open_data(traffic, say));
    if (replay && data.items) data.stamps = trace_stamps(*data.items, traffic.prompts.file);
  }
  return all;
}

void say_the_wait(const Plan& plan, const Say& say) {
  if (!plan.start_at_unix_ms) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string text = waiting_text(*plan.start_at_unix_ms,
                                        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  if (!text.empty()) say(text);
}

// Whichever of the two cannot be written, the other is.
void save_and_print(const ResultFolder& folder, const RunResult& result, Format format,
                    const TableOptions& options) {
  std::exception_ptr not_saved;
  try {
    folder.write_result(result_to_json(result));
  } catch (const Error&) {
    not_saved = std::current_exception();
  }
  print(formatted(result, format, options));
  if (not_saved) std::rethrow_exception(not_saved);
}

}  // namespace

ExitCode run_command(const RunRequest& request) {
  const std::atomic<bool>& interrupt = watch_signals();
  raise_open_files_limit();
  const auto simulator = start_simulator(request);
  Plan plan = request.plan;
  if (simulator) plan.targets.front().url = simulator->url();
  // A folder named by the user is proved before anything is sent; the default one's name needs the model
  // first.
  std::optional<ResultFolder> folder;
  const bool resume = !plan.sweep.resume.empty();
  if (resume) plan.output.directory = plan.sweep.resume;
  if (!plan.output.directory.empty()) folder.emplace(plan.output.directory, resume);

  const ProgressStyle style = progress_style(request);
  const Say say = [&](const std::string& line) {
    if (style.kind != Progress::none) write_error_output(line + "\n");
  };
  MeasuredRun run(plan, open_all_data(plan, say), style, interrupt, say);
  if (!folder) folder.emplace(free_directory(run.prepared().front().target.model));
  const TableOptions options = table_options(terminal_of(STDOUT_FILENO), plan.output.wide, folder->path());
  if (plan.output.format == Format::table && !request.quiet)
    print(render_header(run.result(), options) + "\n");
  say_the_wait(plan, say);
  run.measure(*folder);
  save_and_print(*folder, run.result(), plan.output.format, options);
  return run.verdict();
}

}  // namespace infermeter
