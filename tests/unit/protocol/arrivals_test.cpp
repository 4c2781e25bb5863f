// Arrival times, shared reads, lateness: reads are delivered with the stamps that a loop would give them.
#include "catch.hpp"
#include "protocol/stream/stream_reader.hpp"
#include "stream_case.hpp"

using namespace infermeter;
using infermeter::test::kDone;
using namespace std::chrono_literals;
using std::chrono::microseconds;

namespace {

const std::string kRole = R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})"
                          "\n\n";
const std::string kToken = R"(data: {"choices":[{"index":0,"delta":{"content":"a"}}]})"
                           "\n\n";
const std::string kStop = R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
                          "\n\n";

std::string times(int n, const std::string& text) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

// A reader whose run began at 1 s, with stamps in microseconds after that.
class Reading {
 public:
  explicit Reading(StreamOptions options = {}) : reader_(*parser_, options, origin_, record) {
    reader_.on_status(200, at(5));
  }

  Instant at(std::int64_t us) const { return origin_ + microseconds(us); }

  ReadStamp stamp(std::int64_t us) {
    ReadStamp out;
    out.read_id = ++reads_;
    out.arrival = out.last_arrival = at(us);
    out.kernel = true;
    return out;
  }

  void read(std::int64_t us, const std::string& bytes) { reader_.on_body(bytes, stamp(us)); }
  void read(const ReadStamp& stamp, const std::string& bytes) { reader_.on_body(bytes, stamp); }
  void end(std::int64_t us, Outcome transport = Outcome::ok) { reader_.on_end(transport, "", at(us)); }
  StreamReader& reader() { return reader_; }

  RequestRecord record;

 private:
  ChunkParserPtr parser_ = make_chunk_parser();
  Instant origin_ = Instant(1s);
  StreamReader reader_;
  std::uint64_t reads_ = 0;
};

using Gaps = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("arrivals: each instant of a stream is that of its read") {
  Reading r;
  r.read(10, ": ping\n\n");
  r.read(20, kRole);
  r.read(300, kToken);
  r.read(400, kToken);
  r.read(550, kToken + kStop);
  r.read(600, kDone);
  r.end(9000);
  CHECK(r.record.headers_us == 5);
  CHECK(r.record.first_byte_us == 10);
  CHECK(r.record.first_event_us == 20);
  CHECK(r.record.first_token_us == 300);
  CHECK(r.record.first_output_us == 300);
  CHECK(r.record.last_token_us == 550);
  CHECK(r.record.end_us == 600);
  CHECK(r.record.gaps_us == Gaps{100, 150});
  CHECK(r.record.packed == 0);
  CHECK(r.record.late == 0);
  CHECK(r.record.reads == 6);
}

TEST_CASE("arrivals: gaps are differences of rounded offsets and add up") {
  Reading r;
  auto stamp = r.stamp(0);
  for (int i = 0; i < 10; ++i) {
    ++stamp.read_id;
    stamp.arrival += 1500ns;
    r.read(stamp, kToken);
  }
  std::int64_t sum = 0;
  for (const auto gap : r.record.gaps_us) sum += gap;
  CHECK(r.record.gaps_us.size() == 9);
  CHECK(sum == *r.record.last_token_us - *r.record.first_token_us);
}

TEST_CASE("arrivals: an event over three reads arrives with the last of them") {
  Reading r;
  r.read(10, kToken.substr(0, 9));
  r.read(20, kToken.substr(9, 20));
  r.read(30, kToken.substr(29));
  CHECK(r.record.first_token_us == 30);
  CHECK(r.record.packed == 0);
}

TEST_CASE("arrivals: tokens that share a read of a prompt client are packed, the first of them too") {
  Reading r;
  r.read(10, kRole + kToken);
  r.read(20, times(3, kToken));
  r.read(30, kToken + kStop + kDone);
  r.end(30);
  CHECK(r.record.events == 5);
  CHECK(r.record.packed == 3);
  CHECK(r.record.late == 0);
  CHECK(r.record.flags.has(Flag::packed));
  CHECK_FALSE(r.record.flags.has(Flag::late));
}

TEST_CASE("arrivals: several callbacks of one read are one read") {
  Reading r;
  const auto stamp = r.stamp(10);
  r.read(stamp, kToken);
  r.read(stamp, kToken);
  CHECK(r.record.reads == 1);
  CHECK(r.record.packed == 2);
  CHECK(r.record.gaps_us == Gaps{0});
}

TEST_CASE("arrivals: a token that shares a late read with any event is late") {
  Reading r;
  auto stamp = r.stamp(10);
  stamp.lag = 1ms;
  r.read(stamp, kToken + kStop);
  stamp = r.stamp(5000);
  stamp.lag = 2ms;
  r.read(stamp, kToken);
  r.end(6000);
  CHECK(r.record.late == 1);
  CHECK(r.record.packed == 0);
  CHECK(r.record.flags.has(Flag::late));
}

TEST_CASE("arrivals: in a read after a late turn all but the first event take the last arrival") {
  Reading r;
  auto stamp = r.stamp(1000);
  stamp.last_arrival = r.at(4000);
  stamp.loop_delay = 3ms;
  r.read(stamp, times(3, kToken));
  r.end(9000);
  CHECK(r.record.first_token_us == 1000);
  CHECK(r.record.gaps_us == Gaps{3000, 0});
  CHECK(r.record.late == 3);
  CHECK(r.record.loop_delay_max_us == 3000);
}

TEST_CASE("arrivals: a comment is no event, the token after it has the first arrival") {
  Reading r;
  auto stamp = r.stamp(1000);
  stamp.last_arrival = r.at(4000);
  stamp.loop_delay = 3ms;
  r.read(stamp, ": ping\n\n" + kToken);
  CHECK(r.record.first_token_us == 1000);
  CHECK(r.record.late == 0);
}

TEST_CASE("arrivals: with the user's clock only the turn makes a read late") {
  Reading r;
  auto stamp = r.stamp(10);
  stamp.kernel = false;
  stamp.lag = 5ms;
  r.read(stamp, times(2, kToken));
  CHECK(r.record.packed == 2);
  stamp.read_id += 1;
  stamp.loop_delay = 1ms;
  r.read(stamp, times(2, kToken));
  r.end(100);
  CHECK(r.record.late == 2);
  CHECK(r.record.lag_max_us == 0);
  CHECK(r.record.unstamped_reads == 2);
  CHECK_FALSE(r.record.flags.has(Flag::unstamped));
}

TEST_CASE("arrivals: reads without a stamp among stamped ones are flagged") {
  Reading r;
  r.read(10, kToken);
  auto stamp = r.stamp(20);
  stamp.kernel = false;
  r.read(stamp, kToken);
  r.end(30);
  CHECK(r.record.flags.has(Flag::unstamped));
  CHECK(r.record.unstamped_reads == 1);
}

TEST_CASE("arrivals: lag is kept once a read, the larger of turn and lag") {
  Reading r;
  auto stamp = r.stamp(10);
  stamp.lag = 100us;
  stamp.loop_delay = 40us;
  r.read(stamp, kToken);
  stamp.lag = 900us;  // a later callback of the same read
  r.read(stamp, kRole);
  CHECK(r.record.lags.total() == 1);
  CHECK(r.record.lags.quantile_us(1) == Approx(100).epsilon(0.2));
  CHECK(r.record.lag_max_us == 100);
  CHECK(r.record.loop_delay_max_us == 40);
}

TEST_CASE("arrivals: twenty tokens of which over 90 percent came in one read are a buffered stream") {
  Reading buffered;
  buffered.read(10, times(2, kToken));
  buffered.read(20, times(19, kToken) + kStop + kDone);
  buffered.end(20);
  CHECK(buffered.record.flags.has(Flag::buffered_stream));
  Reading streamed;
  streamed.read(10, times(2, kToken));
  streamed.read(20, times(18, kToken) + kStop + kDone);
  streamed.end(20);
  CHECK_FALSE(streamed.record.flags.has(Flag::buffered_stream));
}

TEST_CASE("arrivals: few tokens in one read are no buffered stream") {
  Reading r;
  r.read(10, times(19, kToken) + kStop + kDone);
  r.end(20);
  CHECK_FALSE(r.record.flags.has(Flag::buffered_stream));
}

TEST_CASE("arrivals: tokens that a late client found together are no buffered stream") {
  Reading r;
  auto stamp = r.stamp(10);
  stamp.loop_delay = 20ms;
  r.read(stamp, times(30, kToken) + kStop + kDone);
  r.end(20);
  CHECK_FALSE(r.record.flags.has(Flag::buffered_stream));
  CHECK(r.record.late == 30);
}

TEST_CASE("arrivals: two choices of one event did not share a read") {
  Reading r;
  r.read(10, R"(data: {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]})"
             "\n\n");
  CHECK(r.record.events == 2);
  CHECK(r.record.packed == 0);
  CHECK(r.record.gaps_us == Gaps{0});
  r.read(20,
         kToken +
             R"(data: {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]})"
             "\n\n");
  CHECK(r.record.packed == 3);
}

TEST_CASE("arrivals: a stamp before that of the event ahead is not believed") {
  Reading r;
  r.read(100, kToken);
  r.read(90, kToken);
  CHECK(r.record.gaps_us == Gaps{0});
  CHECK(r.record.last_token_us == 100);
}

TEST_CASE("arrivals: without saved gaps the instants and counts are the same") {
  StreamOptions options;
  options.save_gaps = false;
  Reading r(options);
  r.read(10, kToken);
  r.read(30, kToken + kStop + kDone);
  r.end(40);
  CHECK(r.record.gaps_us.empty());
  CHECK(r.record.events == 2);
  CHECK(r.record.first_token_us == 10);
  CHECK(r.record.last_token_us == 30);
}

TEST_CASE("arrivals: the load generator sees the first and the latest token and the end") {
  Reading r;
  CHECK_FALSE(r.reader().first_token().has_value());
  r.read(10, kRole);
  CHECK_FALSE(r.reader().first_token().has_value());
  r.read(20, kToken);
  r.read(30, kToken);
  CHECK(r.reader().first_token() == r.at(20));
  CHECK(r.reader().last_token() == r.at(30));
  CHECK_FALSE(r.reader().terminal_at().has_value());
  r.read(40, kStop + kDone);
  CHECK(r.reader().terminal_at().has_value());
}

TEST_CASE("arrivals: what the transport learns of a read by its second callback holds for its second event") {
  Reading r;
  ReadStamp stamp = r.stamp(300);
  r.read(stamp, kToken);
  stamp.last_arrival = r.at(15'300);  // libcurl had read on in the same action
  r.read(stamp, kToken + kStop + kDone);
  r.end(20'000);
  CHECK(r.record.first_token_us == 300);
  CHECK(r.record.last_token_us == 15'300);
  CHECK(r.record.gaps_us == Gaps{15'000});
}

namespace {

using Early = std::vector<EarlyArrival>;

/// A stamp of bytes that may have arrived from `from_us` on.
ReadStamp uncertain(Reading& r, std::int64_t from_us, std::int64_t us) {
  ReadStamp stamp = r.stamp(us);
  stamp.earliest = r.at(from_us);
  return stamp;
}

}  // namespace

TEST_CASE("arrivals: an event alone in its read is exact and events that share one are not") {
  Reading r;
  r.read(20, kRole);
  auto alone = uncertain(r, 50, 300);
  alone.exact = true;
  r.read(alone, kToken);
  auto shared = uncertain(r, 310, 400);
  shared.exact = true;  // of the last bytes
  r.read(shared, kToken + kToken);
  r.read(uncertain(r, 410, 500), kToken);
  r.end(9000);
  CHECK(r.record.early_us == Early{{1, 90}, {2, 90}, {3, 90}});
}

TEST_CASE("arrivals: pieces of one read that the kernel kept apart are exact each") {
  Reading r;
  auto stamp = uncertain(r, 50, 300);
  stamp.exact = true;
  r.read(stamp, kToken);
  stamp.arrival = stamp.last_arrival = r.at(400);
  r.read(stamp, kToken);
  stamp.arrival = stamp.last_arrival = r.at(550);
  stamp.exact = false;
  stamp.earliest = r.at(400);
  r.read(stamp, kToken);
  r.end(9000);
  CHECK(r.record.gaps_us == Gaps{100, 150});
  CHECK(r.record.early_us == Early{{2, 150}});
  CHECK(r.record.reads == 1);
}

TEST_CASE("arrivals: without kept gaps the first and the last event tell how early they can have come") {
  Reading r({.save_gaps = false});
  r.read(uncertain(r, 250, 300), kToken);
  r.read(uncertain(r, 320, 400), kToken);
  r.read(uncertain(r, 440, 500), kToken);
  r.end(9000);
  CHECK(r.record.early_us == Early{{0, 50}, {2, 60}});
  Reading exact({.save_gaps = false});
  exact.read(uncertain(exact, 250, 300), kToken);
  exact.read(uncertain(exact, 320, 400), kToken);
  exact.read(500, kToken);
  exact.end(9000);
  CHECK(exact.record.early_us == Early{{0, 50}});
}

TEST_CASE("arrivals: the end of a stream is as uncertain as its last event") {
  Reading r;
  r.read(300, kToken + kStop);
  r.read(uncertain(r, 520, 600), kDone);
  r.end(9000);
  CHECK(r.record.end_us == 600);
  CHECK(r.record.end_early_us == 80);
}

TEST_CASE("arrivals: an event that the next one ends is as uncertain as its own read") {
  Reading r;
  const std::string open_event = kToken.substr(0, kToken.size() - 1);
  r.read(uncertain(r, 250, 300), open_event);
  r.read(uncertain(r, 950, 1000), kToken);
  r.end(9000);
  REQUIRE(r.record.early_us);
  CHECK(r.record.first_token_us == 300);
  CHECK(r.record.early_us->front() == EarlyArrival{0, 50});
}

TEST_CASE("arrivals: a response without a read tells no bounds") {
  Reading r;
  r.end(9000, Outcome::timeout);
  CHECK_FALSE(r.record.early_us);
}
