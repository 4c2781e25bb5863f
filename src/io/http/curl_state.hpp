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
#include <unordered_set>
#include <vector>

#include "io/host/client_limit.hpp"
#include "io/http/action_watch.hpp"
#include "io/http/connections.hpp"
#include "io/http/curl_transport.hpp"
#include "io/http/event_loop.hpp"
#include "io/http/transport_errors.hpp"
#include "io/http/write_watch.hpp"

namespace infermeter {

// The set-up of a handle (curl_options.cpp).

/// Maximum bytes per read by libcurl; also how far a late client looks ahead for the last arrival.
inline constexpr std::size_t kReadSize = 16 * 1024;

/// Sets every option that is the same for all requests. Throws UsageError naming the option that libcurl
/// rejects.
void set_connection_options(CURL* easy, const TransportOptions& options);

/// False for a libcurl that fails on the second request over one plain HTTP/2 connection.
bool reuses_plain_http2();

/// "host:port" of a URL, or the path of the unix socket.
std::string server_of(const std::string& url, const std::string& unix_socket);

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
  bool head_ended = false;
  bool flooded = false;  // its connection was shut down because libcurl did not come back from reading it
  bool body = false;     // … behind the head
  bool upload_done = false;
  std::size_t head_bytes = 0;             // with those of the trailer
  std::optional<std::uint32_t> goaway;    // the error code of this frame of HTTP/2
  std::string failure;                    // of the connection, the system's message
  char curl_words[CURL_ERROR_SIZE] = {};  // on any other failure
};

struct CurlTransport::State {
  explicit State(const TransportOptions& options);
  ~State();

  TransferId start(HttpRequest request, ResponseSink& sink, Instant now);
  std::string cancel(TransferId id);
  Instant poll(Instant deadline);

  void read_settings(int fd);
  void act(curl_socket_t socket, int events);
  void note_flooded(curl_socket_t socket);
  void settle(curl_socket_t socket);
  void finish_ended();
  void finish(Transfer& transfer, CURLcode code);
  void finish_unwatched();
  TransportEnd end_of(Transfer& transfer, CURLcode code) const;
  void release(Transfer& transfer);
  Transfer& fresh_transfer();
  void set_request(Transfer& transfer);

  TransportOptions options;
  EventLoop loop;
  WriteWatch watch{loop};
  std::uint64_t progress = 0;  // counts what libcurl's calls to us say of bytes and sockets
  Connections connections;
  LoopPass pass;
  Instant last_return = now();
  CURLM* multi;
  curl_slist* headers = nullptr;
  curl_slist* resolve = nullptr;
  std::string proxy;  // as shown; empty: none
  bool plain_http2;
  std::optional<ActionWatch> action_watch;  // of HTTP/2
  std::unordered_set<int> unread;           // its sockets before their first byte
  bool no_streams = false;                  // the server allows none at present
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
