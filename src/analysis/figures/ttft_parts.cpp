#include "analysis/figures/ttft_parts.hpp"

#include <algorithm>
#include <string_view>

namespace infermeter {
namespace {

struct Tier {
  std::string_view name;
  const std::vector<Metric>* times;
};

double mean_or_0(const Metric* metric) { return metric ? metric->mean : 0; }

}  // namespace

std::optional<TtftParts> ttft_parts(const PointResult& point) {
  const Metric* ttft = point.find("ttft");
  const Metric* response = point.find("ttft_response");
  if (ttft == nullptr || response == nullptr) return std::nullopt;
  std::vector<Tier> tiers{{"server", &point.server_metrics}};
  if (point.scraped) tiers.push_back({"prometheus", &point.scraped->times});
  for (const auto& [name, times] : tiers) {
    const Metric* queue = find_metric(*times, "queue");
    if (queue == nullptr) continue;
    const Metric* prefill = find_metric(*times, "prefill");
    const Metric* theirs = find_metric(*times, "ttft");
    TtftParts parts{.tier = std::string(name), .queue = queue->mean, .prefill = mean_or_0(prefill)};
    // Without a TTFT of the server the network cannot be told from the rest.
    const double by_server = theirs ? theirs->mean : ttft->mean;
    parts.client_queue = mean_or_0(point.find("client_queue"));
    parts.connect = std::max(0.0, response->mean - ttft->mean - parts.client_queue);
    parts.network = ttft->mean - by_server;
    parts.rest = by_server - parts.queue - parts.prefill;
    return parts;
  }
  return std::nullopt;
}

}  // namespace infermeter
