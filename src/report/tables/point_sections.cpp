#include "report/tables/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/table.hpp"
#include "report/text/text.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kRateNameColumns = 20;

std::string seconds(double s) { return figure(s) + " s"; }

/// Events are never called tokens and not added to them; the same holds for vectors.
bool is_rate_of(const PointResult& point, const Figure& figure) {
  if (!figure.of_tokens) return true;
  return !point.item_throughput && (!counts_events(point) || figure.name == "output_throughput");
}

std::vector<const Figure*> rate_figures(const PointResult& point) {
  std::vector<const Figure*> figures;
  for (const auto& shown : shown_figures(FigureOutput::rates)) {
    if (is_rate_of(point, *shown.figure)) figures.push_back(shown.figure);
  }
  return figures;
}

std::string rate_head(const Figure& figure, bool events) {
  std::string head(events && figure.of_tokens ? symbol(figure.unit, true) : figure.head);
  return head.append(figure.under.empty() ? "" : " ").append(figure.under);
}

/// The two main rates: output, and requests.
bool comes_first(const Figure& figure) { return figure.is_shown(FigureOutput::markdown); }

void add_rates(const std::string& label, const PointView& view, bool headline, Table& table) {
  std::vector<Cell> cells{{label}};
  for (const auto* figure : rate_figures(view.point)) {
    Estimate estimate;
    estimate.value = figure->of_point(view);
    if (estimate.value && figure->bound) figure->bound(view, estimate);
    cells.push_back({.text = {},
                     .value = estimate.value,
                     .style = headline && comes_first(*figure) ? Style::bold : Style::plain,
                     .sure = {},
                     .low = estimate.low,
                     .high = estimate.high});
  }
  table.row(std::move(cells));
}

bool is_warned(const PointResult& point, CheckKind kind) {
  return std::ranges::any_of(point.validity.checks, [&](const Check& check) {
    return check.kind == kind && check.state == CheckState::warning;
  });
}

// docs/metrics.md, "window": why there may be no steady window.
std::string why_not_steady(const PointResult& point) {
  if (point.load.in_blocks) return "no steady window: the targets took turns";
  if (is_warned(point, CheckKind::steady)) return "no steady window: the load had not settled";
  const std::uint64_t least = point.requests_for_steady_rate();
  if (point.requests >= least) return "no steady window: the run is too short for one";
  return fmt::format("no steady window: it takes {} at concurrency {} (-n 3x)",
                     counted(least, "request", "requests"), format_count(own_part(point.load).concurrency));
}

/// For the row of a point: why nothing is drawn from its rates; empty where that is done.
std::string without_steady_rate(const PointResult& point) {
  if (!point.has_figures() || point.has_steady_rate()) return {};
  const auto least = point.requests_for_steady_rate();
  if (point.requests >= least) return "no steady rate: the load had not settled";
  return fmt::format("no steady rate: {} of {} requests", format_count(point.requests), format_count(least));
}

/// Of an open loop: what the schedule asks for, and what the server answered.
void print_offered(const PointResult& point, Page& page) {
  if (!point.offered || !point.served) return;
  constexpr double kKeptUp = 0.9;
  page.items(" Requests/s", {{"offered " + figure(*point.offered)},
                             {"served " + figure(*point.served),
                              *point.served < kKeptUp * *point.offered ? Style::warn : Style::plain}});
}

std::string listed(const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  std::string out;
  for (const auto& [what, count] : counts) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", format_count(count), what);
  }
  return out;
}

std::uint64_t failures(const PointResult& point) {
  std::uint64_t sum = 0;
  for (const auto& entry : point.outcomes) sum += is_failure(entry.outcome) ? entry.count : 0;
  return sum;
}

std::vector<Span> count_items(const PointResult& point) {
  const std::uint64_t failed = failures(point);
  std::vector<Span> items{{format_count(point.ok) + " ok", Style::bold},
                          {format_count(failed) + " failed", failed > 0 ? Style::bad : Style::plain}};
  for (const auto& entry : point.outcomes) {
    if (entry.outcome == Outcome::ok || is_failure(entry.outcome)) continue;
    items.push_back(
        {fmt::format("{} {}", format_count(entry.count), words_for(entry.outcome, 0)), Style::warn});
  }
  if (point.conversations > 0)
    items.push_back({"in " + counted(point.conversations, "conversation", "conversations")});
  if (point.warmup_requests > 0)
    items.push_back({format_count(point.warmup_requests) + " warm-up"});
  else if (point.ok > 0 && point.ramp_requests == 0)
    items.push_back({"no warm-up: the first requests are among these", Style::dim});
  if (point.ramp_requests > 0)
    items.push_back({format_count(point.ramp_requests) + " while the load changed, kept apart"});
  if (!point.finish_reasons.empty()) items.push_back({"finish: " + listed(point.finish_reasons)});
  return items;
}

// A server's error text may be a page of HTML; one line of it is enough as an example.
void print_ending(const OutcomeCount& entry, Page& page) {
  const std::string head =
      fmt::format("   {} × {}", format_count(entry.count), words_for(entry.outcome, entry.status));
  std::vector<Span> spans{{head, is_failure(entry.outcome) ? Style::bad : Style::warn}};
  if (!entry.example.empty()) {
    const std::size_t used = columns(page.fit(head)) + 3;
    const std::size_t room = std::max<std::size_t>(24, page.width() - std::min(page.width(), used));
    spans.push_back({"   " + shorten(page.fit(entry.example), room, page.fit("…")), Style::dim});
  }
  page.line(spans);
}

void print_marks(const PointResult& point, Page& page) {
  std::vector<Span> marks;
  for (const auto& [flag, count] : point.flags) {
    const auto known = flag_from_name(flag);
    const std::string_view words = known ? words_for(*known) : std::string_view(flag);
    if (!words.empty()) marks.push_back({fmt::format("{} {}", format_count(count), words)});
  }
  if (!marks.empty()) page.items(" Answers", marks);
}

void add_words(std::string& note, const std::string& words) {
  if (!words.empty()) note += (note.empty() ? "" : ", ") + words;
}

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

std::string interval(double low, double high) {
  return fmt::format("({} … {})", bare_percent(low), bare_percent(high));
}

std::string all_of(const SloResult& slo) {
  return as_percent(slo.attainment) + " " + interval(slo.low, slo.high);
}

Span alone(const SloResult& of, const std::string& slo, const std::optional<double>& share) {
  if (share) return {slo + " " + as_percent(*share)};
  if (std::ranges::find(of.unjudged, slo, &std::pair<std::string, std::uint64_t>::first) != of.unjudged.end())
    return {slo + " not judged, the speed of the answers is not known", Style::warn};
  const std::string_view instead = slo.starts_with("itl") ? ": use icl or tpot" : "";
  return {fmt::format("{} not judged, no answer has the figure{}", slo, instead), Style::warn};
}

void print_cache(const PointResult& point, Page& page) {
  std::vector<Span> items;
  if (point.cache && point.cache->mean_cached <= 0)
    items.push_back({"no prompt token came from the server's prefix cache"});
  if (point.cache && point.cache->mean_cached > 0) {
    items.push_back({as_percent(point.cache->hit_share) + " of the prompt tokens were hits"});
    items.push_back({fmt::format("{} cached tokens a request", figure(point.cache->mean_cached))});
  }
  if (point.cache_write_tokens > 0)
    items.push_back({per_answer(point.cache_write_tokens, point) + " tokens an answer written to it"});
  if (!items.empty()) page.items(" Cache", items);
}

void print_cost(const Cost& cost, Page& page) {
  std::string from =
      cost.source.starts_with("server") ? "as the server says (usage.cost)" : "by the prices given";
  if (cost.source == "per_hour") from = "by the price per hour";
  if (cost.source.ends_with("estimated")) from += ", partly estimated: not all answers were counted";
  page.items(" Cost", {{fmt::format("${} per 1,000 answers", format_number(cost.per_1k))},
                       {fmt::format("${} in all", format_number(cost.total))},
                       {from, Style::dim}});
}

void print_limits(const RateLimitFacts& limits, Page& page) {
  std::vector<Span> items;
  if (limits.limited > 0)
    items.push_back({counted(limits.limited, "answer", "answers") + " 429 or 503", Style::warn});
  if (limits.retry_after_s)
    items.push_back({fmt::format("longest Retry-After {} s", figure(*limits.retry_after_s))});
  if (limits.waited_s > 0) items.push_back({fmt::format("waited {} s in all", figure(limits.waited_s))});
  for (const auto& [limit, reset] : limits.used_up)
    items.push_back(
        {fmt::format("used up: {}{}", limit, reset.empty() ? "" : ", reset " + reset), Style::warn});
  for (const auto& [header, value] : limits.headers)
    items.push_back({fmt::format("{}: {}", header, value), Style::dim});
  if (!items.empty()) page.items(" Rate limits", items);
}

void print_sent_again(const PointResult& point, Page& page) {
  if (point.retries == 0) return;
  page.items(" Retries",
             {{counted(point.retried_requests, "request", "requests") + " sent again", Style::warn},
              {counted(point.retries, "retry", "retries") + " in all"},
              {point.find("ttft_response") || point.find("e2e_response")
                   ? "only times \"incl. delay\" include all tries"
                   : "no answer among them",
               Style::dim}});
}

}  // namespace

void print_rates(const PointResult& point, Page& page) {
  Table table{.columns = {{.head = "", .sub = "", .kind = CellKind::words, .least = kRateNameColumns}},
              .even = true};
  for (const auto& shown : shown_figures(FigureOutput::rates)) {
    if (is_rate_of(point, *shown.figure))
      table.columns.push_back(
          {rate_head(*shown.figure, counts_events(point)), "", CellKind::number, shown.at.rank});
  }
  table.section({"Throughput"});
  if (point.steady)
    add_rates(" steady    " + seconds(point.steady->window_s), {point, *point.steady}, true, table);
  add_rates(" whole run " + seconds(point.whole.window_s), {point, point.whole}, !point.steady, table);
  print_table(table, page);
  if (point.output_per_gpu) page.line({{fmt::format("  {} tok/s out a GPU", figure(*point.output_per_gpu))}});
  if (!point.steady) page.prose({"  ", Style::dim}, why_not_steady(point), Style::dim);
  print_offered(point, page);
  page.blank();
}

bool was_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

Span point_note(const PointResult& point) {
  if (!was_measured(point)) return {"not measured", Style::dim};
  std::string note;
  if (!point.validity.trustworthy) add_words(note, "not to be trusted");
  if (point.validity.partial) add_words(note, "partial");
  for (const auto& entry : point.outcomes) {
    if (is_failure(entry.outcome))
      add_words(note,
                fmt::format("{} {}", format_count(entry.count), words_for(entry.outcome, entry.status)));
  }
  const Style style = note.empty() ? Style::warn : Style::bad;
  add_words(note, without_steady_rate(point));
  return {note, note.empty() ? Style::plain : style};
}

void print_ends(const std::vector<OutcomeCount>& outcomes, Page& page) {
  for (const auto& entry : outcomes) {
    const std::string_view advice = advice_for(entry.outcome, entry.status, entry.example);
    if (is_failure(entry.outcome) || !advice.empty()) print_ending(entry, page);
    page.prose({"     "}, advice);
  }
}

void print_requests(const PointResult& point, Page& page) {
  page.items(" Requests", count_items(point));
  print_ends(point.outcomes, page);
  print_marks(point, page);
}

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

void print_slo(const PointResult& point, Page& page) {
  if (!point.slo) return;
  const SloResult& slo = *point.slo;
  std::vector<Span> items;
  if (slo.each.size() == 1 && slo.requests > 0) {
    items.push_back({slo.each[0].first + " " + all_of(slo), Style::bold});
  } else {
    for (const auto& [text, share] : slo.each) items.push_back(alone(slo, text, share));
    if (slo.requests > 0) items.push_back({"all " + all_of(slo), Style::bold});
  }
  if (slo.requests > 0) items.push_back({fmt::format("goodput {} req/s", figure(slo.goodput)), Style::bold});
  for (const auto& [text, count] : slo.without)
    items.push_back({fmt::format("{} without the figure of {}, and miss it",
                                 counted(count, "answer is", "answers are"), text),
                     Style::warn});
  for (const auto& [text, count] : slo.unjudged) {
    if (slo.requests > 0)
      items.push_back({fmt::format("{} not judged by {}: the speed is not known",
                                   counted(count, "answer is", "answers are"), text),
                       Style::warn});
  }
  page.items(" SLOs", items);
}

void print_facts(const PointResult& point, Page& page) {
  print_cache(point, page);
  if (point.cost) print_cost(*point.cost, page);
  if (point.rate_limits) print_limits(*point.rate_limits, page);
  print_sent_again(point, page);
}

}  // namespace infermeter
