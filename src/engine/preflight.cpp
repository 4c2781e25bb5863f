#include "infermeter/engine/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <thread>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/engine/fetch.hpp"
#include "infermeter/engine/secrets.hpp"
#include "infermeter/io/proxy.hpp"
#include "infermeter/io/resolve.hpp"
#include "infermeter/protocol/http_outcome.hpp"
#include "infermeter/protocol/server_identity.hpp"
#include "trial.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kProbeLimit = 15s;
constexpr nanoseconds kReadyPause = 500ms;

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string advice_for(const std::string& url) {
  return fmt::format(
      "Is the server running? `curl {}` looks closer.\n"
      "No server at hand? `infermeter run --sim` measures the built-in simulator.",
      url);
}

// Where the connection goes: the proxy or socket, if one stands between.
std::string place(const PreparedTarget& prepared) {
  if (!prepared.target.unix_socket.empty()) return prepared.target.unix_socket;
  if (!prepared.facts.proxy.empty()) return fmt::format("the proxy {}", prepared.facts.proxy);
  return fmt::format("{}:{}", prepared.url.host, prepared.url.port);
}

[[noreturn]] void fail_to_reach(const PreparedTarget& prepared, const HttpAnswer& answer) {
  if (answer.outcome == Outcome::interrupted)
    throw Error(ExitCode::interrupted, "interrupted before the first request");
  const std::string where = place(prepared);
  switch (answer.outcome) {
    case Outcome::tls:
      throw EnvironmentError(fmt::format("cannot set up TLS with {}: {}", where, answer.message),
                             "--cacert FILE trusts another authority, --insecure trusts anybody.");
    case Outcome::dns:
      throw EnvironmentError(fmt::format("cannot resolve {}: {}", prepared.url.host, answer.message));
    case Outcome::connect:
    case Outcome::connect_timeout:
      throw EnvironmentError(fmt::format("cannot connect to {}: {}", where, answer.message),
                             advice_for(mask_url(prepared.url.models_url())));
    default:
      throw EnvironmentError(
          fmt::format("no answer from {}: {}", where, answer.message),
          prepared.target.http2 ? "Does it speak HTTP/2? Without --http2 it is asked in HTTP/1.1." : "");
  }
}

std::string excerpt(const PreparedTarget& prepared, const HttpAnswer& answer) {
  return without_secrets(read_error_body(answer.status, answer.body).message, secrets_of(prepared.target));
}

[[noreturn]] void fail_by_status(const std::string& url, int status, const std::string& said) {
  std::string advice;
  if (status == 401 || status == 403)
    advice = "Its key is read from OPENAI_API_KEY, --api-key-env NAME or --api-key-file FILE.";
  if (status == 404)
    advice =
        "Is the path right? A base URL such as http://host:8000 or the whole path to chat/completions will "
        "do.";
  throw EnvironmentError(fmt::format("{} answers {}: {}", url, status, said), advice);
}

// Asks /v1/models and /version; fills facts. True if the models could be read.
bool ask_identity(CurlTransport& transport, PreparedTarget& prepared, HttpAnswer& models, nanoseconds limit,
                  const std::atomic<bool>& interrupt) {
  models = fetch(transport, {.url = prepared.url.models_url()}, limit, interrupt);
  if (models.outcome != Outcome::ok) return false;
  TargetFacts& facts = prepared.facts;
  facts.server_header = models.header("server");
  const auto entries = models.status == 200 ? parse_models(models.body) : std::vector<ModelEntry>{};
  const HttpAnswer version = fetch(transport, {.url = prepared.url.root_url("/version")}, limit, interrupt);
  const std::string version_body =
      version.outcome == Outcome::ok && version.status == 200 ? version.body : "";
  facts.version = parse_version(version_body);
  facts.engine = engine_name(entries, version_body, facts.server_header);
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
  const auto entry = std::ranges::find(entries, prepared.target.model, &ModelEntry::id);
  facts.model_entry = entry == entries.end() ? entries.front().json : entry->json;
  if (prepared.target.model.empty()) {
    prepared.target.model = entries.front().id;
    facts.model_source = "first of /v1/models";
  }
  return true;
}

void refuse_interrupted(const std::atomic<bool>& interrupt) {
  if (interrupt) throw Error(ExitCode::interrupted, "interrupted before the first request");
}

void need_model(const PreparedTarget& prepared, const HttpAnswer& models) {
  if (models.outcome != Outcome::ok) fail_to_reach(prepared, models);
  if (!prepared.target.model.empty()) return;
  const std::string url = mask_url(prepared.url.models_url());
  if (models.status != 200) fail_by_status(url, models.status, excerpt(prepared, models));
  throw EnvironmentError(fmt::format("{} lists no model: {}", url, excerpt(prepared, models)),
                         "Name the model with --model NAME.");
}

// A probe is small: it gets no longer than a first token may take, nor much longer than the time for
// readiness.
nanoseconds probe_limit(const Plan& plan, Instant give_up) {
  const nanoseconds limit = std::min(kProbeLimit, plan.timeouts.first_token);
  return plan.wait_ready > 0ns ? std::clamp(give_up - now(), std::min(limit, nanoseconds(1s)), limit) : limit;
}

// Until the models answer, or the time given for it is over.
void find_model(const Plan& plan, CurlTransport& transport, PreparedTarget& prepared, Instant give_up,
                const std::atomic<bool>& interrupt, const Say& say) {
  bool said = false;
  while (true) {
    HttpAnswer models;
    const nanoseconds limit = probe_limit(plan, give_up);
    const bool read = ask_identity(transport, prepared, models, limit, interrupt);
    const bool reached = models.outcome == Outcome::ok && (read || !plan.target.model.empty());
    if (reached && models.status < 500) return;
    refuse_interrupted(interrupt);
    if (now() >= give_up) return need_model(prepared, models);
    if (!said)
      say(fmt::format("waiting up to {} for {}", format_duration(plan.wait_ready),
                      mask_url(prepared.url.models_url())));
    said = true;
    std::this_thread::sleep_for(kReadyPause);
  }
}

void choose_exact_output(const Plan& plan, PreparedTarget& prepared) {
  const bool synthetic = plan.prompts.prompts.empty();
  const bool known = !exact_output_fields(prepared.facts.engine).empty();
  prepared.exact_output = plan.answers.exact_output.value_or(synthetic && known);
  if (!prepared.exact_output) return;
  prepared.shape.exact_fields = exact_output_fields(prepared.facts.engine);
  if (prepared.shape.exact_fields.empty()) prepared.shape.exact_fields = {"ignore_eos", "min_tokens"};
}

RequestShape first_shape(const Plan& plan, const TargetUrl& url) {
  RequestShape shape;
  shape.endpoint = url.endpoint;
  shape.system_prompt = plan.prompts.system_prompt;
  shape.output_tokens = plan.answers.output_tokens;
  shape.stream = plan.answers.stream;
  shape.include_usage = plan.answers.stream;
  shape.extra_body = plan.answers.extra_body;
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

[[noreturn]] void fail_trial(const PreparedTarget& prepared, const Trial& trial) {
  const RequestRecord& record = trial.record;
  const std::string url = prepared.url.shown();
  if (record.outcome == Outcome::interrupted)
    throw Error(ExitCode::interrupted, "interrupted before the first request");
  if (record.status >= 300 && record.status < 400) {
    throw EnvironmentError(fmt::format("{} redirects to {}: give that URL instead", url,
                                       trial.location.empty() ? "nowhere" : mask_url(trial.location)));
  }
  const std::string said = without_secrets(record.error, secrets_of(prepared.target));
  if (record.status >= 400) fail_by_status(url, record.status, said);
  if (record.status == 0) {
    fail_to_reach(prepared, HttpAnswer{.outcome = record.outcome, .message = record.error});
  }
  throw EnvironmentError(fmt::format("{} does not answer as a model server does: {}", url, said));
}

bool cannot_measure(const RequestRecord& record) {
  switch (record.outcome) {
    case Outcome::http_error:
      return record.status != 429 && record.status != 503;
    case Outcome::param_rejected:
    case Outcome::protocol:
    case Outcome::connect:
    case Outcome::connect_timeout:
    case Outcome::dns:
    case Outcome::tls:
    case Outcome::empty_body:
    case Outcome::interrupted:
      return true;
    default:
      return record.status != 200;
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
  prepared.url = resolve_target_url(plan.target.url);
  prepared.target = plan.target;
  prepared.target.url = prepared.url.request_url();
  prepared.shape = first_shape(plan, prepared.url);
  prepared.headers = header_lines(plan.target, plan.answers.stream);
  prepared.facts.model_source = "asked for";
  prepared.facts.endpoint = name(prepared.url.endpoint);
  prepared.facts.proxy = mask_url(proxy_in_use(prepared.target));
  if (!plan.target.proxy.empty() && prepared.facts.proxy.empty())
    prepared.facts.notes.push_back("--proxy is not used: nothing stands between this machine and itself");
  prepared.facts.http_version = plan.target.http2 ? "2" : "1.1";
  resolve_names(prepared);

  const bool preflight = plan.preflight;
  const Instant give_up = now() + plan.wait_ready;
  CurlTransport transport(
      {.target = prepared.target, .headers = prepared.headers, .connect_timeout = plan.timeouts.connect});
  if (preflight || plan.target.model.empty() || plan.wait_ready > 0ns) {
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
