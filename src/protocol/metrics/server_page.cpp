#include "protocol/metrics/server_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "model/server_quantities.hpp"
#include "protocol/metrics/exposition.hpp"
#include "protocol/metrics/server_names.hpp"

namespace infermeter {
namespace {

enum class Part : std::uint8_t { value, sum, count, bucket };

/// One sample of a known series.
struct Entry {
  const KnownSeries* row = nullptr;
  Part part = Part::value;
  double edge = 0;  // of a bucket
  double value = 0;
  std::string model;
};

/// The form in which names are known: `vllm:prompt_tokens_total` is `vllm_prompt_tokens`.
std::string known_form(std::string_view name) {
  constexpr std::string_view total = "_total";
  if (name.ends_with(total)) name.remove_suffix(total.size());
  std::string out(name);
  const std::size_t colon = out.find(':');
  if (colon != std::string::npos) out[colon] = '_';
  return out;
}

struct PartName {
  std::string_view suffix;
  Part part;
};
constexpr PartName kParts[] = {{"_sum", Part::sum}, {"_count", Part::count}, {"_bucket", Part::bucket}};

/// What a name on a page stands for.
struct KnownName {
  std::span<const KnownSeries> rows;
  Part part = Part::value;
};

/// A histogram's parts have its name with a suffix, all else the name itself.
KnownName look_up(std::string_view name_on_page) {
  const std::string name = known_form(name_on_page);
  const auto is_time = [](const KnownSeries& row) { return row.kind == SeriesKind::time; };
  const auto rows = known_series(name);
  if (!rows.empty() && !is_time(rows.front())) return {rows, Part::value};
  for (const auto& [suffix, part] : kParts) {
    if (!name.ends_with(suffix)) continue;
    const auto whole = known_series(std::string_view(name).substr(0, name.size() - suffix.size()));
    if (!whole.empty() && is_time(whole.front())) return {whole, part};
  }
  return {};
}

class Entries {
 public:
  explicit Entries(std::string_view page);
  std::vector<Entry> all;
  std::optional<double> process_start;
  bool any = false;  // a line of metrics, known or not

 private:
  void take(const MetricSample& sample, const KnownName& known);
};

/// The series of one name stand beneath each other.
Entries::Entries(std::string_view page) {
  ExpositionReader reader(page);
  std::string_view name;
  KnownName known;
  for (MetricSample sample; reader.next(sample);) {
    any = true;
    if (sample.name == "process_start_time_seconds") process_start = sample.value;
    if (sample.name != name) known = look_up(sample.name);
    name = sample.name;
    take(sample, known);
  }
}

double edge_of(const MetricSample& sample) {
  const std::string_view text = sample.label("le");
  if (text == "+Inf" || text == "Inf") return std::numeric_limits<double>::infinity();
  double edge = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), edge);
  return edge;
}

void Entries::take(const MetricSample& sample, const KnownName& known) {
  if (known.rows.empty() || !std::isfinite(sample.value) || sample.value < 0) return;
  const double edge = known.part == Part::bucket ? edge_of(sample) : 0;
  if (std::isnan(edge)) return;
  const std::string_view model = sample.label("model_name");
  for (const auto& row : known.rows) {
    if (!row.label.empty() && sample.label(row.label) != row.value) continue;
    all.push_back(
        {&row, known.part, edge, sample.value, std::string(model.empty() ? sample.label("model") : model)});
  }
}

/// Drops the series of other models. Returns the problem if all are of others.
std::string keep_model(std::vector<Entry>& entries, std::string_view model) {
  std::set<std::string> models;
  for (const auto& entry : entries) {
    if (!entry.model.empty()) models.insert(entry.model);
  }
  const bool named = models.contains(std::string(model));
  if (!named && models.size() > 1)
    return fmt::format("its models are {}, not '{}'", fmt::join(models, ", "), model);
  if (named)
    std::erase_if(entries, [&](const Entry& entry) { return !entry.model.empty() && entry.model != model; });
  return {};
}

/// A page can have names of two servers, as a router's has; those of the one with most are used.
std::string_view keep_server(std::vector<Entry>& entries) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& entry : entries) ++counts[entry.row->from];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  std::erase_if(entries, [&](const Entry& entry) { return entry.row->from != most->first; });
  return most->first;
}

/// All entries of one quantity under the names of the lowest rank.
using Quantity = std::pair<SeriesKind, std::string_view>;
std::map<Quantity, std::vector<const Entry*>> by_quantity(const std::vector<Entry>& entries) {
  std::map<Quantity, std::vector<const Entry*>> out;
  for (const auto& entry : entries) {
    auto& group = out[{entry.row->kind, entry.row->quantity}];
    if (!group.empty() && group.front()->row->rank < entry.row->rank) continue;
    if (!group.empty() && group.front()->row->rank > entry.row->rank) group.clear();
    group.push_back(&entry);
  }
  return out;
}

double joined(const std::vector<const Entry*>& group) {
  double sum = 0;
  for (const auto* entry : group) sum += entry->value * entry->row->scale;
  const auto* quantity = find_server_quantity(group.front()->row->quantity);
  return quantity->kind == QuantityKind::share ? sum / static_cast<double>(group.size()) : sum;
}

std::optional<ServerHistogram> joined_histogram(const std::vector<const Entry*>& group) {
  ServerHistogram out;
  std::map<double, double> buckets;
  bool has_sum = false, has_count = false;
  for (const auto* entry : group) {
    const double scale = entry->row->scale;
    if (entry->part == Part::bucket) buckets[entry->edge * scale] += entry->value;
    if (entry->part == Part::sum) out.sum += entry->value * scale, has_sum = true;
    if (entry->part == Part::count) out.count += entry->value, has_count = true;
  }
  const auto infinite = buckets.find(std::numeric_limits<double>::infinity());
  if (!has_count && infinite != buckets.end()) out.count = infinite->second, has_count = true;
  if (!has_sum || !has_count) return std::nullopt;
  out.buckets.assign(buckets.begin(), buckets.end());
  return out;
}

/// Servers that give the used blocks and all, and not their ratio.
void add_ratio(ServerValues<double>& gauges) {
  const double* used = find_value(gauges, "kv_used");
  const double* all = find_value(gauges, "kv_max");
  if (find_value(gauges, "kv_cache") == nullptr && used != nullptr && all != nullptr && *all > 0)
    gauges.emplace_back("kv_cache", *used / *all);
}

void add(Scrape& scrape, const Quantity& quantity, const std::vector<const Entry*>& group) {
  const auto& [kind, of] = quantity;
  const std::string name(of);
  switch (kind) {
    case SeriesKind::gauge:
      scrape.gauges.emplace_back(name, joined(group));
      return;
    case SeriesKind::counter:
      scrape.counters.emplace_back(name, joined(group));
      return;
    case SeriesKind::time:
      if (auto histogram = joined_histogram(group)) scrape.times.emplace_back(name, std::move(*histogram));
      return;
    case SeriesKind::time_sum:
      if (const double* requests = find_value(scrape.counters, "requests"))
        scrape.times.emplace_back(name, ServerHistogram{joined(group), *requests, {}});
      return;
  }
}

}  // namespace

ServerPage read_server_page(std::string_view page, std::string_view model) {
  ServerPage out;
  Entries entries(page);
  out.scrape.process_start_s = entries.process_start;
  if (!entries.any) {
    out.problem = "it is no page of metrics";
    return out;
  }
  out.known = !entries.all.empty();
  out.problem = keep_model(entries.all, model);
  if (!out.problem.empty()) return out;
  if (entries.all.empty()) {
    out.problem = "it has no metrics of an inference server";
    return out;
  }
  out.scrape.from = keep_server(entries.all);
  // In the order of kinds: counters come before the sums that are divided by them.
  for (const auto& [quantity, group] : by_quantity(entries.all)) add(out.scrape, quantity, group);
  add_ratio(out.scrape.gauges);
  return out;
}

}  // namespace infermeter
