// One request in flight: takes the transport's calls into its record. Part of the load generator.
#pragma once

#include <algorithm>
#include <memory>

#include "engine/load/answer_copy.hpp"
#include "engine/load/load_generator.hpp"

namespace infermeter {

class LoadGenerator::Exchange final : public ResponseSink {
 public:
  Exchange(LoadGenerator& owner, const ClassTraffic& traffic, const Release& release,
           std::uint32_t max_tokens, std::uint64_t most_tokens, Secrets secrets, Instant started);

  void on_sent(Instant at, const ConnectionTimes& times) override;
  void on_uploaded(Instant at) override;
  void on_status(int status, Instant arrival) override;
  void on_header(std::string_view name, std::string_view value) override;
  void on_body(std::string_view bytes, const ReadStamp& stamp) override;
  void on_end(Outcome outcome, std::string_view message, Instant at) override;

  /// The next timeout to expire, and when.
  struct Deadline {
    Instant at;
    Outcome outcome;
    const char* why;
  };
  Deadline deadline() const;
  /// The time of its end: of the terminal event, or of the transport's end.
  Instant end() const;
  /// The slot is free: bytes after the terminal event are still the server's.
  Instant slot_free() const { return std::max(end(), transport_end_.value_or(end())); }

  RequestRecord record;
  StreamReader reader;
  TransferId transfer = 0;
  Release release;
  Transcript said;                   // the new messages of a conversation's turn
  RequestUse most;                   // reserved in the budget
  std::size_t position = 0;          // index in the generator's list
  std::unique_ptr<AnswerCopy> copy;  // for the log; null: none

 private:
  Micros offset(Instant at) const { return micros_between(owner_.plan_.origin, at); }
  void count_events(std::uint32_t before, std::optional<Instant> last_before);
  void note_cancel_by_tokens();

  LoadGenerator& owner_;
  const ClassTraffic& traffic_;
  Instant started_;
  std::optional<Instant> sent_;
  std::optional<Instant> last_bytes_;
  std::optional<Instant> transport_end_;
  bool to_cancel_ = false;
  std::optional<Instant> cancel_at_;
};

}  // namespace infermeter
