// A limit of this machine: as an end of a request, and foreseen before the first one.
#include "engine/prepare/foresee.hpp"
#include "generator_fixture.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

const std::vector<FakeStep> kLimit{{0ms, "", Outcome::client_limit}};

Load open_load(double rate, nanoseconds length) {
  Load load;
  load.rate = rate;
  load.duration = length;
  return load;
}

Plan plan_of(const Load& load, const std::string& url = "http://10.0.0.7:8000/v1") {
  Plan plan;
  plan.targets.front().url = url;
  plan.sweep.points = {load};
  return plan;
}

/// Ready targets whose answers take that long.
std::vector<PreparedTarget> prepared_for(const Plan& plan, nanoseconds answer) {
  std::vector<PreparedTarget> all;
  for (const auto& target : plan.targets) {
    PreparedTarget& one = all.emplace_back();
    one.target = target;
    one.url = resolve_target_url(target.url);
    one.answer_time = answer;
  }
  return all;
}

const HostLimits kUsual{.open_files = 1024,
                        .open_now = 8,
                        .local_ports = 28'232,
                        .port_range = "32768 60999",
                        .loopback_port_hold = std::chrono::seconds(1),
                        .port_hold = std::chrono::seconds(60),
                        .threads = {},
                        .threads_now = {}};

HostLimits with_files(std::uint64_t files) {
  HostLimits limits = kUsual;
  limits.open_files = files;
  return limits;
}

std::string refusal(const Plan& plan, const HostLimits& limits, std::uint32_t workers = 1) {
  try {
    refuse_beyond_limits(plan, std::vector(plan.targets.size(), workers), limits);
    return {};
  } catch (const UsageError& error) {
    return std::string(error.what()) + "\n" + error.advice();
  }
}

std::string foreseen(const Plan& plan, const HostLimits& limits, nanoseconds answer = 1s,
                     std::uint32_t workers = 1) {
  const std::vector each(plan.targets.size(), workers);
  std::string all;
  for (const auto& text : foreseen_limits(plan, prepared_for(plan, answer), each, limits)) all += text + "\n";
  return all;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("client limit: a request that met a limit of this machine is not tried again") {
  Fixture f(load_of(1, 3));
  f.plan.retries = 5;
  f.transport.special[0] = kLimit;
  f.run();
  REQUIRE(f.records.size() == 3);
  CHECK(f.records[0].outcome == Outcome::client_limit);
  CHECK(f.records[0].tries == 1);
  CHECK(f.records[0].error == "as scripted");
  CHECK(f.counters.errors == 1);
}

TEST_CASE("client limit: a slot that met a limit rests and does not spin") {
  Load load = load_of(1, 1);
  load.requests.reset();
  load.duration = 10s;
  Fixture f(load);
  f.transport.special[0] = kAnswer;
  f.transport.script = kLimit;
  f.run();
  CHECK(f.records.size() >= 5);
  CHECK(f.records.size() <= 11);
}

TEST_CASE("client limit: a run whose first requests all met one ends early and blames no server") {
  Fixture f(load_of(2, 1000));
  f.limits.max_error_rate = 0.01;
  f.transport.script = kLimit;
  f.run();
  CHECK(f.records.size() >= 10);
  CHECK(f.records.size() <= 12);
  CHECK(f.control.reason == StopReason::client_limit);
  CHECK_FALSE(RunBudget(f.control, f.limits).all_failed());
}

TEST_CASE("client limit: a run goes on while some of its requests reach the server") {
  Fixture f(load_of(20, 100));
  f.transport.script = kLimit;
  for (const std::size_t n : {0u, 1u})
    f.transport.special[n] = {{500s, token("a") + kFinish + kDone}, {500s, ""}};
  f.run();
  CHECK(f.records.size() == 100);
  CHECK(f.control.reason == StopReason::none);
}

TEST_CASE("foresee: 5,000 slots under a limit of 1,024 open files are refused with the command") {
  const std::string text = refusal(plan_of(load_of(5000, 100'000)), kUsual);
  CHECK(
      has(text, "a load of 5,000 connections at once can never be sent: this process may open 1,024 files"));
  CHECK(has(text, "`ulimit -n 65536`"));
  CHECK(refusal(plan_of(load_of(1000, 100'000)), kUsual).empty());
  CHECK_FALSE(refusal(plan_of(load_of(1016, 100'000)), kUsual).empty());
}

TEST_CASE("foresee: a run with fewer requests than slots needs no more connections than requests") {
  CHECK(refusal(plan_of(load_of(5000, 100)), kUsual).empty());
}

TEST_CASE("foresee: targets at the same time add up and targets in turn do not") {
  Plan plan = plan_of(load_of(600, 10'000));
  plan.targets.push_back(plan.targets.front());
  CHECK(has(refusal(plan, kUsual), "1,200 connections"));
  plan.target_order = TargetOrder::sequential;
  CHECK(refusal(plan, kUsual).empty());
}

TEST_CASE("foresee: the largest point of a sweep counts and so does a class with slots of its own") {
  Plan plan = plan_of(load_of(1, 10'000));
  plan.sweep.points.push_back(load_of(2000, 10'000));
  CHECK(has(refusal(plan, kUsual), "2,000 connections"));
  plan.sweep.points.pop_back();
  plan.classes.push_back(TrafficClass{});
  plan.classes.back().concurrency = 1500;
  CHECK(has(refusal(plan, kUsual), "1,501 connections"));
}

TEST_CASE("foresee: a shard opens its own part of the slots only") {
  Plan plan = plan_of(load_of(2000, 100'000));
  plan.shard = {.rank = 0, .of = 4};
  CHECK(refusal(plan, kUsual).empty());
}

TEST_CASE("foresee: HTTP/2 shares connections and a limit that is not known refuses nothing") {
  Plan plan = plan_of(load_of(5000, 100'000), "https://10.0.0.7/v1");
  plan.targets.front().http2 = true;
  CHECK(refusal(plan, kUsual).empty());
  CHECK(refusal(plan_of(load_of(5000, 100'000)), HostLimits{}).empty());
  CHECK(foreseen(plan_of(load_of(5000, 100'000)), HostLimits{}).empty());
}

TEST_CASE("foresee: the simulator in this process has the other end of each connection") {
  Plan plan = plan_of(load_of(600, 10'000), "http://127.0.0.1:8000/v1");
  CHECK(refusal(plan, kUsual).empty());
  plan.simulator = SimulatedServer{};
  CHECK_FALSE(refusal(plan, kUsual).empty());
  plan.sweep.points = {open_load(400, 60s)};
  CHECK(foreseen(plan, kUsual, 1s).empty());
  CHECK_THROWS_AS(foreseen(plan, kUsual, 2s), UsageError);
}

TEST_CASE("foresee: more workers than this user may have threads are refused") {
  HostLimits limits = kUsual;
  limits.threads = 10;
  limits.threads_now = 3;
  CHECK(has(refusal(plan_of(load_of(64, 1000)), limits, 16), "16 worker threads can never be started"));
  CHECK(refusal(plan_of(load_of(64, 1000)), limits, 9).empty());
  CHECK_FALSE(refusal(plan_of(load_of(64, 1000)), limits, 10).empty());
  CHECK(has(foreseen(plan_of(load_of(64, 1000)), limits, 1s, 8), "`ulimit -u"));
  CHECK(foreseen(plan_of(load_of(64, 1000)), limits, 1s, 7).empty());
}

TEST_CASE("foresee: an open loop takes its rate times the time of an answer") {
  const Plan plan = plan_of(open_load(400, 60s));
  CHECK(refusal(plan, kUsual).empty());
  CHECK(foreseen(plan, kUsual, 2s).empty());
  const std::string text = foreseen(plan, kUsual, 3s);
  CHECK(has(text, "about 1,200 connections at once"));
  CHECK(has(text, "may open 1,024: some requests will end as client_limit. `ulimit -n 65536` raises that"));
  Plan few = plan;
  few.sweep.points.front().duration.reset();
  few.sweep.points.front().requests = 900;
  CHECK(foreseen(few, kUsual, 3s).empty());
  Plan capped = plan;
  capped.sweep.points.front().max_in_flight = 500;
  CHECK(foreseen(capped, kUsual, 3s).empty());
}

TEST_CASE("foresee: 64 slots to one server with 31 local ports are announced with the command") {
  HostLimits limits = kUsual;
  limits.local_ports = 31;
  limits.port_range = "40000 40030";
  const std::string text = foreseen(plan_of(load_of(64, 1000)), limits);
  CHECK(has(text, "about 64 connections at once to 10.0.0.7:8000"));
  CHECK(has(text, "net.ipv4.ip_local_port_range is 40000 40030, 31 ports"));
  CHECK(has(text, "`sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"`"));
  CHECK(foreseen(plan_of(load_of(31, 1000)), limits).empty());
}

TEST_CASE("foresee: local ports are counted for each server") {
  HostLimits limits = kUsual;
  limits.local_ports = 100;
  Plan plan = plan_of(load_of(60, 1000));
  plan.targets.push_back(plan.targets.front());
  CHECK(has(foreseen(plan, limits), "about 120 connections at once to 10.0.0.7:8000"));
  plan.targets.back().url = "http://10.0.0.8:8000/v1";
  CHECK(foreseen(plan, limits).empty());
  plan.targets.back().url = "http://10.0.0.7:8000/v1";
  plan.targets.back().unix_socket = "/run/server.sock";
  CHECK(foreseen(plan, limits).empty());
}

TEST_CASE("foresee: a closed connection holds its port and connections that are kept do not") {
  Plan plan = plan_of(open_load(1000, 600s));
  CHECK(foreseen(plan, with_files(65'536)).empty());
  plan.targets.front().fresh_connections = true;
  const std::string text = foreseen(plan, with_files(65'536));
  CHECK(has(text, "a new connection for each request, about 1,000 per second to 10.0.0.7:8000"));
  CHECK(has(text, "for 60 more seconds (TIME_WAIT)"));
  CHECK(has(text, "28,232 ports"));
  plan.sweep.points.front().duration = 20s;  // ends before the ports are used up
  CHECK(foreseen(plan, with_files(65'536)).empty());
  plan.sweep.points.front().duration = 600s;
  plan.targets.front().url =
      "http://127.0.0.1:8000/v1";  // the kernel reuses ports of loopback after a second
  CHECK(foreseen(plan, with_files(65'536)).empty());
}

TEST_CASE("foresee: a closed loop of short answers on fresh connections uses up the ports too") {
  Plan plan = plan_of(load_of(64, 1'000'000));
  plan.targets.front().fresh_connections = true;
  CHECK(has(foreseen(plan, kUsual, 10ms), "about 6,400 per second"));
  CHECK(foreseen(plan, kUsual, 1s).empty());
  plan.sweep.points.front().requests = 10'000;
  CHECK(foreseen(plan, kUsual, 10ms).empty());
}
