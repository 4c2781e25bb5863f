#include "model/request_view.hpp"

#include <algorithm>
#include <numeric>

namespace infermeter {

namespace {

void add_ends_only(const RequestRecord& record, const TokenCounts& counts, ChoiceStream& stream) {
  stream.arrivals_us.push_back(*record.first_token_us);
  stream.tokens.push_back(event_tokens(record, counts, 0));
  stream.total = counts.streamed;
  if (record.events < 2 || !record.last_token_us) return;
  stream.arrivals_us.push_back(*record.last_token_us);
  stream.tokens.push_back(counts.carried - stream.tokens.front());
}

void add_events(const RequestRecord& record, const TokenCounts& counts, std::vector<ChoiceStream>& out) {
  std::int64_t at = *record.first_token_us;
  const bool apart = record.event_choice.size() == record.events;
  for (std::size_t j = 0; j < record.events; ++j) {
    if (j > 0) at += record.gaps_us[j - 1];
    auto& stream = out[apart ? record.event_choice[j] : 0];
    stream.arrivals_us.push_back(at);
    stream.tokens.push_back(event_tokens(record, counts, j));
  }
}

/// Σ m_j and this choice's share of the tokens counted in addition (an end token each).
void add_totals(const TokenCounts& counts, std::vector<ChoiceStream>& out) {
  const double beyond = (counts.streamed - counts.carried) / static_cast<double>(out.size());
  for (auto& stream : out) {
    stream.whole = true;
    stream.total = std::accumulate(stream.tokens.begin(), stream.tokens.end(), beyond);
  }
  if (out.size() == 1) out.front().total = counts.streamed;
}

}  // namespace

void split_choices(const RequestRecord& record, const TokenCounts& counts, std::vector<ChoiceStream>& out) {
  const bool arrivals = has_arrivals(record);
  out.resize(arrivals ? choice_count(record) : 1);
  for (auto& stream : out) {
    stream.arrivals_us.clear();
    stream.tokens.clear();
    stream.whole = false;
  }
  if (arrivals) {
    add_events(record, counts, out);
    add_totals(counts, out);
  } else if (record.first_token_us && record.events > 0) {
    add_ends_only(record, counts, out.front());
  }
  std::erase_if(out, [](const ChoiceStream& stream) { return stream.arrivals_us.empty(); });
}

void RequestView::look_at(const RequestRecord& record) {
  record_ = &record;
  counted_ = split_ = false;
}

const TokenCounts& RequestView::counts() {
  if (!counted_) counts_ = count_tokens(*record_);
  counted_ = true;
  return counts_;
}

std::span<const ChoiceStream> RequestView::streams() {
  if (!split_) split_choices(*record_, counts(), streams_);
  split_ = true;
  return streams_;
}

}  // namespace infermeter
