#include "engine/prepare/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/prepare/fetch.hpp"
#include "engine/prepare/unmeasurable.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "protocol/http/server_identity.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kProbeLimit = 15s;

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

}  // namespace

// Until the models answer, or the time given for it is over.
void find_model(const Plan& plan, CurlTransport& transport, PreparedTarget& prepared, Instant give_up,
                const std::atomic<bool>& interrupt, const Say& say) {
  bool said = false;
  while (true) {
    HttpAnswer models;
    const nanoseconds limit = probe_limit(plan, give_up);
    const bool read = ask_identity(transport, prepared, models, limit, interrupt);
    const bool reached = models.outcome == Outcome::ok && (read || !prepared.target.model.empty());
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

}  // namespace infermeter
