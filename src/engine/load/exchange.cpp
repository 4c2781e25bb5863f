#include "engine/load/exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.hpp"

namespace infermeter {
namespace {

// After a terminal event, how long to wait for the connection's end; then it is closed and flagged.
constexpr nanoseconds kGrace = 100ms;

// Whether the request belongs to the share, by a hash: the result does not depend on the number of workers.
bool drawn(std::uint64_t seed, std::uint64_t id, double share) {
  constexpr std::uint64_t kCancelStream = 0x63616e63656cULL;
  return static_cast<double>(mix64(mix64(seed ^ kCancelStream) + id) >> 11) * 0x1p-53 < share;
}

// The sum of the token counts that the server gave per event; the number of events if it gave none.
std::uint64_t tokens_so_far(const RequestRecord& record) {
  if (record.gap_tokens.size() != record.events) return record.events;
  return std::accumulate(record.gap_tokens.begin(), record.gap_tokens.end(), std::uint64_t{0});
}

}  // namespace

LoadGenerator::Exchange::Exchange(LoadGenerator& owner, const ClassTraffic& traffic, const Release& released,
                                  std::uint32_t max_tokens, std::uint64_t most_tokens, Secrets secrets,
                                  Instant started)
    : reader(
          *owner.parser_,
          [&] {
            StreamOptions options = traffic.stream;
            options.max_tokens = max_tokens;
            options.most_tokens = most_tokens;
            options.secrets = std::move(secrets);
            return options;
          }(),
          owner.plan_.origin, record),
      release(released),
      owner_(owner),
      traffic_(traffic),
      started_(started) {
  record.id = owner.id_of(release);
  record.point = owner.plan_.point;
  record.target = owner.plan_.target;
  record.worker = owner.worker_;
  record.phase = release.phase;
  record.traffic_class = traffic.traffic_class;
  record.intended_us = offset(release.intended);
  record.started_us = offset(started);
  to_cancel_ = traffic.cancel.any() && drawn(owner.plan_.seed, record.id, traffic.cancel.share);
  if (to_cancel_) record.flags.set(Flag::cancel_planned);
}

void LoadGenerator::Exchange::on_sent(Instant at, const ConnectionTimes& times) {
  if (sent_) record.flags.set(Flag::stale_retry);
  if (!sent_ && times.reused) record.flags.set(Flag::reused_connection);
  sent_ = at;
  if (!owner_.control_.reached) owner_.control_.reached = true;
  record.sent_us = offset(at);
  if (times.dns) record.dns_us = offset(*times.dns);
  if (times.connected) record.connected_us = offset(*times.connected);
  if (times.tls) record.tls_us = offset(*times.tls);
  if (to_cancel_ && traffic_.cancel.after) cancel_at_ = at + *traffic_.cancel.after;
  owner_.look_again_by(deadline().at);
}

void LoadGenerator::Exchange::on_uploaded(Instant at) { record.uploaded_us = offset(at); }

void LoadGenerator::Exchange::on_status(int status, Instant arrival) {
  if (copy) copy->on_status(status);
  reader.on_status(status, arrival);
}

void LoadGenerator::Exchange::on_header(std::string_view name, std::string_view value) {
  if (copy) copy->on_header(name, value);
  reader.on_header(name, value);
}

void LoadGenerator::Exchange::on_body(std::string_view bytes, const ReadStamp& stamp) {
  const std::uint32_t before = record.events;
  const auto last_before = reader.last_token();
  reader.on_body(bytes, stamp);
  if (copy) copy->on_body(bytes);
  last_bytes_ = stamp.arrival;
  if (record.events != before) count_events(before, last_before);
  if (to_cancel_ && traffic_.cancel.after_tokens > 0) note_cancel_by_tokens();
  if (reader.terminal_at() || reader.broken_off() || before == 0) owner_.look_again_by(deadline().at);
}

void LoadGenerator::Exchange::note_cancel_by_tokens() {
  if (cancel_at_ || tokens_so_far(record) < traffic_.cancel.after_tokens) return;
  cancel_at_ = last_bytes_;
  owner_.look_again_by(*cancel_at_);
}

void LoadGenerator::Exchange::count_events(std::uint32_t before, std::optional<Instant> last_before) {
  owner_.counters_.events.fetch_add(record.events - before, std::memory_order_relaxed);
  if (before == 0 && sent_) owner_.counters_.ttft.add(*reader.first_token() - *sent_);
  if (last_before) owner_.counters_.itl.add((*reader.last_token() - *last_before) / (record.events - before));
}

void LoadGenerator::Exchange::on_end(Outcome outcome, std::string_view message, Instant at) {
  reader.on_end(outcome, message, at);
  transport_end_ = at;
  owner_.ended_.push_back(this);
}

LoadGenerator::Exchange::Deadline LoadGenerator::Exchange::deadline() const {
  const Timeouts& timeouts = owner_.plan_.timeouts;
  if (const auto done = reader.terminal_at()) {
    return {*done + kGrace, Outcome::idle_timeout, "open after its terminal event"};
  }
  if (reader.broken_off() && last_bytes_) return {*last_bytes_, Outcome::protocol, "broke a bound"};
  Deadline first{started_ + timeouts.whole, Outcome::timeout, "--timeout"};
  const auto consider = [&](Instant at, Outcome outcome, const char* why) {
    if (at < first.at) first = {at, outcome, why};
  };
  if (reader.last_token()) {
    consider(*reader.last_token() + timeouts.gap, Outcome::idle_timeout, "--timeout-gap");
  } else if (sent_ && traffic_.stream.stream) {
    consider(*sent_ + timeouts.first_token, Outcome::first_token_timeout, "--timeout-first-token");
  }
  if (last_bytes_) consider(*last_bytes_ + timeouts.idle, Outcome::idle_timeout, "--timeout-idle");
  if (cancel_at_) consider(*cancel_at_, Outcome::cancelled, "--cancel-after");
  return first;
}

Instant LoadGenerator::Exchange::end() const {
  return owner_.plan_.origin + std::chrono::microseconds(record.end_us.value_or(0));
}

}  // namespace infermeter
