#include "io/http/transport_errors.hpp"

#include "io/http/http2_settings.hpp"

#include <string>

#include "catch.hpp"

using namespace infermeter;

namespace {

const Route kDirect{"host:8000", ""};
const Route kProxied{"host:8000", "http://proxy:3128"};

TransportEnd end_of(CURLcode code, const TransferState& state = {.sent = true}, const Route& route = kDirect,
                    std::string_view curl_words = {}) {
  return transport_end(code, state, route, {}, curl_words);
}

}  // namespace

TEST_CASE("transport errors: no message is a sentence of libcurl's alone") {
  for (const Route& route : {kDirect, kProxied}) {
    for (int n = 1; n <= 101; ++n) {
      const auto code = static_cast<CURLcode>(n);
      for (const bool sent : {false, true}) {
        const auto end = end_of(code, {.sent = sent}, route);
        const std::string alone = curl_easy_strerror(code);
        INFO(n << " " << alone);
        CHECK(end.outcome != Outcome::ok);
        CHECK(end.message.find("{") == std::string::npos);
        CHECK_FALSE(end.message.empty());
        CHECK(end.message.substr(0, 12) != alone.substr(0, 12));
        CHECK(end.message.find("out of memory") != 0);
      }
    }
  }
}

TEST_CASE("transport errors: the words say what happened and libcurl's text stands behind them") {
  CHECK(end_of(CURLE_PARTIAL_FILE, {.sent = true, .answered = true}, kDirect,
               "transfer closed with 3 bytes remaining to read")
            .message ==
        "the connection was closed before the end of the answer (libcurl: transfer closed with 3 bytes "
        "remaining to "
        "read)");
  const auto refused =
      transport_end(CURLE_COULDNT_CONNECT, {}, kDirect, "Connection refused", "Failed to connect");
  CHECK(refused.message == "cannot connect to host:8000: connection refused");
  CHECK(refused.outcome == Outcome::connect);
}

TEST_CASE("transport errors: a stream that the server resets is truncated, not a stale connection") {
  const TransferState reused{.sent = true, .reused = true, .http2 = true};
  const auto reset = end_of(CURLE_HTTP2_STREAM, reused, kDirect,
                            "HTTP/2 stream 3 was not closed cleanly: INTERNAL_ERROR (err 2)");
  CHECK(reset.outcome == Outcome::truncated);
  CHECK(reset.message.starts_with("the server reset the stream: INTERNAL_ERROR (libcurl: HTTP/2 stream 3"));
  CHECK(end_of(CURLE_RECV_ERROR, reused, kDirect, "Connection died, tried 5 times before giving up")
            .message.starts_with("the server reset the stream: REFUSED_STREAM ("));
  CHECK(end_of(CURLE_RECV_ERROR, reused).outcome == Outcome::truncated);
  TransferState gone = reused;
  gone.goaway = 11;
  CHECK(end_of(CURLE_HTTP2, gone).outcome == Outcome::truncated);
  CHECK(end_of(CURLE_HTTP2, gone)
            .message.starts_with("the server ended the HTTP/2 connection: GOAWAY with ENHANCE_YOUR_CALM ("));
  CHECK(http2_error_name(99) == "error 99");
}

TEST_CASE("transport errors: a kept connection that is closed without a word is stale") {
  for (const bool http2 : {false, true}) {
    const TransferState reused{.sent = true, .reused = true, .http2 = http2};
    for (const auto code : {CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2})
      CHECK(end_of(code, reused).outcome == Outcome::stale_connection);
    CHECK(end_of(CURLE_RECV_ERROR, reused, kDirect, "Recv failure: Connection reset by peer").outcome ==
          Outcome::stale_connection);
  }
  CHECK(end_of(CURLE_GOT_NOTHING).outcome == Outcome::truncated);
}

TEST_CASE("transport errors: a bad proxy is named, not the target") {
  const auto message = [](CURLcode code, const TransferState& state = {}) {
    return end_of(code, state, kProxied).message;
  };
  CHECK(message(CURLE_COULDNT_RESOLVE_PROXY).starts_with("cannot resolve the proxy http://proxy:3128 ("));
  for (const auto code : {CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT})
    CHECK(transport_end(code, {}, kProxied, "", "Unsupported proxy syntax in 'x'").message ==
          "the proxy's address http://proxy:3128 is no URL such as http://proxy:3128 (libcurl: unsupported "
          "proxy "
          "syntax in 'x')");
  CHECK(transport_end(CURLE_COULDNT_CONNECT, {}, kProxied, "Connection refused", "").message ==
        "cannot connect to the proxy http://proxy:3128: connection refused");
  CHECK(message(CURLE_RECV_ERROR, {.connect_status = 407})
            .starts_with(
                "the proxy http://proxy:3128 answers 407 to CONNECT: it wants a user and a password ("));
  CHECK(message(CURLE_RECV_ERROR, {.connect_status = 502})
            .starts_with("the proxy http://proxy:3128 answers 502 to CONNECT ("));
  CHECK(message(CURLE_RECV_ERROR)
            .starts_with("the proxy http://proxy:3128 closed the connection at CONNECT ("));
  CHECK(message(CURLE_GOT_NOTHING, {.sent = true})
            .starts_with("the proxy closed the connection without an answer ("));
  const auto encrypted =
      end_of(CURLE_SSL_CONNECT_ERROR, {}, {"host:8000", "https://proxy:443"}, "OpenSSL: wrong");
  CHECK(encrypted.message == "cannot set up TLS with the proxy https://proxy:443 (libcurl: OpenSSL: wrong)");
  CHECK(message(CURLE_SSL_CONNECT_ERROR, {.connect_status = 200})
            .starts_with("cannot set up TLS with host:8000 ("));
  CHECK(message(CURLE_PROXY).starts_with("the proxy http://proxy:3128 does not connect to host:8000 ("));
  for (const auto code : {CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PROXY, CURLE_SEND_ERROR})
    CHECK(end_of(code, {}, kProxied).outcome == Outcome::connect);
}

TEST_CASE("transport errors: the password of a proxy is not quoted from libcurl's text") {
  const std::string proxy = "foo://user:hush@proxy:1";
  const std::string text = with_proxy_masked("Unsupported proxy scheme for '" + proxy + "'", proxy);
  CHECK(text.find("hush") == std::string::npos);
  CHECK(text.find("@proxy:1'") != std::string::npos);
  CHECK(with_proxy_masked("as it was", "") == "as it was");
}

TEST_CASE("transport errors: a head without end is called that, and not a lack of memory") {
  const auto line = end_of(CURLE_OUT_OF_MEMORY, {.sent = true, .answered = true});
  CHECK(line.outcome == Outcome::protocol);
  CHECK(line.message.starts_with("a line of the answer's head is too long ("));
  const auto head = end_of(CURLE_WRITE_ERROR, {.sent = true, .answered = true, .head_too_long = true});
  CHECK(head.outcome == Outcome::protocol);
  CHECK(head.message == "the answer's head is longer than 256 kB");
  const auto trailer =
      end_of(CURLE_WRITE_ERROR, {.sent = true, .answered = true, .body = true, .head_too_long = true});
  CHECK(trailer.message == "the answer's trailer is longer than 256 kB");
}

TEST_CASE("transport errors: the made-up host of a conversation's connection is not shown") {
  const auto end = end_of(CURLE_OPERATION_TIMEDOUT, {}, kDirect,
                          "Failed to connect to 0-1.conversation.invalid port 8000");
  CHECK(end.outcome == Outcome::connect_timeout);
  CHECK(end.message == "no connection to host:8000 in time (--timeout-connect)");
}

TEST_CASE("transport errors: the number of streams is read from the first settings of a server") {
  using namespace std::string_literals;
  const std::string window = "\0\4\0\0\xff\xff"s, none = "\0\3\0\0\0\0"s, hundred = "\0\3\0\0\0\x64"s;
  const auto settings = [](const std::string& entries, char flags = 0) {
    return "\0\0"s + static_cast<char>(entries.size()) + '\4' + flags + "\0\0\0\0"s + entries;
  };
  CHECK(max_streams_in(settings(window + none)) == 0u);
  CHECK(max_streams_in(settings(hundred)) == 100u);
  CHECK(max_streams_in(settings(window)) == std::nullopt);
  CHECK(max_streams_in(settings("") + settings(none)) == std::nullopt);
  CHECK(max_streams_in(settings(none, 1)) == std::nullopt);
  CHECK(max_streams_in(settings(none).substr(0, 14)) == std::nullopt);
  CHECK(max_streams_in("HTTP/1.1 400 Bad Request") == std::nullopt);
}
