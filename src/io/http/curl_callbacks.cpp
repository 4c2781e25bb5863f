#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

#include "io/http/curl_state.hpp"
#include "io/http/reached_limit.hpp"
#include "io/http/transport_errors.hpp"

namespace infermeter {

namespace {

using State = CurlTransport::State;

// No exception may pass through libcurl: it is stored, libcurl receives an error code, and `poll` rethrows
// it.
template <typename Result, typename Body>
Result guarded(State& state, Result failure, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    if (!state.thrown) state.thrown = std::current_exception();
    return failure;
  }
}

// Without events the transfer would wait for its timeout, as if the server were silent.
void note_unwatched(State& state, CURL* easy, int error) {
  Transfer* transfer = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
  const auto limit = error == ENOSPC ? ClientLimit::watches : client_limit_of(error);
  if (transfer == nullptr || !limit) return;
  transfer->limit = limit;
  state.unwatched.push_back(transfer->id);
}

int on_socket(CURL* easy, curl_socket_t fd, int what, void* user, void* known) {
  auto& state = *static_cast<State*>(user);
  if (what == CURL_POLL_REMOVE) {
    state.watch.forget(fd);
    return 0;
  }
  const std::uint32_t events = ((what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0u) |
                               ((what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0u);
  if (const int error = state.watch.want(fd, events, known != nullptr); error != 0)
    note_unwatched(state, easy, error);
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
    const int error = errno;
    transfer.failure = std::generic_category().message(error);
    note_socket_error(transfer, error);
    return CURL_SOCKET_BAD;
  }
  transfer.address_length = std::min<socklen_t>(address.addrlen, sizeof(transfer.address));
  // libcurl keeps the whole address there, whatever the declared type of `addr` holds.
  std::memcpy(&transfer.address, static_cast<const void*>(&address.addr), transfer.address_length);
  transfer.opened_socket = true;
  ++transfer.transport->progress;
  if (transfer.transport->plain_http2) transfer.transport->unread.insert(fd);
  transfer.transport->connections.opened(fd);
  if (transfer.transport->action_watch) transfer.transport->action_watch->opened(fd);
  return fd;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, curl_socket_t{CURL_SOCKET_BAD},
                 [&] { return open_socket(transfer, *address); });
}

int on_close_socket(void* user, curl_socket_t fd) {
  auto& state = *static_cast<State*>(user);
  state.connections.closed(fd);
  state.unread.erase(fd);
  if (state.action_watch) {
    state.note_flooded(fd);
    state.action_watch->closed(fd);
  }
  return close(fd);
}

std::optional<Instant> phase_end(CURL* easy, CURLINFO info, Instant started) {
  curl_off_t us = 0;
  if (curl_easy_getinfo(easy, info, &us) != CURLE_OK || us <= 0) return std::nullopt;
  return started + std::chrono::microseconds(us);
}

// CURLOPT_PREREQFUNCTION: the connection is established, nothing of the request is written yet. The only
// place where libcurl says which connection a transfer uses (CURLINFO_ACTIVESOCKET is empty inside a write
// callback).
void begin_request(Transfer& transfer, int local_port) {
  // On a second call, libcurl repeats the request because its kept connection had died.
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
  transfer.limit.reset();  // of another address
  transfer.sent = true;
  ++transfer.transport->progress;
  transfer.goaway.reset();
  const Instant at = now();
  transfer.transport->connections.sends(transfer.socket, transfer.transport->pass, at);
  transfer.sink->on_sent(at, times);
}

int on_before_request(void* user, char*, char*, int, int local_port) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, CURL_PREREQFUNC_ABORT, [&] {
    begin_request(transfer, local_port);
    return CURL_PREREQFUNC_OK;
  });
}

// "received GOAWAY, error=11, last_stream=0". Libcurl tells it to one transfer; it concerns all of the
// connection.
void note_goaway(Transfer& transfer, std::string_view text) {
  constexpr std::string_view before = " GOAWAY, error=";
  const auto at = text.find(before);
  if (at == std::string_view::npos) return;
  std::uint32_t code = 0;
  text.remove_prefix(at + before.size());
  std::from_chars(text.data(), text.data() + text.size(), code);
  for (const auto& [id, other] : transfer.transport->active) {
    if (other == &transfer || (transfer.socket >= 0 && other->socket == transfer.socket))
      other->goaway = code;
  }
}

// "connect to 127.0.0.1 port 1 failed: Connection refused", "Immediate connect fail for 127.0.0.1: Connection
// refused"
void note_failure(Transfer& transfer, std::string_view text) {
  if (!text.starts_with("connect to ") && !text.starts_with("Immediate connect fail ")) return;
  const auto colon = text.rfind(": ");
  if (colon == std::string_view::npos) return;
  transfer.failure = text.substr(colon + 2);
  while (!transfer.failure.empty() && transfer.failure.back() == '\n') transfer.failure.pop_back();
  note_connect_error(transfer, transfer.failure);
}

// Verbose mode for its DATA_OUT events, the last of which is the end of the upload, and for the reasons of a
// failed connection and of an ended one, which libcurl reports nowhere else. Switched off at the first
// response byte, so that it does not slow down streams.
int on_debug(CURL*, curl_infotype type, char* data, size_t length, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, 0, [&] {
    if (type == CURLINFO_TEXT) {
      note_failure(transfer, {data, length});
      note_goaway(transfer, {data, length});
    }
    if (type != CURLINFO_DATA_OUT && type != CURLINFO_HEADER_OUT) return 0;
    ++transfer.transport->progress;
    if (!transfer.upload_done) transfer.sink->on_uploaded(now());
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
  if (line.empty()) transfer.head_ended = true;
  if (line.starts_with("HTTP/")) {
    transfer.head_ended = false;
    long status = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    transfer.transport->no_streams = false;
    transfer.sink->on_status(static_cast<int>(status), stamp.arrival);
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  transfer.sink->on_header(line.substr(0, colon), value);
}

// Common to both write callbacks: the stamp of the read that these bytes belong to, or of the first part of
// them.
StampedBytes begin_bytes(Transfer& transfer, std::string_view bytes) {
  end_upload(transfer);
  transfer.answered = true;
  ++transfer.transport->progress;
  return transfer.transport->connections.stamp(transfer.socket, transfer.transport->pass, bytes);
}

size_t on_header(char* data, size_t, size_t length, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, std::size_t{0}, [&] {
    transfer.head_bytes += length;
    if (transfer.head_bytes > kLongestHead) return std::size_t{0};
    hand_over_header(transfer, {data, length}, begin_bytes(transfer, {data, length}).stamp);
    return length;
  });
}

size_t on_write(char* data, size_t, size_t length, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return guarded(*transfer.transport, std::size_t{0}, [&] {
    transfer.body = true;
    std::string_view bytes(data, length);
    while (!bytes.empty()) {
      const auto [stamp, part] = begin_bytes(transfer, bytes);
      transfer.sink->on_body(bytes.substr(0, part), stamp);
      bytes.remove_prefix(part);
    }
    return length;
  });
}

}  // namespace

void set_callbacks(State& state) {
  curl_multi_setopt(state.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(state.multi, CURLMOPT_SOCKETDATA, &state);
  curl_multi_setopt(state.multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(state.multi, CURLMOPT_TIMERDATA, &state);
}

void set_callbacks(Transfer& transfer) {
  CURL* easy = transfer.easy;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.curl_words);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer.transport);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
}

}  // namespace infermeter
