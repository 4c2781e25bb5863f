#include "run/request_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "infermeter/base/units.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

/// Keeps what is not the default.
class Options {
 public:
  void add(const char* name, std::string value) {
    if (!value.empty()) out_.emplace_back(name, std::move(value));
  }
  void add_flag(const char* name, bool value) { add(name, value ? "yes" : ""); }
  void add_number(const char* name, std::uint32_t value, std::uint32_t usual) {
    add(name, value == usual ? "" : fmt::format("{}", value));
  }
  void add_size(const char* name, const std::string& text) {
    add(name, text.empty() ? "" : fmt::format("{} bytes", text.size()));
  }
  decltype(Workload::options) take() { return std::move(out_); }

 private:
  decltype(Workload::options) out_;
};

bool is_always(const Lengths& lengths, double value) {
  return lengths.kind == Lengths::Kind::fixed && lengths.a == value;
}

void add_prompts(const Prompts& p, Options& out) {
  out.add_flag("no-calibrate", !p.calibrate);
  out.add_number("shared-prefix-tokens", p.shared_prefix_tokens, 0);
  out.add_number("prefix-groups", p.prefix_groups, 1);
  out.add_number("prompt-reuse", p.prompt_reuse, 1);
  out.add_flag("prime", p.prime);
  out.add("turns", is_always(p.turns, 1) ? "" : lengths_text(p.turns));
  out.add("think-time", is_always(p.think_time, 0) ? "" : durations_text(p.think_time));
  out.add("session-header", p.session_header);
  out.add_flag("session-connection", p.session_connection);
  out.add_number("batch-size", p.batch, 1);
  out.add_number("images", p.images, 0);
  if (p.images > 0) out.add("image-size", fmt::format("{}x{}", p.image_width, p.image_height));
  out.add_size("system-prompt", p.system_prompt);
}

void add_answers(const Answers& a, Options& out) {
  out.add("reasoning-effort", a.reasoning_effort);
  if (a.thinking != Thinking::unsaid) out.add("thinking", a.thinking == Thinking::on ? "on" : "off");
  out.add_size("tools", a.tools);
  out.add_flag("json-mode", a.json_mode);
  out.add_size("json-schema", a.json_schema);
  out.add_number("choices", a.choices, 1);
  out.add_number("logprobs", a.logprobs, 0);
}

void add_cancel(const Cancel& c, Options& out) {
  if (c.after) out.add("cancel-after", format_duration(*c.after));
  if (c.after_tokens > 0) out.add("cancel-after", fmt::format("{}", c.after_tokens));
  if (c.any() && c.share < 1) out.add("cancel-share", fmt::format("{:.6g}%", 100 * c.share));
}

}  // namespace

decltype(Workload::options) request_options(const Plan& plan, const TrafficClass& traffic) {
  Options out;
  add_prompts(traffic.prompts, out);
  add_answers(traffic.answers, out);
  add_cancel(traffic.cancel, out);
  out.add_flag("fresh-connections", plan.targets.front().fresh_connections);
  out.add_flag("http2", plan.targets.front().http2);
  if (!plan.kernel_timestamps) out.add("timestamps", "user");
  return out.take();
}

}  // namespace infermeter
