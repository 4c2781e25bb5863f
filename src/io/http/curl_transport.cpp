#include "io/http/curl_transport.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/http/curl_state.hpp"
#include "io/http/http2_settings.hpp"
#include "io/http/proxy.hpp"
#include "io/http/reached_limit.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

struct GlobalInit {
  GlobalInit() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

}  // namespace

using State = CurlTransport::State;

State::State(const TransportOptions& given)
    : options(given),
      connections(
          {.kernel_timestamps = given.kernel_timestamps,
           .shared = given.target.http2,
           .encrypted = given.target.url.starts_with("https://") || !proxy_in_use(given.target).empty(),
           .read_size = kReadSize}),
      multi(nullptr),
      proxy(mask_url(proxy_in_use(given.target))),
      plain_http2(given.target.http2 && given.target.url.starts_with("http://")),
      direct(given.target.unix_socket.empty() && proxy.empty()) {
  static const GlobalInit global;
  if (options.target.http2) action_watch.emplace();
  multi = curl_multi_init();
  if (multi == nullptr)
    throw EnvironmentError("cannot start libcurl: " +
                           limit_words(descriptors_short_of(3).value_or(ClientLimit::memory)));
  set_callbacks(*this);
  // A pool smaller than the cap on streams would close connections between requests and reconnect.
  const long streams = static_cast<long>(std::max<std::uint32_t>(options.max_streams, 1));
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, streams);
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams);
  for (const auto& line : options.headers) headers = curl_slist_append(headers, line.c_str());
  for (const auto& entry : options.target.resolve) resolve = curl_slist_append(resolve, entry.c_str());
}

State::~State() {
  for (const auto& [id, transfer] : active) curl_multi_remove_handle(multi, transfer->easy);
  for (const auto& transfer : transfers) curl_easy_cleanup(transfer->easy);
  curl_multi_cleanup(multi);
  curl_slist_free_all(headers);
  curl_slist_free_all(resolve);
}

TransferId State::start(HttpRequest request, ResponseSink& sink, Instant at) {
  Transfer& transfer = fresh_transfer();
  transfer.id = ++last_id;
  transfer.sink = &sink;
  transfer.request = std::move(request);
  transfer.started = at;
  transfer.socket = -1;
  transfer.opened_socket = transfer.sent = transfer.reused = transfer.retried = transfer.answered = false;
  transfer.head_ended = transfer.flooded = false;
  transfer.body = false;
  transfer.head_bytes = 0;
  transfer.goaway.reset();
  transfer.upload_done = false;
  transfer.limit.reset();
  transfer.failure.clear();
  transfer.curl_words[0] = '\0';
  set_request(transfer);
  active.emplace(transfer.id, &transfer);
  if (const CURLMcode code = curl_multi_add_handle(multi, transfer.easy); code != CURLM_OK) {
    throw EnvironmentError(fmt::format("libcurl takes no further transfer: {}", curl_multi_strerror(code)));
  }
  return transfer.id;
}

Transfer& State::fresh_transfer() {
  if (!idle.empty()) {
    Transfer& transfer = *idle.back();
    idle.pop_back();
    return transfer;
  }
  Transfer& transfer = *transfers.emplace_back(std::make_unique<Transfer>());
  transfer.transport = this;
  transfer.easy = curl_easy_init();
  if (transfer.easy == nullptr) throw std::bad_alloc();
  set_connection_options(transfer.easy, options);
  if (resolve != nullptr) curl_easy_setopt(transfer.easy, CURLOPT_RESOLVE, resolve);
  set_callbacks(transfer);
  return transfer;
}

void State::set_request(Transfer& transfer) {
  CURL* easy = transfer.easy;
  curl_easy_setopt(easy, CURLOPT_URL, transfer.request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  if (transfer.request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(transfer.request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer.request.body.data());
  }
  std::vector<std::string> lines = std::move(transfer.request.headers);
  if (!transfer.request.request_id.empty()) lines.push_back("X-Request-Id: " + transfer.request.request_id);
  transfer.headers.set(std::move(lines), options.headers, headers);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.list());
  transfer.connection.set(easy, transfer.request.url,
                          direct ? transfer.request.connection_key : std::string(), options.target.resolve,
                          resolve);
}

std::string State::cancel(TransferId id) {
  const auto found = active.find(id);
  if (found == active.end()) return {};
  const bool waits = !found->second->answered && no_streams;
  release(*found->second);
  return waits ? "the server allows no stream (HTTP/2: MAX_CONCURRENT_STREAMS 0)" : std::string();
}

void State::release(Transfer& transfer) {
  curl_multi_remove_handle(multi, transfer.easy);
  active.erase(transfer.id);
  transfer.sink = nullptr;
  transfer.request = {};
  idle.push_back(&transfer);
}

Instant State::poll(Instant deadline) {
  if (timer) deadline = std::min(deadline, *timer);
  const auto ready = loop.wait(watch.next() ? std::min(*watch.next(), deadline) : deadline);
  const Instant returned = now();
  watch.resume(returned);
  // Data that was ready at once may have been waiting since the last check, not only since now.
  pass.woke = loop.blocked() ? returned : last_return;
  last_return = pass.returned = returned;
  pass.found_nothing = loop.blocked();
  pass.slept = loop.slept();
  pass.looked_at = loop.looked_at();
  pass.ready = ready.size();
  ++pass.number;
  connections.begin_pass(pass, loop.returned_all());
  if (!ready.empty()) pass.real_offset = realtime_minus_monotonic();
  for (const auto& event : ready) {
    const bool readable = (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
    // Peeking at a socket in error would clear the error, and libcurl could not report why the connection
    // failed.
    if (readable && (event.events & EPOLLERR) == 0) connections.peek(event.data.fd, pass);
    if (readable && !unread.empty()) read_settings(event.data.fd);
    const std::uint64_t before = progress;
    act(event.data.fd, (readable ? CURL_CSELECT_IN : 0) |
                           ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                           ((event.events & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0));
    if (readable && options.target.http2) settle(event.data.fd);
    if (event.events == EPOLLOUT) watch.wrote(event.data.fd, progress != before, returned);
    no_streams = no_streams || (options.target.http2 && watch.is_stuck(event.data.fd));
  }
  // After the sockets, so that data which libcurl reads by itself was peeked in this pass if possible.
  if (timer && *timer <= now()) {
    timer.reset();
    if (options.target.http2) connections.peek_all(pass);
    act(CURL_SOCKET_TIMEOUT, 0);
  }
  finish_ended();
  finish_unwatched();
  return now();
}

// Only for the words of a failure: libcurl does not tell.
void State::read_settings(int fd) {
  if (unread.erase(fd) == 0) return;
  std::array<char, kSettingsBytes> bytes{};
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0) return;
  const auto streams = max_streams_in({bytes.data(), static_cast<std::size_t>(got)});
  no_streams = no_streams || streams == 0u;
}

void State::act(curl_socket_t socket, int events) {
  ++pass.action;
  int running = 0;
  if (action_watch) action_watch->begin(socket);
  curl_multi_socket_action(multi, socket, events, &running);
  if (action_watch) action_watch->end();
  if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
}

// libcurl 8 (8.14.1 seen) reads that the server reset a stream, and notices only when it is called for this
// socket again, which without further bytes nobody does before a timeout.
void State::settle(curl_socket_t socket) {
  int waiting = 0;
  if (ioctl(socket, FIONREAD, &waiting) == 0 && waiting == 0) act(socket, CURL_CSELECT_IN);
}

void State::finish_ended() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finish(*transfer, message->data.result);
  }
}

void State::finish_unwatched() {
  for (const TransferId id : std::exchange(unwatched, {})) {
    if (const auto found = active.find(id); found != active.end())
      finish(*found->second, CURLE_COULDNT_CONNECT);
  }
}

void State::note_flooded(curl_socket_t socket) {
  if (!action_watch || !action_watch->has_cut(socket)) return;
  for (const auto& [id, transfer] : active)
    transfer->flooded = transfer->flooded || transfer->socket == socket;
}

void State::finish(Transfer& transfer, CURLcode code) {
  note_flooded(transfer.socket);
  const auto limit = limit_met(transfer, code);
  const TransportEnd end =
      limit ? TransportEnd{Outcome::client_limit, limit_words(*limit)} : end_of(transfer, code);
  ResponseSink& sink = *transfer.sink;
  const Instant at = now();
  const Instant ended = code == CURLE_OK ? connections.arrival(transfer.socket, pass, at) : at;
  release(transfer);
  sink.on_end(end.outcome, end.message, ended);
}

TransportEnd State::end_of(Transfer& transfer, CURLcode code) const {
  long connect_status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
  const TransferState state{.sent = transfer.sent,
                            .answered = transfer.answered,
                            .head_ended = transfer.head_ended,
                            .body = transfer.body,
                            .reused = transfer.reused || transfer.retried,
                            .http2 = options.target.http2,
                            .head_too_long = transfer.head_bytes > kLongestHead,
                            .flooded = transfer.flooded,
                            .connect_status = static_cast<int>(connect_status),
                            .goaway = transfer.goaway};
  const Route route{server_of(transfer.request.url, options.target.unix_socket), proxy};
  // libcurl quotes a proxy's URL that it cannot read, with the password.
  const std::string words = with_proxy_masked(transfer.curl_words, proxy_in_use(options.target));
  return transport_end(code, state, route, transfer.failure, words);
}

CurlTransport::CurlTransport(const TransportOptions& options) : state_(std::make_unique<State>(options)) {
  state_->idle.push_back(&state_->fresh_transfer());  // options that libcurl rejects fail here, not later
}
CurlTransport::~CurlTransport() = default;

TransferId CurlTransport::start(HttpRequest request, ResponseSink& sink, Instant at) {
  return state_->start(std::move(request), sink, at);
}
std::string CurlTransport::cancel(TransferId id) { return state_->cancel(id); }
Instant CurlTransport::poll(Instant deadline) { return state_->poll(deadline); }
bool CurlTransport::reuses_plain_http2() { return infermeter::reuses_plain_http2(); }
std::string CurlTransport::version() { return curl_version(); }

}  // namespace infermeter
