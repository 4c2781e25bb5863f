#include "report/formats/vllm_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "base/json_tree.hpp"
#include "infermeter/base/errors.hpp"
#include "model/load.hpp"
#include "report/formats/vllm_keys.hpp"

namespace infermeter {
namespace {

using SavedJson = nlohmann::json;

constexpr std::string_view kEnding = "_ms";

std::optional<double> number(const SavedJson& saved, std::string_view key) {
  const auto it = saved.find(key);
  return it != saved.end() && it->is_number() ? std::optional(it->get<double>()) : std::nullopt;
}

double needed(const SavedJson& saved, std::string_view key) {
  const auto value = number(saved, key);
  if (!value) throw EnvironmentError(fmt::format("no vLLM bench result: {} is not a number", key));
  return *value;
}

std::uint64_t count(const SavedJson& saved, std::string_view key) {
  return static_cast<std::uint64_t>(std::max(0.0, number(saved, key).value_or(0)));
}

std::string text(const SavedJson& saved, std::string_view key) {
  const auto it = saved.find(key);
  return it != saved.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// 99 for "p99_ttft_ms" of `ttft`; nothing for another key.
std::optional<double> percentile_in(std::string_view key, std::string_view name) {
  const std::string ending = fmt::format("_{}{}", name, kEnding);
  if (!key.starts_with('p') || !key.ends_with(ending)) return std::nullopt;
  const std::string_view digits = key.substr(1, key.size() - 1 - ending.size());
  double out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(out) : std::nullopt;
}

std::optional<Metric> metric_of(const SavedJson& saved, std::string_view theirs, std::string_view ours,
                                std::uint64_t completed) {
  Metric metric;
  metric.name = ours;
  metric.unit = "ms";
  metric.count = completed;
  const auto mean = number(saved, fmt::format("mean_{}{}", theirs, kEnding));
  if (!mean || completed == 0) return std::nullopt;
  metric.mean = *mean;
  metric.stddev = number(saved, fmt::format("std_{}{}", theirs, kEnding)).value_or(0);
  if (const auto median = number(saved, fmt::format("median_{}{}", theirs, kEnding)))
    metric.percentiles.push_back({50, *median, {}, {}});
  for (const auto& [key, value] : saved.items()) {
    const auto percentile = percentile_in(key, theirs);
    if (percentile && *percentile != 50 && value.is_number())
      metric.percentiles.push_back({*percentile, value.get<double>(), {}, {}});
  }
  std::ranges::sort(metric.percentiles, {}, &Percentile::percentile);
  return metric;
}

/// The shape of the gaps' gamma distribution; infinite (read as null) where they are even.
void set_arrival(const SavedJson& saved, LoadPoint& load) {
  const auto it = saved.find(vllm::kBurstiness);
  if (it != saved.end() && it->is_null()) {
    load.arrival = Arrival::constant;
    return;
  }
  const double burstiness = number(saved, vllm::kBurstiness).value_or(1);
  load.arrival = burstiness == 1 ? Arrival::poisson : Arrival::gamma;
  if (burstiness > 0) load.cv = 1 / std::sqrt(burstiness);
}

/// Without a rate and a cap all prompts are sent at once: their number is the concurrency.
LoadPoint load_of(const SavedJson& saved) {
  LoadPoint load;
  load.requests = count(saved, vllm::kNumPrompts);
  load.arrival = Arrival::closed;
  const auto cap = static_cast<std::uint32_t>(count(saved, vllm::kMaxConcurrency));
  load.concurrency = cap > 0 ? cap : std::max(1u, static_cast<std::uint32_t>(*load.requests));
  const auto rate = number(saved, vllm::kRequestRate);
  if (!rate || !std::isfinite(*rate)) return load;
  load.open_loop = true;
  load.rate = *rate;
  load.concurrency = 1;
  load.max_in_flight = cap;
  set_arrival(saved, load);
  return load;
}

Rates rates_of(const SavedJson& saved) {
  Rates rates;
  rates.window_s = needed(saved, vllm::kDuration);
  rates.request = needed(saved, vllm::kRequestThroughput);
  rates.output = number(saved, vllm::kOutputThroughput).value_or(0);
  rates.total = number(saved, vllm::kTotalTokenThroughput).value_or(0);
  rates.input = std::max(0.0, rates.total - rates.output);
  return rates;
}

/// Requests that met all SLOs; an older version wrote the key with a colon.
std::optional<SloResult> slo_of(const SavedJson& saved, const PointResult& point) {
  auto goodput = number(saved, vllm::kRequestGoodput);
  if (!goodput) goodput = number(saved, fmt::format("{}:", vllm::kRequestGoodput));
  if (!goodput || point.requests == 0) return std::nullopt;
  SloResult slo;
  slo.goodput = *goodput;
  slo.requests = point.requests;
  slo.met = static_cast<std::uint64_t>(std::llround(*goodput * point.whole.window_s));
  slo.attainment = slo.low = slo.high = static_cast<double>(slo.met) / static_cast<double>(slo.requests);
  return slo;
}

/// Older versions did not count failed requests.
std::uint64_t failed_of(const SavedJson& saved, std::uint64_t completed) {
  if (number(saved, vllm::kFailed)) return count(saved, vllm::kFailed);
  return std::max(count(saved, vllm::kNumPrompts), completed) - completed;
}

PointResult point_of(const SavedJson& saved) {
  PointResult point;
  point.load = load_of(saved);
  point.ok = static_cast<std::uint64_t>(needed(saved, vllm::kCompleted));
  const std::uint64_t failed = failed_of(saved, point.ok);
  point.requests = point.ok + failed;
  point.outcomes = {{Outcome::ok, 0, point.ok, ""}};
  if (failed > 0) point.outcomes.push_back({Outcome::http_error, 0, failed, ""});
  point.prompt_tokens = count(saved, vllm::kTotalInputTokens);
  point.output_tokens = count(saved, vllm::kTotalOutputTokens);
  point.whole = rates_of(saved);
  for (const auto& [theirs, ours] : vllm::kFigures) {
    if (auto metric = metric_of(saved, theirs, ours, point.ok)) point.metrics.push_back(std::move(*metric));
  }
  point.item_throughput = number(saved, vllm::kInputSequenceThroughput);
  point.slo = slo_of(saved, point);
  return point;
}

/// "20261129-121501", local time, as 2026-11-29T12:15:01.
std::string start_of(const SavedJson& saved) {
  const std::string date = text(saved, vllm::kDate);
  if (date.size() != 15 || date[8] != '-') return date;
  return fmt::format("{}-{}-{}T{}:{}:{}", date.substr(0, 4), date.substr(4, 2), date.substr(6, 2),
                     date.substr(9, 2), date.substr(11, 2), date.substr(13, 2));
}

constexpr double kMsPerSecond = 1e3;

/// One value per request, in seconds; nothing where the array is missing or has another length.
std::optional<std::vector<double>> array(const SavedJson& saved, const char* key, std::uint64_t requests) {
  const auto it = saved.find(key);
  if (it == saved.end() || !it->is_array() || it->size() != requests) return std::nullopt;
  std::vector<double> out;
  for (const auto& value : *it) out.push_back(value.is_number() ? value.get<double>() : 0);
  return out;
}

std::vector<double> gaps_of(const SavedJson& saved, std::size_t i) {
  std::vector<double> out;
  for (const auto& value : saved.at(vllm::kItls).at(i)) {
    if (value.is_number()) out.push_back(value.get<double>());
  }
  return out;
}

/// The arrays of one file. They hold zeros for failed requests.
class Arrays {
 public:
  Arrays(const SavedJson& saved, std::uint64_t requests)
      : saved_(saved),
        ttfts_(array(saved, vllm::kTtfts, requests)),
        latencies_(array(saved, vllm::kLatencies, requests)),
        starts_(array(saved, vllm::kStartTimes, requests)),
        lengths_(array(saved, vllm::kOutputLens, requests)),
        queues_(array(saved, vllm::kQueueTimes, requests)) {
    const auto it = saved.find(vllm::kItls);
    has_gaps_ = it != saved.end() && it->is_array() && it->size() == requests;
  }

  std::optional<double> ttft(std::size_t i) const { return value(ttfts_, i); }
  std::optional<double> queue(std::size_t i) const { return value(queues_, i); }
  /// From sending to the last event with a choice; older versions did not save it.
  std::optional<double> latency(std::size_t i) const {
    if (latencies_) return (*latencies_)[i];
    if (!ttfts_ || !has_gaps_) return std::nullopt;
    const auto gaps = gaps_of(saved_, i);
    return std::accumulate(gaps.begin(), gaps.end(), (*ttfts_)[i]);
  }
  std::optional<double> tpot(std::size_t i) const {
    if (!ttfts_ || !lengths_ || !latency(i) || (*lengths_)[i] < 2) return std::nullopt;
    return (*latency(i) - (*ttfts_)[i]) / ((*lengths_)[i] - 1);
  }
  /// Whether the request ended well: its error is empty, and its latency is above 0.
  bool is_good(std::size_t i) const {
    const auto errors = saved_.find(vllm::kErrors);
    const bool told = errors != saved_.end() && errors->is_array() && errors->size() > i;
    if (told && errors->at(i).is_string() && !errors->at(i).get_ref<const std::string&>().empty())
      return false;
    return latency(i).value_or(0) > 0;
  }
  void add_gaps(std::size_t i, std::vector<BenchGap>& out) const {
    if (!has_gaps_ || !starts_ || !ttfts_) return;
    double at = (*starts_)[i] + (*ttfts_)[i];
    for (const double gap : gaps_of(saved_, i)) {
      at += gap;
      out.push_back({at, gap * kMsPerSecond});
    }
  }

 private:
  using Values = std::optional<std::vector<double>>;
  static std::optional<double> value(const Values& values, std::size_t i) {
    return values ? std::optional((*values)[i]) : std::nullopt;
  }

  const SavedJson& saved_;
  Values ttfts_, latencies_, starts_, lengths_, queues_;
  bool has_gaps_ = false;
};

void add(std::vector<double>& values, std::optional<double> seconds) {
  if (seconds) values.push_back(*seconds * kMsPerSecond);
}

/// The arrays of --save-detailed, of `requests` requests with the failed ones; an array of another length is
/// ignored. Empty where there are none.
BenchSamples vllm_samples(const SavedJson& saved, std::uint64_t requests) {
  const Arrays arrays(saved, requests);
  BenchSeries queue{"client_queue", {}}, ttft{"ttft", {}}, tpot{"tpot", {}}, e2e{"e2e", {}};
  BenchSamples out;
  for (std::size_t i = 0; i < requests; ++i) {
    if (!arrays.is_good(i)) continue;
    add(queue.values, arrays.queue(i));
    add(ttft.values, arrays.ttft(i));
    add(tpot.values, arrays.tpot(i));
    add(e2e.values, arrays.latency(i));
    arrays.add_gaps(i, out.gaps);
  }
  for (auto* series : {&queue, &ttft, &tpot, &e2e}) {
    if (!series->values.empty()) out.series.push_back(std::move(*series));
  }
  return out;
}

void add_object(const SavedJson& saved, BenchRun& out) {
  if (!saved.is_object()) throw EnvironmentError("no vLLM bench result: not a JSON object");
  PointResult point = point_of(saved);
  point.point = static_cast<std::uint32_t>(out.run.points.size());
  point.load.run = 1 + static_cast<std::uint32_t>(std::ranges::count_if(out.run.points, [&](const auto& p) {
                     return load_id(p.load) == load_id(point.load);
                   }));
  out.run.runs = std::max(out.run.runs, point.load.run);
  BenchSamples samples = vllm_samples(saved, point.requests);
  samples.point = point.point;
  if (!samples.series.empty()) out.samples.push_back(std::move(samples));
  out.run.points.push_back(std::move(point));
}

/// Python writes Infinity and NaN, which JSON does not have; here they are unknown values. The replacement
/// may also change texts of the file, which are not read.
std::string without_python_numbers(std::string_view text) {
  std::string out(text);
  for (const std::string_view word : {": Infinity", ": -Infinity", ": NaN"}) {
    for (auto at = out.find(word); at != std::string::npos; at = out.find(word, at))
      out.replace(at, word.size(), ": null");
  }
  return out;
}

/// --append-result writes one object per line; the lines together are not JSON.
std::vector<SavedJson> objects_in(std::string_view text) {
  if (is_too_deep(text)) throw EnvironmentError(too_deep_words(json_levels(text)));
  std::vector<SavedJson> out{json_tree<SavedJson>(text)};
  if (!out.front().is_discarded()) return out;
  out.clear();
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view object = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (object.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    out.push_back(json_tree<SavedJson>(object));
    if (out.back().is_discarded()) throw EnvironmentError(fmt::format("not JSON: line {}", line));
  }
  return out;
}

}  // namespace

bool is_vllm_result(std::string_view text) {
  return text.find(fmt::format("\"{}\"", vllm::kRequestThroughput)) != std::string_view::npos &&
         text.find("\"schema_version\"") == std::string_view::npos;
}

BenchRun vllm_result_from_json(std::string_view text_of_file) {
  BenchRun out;
  const std::string json = without_python_numbers(text_of_file);
  const auto objects = objects_in(json);
  if (objects.empty()) throw EnvironmentError("no vLLM bench result: the file is empty");
  for (const auto& object : objects) add_object(object, out);
  out.run.complete = true;
  out.run.start_utc = start_of(objects.front());
  TargetFacts& target = out.run.targets.emplace_back();
  target.model = text(objects.front(), vllm::kModelId);
  target.endpoint = text(objects.front(), vllm::kBackend);
  return out;
}

}  // namespace infermeter
