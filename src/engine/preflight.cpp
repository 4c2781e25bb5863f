#include "infermeter/engine/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <thread>

#include "identity.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/io/proxy.hpp"
#include "infermeter/io/resolve.hpp"
#include "infermeter/protocol/server_identity.hpp"
#include "trial.hpp"
#include "unmeasurable.hpp"

namespace infermeter {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

void choose_exact_output(const Plan& plan, PreparedTarget& prepared) {
  const bool synthetic = plan.classes.front().prompts.prompts.empty();
  const bool known = !exact_output_fields(prepared.facts.engine).empty();
  prepared.exact_output = plan.classes.front().answers.exact_output.value_or(synthetic && known);
  if (!prepared.exact_output) return;
  prepared.shape.exact_fields = exact_output_fields(prepared.facts.engine);
  if (prepared.shape.exact_fields.empty()) prepared.shape.exact_fields = {"ignore_eos", "min_tokens"};
}

RequestShape first_shape(const Plan& plan, const TargetUrl& url) {
  RequestShape shape;
  shape.endpoint = url.endpoint;
  shape.system_prompt = plan.classes.front().prompts.system_prompt;
  shape.output_tokens = plan.classes.front().answers.output_tokens.sole();
  shape.stream = plan.classes.front().answers.stream;
  shape.include_usage = plan.classes.front().answers.stream;
  shape.extra_body = plan.classes.front().answers.extra_body;
  return shape;
}

// Where a location leads, if that is another endpoint of the same scheme, host and port: keys go to no other
// host.
std::optional<TargetUrl> same_origin(const TargetUrl& from, const std::string& location) {
  if (location.empty()) return std::nullopt;
  const std::string absolute = location.starts_with('/') ? from.root_url(location) : location;
  try {
    TargetUrl to = resolve_target_url(absolute);
    const bool same = to.scheme == from.scheme && to.host == from.host && to.port == from.port;
    // A path that is no endpoint's would be taken for a base, and lead elsewhere.
    if (same && to.request_url() == absolute && absolute != from.request_url()) return to;
  } catch (const UsageError&) {
    // not a URL of a model server: refused with the others
  }
  return std::nullopt;
}

bool follow(PreparedTarget& prepared, const std::string& location) {
  const auto to = same_origin(prepared.url, location);
  if (!to) return false;
  prepared.facts.notes.push_back(fmt::format("redirected to {}", to->shown()));
  prepared.url = *to;
  prepared.shape.endpoint = to->endpoint;
  return true;
}

// Its effect tells whether a limit was taken: some servers ignore the newer of the two names without a word.
bool swap_ignored_limit(PreparedTarget& prepared, const RequestRecord& record) {
  if (!record.flags.has(Flag::limit_ignored) || prepared.shape.max_tokens_swapped) return false;
  const std::string ignored = prepared.shape.max_tokens_field;
  drop_field(prepared.shape, ignored);
  prepared.facts.notes.push_back(fmt::format("{} is ignored by the server: {} is sent instead", ignored,
                                             prepared.shape.max_tokens_field));
  return true;
}

// Changes the shape by what the answer says; true if another try is worth it.
bool learn(PreparedTarget& prepared, const Trial& trial, bool strict) {
  const RequestRecord& record = trial.record;
  if (record.status == 307 || record.status == 308) return follow(prepared, trial.location);
  for (const auto& field : trial.error.refused_fields) {
    RequestShape changed = prepared.shape;
    const std::string note = drop_field(changed, field);
    if (note.empty()) continue;
    if (strict) throw EnvironmentError(fmt::format("{} (--strict): {}", note, record.error));
    prepared.shape = std::move(changed);
    prepared.facts.notes.push_back(note);
    return true;
  }
  return swap_ignored_limit(prepared, record);
}

bool may_pass(const RequestRecord& record) {
  return record.status >= 500 || record.outcome == Outcome::truncated ||
         record.outcome == Outcome::inband_error || record.outcome == Outcome::stale_connection ||
         record.outcome == Outcome::connect;
}

void note_answer(PreparedTarget& prepared, const RequestRecord& record) {
  auto& notes = prepared.facts.notes;
  if (record.outcome == Outcome::not_streamed) {
    notes.push_back("answers a streaming request by one whole body: TTFT and ITL cannot be measured");
  } else if (record.outcome != Outcome::ok) {
    notes.push_back(fmt::format("the preflight request ended as {}: {}", name(record.outcome), record.error));
  } else if (!record.output_tokens) {
    notes.push_back("reports no usage: events are counted, not tokens");
  }
  if (!record.server_model.empty() && record.server_model != prepared.target.model) {
    notes.push_back(fmt::format("calls its model {}", record.server_model));
  }
  if (record.flags.has(Flag::limit_ignored)) {
    notes.push_back(fmt::format("ignores {}: sent more tokens than asked", prepared.shape.max_tokens_field));
  }
}

// One small request after another: as long as each teaches something, thrice for what may pass by itself, and
// until the time for readiness is over.
void send_trials(const Plan& plan, CurlTransport& transport, PreparedTarget& prepared,
                 const PromptSource& prompts, Instant give_up, const std::atomic<bool>& interrupt,
                 const Say& say) {
  constexpr int kLessons = 12;
  constexpr int kPatience = 3;
  int lessons = 0, passing = 0;
  while (true) {
    const Trial trial = send_trial(transport, prepared, prompts.probe(), plan.timeouts, interrupt, say);
    refuse_interrupted(interrupt);
    if (lessons < kLessons && learn(prepared, trial, plan.strict)) {
      ++lessons;
      continue;
    }
    if (may_pass(trial.record) && (++passing < kPatience || now() < give_up)) {
      if (passing >= kPatience) std::this_thread::sleep_for(kReadyPause);
      continue;
    }
    if (cannot_measure(trial.record)) fail_trial(prepared, trial);
    return note_answer(prepared, trial.record);
  }
}

void resolve_names(PreparedTarget& prepared) {
  Target& target = prepared.target;
  if (!target.unix_socket.empty() || !proxy_in_use(target).empty()) return;
  const std::string own = fmt::format("{}:{}:", prepared.url.host, prepared.url.port);
  if (std::ranges::any_of(target.resolve, [&](const auto& entry) { return entry.starts_with(own); })) return;
  if (auto entry = resolve_entry(prepared.url.host, prepared.url.port); !entry.empty())
    target.resolve.push_back(entry);
}

}  // namespace

std::vector<std::string> header_lines(const Target& target, bool stream) {
  std::vector<Header> ours{{"Content-Type", "application/json"},
                           {"Accept", stream ? "text/event-stream" : "application/json"},
                           {"User-Agent", "infermeter"}};
  if (!target.api_key.empty()) ours.emplace_back("Authorization", "Bearer " + target.api_key);
  std::vector<std::string> lines{"Expect:"};  // no 100-continue: it would cost a round trip on large prompts
  for (const auto& [name, value] : ours) {
    const auto given = [&name = name](const Header& header) { return same_name(header.first, name); };
    if (std::ranges::none_of(target.headers, given)) lines.push_back(fmt::format("{}: {}", name, value));
  }
  for (const auto& [name, value] : target.headers) lines.push_back(fmt::format("{}: {}", name, value));
  return lines;
}

PreparedTarget prepare_target(const Plan& plan, const PromptSource& prompts,
                              const std::atomic<bool>& interrupt, const Say& say) {
  PreparedTarget prepared;
  prepared.url = resolve_target_url(plan.targets.front().url);
  prepared.target = plan.targets.front();
  prepared.target.url = prepared.url.request_url();
  prepared.shape = first_shape(plan, prepared.url);
  prepared.headers = header_lines(plan.targets.front(), plan.classes.front().answers.stream);
  prepared.facts.model_source = "asked for";
  prepared.facts.endpoint = name(prepared.url.endpoint);
  prepared.facts.proxy = mask_url(proxy_in_use(prepared.target));
  if (!plan.targets.front().proxy.empty() && prepared.facts.proxy.empty())
    prepared.facts.notes.push_back("--proxy is not used: nothing stands between this machine and itself");
  prepared.facts.http_version = plan.targets.front().http2 ? "2" : "1.1";
  resolve_names(prepared);

  const bool preflight = plan.preflight;
  const Instant give_up = now() + plan.wait_ready;
  CurlTransport transport(
      {.target = prepared.target, .headers = prepared.headers, .connect_timeout = plan.timeouts.connect});
  if (preflight || plan.targets.front().model.empty() || plan.wait_ready > 0ns) {
    find_model(plan, transport, prepared, give_up, interrupt, say);
  }
  prepared.shape.model = prepared.facts.model = prepared.target.model;
  choose_exact_output(plan, prepared);
  if (preflight || plan.wait_ready > 0ns)
    send_trials(plan, transport, prepared, prompts, give_up, interrupt, say);
  // What was refused cannot be forced.
  prepared.exact_output = prepared.exact_output && !prepared.shape.exact_fields.empty();
  prepared.facts.url = prepared.url.shown();
  prepared.target.url = prepared.url.request_url();
  return prepared;
}

}  // namespace infermeter
