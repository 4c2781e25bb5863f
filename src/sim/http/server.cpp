// The simulator's listening socket, its timers and its thread.
#include "sim/http/server.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"
#include "sim/http/session.hpp"

namespace infermeter::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr auto kSpin = nanoseconds(20us);  // shorter waits cost more in the kernel than they last
constexpr auto kTurn = nanoseconds(1ms);   // maximum time before sockets are polled again

// The listening socket, the timers and all sessions; everything runs in the one thread that calls `run`.
class Loop {
 public:
  Loop(const ServerOptions& options, std::unique_ptr<EngineModel> engine);
  /// Serves until `shut_down`, which may be posted from any thread.
  void run();
  void post_shut_down();

  const Service& service() const { return service_; }
  const tcp::endpoint& local() const { return local_; }

 private:
  void rearm();
  void listen(const ServerOptions& options);
  void accept();
  void warn_once(error_code error);
  void accept_later();
  void on_due();
  void sweep();
  void shut_down();

  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer engine_timer_{io_}, sweep_timer_{io_}, accept_timer_{io_};
  tcp::endpoint local_;
  Service service_;
  SessionHost host_;
  std::unordered_set<std::shared_ptr<HttpSession>> sessions_;
  std::function<void(const std::string& line)> warn_;  // empty once it was called
  std::uint64_t accepted_ = 0;
  std::optional<Instant> armed_;  // the instant the engine's timer waits for
};

// With 2,000 streams requested, the usual soft limit of 1,024 files would serve only half of them.
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
    : service_(options, std::move(engine), options.model.empty() ? "sim" : options.model),
      host_{service_, [this] { rearm(); },
            [this](const std::shared_ptr<HttpSession>& session) { sessions_.erase(session); }},
      warn_(options.warn) {
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
        fmt::format("cannot listen on {}:{}: {}", options.host, options.port, error_words(error.value())),
        taken ? "another program has the port; --port 0 chooses a free one" : "");
  }
  // Accepted sockets inherit it; set later, it would miss a request that has already arrived.
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
    if (error) {
      warn_once(error);
      return accept_later();
    }
    const auto session = std::make_shared<HttpSession>(host_, std::move(socket), accepted_++);
    sessions_.insert(session);
    session->start();
    accept();
  });
}

// Clients wait meanwhile, which their measurements show as a slow server.
void Loop::warn_once(error_code error) {
  if (warn_) std::exchange(warn_, {})("a connection waits: " + error_words(error.value()));
}

// Most likely out of file descriptors: accepting again at once would spin.
void Loop::accept_later() {
  accept_timer_.expires_after(100ms);
  accept_timer_.async_wait([this](error_code error) {
    if (!error) accept();
  });
}

// The service's next due time may have changed.
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
    std::vector<std::shared_ptr<HttpSession>> expired;
    for (const auto& session : sessions_) {
      if (session->expired(at)) expired.push_back(session);
    }
    for (const auto& session : expired) session->drop();
    sweep();
  });
}

void Loop::post_shut_down() {
  asio::post(io_, [this] { shut_down(); });
}

void Loop::shut_down() {
  service_.stop(now());
  const auto sessions = sessions_;
  for (const auto& session : sessions) session->drop();
  io_.stop();
}

ServerOptions with_model_name(ServerOptions options) {
  if (options.model.empty()) options.model = preset_model_name(options.preset);
  return options;
}

/// Calls `make`, which takes descriptors.
template <typename Make>
auto made(const Make& make) {
  try {
    return make();
  } catch (const boost::system::system_error& error) {
    throw EnvironmentError("cannot start the simulator: " + error_words(error.code().value()));
  }
}

}  // namespace

struct Server::State {
  Loop loop;
  std::thread thread{};
};

Server::Server(const ServerOptions& options)
    : Server(with_model_name(options), make_engine(options.preset, options.seed)) {}

Server::Server(const ServerOptions& options, std::unique_ptr<EngineModel> engine)
    : state_(made([&] { return std::unique_ptr<State>(new State{Loop(options, std::move(engine))}); })) {}

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
