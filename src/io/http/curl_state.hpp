// The state of one CurlTransport: its transfers, and the data shared between libcurl's callbacks and its
// loop. Used by curl_transport.cpp and curl_callbacks.cpp only. One thread.
#pragma once

#include <curl/curl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/http/connections.hpp"
#include "io/http/curl_options.hpp"
#include "io/http/curl_transport.hpp"
#include "io/http/event_loop.hpp"

namespace infermeter {

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
  std::exception_ptr thrown;  // inside a callback of libcurl
};

// libcurl's callbacks (curl_callbacks.cpp). No exception passes through it: one is stored in the state, and
// `poll` rethrows it.
/// Sockets and timers of the multi handle.
void set_callbacks(CurlTransport::State& state);
/// All other callbacks, per handle. `transfer` must outlive it.
void set_callbacks(Transfer& transfer);

}  // namespace infermeter
