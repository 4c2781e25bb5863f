#include "analysis/figures/speed_evidence.hpp"

#include <algorithm>

#include "analysis/statistics/least_squares.hpp"

namespace infermeter {

namespace {

constexpr std::size_t kFewestAnswers = 20;
constexpr std::uint32_t kFewestTokens = 8;  // shorter answers show no rhythm
constexpr double kLengths = 2;              // the longest answer has so many times the tokens of the shortest
// Longer prompts may have longer answers, so that an honest TTFT grows with these too, by far less. Half of
// the time of a token is more than that.
constexpr double kGrowsToo = 0.5;

/// TTFT and the time from the first to the last token, by tokens.
struct Times {
  std::vector<WeightedPoint> first, stream;
};

bool is_told(const RequestRecord& record) {
  return record.outcome == Outcome::ok && record.sent_us && record.first_token_us && record.last_token_us &&
         record.events >= kFewestTokens && !record.unstreamed_tokens;
}

Times times_of(const Records& answers) {
  Times out;
  for (const auto* record : answers) {
    if (!is_told(*record)) continue;
    const auto counts = count_tokens(*record);
    const auto milliseconds = [](std::int64_t us) { return static_cast<double>(us) / 1e3; };
    out.first.push_back({counts.generated, milliseconds(*record->first_token_us - *record->sent_us)});
    out.stream.push_back({counts.generated, milliseconds(*record->last_token_us - *record->first_token_us)});
  }
  return out;
}

}  // namespace

SpeedEvidence speed_evidence(const Records& answers) {
  SeveralWords words;
  for (const auto* record : answers) {
    if (record->outcome != Outcome::ok) continue;
    const auto own = several_words(*record, count_tokens(*record));
    words.expected += own.expected;
    words.seen += own.seen;
  }
  return {generation_time(answers), words.too_few()};
}

GenerationTime generation_time(const Records& answers) {
  if (answers.size() < kFewestAnswers) return GenerationTime::unknown;
  const auto times = times_of(answers);
  if (times.first.size() < kFewestAnswers) return GenerationTime::unknown;
  const auto [shortest, longest] = std::ranges::minmax(times.first, {}, &WeightedPoint::x);
  if (longest.x < kLengths * shortest.x) return GenerationTime::unknown;
  const auto first = fit_polynomial(times.first, 1), stream = fit_polynomial(times.stream, 1);
  const double to_first = first.coefficients[1], later = stream.coefficients[1];
  if (to_first - first.half_width > kGrowsToo * std::max(0.0, later + stream.half_width))
    return GenerationTime::in_ttft;
  if (to_first + first.half_width < later - stream.half_width) return GenerationTime::in_stream;
  return GenerationTime::unknown;
}

}  // namespace infermeter
