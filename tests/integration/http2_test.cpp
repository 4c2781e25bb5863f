// How streams and connections of HTTP/2 end, by servers that write the frames by hand. No test waits for time
// to pass, but for what the server does.
#include "raw_http2.hpp"

#include <array>
#include <functional>

#include "catch.hpp"
#include "io/http/curl_transport.hpp"
#include "io/http/write_watch.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

namespace {

const std::string kEvent = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";

/// The end of a transfer.
class Ending final : public ResponseSink {
 public:
  void on_sent(Instant, const ConnectionTimes&) override { ++sent; }
  void on_uploaded(Instant) override {}
  void on_status(int answered, Instant) override { status = answered; }
  void on_header(std::string_view, std::string_view) override {}
  void on_body(std::string_view bytes, const ReadStamp&) override { body += bytes; }
  void on_end(Outcome how, std::string_view why, Instant) override {
    outcome = how;
    message = why;
  }

  std::optional<Outcome> outcome;
  std::string message, body;
  int sent = 0, status = 0;
};

TransportOptions over_http2(const RawServer& server) {
  return {.target = {.url = server.url(), .http2 = true},
          .headers = {"Content-Type: application/json", "Expect:"}};
}

/// One request; a minute at most.
Ending ask(const RawServer& server) {
  CurlTransport transport(over_http2(server));
  Ending ending;
  transport.start({.url = server.url(), .body = "{}", .request_id = {}}, ending, now());
  const Instant limit = now() + 60s;
  while (!ending.outcome && now() < limit) transport.poll(now() + 100ms);
  REQUIRE(ending.outcome);
  return ending;
}

/// A server that answers each request by these frames, until the client closes.
RawServer::Script answering(const std::function<std::string(std::uint32_t stream)>& frames) {
  return [frames](int fd) {
    const Http2Peer peer(fd);
    while (const auto stream = peer.next_request()) peer.send(frames(stream));
  };
}

std::string body_frame(std::uint32_t stream, int flags = 0) {
  return frame(FrameType::data, flags, stream, kEvent);
}

}  // namespace

TEST_CASE("http2: a stream that the server resets before an answer is truncated, and the error is named") {
  const auto [code, name] = GENERATE(table<std::uint32_t, std::string>({{1, "PROTOCOL_ERROR"},
                                                                        {2, "INTERNAL_ERROR"},
                                                                        {3, "FLOW_CONTROL_ERROR"},
                                                                        {5, "STREAM_CLOSED"},
                                                                        {8, "CANCEL"},
                                                                        {11, "ENHANCE_YOUR_CALM"},
                                                                        {0, "NO_ERROR"}}));
  const RawServer server(
      answering([sent = code](std::uint32_t stream) { return reset_frame(stream, sent); }));
  const Ending ending = ask(server);
  INFO(name << ": " << ending.message);
  CHECK(ending.outcome == Outcome::truncated);
  CHECK(ending.message.starts_with("the server reset the stream: " + name + " (libcurl: "));
}

TEST_CASE("http2: a refused stream is sent again a few times, then it is truncated") {
  const RawServer server(answering([](std::uint32_t stream) { return reset_frame(stream, 7); }));
  const Ending ending = ask(server);
  CHECK(ending.outcome == Outcome::truncated);
  CHECK(ending.message.starts_with("the server reset the stream: REFUSED_STREAM (libcurl: "));
  CHECK(ending.sent >= 2);
  CHECK(ending.sent <= 8);
}

TEST_CASE("http2: a refused stream that is taken the second time is an answer") {
  std::atomic<int> requests{0};
  const RawServer server(answering([&](std::uint32_t stream) {
    return ++requests == 1 ? reset_frame(stream, 7) : head_frame(stream) + body_frame(stream, kEndStream);
  }));
  const Ending ending = ask(server);
  CHECK(ending.outcome == Outcome::ok);
  CHECK(ending.body == kEvent);
  CHECK(ending.sent == 2);
}

TEST_CASE("http2: a stream that is reset after events is truncated") {
  const std::uint32_t code = GENERATE(2u, 7u, 8u, 11u);
  const RawServer server(answering([code](std::uint32_t stream) {
    return head_frame(stream) + body_frame(stream) + reset_frame(stream, code);
  }));
  const Ending ending = ask(server);
  INFO(code << ": " << ending.message);
  CHECK(ending.outcome == Outcome::truncated);
  CHECK(ending.message.find("libcurl: ") != std::string::npos);
}

TEST_CASE("http2: a reset without error after the end of the stream does no harm") {
  const RawServer server(answering([](std::uint32_t stream) {
    return head_frame(stream) + body_frame(stream, kEndStream) + reset_frame(stream, 0);
  }));
  CHECK(ask(server).outcome == Outcome::ok);
}

TEST_CASE("http2: a connection that ends by GOAWAY below the stream is truncated, and the error is named") {
  const auto [code, name] = GENERATE(
      table<std::uint32_t, std::string>({{0, "NO_ERROR"}, {2, "INTERNAL_ERROR"}, {11, "ENHANCE_YOUR_CALM"}}));
  const RawServer server(answering([code = code](std::uint32_t) { return goaway_frame(0, code); }));
  const Ending ending = ask(server);
  INFO(ending.message);
  CHECK(ending.outcome == Outcome::truncated);
  CHECK(ending.message.starts_with("the server "));
  CHECK(ending.message.find(name) != std::string::npos);
}

TEST_CASE("http2: a server that allows no stream is waited for without burning time, and named") {
  const RawServer server([](int fd) {
    const Http2Peer peer(fd, 0);
    while (peer.next_request() != 0) {
    }
  });
  CurlTransport transport(over_http2(server));
  Ending ending;
  const TransferId id =
      transport.start({.url = server.url(), .body = std::string(1000, ' '), .request_id = {}}, ending, now());
  int passes = 0;
  for (const Instant limit = now() + 2s; !ending.outcome && now() < limit; ++passes) transport.poll(limit);
  CHECK_FALSE(ending.outcome);
  CHECK(passes < 1000);
  CHECK(transport.cancel(id).find("MAX_CONCURRENT_STREAMS") != std::string::npos);
}

TEST_CASE("http2: a flood of frames that carry nothing held the loop, its timeouts and Ctrl-C for ever") {
  const FrameType type = GENERATE(FrameType::window_update, FrameType::priority, FrameType::data);
  const RawServer server([type = type](int fd) {
    const Http2Peer peer(fd);
    const std::uint32_t stream = peer.next_request();
    if (stream == 0) return;
    const std::string payload = type == FrameType::window_update ? big_endian(1, 4)
                                : type == FrameType::priority    ? big_endian(0, 4) + '\x10'
                                                                 : std::string();
    std::string flood;
    for (int i = 0; i < 5000; ++i)
      flood += frame(type, 0, type == FrameType::window_update ? 0 : stream, payload);
    peer.send(head_frame(stream));
    while (::send(fd, flood.data(), flood.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  CurlTransport transport(over_http2(server));
  Ending ending;
  transport.start({.url = server.url(), .body = "{}", .request_id = {}}, ending, now());
  // libcurl 7 reads until there is nothing more, libcurl 8 a part of it in each turn.
  constexpr int kTurns = 200;
  int turns = 0;
  for (const Instant limit = now() + 60s; !ending.outcome && turns < kTurns && now() < limit; ++turns)
    transport.poll(now() + 100ms);
  INFO(ending.message);
  CHECK((ending.outcome.has_value() || turns == kTurns));
  if (turns == kTurns) return;
  REQUIRE(ending.outcome == Outcome::protocol);
  CHECK(ending.message.starts_with("the server sent HTTP/2 frames without an end (libcurl: "));
}

TEST_CASE("http2: a socket that is writable and never written to is watched for writing only now and then") {
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  EventLoop loop;
  WriteWatch watch(loop);
  watch.want(ends[0], EPOLLIN | EPOLLOUT, false);
  int passes = 0;
  for (; !watch.is_stuck(ends[0]) && passes < 100; ++passes) {
    REQUIRE(loop.wait(now()).size() == 1);
    watch.wrote(ends[0], false, now());
  }
  CHECK(passes < 100);
  CHECK(loop.wait(now()).empty());
  write_all(ends[1], "answer");
  CHECK(loop.wait(now()).front().events == EPOLLIN);
  REQUIRE(watch.next());
  watch.resume(*watch.next());
  CHECK(loop.wait(now()).front().events == (EPOLLIN | EPOLLOUT));
  watch.wrote(ends[0], true, now());
  CHECK_FALSE(watch.is_stuck(ends[0]));
  watch.forget(ends[0]);
  for (const int end : ends) ::close(end);
}

TEST_CASE("http2: a server that does not speak it is said not to") {
  const RawServer server([](int fd) {
    read_exactly(fd, 24);
    write_all(fd, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  const Ending ending = ask(server);
  INFO(ending.message);
  CHECK(ending.outcome != Outcome::ok);
  CHECK(ending.message.find(" (libcurl: ") != std::string::npos);
}
