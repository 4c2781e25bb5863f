#include "io/http/arrival_stamp.hpp"

#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <cstring>

namespace infermeter {
namespace {

// The kernel's struct scm_timestamping: software, deprecated, hardware (linux/errqueue.h clashes with
// time.h's types).
struct ScmTimestamping {
  timespec stamps[3];
};

std::optional<PeekedBytes> peek(int fd, void* base, std::size_t length, int flags) {
  alignas(cmsghdr) char control[256];
  iovec vec{base, length};
  msghdr message{};
  message.msg_iov = &vec;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(fd, &message, flags | MSG_PEEK | MSG_DONTWAIT);
  if (bytes <= 0) return std::nullopt;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING) continue;
    ScmTimestamping stamps;
    std::memcpy(&stamps, CMSG_DATA(c), sizeof(stamps));
    const nanoseconds t =
        std::chrono::seconds(stamps.stamps[0].tv_sec) + nanoseconds(stamps.stamps[0].tv_nsec);
    if (t.count() != 0) return PeekedBytes{static_cast<std::size_t>(bytes), t};
  }
  return std::nullopt;
}

tcp_info info_of(int fd) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) info = {};
  return info;
}

}  // namespace

void request_arrival_stamps(int fd) {
  const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
}

std::optional<PeekedBytes> peek_bytes(int fd, std::span<char> buffer) {
  return peek(fd, buffer.data(), buffer.size(), 0);
}

std::optional<nanoseconds> peek_arrival(int fd, std::size_t length) {
  const auto peeked = peek(fd, nullptr, length, MSG_TRUNC);
  return peeked ? std::optional(peeked->last_arrival) : std::nullopt;
}

std::uint64_t bytes_received(int fd) { return info_of(fd).tcpi_bytes_received; }

std::uint32_t segments_received(int fd) { return info_of(fd).tcpi_data_segs_in; }

std::uint32_t segments_sent(int fd) { return info_of(fd).tcpi_data_segs_out; }

// Unread bytes are queried first: bytes that arrive between the two calls then count as read, never as
// unread.
std::uint64_t bytes_taken(int fd) {
  int unread = 0;
  if (ioctl(fd, FIONREAD, &unread) != 0) return 0;
  const std::uint64_t received = bytes_received(fd);
  return received - std::min(received, static_cast<std::uint64_t>(unread));
}

}  // namespace infermeter
