#include "io/host/host_facts.hpp"

#include <sys/resource.h>

#include "catch.hpp"

using namespace infermeter;

TEST_CASE("host: the CPU is named from cpuinfo, whatever machine wrote it") {
  CHECK(cpu_model("processor\t: 0\nmodel name\t: AMD EPYC 9654\nmodel name\t: other\n") == "AMD EPYC 9654");
  CHECK(cpu_model("processor\t: 0\nBogoMIPS\t: 50\n\nModel\t\t: Raspberry Pi 5\n") == "Raspberry Pi 5");
  CHECK(cpu_model("") == "");
}

TEST_CASE("host: the system is named from os-release") {
  CHECK(os_name("NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n") ==
        "Debian GNU/Linux 12 (bookworm)");
  CHECK(os_name("ID=x") == "");
}

TEST_CASE("host: a cgroup's quota limits the cores, rounded up") {
  CHECK(cgroup_cores("200000 100000") == 2u);
  CHECK(cgroup_cores("150000 100000") == 2u);
  CHECK(cgroup_cores("50000 100000") == 1u);
  CHECK_FALSE(cgroup_cores("max 100000").has_value());
  CHECK_FALSE(cgroup_cores("-1 100000").has_value());  // v1: no quota
  CHECK_FALSE(cgroup_cores("").has_value());
  CHECK_FALSE(cgroup_cores(" ").has_value());
}

TEST_CASE("host: the cgroup's folder is found among those of version 1") {
  CHECK(cgroup_path("12:cpu:/a\n0::/user.slice/s.scope\n") == "/user.slice/s.scope");
  CHECK(cgroup_path("0::/\n") == "/");
  CHECK(cgroup_path("12:cpu:/a\n") == "");
}

TEST_CASE("host: the load is the first figure") {
  CHECK(load_1min("0.42 0.17 0.09 1/123 4567\n") == 0.42);
  CHECK(load_1min("") == 0);
}

TEST_CASE("host: the facts of this machine are there") {
  const Environment facts = read_host_facts();
  CHECK_FALSE(facts.cpu.empty());
  CHECK(facts.cores >= 1);
  CHECK_FALSE(facts.kernel.empty());
  CHECK(facts.open_files_limit > 0);
  CHECK(facts.build_type == INFERMETER_BUILD_TYPE);
  CHECK(facts.hostname_hash.size() == 16);
  CHECK_FALSE(facts.timestamp_source);
}

TEST_CASE("host: the limit of open files is raised to its hard limit") {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(raise_open_files_limit() == limit.rlim_max);
}
