#include "io/host/client_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include "catch.hpp"

using namespace infermeter;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("client limit: an errno of this machine's limits is one and that of a server is none") {
  CHECK(client_limit_of(EMFILE) == ClientLimit::open_files);
  CHECK(client_limit_of(ENFILE) == ClientLimit::system_files);
  CHECK(client_limit_of(EADDRNOTAVAIL) == ClientLimit::local_ports);
  CHECK(client_limit_of(ENOBUFS) == ClientLimit::socket_memory);
  CHECK(client_limit_of(ENOMEM) == ClientLimit::memory);
  for (const int error : {0, ECONNREFUSED, ECONNRESET, ETIMEDOUT, ENETUNREACH, EHOSTUNREACH, EACCES, EPIPE,
                          ENOENT, ENOSPC, EAGAIN, EAFNOSUPPORT})
    CHECK_FALSE(client_limit_of(error));
}

TEST_CASE("client limit: the words name the limit, its present value and the command that raises it") {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  const rlimit before = files;
  files.rlim_cur = 999;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  const std::string words = limit_words(ClientLimit::open_files);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(has(words, "may open 999 files"));
  CHECK(has(words, "`ulimit -n 65536`"));
  CHECK(has(limit_words(ClientLimit::local_ports), "net.ipv4.ip_local_port_range is "));
  CHECK(has(limit_words(ClientLimit::system_files), "`sysctl -w fs.file-max="));
  CHECK(has(limit_words(ClientLimit::socket_memory), "`sysctl -w net.ipv4.tcp_mem="));
  CHECK(has(limit_words(ClientLimit::watches), "fs.epoll.max_user_watches is "));
  CHECK(has(limit_words(ClientLimit::memory), "out of memory"));
  CHECK(has(limit_words(ClientLimit::threads), "no further thread can be started: "));
}

TEST_CASE("client limit: an error of a file has the limit in its words, any other the system's") {
  CHECK(has(error_words(EMFILE), "ulimit -n"));
  CHECK(error_words(EACCES) == "Permission denied");
}

TEST_CASE("client limit: a thread or memory that is missing is named for exceptions too") {
  const std::system_error thread(std::make_error_code(std::errc::resource_unavailable_try_again));
  CHECK(has(failure_words(thread), "no further thread can be started: "));
  CHECK(has(failure_words(std::bad_alloc()), "out of memory"));
  CHECK(failure_words(std::runtime_error("as said")) == "as said");
}

TEST_CASE("client limit: too few descriptors are noticed and given back") {
  const int next = ::dup(0);
  REQUIRE(next >= 0);
  ::close(next);
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  const rlimit before = files;
  CHECK_FALSE(descriptors_short_of(3));
  files.rlim_cur = static_cast<rlim_t>(next) + 2;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  const auto short_of_three = descriptors_short_of(3), short_of_one = descriptors_short_of(1);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(short_of_three == ClientLimit::open_files);
  CHECK_FALSE(short_of_one);
}

TEST_CASE("host: the limits of this machine are read") {
  const HostLimits limits = read_host_limits();
  REQUIRE(limits.open_now);
  CHECK(*limits.open_now >= 3);
  CHECK(limits.local_ports.value_or(1) >= 1);
  CHECK(limits.port_hold >= limits.loopback_port_hold);
}
