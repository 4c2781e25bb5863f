// The sockets of the simulator. Requests are parsed by Beast; answers are written by hand, one write per
// batch of events, because a stream's cost per event is what the benchmark measures against.
#include "infermeter/sim/server.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>  // Boost 1.74's Beast forgets it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "infermeter/base/errors.hpp"
#include "service.hpp"

namespace infermeter::sim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr std::uint64_t kMostBody = 64U << 20U;  // bytes of a request
constexpr std::uint32_t kMostHeader = 64U << 10U;
constexpr std::size_t kMostPending = 16U << 20U;  // bytes that wait for a slow client
constexpr std::size_t kFirstRead = 16U << 10U;    // most requests in one read
constexpr auto kIdleLimit = 300s;                 // a kept connection without a whole request
constexpr auto kWriteLimit = 60s;                 // a client that reads nothing
constexpr auto kDrainLimit = 2s;                  // after our FIN
constexpr auto kSpin = nanoseconds(20us);         // shorter waits cost more in the kernel than they last
constexpr auto kTurn = nanoseconds(1ms);          // then sockets are looked at again

class Connection;

// The listening socket, the timers and all connections; everything runs in the one thread that calls `run`.
class Loop {
 public:
  Loop(const ServerOptions& options, std::unique_ptr<EngineModel> engine);
  /// Serves until `shut_down`, which may be posted from any thread.
  void run();
  void post_shut_down();

  Service& service() { return service_; }
  const Service& service() const { return service_; }
  const tcp::endpoint& local() const { return local_; }
  /// The service's next instant may have changed.
  void rearm();
  void remove(const std::shared_ptr<Connection>& connection) { connections_.erase(connection); }

 private:
  void listen(const ServerOptions& options);
  void accept();
  void accept_later();
  void on_due();
  void sweep();
  void shut_down();

  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer engine_timer_{io_}, sweep_timer_{io_}, accept_timer_{io_};
  tcp::endpoint local_;
  Service service_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::optional<Instant> armed_;  // the instant the engine's timer waits for
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, tcp::socket socket) : loop_(loop), socket_(std::move(socket)) {
    buffer_.reserve(kFirstRead);
  }

  void start() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    read();
  }

  void drop() {
    if (!socket_.is_open()) return;
    release_reply();
    error_code ignored;
    socket_.close(ignored);
    loop_.remove(shared_from_this());
  }

  bool expired(Instant at) const { return deadline_ && at > *deadline_; }

 private:
  void read();
  void read_message();
  void on_header(error_code error);
  void on_request(error_code error);
  void reject(error_code error);
  void answer(std::shared_ptr<Reply> reply);
  void watch();
  void on_readable(std::uint64_t turn);
  void flush();
  void wait_writable();
  void finish();
  void shut_down();
  void drain();
  void release_reply();

  Loop& loop_;
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<Reply> reply_;
  std::uint64_t requests_ = 0;
  bool waiting_to_write_ = false;
  std::optional<Instant> deadline_, arrived_;
};

// When the kernel received the first unread byte; it stamps in real time.
std::optional<Instant> arrival_stamp(int fd) {
  char byte = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT) <= 0) return std::nullopt;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    const nanoseconds real = std::chrono::seconds(stamp.tv_sec) + nanoseconds(stamp.tv_nsec);
    return Instant(real - realtime_minus_monotonic());
  }
  return std::nullopt;
}

// The engine counts a request from its arrival in the kernel, so that a burst that this thread reads one by
// one is a burst for the engine too.
void Connection::read() {
  deadline_ = now() + kIdleLimit;
  arrived_.reset();
  if (buffer_.size() > 0) return read_message();  // sent ahead
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code error) {
    if (error) return;
    self->arrived_ = arrival_stamp(self->socket_.native_handle());
    self->read_message();
  });
}

void Connection::read_message() {
  parser_.emplace();
  parser_->body_limit(kMostBody);
  parser_->header_limit(kMostHeader);
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](error_code error, std::size_t) { self->on_header(error); });
}

void Connection::on_header(error_code error) {
  if (error) return reject(error);
  const auto length = parser_->content_length();
  if (length && *length > buffer_.size()) arrived_.reset();  // the first byte's arrival is not the whole's
  if (parser_->get()[http::field::expect] == "100-continue") {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    socket_.write_some(asio::buffer(kContinue), error);
    if (error) return drop();
  }
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](error_code failed, std::size_t) { self->on_request(failed); });
}

void Connection::on_request(error_code error) {
  const Instant received = now();
  if (error) return reject(error);
  const auto& message = parser_->get();
  const auto view = [](const auto& text) { return std::string_view(text.data(), text.size()); };
  HttpRequest request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.body = message.body();
  request.request_id = view(message["x-request-id"]);
  request.http_1_0 = message.version() < 11;
  request.keep_alive = message.keep_alive();
  request.reused_connection = requests_++ > 0;
  request.received = received;
  request.arrived = arrived_ ? std::min(*arrived_, received) : received;
  answer(loop_.service().handle(request));
  loop_.rearm();
}

void Connection::reject(error_code error) {
  if (!socket_.is_open()) return;
  if (error == http::error::body_limit) return answer(loop_.service().reject(413, "the body is too large"));
  const bool garbled = error.category() == http::make_error_code(http::error::bad_method).category() &&
                       error != http::error::end_of_stream && error != http::error::partial_message;
  if (garbled) return answer(loop_.service().reject(400, error.message()));
  drop();
}

void Connection::answer(std::shared_ptr<Reply> reply) {
  deadline_.reset();
  reply_ = std::move(reply);
  reply_->on_ready = [this] { flush(); };
  watch();
  flush();
}

// While an answer goes out, a client that leaves must free its place in the engine at once.
void Connection::watch() {
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this(), turn = requests_](error_code error) {
    if (!error) self->on_readable(turn);
  });
}

void Connection::on_readable(std::uint64_t turn) {
  if (!reply_ || turn != requests_ || !socket_.is_open()) return;
  char byte = 0;
  error_code error;
  socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
  if (error == asio::error::would_block) return watch();
  if (error) return drop();
  // The next request came early: it waits its turn, and so does news of a client that leaves behind it.
}

void Connection::flush() {
  if (!reply_) return;
  auto& outbox = reply_->outbox;
  if (waiting_to_write_) {
    if (outbox.bytes().size() > kMostPending) drop();
    return;
  }
  while (!outbox.ready().empty()) {
    error_code error;
    const auto ready = outbox.ready();
    const Instant at = now();
    const std::size_t n = socket_.write_some(asio::buffer(ready.data(), ready.size()), error);
    if (error == asio::error::would_block) return wait_writable();
    if (error) return drop();
    outbox.wrote(n, at);
  }
  if (reply_->ending != Ending::open && outbox.empty()) finish();
}

void Connection::wait_writable() {
  waiting_to_write_ = true;
  deadline_ = now() + kWriteLimit;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code error) {
    self->waiting_to_write_ = false;
    self->deadline_.reset();
    if (!error) self->flush();
  });
}

void Connection::finish() {
  const Ending ending = reply_->ending;
  release_reply();
  error_code ignored;
  socket_.cancel(ignored);  // the watch
  if (ending == Ending::keep_alive) return read();
  if (ending == Ending::close) return shut_down();
  socket_.set_option(tcp::socket::linger(true, 0), ignored);  // close then sends RST
  drop();
}

// Closing with unread bytes would send RST, which can overtake the answer.
void Connection::shut_down() {
  error_code error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error) return drop();
  deadline_ = now() + kDrainLimit;
  buffer_.clear();
  drain();
}

void Connection::drain() {
  socket_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code error, std::size_t) {
    error ? self->drop() : self->drain();
  });
}

void Connection::release_reply() {
  if (!reply_) return;
  const auto reply = std::exchange(reply_, nullptr);
  loop_.service().close(*reply, now());  // which ends its calls of on_ready
}

// Asked for 2,000 streams, the usual soft limit of 1,024 files would do for half.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

tcp::endpoint endpoint_of(asio::io_context& io, const ServerOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.host, error);
  if (!error) return {address, options.port};
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(options.host, "", error);
  if (error || found.empty())
    throw EnvironmentError(fmt::format("--host: '{}' is not an address of this machine", options.host));
  return {found.begin()->endpoint().address(), options.port};
}

Loop::Loop(const ServerOptions& options, std::unique_ptr<EngineModel> engine)
    : service_(options, std::move(engine), options.model.empty() ? "sim" : options.model) {
  listen(options);
}

void Loop::listen(const ServerOptions& options) {
  const auto endpoint = endpoint_of(io_, options);
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) local_ = acceptor_.local_endpoint(error);
  if (error) {
    const bool taken = error == asio::error::address_in_use;
    throw EnvironmentError(
        fmt::format("cannot listen on {}:{}: {}", options.host, options.port, error.message()),
        taken ? "another program has the port; --port 0 chooses a free one" : "");
  }
  // Inherited by what it accepts: set there, it would come too late for a request that is already in.
  const int on = 1;
  setsockopt(acceptor_.native_handle(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

void Loop::run() {
  prctl(PR_SET_TIMERSLACK, 1);
  service_.start(now());
  accept();
  sweep();
  io_.run();
}

void Loop::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return accept_later();
    const auto connection = std::make_shared<Connection>(*this, std::move(socket));
    connections_.insert(connection);
    connection->start();
    accept();
  });
}

// Out of files, most likely: asking again at once would spin.
void Loop::accept_later() {
  accept_timer_.expires_after(100ms);
  accept_timer_.async_wait([this](error_code error) {
    if (!error) accept();
  });
}

void Loop::rearm() {
  const auto next = service_.next_due();
  if (!next || (armed_ && *armed_ <= *next)) return;
  armed_ = next;
  engine_timer_.expires_at(*next);
  engine_timer_.async_wait([this](error_code error) {
    if (!error) on_due();
  });
}

void Loop::on_due() {
  armed_.reset();
  Instant at = now();
  const Instant turn_ends = at + kTurn;
  for (;;) {
    const auto next = service_.next_due();
    if (!next || *next > at + kSpin || at > turn_ends) break;
    while (at < *next) at = now();
    service_.run_due(std::min(at, *next + kTurn));  // when overloaded, sockets still get their turn
    at = now();
  }
  rearm();
}

void Loop::sweep() {
  sweep_timer_.expires_after(1s);
  sweep_timer_.async_wait([this](error_code error) {
    if (error) return;
    const Instant at = now();
    std::vector<std::shared_ptr<Connection>> expired;
    for (const auto& connection : connections_) {
      if (connection->expired(at)) expired.push_back(connection);
    }
    for (const auto& connection : expired) connection->drop();
    sweep();
  });
}

void Loop::post_shut_down() {
  asio::post(io_, [this] { shut_down(); });
}

void Loop::shut_down() {
  service_.stop(now());
  const auto connections = connections_;
  for (const auto& connection : connections) connection->drop();
  io_.stop();
}

}  // namespace

struct Server::State {
  Loop loop;
  std::thread thread{};
};

Server::Server(const ServerOptions& options, std::unique_ptr<EngineModel> engine)
    : state_(new State{Loop(options, std::move(engine))}) {}

Server::~Server() { stop(); }

void Server::start() {
  raise_file_limit();
  state_->thread = std::thread([state = state_.get()] { state->loop.run(); });
}

void Server::stop() {
  if (!state_->thread.joinable()) return;
  state_->loop.post_shut_down();
  state_->thread.join();
}

std::string Server::url() const {
  const auto& local = state_->loop.local();
  const auto address = local.address();
  const std::string host = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  return fmt::format("http://{}:{}", host, local.port());
}

const std::string& Server::model() const { return state_->loop.service().model(); }

}  // namespace infermeter::sim
