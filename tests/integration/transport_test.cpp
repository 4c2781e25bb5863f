#include <sys/resource.h>

#include <filesystem>
#include <mutex>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "io/http/curl_transport.hpp"
#include "protocol/stream/stream_reader.hpp"
#include "raw_server.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

namespace {

const std::string kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kLast = "0\r\n\r\n";

std::string chunk(const std::string& data) {
  char size[32];
  std::snprintf(size, sizeof(size), "%zx\r\n", data.size());
  return size + data + "\r\n";
}
std::string event(int i) {
  return chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"t" + std::to_string(i) +
               "\"}}]}\n\n");
}
const std::string kFinish = chunk(
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}],\"usage\":{\"completion_tokens\":"
    "5}}\n\n"
    "data: [DONE]\n\n");

// The calls to a transfer's sink, and the record that a stream reader made of them.
class Exchange final : public ResponseSink {
 public:
  Exchange() : parser_(make_chunk_parser()), reader_(*parser_, {.max_tokens = 64}, now(), record) {}
  void on_sent(Instant at, const ConnectionTimes& times) override {
    sent.push_back(at);
    connection = times;
  }
  void on_uploaded(Instant at) override { uploaded = at; }
  void on_status(int status, Instant arrival) override { reader_.on_status(status, arrival); }
  void on_header(std::string_view name, std::string_view value) override { reader_.on_header(name, value); }
  void on_body(std::string_view bytes, const ReadStamp& stamp) override {
    const auto before = record.events;
    reader_.on_body(bytes, stamp);
    stamps.push_back(stamp);
    for (auto i = before; i < record.events; ++i) arrivals.push_back(*reader_.last_token());
    handed_out.resize(arrivals.size(), now());
  }
  void on_end(Outcome outcome, std::string_view message, Instant at) override {
    reader_.on_end(outcome, message, at);
    ended = true;
  }
  // Polls until the end, 20 s at most.
  Outcome wait(Transport& transport) {
    const Instant limit = now() + 20s;
    while (!ended && now() < limit) transport.poll(now() + 100ms);
    return record.outcome;
  }

  RequestRecord record;
  std::vector<Instant> sent, arrivals, handed_out;  // of each event: when it came, and when we were told
  std::optional<Instant> uploaded;
  ConnectionTimes connection;
  std::vector<ReadStamp> stamps;
  bool ended = false;

 private:
  ChunkParserPtr parser_;
  StreamReader reader_;
};

TransportOptions options_for(const std::string& url) {
  return {.target = {.url = url}, .headers = {"Content-Type: application/json", "Expect:"}};
}

void begin(Transport& transport, const RawServer& server, Exchange& exchange) {
  transport.start({.url = server.url(), .body = "{}", .request_id = "run-1"}, exchange, now());
}

/// Answers each request with five events in one write.
void five_events_at_once(int fd) {
  std::string five;
  for (int i = 0; i < 5; ++i) five += event(i);
  while (!read_request(fd).empty()) {
    std::this_thread::sleep_for(5ms);
    write_all(fd, kHead + five + kFinish + kLast);
  }
}

}  // namespace

TEST_CASE("transport: no arrival is stamped before it was sent and each is stamped by the kernel") {
  std::mutex mutex;
  std::vector<Instant> written;  // by the server's thread, hence the mutex
  RawServer server([&](int fd) {
    while (!read_request(fd).empty()) {
      write_all(fd, kHead);
      const std::lock_guard lock(mutex);
      written.clear();
      for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(5ms);
        written.push_back(now());
        write_all(fd, event(i));
      }
      write_all(fd, kFinish + kLast);
    }
  });
  CurlTransport transport(options_for(server.url()));
  Exchange first, exchange;
  // The kernel begins to stamp a moment after the machine's first socket has asked for it.
  begin(transport, server, first);
  REQUIRE(first.wait(transport) == Outcome::ok);
  begin(transport, server, exchange);
  REQUIRE(exchange.wait(transport) == Outcome::ok);
  REQUIRE(exchange.arrivals.size() == 20);
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(exchange.arrivals[i] >= written[i] - 5us);  // the real-time offset is sampled, to well under 1 µs
    CHECK(exchange.arrivals[i] <= exchange.handed_out[i]);
  }
  CHECK(exchange.record.unstamped_reads == 0);
  CHECK(*exchange.uploaded >= exchange.sent.front());
}

TEST_CASE("transport: a client stalled on purpose marks all its shared reads late") {
  std::atomic<bool> stalled{false}, written{false};
  const auto wait_for = [](const std::atomic<bool>& flag) {
    for (int i = 0; i < 10'000 && !flag; ++i) std::this_thread::sleep_for(1ms);
  };
  RawServer server([&](int fd) {
    read_request(fd);
    write_all(fd, kHead + event(0));
    wait_for(stalled);
    for (int i = 1; i < 6; ++i) {
      write_all(fd, event(i));
      std::this_thread::sleep_for(2ms);
    }
    write_all(fd, kFinish + kLast);
    written = true;
    read_request(fd);
  });
  CurlTransport transport(options_for(server.url()));
  Exchange exchange;
  begin(transport, server, exchange);
  const Instant limit = now() + 20s;
  while (exchange.record.events == 0 && now() < limit) transport.poll(now() + 10ms);
  const std::uint32_t late_before =
      exchange.record.late;  // a busy machine may be late with the first event alone
  stalled = true;
  wait_for(written);  // the stall: five events come in meanwhile
  REQUIRE(exchange.wait(transport) == Outcome::ok);
  CHECK(exchange.record.late - late_before == 5);
  CHECK(exchange.record.packed == 0);
}

TEST_CASE("transport: five events written at once to a prompt client are all packed") {
  RawServer server(five_events_at_once);
  CurlTransport transport(options_for(server.url()));
  int all_packed = 0;
  for (int i = 0; i < 50; ++i) {
    Exchange exchange;
    begin(transport, server, exchange);
    REQUIRE(exchange.wait(transport) == Outcome::ok);
    const auto& gaps = exchange.record.gaps_us;
    REQUIRE(gaps.size() == 4);
    const bool one_read = std::ranges::all_of(gaps, [](auto gap) { return gap == 0; });
    const auto marked = exchange.record.packed + exchange.record.late;
    CHECK(marked >= (one_read ? 5 : 4));  // TCP may cut an answer in two reads: one event is then alone
    all_packed += exchange.record.packed == 5 ? 1 : 0;
  }
  CHECK(all_packed >= 1);
}

namespace {

/// When an event was written: the clock before and after.
struct Written {
  Instant before, after;
};

/// Writes events one by one and keeps when; joins them with what a client recorded.
class Truth {
 public:
  void write(int fd, const std::string& text) {
    const Instant before = now();
    write_all(fd, text);
    const std::lock_guard lock(mutex_);
    written_.push_back({before, now()});
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    written_.clear();
  }
  /// How many events were written outside the bounds that the client gives for their arrival.
  std::size_t outside(const Exchange& exchange) {
    const std::lock_guard lock(mutex_);
    REQUIRE(exchange.arrivals.size() == written_.size());
    REQUIRE(exchange.record.early_us);
    std::size_t count = 0;
    for (std::size_t i = 0; i < written_.size(); ++i) {
      const Instant latest = exchange.arrivals[i], earliest = latest - early(exchange.record, i);
      const bool inside = latest >= written_[i].before - 5us && earliest <= written_[i].after + 5us;
      if (!inside) ++count;
    }
    return count;
  }

 private:
  static nanoseconds early(const RequestRecord& record, std::size_t event) {
    for (const auto& one : *record.early_us) {
      if (one.event == event) return std::chrono::microseconds(one.by_us);
    }
    return nanoseconds(0);
  }
  std::mutex mutex_;
  std::vector<Written> written_;
};

}  // namespace

TEST_CASE("transport: events that waited for a stalled client arrived within the bounds that it gives") {
  std::atomic<bool> stalled{false}, written{false};
  const auto wait_for = [](const std::atomic<bool>& flag) {
    for (int i = 0; i < 10'000 && !flag; ++i) std::this_thread::sleep_for(1ms);
  };
  Truth truth;
  RawServer server([&](int fd) {
    read_request(fd);
    write_all(fd, kHead);
    truth.write(fd, event(0));
    wait_for(stalled);
    for (int i = 1; i < 12; ++i) {
      truth.write(fd, event(i) + (i % 3 == 0 ? chunk(": ping\n\n") : ""));
      std::this_thread::sleep_for(2ms);
    }
    write_all(fd, kFinish + kLast);
    written = true;
    read_request(fd);
  });
  CurlTransport transport(options_for(server.url()));
  Exchange exchange;
  begin(transport, server, exchange);
  const Instant limit = now() + 20s;
  while (exchange.record.events == 0 && now() < limit) transport.poll(now() + 10ms);
  stalled = true;
  wait_for(written);
  REQUIRE(exchange.wait(transport) == Outcome::ok);
  CHECK(truth.outside(exchange) == 0);
  CHECK(exchange.record.gaps_us.size() == 11);
}

TEST_CASE("transport: with the user clock and on a unix socket each event arrived within its bounds") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("infermeter-truth-" + std::to_string(getpid()) + ".sock"))
          .string();
  for (const bool over_unix : {false, true}) {
    Truth truth;
    RawServer server(
        [&](int fd) {
          while (!read_request(fd).empty()) {
            truth.clear();
            write_all(fd, kHead);
            for (int i = 0; i < 20; ++i) {
              std::this_thread::sleep_for(2ms);
              truth.write(fd, event(i));
            }
            write_all(fd, kFinish + kLast);
          }
        },
        over_unix ? path : std::string());
    auto given = options_for(over_unix ? "http://localhost/v1/chat/completions" : server.url());
    if (over_unix) given.target.unix_socket = path;
    given.kernel_timestamps = over_unix;
    CurlTransport transport(given);
    for (int request = 0; request < 2; ++request) {
      Exchange exchange;
      transport.start({.url = given.target.url, .body = "{}", .request_id = {}}, exchange, now());
      REQUIRE(exchange.wait(transport) == Outcome::ok);
      CHECK(truth.outside(exchange) <= 1);            // of 20; the sender may lose its core beside the clock
      CHECK(exchange.record.early_us->size() == 20);  // none is exact
      const auto& last = exchange.record.early_us->back();
      CHECK(exchange.arrivals.back() - std::chrono::microseconds(last.by_us) > exchange.sent.front());
    }
  }
  std::filesystem::remove(path);
}

TEST_CASE("transport: events of one segment are exact") {
  RawServer server(five_events_at_once);
  CurlTransport transport(options_for(server.url()));
  int all_exact = 0;
  for (int i = 0; i < 50; ++i) {
    Exchange exchange;
    begin(transport, server, exchange);
    REQUIRE(exchange.wait(transport) == Outcome::ok);
    const auto& early = exchange.record.early_us;
    all_exact += early && early->empty() && exchange.record.end_early_us == 0 ? 1 : 0;
  }
  CHECK(all_exact >= 1);  // TCP may cut an answer in two
}

TEST_CASE("transport: a kept connection is used again and a fresh one on request") {
  const auto answer_twice = [](int fd) {
    while (!read_request(fd).empty()) write_all(fd, kHead + event(0) + kFinish + kLast);
  };
  for (const bool fresh : {false, true}) {
    RawServer server(answer_twice);
    auto given = options_for(server.url());
    given.target.fresh_connections = fresh;
    CurlTransport transport(given);
    for (int i = 0; i < 3; ++i) {
      Exchange exchange;
      begin(transport, server, exchange);
      REQUIRE(exchange.wait(transport) == Outcome::ok);
      CHECK(exchange.connection.reused == (!fresh && i > 0));
      CHECK(exchange.connection.connected.has_value() == (fresh || i == 0));
    }
    CHECK(server.accepted() == (fresh ? 3 : 1));
  }
}

TEST_CASE("transport: a kept connection that died before the first byte is tried once more on a fresh one") {
  std::atomic<int> requests{0};
  RawServer server([&](int fd) {
    while (!read_request(fd).empty()) {
      if (++requests == 2) return close_with_reset(fd);
      write_all(fd, kHead + event(0) + kFinish + kLast);
    }
  });
  CurlTransport transport(options_for(server.url()));
  Exchange first, second;
  begin(transport, server, first);
  REQUIRE(first.wait(transport) == Outcome::ok);
  begin(transport, server, second);
  CHECK(second.wait(transport) == Outcome::ok);
  CHECK(second.sent.size() == 2);
}

TEST_CASE("transport: a reset in the stream is truncated and a closed port is connect") {
  RawServer server([](int fd) {
    read_request(fd);
    write_all(fd, kHead + event(0));
    std::this_thread::sleep_for(20ms);
    close_with_reset(fd);
  });
  CurlTransport transport(options_for(server.url()));
  Exchange cut;
  begin(transport, server, cut);
  CHECK(cut.wait(transport) == Outcome::truncated);
  CHECK(cut.record.events == 1);

  Exchange refused;
  transport.start({.url = "http://127.0.0.1:1/v1/chat/completions", .body = "{}", .request_id = {}}, refused,
                  now());
  CHECK(refused.wait(transport) == Outcome::connect);
}

TEST_CASE("transport: a head without end is given up as no answer, and not held") {
  const std::string line = "X-Line: " + std::string(1000, 'a') + "\r\n", ok = "HTTP/1.1 200 OK\r\n";
  const auto [first, piece, words] = GENERATE_COPY(table<std::string, std::string, std::string>(
      {{ok, line, "the answer's head is longer than"},
       {ok + "X-Line: ", std::string(1000, 'a'), "a line of the answer's head is too long"},
       {"", "HTTP/1.1 103 Early Hints\r\n" + line + "\r\n", "the answer's head is longer than"},
       {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", line, "the answer's head is longer than"}}));
  std::atomic<std::size_t> written{0};
  const RawServer server([&, first = first, piece = piece](int fd) {
    read_request(fd);
    write_all(fd, first);
    for (std::size_t i = 0; i < 64 * 1024; ++i) {
      if (::send(fd, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
      written += piece.size();
    }
  });
  CurlTransport transport(options_for(server.url()));
  Exchange exchange;
  begin(transport, server, exchange);
  CHECK(exchange.wait(transport) == Outcome::protocol);
  CHECK(exchange.record.error.starts_with(words));
  CHECK(written < 32u << 20);
}

namespace {

/// No descriptor is left while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

#ifndef INFERMETER_SANITIZED  // the sanitizer of undefined behaviour needs descriptors of its own
TEST_CASE("transport: a socket that this process may not open is no failure of the server") {
  RawServer server([](int fd) {
    read_request(fd);
    write_all(fd, kHead + event(0) + kFinish + kLast);
  });
  CurlTransport transport(options_for(server.url()));
  Exchange limited, served;
  {
    const NoDescriptors none;
    begin(transport, server, limited);
    CHECK(limited.wait(transport) == Outcome::client_limit);
  }
  CHECK(limited.sent.empty());
  CHECK(limited.record.error.find("no file descriptor is left: this process may open ") == 0);
  begin(transport, server, served);
  CHECK(served.wait(transport) == Outcome::ok);
}

TEST_CASE("transport: a transport that cannot be created names the limit") {
  const auto options = options_for("http://127.0.0.1:1/v1/chat/completions");
  std::string words;
  {
    const NoDescriptors none;
    try {
      CurlTransport transport(options);
    } catch (const EnvironmentError& error) {
      words = error.what();
    }
  }
  CHECK(words.find("ulimit -n") != std::string::npos);
}
#endif

TEST_CASE("transport: a unix socket works and its reads say that the kernel gave no stamp") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("infermeter-" + std::to_string(getpid()) + ".sock"))
          .string();
  RawServer server(
      [](int fd) {
        while (!read_request(fd).empty()) write_all(fd, kHead + event(0) + kFinish + kLast);
      },
      path);
  auto given = options_for("http://localhost/v1/chat/completions");
  given.target.unix_socket = path;
  CurlTransport transport(given);
  Exchange exchange;
  transport.start({.url = given.target.url, .body = "{}", .request_id = {}}, exchange, now());
  CHECK(exchange.wait(transport) == Outcome::ok);
  REQUIRE_FALSE(exchange.stamps.empty());
  CHECK_FALSE(exchange.stamps.front().kernel);
  CHECK(exchange.record.unstamped_reads == exchange.record.reads);
  std::filesystem::remove(path);
}

TEST_CASE("transport: a cancelled transfer closes its connection and says nothing more") {
  std::atomic<bool> closed{false};
  RawServer server([&](int fd) {
    read_request(fd);
    write_all(fd, kHead + event(0));
    closed = read_request(fd).empty();
  });
  CurlTransport transport(options_for(server.url()));
  Exchange exchange;
  const TransferId id =
      transport.start({.url = server.url(), .body = "{}", .request_id = {}}, exchange, now());
  const Instant limit = now() + 20s;
  while (exchange.record.events == 0 && now() < limit) transport.poll(now() + 10ms);
  transport.cancel(id);
  while (!closed && now() < limit) transport.poll(now() + 10ms);
  CHECK(closed);
  CHECK_FALSE(exchange.ended);
}

TEST_CASE("transport: a certificate file that is missing is refused by option and name") {
  auto given = options_for("https://127.0.0.1:1/");
  given.target.ca_file = "/nonexistent/ca.pem";
  CHECK_THROWS_WITH(CurlTransport(given),
                    "--cacert: '/nonexistent/ca.pem' cannot be read: No such file or directory");
}

TEST_CASE("transport: the answer to a request on a kept connection is never stamped before the request") {
  RawServer server([](int fd) {
    while (!read_request(fd).empty()) write_all(fd, kHead + event(0) + kFinish + kLast);
  });
  CurlTransport transport(options_for(server.url()));
  for (int i = 0; i < 200; ++i) {
    Exchange exchange;
    begin(transport, server, exchange);
    REQUIRE(exchange.wait(transport) == Outcome::ok);
    CHECK(exchange.arrivals.front() >= exchange.sent.front() - 5us);
  }
}
