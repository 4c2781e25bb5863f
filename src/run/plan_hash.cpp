#include "run/plan_hash.hpp"

#include <fmt/format.h>

#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/random.hpp"
#include "infermeter/base/units.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

/// Parts with a separator that no part holds, so that "ab", "c" is not "a", "bc".
class Parts {
 public:
  template <typename... T>
  void add(const T&... parts) {
    (add_one(parts), ...);
  }
  const std::string& text() const { return text_; }
  std::string hash() const { return fmt::format("{:016x}", hash_bytes(text_)); }

 private:
  void add_one(const std::string& part) {
    text_ += part;
    text_ += '\x1f';
  }
  void add_one(const Lengths& lengths) { add_one(lengths_text(lengths)); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  void add_one(T number) {
    add_one(fmt::format("{}", number));
  }
  template <typename T>
  void add_one(const std::optional<T>& maybe) {
    if (maybe)
      add_one(*maybe);
    else
      add_one(std::string("-"));
  }
  void add_one(nanoseconds time) { add_one(time.count()); }

  std::string text_;
};

enum class In { plan, request, both };

/// The value of one option, as the hashes use it and as people read it (empty: the default; null: shown
/// elsewhere).
template <typename Of>
struct Field {
  std::string_view option;
  In in;
  void (*hash)(const Of&, Parts&);
  std::string (*shown)(const Of&) = nullptr;
};

std::string yes(bool value) { return value ? "yes" : ""; }
std::string unless(std::uint32_t usual, std::uint32_t value) {
  return value == usual ? "" : fmt::format("{}", value);
}
std::string size_of(const std::string& text) {
  return text.empty() ? "" : fmt::format("{} bytes", text.size());
}
bool is_always(const Lengths& lengths, double value) {
  return lengths.kind == Lengths::Kind::fixed && lengths.a == value;
}

std::string cancel_after(const Cancel& c) {
  if (c.after) return format_duration(*c.after);
  return c.after_tokens > 0 ? fmt::format("{}", c.after_tokens) : "";
}

void add_said(const std::string& text, Parts& parts) {
  if (!text.empty()) parts.add(text);
}

void add_facts(const VendorFacts& facts, Parts& parts) {
  if (facts.limit_field != "max_tokens") add_said(facts.limit_field, parts);
  add_said(facts.thinking_on, parts);
  add_said(facts.thinking_off, parts);
  for (const auto& field : facts.refused) parts.add(field);
}

using Class = TrafficClass;

// The order is that of earlier versions' hashes, so that a saved baseline stays comparable. The rows of the
// option table (cli) state the same for each option, and a test changes every one of them.
// clang-format off: tables
constexpr Field<Class> kClassFields[] = {
    {"name", In::plan, [](const Class& c, Parts& p) { p.add(c.name); }},
    {"model", In::plan, [](const Class& c, Parts& p) { p.add(c.model); }},
    {"workload", In::plan, [](const Class& c, Parts& p) { p.add(c.prompts.file); }},
    {"exact-output", In::plan, [](const Class& c, Parts& p) { p.add(c.answers.exact_output); }},
    {"no-stream", In::plan, [](const Class& c, Parts& p) { p.add(c.answers.stream); }},
    {"slo", In::plan, [](const Class& c, Parts& p) { for (const auto& slo : c.slos) p.add(slo.text); }},
    {"share", In::both, [](const Class& c, Parts& p) { p.add(c.share); }},
    {"rate", In::both, [](const Class& c, Parts& p) { p.add(c.rate); }},
    {"concurrency", In::both, [](const Class& c, Parts& p) { p.add(c.concurrency); }},
    {"probe", In::both, [](const Class& c, Parts& p) { p.add(c.probe); }},
    {"cancel-after", In::both, [](const Class& c, Parts& p) { p.add(c.cancel.after, c.cancel.after_tokens); },
     [](const Class& c) { return cancel_after(c.cancel); }},
    {"cancel-share", In::both, [](const Class& c, Parts& p) { p.add(c.cancel.share); },
     [](const Class& c) { return c.cancel.any() && c.cancel.share < 1 ? fmt::format("{:.6g}%", 100 * c.cancel.share) : ""; }},
    {"prompt", In::both, [](const Class& c, Parts& p) { for (const auto& prompt : c.prompts.prompts) p.add(prompt); }},
    {"workload", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.source); }},
    {"skip-bad-lines", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.skip_bad_lines); },
     [](const Class& c) { return yes(c.prompts.skip_bad_lines); }},
    {"input-tokens", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.input_tokens); }},
    {"no-calibrate", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.calibrate); },
     [](const Class& c) { return yes(!c.prompts.calibrate); }},
    {"system-prompt", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.system_prompt); },
     [](const Class& c) { return size_of(c.prompts.system_prompt); }},
    {"shared-prefix-tokens", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.shared_prefix_tokens); },
     [](const Class& c) { return unless(0, c.prompts.shared_prefix_tokens); }},
    {"prefix-groups", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.prefix_groups); },
     [](const Class& c) { return unless(1, c.prompts.prefix_groups); }},
    {"prompt-reuse", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.prompt_reuse); },
     [](const Class& c) { return unless(1, c.prompts.prompt_reuse); }},
    {"prime", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.prime); },
     [](const Class& c) { return yes(c.prompts.prime); }},
    {"turns", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.turns); },
     [](const Class& c) { return is_always(c.prompts.turns, 1) ? "" : lengths_text(c.prompts.turns); }},
    {"think-time", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.think_time); },
     [](const Class& c) { return is_always(c.prompts.think_time, 0) ? "" : durations_text(c.prompts.think_time); }},
    {"session-header", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.session_header); },
     [](const Class& c) { return c.prompts.session_header; }},
    {"session-connection", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.session_connection); },
     [](const Class& c) { return yes(c.prompts.session_connection); }},
    // A newer option is added only if it is used, so that older hashes stay the same.
    {"batch-size", In::both, [](const Class& c, Parts& p) { if (c.prompts.batch != 1) p.add(c.prompts.batch); },
     [](const Class& c) { return unless(1, c.prompts.batch); }},
    {"images", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.images); },
     [](const Class& c) { return unless(0, c.prompts.images); }},
    {"image-size", In::both, [](const Class& c, Parts& p) { p.add(c.prompts.image_width, c.prompts.image_height); },
     [](const Class& c) { return c.prompts.images > 0 ? fmt::format("{}x{}", c.prompts.image_width, c.prompts.image_height) : ""; }},
    {"output-tokens", In::both, [](const Class& c, Parts& p) { p.add(c.answers.output_tokens); }},
    {"extra-body", In::both, [](const Class& c, Parts& p) { p.add(c.answers.extra_body); }},
    {"choices", In::both, [](const Class& c, Parts& p) { p.add(c.answers.choices); },
     [](const Class& c) { return unless(1, c.answers.choices); }},
    {"logprobs", In::both, [](const Class& c, Parts& p) { p.add(c.answers.logprobs); },
     [](const Class& c) { return unless(0, c.answers.logprobs); }},
    {"reasoning-effort", In::both, [](const Class& c, Parts& p) { p.add(c.answers.reasoning_effort); },
     [](const Class& c) { return c.answers.reasoning_effort; }},
    {"thinking", In::both, [](const Class& c, Parts& p) { p.add(static_cast<int>(c.answers.thinking)); },
     [](const Class& c) -> std::string { return c.answers.thinking == Thinking::unsaid ? "" : c.answers.thinking == Thinking::on ? "on" : "off"; }},
    {"tools", In::both, [](const Class& c, Parts& p) { p.add(c.answers.tools); },
     [](const Class& c) { return size_of(c.answers.tools); }},
    {"json-mode", In::both, [](const Class& c, Parts& p) { p.add(c.answers.json_mode); },
     [](const Class& c) { return yes(c.answers.json_mode); }},
    {"json-schema", In::both, [](const Class& c, Parts& p) { p.add(c.answers.json_schema); },
     [](const Class& c) { return size_of(c.answers.json_schema); }},
};

constexpr Field<Target> kTargetFields[] = {
    {"name", In::plan, [](const Target& t, Parts& p) { p.add(t.name); }},
    {"model", In::plan, [](const Target& t, Parts& p) { p.add(t.model); }},
    {"url", In::plan, [](const Target& t, Parts& p) { p.add(t.replicas.size()); }},
    {"extra-body", In::both, [](const Target& t, Parts& p) { p.add(t.extra_body); }},
    // What changes a request, not what a vendor is called; added only if something is known.
    {"vendor", In::plan, [](const Target& t, Parts& p) { add_facts(t.facts, p); }},
    {"region", In::plan, [](const Target& t, Parts& p) { add_said(t.region, p); }},
    {"http2", In::both, [](const Target& t, Parts& p) { p.add(t.http2); },
     [](const Target& t) { return yes(t.http2); }},
    {"fresh-connections", In::both, [](const Target& t, Parts& p) { p.add(t.fresh_connections); },
     [](const Target& t) { return yes(t.fresh_connections); }},
};

constexpr Field<Plan> kPlanFields[] = {
    {"timestamps", In::request, [](const Plan& r, Parts& p) { p.add(r.kernel_timestamps); },
     [](const Plan& r) -> std::string { return r.kernel_timestamps ? "" : "user"; }},
    {"timestamps", In::plan, [](const Plan& r, Parts& p) { if (!r.kernel_timestamps) p.add(std::string("user")); }},
    {"alternate, sequential", In::plan, [](const Plan& r, Parts& p) { p.add(static_cast<int>(r.target_order)); }},
    {"retries", In::plan, [](const Plan& r, Parts& p) { p.add(r.retries); }},
    {"on-rate-limit", In::both, [](const Plan& r, Parts& p) { p.add(static_cast<int>(r.on_rate_limit)); }},
};

constexpr Field<Load> kLoadFields[] = {
    {"arrival", In::plan, [](const Load& l, Parts& p) { p.add(static_cast<int>(l.arrival)); }},
    {"burstiness", In::plan, [](const Load& l, Parts& p) { p.add(l.cv); }},
    {"replay-speed", In::plan, [](const Load& l, Parts& p) { p.add(l.replay_speed); }},
    {"max-in-flight", In::plan, [](const Load& l, Parts& p) { p.add(l.max_in_flight); }},
    {"on-cap", In::plan, [](const Load& l, Parts& p) { p.add(l.drop_at_cap); }},
    // The number of requests is excluded: by default it follows from the load point.
    {"warmup", In::plan, [](const Load& l, Parts& p) { p.add(l.warmup_duration); }},
    {"seed", In::plan, [](const Load& l, Parts& p) { p.add(l.seed); }},
};
// clang-format on

template <typename Of, std::size_t n>
void add_fields(const Field<Of> (&fields)[n], In in, const Of& of, Parts& parts) {
  for (const auto& field : fields) {
    if (field.in == In::both || field.in == in) field.hash(of, parts);
  }
}

template <typename Of, std::size_t n>
void show_fields(const Field<Of> (&fields)[n], const Of& of, decltype(Workload::options)& out) {
  for (const auto& field : fields) {
    std::string value = field.shown ? field.shown(of) : "";
    if (!value.empty()) out.emplace_back(field.option, std::move(value));
  }
}

}  // namespace

std::string plan_hash(const Plan& plan) {
  Parts parts;
  for (const auto& traffic : plan.classes) add_fields(kClassFields, In::plan, traffic, parts);
  for (const auto& target : plan.targets) add_fields(kTargetFields, In::plan, target, parts);
  add_fields(kPlanFields, In::plan, plan, parts);
  add_fields(kLoadFields, In::plan, plan.sweep.points.front(), parts);
  return parts.hash();
}

std::string workload_hash(const Plan& plan) {
  Parts parts;
  for (const auto& traffic : plan.classes) add_fields(kClassFields, In::request, traffic, parts);
  std::set<std::string> ways;  // so that one target compares with several identical ones
  for (const auto& target : plan.targets) {
    Parts way;
    add_fields(kTargetFields, In::request, target, way);
    if (ways.insert(way.text()).second) parts.add(way.text());
  }
  add_fields(kPlanFields, In::request, plan, parts);
  return parts.hash();
}

decltype(Workload::options) request_options(const Plan& plan, const TrafficClass& traffic) {
  decltype(Workload::options) out;
  show_fields(kClassFields, traffic, out);
  show_fields(kTargetFields, plan.targets.front(), out);
  show_fields(kPlanFields, plan, out);
  return out;
}

std::optional<std::uint64_t> common_entropy(const Plan& plan) {
  if (plan.shard.whole() || !plan.start_at_unix_ms) return std::nullopt;
  return mix64(hash_bytes(plan_hash(plan)) ^ mix64(static_cast<std::uint64_t>(*plan.start_at_unix_ms)));
}

}  // namespace infermeter
