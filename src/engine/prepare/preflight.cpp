#include "engine/prepare/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "engine/prepare/probe.hpp"
#include "engine/prepare/probe_log.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/http/proxy.hpp"
#include "io/http/resolve.hpp"
#include "model/secrets/secret_values.hpp"
#include "protocol/endpoints/traits.hpp"
#include "protocol/http/server_identity.hpp"
#include "protocol/request/headers.hpp"
#include "protocol/request/shape.hpp"

namespace infermeter {
namespace {

/// The pause between two tries while waiting for the server.
constexpr nanoseconds kReadyPause = std::chrono::milliseconds(500);

/// For one answer of the preparation that is neither streamed nor measured.
TimeLimit answer_limit(const Plan& plan, const TimeLimit& command, nanoseconds allowed) {
  const Instant start = now();
  return command.within(start, allowed, "--prepare-timeout")
      .within(start, plan.timeouts.first_token, "--timeout-first-token")
      .within(start, plan.timeouts.whole, "--timeout");
}

// Requests /v1/models and /version; fills facts. True if the models could be read. Of the `allowed` time
// enough is left for the trials; without a model's name there is nothing to measure: then /v1/models has the
// whole time.
bool ask_identity(const Plan& plan, CurlTransport& transport, PreparedTarget& prepared, HttpAnswer& models,
                  nanoseconds allowed, const TimeLimit& command) {
  const bool named = !prepared.target.model.empty();
  models = fetch(transport, {.url = prepared.url.models_url()},
                 answer_limit(plan, command, named ? allowed * 2 / 5 : allowed));
  log_answer(prepared, "preflight", prepared.shown_models_url(), models);
  if (models.outcome != Outcome::ok) return false;
  TargetFacts& facts = prepared.facts;
  const std::string server = models.header("server");
  facts.server_header = prepared.secrets.mask(server);
  const auto entries = models.status == 200 ? parse_models(models.body) : std::vector<ModelEntry>{};
  const HttpAnswer version =
      fetch(transport, {.url = prepared.url.root_url("/version")}, answer_limit(plan, command, allowed / 5));
  log_answer(prepared, "preflight",
             prepared.secrets.mask_written(mask_url(prepared.url.root_url("/version"))), version);
  const std::string version_body =
      version.outcome == Outcome::ok && version.status == 200 ? version.body : "";
  facts.version = parse_version(version_body, prepared.secrets);
  facts.engine = engine_name(entries, version_body, server);
  if (models.connection.connected) {
    facts.rtt_ms = std::chrono::duration<double, std::milli>(*models.connection.connected -
                                                             models.connection.dns.value_or(models.started))
                       .count();
  }
  if (models.connection.tls && models.connection.connected) {
    facts.tls_ms =
        std::chrono::duration<double, std::milli>(*models.connection.tls - *models.connection.connected)
            .count();
  }
  if (entries.empty()) return false;
  const auto asked = std::ranges::find(entries, prepared.target.model, &ModelEntry::id);
  const ModelEntry& entry = asked == entries.end() ? entries.front() : *asked;
  facts.model_entry = prepared.secrets.mask_json(entry.json);
  facts.simulated = prepared.secrets.mask(entry.simulated);
  if (prepared.target.model.empty()) {
    prepared.target.model = entries.front().id;
    facts.model_source = "first of /v1/models";
  }
  return true;
}

void need_model(const PreparedTarget& prepared, const HttpAnswer& models) {
  const std::string url = prepared.shown_models_url();
  const bool unnamed = prepared.target.model.empty();
  if (unnamed && models.outcome == Outcome::timeout)
    throw EnvironmentError(fmt::format("no answer from {}: {}", url, models.message),
                           "With --model NAME the server need not list its models.");
  if (models.outcome != Outcome::ok) fail_to_reach(prepared, models);
  if (!unnamed) return;
  const bool keyless = models.status == 401 || models.status == 403 || models.status == 407;
  if (keyless) fail_by_status(prepared, url, models.status, excerpt(prepared, models));
  if (models.status / 100 == 3) fail_redirect(prepared, url, models.header("location"));
  if (models.status != 200)
    throw EnvironmentError(fmt::format("{} answers {} and names no model, so give --model NAME: {}", url,
                                       models.status, excerpt(prepared, models)),
                           "Or is the path wrong? A base URL such as http://host:8000 is enough.");
  throw EnvironmentError(fmt::format("{} lists no model: {}", url, excerpt(prepared, models)),
                         "Name the model with --model NAME.");
}

void note_once(PreparedTarget& prepared, std::string note) {
  auto& notes = prepared.facts.notes;
  if (std::ranges::find(notes, note) != notes.end()) return;
  if (logs(prepared.log)) prepared.log->put({.text = "preflight: " + note});
  notes.push_back(std::move(note));
}

// Fills the facts and, if no model was given, the model; tries until the models answer or `give_up` is
// reached. Throws EnvironmentError if no model can be named.
void find_model(const Plan& plan, CurlTransport& transport, PreparedTarget& prepared, nanoseconds allowed,
                Instant give_up, const TimeLimit& command, const Say& say) {
  bool said = false;
  while (true) {
    HttpAnswer models;
    const bool named = !prepared.target.model.empty();
    const bool read = ask_identity(plan, transport, prepared, models, allowed, command);
    const bool reached = models.outcome == Outcome::ok && (read || named);
    if (reached && models.status < 500) return;
    refuse_over(command);
    if (models.outcome == Outcome::client_limit) fail_to_reach(prepared, models);
    if (now() >= give_up && named && models.outcome == Outcome::timeout) {
      return note_once(prepared, fmt::format("{}: {}: engine and version are not known",
                                             prepared.shown_models_url(), models.message));
    }
    if (now() >= give_up) return need_model(prepared, models);
    if (!said)
      say(fmt::format("waiting up to {} for {}", format_duration(plan.wait_ready),
                      prepared.shown_models_url()));
    said = true;
    std::this_thread::sleep_for(kReadyPause);
  }
}

bool may_force_length(const TrafficClass& traffic) {
  return traffic.prompts.prompts.empty() && traffic.prompts.source == "synthetic";
}

void choose_exact_output(const TrafficClass& traffic, const VendorFacts& facts, const std::string& engine,
                         ClassShape& prepared) {
  const bool known = !exact_output_fields(engine).empty();
  const auto& asked = traffic.answers.exact_output;
  prepared.exact_output = asked.value_or(may_force_length(traffic) && known) &&
                          force_length(prepared.shape, facts, engine, asked.has_value());
}

void shape_classes(const Plan& plan, PreparedTarget& prepared) {
  for (const auto& traffic : plan.classes) {
    ClassShape& shape = prepared.classes.emplace_back();
    shape.shape = shape_of(prepared.target, traffic, prepared.url.endpoint, prepared.facts.engine);
    if (traits_of(prepared.url.endpoint).generates)
      choose_exact_output(traffic, prepared.target.facts, prepared.facts.engine, shape);
    for (const auto& note : shape.shape.notes) {
      if (plan.strict) throw UsageError(fmt::format("--strict: {}", note));
      note_once(prepared, note);
    }
  }
}

// The target of a redirect, if it is another endpoint with the same scheme, host and port: keys are sent to
// no other host.
std::optional<TargetUrl> same_origin(const TargetUrl& from, const std::string& location) {
  if (location.empty()) return std::nullopt;
  const std::string absolute = location.starts_with('/') ? from.root_url(location) : location;
  try {
    TargetUrl to = resolve_target_url(absolute);
    const bool same = to.scheme == from.scheme && to.host == from.host && to.port == from.port;
    // A path that is not an endpoint's would be taken for a base URL and lead elsewhere.
    if (same && to.request_url() == absolute && absolute != from.request_url()) return to;
  } catch (const UsageError&) {
    // not a URL of a model server: rejected like the others
  }
  return std::nullopt;
}

bool follow(PreparedTarget& prepared, const std::string& location) {
  const auto to = same_origin(prepared.url, location);
  if (!to) return false;
  prepared.facts.notes.push_back(fmt::format("redirected to {}", prepared.secrets.mask(to->shown())));
  prepared.url = *to;
  for (auto& traffic : prepared.classes) traffic.shape.endpoint = to->endpoint;
  return true;
}

// The answer's length shows whether a limit was obeyed: some servers silently ignore the newer of the two
// names. A trial that was hung up has no usage yet: then its events show it.
bool ignores_limit(const Trial& trial) {
  return trial.record.flags.has(Flag::limit_ignored) ||
         (trial.hung_up && trial.asked_tokens > 0 && trial.record.events > 2 * trial.asked_tokens);
}

bool swap_ignored_limit(PreparedTarget& prepared, RequestShape& shape, const Trial& trial) {
  const bool other = !traits_of(shape.endpoint).newer_limit_field.empty() && !shape.max_tokens_swapped;
  if (!ignores_limit(trial) || !other) return false;
  const std::string ignored = shape.max_tokens_field;
  drop_field(shape, ignored);
  note_once(prepared,
            fmt::format("{} is ignored by the server: {} is sent instead", ignored, shape.max_tokens_field));
  return true;
}

// A refused value is not a refused field. The trial's few tokens may be too few; the number of tokens that
// the run asks for is the user's, and is never changed.
bool raise_limit(const PreparedTarget& prepared, RequestShape& shape, const Trial& trial) {
  constexpr std::uint32_t guess = 16;  // the least of OpenAI's, for a server that names none
  const RefusedLimit& limit = *trial.error.refused_limit;
  const std::uint32_t least = limit.least.value_or(std::max(guess, 2 * trial.asked_tokens));
  const std::uint32_t next = std::min(least, shape.output_tokens);
  if (!limit.too_small || next <= trial.asked_tokens) fail_limit(prepared, shape, trial);
  shape.least_output_tokens = next;
  return true;
}

bool is_redirect(const PreparedTarget& prepared, const Trial& trial) {
  const int status = trial.record.status;
  if (status == 307 || status == 308) return true;
  const auto to = same_origin(prepared.url, trial.location);
  return status / 100 == 3 && to && to->prefix == prepared.url.prefix &&
         to->endpoint == prepared.url.endpoint;
}

// Changes the shape according to the answer; true if another try makes sense.
bool learn(PreparedTarget& prepared, RequestShape& shape, const Trial& trial, bool strict) {
  const RequestRecord& record = trial.record;
  if (is_redirect(prepared, trial)) return follow(prepared, trial.location);
  for (const auto& field : trial.error.refused_fields) {
    RequestShape changed = shape;
    const std::string note = drop_field(changed, field);
    if (note.empty()) continue;
    if (strict) throw EnvironmentError(fmt::format("{} (--strict): {}", note, record.error));
    shape = std::move(changed);
    note_once(prepared, note);
    return true;
  }
  if (trial.error.refused_limit) return raise_limit(prepared, shape, trial);
  return swap_ignored_limit(prepared, shape, trial);
}

bool may_pass(const RequestRecord& record) {
  return record.status >= 500 || record.outcome == Outcome::truncated ||
         record.outcome == Outcome::inband_error || record.outcome == Outcome::stale_connection ||
         record.outcome == Outcome::connect;
}

void note_answer(PreparedTarget& prepared, const RequestShape& shape, const Trial& trial, bool asked_usage) {
  const RequestRecord& record = trial.record;
  if (trial.too_late) {
    note_once(prepared,
              fmt::format("the preflight request had {}: what the server accepts and reports was not learnt",
                          record.error));
  } else if (trial.hung_up) {
    if (!record.output_tokens && asked_usage)
      note_once(prepared,
                "the preflight request was ended before its usage: the run shows whether tokens are counted");
  } else if (record.outcome == Outcome::not_streamed) {
    note_once(prepared, "answers a streaming request with one whole body: TTFT and ITL cannot be measured");
  } else if (record.outcome != Outcome::ok) {
    note_once(prepared,
              fmt::format("the preflight request ended as {}: {}", name(record.outcome), record.error));
  } else if (!record.output_tokens && traits_of(shape.endpoint).generates) {
    note_once(prepared, "reports no usage: events are counted, not tokens");
  }
  if (!record.server_model.empty() && record.server_model != prepared.secrets.mask(shape.model))
    note_once(prepared, fmt::format("calls its model {}", record.server_model));
  if (ignores_limit(trial))
    note_once(prepared, fmt::format("ignores {}: sent more tokens than asked", shape.max_tokens_field));
}

// As if the whole answer came at the trial's pace.
void note_answer_time(PreparedTarget& prepared, const RequestShape& shape, const RequestRecord& record) {
  const Micros first = record.first_token_us ? record.first_token_us : record.end_us;
  if (!first || record.outcome == Outcome::client_limit) return;
  double us = static_cast<double>(*first);
  if (record.events > 1 && record.last_token_us)
    us += static_cast<double>(*record.last_token_us - *first) / (record.events - 1) *
          (std::max(shape.output_tokens, 1u) - 1);
  const nanoseconds time{std::llround(us * 1e3)};
  prepared.answer_time = std::max(prepared.answer_time.value_or(time), time);
}

/// What the trials of one class need.
struct TrialRound {
  const Plan& plan;
  CurlTransport& transport;
  Instant give_up;
  const TimeLimit& command;
  const Say& say;
  bool usage_known = false;  // an earlier class's trial showed whether the server reports usage
};

// Sends small requests one after another: as long as each teaches something, three times for failures that
// may be temporary, and until the time for readiness is over.
void send_trials(TrialRound& round, const TrafficClass& traffic, PreparedTarget& prepared,
                 RequestShape& shape) {
  constexpr int kLessons = 16;
  constexpr int kPatience = 3;
  int lessons = 0, passing = 0;
  while (true) {
    const ProbeLimits limits{.timeouts = round.plan.timeouts,
                             .until = std::max(prepared.ask_until, round.give_up),
                             .usage = !round.usage_known,
                             .finish = true};
    const Trial trial =
        send_trial(round.transport, prepared, shape, traffic, limits, round.command, round.say);
    log_trial(prepared, "preflight", trial);
    refuse_over(round.command);
    if (lessons < kLessons && learn(prepared, shape, trial, round.plan.strict)) {
      ++lessons;
      continue;
    }
    if (may_pass(trial.record) && (++passing < kPatience || now() < round.give_up)) {
      if (passing >= kPatience) std::this_thread::sleep_for(kReadyPause);
      continue;
    }
    if (!trial.too_late && !trial.hung_up && cannot_measure(trial.record)) fail_trial(prepared, trial);
    note_answer(prepared, shape, trial, limits.usage);
    note_answer_time(prepared, shape, trial.record);
    const bool ended = !trial.too_late && !trial.hung_up;
    round.usage_known = round.usage_known || ended || trial.record.output_tokens.has_value();
    return;
  }
}

void resolve_name(const TargetUrl& url, Target& target, const TimeLimit& limit) {
  const std::string own = fmt::format("{}:{}:", url.host, url.port);
  if (std::ranges::any_of(target.resolve, [&](const auto& entry) { return entry.starts_with(own); })) return;
  if (auto entry = resolve_entry(url.host, url.port, limit); !entry.empty()) target.resolve.push_back(entry);
}

void resolve_names(PreparedTarget& prepared, const TimeLimit& limit) {
  Target& target = prepared.target;
  if (!target.unix_socket.empty()) return;
  if (const std::string proxy = proxy_in_use(target); !proxy.empty()) {
    const auto place = proxy_place(proxy);
    if (!place) throw EnvironmentError(fmt::format("the proxy's address {} names no host", mask_url(proxy)));
    if (auto entry = resolve_entry(place->host, place->port, limit, "the proxy "); !entry.empty())
      target.resolve.push_back(entry);
    return;
  }
  resolve_name(prepared.url, target, limit);
  for (const auto& replica : prepared.replicas) resolve_name(replica, target, limit);
}

PreparedTarget described(const Plan& plan, const Target& target) {
  PreparedTarget prepared;
  prepared.target = target;
  prepared.of_several = plan.targets.size() > 1;
  prepared.url = resolve_target_url(target.url, target.endpoint, target.api_version);
  for (const auto& url : target.replicas)
    prepared.replicas.push_back(resolve_target_url(url, target.endpoint, target.api_version));
  prepared.target.url = prepared.url.request_url();
  const bool stream = std::ranges::any_of(plan.classes, [](const auto& c) { return c.answers.stream; });
  prepared.headers = header_lines(target, prepared.url, stream);
  for (const auto& traffic :
       plan.classes)  // throws for what the endpoint does not support, before any traffic
    shape_of(target, traffic, prepared.url.endpoint);
  prepared.secrets = secrets_of(plan);
  TargetFacts& facts = prepared.facts;
  facts.name = target.name;
  facts.label = target.label;
  facts.region = target.region;
  facts.model_source = "asked for";
  if (target.model.empty() && !prepared.url.deployment().empty()) {
    prepared.target.model = prepared.url.deployment();
    facts.model_source = "the deployment";
  }
  facts.endpoint = name(prepared.url.endpoint);
  facts.proxy = mask_url(proxy_in_use(prepared.target));
  if (!target.proxy.empty() && facts.proxy.empty())
    facts.notes.push_back("--proxy is not used: the target is on this machine");
  facts.http_version = target.http2 ? "2" : "1.1";
  if (target.http2 && prepared.url.scheme == "http" && !CurlTransport::reuses_plain_http2())
    facts.notes.push_back("this libcurl uses no plain HTTP/2 connection twice: each request opens its own");
  facts.prices = target.prices;
  facts.gpus = target.gpus;
  for (const auto& replica : prepared.replicas) facts.replicas.push_back(replica.shown());
  return prepared;
}

PreparedTarget prepare_by(Instant give_up, const Plan& plan, const Target& target, nanoseconds allowed,
                          const TimeLimit& command, const Say& say, Log* log) {
  PreparedTarget prepared = described(plan, target);
  prepared.log = log;
  try {
    resolve_names(prepared, command.within(now(), plan.timeouts.connect, "--timeout-connect"));
  } catch (const EnvironmentError&) {
    refuse_over(command);
    throw;
  }
  if (logs(log)) {
    for (const auto& entry : prepared.target.resolve)
      log->put({.text = "preflight: the address is " + entry});
  }
  const Instant start = now();
  CurlTransport transport(
      {.target = prepared.target, .headers = prepared.headers, .connect_timeout = plan.timeouts.connect});
  if (plan.preflight || prepared.target.model.empty() || plan.wait_ready > 0ns)
    find_model(plan, transport, prepared, allowed, give_up, command, say);
  prepared.ask_until = (plan.wait_ready > 0ns ? now() : start) + allowed;
  // A name that the user gave is no echo of a secret.
  prepared.facts.model =
      target.model.empty() ? prepared.secrets.mask(prepared.target.model) : prepared.target.model;
  shape_classes(plan, prepared);
  TrialRound round{plan, transport, give_up, command, say};
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    ClassShape& traffic = prepared.classes[c];
    if (plan.preflight || plan.wait_ready > 0ns) send_trials(round, plan.classes[c], prepared, traffic.shape);
    // Fields that the server rejected cannot force a length.
    traffic.exact_output = traffic.exact_output && !traffic.shape.exact_fields.empty();
  }
  prepared.facts.url = prepared.shown_url();
  prepared.target.url = prepared.url.request_url();
  return prepared;
}

}  // namespace

PreparedTarget prepare_target(const Plan& plan, const Target& target, nanoseconds allowed,
                              const TimeLimit& command, const Say& say, Log* log) {
  const Instant give_up = now() + plan.wait_ready;
  try {
    return prepare_by(give_up, plan, target, allowed, command, say, log);
  } catch (const EnvironmentError& error) {
    if (plan.wait_ready == 0ns || now() < give_up) throw;
    throw EnvironmentError(
        fmt::format("not ready within {} (--wait-ready): {}", format_duration(plan.wait_ready), error.what()),
        error.advice());
  }
}

}  // namespace infermeter
