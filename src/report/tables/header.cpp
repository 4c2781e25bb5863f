#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "infermeter/base/units.hpp"
#include "infermeter/report/table.hpp"
#include "model/load.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/sections.hpp"
#include "report/text/page.hpp"
#include "report/text/text.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

/// "4096" → "4,096"; "uniform:1k,8k" stays as people write it.
std::string length_words(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    return text;
  return format_count(parse_count("tokens", text));
}

/// One side of "8k/1k".
std::string side(const std::string& shape, bool output) {
  const auto slash = shape.find('/');
  if (slash == std::string::npos) return {};
  return output ? shape.substr(slash + 1) : shape.substr(0, slash);
}

std::string asked(std::uint32_t tokens, const LoadPoint* load, bool output, const std::string& own) {
  if (load && !load->shape.empty() && tokens == 0) return side(load->shape, output);
  return tokens > 0 ? format_count(tokens) : length_words(own);
}

std::string items_words(const Workload& work) {
  std::string text;
  if (work.items > 0) text = counted(work.items, "item", "items");
  if (work.bad_lines > 0)
    text += (text.empty() ? "" : ", ") + counted(work.bad_lines, "bad line", "bad lines") + " skipped";
  return text.empty() ? text : " (" + text + ")";
}

std::string workload_words(const Workload& work, const LoadPoint* load) {
  const std::string out = asked(load ? load->output_tokens : 0, load, true, work.output_tokens);
  const std::string in = asked(load ? load->input_tokens : 0, load, false, work.input_tokens);
  const std::string exactly = work.exact_output ? "exactly " : "";
  if (work.source == "synthetic" || work.source.empty()) {
    const std::string text = in + " tokens in";
    return out.empty() ? text : fmt::format("{}, {}{} out", text, exactly, out);
  }
  const std::string from = work.source == "prompt" ? "the prompt given" : "prompts of " + work.source;
  const std::string text = from + items_words(work);
  if (out.empty()) return text;
  return fmt::format("{}, {}{} out", text, work.exact_output ? "exactly " : "at most ", out);
}

std::string price_words(const Prices& prices) {
  if (prices.per_hour) return fmt::format("${:.6g} an hour", *prices.per_hour);
  std::string text;
  const auto add = [&](const std::optional<double>& price, const char* of) {
    if (price) text += fmt::format("{}${:.6g} {}", text.empty() ? "" : ", ", *price, of);
  };
  add(prices.input_per_million, "in");
  add(prices.cached_per_million, "cached");
  add(prices.cache_write_per_million, "written to the cache");
  add(prices.output_per_million, "out");
  return text.empty() ? text : text + " a million tokens";
}

std::vector<Span> facts_of(const TargetFacts& target) {
  std::vector<Span> facts;
  if (!target.region.empty()) facts.push_back({target.region, Style::dim});
  if (!target.engine.empty())
    facts.push_back({target.engine + (target.version.empty() ? "" : " " + target.version), Style::dim});
  if (target.replicas.size() > 1)
    facts.push_back({fmt::format("{} replicas in turn", target.replicas.size()), Style::dim});
  if (target.gpus > 0) facts.push_back({counted(target.gpus, "GPU", "GPUs"), Style::dim});
  if (target.prices.any()) facts.push_back({price_words(target.prices), Style::dim});
  if (!target.proxy.empty()) facts.push_back({"through the proxy " + target.proxy, Style::warn});
  if (target.rtt_ms) facts.push_back({fmt::format("round trip {} ms", figure(*target.rtt_ms)), Style::dim});
  return facts;
}

void print_notes(const TargetFacts& target, const std::string& indent, Page& page) {
  for (const auto& note : target.notes) page.prose({indent + "! ", Style::warn}, note);
}

std::string model_words(const TargetFacts& target) {
  const bool told = target.model_source.empty() || target.model_source == "asked for";
  return target.model + (told ? "" : fmt::format(" ({})", target.model_source));
}

void print_target(const TargetFacts& target, Page& page) {
  std::vector<Span> first;
  if (!target.label.empty()) first.push_back({target.label, Style::bold});
  first.push_back({target.url, Style::bold});
  if (!target.model.empty()) first.push_back({model_words(target)});
  page.items("", first, 0);
  const std::vector<Span> facts = facts_of(target);
  if (!facts.empty()) page.items("", facts, 0);
  print_notes(target, "", page);
}

/// One of several: everything in one line, where it fits.
void print_target(const TargetFacts& target, std::size_t name_columns, Page& page) {
  std::vector<Span> items;
  if (name_columns > 0)
    items.push_back({pad_right(page.fit(label_or_name(target)), name_columns), Style::bold});
  items.push_back({target.url});
  if (!target.model.empty()) items.push_back({model_words(target)});
  for (auto& fact : facts_of(target)) items.push_back(std::move(fact));
  page.items("", items, 2);
  print_notes(target, "  ", page);
}

void print_targets(const std::vector<TargetFacts>& targets, Page& page) {
  std::size_t name_columns = 0;
  for (const auto& target : targets)
    name_columns = std::max(name_columns, columns(page.fit(label_or_name(target))));
  for (const auto& target : targets) {
    if (targets.size() == 1) {
      print_target(target, page);
    } else {
      print_target(target, name_columns, page);
    }
  }
}

std::string order_words(const RunResult& result) {
  if (result.target_order == TargetOrder::alternate)
    return "one target at a time, in short alternating blocks";
  if (result.target_order == TargetOrder::sequential) return "one target after the other";
  if (result.target_order == TargetOrder::pairs) return "whole runs in pairs, in turn";
  return "all targets at the same time";
}

const ClassLoad* load_of(const LoadPoint& load, const std::string& name) {
  const auto it = std::ranges::find(load.classes, name, &ClassLoad::name);
  return it == load.classes.end() ? nullptr : &*it;
}

void print_class(const Workload& work, const LoadPoint& load, std::size_t name_columns, Page& page) {
  const ClassLoad* own = load_of(load, work.name);
  std::vector<Span> items{{pad_right("  " + page.fit(work.name), name_columns + 2), Style::bold}};
  if (own && own->probe) {
    items.push_back({"a probe beside the load"});
  } else if (own && own->own_loop) {
    items.push_back({"a load of its own"});
  } else {
    items.push_back({fmt::format("{:.3g} %", 100 * work.share)});
  }
  items.push_back({workload_words(work, nullptr)});
  for (const auto& slo : own ? own->slos : std::vector<Threshold>{}) items.push_back({slo.text, Style::dim});
  page.items("", items, 4);
}

void print_classes(const RunResult& result, Page& page) {
  std::size_t name_columns = 0;
  for (const auto& work : result.classes) name_columns = std::max(name_columns, columns(page.fit(work.name)));
  for (const auto& work : result.classes) print_class(work, result.points.front().load, name_columns, page);
}

bool several_shapes(const RunResult& result) {
  return std::ranges::any_of(
      result.points, [&](const PointResult& p) { return p.load.shape != result.points.front().load.shape; });
}

/// For a gate, the pairs that were measured: the number planned is a maximum that few gates reach.
std::string runs_words(const RunResult& result) {
  if (result.target_order != TargetOrder::pairs)
    return result.runs > 1 ? fmt::format("{} runs of each", result.runs) : std::string();
  std::set<std::uint32_t> pairs;
  for (const auto& point : result.points) {
    if (was_measured(point)) pairs.insert(point.point);
  }
  return pairs.empty() ? std::string() : counted(pairs.size(), "pair", "pairs");
}

std::vector<Span> load_items(const RunResult& result) {
  const LoadPoint& load = result.points.front().load;
  std::vector<Span> items;
  if (!result.scenario.empty()) items.push_back({"scenario " + result.scenario, Style::bold});
  if (result.classes.size() > 1) {
    items.push_back({fmt::format("{} classes of traffic", result.classes.size())});
  } else if (!several_shapes(result)) {
    items.push_back({workload_words(result.workload, &load)});
  }
  if (!result.shard.whole())
    items.push_back(
        {fmt::format("shard {} of {} (from 0)", result.shard.rank, result.shard.of), Style::bold});
  items.push_back({loads_words(result.points)});
  items.push_back({extents_words(result.points)});
  const std::string runs = runs_words(result);
  if (!runs.empty()) items.push_back({runs});
  if (load.max_retries > 0)
    items.push_back({"up to " + counted(load.max_retries, "retry", "retries") + " a request"});
  if (result.targets.size() > 1) items.push_back({order_words(result)});
  items.push_back({fmt::format("seed {}", load.seed)});
  for (const auto& [key, value] : result.labels)
    items.push_back({fmt::format("{}={}", key, value), Style::dim});
  return items;
}

/// The calibration of each class's prompt lengths; once where it is the same for all.
void print_calibration(const RunResult& result, Page& page) {
  std::vector<std::string> said;
  const auto say = [&](const Workload& work) {
    if (work.calibration.empty() || std::ranges::find(said, work.calibration) != said.end()) return;
    said.push_back(work.calibration);
    page.prose({"prompt lengths: ", Style::dim}, work.calibration, Style::dim);
  };
  say(result.workload);
  for (const auto& work : result.classes) say(work);
}

}  // namespace

void print_header(const RunResult& result, Page& page) {
  print_targets(result.targets, page);
  if (result.points.empty()) return;
  page.items("", load_items(result), 0);
  if (result.classes.size() > 1) print_classes(result, page);
  print_calibration(result, page);
}

std::string render_header(const RunResult& result, const TableOptions& options) {
  Page page(options);
  print_header(result, page);
  return page.take();
}

}  // namespace infermeter
