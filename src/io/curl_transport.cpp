#include "infermeter/io/curl_transport.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "connections.hpp"
#include "curl_options.hpp"
#include "event_loop.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/io/proxy.hpp"
#include "request_lists.hpp"

namespace infermeter {
namespace {

struct GlobalInit {
  GlobalInit() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

}  // namespace

/// One request in flight: a libcurl handle (kept and used again) and where its events go.
struct Transfer {
  CurlTransport::State* transport = nullptr;
  CURL* easy = nullptr;
  TransferId id = 0;
  ResponseSink* sink = nullptr;
  HttpRequest request;
  HeaderList headers;
  OwnConnection connection;
  Instant started;
  int socket = -1;  // the connection's, −1 where it is not known
  bool opened_socket = false;
  bool sent = false;
  bool reused = false;    // its connection had served another request
  bool retried = false;   // libcurl repeated it on a fresh connection
  bool answered = false;  // a response byte came
  bool upload_done = false;
  std::string failure;                    // of the connection, in the system's words
  char curl_words[CURL_ERROR_SIZE] = {};  // on any other failure
};

struct CurlTransport::State {
  explicit State(const TransportOptions& options);
  ~State();

  TransferId start(HttpRequest request, ResponseSink& sink, Instant now);
  void cancel(TransferId id);
  Instant poll(Instant deadline);

  void act(curl_socket_t socket, int events);
  void finish_ended();
  void finish(Transfer& transfer, CURLcode code);
  void release(Transfer& transfer);
  Transfer& fresh_transfer();
  void set_callbacks(Transfer& transfer);
  void set_request(Transfer& transfer);

  TransportOptions options;
  EventLoop loop;
  Connections connections;
  LoopTurn turn;
  Instant last_return = now();
  CURLM* multi;
  curl_slist* headers = nullptr;
  curl_slist* resolve = nullptr;
  bool direct;  // behind a proxy, or on a unix socket, the connection is not to the server's own address
  std::optional<Instant> timer;
  TransferId last_id = 0;
  std::vector<std::unique_ptr<Transfer>> transfers;  // all, in use or idle
  std::vector<Transfer*> idle;
  std::unordered_map<TransferId, Transfer*> active;
  std::exception_ptr thrown;  // in a callback of libcurl's
};

namespace {

using State = CurlTransport::State;

// No exception may cross libcurl: it is kept, libcurl is told of a failure, and `poll` throws it on.
template <typename Result, typename Body>
Result guarded(State& state, Result failure, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    if (!state.thrown) state.thrown = std::current_exception();
    return failure;
  }
}

int on_socket(CURL*, curl_socket_t fd, int what, void* user, void* known) {
  auto& state = *static_cast<State*>(user);
  if (what == CURL_POLL_REMOVE) {
    state.loop.forget(fd);
    return 0;
  }
  const std::uint32_t events = ((what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0u) |
                               ((what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0u);
  state.loop.watch(fd, events, known != nullptr);
  curl_multi_assign(state.multi, fd, &state);
  return 0;
}

int on_timer(CURLM*, long timeout_ms, void* user) {
  auto& timer = static_cast<State*>(user)->timer;
  if (timeout_ms < 0) {
    timer.reset();
  } else {
    timer = now() + std::chrono::milliseconds(timeout_ms);
  }
  return 0;
}

curl_socket_t open_socket(Transfer& transfer, const curl_sockaddr& address) {
  const int fd = socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (fd < 0) {
    transfer.failure = std::generic_category().message(errno);
    return CURL_SOCKET_BAD;
  }
  transfer.opened_socket = true;
  transfer.transport->connections.opened(fd);
  return fd;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, curl_socket_t{CURL_SOCKET_BAD},
                 [&] { return open_socket(transfer, *address); });
}

int on_close_socket(void* user, curl_socket_t fd) {
  static_cast<State*>(user)->connections.closed(fd);
  return close(fd);
}

std::optional<Instant> phase_end(CURL* easy, CURLINFO info, Instant started) {
  curl_off_t us = 0;
  if (curl_easy_getinfo(easy, info, &us) != CURLE_OK || us <= 0) return std::nullopt;
  return started + std::chrono::microseconds(us);
}

// CURLOPT_PREREQFUNCTION: the connection stands, nothing of the request is written yet. The only place where
// libcurl says which connection a transfer uses (CURLINFO_ACTIVESOCKET is empty inside a write callback).
void begin_request(Transfer& transfer, int local_port) {
  // A second time: libcurl repeats the request, whose kept connection had died.
  transfer.retried = transfer.sent;
  transfer.reused = !transfer.opened_socket;
  ConnectionTimes times{.reused = transfer.reused};
  if (!times.reused) {
    times.dns = phase_end(transfer.easy, CURLINFO_NAMELOOKUP_TIME_T, transfer.started);
    times.connected = phase_end(transfer.easy, CURLINFO_CONNECT_TIME_T, transfer.started);
    times.tls = phase_end(transfer.easy, CURLINFO_APPCONNECT_TIME_T, transfer.started);
  }
  transfer.socket = transfer.transport->connections.by_local_port(local_port);
  transfer.opened_socket = false;
  transfer.sent = true;
  transfer.sink->on_sent(now(), times);
}

int on_before_request(void* user, char*, char*, int, int local_port) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, CURL_PREREQFUNC_ABORT, [&] {
    begin_request(transfer, local_port);
    return CURL_PREREQFUNC_OK;
  });
}

// "connect to 127.0.0.1 port 1 failed: Connection refused", "Immediate connect fail for 127.0.0.1: Connection
// refused"
void note_failure(Transfer& transfer, std::string_view text) {
  if (!text.starts_with("connect to ") && !text.starts_with("Immediate connect fail ")) return;
  const auto colon = text.rfind(": ");
  if (colon == std::string_view::npos) return;
  transfer.failure = text.substr(colon + 2);
  while (!transfer.failure.empty() && transfer.failure.back() == '\n') transfer.failure.pop_back();
}

// Verbose mode for its DATA_OUT events, the last of which is the end of the upload, and for why a connection
// failed, which libcurl tells nowhere else. Switched off with the first response byte, so that streams do not
// pay for it.
int on_debug(CURL*, curl_infotype type, char* data, size_t length, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, 0, [&] {
    if (type == CURLINFO_TEXT) note_failure(transfer, {data, length});
    if ((type == CURLINFO_DATA_OUT || type == CURLINFO_HEADER_OUT) && !transfer.upload_done) {
      transfer.sink->on_uploaded(now());
    }
    return 0;
  });
}

void end_upload(Transfer& transfer) {
  if (transfer.upload_done) return;
  transfer.upload_done = true;
  curl_easy_setopt(transfer.easy, CURLOPT_VERBOSE, 0L);
}

void hand_over_header(Transfer& transfer, std::string_view line, const ReadStamp& stamp) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    long status = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    transfer.sink->on_status(static_cast<int>(status), stamp.arrival);
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  transfer.sink->on_header(line.substr(0, colon), value);
}

// What both bodies below begin with: the stamp of the read that these bytes are of.
const ReadStamp& begin_bytes(Transfer& transfer) {
  end_upload(transfer);
  transfer.answered = true;
  return transfer.transport->connections.stamp(transfer.socket, transfer.transport->turn);
}

size_t on_header(char* data, size_t, size_t length, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, std::size_t{0}, [&] {
    hand_over_header(transfer, {data, length}, begin_bytes(transfer));
    return length;
  });
}

size_t on_write(char* data, size_t, size_t length, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, std::size_t{0}, [&] {
    transfer.sink->on_body({data, length}, begin_bytes(transfer));
    return length;
  });
}

}  // namespace

State::State(const TransportOptions& given)
    : options(given),
      connections(given.kernel_timestamps, given.target.http2, kReadSize),
      multi(nullptr),
      direct(given.target.unix_socket.empty() && proxy_in_use(given.target).empty()) {
  static const GlobalInit global;
  multi = curl_multi_init();
  if (multi == nullptr) throw EnvironmentError("cannot start libcurl");
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  // A smaller pool than the cap on streams shrinks between requests and reconnects.
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
  transfer.upload_done = false;
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

void State::set_callbacks(Transfer& transfer) {
  CURL* easy = transfer.easy;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.curl_words);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
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

void State::cancel(TransferId id) {
  const auto found = active.find(id);
  if (found == active.end()) return;
  release(*found->second);
}

void State::release(Transfer& transfer) {
  curl_multi_remove_handle(multi, transfer.easy);
  active.erase(transfer.id);
  transfer.sink = nullptr;
  transfer.request = {};
  idle.push_back(&transfer);
}

Instant State::poll(Instant deadline) {
  const auto ready = loop.wait(timer ? std::min(*timer, deadline) : deadline);
  const Instant returned = now();
  // What was ready already when we came to look may have waited since we last looked, not only since now.
  turn.woke = loop.blocked() ? returned : last_return;
  last_return = returned;
  ++turn.turn;
  if (!ready.empty()) turn.real_offset = realtime_minus_monotonic();
  for (const auto& event : ready) {
    const bool readable = (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
    // A peek at a socket in error would take the error away from libcurl, and with it why a connection
    // failed.
    if (readable && (event.events & EPOLLERR) == 0) connections.peek(event.data.fd, turn);
    act(event.data.fd, (readable ? CURL_CSELECT_IN : 0) |
                           ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                           ((event.events & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0));
  }
  // After the sockets, so that what libcurl then reads by itself was peeked in this turn where it could be.
  if (timer && *timer <= now()) {
    timer.reset();
    if (options.target.http2) connections.peek_all(turn);
    act(CURL_SOCKET_TIMEOUT, 0);
  }
  finish_ended();
  return now();
}

void State::act(curl_socket_t socket, int events) {
  ++turn.action;
  int running = 0;
  curl_multi_socket_action(multi, socket, events, &running);
  if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
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

void State::finish(Transfer& transfer, CURLcode code) {
  const TransferState state{
      .sent = transfer.sent, .answered = transfer.answered, .reused = transfer.reused || transfer.retried};
  const Outcome outcome = transport_outcome(code, state);
  const std::string message =
      code == CURLE_OK ? std::string() : transport_message(code, transfer.failure, transfer.curl_words);
  ResponseSink& sink = *transfer.sink;
  release(transfer);
  sink.on_end(outcome, message, now());
}

CurlTransport::CurlTransport(const TransportOptions& options) : state_(std::make_unique<State>(options)) {
  state_->idle.push_back(
      &state_->fresh_transfer());  // options that libcurl refuses are refused here, not later
}
CurlTransport::~CurlTransport() = default;

TransferId CurlTransport::start(HttpRequest request, ResponseSink& sink, Instant at) {
  return state_->start(std::move(request), sink, at);
}
void CurlTransport::cancel(TransferId id) { state_->cancel(id); }
Instant CurlTransport::poll(Instant deadline) { return state_->poll(deadline); }
std::string CurlTransport::version() { return curl_version(); }

}  // namespace infermeter
