// A verdict and its judgements in words, the same in every format. Private to src/report.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/verdict.hpp"

namespace infermeter {

/// How the command ended, which its exit code says: by its judgements, or by something that came first.
enum class Ending : std::uint8_t { judged, interrupted, run_failed };
Ending ending_of(const Verdict& verdict);

/// "FAIL", "undecided", "pass": capitals for the one that must not be missed.
std::string_view state_word(Decision decision);
/// The same for the whole, or "interrupted", "the run failed", "not to be trusted".
std::string_view outcome_word(const Verdict& verdict);

/// "612 ms", "+19.8 %"; empty where there is none.
std::string value_words(const Judgement& judgement);
/// "590 … 640" in the unit of the value, "≥ 590 ms"; empty without an interval.
std::string interval_words(const Judgement& judgement);
/// "500 ms", "+5 %"; empty where the text of an assertion has it already.
std::string limit_words(const Judgement& judgement);
/// "81.2 → 97.3 ms": baseline and candidate.
std::string medians_words(const Judgement& judgement);
/// All of these that exist: "612 ms (590 … 640), limit 500 ms, concurrency 8".
std::string figures_words(const Judgement& judgement);
/// The reason for the decision and what would settle it, as sentences; may be empty.
std::string remark_words(const Judgement& judgement);
/// "+1.2 %" from ln(candidate / baseline).
std::string change_words(double logarithm);

/// "1 of 3 failed, 1 undecided"; "all 3 passed".
std::string tally_words(const Verdict& verdict);
/// "Exit 1: failed."
std::string exit_words(const Verdict& verdict);
/// As a separate sentence: with a capital letter and a full stop.
std::string as_sentence(std::string text);

}  // namespace infermeter
