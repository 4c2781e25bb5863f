#include "run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "infermeter/analysis/summarize.hpp"
#include "infermeter/engine/session.hpp"
#include "infermeter/engine/worker.hpp"
#include "infermeter/io/host_facts.hpp"
#include "infermeter/io/result_folder.hpp"
#include "infermeter/report/csv.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/table.hpp"
#include "infermeter/sim/server.hpp"
#include "run_description.hpp"
#include "signals.hpp"
#include "terminal.hpp"

namespace infermeter {
namespace {

std::unique_ptr<sim::Server> start_simulator(const RunRequest& request) {
  if (!request.sim) return nullptr;
  sim::ServerOptions options;
  if (!request.sim_preset.empty()) options.preset = request.sim_preset;
  options.truth_path = request.truth;
  options.seed = request.plan.sweep.points.front().seed;
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

void complete_result(RunResult& result, const SessionRecords& session, std::uint64_t lost_records) {
  result.complete = true;
  result.start_monotonic_ns = static_cast<std::uint64_t>(session.t0.time_since_epoch().count());
  result.interrupted = session.interrupted;
  result.ended_early = session.ended_early;
  result.connect_backoffs = session.backoffs;
  result.lost_records = lost_records;
  result.environment.client_cpu_share = session.client_cpu_share;
  result.environment.timestamp_source = session.timestamp_source;
  TargetFacts& target = result.targets.front();
  target.timestamp_source = session.timestamp_source;
  std::set<std::string> fingerprints(target.system_fingerprints.begin(), target.system_fingerprints.end());
  for (const auto& record : session.records) {
    if (!record.system_fingerprint.empty()) fingerprints.insert(record.system_fingerprint);
  }
  target.system_fingerprints.assign(fingerprints.begin(), fingerprints.end());
  PointResult& point = result.points.front();
  point = summarize(point.load, session.records,
                    {.partial = session.interrupted || !session.ended_early.empty(),
                     .timestamp_source = session.timestamp_source,
                     .client_cpu_share = session.client_cpu_share});
}

// The first of 130, 3, 4, 0 that holds (docs/exit-codes.md).
ExitCode verdict(const RunResult& result, const SessionRecords& session) {
  const PointResult& point = result.points.front();
  if (session.interrupted) return ExitCode::interrupted;
  if (session.environment_failed || point.ok == 0) return ExitCode::environment;
  return point.validity.trustworthy ? ExitCode::ok : ExitCode::untrustworthy;
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
  if (!plan.output.directory.empty()) folder.emplace(plan.output.directory);

  const PromptSource prompts(plan.classes.front().prompts, plan.sweep.points.front().seed);
  const ProgressStyle style = progress_style(request);
  const auto say = [&](const std::string& line) {
    if (style.kind != Progress::none) fmt::print(stderr, "{}\n", line);
  };
  const PreparedTarget prepared = prepare_target(plan, prompts, interrupt, say);
  if (!folder) folder.emplace(free_directory(prepared.target.model));

  const Schedule schedule =
      plan.sweep.points.front().open_loop() ? make_schedule(plan.sweep.points.front()) : Schedule{};
  const std::uint32_t workers = worker_count(plan.sweep.points.front().workers, plan.sweep.points.front(),
                                             std::thread::hardware_concurrency());
  const std::string run_id = new_run_id();
  RunResult result = describe_run(plan, prepared, schedule, workers, run_id);
  folder->write_result(result_to_json(result));  // so that a killed run can still be reported
  RecordsFile file(folder->records_path());

  const TableOptions options = table_options(terminal_of(STDOUT_FILENO), plan.output.wide, folder->path());
  if (plan.output.format == Format::table && !request.quiet) print(render_header(result, options) + "\n");
  const SessionRecords session = run_session({.plan = plan,
                                              .prepared = prepared,
                                              .prompts = prompts,
                                              .schedule = schedule,
                                              .workers = workers,
                                              .run_id = run_id,
                                              .file = &file,
                                              .progress = style},
                                             interrupt);
  complete_result(result, session, file.failed_writes());
  save_and_print(*folder, result, plan.output.format, options);
  return verdict(result, session);
}

}  // namespace infermeter
