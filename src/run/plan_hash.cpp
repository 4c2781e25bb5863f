#include "run/plan_hash.hpp"

#include <fmt/format.h>

#include <set>
#include <type_traits>

#include "base/random.hpp"
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

void add_prompts(const Prompts& p, Parts& parts) {
  for (const auto& prompt : p.prompts) parts.add(prompt);
  parts.add(p.source, p.skip_bad_lines, p.input_tokens, p.calibrate, p.system_prompt, p.shared_prefix_tokens,
            p.prefix_groups, p.prompt_reuse, p.prime, p.turns, p.think_time, p.session_header,
            p.session_connection, p.batch, p.images, p.image_width, p.image_height);
}

void add_answers(const Answers& a, Parts& parts) {
  parts.add(a.output_tokens, a.extra_body, a.choices, a.logprobs, a.reasoning_effort,
            static_cast<int>(a.thinking), a.tools, a.json_mode, a.json_schema);
}

void add_requests(const TrafficClass& c, Parts& parts) {
  parts.add(c.share, c.rate, c.concurrency, c.probe, c.cancel.after, c.cancel.after_tokens, c.cancel.share);
  add_prompts(c.prompts, parts);
  add_answers(c.answers, parts);
}

void add_class(const TrafficClass& c, Parts& parts) {
  parts.add(c.name, c.model, c.prompts.file, c.answers.exact_output, c.answers.stream);
  for (const auto& slo : c.slos) parts.add(slo.text);
  add_requests(c, parts);
}

void add_sending(const Target& t, Parts& parts) { parts.add(t.extra_body, t.http2, t.fresh_connections); }

void add_target(const Target& t, Parts& parts) {
  parts.add(t.name, t.model, t.replicas.size());
  add_sending(t, parts);
}

void add_load(const Load& l, Parts& parts) {
  parts.add(static_cast<int>(l.arrival), l.cv, l.replay_speed, l.max_in_flight, l.drop_at_cap,
            l.warmup_duration, l.seed);
}

}  // namespace

std::string plan_hash(const Plan& plan) {
  Parts parts;
  for (const auto& traffic : plan.classes) add_class(traffic, parts);
  for (const auto& target : plan.targets) add_target(target, parts);
  parts.add(static_cast<int>(plan.target_order), plan.retries, static_cast<int>(plan.on_rate_limit));
  add_load(plan.sweep.points.front(), parts);
  return parts.hash();
}

std::string workload_hash(const Plan& plan) {
  Parts parts;
  for (const auto& traffic : plan.classes) add_requests(traffic, parts);
  std::set<std::string> ways;  // so that one target compares with several alike
  for (const auto& target : plan.targets) {
    Parts way;
    add_sending(target, way);
    if (ways.insert(way.text()).second) parts.add(way.text());
  }
  parts.add(plan.kernel_timestamps, static_cast<int>(plan.on_rate_limit));
  return parts.hash();
}

std::optional<std::uint64_t> common_entropy(const Plan& plan) {
  if (plan.shard.whole() || !plan.start_at_unix_ms) return std::nullopt;
  return mix64(hash_bytes(plan_hash(plan)) ^ mix64(static_cast<std::uint64_t>(*plan.start_at_unix_ms)));
}

}  // namespace infermeter
