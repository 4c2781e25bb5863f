#include <fmt/format.h>

#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/summary_lines.hpp"

namespace infermeter {
namespace {

std::string source_words(std::optional<TokenSource> source) {
  if (source == TokenSource::usage) return "counted by the server (usage)";
  if (source == TokenSource::continuous_usage) return "counted by the server (continuous usage)";
  if (source == TokenSource::token_ids) return "counted by token ids or logprobs";
  if (source == TokenSource::mixed) return "counted in several ways (mixed)";
  return std::string(name(source));
}

std::string per_answer(std::uint64_t sum, const PointResult& point) {
  return figure(static_cast<double>(sum) / static_cast<double>(point.ok));
}

std::vector<Span> token_items(const PointResult& point) {
  std::vector<Span> items{{source_words(point.token_source)}};
  if (point.tokens_per_event > 0)
    items.push_back({fmt::format("{} tokens per event", fmt::format("{:.2f}", point.tokens_per_event))});
  items.push_back({fmt::format("{} in, {} out a request", per_answer(point.prompt_tokens, point),
                               per_answer(point.output_tokens, point))});
  if (point.reasoning_tokens > 0 && point.output_tokens > 0)
    items.push_back({fmt::format(
        "{} reasoning ({})",
        as_percent(static_cast<double>(point.reasoning_tokens) / static_cast<double>(point.output_tokens)),
        name(point.reasoning))});
  if (point.cached_tokens > 0 && point.prompt_tokens > 0 && !point.cache)
    items.push_back({fmt::format(
        "{} of the prompts cached",
        as_percent(static_cast<double>(point.cached_tokens) / static_cast<double>(point.prompt_tokens)))});
  if (const auto speed = quantile(point, "chars_per_second", 50))
    items.push_back({fmt::format("{} characters/s a stream (p50)", figure(*speed))});
  return items;
}

std::vector<Span> event_items(const PointResult& point) {
  std::vector<Span> items{{"the server does not count tokens: these are events, not tokens", Style::warn}};
  items.push_back({per_answer(point.generated_events, point) + " events an answer"});
  return items;
}

// People compare with the tools they know, where the same word has another meaning.
std::string names_line(const PointResult& point) {
  if (point.find("itl")) return "ITL is per token; AIPerf's \"ITL\" is our TPOT, vLLM's is our ICL";
  if (point.find("icl") && counts_events(point)) return "ICL is per event; vLLM calls it ITL";
  if (point.find("icl")) return "ICL is per event: vLLM's \"ITL\"; AIPerf's \"ITL\" is our TPOT";
  return {};
}

}  // namespace

void print_tokens(const PointResult& point, Page& page) {
  if (point.ok == 0) return;
  if (point.item_throughput) {
    page.items(" Items", {{fmt::format("{} a second", figure(*point.item_throughput))},
                          {per_answer(point.prompt_tokens, point) + " tokens in a request"}});
    return;
  }
  if (counts_events(point)) {
    page.items(" Events", event_items(point));
  } else if (point.token_source) {
    page.items(" Tokens", token_items(point));
  }
  if (!point.load.stream) page.items(" Whole", {{"not streamed (--no-stream): only E2E is measured"}});
  if (point.comfort)
    page.items(fmt::format(" Within {:.4g} ms", point.load.comfort_ms),
               {{as_percent(*point.comfort) + " of tokens (comfortable reading)"}});
}

void print_names(const PointResult& point, Page& page) {
  const std::string names = point.ok > 0 ? names_line(point) : std::string();
  if (!names.empty()) page.items(" Names", {{names, Style::dim}});
}

}  // namespace infermeter
