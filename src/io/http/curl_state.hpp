// What curl_transport.cpp, curl_options.cpp and curl_callbacks.cpp share: the set-up of a libcurl handle for
// a target, the state of one CurlTransport (its transfers), and the data shared between libcurl's callbacks
// and its loop. Used by these only. One thread.
#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/host/client_limit.hpp"
#include "io/http/connections.hpp"
#include "io/http/curl_transport.hpp"
#include "io/http/event_loop.hpp"

namespace infermeter {

// The set-up of a handle, and the interpretation of libcurl's results (curl_options.cpp).

/// Maximum bytes per read by libcurl; also how far a late client looks ahead for the last arrival.
inline constexpr std::size_t kReadSize = 16 * 1024;

/// Sets every option that is the same for all requests. Throws UsageError naming the option that libcurl
/// rejects.
void set_connection_options(CURL* easy, const TransportOptions& options);

/// False for a libcurl that fails on the second request over one plain HTTP/2 connection.
bool reuses_plain_http2();

struct TransferState {
  bool sent = false;      // the request was written
  bool answered = false;  // a response byte came
  bool reused = false;    // over a kept connection
};

Outcome transport_outcome(CURLcode code, const TransferState& state);
/// The error message: the system's message if a connection failed, else libcurl's error buffer, else its text
/// for the code.
std::string transport_message(CURLcode code, std::string_view connect_failure, std::string_view curl_words);

/// A header list that begins with the request's own lines; the target's follow, except those that the request
/// replaces.
class HeaderList {
 public:
  /// `shared_list` holds `shared`; both outlive the use of `list`.
  void set(std::vector<std::string> own, const std::vector<std::string>& shared, curl_slist* shared_list);
  curl_slist* list() { return list_; }

 private:
  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
  curl_slist* list_ = nullptr;
};

/// libcurl reuses any idle connection to the same host. It distinguishes hosts by the address that it
/// connects to (CURLOPT_CONNECT_TO), so a made-up name per conversation, resolved to the server's address,
/// gives each conversation its own connection; Host header and TLS name stay the server's.
class OwnConnection {
 public:
  /// An empty key lets the handle take any connection. `resolve`: host:port:address entries of the target.
  void set(CURL* easy, const std::string& url, const std::string& key,
           const std::vector<std::string>& resolve, curl_slist* resolve_list);

 private:
  std::string connect_to_, address_;
  curl_slist connect_node_{}, address_node_{};
  bool set_ = false;
};

/// One request in flight: a libcurl handle (reused) and the sink of its events.
struct Transfer {
  CurlTransport::State* transport = nullptr;
  CURL* easy = nullptr;
  TransferId id = 0;
  ResponseSink* sink = nullptr;
  HttpRequest request;
  HeaderList headers;
  OwnConnection connection;
  Instant started;
  std::optional<ClientLimit> limit;  // met while connecting
  sockaddr_storage address{};        // the last one that it opened a socket for
  socklen_t address_length = 0;
  int socket = -1;  // socket of the connection, −1 if unknown
  bool opened_socket = false;
  bool sent = false;
  bool reused = false;    // the connection had served another request
  bool retried = false;   // libcurl repeated the request on a fresh connection
  bool answered = false;  // a response byte came
  bool upload_done = false;
  std::string failure;                    // of the connection, the system's message
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
  void finish_unwatched();
  void release(Transfer& transfer);
  Transfer& fresh_transfer();
  void set_request(Transfer& transfer);

  TransportOptions options;
  EventLoop loop;
  Connections connections;
  LoopPass pass;
  Instant last_return = now();
  CURLM* multi;
  curl_slist* headers = nullptr;
  curl_slist* resolve = nullptr;
  bool direct;  // false behind a proxy or on a unix socket: the connection is not to the server's address
  std::optional<Instant> timer;
  TransferId last_id = 0;
  std::vector<std::unique_ptr<Transfer>> transfers;  // all, in use or idle
  std::vector<Transfer*> idle;
  std::unordered_map<TransferId, Transfer*> active;
  std::vector<TransferId> unwatched;  // the loop could not take their sockets
  std::exception_ptr thrown;          // inside a callback of libcurl
};

// libcurl's callbacks (curl_callbacks.cpp). No exception passes through it: one is stored in the state, and
// `poll` rethrows it.
/// Sockets and timers of the multi handle.
void set_callbacks(CurlTransport::State& state);
/// All other callbacks, per handle. `transfer` must outlive it.
void set_callbacks(Transfer& transfer);

}  // namespace infermeter
