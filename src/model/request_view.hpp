// The tokens and arrivals of one answer: what is known about its tokens and which events carried them
// (docs/metrics.md, "Token counts"), and its events split by choice index (n > 1): each choice has its own
// arrivals, gaps and speeds. Pure; a RequestView is for one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "infermeter/model/record.hpp"

namespace infermeter {

struct Figure;
enum class SpeedDoubt : std::uint8_t;

struct TokenCounts {
  bool counted = false;          // by the server; otherwise each event counts as one, and is called an event
  bool per_event_known = false;  // every m_j is known
  double generated = 0;          // N, with tokens that no event carried: what throughput counts
  double streamed = 0;           // N without those
  double carried = 0;            // Σ m_j, the N of tpot and tps: without a counted end token, too
  /// m_1 where the sizes of the other events are not known: counted by the server, or known because each
  /// event is one token.
  std::optional<double> first = {};
};

TokenCounts count_tokens(const RequestRecord& record);

/// m_j of event j, counted from 0: the known number, or the average N/k; where the first event is known to
/// differ from it, of the others an equal part of the rest.
double event_tokens(const RequestRecord& record, const TokenCounts& counts, std::size_t event);

/// n of n > 1: the number of choices that the events belong to.
std::size_t choice_count(const RequestRecord& record);

/// The arrival of each event is known (not so with --no-save-gaps).
bool has_arrivals(const RequestRecord& record);

struct ChoiceStream {
  std::vector<std::int64_t> arrivals_us;  // without kept gaps: the first and the last token only
  std::vector<double> tokens;             // of each arrival
  double total = 0;                       // Σ m_j of this choice
  bool whole = false;                     // every arrival is here
};

/// Fills `out` (whose capacity is reused) with the choices that have an event. Nothing for an answer without
/// a token.
void split_choices(const RequestRecord& record, const TokenCounts& counts, std::vector<ChoiceStream>& out);

/// One record at a time, with intermediate values that several of its figures need: computed at first use, in
/// memory that the next record reuses. The record must outlive the view.
class RequestView {
 public:
  void look_at(const RequestRecord& record);
  /// With a doubt that is known already: by all answers of a load, or by the record as it was.
  void look_at(const RequestRecord& record, SpeedDoubt doubt);
  const RequestRecord& record() const { return *record_; }
  const TokenCounts& counts();
  std::span<const ChoiceStream> streams();
  /// Why it has no speed.
  SpeedDoubt doubt();

 private:
  const RequestRecord* record_ = nullptr;
  bool counted_ = false, split_ = false, doubted_ = false;
  TokenCounts counts_;
  SpeedDoubt doubt_{};
  std::vector<ChoiceStream> streams_;
};

/// A figure of requests; of several choices that of the worst one. Nothing without a sample.
std::optional<double> worst_of(const Figure& figure, RequestView& request);

}  // namespace infermeter
