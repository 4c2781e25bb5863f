#include "example_side_by_side.hpp"

#include <utility>

namespace infermeter {
namespace {

using enum ChangeWord;
using Bound = std::optional<double>;

ComparedCell before(double value, Bound low = {}, Bound high = {}) {
  return {.value = value,
          .low = low,
          .high = high,
          .change = {},
          .change_low = {},
          .change_high = {},
          .reason = {}};
}

ComparedCell after(double value, ChangeWord word, double change, Bound low = {}, Bound high = {}) {
  ComparedCell cell = before(value, value * 0.98, value * 1.02);
  cell.change = change;
  cell.change_low = low;
  cell.change_high = high;
  cell.word = word;
  if (!low && !high) cell.reason = "no interval";
  return cell;
}

ComparedCell not_comparable(double value, std::string reason) {
  ComparedCell cell = before(value);
  cell.reason = std::move(reason);
  return cell;
}

ComparedRow row(std::string metric, std::string statistic, std::string unit,
                std::vector<ComparedCell> cells) {
  ComparedRow out;
  out.absolute = unit == "share";
  out.metric = std::move(metric);
  out.statistic = std::move(statistic);
  out.unit = std::move(unit);
  out.cells = std::move(cells);
  return out;
}

LoadPoint closed(std::uint32_t concurrency) {
  LoadPoint load;
  load.concurrency = concurrency;
  load.arrival = Arrival::closed;
  return load;
}

ComparedPoint compared_at(std::uint32_t concurrency, std::vector<std::uint32_t> runs,
                          std::vector<ComparedRow> rows) {
  ComparedPoint point;
  for (const auto count : runs)
    point.loads.push_back(count > 0 ? std::optional(closed(concurrency)) : std::nullopt);
  point.runs = std::move(runs);
  point.rows = std::move(rows);
  return point;
}

ComparedResult result(std::string name, std::string start) {
  ComparedResult out;
  out.name = std::move(name);
  out.model = "llama-3.1-8b";
  out.start = std::move(start);
  return out;
}

ComparedCell negligible(double value) {
  ComparedCell cell = after(value, same, 0.31, -0.2, 0.9);
  cell.reason = "negligible";
  return cell;
}

std::vector<ComparedRow> rows_of_two() {
  return {
      row("client_queue", "p95", "ms", {before(0.081, 0.075, 0.09), negligible(0.106)}),
      row("ttft", "mean", "ms", {before(94.1, 92.9, 95.3), after(112.7, worse, 0.198, 0.161, 0.23)}),
      row("ttft", "p50", "ms", {before(91.8, 90.7, 93.1), after(110, worse, 0.1983, 0.161, 0.2301)}),
      row("ttft", "p95", "ms", {before(121, 117.2, 125.1), after(148, worse, 0.223, 0.121, 0.338)}),
      row("ttft", "p99", "ms", {before(148.2, 137), after(166, unknown, 0.12)}),
      row("tpot", "p50", "ms", {before(9.81, 9.8, 9.82), after(9.83, same, 0.002, -0.006, 0.009)}),
      row("tpot", "p95", "ms", {before(10.4, 10.35, 10.44), after(10.5, unknown, 0.0096, -0.07)}),
      row("tps", "p50", "tokens/s", {before(101.9, 101.1, 102.6), after(101.7, same, -0.002, -0.009, 0.006)}),
      row("itl", "p50", "ms", {before(9.79, 9.78, 9.8), after(9.8, same, 0.001, -0.001, 0.003)}),
      row("e2e", "p95", "ms", {before(1443, 1430, 1457), after(1398, better, -0.0312, -0.038, -0.0301)}),
      row("output_throughput", "", "tokens/s",
          {before(3139.6, 3124, 3155), after(3050, unknown, -0.0285, -0.041, -0.012)}),
      row("error_rate", "", "share", {before(0, 0, 0.005), after(0.0123, unknown, 0.0123, -0.002, 0.027)}),
      row("cost_per_1k", "", "$", {before(0.6, 0.6, 0.6), after(0.35, better, -0.4167, -0.4167, -0.4167)}),
  };
}

}  // namespace

SideBySide two_compared() {
  SideBySide out;
  out.results = {result("results/before", "2026-11-29T12:15:01Z"),
                 result("results/after", "2026-11-30T09:00:00Z")};
  out.results[1].trustworthy = false;
  out.results[1].doubts = {"1.8 % of the events read late (limit 1 %), client lag p99 4.1 ms."};
  out.results[1].differences_of_kind = {"The prompt length differs: 512 against 1024."};
  out.surroundings = {{"server", {"vllm 0.11.2", "vllm 0.12.0"}},
                      {"kernel", {"6.1.0-18-amd64", "6.12.3+deb13-amd64"}},
                      {"governor", {"performance", ""}}};
  out.traffic = {{"prompt tokens", {"512", "1024"}}};
  out.points = {compared_at(32, {1, 1}, rows_of_two())};
  return out;
}

SideBySide three_compared() {
  SideBySide out = two_compared();
  out.results[1] = result("/srv/measurements/nightly/2026-11-30/after", "2026-11-30T09:00:00Z");
  out.results[1].partial = true;
  out.results.push_back(result("openai-chat-infqps-concurrency32-llama.json", "2026-11-30T11:00:00"));
  out.results[2].source = "vLLM bench";
  for (auto* facts : {&out.surroundings, &out.traffic}) {
    for (auto& fact : *facts) fact.values.emplace_back();
  }
  for (auto& compared : out.points[0].rows) {
    compared.cells.emplace_back();
    if (compared.metric == "ttft" && compared.statistic == "p50")
      compared.cells.back() = after(90.2, unknown, -0.0174, -0.035, 0.001);
    if (compared.metric == "ttft" && compared.statistic == "p99")
      compared.cells.back() = after(146, unknown, -0.0148);
  }
  out.points[0].whole_rates = true;
  out.points[0].loads.emplace_back(closed(32));
  out.points[0].runs.push_back(1);
  return out;
}

SideBySide sweep_compared() {
  SideBySide out = two_compared();
  out.results[1] = result("results/after", "2026-11-30T09:00:00Z");
  out.points.clear();
  for (const std::uint32_t concurrency : {1u, 8u, 32u}) {
    const double ttft = 40 + 1.6 * concurrency, output = 145.0 * concurrency;
    out.points.push_back(compared_at(
        concurrency, {3, 4},
        {row("ttft", "p50", "ms", {before(ttft), after(ttft * 1.1, worse, 0.1, 0.07, 0.131)}),
         row("ttft", "p99", "ms", {before(ttft * 1.4), after(ttft * 1.5, unknown, 0.07, -0.1, 0.2)}),
         row("tpot", "p50", "ms", {before(9.8), after(9.81, same, 0.001, -0.006, 0.009)}),
         row("output_throughput", "", "tokens/s",
             {before(output), after(output * 0.99, same, -0.01, -0.019, -0.002)}),
         row("error_rate", "", "share", {before(0), after(0, same, 0, -0.01, 0.01)})}));
  }
  out.unmatched = {compared_at(64, {3, 0}, {}), compared_at(128, {0, 4}, {})};
  return out;
}

SideBySide mixed_compared() {
  SideBySide out = two_compared();
  out.results[1] = result("results/after", "2026-11-30T09:00:00Z");
  out.points[0].rows = {
      row("ttft_response", "p50", "ms", {before(2900), after(12'000, worse, 3.138, 2.9, 3.4)}),
      row("tpot", "p50", "ms", {before(9.8), not_comparable(31.2, "per event")}),
      row("icl", "p50", "ms", {before(9.8), after(31.2, worse, 2.18, 2.1, 2.3)}),
      row("output_throughput", "", "tokens/s", {before(3139), not_comparable(960, "per event")})};
  out.points[0].target = "vendor-one";
  LoadPoint open;
  open.open_loop = true;
  open.rate = 20;
  open.arrival = Arrival::poisson;
  out.points[0].loads = {open, open};
  out.points[0].loads[1]->rate = 25;
  out.points[0].loads_differ = true;
  out.points.push_back(out.points[0]);
  out.points[1].target = "vendor-two";
  out.points[1].rows = {row("tpot", "p50", "ms", {before(31), after(31.2, unknown, 0.006, -0.06, 0.07)})};
  out.points[1].rows[0].events = true;
  return out;
}

}  // namespace infermeter
