// join: a run's records beside the server's truth, chunk by chunk, as one row of bench/run's table.
//   --truth F --run DIR --stats F --null-stats F [--memory-stats F --single-stats F] --streams N --label TEXT
// Or, with --starts DIR --count K: the median time from exec to the first request's bytes at the server, of
// the runs DIR/1 … DIR/K with their DIR/1.stats … beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "arguments.hpp"
#include "run_files.hpp"

namespace infermeter::bench {
namespace {

using Truths = std::unordered_map<std::string, ServerTruth>;

struct Joined {
  std::vector<double> arrival_error_us;  // |recorded arrival − instant before the write|, one per event
  std::vector<double> ttft_error_ms;     // recorded TTFT − the server's own, one per request
  std::uint64_t events = 0, packed = 0, late = 0, unmatched = 0;
  std::uint64_t before_sent = 0;    // arrivals before their sending, which must not happen
  std::int64_t most_before_ns = 0;  // by how much at most
};

/// Linear interpolation between order statistics (type 7).
double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return std::nan("");
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
}

/// Records round down to whole microseconds, and the two clocks are mapped onto each other to about one.
constexpr std::int64_t kRoundingNs = 2'000;

/// A request whose number of events differs from the server's cannot be joined and is counted.
void join_request(const ClientRecord& record, const ServerTruth& truth, std::int64_t origin_ns,
                  Joined& joined) {
  if (!record.ok || record.arrivals_us.size() != truth.sent_ns.size() || truth.sent_ns.empty()) {
    ++joined.unmatched;
    return;
  }
  for (std::size_t i = 0; i < truth.sent_ns.size(); ++i) {
    const auto arrival_ns = origin_ns + record.arrivals_us[i] * 1000;
    const auto before_ns = truth.sent_ns[i] - arrival_ns;
    if (before_ns > kRoundingNs) ++joined.before_sent;
    joined.most_before_ns = std::max(joined.most_before_ns, before_ns);
    joined.arrival_error_us.push_back(std::abs(static_cast<double>(before_ns)) / 1e3);
  }
  const auto measured_ns = (record.arrivals_us.front() - record.sent_us) * 1000;
  const auto true_ns = truth.sent_ns.front() - truth.arrived_ns;
  joined.ttft_error_ms.push_back(static_cast<double>(measured_ns - true_ns) / 1e6);
}

Joined join(const ClientRun& run, const Truths& truths) {
  Joined joined;
  for (const auto& record : run.records) {
    joined.events += record.events;
    joined.packed += record.packed;
    joined.late += record.late;
    const auto truth = truths.find(record.id);
    if (truth == truths.end()) {
      ++joined.unmatched;
    } else {
      join_request(record, truth->second, run.origin_ns, joined);
    }
  }
  return joined;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string memory_column(const Arguments& arguments, double streams) {
  const auto many = arguments.text("--memory-stats");
  const auto single = arguments.text("--single-stats");
  if (many.empty() || single.empty() || streams < 2) return "–";
  return fmt::format("{:.1f}",
                     (read_stats(many).peak_rss_kb - read_stats(single).peak_rss_kb) / (streams - 1));
}

void print_row(const Arguments& arguments) {
  auto joined = join(read_run(arguments.text("--run")), read_truth(arguments.text("--truth")));
  const auto stats = read_stats(arguments.text("--stats"));
  const auto null_stats = read_stats(arguments.text("--null-stats"));
  const auto streams = arguments.number("--streams", 1);
  fmt::print(
      "| {} | {} | {:.1f} / {:.1f} | {:.3f} / {:.3f} / {:.3f} | {:.2f} % | {:.2f} % | {:.2f} | {:.0f} | "
      "{:.2f} | {} "
      "|\n",
      streams, arguments.text("--label"), quantile(joined.arrival_error_us, 0.5),
      quantile(joined.arrival_error_us, 0.99), mean(joined.ttft_error_ms),
      quantile(joined.ttft_error_ms, 0.5), quantile(joined.ttft_error_ms, 0.99),
      percent(joined.late, joined.events), percent(joined.packed, joined.events), stats.cpu_s,
      static_cast<double>(joined.events) / stats.cpu_s, null_stats.cpu_s / stats.cpu_s,
      memory_column(arguments, static_cast<double>(streams)));
  if (joined.before_sent > 0) {
    fmt::print(stderr, "{} streams, {}: {} arrivals precede their sending, by {} us at most\n", streams,
               arguments.text("--label"), joined.before_sent, joined.most_before_ns / 1000);
  }
  if (joined.unmatched > 0) {
    fmt::print(stderr, "{} streams, {}: {} requests failed or do not match the server's truth\n", streams,
               arguments.text("--label"), joined.unmatched);
  }
}

void print_start(const Arguments& arguments) {
  const auto truths = read_truth(arguments.text("--truth"));
  std::vector<double> starts_ms;
  for (long i = 1; i <= arguments.number("--count", 10); ++i) {
    const auto folder = fmt::format("{}/{}", arguments.text("--starts"), i);
    const auto run = read_run(folder);
    const auto stats = read_stats(folder + ".stats");
    const auto arrived_ns = truths.at(run.records.at(0).id).arrived_ns;
    starts_ms.push_back(static_cast<double>(arrived_ns - stats.start_ns) / 1e6);
  }
  fmt::print("Start to first request: median {:.1f} ms, longest {:.1f} ms of {}\n", quantile(starts_ms, 0.5),
             quantile(starts_ms, 1), starts_ms.size());
}

void run(int argc, char** argv) {
  const Arguments arguments(argc, argv,
                            {"--truth", "--run", "--stats", "--null-stats", "--memory-stats",
                             "--single-stats", "--streams", "--label", "--starts", "--count"});
  if (arguments.text("--starts").empty()) {
    print_row(arguments);
  } else {
    print_start(arguments);
  }
}

}  // namespace
}  // namespace infermeter::bench

int main(int argc, char** argv) { return infermeter::bench::run_program(infermeter::bench::run, argc, argv); }
