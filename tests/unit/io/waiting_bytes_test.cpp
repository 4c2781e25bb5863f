#include "io/http/waiting_bytes.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kEvent = 9;  // bytes of one
const Instant kT0{1s};

/// The kernel's queue: segments of one event each, some of them merged under the stamp of the last one.
struct Queue {
  struct Block {
    std::size_t events;
    Instant stamp;
  };
  std::vector<Block> blocks;

  std::optional<Instant> at(std::size_t length) const {
    std::size_t end = 0;
    for (const auto& block : blocks) {
      end += block.events * kEvent;
      if (length <= end) return block.stamp;
    }
    return std::nullopt;
  }
  void merge(Instant stamp) {
    ++blocks.back().events;
    blocks.back().stamp = stamp;
  }
};

std::string events(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "data: a\n\n";
  return text;
}

std::vector<bool> exact_events(WaitingBytes& waiting, std::size_t count) {
  std::vector<bool> out;
  const auto text = events(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto piece = waiting.next(std::string_view(text).substr(i * kEvent));
    out.push_back(piece.bytes == kEvent && piece.mark->exact && piece.mark->earliest <= piece.mark->arrival);
  }
  return out;
}

}  // namespace

TEST_CASE("waiting bytes: the last event of each merged segment has its own stamp") {
  const Queue queue{{{2, kT0 + 20ms}, {2, kT0 + 40ms}}};
  WaitingBytes waiting(4096);
  waiting.hold(events(4), kT0 + 40ms);
  waiting.mark(kT0, 4, [&](std::size_t length) { return queue.at(length); });
  CHECK(exact_events(waiting, 4) == std::vector{false, true, false, true});
}

TEST_CASE("waiting bytes: as many stamps as segments make every event exact") {
  const Queue queue{{{1, kT0 + 10ms}, {1, kT0 + 20ms}, {1, kT0 + 30ms}}};
  WaitingBytes waiting(4096);
  waiting.hold(events(3), kT0 + 30ms);
  waiting.mark(kT0, 3, [&](std::size_t length) { return queue.at(length); });
  CHECK(exact_events(waiting, 3) == std::vector{true, true, true});
}

// Recorded up to 279 ms late as exact, beside busy loops.
TEST_CASE("waiting bytes: a segment merged between two questions makes no event exact") {
  for (int arrives_at = 1; arrives_at <= 8; ++arrives_at) {
    Queue queue{{{5, kT0 + 50ms}}};
    WaitingBytes waiting(4096);
    waiting.hold(events(5), kT0 + 50ms);
    int question = 0;
    waiting.mark(kT0, 5, [&](std::size_t length) {
      if (++question == arrives_at) queue.merge(kT0 + 60ms);
      return queue.at(length);
    });
    INFO("before question " << arrives_at);
    CHECK(exact_events(waiting, 5) == std::vector{false, false, false, false, true});
  }
}

TEST_CASE("waiting bytes: stamps of segments that came after the peek are not counted") {
  Queue queue{{{2, kT0 + 20ms}}};
  WaitingBytes waiting(4096);
  waiting.hold(events(2), kT0 + 20ms);
  int question = 0;
  waiting.mark(kT0, 2, [&](std::size_t length) {
    if (++question == 2) queue.merge(kT0 + 30ms);
    return queue.at(length);
  });
  CHECK(exact_events(waiting, 2) == std::vector{false, true});
}
