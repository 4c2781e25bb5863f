#include "io/http/resolve.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {
namespace {

std::string address_text(const addrinfo& info) {
  char text[NI_MAXHOST] = {};
  getnameinfo(info.ai_addr, info.ai_addrlen, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return info.ai_family == AF_INET6 ? fmt::format("[{}]", text) : std::string(text);
}

bool is_address(const std::string& host) {
  in6_addr six{};
  in_addr four{};
  return inet_pton(AF_INET, host.c_str(), &four) == 1 || inet_pton(AF_INET6, host.c_str(), &six) == 1;
}

bool connects(const addrinfo& info) {
  const int fd = socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 && client_limit_of(errno))
    throw EnvironmentError("cannot look for a server: " + error_words(errno));
  if (fd < 0) return false;
  const timeval patience{.tv_sec = 2, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  const bool taken = connect(fd, info.ai_addr, info.ai_addrlen) == 0;
  close(fd);
  return taken;
}

/// libcurl's entry, or why there is none.
struct Looked {
  std::string entry, why;
};

Looked looked_up(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) {
    // AI_ADDRCONFIG hides loopback names on a machine without a network.
    hints.ai_flags = 0;
    code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  }
  if (code != 0) {
    // The resolver has no word for it: it reports a name server that it cannot reach, or a name unknown.
    const auto limit = descriptors_short_of(3);
    const std::string why = limit ? limit_words(*limit) : gai_strerror(code);
    return {{}, why};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::string addresses;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    addresses += (addresses.empty() ? "" : ",") + address_text(*info);
  }
  return {fmt::format("{}:{}:{}", host, port, addresses), {}};
}

}  // namespace

bool takes_connections(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), fmt::format("{}", port).c_str(), &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (connects(*info)) return true;
  }
  return false;
}

// getaddrinfo cannot be interrupted and waits as long as resolv.conf says: the thread that calls it is left
// behind where it takes too long.
std::string resolve_entry(const std::string& host, int port, const TimeLimit& limit, std::string_view what) {
  if (is_address(host)) return {};
  std::promise<Looked> promise;
  std::future<Looked> looked = promise.get_future();
  std::thread([host, port, promise = std::move(promise)]() mutable {
    Looked found;
    try {
      found = looked_up(host, port);
    } catch (const std::exception& error) {
      found.why = failure_words(error);
    }
    promise.set_value(std::move(found));
  }).detach();
  constexpr std::chrono::milliseconds kStep(20);
  while (looked.wait_for(std::min<nanoseconds>(kStep, limit.left(now()))) != std::future_status::ready) {
    if (limit.over(now()))
      throw EnvironmentError(
          fmt::format("cannot resolve {}{}: no answer within {}", what, host, limit.text()));
  }
  Looked found = looked.get();
  if (!found.why.empty())
    throw EnvironmentError(fmt::format("cannot resolve {}{}: {}", what, host, found.why));
  return std::move(found.entry);
}

}  // namespace infermeter
