#include "io/http/transport_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "model/target_url.hpp"

namespace infermeter {
namespace {

// CURLE_TOO_LARGE, which the headers before libcurl 8.6 do not have; a longer line of a head is
// CURLE_OUT_OF_MEMORY in these.
constexpr auto kTooLarge = static_cast<CURLcode>(100);

enum class Kind : std::uint8_t {
  dns,
  connect,
  connect_timeout,
  tls,
  protocol,
  broken,  // the connection or stream ended too early: the class depends on how far the transfer had come
  ours,    // the same, but the server has no part in it
};

// {server}: where the target is; {peer}: the other end of the connection, which is the proxy if there is one;
// {side}: the same without its place.
struct Row {
  CURLcode code;
  Kind kind;
  std::string_view what;
};

// Every code that a transfer over HTTP can end with. Those of other protocols, and those for options that are
// never set, are not among them.
constexpr auto kRows = std::to_array<Row>({
    {CURLE_UNSUPPORTED_PROTOCOL, Kind::protocol, "the answer is not HTTP"},
    {CURLE_FAILED_INIT, Kind::ours, "libcurl cannot set up the transfer"},
    {CURLE_URL_MALFORMAT, Kind::ours, "libcurl cannot read the URL"},
    {CURLE_NOT_BUILT_IN, Kind::ours, "this libcurl lacks what the target needs"},
    {CURLE_COULDNT_RESOLVE_PROXY, Kind::dns, "cannot resolve {peer}"},
    {CURLE_COULDNT_RESOLVE_HOST, Kind::dns, "cannot resolve {server}"},
    {CURLE_COULDNT_CONNECT, Kind::connect, "cannot connect to {peer}"},
    {CURLE_WEIRD_SERVER_REPLY, Kind::protocol, "the answer is not HTTP"},
    {CURLE_HTTP2, Kind::broken, "the HTTP/2 connection broke off"},
    {CURLE_PARTIAL_FILE, Kind::broken, "the connection was closed before the end of the answer"},
    {CURLE_WRITE_ERROR, Kind::ours, "the answer could not be taken"},
    {CURLE_READ_ERROR, Kind::ours, "the request could not be read"},
    {CURLE_OUT_OF_MEMORY, Kind::ours, "there is no memory for the transfer"},
    {CURLE_OPERATION_TIMEDOUT, Kind::connect_timeout, "no connection to {peer} in time (--timeout-connect)"},
    {CURLE_SSL_CONNECT_ERROR, Kind::tls, "cannot set up TLS with {server}"},
    {CURLE_ABORTED_BY_CALLBACK, Kind::ours, "the transfer was given up"},
    {CURLE_BAD_FUNCTION_ARGUMENT, Kind::ours, "libcurl refuses the transfer"},
    {CURLE_INTERFACE_FAILED, Kind::connect, "cannot connect to {peer}"},
    {CURLE_UNKNOWN_OPTION, Kind::ours, "libcurl refuses the transfer"},
    {CURLE_SETOPT_OPTION_SYNTAX, Kind::ours, "libcurl refuses the transfer"},
    {CURLE_GOT_NOTHING, Kind::broken, "{side} closed the connection without an answer"},
    {CURLE_SSL_ENGINE_NOTFOUND, Kind::tls, "cannot set up TLS with {server}"},
    {CURLE_SSL_ENGINE_SETFAILED, Kind::tls, "cannot set up TLS with {server}"},
    {CURLE_SEND_ERROR, Kind::broken, "the connection broke off while the request was sent"},
    {CURLE_RECV_ERROR, Kind::broken, "the connection broke off"},
    {CURLE_SSL_CERTPROBLEM, Kind::tls,
     "cannot set up TLS with {server}: the client certificate cannot be used"},
    {CURLE_SSL_CIPHER, Kind::tls, "cannot set up TLS with {server}: no common cipher"},
    {CURLE_PEER_FAILED_VERIFICATION, Kind::tls, "cannot set up TLS with {server}"},
    {CURLE_BAD_CONTENT_ENCODING, Kind::protocol, "the answer's compression cannot be read"},
    {CURLE_USE_SSL_FAILED, Kind::tls, "cannot set up TLS with {server}"},
    {CURLE_SEND_FAIL_REWIND, Kind::ours, "the request could not be sent a second time"},
    {CURLE_SSL_ENGINE_INITFAILED, Kind::tls, "cannot set up TLS with {server}"},
    {CURLE_LOGIN_DENIED, Kind::connect, "{peer} refuses the user or the password"},
    {CURLE_SSL_CACERT_BADFILE, Kind::tls,
     "cannot set up TLS with {server}: the authorities' certificates cannot be read"},
    {CURLE_SSL_SHUTDOWN_FAILED, Kind::broken, "TLS was not ended as it should be"},
    {CURLE_AGAIN, Kind::broken, "the connection stood still"},
    {CURLE_SSL_CRL_BADFILE, Kind::tls, "cannot set up TLS with {server}: the revocation list cannot be read"},
    {CURLE_SSL_ISSUER_ERROR, Kind::tls,
     "cannot set up TLS with {server}: another authority issued the certificate"},
    {CURLE_NO_CONNECTION_AVAILABLE, Kind::ours, "libcurl has no free connection"},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, Kind::tls, "cannot set up TLS with {server}: not the pinned key"},
    {CURLE_SSL_INVALIDCERTSTATUS, Kind::tls,
     "cannot set up TLS with {server}: the certificate's status is not valid"},
    {CURLE_HTTP2_STREAM, Kind::broken, "the server reset the stream"},
    {CURLE_RECURSIVE_API_CALL, Kind::ours, "libcurl refuses the transfer"},
    {CURLE_AUTH_ERROR, Kind::connect, "{peer} refuses the user or the password"},
    {CURLE_PROXY, Kind::connect, "{peer} does not connect to {server}"},
    {CURLE_SSL_CLIENTCERT, Kind::tls,
     "cannot set up TLS with {server}: it wants a client certificate (--cert)"},
    {CURLE_UNRECOVERABLE_POLL, Kind::ours, "the sockets cannot be watched"},
    {kTooLarge, Kind::ours, "the transfer is too large for libcurl"},
    {static_cast<CURLcode>(101), Kind::tls,
     "cannot set up TLS with {server}: it wants Encrypted Client Hello"},
});
constexpr Row kOther{CURLE_OK, Kind::broken, "the transfer failed"};

constexpr auto kHttp2Errors = std::to_array<std::string_view>(
    {"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
     "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
     "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"});

const Row& row_of(CURLcode code) {
  const auto found = std::ranges::find(kRows, code, &Row::code);
  return found == kRows.end() ? kOther : *found;
}

std::string filled(std::string_view what, const Route& route) {
  const std::string proxy = route.proxy.empty() ? std::string() : "the proxy " + route.proxy;
  const std::string server = route.server.empty() ? "the server" : route.server;
  return fmt::format(fmt::runtime(what), fmt::arg("server", server),
                     fmt::arg("peer", proxy.empty() ? server : proxy),
                     fmt::arg("side", proxy.empty() ? "the server" : "the proxy"));
}

// As the end of a sentence.
std::string lower_first(std::string_view text) {
  std::string out(text);
  while (!out.empty() && (out.back() == '\n' || out.back() == '.')) out.pop_back();
  const auto first_word = std::string_view(out).substr(0, out.find(' '));
  const bool plain = first_word.size() > 1 && std::ranges::all_of(first_word.substr(1), [](unsigned char c) {
                       return std::isupper(c) == 0;
                     });  // not "OpenSSL"
  if (plain) out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

// "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)" → "INTERNAL_ERROR"
std::string_view reset_name(std::string_view curl_words) {
  constexpr std::string_view before = "not closed cleanly: ";
  const auto at = curl_words.find(before);
  const auto end = curl_words.find(" (err", at == std::string_view::npos ? curl_words.size() : at);
  if (at == std::string_view::npos || end == std::string_view::npos) return {};
  return curl_words.substr(at + before.size(), end - at - before.size());
}

// libcurl sends a refused request again, up to five times. It says nothing where the answer had begun, and
// nothing of the stream where it gives up.
bool was_refused(CURLcode code, const TransferState& state, std::string_view curl_words) {
  const bool its_code = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR;
  return state.http2 && state.sent && its_code &&
         (curl_words.empty() || curl_words.starts_with("Connection died, tried"));
}

// The server's own word on the stream or the connection, if it said one.
std::string said_in_http2(CURLcode code, const TransferState& state, std::string_view curl_words) {
  if (const auto name = reset_name(curl_words); !name.empty())
    return fmt::format("the server reset the stream: {}", name);
  if (code == CURLE_HTTP2_STREAM || curl_words.ends_with("was reset"))
    return "the server reset the stream: NO_ERROR";
  if (state.goaway)
    return fmt::format("the server ended the HTTP/2 connection: GOAWAY with {}",
                       http2_error_name(*state.goaway));
  if (was_refused(code, state, curl_words)) return "the server reset the stream: REFUSED_STREAM";
  return {};
}

// "libcurl: …" behind the sentence, unless it names a host that we made up (OwnConnection).
std::string with_libcurl(std::string what, CURLcode code, std::string_view curl_words) {
  if (curl_words.find(".conversation.invalid") != std::string_view::npos) return what;
  const std::string_view text = curl_words.empty() ? std::string_view(curl_easy_strerror(code)) : curl_words;
  return fmt::format("{} (libcurl: {})", what, lower_first(text));
}

// libcurl gives addresses that it cannot read the codes of a lookup and of a connect that failed.
bool is_bad_proxy(const Route& route, std::string_view curl_words) {
  return !route.proxy.empty() && curl_words.starts_with("Unsupported proxy ");
}

TransportEnd proxy_refusal(CURLcode code, const TransferState& state, const Route& route,
                           std::string_view curl_words) {
  std::string what = fmt::format("the proxy {} answers {} to CONNECT", route.proxy, state.connect_status);
  if (state.connect_status == 407) what += ": it wants a user and a password";
  return {Outcome::connect, with_libcurl(std::move(what), code, curl_words)};
}

Outcome outcome_of(const Row& row, const TransferState& state, bool said_by_server) {
  switch (row.kind) {
    case Kind::dns:
      return Outcome::dns;
    case Kind::connect:
      return Outcome::connect;
    case Kind::connect_timeout:
      return Outcome::connect_timeout;
    case Kind::tls:
      return Outcome::tls;
    case Kind::protocol:
      return Outcome::protocol;
    case Kind::broken:
    case Kind::ours:
      break;
  }
  if (!state.sent) return Outcome::connect;
  const bool silent = !state.answered && !said_by_server;
  return row.kind == Kind::broken && silent && state.reused ? Outcome::stale_connection : Outcome::truncated;
}

std::string_view words_of_break(const Row& row, const TransferState& state, const Route& route) {
  if (!state.sent && !route.proxy.empty()) return "{peer} closed the connection at CONNECT";
  if (!state.sent) return "cannot connect to {peer}";
  if (state.answered || row.code == CURLE_SEND_ERROR) return row.what;
  return state.reused ? "a kept connection was closed before the first byte"
                      : "{side} closed the connection without an answer";
}

}  // namespace

std::string http2_error_name(std::uint32_t code) {
  return code < kHttp2Errors.size() ? std::string(kHttp2Errors[code]) : fmt::format("error {}", code);
}

std::string with_proxy_masked(std::string text, const std::string& proxy) {
  if (proxy.empty()) return text;
  const std::string shown = mask_url(proxy);
  for (auto at = text.find(proxy); at != std::string::npos; at = text.find(proxy, at + shown.size()))
    text.replace(at, proxy.size(), shown);
  return text;
}

TransportEnd transport_end(CURLcode code, const TransferState& state, const Route& route,
                           std::string_view system, std::string_view curl_words) {
  if (code == CURLE_OK && (state.head_ended || !state.answered)) return {};
  if (code == CURLE_OK) return {Outcome::truncated, "the connection was closed within the answer's head"};
  if (state.flooded)
    return {Outcome::protocol,
            with_libcurl("the server sent HTTP/2 frames without an end", code, curl_words)};
  const bool large = code == CURLE_OUT_OF_MEMORY || code == kTooLarge;
  if (state.head_too_long || (large && state.sent && !state.body)) {
    const std::string_view part = state.body ? "trailer" : "head";
    return {Outcome::protocol,
            state.head_too_long
                ? fmt::format("the answer's {} is longer than {} kB", part, kLongestHead / 1024)
                : with_libcurl("a line of the answer's head is too long", code, curl_words)};
  }
  if (!state.sent && state.connect_status >= 300) return proxy_refusal(code, state, route, curl_words);
  if (is_bad_proxy(route, curl_words))
    return {
        Outcome::connect,
        with_libcurl(fmt::format("the proxy's address {} is no URL such as http://proxy:3128", route.proxy),
                     code, curl_words)};
  const Row& row = row_of(code);
  if (row.kind == Kind::tls && route.proxy.starts_with("https://") && state.connect_status == 0)
    return {Outcome::tls, with_libcurl(filled(row.what, {"the proxy " + route.proxy, ""}), code, curl_words)};
  if (row.code == CURLE_COULDNT_CONNECT && !system.empty())
    return {Outcome::connect, fmt::format("{}: {}", filled(row.what, route), lower_first(system))};
  const std::string said = said_in_http2(code, state, curl_words);
  const Outcome outcome = outcome_of(row, state, !said.empty());
  if (!said.empty() && state.sent) return {outcome, with_libcurl(said, code, curl_words)};
  const bool broken = row.kind == Kind::broken && row.code != CURLE_OK;
  const std::string what = filled(broken ? words_of_break(row, state, route) : row.what, route);
  return {outcome, with_libcurl(what, code, curl_words)};
}

}  // namespace infermeter
