#include <fmt/format.h>

#include "figures.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/report/table.hpp"
#include "load_words.hpp"
#include "page.hpp"

namespace infermeter {
namespace {

/// What a person asked for is said as they wrote it: 30, not 30.0.
std::string plain(double value) { return fmt::format("{:.6g}", value); }

}  // namespace

std::string load_words(const LoadPoint& load) {
  if (!load.open_loop) return format_count(load.concurrency) + " at a time";
  std::string text = plain(load.rate) + " requests/s";
  if (load.arrival == "poisson") text += ", Poisson";
  if (load.arrival == "constant") text += ", evenly spaced";
  if (load.arrival == "gamma") text += fmt::format(", gamma with CV {}", plain(load.cv));
  if (load.max_in_flight > 0) text += fmt::format(", at most {} in flight", format_count(load.max_in_flight));
  return text;
}

std::string extent_words(const LoadPoint& load) {
  std::string text;
  if (load.requests) text = counted(*load.requests, "request", "requests");
  if (load.duration_s) text += (text.empty() ? "" : " or ") + plain(*load.duration_s) + " s";
  if (load.warmup_s && *load.warmup_s > 0)
    return text + fmt::format(" after {} s of warm-up", plain(*load.warmup_s));
  if (load.warmup_requests && *load.warmup_requests > 0)
    return text + " after " + counted(*load.warmup_requests, "warm-up request", "warm-up requests");
  return text + ", no warm-up";
}

namespace {

void print_target(const TargetFacts& target, Page& page) {
  std::vector<Span> first{{target.url, Style::bold}};
  if (!target.model.empty()) {
    const bool told = target.model_source.empty() || target.model_source == "asked for";
    first.push_back({target.model + (told ? "" : fmt::format(" ({})", target.model_source))});
  }
  page.items("", first, 0);
  std::vector<Span> rest;
  if (!target.engine.empty())
    rest.push_back({target.engine + (target.version.empty() ? "" : " " + target.version), Style::dim});
  if (!target.proxy.empty()) rest.push_back({"through the proxy " + target.proxy, Style::warn});
  if (target.rtt_ms) rest.push_back({fmt::format("round trip {} ms", figure(*target.rtt_ms)), Style::dim});
  if (!rest.empty()) page.items("", rest, 0);
  for (const auto& note : target.notes) page.prose({"! ", Style::warn}, note);
}

std::string lengths(const RunResult& result, const LoadPoint& load) {
  const Workload& work = result.workload;
  const std::string out =
      fmt::format("{}{} out", work.exact_output ? "exactly " : "",
                  load.output_tokens > 0 ? format_count(load.output_tokens) : work.output_tokens);
  if (work.source == "synthetic" || work.source.empty())
    return fmt::format("{} tokens in, {}", work.input_tokens, out);
  const std::string from = work.source == "prompt" ? "the prompt given" : "prompts of " + work.source;
  return fmt::format("{}, {}{}", from, work.exact_output ? "" : "at most ", out);
}

}  // namespace

std::string render_header(const RunResult& result, const TableOptions& options) {
  Page page(options);
  for (const auto& target : result.targets) print_target(target, page);
  if (result.points.empty()) return page.take();
  const LoadPoint& load = result.points.front().load;
  std::vector<Span> items{{lengths(result, load)}};
  if (result.points.size() == 1) items.push_back({load_words(load)});
  items.push_back({extent_words(load)});
  items.push_back({fmt::format("seed {}", load.seed)});
  for (const auto& [key, value] : result.labels)
    items.push_back({fmt::format("{}={}", key, value), Style::dim});
  page.items("", items, 0);
  return page.take();
}

}  // namespace infermeter
