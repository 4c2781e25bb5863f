// The events of one answer, split by choice index (n > 1): each choice has its own arrivals, gaps and speeds.
// One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/token_counts.hpp"

namespace infermeter {

struct ChoiceStream {
  std::vector<std::int64_t> arrivals_us;  // without kept gaps: the first and the last token only
  std::vector<double> tokens;             // of each arrival
  double total = 0;                       // N of this choice, without tokens that no event carried
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
  const RequestRecord& record() const { return *record_; }
  const TokenCounts& counts();
  std::span<const ChoiceStream> streams();

 private:
  const RequestRecord* record_ = nullptr;
  bool counted_ = false, split_ = false;
  TokenCounts counts_;
  std::vector<ChoiceStream> streams_;
};

}  // namespace infermeter
