#include "engine/prepare/prime.hpp"

#include <fmt/format.h>

#include "engine/prepare/probe.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

void send(CurlTransport& transport, const PreparedTarget& prepared, const TargetUrl& url,
          const ClassTraffic& traffic, const Request& request, nanoseconds limit,
          const std::atomic<bool>& interrupt) {
  HttpRequest http{.url = url.request_url(),
                   .body = traffic.body.body(request),
                   .request_id = {},
                   .headers = traffic.headers};
  const HttpAnswer answer = fetch(transport, std::move(http), limit, interrupt);
  if (interrupt) return;
  if (answer.outcome != Outcome::ok) fail_to_reach(prepared, answer);
  if (answer.status >= 400)
    fail_by_status(prepared.target, prepared.url.shown(), answer.status, excerpt(prepared, answer));
}

}  // namespace

void prime(const Plan& plan, const PreparedTarget& prepared, std::span<const Lane> lanes,
           const std::atomic<bool>& interrupt) {
  CurlTransport transport(
      {.target = prepared.target, .headers = prepared.headers, .connect_timeout = plan.timeouts.connect});
  std::vector<TargetUrl> urls{prepared.url};
  urls.insert(urls.end(), prepared.replicas.begin(), prepared.replicas.end());
  for (const auto& lane : lanes) {
    for (const auto& traffic : lane.classes) {
      if (!plan.classes[traffic.traffic_class].prompts.prime) continue;
      for (const auto& request : traffic.source->primers()) {
        for (const auto& url : urls) {
          if (interrupt) return;
          send(transport, prepared, url, traffic, request, plan.timeouts.first_token, interrupt);
        }
      }
    }
  }
}

}  // namespace infermeter
