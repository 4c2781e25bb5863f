#include "report/formats/vllm_samples.hpp"

#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace infermeter {
namespace {

using SavedJson = nlohmann::json;

constexpr double kMsPerSecond = 1e3;

/// One value a request, in seconds; nothing where the array is not there or is of another length.
std::optional<std::vector<double>> array(const SavedJson& saved, const char* key, std::uint64_t requests) {
  const auto it = saved.find(key);
  if (it == saved.end() || !it->is_array() || it->size() != requests) return std::nullopt;
  std::vector<double> out;
  for (const auto& value : *it) out.push_back(value.is_number() ? value.get<double>() : 0);
  return out;
}

std::vector<double> gaps_of(const SavedJson& saved, std::size_t i) {
  std::vector<double> out;
  for (const auto& value : saved.at("itls").at(i)) {
    if (value.is_number()) out.push_back(value.get<double>());
  }
  return out;
}

/// The arrays of one file. Of failed requests they hold zeros.
class Arrays {
 public:
  Arrays(const SavedJson& saved, std::uint64_t requests)
      : saved_(saved),
        ttfts_(array(saved, "ttfts", requests)),
        latencies_(array(saved, "latencies", requests)),
        starts_(array(saved, "start_times", requests)),
        lengths_(array(saved, "output_lens", requests)),
        queues_(array(saved, "queue_times", requests)) {
    const auto it = saved.find("itls");
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
  /// Whether it ended well: its error is empty, and time passed.
  bool is_good(std::size_t i) const {
    const auto errors = saved_.find("errors");
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

}  // namespace

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

}  // namespace infermeter
