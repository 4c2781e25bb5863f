#include "engine/prepare/foresee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/load/traffic.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/http/proxy.hpp"

namespace infermeter {
namespace {

// A worker's epoll instance, libcurl's two ends to wake it, and its account at the scheduler.
constexpr double kFilesOfWorker = 4;
constexpr double kOtherFiles = 4;  // records, result, a certificate

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Of one target at one load point.
struct Streams {
  double certain = 0;     // in flight at once, whatever the server does: slots of closed loops
  double likely = 0;      // with those of open loops
  double per_second = 0;  // requests; 0: not known
  double requests = 0;    // in all

  void add(const Streams& other) {
    certain += other.certain;
    likely += other.likely;
    per_second += other.per_second;
    requests += other.requests;
  }
};

double requests_of(const Load& load) {
  if (load.duration || !load.requests) return kEndless;
  return static_cast<double>(*load.requests + load.warmup_requests.value_or(0));
}

Streams closed_streams(double slots, double requests, double answer_s) {
  Streams out{.certain = std::min(slots, requests), .requests = requests};
  out.likely = out.certain;
  if (answer_s > 0) out.per_second = slots / answer_s;
  return out;
}

Streams open_streams(double rate, double cap, double length_s, double answer_s) {
  Streams out{
      .likely = rate * answer_s, .per_second = rate, .requests = length_s > 0 ? rate * length_s : kEndless};
  if (cap > 0) out.likely = std::min(out.likely, cap);
  return out;
}

double length_s(const Load& load) {
  nanoseconds length = load.duration.value_or(0ns) + load.warmup_duration.value_or(0ns);
  for (const auto& stage : load.stages) length += stage.duration;
  return std::chrono::duration<double>(length).count();
}

Streams common_streams(const Load& load, double answer_s) {
  if (!load.open_loop()) return closed_streams(load.concurrency, requests_of(load), answer_s);
  Streams out = open_streams(load.rate.value_or(0), load.max_in_flight, length_s(load), answer_s);
  out.requests = std::min(out.requests, requests_of(load));
  out.likely = std::min(out.likely, out.requests);
  return out;
}

Streams streams_of(const Plan& plan, const Load& point, double answer_s) {
  const Load load = own_part(point, plan.shard);
  Streams out;
  if (has_common_load(plan)) out = common_streams(load, answer_s);
  for (const auto& traffic : plan.classes) {
    if (!traffic.own_loop() && !traffic.probe) continue;
    const double parts = plan.shard.of;
    out.add(traffic.rate
                ? open_streams(*traffic.rate / parts, 0, length_s(load), answer_s)
                : closed_streams(std::ceil(traffic.concurrency.value_or(1) / parts), kEndless, answer_s));
  }
  return out;
}

/// Each request opens a connection of its own.
bool opens_each(const Target& target) {
  const bool plain_http2 = target.http2 && target.url.starts_with("http://");
  return target.fresh_connections || (plain_http2 && !CurlTransport::reuses_plain_http2());
}

/// Each stream has a connection of its own; those of HTTP/2 share some.
bool opens_many(const Target& target) { return !target.http2 || opens_each(target); }

/// The targets that are measured at the same time, each group by the indices of its targets.
std::vector<std::vector<std::size_t>> groups_of(const Plan& plan) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t t = 0; t < plan.targets.size(); ++t) {
    if (groups.empty() || plan.target_order != TargetOrder::at_once) groups.emplace_back();
    groups.back().push_back(t);
  }
  return groups;
}

/// The most over all load points, of the targets of a group that `counts` accepts.
Streams most_streams(const Plan& plan, const std::vector<std::size_t>& group,
                     const std::function<bool(std::size_t)>& counts,
                     const std::function<double(std::size_t)>& answer_s) {
  Streams most;
  for (const auto& point : plan.sweep.points) {
    Streams sum;
    for (const std::size_t t : group) {
      if (counts(t)) sum.add(streams_of(plan, point, answer_s(t)));
    }
    most = {std::max(most.certain, sum.certain), std::max(most.likely, sum.likely),
            std::max(most.per_second, sum.per_second), std::max(most.requests, sum.requests)};
  }
  return most;
}

double workers_of(const std::vector<std::size_t>& group, std::span<const std::uint32_t> workers) {
  return std::accumulate(group.begin(), group.end(), 0.0,
                         [&](double sum, std::size_t t) { return sum + workers[t]; });
}

/// The simulator in this process opens the other end of each connection.
double files_of_stream(const Plan& plan) { return plan.simulator ? 2 : 1; }

std::string whole(double number) { return format_count(static_cast<std::uint64_t>(std::ceil(number))); }

std::string connections(double number) {
  return number > 1 ? whole(number) + " connections" : "1 connection";
}

constexpr std::string_view kEndings = ": some requests will end as client_limit";

std::string raised_to(double needed) {
  return raise_open_files(static_cast<std::uint64_t>(std::ceil(needed)));
}

void foresee_files(const Plan& plan, const Streams& streams, double workers, const HostLimits& limits,
                   std::vector<std::string>& out) {
  if (!limits.open_files || !limits.open_now) return;
  const double needed = static_cast<double>(*limits.open_now) + streams.likely * files_of_stream(plan) +
                        workers * kFilesOfWorker + kOtherFiles;
  if (needed <= static_cast<double>(*limits.open_files)) return;
  const std::string text =
      fmt::format("about {} connections at once take {} file descriptors, and this process may open {}",
                  whole(streams.likely), whole(needed), format_count(*limits.open_files));
  // Its end of a connection would not be opened, and the request would wait for its timeout.
  if (plan.simulator)
    throw UsageError(text + ": the simulator in it could not answer", raised_to(needed) + " raises that.");
  out.push_back(fmt::format("{}{}. {} raises that", text, kEndings, raised_to(needed)));
}

std::string worker_threads(double number) {
  return number > 1 ? whole(number) + " worker threads" : "1 worker thread";
}

void foresee_threads(double workers, const HostLimits& limits, std::vector<std::string>& out) {
  if (!limits.threads || !limits.threads_now) return;
  const double needed = static_cast<double>(*limits.threads_now) + workers;
  if (needed <= static_cast<double>(*limits.threads)) return;
  out.push_back(
      fmt::format("{} beside the {} that run already are more than the limit of {}. "
                  "Fewer --workers, or {}",
                  worker_threads(workers), format_count(*limits.threads_now), format_count(*limits.threads),
                  raise_threads(*limits.threads)));
}

/// Where the connections of a target go: local ports are counted for each place. Empty for a unix socket.
std::string place_of(const PreparedTarget& prepared) {
  if (!prepared.target.unix_socket.empty()) return {};
  const std::string proxy = proxy_in_use(prepared.target);
  return proxy.empty() ? fmt::format("{}:{}", prepared.url.host, prepared.url.port) : mask_url(proxy);
}

std::string ports_words(const HostLimits& limits) {
  return fmt::format("net.ipv4.ip_local_port_range is {}, {} ports", limits.port_range,
                     format_count(*limits.local_ports));
}

std::string more_ports() {
  return fmt::format("{} makes it wider; several machines (--shard) or addresses of the server have more",
                     kRaisePorts);
}

/// `hold_s`: how long a closed connection keeps its port; 0: connections are kept.
void foresee_ports(const std::string& place, const Streams& streams, double hold_s, const HostLimits& limits,
                   std::vector<std::string>& out) {
  const auto ports = static_cast<double>(*limits.local_ports);
  if (streams.likely > ports) {
    out.push_back(fmt::format("about {} connections at once to {}, and {}{}. {}", whole(streams.likely),
                              place, ports_words(limits), kEndings, more_ports()));
    return;
  }
  const double held = std::min(streams.per_second * hold_s, streams.requests);
  if (streams.likely + held <= ports) return;
  out.push_back(fmt::format(
      "a new connection for each request, about {} per second to {}, each of which holds its local "
      "port for {} more seconds (TIME_WAIT), and {}{}. {}; kept connections take one each",
      whole(streams.per_second), place, whole(hold_s), ports_words(limits), kEndings, more_ports()));
}

double hold_s(const PreparedTarget& prepared, const HostLimits& limits) {
  if (!opens_each(prepared.target)) return 0;
  const bool here = is_loopback_host(prepared.url.host);
  return static_cast<double>((here ? limits.loopback_port_hold : limits.port_hold).count());
}

}  // namespace

void refuse_beyond_limits(const Plan& plan, std::span<const std::uint32_t> workers,
                          const HostLimits& limits) {
  for (const auto& group : groups_of(plan)) {
    const auto opens = [&](std::size_t t) { return opens_many(plan.targets[t]); };
    const double streams = most_streams(plan, group, opens, [](std::size_t) { return 0; }).certain;
    const double threads = workers_of(group, workers);
    const double files = streams * files_of_stream(plan) + threads;
    if (limits.open_files && limits.open_now &&
        static_cast<double>(*limits.open_now) + files > static_cast<double>(*limits.open_files))
      throw UsageError(
          fmt::format(
              "a load of {} at once can never be sent: this process may open {} files, has {} open, and "
              "needs at least {} more for its workers",
              connections(streams), format_count(*limits.open_files), format_count(*limits.open_now),
              whole(threads)),
          fmt::format("{} raises the limit (as root above the hard limit). Or lower --concurrency, or send "
                      "from several machines (--shard).",
                      raised_to(static_cast<double>(*limits.open_now) + files)));
    // The main thread is one of them.
    if (limits.threads && threads >= static_cast<double>(*limits.threads))
      throw UsageError(fmt::format("{} can never be started: the limit is {} processes and threads",
                                   worker_threads(threads), format_count(*limits.threads)),
                       fmt::format("Fewer --workers, or {}.", raise_threads(*limits.threads)));
  }
}

std::vector<std::string> foreseen_limits(const Plan& plan, std::span<const PreparedTarget> prepared,
                                         std::span<const std::uint32_t> workers, const HostLimits& limits) {
  std::vector<std::string> out;
  const auto answer_s = [&](std::size_t t) {
    return std::chrono::duration<double>(prepared[t].answer_time.value_or(0ns)).count();
  };
  const auto add = [&](std::vector<std::string> found) {
    for (auto& text : found) {
      if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
    }
  };
  for (const auto& group : groups_of(plan)) {
    std::vector<std::string> found;
    const auto opens = [&](std::size_t t) { return opens_many(prepared[t].target); };
    const double threads = workers_of(group, workers);
    foresee_files(plan, most_streams(plan, group, opens, answer_s), threads, limits, found);
    foresee_threads(threads, limits, found);
    for (const std::size_t t : group) {
      const std::string place = place_of(prepared[t]);
      if (place.empty() || !limits.local_ports) continue;
      const auto same = [&](std::size_t other) { return opens(other) && place_of(prepared[other]) == place; };
      std::vector<std::string> of_place;
      foresee_ports(place, most_streams(plan, group, same, answer_s), hold_s(prepared[t], limits), limits,
                    of_place);
      add(std::move(of_place));
    }
    add(std::move(found));
  }
  return out;
}

}  // namespace infermeter
