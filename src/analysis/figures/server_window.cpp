#include "analysis/figures/server_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/server_quantities.hpp"

namespace infermeter {
namespace {

using Page = std::vector<const Scrape*>;  // of one address, by time
/// What is added up, in the order of server_quantities().
struct Sums {
  std::map<std::string, double, std::less<>> counts;
  std::map<std::string, ServerHistogram, std::less<>> times;
  std::map<std::string, GaugeSummary, std::less<>> gauges;
};

constexpr std::size_t kFewestLevels = 3;

/// By how much a value grew; after a restart it began anew.
double grown(const double* before, double after) {
  return before == nullptr || after < *before ? after : after - *before;
}

/// Told when a request ends, of its whole life; the others when they happen.
bool told_at_end(std::string_view quantity) {
  constexpr std::array<std::string_view, 6> kAtEnd{"queue", "prefill", "decode", "inference", "tpot", "e2e"};
  return std::ranges::find(kAtEnd, quantity) != kAtEnd.end();
}

/// A series that appears with its first observation (speculation) began at 0.
void add_counts(const Scrape& before, const Scrape& after, Sums& sums) {
  for (const auto& [name, value] : after.counters)
    sums.counts[name] += grown(find_value(before.counters, name), value);
}

void add_times(const Scrape& before, const Scrape& after, bool at_end, Sums& sums) {
  for (const auto& [name, histogram] : after.times) {
    if (told_at_end(name) != at_end) continue;
    const ServerHistogram* old = find_value(before.times, name);
    if (old != nullptr && histogram.count < old->count) old = nullptr;  // restarted
    auto& sum = sums.times[name];
    sum.sum += grown(old ? &old->sum : nullptr, histogram.sum);
    sum.count += grown(old ? &old->count : nullptr, histogram.count);
    std::map<double, double> buckets(sum.buckets.begin(), sum.buckets.end());
    const auto earlier =
        old ? std::map(old->buckets.begin(), old->buckets.end()) : std::map<double, double>();
    for (const auto& [edge, count] : histogram.buckets) {
      const auto it = earlier.find(edge);
      buckets[edge] += grown(it == earlier.end() ? nullptr : &it->second, count);
    }
    sum.buckets.assign(buckets.begin(), buckets.end());
  }
}

bool fell(const Scrape& before, const Scrape& after) {
  return std::ranges::any_of(after.counters, [&](const auto& counter) {
    const double* old = find_value(before.counters, counter.first);
    return old != nullptr && counter.second < *old;
  });
}

/// Whether the scrapes came from different servers behind one address: the start of the process comes back
/// after another one's, or counters fell more than once.
bool alternates(const Page& page) {
  std::vector<double> starts;
  std::size_t falls = 0;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (i > 0 && fell(*page[i - 1], *page[i])) ++falls;
    const auto& start = page[i]->process_start_s;
    if (!start || (!starts.empty() && starts.back() == *start)) continue;
    if (std::ranges::find(starts, *start) != starts.end()) return true;
    starts.push_back(*start);
  }
  return starts.empty() && falls > 1;
}

std::size_t nearest(const Page& page, std::int64_t at_us) {
  const auto away = [&](const Scrape* scrape) { return std::abs(scrape->at_us - at_us); };
  return static_cast<std::size_t>(std::ranges::min_element(page, {}, away) - page.begin());
}

struct Span {
  std::int64_t from_us, to_us;
};

std::vector<Span> spans_of(const Window& window) {
  std::vector<Span> spans;
  for (const auto& block : window.blocks)
    spans.push_back({static_cast<std::int64_t>(block.from_us), static_cast<std::int64_t>(block.to_us)});
  if (spans.empty()) spans.push_back({window.from_us, window.to_us});
  return spans;
}

/// The end of the last request of the warm-up within the span, or its start.
std::int64_t warm_up_end(const Records& all, const Span& span) {
  std::int64_t end = span.from_us;
  for (const auto* record : all) {
    if (record->phase == Phase::measured || !record->end_us) continue;
    if (*record->end_us <= span.to_us) end = std::max(end, *record->end_us);
  }
  return end;
}

/// The levels of several replicas are added up, their shares averaged.
void add_levels(const Page& inside, double pages, Sums& sums) {
  if (inside.size() < kFewestLevels) return;
  std::map<std::string, std::vector<double>> samples;
  for (const auto* scrape : inside) {
    for (const auto& [name, value] : scrape->gauges) samples[name].push_back(value);
  }
  for (const auto& [name, values] : samples) {
    if (values.size() < kFewestLevels) continue;
    const auto* quantity = find_server_quantity(name);
    const bool share = quantity != nullptr && quantity->kind == QuantityKind::share;
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    auto& summary = sums.gauges[name];
    summary.name = name;
    summary.mean += share ? mean / pages : mean;
    const double most = std::ranges::max(values);
    summary.max = share ? std::max(summary.max, most) : summary.max + most;
  }
}

/// A level of all replicas when the first of them was asked: those of the others are the last before.
std::optional<double> level_at(const std::vector<Page>& pages, std::string_view name, std::int64_t at_us) {
  double sum = 0;
  std::size_t known = 0;
  for (const auto& page : pages) {
    const auto after = std::ranges::upper_bound(page, at_us, {}, &Scrape::at_us);
    const double* value = after == page.begin() ? nullptr : find_value((*std::prev(after))->gauges, name);
    if (value != nullptr) sum += *value, ++known;
  }
  if (known == 0) return std::nullopt;
  const bool share = find_server_quantity(name)->kind == QuantityKind::share;
  return share ? sum / static_cast<double>(known) : sum;
}

/// Of the first replica's scrapes within the window, at most kMostLevels.
std::vector<ServerLevels> course_of(const std::vector<Page>& pages, const Window& window) {
  constexpr std::size_t kMostLevels = 300;
  Page inside;
  for (const auto* scrape : pages.front()) {
    if (window.contains(scrape->at_us)) inside.push_back(scrape);
  }
  const std::size_t step = inside.size() / kMostLevels + 1;
  std::vector<ServerLevels> out;
  for (std::size_t i = 0; i < inside.size(); i += step) {
    const std::int64_t at = inside[i]->at_us;
    out.push_back({static_cast<double>(at) / 1e6, level_at(pages, "running", at),
                   level_at(pages, "waiting", at), level_at(pages, "kv_cache", at)});
  }
  return out;
}

/// As Prometheus does it: linear within the bucket.
Percentile percentile_in(const ServerHistogram& histogram, double percentile) {
  const double rank = histogram.count * percentile / 100;
  double edge_before = 0, count_before = 0;
  Percentile out{.percentile = percentile};
  for (const auto& [edge, count] : histogram.buckets) {
    if (count >= rank && count > count_before) {
      out.low = edge_before * 1e3;
      if (!std::isfinite(edge)) {
        out.value = *out.low;
        return out;
      }
      out.high = edge * 1e3;
      out.value = *out.low + (*out.high - *out.low) * (rank - count_before) / (count - count_before);
      return out;
    }
    count_before = count;
    if (std::isfinite(edge)) edge_before = edge;
  }
  out.value = std::numeric_limits<double>::quiet_NaN();
  return out;
}

constexpr std::array kPercentiles{50.0, 90.0, 95.0, 99.0};

Metric metric_of(const std::string& name, const ServerHistogram& histogram) {
  constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  Metric metric{.name = name,
                .unit = "ms",
                .count = static_cast<std::uint64_t>(std::llround(histogram.count)),
                .mean = 1e3 * histogram.sum / histogram.count,
                .stddev = absent,
                .min = absent,
                .max = absent,
                .n_eff = 0,
                .percentiles = {}};
  for (const double percentile : kPercentiles) {
    const Percentile value = percentile_in(histogram, percentile);
    if (!std::isnan(value.value)) metric.percentiles.push_back(value);
  }
  return metric;
}

void write_out(const Sums& sums, ServerWindow& out) {
  for (const auto& quantity : server_quantities()) {
    if (const auto it = sums.times.find(quantity.name); it != sums.times.end() && it->second.count > 0)
      out.times.push_back(metric_of(it->first, it->second));
    if (const auto it = sums.gauges.find(quantity.name); it != sums.gauges.end())
      out.gauges.push_back(it->second);
    if (const auto it = sums.counts.find(quantity.name); it != sums.counts.end())
      out.counts.emplace_back(it->first, it->second);
  }
}

std::uint64_t count_own(const Records& all, std::span<const Span> spans) {
  const auto inside = [&](const RequestRecord* record) {
    return record->status == 200 && record->end_us && std::ranges::any_of(spans, [&](const Span& span) {
             return *record->end_us > span.from_us && *record->end_us <= span.to_us;
           });
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(all, inside));
}

}  // namespace

std::optional<ServerWindow> server_window(std::span<const Scrape> scrapes, const Window& window,
                                          const Records& all) {
  if (scrapes.empty()) return std::nullopt;
  ServerWindow out;
  std::map<std::string, Page> pages;
  for (const auto& scrape : scrapes) {
    if (scrape.problem.empty()) {
      pages[scrape.page].push_back(&scrape);
      out.from = scrape.from;
    } else if (scrape.at_us <= window.to_us || out.problem.empty()) {
      if (scrape.at_us >= window.from_us && scrape.at_us <= window.to_us) ++out.failed;
      out.problem = fmt::format("{}: {}", scrape.page, scrape.problem);
    }
  }
  Sums sums;
  std::vector<Span> between;
  for (auto& [address, page] : pages) {
    std::ranges::stable_sort(page, {}, &Scrape::at_us);
    if (alternates(page)) {
      out.missing = fmt::format(
          "{} is several servers in turn: its counters go back and forth. Name each replica's page "
          "(--metrics-url)",
          address);
      return out;
    }
    Page inside;
    for (const auto& span : spans_of(window)) {
      const std::size_t first = nearest(page, span.from_us), last = nearest(page, span.to_us);
      if (first >= last) continue;
      // Requests of the warm-up that end in the measurement had its queue.
      const std::size_t settled = std::min(nearest(page, warm_up_end(all, span)), last - 1);
      for (std::size_t i = first; i < last; ++i) {
        add_counts(*page[i], *page[i + 1], sums);
        add_times(*page[i], *page[i + 1], false, sums);
        if (i >= settled) add_times(*page[i], *page[i + 1], true, sums);
      }
      for (std::size_t i = first; i <= last; ++i) {
        if (page[i]->at_us >= span.from_us && page[i]->at_us <= span.to_us) inside.push_back(page[i]);
      }
      between.push_back({page[first]->at_us, page[last]->at_us});
      out.scrapes += last - first + 1;
    }
    add_levels(inside, static_cast<double>(pages.size()), sums);
  }
  if (between.empty()) {
    const bool failed = out.failed > 0 || pages.empty();
    out.missing = failed ? out.problem : "they were read only once during the measurement";
    return out;
  }
  out.from_s = static_cast<double>(std::ranges::min(between, {}, &Span::from_us).from_us) / 1e6;
  out.to_s = static_cast<double>(std::ranges::max(between, {}, &Span::to_us).to_us) / 1e6;
  out.own_requests = count_own(all, between);
  std::vector<Page> by_page;
  for (const auto& [address, page] : pages) by_page.push_back(page);
  out.course = course_of(by_page, window);
  write_out(sums, out);
  return out;
}

}  // namespace infermeter
