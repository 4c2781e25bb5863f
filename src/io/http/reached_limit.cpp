#include "io/http/reached_limit.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace infermeter {
namespace {

/// A library that reads a certificate or a name needs about as many.
constexpr int kForLibraries = 3;

/// EADDRNOTAVAIL has two meanings: no free local port, or no local address for the target's family (::1 on a
/// machine without IPv6). Connecting a datagram socket sends nothing, and fails in the second case only.
bool has_local_address(const sockaddr_storage& to, socklen_t length) {
  const int fd = ::socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;
  const bool found = ::connect(fd, reinterpret_cast<const sockaddr*>(&to), length) == 0;
  ::close(fd);
  return found;
}

std::optional<ClientLimit> limit_of_connect(const Transfer& transfer, int error) {
  if (error == EADDRNOTAVAIL && !has_local_address(transfer.address, transfer.address_length))
    return std::nullopt;
  return client_limit_of(error);
}

std::optional<ClientLimit> limit_of_errno(const Transfer& transfer) {
  long error = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_OS_ERRNO, &error);
  return limit_of_connect(transfer, static_cast<int>(error));
}

// libcurl reports a thread or a file that it could not get as a name that it could not resolve, or as a
// certificate that it could not read.
std::optional<ClientLimit> limit_of_library(const Transfer& transfer) {
  if (const auto limit = descriptors_short_of(kForLibraries)) return limit;
  const std::string_view words = transfer.curl_words;
  if (words.find("thread failed to start") != std::string_view::npos) return ClientLimit::threads;
  return std::nullopt;
}

}  // namespace

void note_socket_error(Transfer& transfer, int error) { transfer.limit = client_limit_of(error); }

// Of several addresses the last failure is the one that libcurl reports in the end: a port that was missing
// for an earlier one would be forgotten.
void note_connect_error(Transfer& transfer, std::string_view words) {
  static const std::string no_address = std::generic_category().message(EADDRNOTAVAIL);
  if (words == no_address) transfer.limit = limit_of_connect(transfer, EADDRNOTAVAIL);
}

std::optional<ClientLimit> limit_met(const Transfer& transfer, CURLcode code) {
  if (code == CURLE_OK) return std::nullopt;
  if (transfer.limit) return transfer.limit;
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return limit_of_errno(transfer);
    case CURLE_OUT_OF_MEMORY:
      if (transfer.sent) return std::nullopt;  // then it is libcurl's word for a header that is too long
      return limit_of_library(transfer).value_or(ClientLimit::memory);
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_FAILED_INIT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
      return limit_of_library(transfer);
    default:
      return std::nullopt;
  }
}

}  // namespace infermeter
