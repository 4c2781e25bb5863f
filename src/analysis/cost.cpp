#include <algorithm>
#include <cmath>

#include "server_facts.hpp"
#include "token_counts.hpp"

namespace infermeter {

namespace {

constexpr double kMostAnswers = 0.9;

double non_negative(const std::optional<std::int64_t>& tokens) {
  return static_cast<double>(std::max<std::int64_t>(0, tokens.value_or(0)));
}

/// The server's usage.cost, summed; nothing where too few answers have one to speak for all.
std::optional<double> server_cost(const RunRecords& run) {
  double sum = 0;
  std::uint64_t with = 0;
  for (const auto* record : run.measured) {
    if (!record->cost) continue;
    sum += *record->cost;
    if (record->outcome == Outcome::ok) ++with;
  }
  if (static_cast<double>(with) < kMostAnswers * static_cast<double>(run.ok.size())) return std::nullopt;
  return sum;
}

/// In millions of the price's unit. Cached prompt tokens cost what others do unless a price says otherwise.
double token_cost(const RequestRecord& record, const Prices& prices) {
  const double prompt = non_negative(record.prompt_tokens);
  const double cached = std::min(prompt, non_negative(record.cached_tokens));
  const double input_price = prices.input_per_million.value_or(0);
  const auto counts = count_tokens(record);
  const double output = counts.counted ? counts.generated : 0;
  return (prompt - cached) * input_price + cached * prices.cached_per_million.value_or(input_price) +
         output * prices.output_per_million.value_or(0);
}

/// Nothing where the server counted no tokens: they would seem to be free.
std::optional<double> priced_cost(const RunRecords& run, const Prices& prices) {
  if (!prices.input_per_million && !prices.output_per_million) return std::nullopt;
  double sum = 0;
  bool counted = false;
  for (const auto* record : run.measured) {
    counted = counted || record->prompt_tokens || record->output_tokens;
    sum += token_cost(*record, prices);
  }
  return counted ? std::optional(sum / 1e6) : std::nullopt;
}

}  // namespace

std::optional<Cost> cost_of(const RunRecords& run, const Prices& prices, double seconds) {
  if (run.ok.empty()) return std::nullopt;
  Cost cost;
  if (const auto server = server_cost(run)) {
    cost.total = *server;
    cost.source = "server";
  } else if (const auto priced = priced_cost(run, prices)) {
    cost.total = *priced;
    cost.source = "prices";
  } else if (prices.per_hour && seconds > 0) {
    cost.total = *prices.per_hour * seconds / 3600;
    cost.source = "per_hour";
  } else {
    return std::nullopt;
  }
  cost.per_1k = 1000 * cost.total / static_cast<double>(run.ok.size());
  return cost;
}

}  // namespace infermeter
