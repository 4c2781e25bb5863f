// exact_server: an OpenAI-compatible server made to be leaner than any client and to know its own truth.
// Every stream gets one token-bearing event per interval at absolute deadlines; streams are spread evenly
// over the interval. CLOCK_MONOTONIC is read just before each write. SIGTERM ends it; then, not before, the
// truth is written: one JSON line a request, {"id", "arrived_ns" (kernel's receive stamp of the request's
// first bytes), "received_ns" (clock after the read), "sent_ns": [one per token-bearing event], "written_ns":
// [the clock after each of these writes; where TCP held bytes back, at which they were seen sent],
// "closing_ns", "closed_ns": before and after the write of the end, "held": events held back, "lost":
// segments that TCP sent again and whose first sending had not arrived}.
// --pack K: K events in each write. --pause-ms P --pause-every-ms Q: sends nothing for P ms in each Q ms,
// then all that is due.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <queue>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "infermeter/base/clock.hpp"
#include "paced_stream.hpp"

namespace infermeter::bench {
namespace {

/// For deadlines closer than this the server spins: sleeping and waking costs more.
constexpr nanoseconds kSpin{5'000};
/// Events per turn of the loop, so that a server that lags still reads new requests.
constexpr int kSendsPerTurn = 64;

struct Options {
  long port, streams, rate, events, ttft_ms, pack, pause_ms, pause_every_ms;
  std::string truth_path;
};

struct Truth {
  std::string id;
  std::int64_t arrived_ns = 0, received_ns = 0;
  std::vector<std::int64_t> sent_ns, written_ns;
  std::int64_t closing_ns = 0, closed_ns = 0;
  std::int64_t held = 0, lost = 0;
};

struct Connection {
  int fd = -1;
  nanoseconds phase{};  // of this stream within the interval
  std::string in, out;  // `out`: bytes that the socket did not accept yet
  nanoseconds request_arrived{};
  Truth* truth = nullptr;   // of the request that is being answered
  Truth* latest = nullptr;  // of the last one, whose segments may still be sent again
  std::int64_t lost_before = 0;
  std::size_t held = 0;  // its last events, which TCP has not sent yet
  bool end_held = false;
  long tokens_left = 0;
};

struct Deadline {
  nanoseconds at;
  Connection* connection;
  bool operator<(const Deadline& other) const { return at > other.at; }  // earliest on top
};

nanoseconds clock_ns() { return now().time_since_epoch(); }

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

class ExactServer {
 public:
  explicit ExactServer(const Options& options);
  void serve();
  void write_truth();

 private:
  void turn();
  nanoseconds time_to_wait() const;
  bool pauses(nanoseconds at) const;
  void accept_all();
  void read_from(Connection& connection);
  void take_requests(Connection& connection, nanoseconds received);
  void answer(Connection& connection, const ParsedRequest& request, nanoseconds received);
  void send_due();
  void send_next(Connection& connection, nanoseconds at);
  void write(Connection& connection, std::string_view bytes);
  void flush(Connection& connection);
  void close_connection(Connection& connection);
  void watch(int fd, std::uint32_t events, void* what, int operation = EPOLL_CTL_ADD) const;

  Options options_;
  nanoseconds interval_;
  int listener_, epoll_, signals_;
  bool stopping_ = false;
  std::uint64_t accepted_ = 0;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::priority_queue<Deadline> deadlines_;
  std::deque<Truth> truths_;  // a deque: connections point into it
};

int listen_on(long port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Accepted sockets inherit both, so that bytes that arrive before accept are stamped too.
  ::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // BBR paces: it holds back what is written at once.
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("bind");
  if (::listen(fd, 4096) != 0) fail("listen");
  return fd;
}

int bound_port(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail("getsockname");
  return ntohs(address.sin_port);
}

/// The receiver reports a segment that it had already: a probe of the sender, whose acknowledgement came
/// late.
std::int64_t lost_segments(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return std::int64_t{info.tcpi_total_retrans} - std::int64_t{info.tcpi_dsack_dups};
}

/// Everything was handed to the device. On loopback that is the arrival.
bool all_sent(const Connection& connection) {
  int held = 0;
  return connection.out.empty() && (::ioctl(connection.fd, SIOCOUTQNSD, &held) != 0 || held == 0);
}

/// What was held back has been sent by now, or not yet.
void settle_held(Connection& connection) {
  if ((connection.held == 0 && !connection.end_held) || !all_sent(connection)) return;
  const auto sent = clock_ns().count();
  auto& written = connection.latest->written_ns;
  std::fill(written.end() - static_cast<std::ptrdiff_t>(connection.held), written.end(), sent);
  if (connection.end_held) connection.latest->closed_ns = sent;
  connection.held = 0;
  connection.end_held = false;
}

void end_answer(Connection& connection) {
  if (connection.fd < 0) return;
  settle_held(connection);
  const auto lost = lost_segments(connection.fd);
  if (connection.latest) connection.latest->lost = std::max<std::int64_t>(0, lost - connection.lost_before);
  connection.lost_before = lost;
}

int stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0) fail("sigprocmask");
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// One read with the kernel's receive stamp mapped onto CLOCK_MONOTONIC; the clock if there is no stamp.
ssize_t receive(int fd, char* buffer, std::size_t size, nanoseconds& arrived) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec piece{buffer, size};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = ::recvmsg(fd, &message, 0);
  arrived = clock_ns();
  const cmsghdr* header = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS) {
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
    arrived = std::chrono::seconds(stamp.tv_sec) + nanoseconds(stamp.tv_nsec) - realtime_minus_monotonic();
  }
  return count;
}

ExactServer::ExactServer(const Options& options)
    : options_(options),
      interval_(nanoseconds(std::chrono::seconds(1)) / options.rate),
      listener_(listen_on(options.port)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      signals_(stop_signals()) {
  watch(listener_, EPOLLIN, &listener_);
  watch(signals_, EPOLLIN, &signals_);
}

void ExactServer::serve() {
  ::prctl(PR_SET_TIMERSLACK, 1);
  fmt::print("listening on http://127.0.0.1:{}\n", bound_port(listener_));
  std::fflush(stdout);
  while (!stopping_) turn();
}

void ExactServer::turn() {
  std::array<epoll_event, 128> events;
  const nanoseconds wait = time_to_wait();
  const timespec timeout{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
  const int count = ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  for (int i = 0; i < count; ++i) {
    void* what = events[static_cast<std::size_t>(i)].data.ptr;
    const auto happened = events[static_cast<std::size_t>(i)].events;
    if (what == &listener_) {
      accept_all();
    } else if (what == &signals_) {
      stopping_ = true;
    } else {
      auto& connection = *static_cast<Connection*>(what);
      if (happened & EPOLLOUT) flush(connection);
      if (happened & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_from(connection);
    }
  }
  send_due();
}

nanoseconds ExactServer::time_to_wait() const {
  if (deadlines_.empty()) return std::chrono::seconds(1);
  const auto wait = deadlines_.top().at - clock_ns();
  return wait <= kSpin ? nanoseconds{} : wait;
}

bool ExactServer::pauses(nanoseconds at) const {
  if (options_.pause_every_ms <= 0) return false;
  return at % std::chrono::milliseconds(options_.pause_every_ms) <
         std::chrono::milliseconds(options_.pause_ms);
}

void ExactServer::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    auto connection = std::make_unique<Connection>();
    connection->fd = fd;
    const auto slot = static_cast<std::int64_t>(accepted_++) % options_.streams;
    connection->phase = interval_ * slot / options_.streams;
    watch(fd, EPOLLIN, connection.get());
    connections_.emplace(connection.get(), std::move(connection));
  }
}

void ExactServer::read_from(Connection& connection) {
  static std::array<char, 65536> buffer;
  nanoseconds arrived{};
  const ssize_t count = receive(connection.fd, buffer.data(), buffer.size(), arrived);
  const auto received = clock_ns();
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close_connection(connection);
  if (connection.in.empty()) connection.request_arrived = arrived;
  connection.in.append(buffer.data(), static_cast<std::size_t>(count));
  take_requests(connection, received);
}

void ExactServer::take_requests(Connection& connection, nanoseconds received) {
  while (!connection.in.empty()) {
    const auto request = parse_request(connection.in);
    if (!request.complete) return;
    connection.in.erase(0, request.bytes);
    answer(connection, request, received);
  }
}

void ExactServer::answer(Connection& connection, const ParsedRequest& request, nanoseconds received) {
  if (!request.is_post) {
    const bool models = request.path.ends_with("/models");
    return write(connection,
                 whole_answer(models ? 200 : 404,
                              models ? R"({"object":"list","data":[{"id":"exact","object":"model"}]})"
                                     : R"({"error":{"message":"no such path"}})"));
  }
  connection.tokens_left = request.output_tokens > 0 ? request.output_tokens : options_.events;
  auto& truth = truths_.emplace_back();
  truth.id = request.id;
  truth.arrived_ns = connection.request_arrived.count();
  truth.received_ns = received.count();
  truth.sent_ns.reserve(static_cast<std::size_t>(connection.tokens_left));
  truth.written_ns.reserve(static_cast<std::size_t>(connection.tokens_left));
  end_answer(connection);
  connection.truth = connection.latest = &truth;
  write(connection, stream_opening());
  const auto earliest = received + std::chrono::milliseconds(options_.ttft_ms);
  const auto slot = (earliest - connection.phase) / interval_ + 1;
  deadlines_.push({slot * interval_ + connection.phase, &connection});
}

void ExactServer::send_due() {
  for (int i = 0; i < kSendsPerTurn && !deadlines_.empty(); ++i) {
    const auto [at, connection] = deadlines_.top();
    if (at > clock_ns() || pauses(clock_ns())) return;
    deadlines_.pop();
    if (connection->fd < 0) {
      connections_.erase(connection);
    } else {
      send_next(*connection, at);
    }
  }
}

void ExactServer::send_next(Connection& connection, nanoseconds at) {
  settle_held(connection);
  if (connection.tokens_left == 0) {
    const auto tokens = static_cast<long>(connection.truth->sent_ns.size());
    Truth& truth = *std::exchange(connection.truth, nullptr);
    truth.closing_ns = clock_ns().count();
    write(connection, stream_closing(tokens));
    truth.closed_ns = clock_ns().count();
    connection.end_held = !all_sent(connection);
    return;
  }
  const long events = std::min(options_.pack, connection.tokens_left);
  connection.tokens_left -= events;
  std::string together;
  for (long i = 1; i < events; ++i) together += token_event();
  const auto sent = clock_ns();
  write(connection, events == 1 ? token_event() : together + token_event());
  const auto written = clock_ns();
  connection.truth->sent_ns.insert(connection.truth->sent_ns.end(), static_cast<std::size_t>(events),
                                   sent.count());
  connection.truth->written_ns.insert(connection.truth->written_ns.end(), static_cast<std::size_t>(events),
                                      written.count());
  if (!all_sent(connection)) {
    connection.held += static_cast<std::size_t>(events);
    connection.truth->held += events;
  }
  deadlines_.push({at + interval_, &connection});
}

void ExactServer::write(Connection& connection, std::string_view bytes) {
  ssize_t count = 0;
  if (connection.out.empty()) {
    count = ::send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) count = 0;  // a full socket is flushed later; a dead one is found by its read event
  }
  if (static_cast<std::size_t>(count) == bytes.size()) return;
  connection.out.append(bytes.substr(static_cast<std::size_t>(count)));
  watch(connection.fd, EPOLLIN | EPOLLOUT, &connection, EPOLL_CTL_MOD);
}

void ExactServer::flush(Connection& connection) {
  const ssize_t count = ::send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (count > 0) connection.out.erase(0, static_cast<std::size_t>(count));
  if (connection.out.empty()) watch(connection.fd, EPOLLIN, &connection, EPOLL_CTL_MOD);
}

/// A connection that still has a deadline is only closed: processing the deadline erases it.
void ExactServer::close_connection(Connection& connection) {
  end_answer(connection);
  ::close(connection.fd);
  connection.fd = -1;
  if (!connection.truth) connections_.erase(&connection);
}

void ExactServer::watch(int fd, std::uint32_t events, void* what, int operation) const {
  epoll_event event{};
  event.events = events;
  event.data.ptr = what;
  if (::epoll_ctl(epoll_, operation, fd, &event) != 0) fail("epoll_ctl");
}

void ExactServer::write_truth() {
  for (auto& [connection, owned] : connections_) end_answer(*connection);
  std::FILE* file = std::fopen(options_.truth_path.c_str(), "w");
  if (!file) fail("truth file");
  for (const auto& truth : truths_) {
    fmt::print(
        file,
        R"({{"id":"{}","arrived_ns":{},"received_ns":{},"closing_ns":{},"closed_ns":{},"held":{},"lost":{},"sent_ns":[{}],)"
        R"("written_ns":[{}]}})",
        truth.id, truth.arrived_ns, truth.received_ns, truth.closing_ns, truth.closed_ns, truth.held,
        truth.lost, fmt::join(truth.sent_ns, ","), fmt::join(truth.written_ns, ","));
    std::fputc('\n', file);
  }
  std::fclose(file);
}

void run(int argc, char** argv) {
  const Arguments arguments(argc, argv,
                            {"--port", "--streams", "--rate", "--events", "--ttft-ms", "--truth", "--pack",
                             "--pause-ms", "--pause-every-ms"});
  ExactServer server({arguments.number("--port", 0), arguments.number("--streams", 256),
                      arguments.number("--rate", 100), arguments.number("--events", 500),
                      arguments.number("--ttft-ms", 50), arguments.number("--pack", 1),
                      arguments.number("--pause-ms", 0), arguments.number("--pause-every-ms", 0),
                      arguments.text("--truth", "truth.jsonl")});
  server.serve();
  server.write_truth();
}

}  // namespace
}  // namespace infermeter::bench

int main(int argc, char** argv) { return infermeter::bench::run_program(infermeter::bench::run, argc, argv); }
