#include "sim/http/session.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

namespace infermeter::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr std::size_t kMostPending = 16U << 20U;  // bytes queued for a slow client
constexpr auto kIdleLimit = 300s;                 // a kept-alive connection without a whole request
constexpr auto kWriteLimit = 60s;                 // a client that reads nothing
constexpr auto kDrainLimit = 2s;                  // after our FIN

}  // namespace

HttpSession::HttpSession(SessionHost& host, tcp::socket socket, std::uint64_t number)
    : host_(host), socket_(std::move(socket)), number_(number), reader_(socket_) {}

void HttpSession::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  read();
}

void HttpSession::drop() {
  if (!socket_.is_open()) return;
  release_reply();
  error_code ignored;
  socket_.close(ignored);
  host_.ended(shared_from_this());
}

void HttpSession::read() {
  deadline_ = now() + kIdleLimit;
  reader_.read([self = shared_from_this()](std::variant<HttpRequest, ReadFailure> result) {
    if (const auto* failed = std::get_if<ReadFailure>(&result)) return self->on_failure(*failed);
    self->on_request(std::move(std::get<HttpRequest>(result)));
  });
}

void HttpSession::on_request(HttpRequest request) {
  request.connection = number_;
  request.reused_connection = requests_++ > 0;
  answer(host_.service.handle(request));
  host_.rearm();
}

void HttpSession::on_failure(const ReadFailure& failure) {
  if (!socket_.is_open()) return;
  failure.status == 0 ? drop() : answer(host_.service.reject(failure.status, failure.message));
}

void HttpSession::answer(std::shared_ptr<Reply> reply) {
  deadline_.reset();
  reply_ = std::move(reply);
  reply_->on_ready = [this] { flush(); };
  watch();
  flush();
}

// While an answer is being sent, a disconnected client must free its place in the engine at once.
void HttpSession::watch() {
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this(), turn = requests_](error_code error) {
    if (!error) self->on_readable(turn);
  });
}

void HttpSession::on_readable(std::uint64_t turn) {
  if (!reply_ || turn != requests_ || !socket_.is_open()) return;
  char byte = 0;
  error_code error;
  socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
  if (error == asio::error::would_block) return watch();
  if (error) return drop();
  // A pipelined request waits its turn; a disconnect after it is noticed only then.
}

void HttpSession::flush() {
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

void HttpSession::wait_writable() {
  waiting_to_write_ = true;
  deadline_ = now() + kWriteLimit;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code error) {
    self->waiting_to_write_ = false;
    self->deadline_.reset();
    if (!error) self->flush();
  });
}

void HttpSession::finish() {
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
void HttpSession::shut_down() {
  error_code error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error) return drop();
  deadline_ = now() + kDrainLimit;
  unwanted_.resize(4096);
  drain();
}

void HttpSession::drain() {
  socket_.async_read_some(
      asio::buffer(unwanted_),
      [self = shared_from_this()](error_code error, std::size_t) { error ? self->drop() : self->drain(); });
}

void HttpSession::release_reply() {
  if (!reply_) return;
  const auto reply = std::exchange(reply_, nullptr);
  host_.service.close(*reply, now());  // which ends its calls of on_ready
}

}  // namespace infermeter::sim
