#include "run_description.hpp"

#include <fmt/format.h>

#include <random>

#include "infermeter/base/units.hpp"
#include "infermeter/io/host_facts.hpp"

namespace infermeter {
namespace {

double seconds(nanoseconds d) { return std::chrono::duration<double>(d).count(); }

std::optional<double> seconds(const std::optional<nanoseconds>& d) {
  return d ? std::optional(seconds(*d)) : std::nullopt;
}

LoadPoint describe_load(const Plan& plan, const PreparedTarget& prepared, const Schedule& schedule,
                        std::uint32_t workers) {
  const Load& load = plan.sweep.points.front();
  LoadPoint point;
  point.open_loop = load.open_loop();
  point.concurrency = load.concurrency;
  point.rate = load.rate.value_or(0);
  point.arrival = load.open_loop() ? name(load.arrival) : "closed";
  point.cv = load.cv;
  point.max_in_flight = load.max_in_flight;
  point.seed = load.seed;
  point.workers = workers;
  point.requests = load.requests;
  point.duration_s = seconds(load.duration);
  point.warmup_requests = load.warmup_requests;
  point.warmup_s = seconds(load.warmup_duration);
  point.scheduled_requests = schedule.offsets.size() - schedule.warmup;
  point.schedule_hash = schedule.hash;
  point.output_tokens = plan.classes.front().answers.output_tokens.sole();
  point.exact_output = prepared.exact_output;
  point.stream = plan.classes.front().answers.stream;
  point.comfort_ms = 1e3 * seconds(plan.output.comfort);
  return point;
}

Workload describe_workload(const Plan& plan, const PreparedTarget& prepared) {
  return {.source = plan.classes.front().prompts.source,
          .input_tokens = plan.classes.front().prompts.prompts.empty()
                              ? format_count(plan.classes.front().prompts.input_tokens.sole())
                              : std::string(),
          .output_tokens = format_count(plan.classes.front().answers.output_tokens.sole()),
          .nonce = plan.classes.front().prompts.nonce,
          .exact_output = prepared.exact_output,
          .max_tokens_field = prepared.shape.max_tokens_field,
          .extra_body = plan.classes.front().answers.extra_body};
}

}  // namespace

std::string new_run_id() { return fmt::format("{:08x}", std::random_device{}()); }

RunResult describe_run(const Plan& plan, const PreparedTarget& prepared, const Schedule& schedule,
                       std::uint32_t workers, const std::string& run_id) {
  RunResult result;
  result.tool_version = INFERMETER_VERSION;
  result.run_id = run_id;
  result.start_utc = utc_iso8601();
  result.command_line = plan.command_line;
  result.labels = plan.output.labels;
  result.environment = read_host_facts();
  result.environment.timestamp_source = plan.kernel_timestamps ? "kernel" : "user";
  result.targets.push_back(prepared.facts);
  result.targets.front().timestamp_source = result.environment.timestamp_source;
  result.workload = describe_workload(plan, prepared);
  PointResult point;
  point.load = describe_load(plan, prepared, schedule, workers);
  result.points.push_back(std::move(point));
  return result;
}

}  // namespace infermeter
