#include "engine/prepare/prime.hpp"

#include <fmt/format.h>

#include "engine/prepare/probe.hpp"
#include "engine/prepare/probe_log.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

void send(CurlTransport& transport, const PreparedTarget& prepared, const TargetUrl& url,
          const ClassTraffic& traffic, const Request& request, const Timeouts& timeouts,
          const TimeLimit& command) {
  HttpRequest http{.url = url.request_url(),
                   .body = traffic.body.body(request),
                   .request_id = {},
                   .headers = traffic.headers};
  const Instant start = now();
  const TimeLimit limit = command.within(start, timeouts.whole, "--timeout")
                              .within(start, timeouts.first_token, "--timeout-first-token");
  const HttpAnswer answer = fetch(transport, std::move(http), limit);
  log_answer(prepared, "prime", prepared.secrets.mask_written(url.shown()), answer);
  if (command.over(now())) return;
  if (answer.outcome == Outcome::timeout)
    throw EnvironmentError(fmt::format("--prime: {} sent {}", prepared.url.shown(), answer.message));
  if (answer.outcome != Outcome::ok) fail_to_reach(prepared, answer);
  if (answer.status >= 400)
    fail_by_status(prepared, prepared.shown_url(), answer.status, excerpt(prepared, answer));
}

}  // namespace

void prime(const Plan& plan, const PreparedTarget& prepared, std::span<const Lane> lanes,
           const TimeLimit& command) {
  CurlTransport transport(
      {.target = prepared.target, .headers = prepared.headers, .connect_timeout = plan.timeouts.connect});
  std::vector<TargetUrl> urls{prepared.url};
  urls.insert(urls.end(), prepared.replicas.begin(), prepared.replicas.end());
  for (const auto& lane : lanes) {
    for (const auto& traffic : lane.classes) {
      if (!plan.classes[traffic.traffic_class].prompts.prime) continue;
      for (const auto& request : traffic.source->primers()) {
        for (const auto& url : urls) {
          if (command.over(now())) return;
          send(transport, prepared, url, traffic, request, plan.timeouts, command);
        }
      }
    }
  }
}

}  // namespace infermeter
