#include "run/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/entropy.hpp"
#include "base/random.hpp"
#include "infermeter/base/units.hpp"
#include "io/host/host_facts.hpp"
#include "model/load.hpp"
#include "run/plan_hash.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

double seconds(nanoseconds d) { return std::chrono::duration<double>(d).count(); }

std::optional<double> seconds(const std::optional<nanoseconds>& d) {
  return d ? std::optional(seconds(*d)) : std::nullopt;
}

// Covers the lanes that form the load, without those beside it.
void describe_schedules(std::span<const Lane> lanes, LoadPoint& point) {
  std::string hashes;
  for (const auto& lane : lanes) {
    if (lane.beside || !lane.load.open_loop()) continue;
    point.scheduled_requests += lane.schedule.measured_count();
    if (!point.shard.whole()) point.shard_scheduled += lane.schedule.measured_count(point.shard);
    hashes += lane.schedule.hash;
  }
  constexpr std::size_t kOne = 16;
  point.schedule_hash = hashes.size() <= kOne ? hashes : fmt::format("{:016x}", hash_bytes(hashes));
}

/// Before the lanes exist, by where the prompts come from.
bool has_fresh_prompts(const TrafficClass& traffic, std::uint32_t index, std::span<const Lane> lanes) {
  for (const auto& lane : lanes) {
    const auto it = std::ranges::find(lane.classes, index, &ClassTraffic::traffic_class);
    if (it != lane.classes.end()) return !it->source->same_at_every_point();
  }
  return traffic.prompts.source == "synthetic" && !traffic.prompts.nonce_given;
}

ClassLoad describe_class(const TrafficClass& traffic, const ClassShape& shape, bool common, bool fresh) {
  const Prompts& prompts = traffic.prompts;
  const bool synthetic = prompts.source == "synthetic";
  const bool shared = prompts.shared_prefix_tokens > 0 || prompts.prompt_reuse > 1 || prompts.conversations();
  return {.name = traffic.name,
          .probe = traffic.probe,
          .own_loop = traffic.probe || (common && traffic.own_loop()),
          .exact_output = shape.exact_output,
          .cold = synthetic && !shared && !prompts.nonce_given,
          .fresh = fresh,
          .primed = prompts.prime,
          .slos = traffic.slos};
}

void describe_lengths(const Plan& plan, const Load& load, LoadPoint& point) {
  const TrafficClass& first = plan.classes.front();
  const bool synthetic = first.prompts.source == "synthetic";
  const Lengths input = load.shape ? load.shape->first : first.prompts.input_tokens;
  const Lengths output = load.shape ? load.shape->second : first.answers.output_tokens;
  point.shape = load.shape_text;
  if (plan.classes.size() > 1) return;
  if (synthetic) point.input_tokens = input.sole();
  point.output_tokens = output.sole();
}

LoadPoint describe_load(const Plan& plan, const Load& load, const PreparedTarget& prepared,
                        std::span<const Lane> lanes, std::uint32_t workers) {
  LoadPoint point;
  point.shard = plan.shard;
  point.open_loop = load.open_loop();
  point.concurrency = load.concurrency;
  point.rate = load.rate.value_or(0);
  point.arrival = load.open_loop() ? load.arrival : Arrival::closed;
  point.cv = load.cv;
  point.max_in_flight = load.max_in_flight;
  if (load.arrival == Arrival::trace) point.replay = replay_text(load.replay_speed);
  point.stages = stages_text(load.stages);
  point.seed = load.seed;
  point.workers = workers;
  point.requests = load.requests;
  point.duration_s = seconds(load.duration);
  point.warmup_requests = load.warmup_requests;
  point.warmup_s = seconds(load.warmup_duration);
  if (load.open_loop()) describe_schedules(lanes, point);
  describe_lengths(plan, load, point);
  const TrafficClass& first = plan.classes.front();
  point.exact_output = prepared.classes.front().exact_output;
  point.stream = prepared.classes.front().shape.stream;
  point.comfort_ms = 1e3 * seconds(plan.output.comfort);
  point.conversations = first.prompts.conversations();
  point.in_blocks =
      plan.sweep.blocks > 1 || (plan.targets.size() > 1 && plan.target_order == TargetOrder::alternate);
  point.run = load.run;
  point.max_retries = plan.retries;
  for (std::uint32_t c = 0; c < plan.classes.size(); ++c)
    point.classes.push_back(describe_class(plan.classes[c], prepared.classes[c], has_common_load(plan),
                                           has_fresh_prompts(plan.classes[c], c, lanes)));
  return point;
}

Workload describe_workload(const Plan& plan, const TrafficClass& traffic, const ClassShape& shape) {
  const Prompts& prompts = traffic.prompts;
  const bool synthetic = prompts.source == "synthetic";
  return {.name = traffic.name,
          .source = prompts.source,
          .input_tokens = synthetic ? lengths_text(prompts.input_tokens) : std::string(),
          .output_tokens = lengths_text(traffic.answers.output_tokens),
          .share = traffic.share,
          .nonce = prompts.nonce,
          .exact_output = shape.exact_output,
          .max_tokens_field = shape.shape.max_tokens_field,
          .extra_body = traffic.answers.extra_body,
          .options = request_options(plan, traffic)};
}

}  // namespace

std::string new_run_id() { return fmt::format("{:08x}", system_entropy() >> 32); }

RunResult describe_run(const Plan& plan, std::span<const PreparedTarget> prepared,
                       const std::string& run_id) {
  RunResult result;
  result.tool_version = INFERMETER_VERSION;
  result.run_id = run_id;
  result.start_utc = utc_iso8601();
  result.command_line = plan.command_line;
  result.plan_hash = plan_hash(plan);
  result.workload_hash = workload_hash(plan);
  result.labels = plan.output.labels;
  for (const auto& assertion : plan.asserts) result.asserts.push_back(assertion.text);
  result.assert_point = plan.assert_point;
  result.environment = read_host_facts();
  result.environment.timestamp_source =
      plan.kernel_timestamps ? TimestampSource::kernel : TimestampSource::user;
  for (const auto& target : prepared) {
    result.targets.push_back(target.facts);
    result.targets.back().timestamp_source = result.environment.timestamp_source;
  }
  for (std::size_t c = 0; c < plan.classes.size(); ++c)
    result.classes.push_back(describe_workload(plan, plan.classes[c], prepared.front().classes[c]));
  result.workload = result.classes.front();
  result.scenario = plan.scenario;
  result.shard = plan.shard;
  if (plan.targets.size() > 1) result.target_order = plan.target_order;
  result.against = plan.against;
  result.sort = plan.sort;
  result.runs = plan.sweep.runs;
  return result;
}

PointResult describe_point(const Plan& plan, std::uint32_t point, std::uint32_t target,
                           const PreparedTarget& prepared, std::span<const Lane> lanes,
                           const std::string& nonce, std::uint32_t workers) {
  PointResult result;
  result.point = point;
  result.target = target;
  result.load = describe_load(plan, joint_load(plan, plan.sweep.points[point]), prepared, lanes, workers);
  result.load.nonce = nonce;
  return result;
}

}  // namespace infermeter
