// The only source that includes Beast, which takes long to compile.
#include "sim/http/session.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <cstring>
#include <utility>  // Boost 1.74's Beast forgets it

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace infermeter::sim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr std::uint64_t kMostBody = 64U << 20U;  // maximum bytes of a request
constexpr std::uint32_t kMostHeader = 64U << 10U;
constexpr std::size_t kFirstRead = 16U << 10U;  // maximum number of requests in one read

// When the kernel received the first unread byte; its stamps are in real time.
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

ReadFailure failure(error_code error) {
  if (error == http::error::body_limit) return {413, "the body is too large"};
  const bool garbled = error.category() == http::make_error_code(http::error::bad_method).category() &&
                       error != http::error::end_of_stream && error != http::error::partial_message;
  return garbled ? ReadFailure{400, error.message()} : ReadFailure{};
}

std::string_view view(const boost::beast::string_view& text) { return {text.data(), text.size()}; }

constexpr std::size_t kMostPending = 16U << 20U;  // bytes queued for a slow client
constexpr auto kIdleLimit = 300s;                 // a kept-alive connection without a whole request
constexpr auto kWriteLimit = 60s;                 // a client that reads nothing
constexpr auto kDrainLimit = 2s;                  // after our FIN

}  // namespace

struct RequestReader::State {
  boost::beast::flat_buffer buffer{};
  std::optional<http::request_parser<http::string_body>> parser{};
  std::optional<Instant> arrived{};
};

RequestReader::RequestReader(tcp::socket& socket) : socket_(socket), state_(new State) {
  state_->buffer.reserve(kFirstRead);
}

RequestReader::~RequestReader() = default;

// The engine's arrival time of a request is its arrival in the kernel, so that a burst that this thread reads
// one by one is a burst for the engine too.
void RequestReader::read(Done done) {
  state_->arrived.reset();
  if (state_->buffer.size() > 0) return read_message(std::move(done));  // pipelined
  socket_.async_wait(tcp::socket::wait_read, [this, done = std::move(done)](error_code error) mutable {
    if (error) return;
    state_->arrived = arrival_stamp(socket_.native_handle());
    read_message(std::move(done));
  });
}

void RequestReader::read_message(Done done) {
  auto& parser = state_->parser.emplace();
  parser.body_limit(kMostBody);
  parser.header_limit(kMostHeader);
  http::async_read_header(socket_, state_->buffer, parser,
                          [this, done = std::move(done)](error_code error, std::size_t) mutable {
                            error ? done(failure(error)) : read_body(std::move(done));
                          });
}

void RequestReader::read_body(Done done) {
  auto& parser = *state_->parser;
  const auto length = parser.content_length();
  // The arrival of the first byte is not the arrival of the whole request.
  if (length && *length > state_->buffer.size()) state_->arrived.reset();
  if (parser.get()[http::field::expect] == "100-continue") {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    error_code error;
    socket_.write_some(asio::buffer(kContinue), error);
    if (error) return done(ReadFailure{});
  }
  http::async_read(socket_, state_->buffer, parser,
                   [this, done = std::move(done)](error_code error, std::size_t) {
                     const Instant received = now();
                     if (error) return done(failure(error));
                     done(request(received));
                   });
}

HttpRequest RequestReader::request(Instant received) const {
  const auto& message = state_->parser->get();
  HttpRequest request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.body = message.body();
  for (const auto& field : message)
    request.headers.emplace_back(view(field.name_string()), view(field.value()));
  request.request_id = request.header("x-request-id");
  request.http_1_0 = message.version() < 11;
  request.keep_alive = message.keep_alive();
  request.received = received;
  request.arrived = state_->arrived ? std::min(*state_->arrived, received) : received;
  return request;
}

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
