#include "io/http/connections.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "io/http/arrival_stamp.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kLate = std::chrono::milliseconds(1);
// From the arrival of bytes to a thread that runs, and from there to the clock: the kernel's own work, and a
// processor that wakes up. Measured on an idle virtual machine: 30 µs in the median.
constexpr nanoseconds kWakeUp = std::chrono::microseconds(150);
// The kernel asks each socket that it returns: 204 µs from the first arrival to the return of 256 on a loaded
// one.
constexpr nanoseconds kEachReady = std::chrono::microseconds(1);
constexpr nanoseconds kCertain = 2 * kWakeUp;  // arrivals known to that are asked no further
constexpr nanoseconds kFreshDelay = std::chrono::milliseconds(4);

std::optional<Instant> arrival_of(int fd, const LoopPass& pass, std::size_t length) {
  const auto at = peek_arrival(fd, length);
  return at ? std::optional(Instant(*at - pass.real_offset)) : std::nullopt;
}

int local_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace

void Connections::opened(int fd) {
  if (static_cast<std::size_t>(fd) >= by_fd_.size()) by_fd_.resize(static_cast<std::size_t>(fd) + 1);
  Connection& connection = by_fd_[static_cast<std::size_t>(fd)] = Connection{.open = true};
  connection.drained = connection.earliest = connection.seen = now();
  unnamed_.push_back(fd);
  if (kernel_timestamps_) request_arrival_stamps(fd);
}

void Connections::closed(int fd) {
  if (fd < 0 || static_cast<std::size_t>(fd) >= by_fd_.size()) return;
  Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  const auto known = fd_of_port_.find(connection.port);
  if (known != fd_of_port_.end() && known->second == fd) fd_of_port_.erase(known);
  std::erase(unnamed_, fd);
  connection = Connection{};
}

int Connections::by_local_port(int port) {
  if (port <= 0) return -1;
  if (!fd_of_port_.contains(port)) name_new_sockets();
  const auto known = fd_of_port_.find(port);
  return known == fd_of_port_.end() ? -1 : known->second;
}

// A socket has its local port once connect() was called; each socket is queried once, not per request.
void Connections::name_new_sockets() {
  std::erase_if(unnamed_, [this](int fd) {
    const int port = local_port(fd);
    if (port == 0) return false;
    by_fd_[static_cast<std::size_t>(fd)].port = port;
    fd_of_port_[port] = fd;
    return true;
  });
}

void Connections::begin_pass(const LoopPass& pass, bool all) {
  if (returned_all_) check_ = pass_check_;
  returned_all_ = all;
  pass_check_ = {pass.number, pass.looked_at, pass.returned, pass.slept, pass.ready};
  if (pass.found_nothing) ++sleeps_;
  if (pass.slept && pass.returned - run_delay_.asked_at() >= kFreshDelay) woken(pass_check_);
}

// The thread was woken by the first bytes that arrived, so none of what is ready came before. From there to
// the return of the call it needed a processor: the scheduler knows how long it waited for one, beyond its
// usual few microseconds. The account may reach back to earlier passes, which only makes this earlier. A
// process that is stopped on its way back gives its processor up once more than the loop slept.
Instant Connections::woken(const LoopCheck& check) {
  if (woken_pass_ == check.pass) return woken_at_;
  if (before_woken_pass_ == check.pass) return before_woken_at_;
  before_woken_pass_ = std::exchange(woken_pass_, check.pass);
  before_woken_at_ = std::exchange(woken_at_, check.at);
  if (run_delay_.asked_at() > check.at) return woken_at_;  // the account begins too late
  const auto account = run_delay_.since_last();
  const bool only_slept = account && account->gave_up <= std::exchange(sleeps_, 0);
  const nanoseconds own_work = kWakeUp + static_cast<std::int64_t>(check.ready) * kEachReady;
  if (only_slept) woken_at_ = std::max(check.at, check.returned - account->waited - own_work);
  return woken_at_;
}

bool Connections::was_empty_at(const Connection& connection, const LoopCheck& check) const {
  return check.pass > std::max(connection.ready_pass, connection.watched_pass);
}

Instant Connections::seen_empty(const Connection& connection, const LoopPass& pass) const {
  Instant seen = connection.drained;
  if (was_empty_at(connection, check_)) seen = std::max(seen, check_.at);
  if (pass.found_nothing && was_empty_at(connection, pass_check_)) seen = std::max(seen, pass.looked_at);
  return seen;
}

void Connections::become_readable(Connection& connection, const LoopPass& pass) {
  // Without a peek, a read of few bytes is known to have taken all.
  const bool short_read = connection.handed_bytes < waiting_.capacity() / 8;
  if (!connection.peeked && !is_opaque() && short_read && connection.ready_pass > 0)
    connection.drained = std::max(connection.drained, connection.peeked_at);
  connection.handed_bytes = 0;
  const Instant seen = seen_empty(connection, pass);
  connection.woken_by = pass.slept && was_empty_at(connection, pass_check_) ? pass_check_ : LoopCheck{};
  if (!pass.slept && check_.slept && was_empty_at(connection, check_)) connection.woken_by = check_;
  // libcurl may hand out bytes of a shared connection in the pass after the one that read them; the loop does
  // not sleep in between.
  const Instant before = std::exchange(connection.seen, seen);
  connection.earliest = shared_ && !pass.slept ? before : seen;
  connection.ready_pass = pass.number;
  connection.peeked_at = now();
}

void Connections::peek(int fd, const LoopPass& pass) {
  if (static_cast<std::size_t>(fd) >= by_fd_.size()) return;
  Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  become_readable(connection, pass);
  acting_fd_ = fd;
  acting_action_ = pass.action + 1;
  if (!kernel_timestamps_) return;
  connection.peeked = waiting_.peek(fd, pass.real_offset);
  if (connection.peeked) peeked_at(connection, fd, pass);
}

void Connections::peek_all(const LoopPass& pass) {
  if (!kernel_timestamps_) return;
  for (std::size_t i = 0; i < by_fd_.size(); ++i) {
    if (!by_fd_[i].open) continue;
    const int fd = static_cast<int>(i);
    const Instant at = now();
    if (!waiting_.peek(fd, pass.real_offset)) continue;
    if (by_fd_[i].ready_pass != pass.number) become_readable(by_fd_[i], pass);
    by_fd_[i].peeked_at = at;
    peeked_at(by_fd_[i], fd, pass);
  }
}

void Connections::sends(int fd, const LoopPass& pass, Instant at) {
  if (fd < 0 || static_cast<std::size_t>(fd) >= by_fd_.size()) return;
  Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  if (shared_ && connection.watched_pass > 0) return;
  connection.watched_pass = std::max<std::uint64_t>(pass.number, 1);
  connection.drained = connection.earliest = connection.seen = at;
}

void Connections::peeked_at(Connection& connection, int fd, const LoopPass& pass) {
  connection.peeked = true;
  connection.peek_pass = pass.number;
  connection.peek_action = pass.action + 1;
  connection.handed_out = false;
  ++connection.reads_since;
  waiting_fd_ = fd;
  waiting_action_ = connection.peek_action;
  const Instant last = waiting_.last_arrival();
  connection.stamp = ReadStamp{.read_id = ++reads_, .arrival = last, .last_arrival = last, .kernel = true};
  connection.stamp.loop_delay = connection.peeked_at - pass.woke;
  is_opaque() ? stamp_opaque(connection, fd, pass) : stamp_plain(connection, fd, pass);
}

void Connections::stamp_plain(Connection& connection, int fd, const LoopPass& pass) {
  const bool shared = waiting_.is_shared();
  const std::uint32_t segments = shared ? segments_of_read(connection, fd) : 0;
  if (segments == 1) {
    waiting_.mark_at_once();
  } else {
    if (shared) refine_earliest(connection);
    const bool precise = shared && waiting_.last_arrival() - connection.earliest > kCertain;
    WaitingBytes::StampAt stamp_at;
    if (precise) stamp_at = [fd, &pass](std::size_t length) { return arrival_of(fd, pass, length); };
    waiting_.mark(connection.earliest, precise ? segments : 0, stamp_at);
  }
  connection.stamp.arrival = waiting_.first_mark().arrival;
  connection.stamp.earliest = connection.earliest;
  connection.spread = false;
  if (!waiting_.whole()) connection.uneven = true;
  // libcurl reads at least as much as was waiting: what it reads next arrives after the peek.
  if (waiting_.whole()) connection.drained = connection.peeked_at;
}

// At most: each read before took at least one. Asked only for reads that hold several events, so that it is
// exact unless one event came in several segments. 0: not known.
std::uint32_t Connections::segments_of_read(Connection& connection, int fd) {
  const std::uint32_t segments = segments_received(fd);
  const std::uint32_t since = segments - std::exchange(connection.segments_then, segments);
  const std::uint32_t others = std::exchange(connection.reads_since, 0) - 1;
  return std::exchange(connection.uneven, false) || since <= others ? 0 : since - others;
}

void Connections::stamp_opaque(Connection& connection, int fd, const LoopPass& pass) {
  ReadStamp& stamp = connection.stamp;
  const std::size_t record = waiting_.first_record();
  stamp.exact = waiting_.is_one_record() || segments_of_read(connection, fd) == 1;
  if (!stamp.exact && !shared_) connection.uneven = true;
  if (stamp.exact || shared_)
    connection.drained = waiting_.whole() ? connection.peeked_at : connection.drained;
  if (!stamp.exact) refine_earliest(connection);
  stamp.earliest = stamp.exact ? stamp.arrival : connection.earliest;
  connection.spread = shared_ || std::max(stamp.loop_delay, connection.peeked_at - stamp.arrival) >= kLate;
  if (!stamp.exact && record > 0 && record < waiting_.length()) {
    if (const auto first = arrival_of(fd, pass, record)) stamp.arrival = *first;
    connection.spread = connection.spread || connection.peeked_at - stamp.arrival >= kLate;
  }
  if (!connection.spread) return;
  // In this order: what arrives after the count is found by it, what arrived before it by the stamp.
  connection.received_then = bytes_received(fd);
  const auto last = arrival_of(fd, pass, waiting_.capacity());
  if (!last || *last == stamp.last_arrival) return;
  stamp.last_arrival = *last;
  stamp.exact = false;
  stamp.earliest = connection.earliest;
}

// Only where the stamps alone do not tell: it asks the scheduler.
void Connections::refine_earliest(Connection& connection) {
  if (waiting_.last_arrival() - connection.earliest <= kCertain && connection.peeked) return;
  if (connection.woken_by.pass == 0) return;
  connection.earliest = connection.seen = std::max(connection.earliest, woken(connection.woken_by));
}

bool Connections::is_waiting(int fd, const LoopPass& pass) const {
  return !is_opaque() && fd == waiting_fd_ && pass.action == waiting_action_;
}

StampedBytes Connections::stamp(int fd, const LoopPass& pass, std::string_view bytes) {
  // A unix socket has no port by which a transfer knows it, but what one action hands out is its socket's.
  if (fd < 0 && !shared_ && pass.action == acting_action_) fd = acting_fd_;
  const bool known = fd >= 0 && static_cast<std::size_t>(fd) < by_fd_.size();
  Connection& connection = known ? by_fd_[static_cast<std::size_t>(fd)] : unknown_;
  connection.handed_bytes += bytes.size();
  const Instant at = now();
  const bool same = shared_ ? pass.number - connection.peek_pass <= 1 : pass.action == connection.peek_action;
  const bool current = connection.peeked && same;
  if (current && is_waiting(fd, pass)) {
    const auto piece = waiting_.next(bytes);
    if (piece.mark) {
      hand_out(connection, *piece.mark, at);
      return {connection.stamp, piece.bytes};
    }
    // They arrived after the peek.
    stamp_by_clock(connection, pass, at);
    return {connection.stamp, bytes.size()};
  }
  // libcurl may read a second time in one action; if it is delayed in between, that read is a separate one
  // without a peek.
  const bool read_again = connection.handed_out && !shared_ && at - connection.handed_at >= kLate;
  if (!current || read_again) {
    stamp_by_clock(connection, pass, at);
  } else {
    hand_out(connection, fd, pass, at);
  }
  return {connection.stamp, bytes.size()};
}

Instant Connections::arrival(int fd, const LoopPass& pass, Instant at) const {
  if (fd < 0 || static_cast<std::size_t>(fd) >= by_fd_.size() || shared_) return at;
  const Connection& connection = by_fd_[static_cast<std::size_t>(fd)];
  const bool known = connection.peeked && connection.peek_pass == pass.number;
  return known ? std::min(connection.stamp.last_arrival, at) : at;
}

void Connections::hand_out(Connection& connection, const WaitingBytes::Mark& mark, Instant at) {
  ReadStamp& stamp = connection.stamp;
  stamp.arrival = stamp.last_arrival = mark.arrival;
  stamp.earliest = mark.earliest;
  stamp.exact = mark.exact;
  if (!connection.handed_out) stamp.lag = at - stamp.arrival;
  connection.handed_out = true;
  connection.handed_at = at;
}

void Connections::hand_out(Connection& connection, int fd, const LoopPass& pass, Instant at) {
  ReadStamp& stamp = connection.stamp;
  // Bytes arrived between peek and read, or libcurl read further by itself: no bytes of this read arrived
  // after now.
  const bool more = connection.spread && bytes_taken(fd) > connection.received_then;
  const bool held_up = !connection.handed_out && at - connection.peeked_at >= kLate;
  if (more || held_up) stamp.last_arrival = at;
  const bool later = pass.action != connection.peek_action;
  if (stamp.exact && (more || held_up || later)) {
    stamp.exact = false;
    stamp.earliest = connection.earliest;
  }
  // On a shared connection the bytes handed out first need not have arrived first.
  if (shared_) stamp.arrival = stamp.last_arrival;
  if (!connection.handed_out) stamp.lag = at - stamp.arrival;
  connection.handed_out = true;
  connection.handed_at = at;
}

// The clock replaces the arrival stamp; callbacks of one action share one read.
void Connections::stamp_by_clock(Connection& connection, const LoopPass& pass, Instant at) {
  connection.peeked = false;
  const bool same_read = connection.user_action == pass.action && connection.stamp.read_id != 0 &&
                         !connection.stamp.kernel && at - connection.stamp.arrival < kLate;
  if (same_read) return;
  if (connection.ready_pass == pass.number) refine_earliest(connection);
  connection.user_action = pass.action;
  connection.stamp = ReadStamp{.read_id = ++reads_,
                               .arrival = at,
                               .last_arrival = at,
                               .earliest = connection.earliest,
                               .loop_delay = at - pass.woke};
}

RunDelay::~RunDelay() {
  if (fd_ >= 0) close(fd_);
}

// "time on a processor, time waiting for one, slices", in nanoseconds (the kernel's sched-stats.rst).
std::optional<RunDelay::Account> RunDelay::since_last() {
  if (!tried_) fd_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  tried_ = true;
  asked_at_ = now();
  char text[96];
  const ssize_t length = fd_ < 0 ? -1 : pread(fd_, text, sizeof(text) - 1, 0);
  if (length <= 0) return std::nullopt;
  text[length] = '\0';
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return std::nullopt;
  const Account all{nanoseconds(static_cast<std::int64_t>(std::strtoull(second, nullptr, 10))),
                    usage.ru_nvcsw};
  const Account since{all.waited - before_.waited, all.gave_up - before_.gave_up};
  before_ = all;
  return since;
}

}  // namespace infermeter
