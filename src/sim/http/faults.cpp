#include "sim/http/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/random.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter::sim {
namespace {

constexpr std::string_view kOption = "--fault";

using Value = std::string_view;
using Apply = void (*)(Quirks&, Value);

std::uint32_t positive(Value value) {
  const std::uint64_t count = parse_count(kOption, value);
  if (count == 0 || count > 1'000'000)
    throw UsageError(fmt::format("{}: '{}' is not a count from 1 to 1M", kOption, value));
  return static_cast<std::uint32_t>(count);
}

template <const char* Kind>
void refuse_whole(Quirks& q, Value value) {
  if (!q.refusal.empty()) return;
  q.refusal = Kind;
  q.retry_after = value;
}

template <Cut Kind>
void cut(Quirks& q, Value) {
  if (q.cut == Cut::none) q.cut = Kind;
}

void stall(Quirks& q, Value value) {
  if (q.cut != Cut::none) return;
  q.cut = Cut::stall;
  q.stall = parse_duration(kOption, value);
}

template <bool Quirks::* Flag>
void raise(Quirks& q, Value) {
  q.*Flag = true;
}

template <std::uint32_t Quirks::* Count>
void count(Quirks& q, Value value) {
  q.*Count = positive(value);
}

template <nanoseconds Quirks::* Duration>
void duration(Quirks& q, Value value) {
  q.*Duration = parse_duration(kOption, value);
}

void refuse_field(Quirks& q, Value value) {
  if (value.empty()) throw UsageError("--fault: refuse needs a field, as refuse=max_tokens");
  q.refused_fields.emplace_back(value);
}

constexpr std::array<std::pair<Value, Reasoning>, 4> kReasonings{{{"hidden", Reasoning::hidden},
                                                                  {"stripped", Reasoning::stripped},
                                                                  {"streamed", Reasoning::streamed},
                                                                  {"lump", Reasoning::lump}}};

// How, then optionally `,64` tokens or `,50%` of the output (default: half).
void reasoning(Quirks& q, Value value) {
  const auto comma = value.find(',');
  const Value how = value.substr(0, comma);
  const auto known =
      std::find_if(kReasonings.begin(), kReasonings.end(), [&](const auto& r) { return r.first == how; });
  if (known == kReasonings.end())
    throw UsageError(
        fmt::format("{}: reasoning is hidden, stripped, streamed or lump, not '{}'", kOption, how));
  q.reasoning = known->second;
  const Value amount = comma == Value::npos ? Value("50%") : value.substr(comma + 1);
  q.reasoning_tokens = amount.ends_with('%') ? 0 : positive(amount);
  q.reasoning_share = amount.ends_with('%') ? parse_share(kOption, amount) : 0;
}

constexpr std::array<std::pair<Value, UsagePlace>, 6> kUsagePlaces{{{"always", UsagePlace::always},
                                                                    {"finish", UsagePlace::finish},
                                                                    {"x-groq", UsagePlace::x_groq},
                                                                    {"choice", UsagePlace::choice},
                                                                    {"every", UsagePlace::every},
                                                                    {"zero", UsagePlace::zero}}};

void usage(Quirks& q, Value value) {
  for (const auto& [name, place] : kUsagePlaces) {
    if (name == value) {
      q.usage = place;
      return;
    }
  }
  throw UsageError(
      fmt::format("{}: usage is always, finish, x-groq, choice, every or zero, not '{}'", kOption, value));
}

double above_zero(Value value) {
  const double number = parse_number(kOption, value);
  if (number <= 0) throw UsageError(fmt::format("{}: '{}' is not a number above 0", kOption, value));
  return number;
}

void rate_limit(Quirks& q, Value value) { q.rate_limit = above_zero(value); }

void cost(Quirks& q, Value value) { q.cost = above_zero(value); }

void require_key(Quirks& q, Value value) {
  q.requires_key = true;
  q.key_header = value;
}

void eos(Quirks& q, Value value) { q.eos_mean = positive(value); }

constexpr char k429[] = "429", k500[] = "500", k503[] = "503", kHtml502[] = "html502", kHtml200[] = "html200";

enum class Takes { nothing, value };

struct Known {
  Value kind;
  Takes takes;
  Value fallback;  // the default value
  Apply apply;
  Value line;
};

constexpr std::array kKnown{
    Known{"429", Takes::value, "1", refuse_whole<k429>,
          "too many requests; value: Retry-After (2, 350ms or a date), default 1"},
    Known{"500", Takes::nothing, "", refuse_whole<k500>, "internal error as JSON"},
    Known{"503", Takes::value, "", refuse_whole<k503>,
          "unavailable, as JSON; value: Retry-After, default none"},
    Known{"html502", Takes::nothing, "", refuse_whole<kHtml502>, "a proxy's 502 page"},
    Known{"html200", Takes::nothing, "", refuse_whole<kHtml200>,
          "a page with status 200, as from a wrong path"},
    Known{"rate-limit", Takes::value, "10", rate_limit,
          "so many requests a second, else 429; x-ratelimit headers on every answer; default 10"},
    Known{"retry-after-ms", Takes::nothing, "", raise<&Quirks::retry_after_ms>,
          "429 and 503 say retry-after-ms beside retry-after"},
    Known{"require-key", Takes::value, "", require_key,
          "401 without a key in Authorization, x-api-key or api-key, or in the header named"},
    Known{"refuse", Takes::value, "", refuse_field,
          "400 naming the field, if the body has it: refuse=max_tokens"},
    Known{"stale", Takes::nothing, "", raise<&Quirks::stale>,
          "reset without an answer on a reused connection"},
    Known{"inband", Takes::nothing, "", cut<Cut::inband>, "error event half-way, then [DONE]"},
    Known{"reset", Takes::nothing, "", cut<Cut::reset>, "connection reset half-way"},
    Known{"truncate", Takes::nothing, "", cut<Cut::truncate>,
          "connection closed half-way, no finish, no [DONE]"},
    Known{"stall", Takes::value, "2s", stall, "silence half-way, then all that was held at once; default 2s"},
    Known{"not-stream", Takes::nothing, "", raise<&Quirks::not_stream>,
          "one whole JSON body though a stream was asked for"},
    Known{"no-usage", Takes::nothing, "", raise<&Quirks::no_usage>, "usage nowhere"},
    Known{"no-done", Takes::nothing, "", raise<&Quirks::no_done>, "no [DONE]"},
    Known{"no-finish", Takes::nothing, "", raise<&Quirks::no_finish>, "no finish_reason"},
    Known{"finish-event", Takes::nothing, "", raise<&Quirks::finish_event>,
          "finish_reason in an event of its own"},
    Known{"role-first", Takes::nothing, "", raise<&Quirks::role_first>,
          "role-only event at once, before the engine answers"},
    Known{"empty-tokens", Takes::value, "3", count<&Quirks::empty_tokens>,
          "the first N tokens have no text; default 3"},
    Known{"silent-end", Takes::value, "3", count<&Quirks::silent_end>,
          "the last N tokens come in no event; default 3"},
    Known{"tokens-per-event", Takes::value, "4", count<&Quirks::tokens_per_event>,
          "N tokens in each event; default 4"},
    Known{"pack", Takes::value, "5", count<&Quirks::pack>, "N events in one write; default 5"},
    Known{"split", Takes::value, "2ms", duration<&Quirks::split>,
          "each write in two halves, so long apart; default 2ms"},
    Known{"buffer", Takes::nothing, "", raise<&Quirks::buffer>,
          "a proxy that holds the stream back to its end"},
    Known{"burst", Takes::value, "0.3ms", duration<&Quirks::burst>,
          "all events after the generation, so long apart; default 0.3ms"},
    Known{"heartbeat", Takes::value, "1s", duration<&Quirks::heartbeat>,
          "a comment line so often; default 1s"},
    Known{"crlf", Takes::nothing, "", raise<&Quirks::crlf>, "lines end in CRLF"},
    Known{
        "reasoning", Takes::value, "streamed", reasoning,
        "hidden, stripped (hidden, and usage does not say so), streamed or lump (one event), optionally ,64 "
        "tokens or ,50% (default) of the output"},
    Known{"echo", Takes::nothing, "", raise<&Quirks::echo>, "the prompt opens the answer"},
    Known{"end-marker", Takes::nothing, "", raise<&Quirks::end_marker>,
          "<|im_end|> left at the end of the text"},
    Known{"usage", Takes::value, "always", usage,
          "place of usage: always, finish, x-groq, choice, every, zero"},
    Known{"no-cached-tokens", Takes::nothing, "", raise<&Quirks::no_cached_tokens>,
          "usage does not say what the prefix cache had"},
    Known{"usage-times", Takes::nothing, "", raise<&Quirks::usage_times>,
          "Groq's queue_time, prompt_time, completion_time and total_time in usage"},
    Known{"cost", Takes::value, "1", cost, "usage.cost, at so much per million output tokens; default 1"},
    Known{"no-tokenize", Takes::nothing, "", raise<&Quirks::no_tokenize>, "/tokenize is 404"},
    Known{"request-metrics", Takes::nothing, "", raise<&Quirks::request_metrics>,
          "vLLM's metrics object beside usage"},
    Known{"eos", Takes::value, "64", eos, "answers end by themselves, exponential with mean N; default 64"},
};

const Known& known(std::string_view kind) {
  const auto found =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.kind == kind; });
  if (found != kKnown.end()) return *found;
  std::vector<std::string> names;
  for (const auto& k : kKnown) names.emplace_back(k.kind);
  const auto near = nearest_name(kind, names);
  throw UsageError(
      fmt::format("--fault: '{}' is no fault{}", kind, near ? "; did you mean " + *near + "?" : ""),
      fmt::format("known: {}", fmt::join(names, ", ")));
}

void apply(const Fault& fault, Quirks& quirks) {
  const Known& k = known(fault.kind);
  if (k.takes == Takes::nothing && !fault.value.empty())
    throw UsageError(fmt::format("--fault: {} takes no value, not '{}'", fault.kind, fault.value));
  k.apply(quirks, fault.value);
}

// The share follows the last colon, because a Retry-After date contains colons.
std::optional<double> share_of(std::string_view text) {
  try {
    return parse_share(kOption, text);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fault_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& k : kKnown) list.emplace_back(k.kind, k.line);
  return list;
}

Fault parse_fault(std::string_view text) {
  Fault fault;
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const auto share = share_of(text.substr(colon + 1));
    if (!share && text.find('=') > colon)
      parse_share(kOption, text.substr(colon + 1));  // throws if it is wrong
    if (share) {
      fault.share = *share;
      text = text.substr(0, colon);
    }
  }
  const auto equals = text.find('=');
  fault.kind = text.substr(0, equals);
  fault.value = equals == std::string_view::npos ? known(fault.kind).fallback : text.substr(equals + 1);
  Quirks checked;
  apply(fault, checked);
  return fault;
}

FaultPlan::FaultPlan(const std::vector<Fault>& faults, std::uint64_t seed) : faults_(faults), seed_(seed) {
  for (auto& fault : faults_) {
    if (fault.value.empty()) fault.value = known(fault.kind).fallback;
    Quirks checked;
    apply(fault, checked);
  }
}

Quirks FaultPlan::always() const {
  Quirks quirks;
  for (const auto& fault : faults_) {
    if (fault.share >= 1) apply(fault, quirks);
  }
  return quirks;
}

Quirks FaultPlan::draw(std::uint64_t arrival) const {
  Quirks quirks;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    Random random(seed_, mix64(arrival) + i);
    if (random.uniform() >= faults_[i].share) continue;
    apply(faults_[i], quirks);
    quirks.drawn.push_back(faults_[i].kind);
  }
  return quirks;
}

}  // namespace infermeter::sim
