// Limits of this machine, set for a child process: the binary names them and blames no server.
#include <fmt/format.h>

#include "catch.hpp"
#include "run_folder.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using test::says;

namespace {

/// The words of `infermeter` behind a line of sh that sets limits.
Finished limited(const std::string& setup, const std::string& words) {
  return Process({"-c", setup + "; exec " + std::string(INFERMETER_BINARY) + " " + words}, {}, "/bin/sh")
      .wait();
}

std::uint64_t count_of(const nlohmann::json& point, const std::string& name) {
  for (const auto& entry : point["outcomes"]) {
    if (entry["class"] == name) return entry["count"];
  }
  return 0;
}

const nlohmann::json& check_of(const nlohmann::json& point, const std::string& name) {
  for (const auto& check : point["validity"]["checks"]) {
    if (check["name"] == name) return check;
  }
  throw std::runtime_error("no check " + name);
}

/// A network of its own with 31 local ports; empty where this user may not have one.
std::string few_ports() {
  const std::string enter = "PATH=$PATH:/usr/sbin:/sbin exec unshare -r -n";
  const bool may = Process({"-c", enter + " sh -c 'ip link set lo up'"}, {}, "/bin/sh").wait().exit_code == 0;
  return may ? enter : "";
}

}  // namespace

#ifndef INFERMETER_SANITIZED  // the sanitizer of undefined behaviour needs descriptors of its own
TEST_CASE("client limit: descriptors that run out under an open loop are no failure of the server") {
  TemporaryFolder folder;
  SimulatorProcess server({"fixed:ttft=3s,itl=1ms"});
  const std::string out = folder / "out";
  const Finished run = limited("ulimit -n 40", "run " + server.url() +
                                                   " --rate 100 --arrival constant -n 100 --warmup 0 "
                                                   "--no-preflight --no-calibrate --model fixed -o " +
                                                   out);
  INFO(run.out << run.err);
  CHECK(run.exit_code == 4);
  CHECK_FALSE(says(run.out, "Is the server running there?"));
  CHECK(says(run.out, "`ulimit -n 65536`"));
  const auto result = result_in(out);
  const auto& point = result["points"][0];
  CHECK(count_of(point, "client_limit") >= 60);
  CHECK(count_of(point, "ok") >= 10);
  CHECK(count_of(point, "connect") == 0);
  CHECK(check_of(point, "client_limit")["state"] == "failed");
  CHECK(
      says(check_of(point, "client_limit")["evidence"].get<std::string>(), "this process may open 40 files"));
  CHECK(result["health"][0]["failed"] == 0);
  CHECK(result["health"][0]["state"] == "good");
  const auto records = records_in(out);
  CHECK(std::ranges::count(records, Outcome::client_limit, &RequestRecord::outcome) ==
        static_cast<std::ptrdiff_t>(count_of(point, "client_limit")));
  for (const char* format : {"table", "html", "junit", "json"}) {
    INFO(format);
    CHECK(says(infermeter_once({"report", out, "--format", format}).out, "client_limit"));
  }
  CHECK(says(infermeter_once({"report", out, "--format", "csv", "--per-request"}).out, ",client_limit,"));
}
#endif

TEST_CASE("client limit: a closed loop with more slots than descriptors is refused before the start") {
  SimulatorProcess server({"fixed:ttft=5ms,itl=1ms"});
  const Finished run = limited("ulimit -n 64", "run " + server.url() + " -c 100 -n 200");
  INFO(run.out << run.err);
  CHECK(run.exit_code == 2);
  CHECK(says(run.err, "a load of 100 connections at once can never be sent: this process may open 64 files"));
  CHECK(says(run.err, "`ulimit -n 65536`"));
  CHECK(limited("ulimit -n 64", "run " + server.url() + " -c 100 --dry-run").exit_code == 2);
}

#ifndef INFERMETER_SANITIZED  // the sanitizer of undefined behaviour needs descriptors of its own
TEST_CASE("client limit: whichever step runs out of descriptors, nobody is asked whether the server runs") {
  SimulatorProcess server({"fixed:ttft=5ms,itl=1ms"});
  int named = 0;
  for (int files = 4; files <= 10; ++files) {  // the first ones are open already, the last ones may do
    const Finished run =
        limited(fmt::format("ulimit -n {}", files), "run " + server.url() + " -n 4 --warmup 0 -o result");
    INFO(files << " files, exit " << run.exit_code << "\n" << run.out << run.err);
    CHECK_FALSE(says(run.out + run.err, "Is the server running"));
    CHECK_FALSE(says(run.out + run.err, "failed; latencies are of the others"));
    if (says(run.out + run.err, "`ulimit -n 65536`")) ++named;
  }
  CHECK(named >= 2);
}

TEST_CASE("client limit: a simulator without descriptors said only that too many files are open") {
  const Finished ended = limited("ulimit -n 5", "simulate fixed --port 0");
  CHECK(ended.exit_code == 3);
  CHECK(says(ended.err, "this process may open 5 files; `ulimit -n 65536` raises that"));
}
#endif

TEST_CASE("client limit: 31 local ports for 64 slots are announced, counted and not blamed on the server") {
  const std::string enter = few_ports();
  if (enter.empty()) return;
  TemporaryFolder folder;
  const std::string binary = INFERMETER_BINARY, out = folder / "out";
  const std::string script = "ip link set lo up; " + binary +
                             " simulate fixed:ttft=300ms,itl=1ms --port 8765 & server=$!; "
                             "echo '40000 40030' > /proc/sys/net/ipv4/ip_local_port_range; " +
                             binary + " run http://127.0.0.1:8765 -c 64 -n 256 --wait-ready 20s -o " + out +
                             "; code=$?; kill $server; exit $code";
  const Finished run = Process({"-c", enter + " sh -c \"$1\"", "sh", script}, {}, "/bin/sh").wait();
  INFO(run.out << run.err);
  CHECK(run.exit_code == 4);
  CHECK_FALSE(says(run.out, "Is the server running there?"));
  CHECK(says(run.out, "net.ipv4.ip_local_port_range is 40000 40030"));
  CHECK(says(run.out, "`sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"`"));
  const auto result = result_in(out);
  CHECK(count_of(result["points"][0], "client_limit") >= 33);
  CHECK(count_of(result["points"][0], "connect") == 0);
  const std::string notes = result["targets"][0]["notes"].dump();
  CHECK(says(notes, "about 64 connections at once to 127.0.0.1:8765"));
}

TEST_CASE("client limit: an address of a family that this machine does not have is no lack of local ports") {
  const std::string enter = few_ports();
  if (enter.empty()) return;
  TemporaryFolder folder;
  const std::string out = folder / "out";
  const std::string script =
      "ip link set lo up; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; " +
      std::string(INFERMETER_BINARY) +
      " run 'http://[::1]:8765' --model m --no-preflight --no-calibrate -n 4 --warmup 0 -o " + out;
  const Finished run = Process({"-c", enter + " sh -c \"$1\"", "sh", script}, {}, "/bin/sh").wait();
  INFO(run.out << run.err);
  CHECK(run.exit_code == 3);
  CHECK(count_of(first_point_in(out), "connect") == 4);
}
