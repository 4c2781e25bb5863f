#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/figures/server_facts.hpp"
#include "model/request_view.hpp"

namespace infermeter {

namespace {

constexpr double kMostAnswers = 0.9;
constexpr std::string_view kEstimated = ", partly estimated";

double non_negative(const std::optional<std::int64_t>& tokens) {
  return static_cast<double>(std::max<std::int64_t>(0, tokens.value_or(0)));
}

/// What a request is billed for, and whether the server counted it.
struct Billed : BilledTokens {
  bool estimated = false;
  double tokens() const { return prompt + output; }
};

/// Estimates for the token counts of requests without any: a stream that we closed, or that broke off, ends
/// before its usage.
class Estimates {
 public:
  Estimates(const Records& ok, double tokens_per_event) : tokens_per_event_(tokens_per_event) {
    double sum = 0, counted = 0;
    for (const auto* record : ok) {
      if (!record->prompt_tokens) continue;
      sum += non_negative(record->prompt_tokens);
      ++counted;
    }
    mean_prompt_ = counted > 0 ? sum / counted : 0;
  }

  Billed billed(const RequestRecord& record) const {
    Billed out;
    out.prompt = non_negative(record.prompt_tokens);
    const bool begun = record.events > 0 || (record.outcome == Outcome::cancelled && record.sent_us);
    if (!record.prompt_tokens && begun) {
      out.prompt = prompt_of(record);
      out.estimated = true;
    }
    out.cached = std::min(out.prompt, non_negative(record.cached_tokens));
    out.cache_write = std::min(out.prompt - out.cached, non_negative(record.cache_write_tokens));
    const auto counts = count_tokens(record);
    out.output = counts.counted ? counts.generated : record.events * tokens_per_event_;
    out.estimated = out.estimated || (!counts.counted && record.events > 0);
    return out;
  }

 private:
  /// Later turns include the earlier messages, whose length was not requested.
  double prompt_of(const RequestRecord& record) const {
    return record.asked_input_tokens > 0 && record.turn == 0 ? record.asked_input_tokens : mean_prompt_;
  }
  double tokens_per_event_;
  double mean_prompt_ = 0;
};

struct Sum {
  double total = 0;
  bool estimated = false;
};

/// The server's usage.cost; nothing where too few answers have it to represent all. The other answers are
/// priced by their tokens at the mean price of a token.
std::optional<Sum> server_cost(const RunRecords& run, const Estimates& estimates) {
  double known = 0, tokens_known = 0, tokens_unknown = 0;
  std::uint64_t with = 0;
  for (const auto* record : run.measured) {
    const double tokens = estimates.billed(*record).tokens();
    (record->cost ? tokens_known : tokens_unknown) += tokens;
    known += record->cost.value_or(0);
    if (record->cost && record->outcome == Outcome::ok) ++with;
  }
  const auto ok = static_cast<double>(run.ok.size());
  if (static_cast<double>(with) < kMostAnswers * ok) return std::nullopt;
  if (tokens_known > 0) return Sum{known + known * tokens_unknown / tokens_known, tokens_unknown > 0};
  return Sum{known * ok / static_cast<double>(with), static_cast<double>(with) < ok};
}

/// Nothing where the server counted no tokens: the whole cost would be a guess.
std::optional<Sum> priced_cost(const RunRecords& run, const Prices& prices, const Estimates& estimates) {
  if (!prices.input_per_million && !prices.output_per_million) return std::nullopt;
  Sum sum;
  bool counted = false;
  for (const auto* record : run.measured) {
    counted = counted || record->prompt_tokens || record->output_tokens;
    const auto billed = estimates.billed(*record);
    sum.total += token_cost(billed, prices);
    sum.estimated = sum.estimated || billed.estimated;
  }
  return counted ? std::optional(sum) : std::nullopt;
}

Cost cost_from(std::string_view source, const Sum& sum) {
  Cost cost{.total = sum.total, .source = std::string(source)};
  if (sum.estimated) cost.source += kEstimated;
  return cost;
}

std::optional<Cost> total_cost(const RunRecords& run, const CostRules& rules) {
  const Estimates estimates(run.ok, rules.tokens_per_event);
  if (const auto server = server_cost(run, estimates)) return cost_from("server", *server);
  if (const auto priced = priced_cost(run, rules.prices, estimates)) return cost_from("prices", *priced);
  if (!rules.prices.per_hour || rules.seconds <= 0) return std::nullopt;
  return cost_from("per_hour", {.total = *rules.prices.per_hour * rules.seconds / 3600});
}

}  // namespace

std::optional<Cost> cost_of(const RunRecords& run, const CostRules& rules) {
  if (run.ok.empty()) return std::nullopt;
  auto cost = total_cost(run, rules);
  if (cost) cost->per_1k = 1000 * cost->total / static_cast<double>(run.ok.size());
  return cost;
}

}  // namespace infermeter
