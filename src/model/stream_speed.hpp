// Whether the tokens between the first and the last event of a stream are known, so that TPOT, TPS and ITL
// may be given (docs/metrics.md, "Speed of a stream"). Decided by one record alone, so that `report` says
// what the run said. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "infermeter/model/names.hpp"
#include "infermeter/model/record.hpp"
#include "model/request_view.hpp"

namespace infermeter {

/// Why the speed of an answer is not known.
enum class SpeedDoubt : std::uint8_t {
  none,
  one_piece,      // over 90 % of its events came in one read
  burst,          // its events came together, as after the generation
  in_ttft,        // so did at least a part of them: longer answers of the load wait longer for the first
  server_time,    // the server decoded far longer than its events took
  bare_events,    // events without text before or after those with text
  single_tokens,  // its text comes one token an event, but more tokens are counted
  little_text,    // too little text for its tokens
  first_event,    // much of the text came with the first event
  tail,           // it went on long after its last token
  few_tokens,     // fewer tokens than events
};
template <>
inline constexpr std::array<std::string_view, 11> kNamesOf<SpeedDoubt>{
    "none",          "one_piece",   "burst",       "in_ttft", "server_time", "bare_events",
    "single_tokens", "little_text", "first_event", "tail",    "few_tokens"};

/// Where a server spends the time of the generation, as far as all answers of a load show it.
enum class GenerationTime : std::uint8_t {
  unknown,
  in_stream,  // longer answers take longer after the first token
  in_ttft,    // longer answers take longer before it: a burst follows
};

/// What all answers of a load show together.
struct SpeedEvidence {
  GenerationTime generation = GenerationTime::unknown;
  bool single_tokens = false;  // their texts come one token an event
};

/// Events with more than one word: how many there should be if all tokens that are counted came in the
/// events, and how many there are. Zeros where the tokens of each event are known.
struct SeveralWords {
  double expected = 0, seen = 0;
  bool too_few() const;
};
SeveralWords several_words(const RequestRecord& record, const TokenCounts& counts);

/// `counts`: of this record.
SpeedDoubt doubt_of_speed(const RequestRecord& record, const TokenCounts& counts,
                          const SpeedEvidence& load = {});
/// Completes "58 of 60 answers ": "came in one piece". Nothing for `none`.
std::string_view words_for(SpeedDoubt doubt);

}  // namespace infermeter
