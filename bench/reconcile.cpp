// reconcile: the records of a run against the truth of the simulators that served it; exits with 1 if they
// differ.
//   --run DIR --truth F [--samples F]: a whole run, as a Markdown table. F of --samples has lines
//     "CLOCK_MONOTONIC-ns resident-kB descriptors" of the run's process.
//   --run DIR --truth F --since NS --until NS: a killed run or gate. Every request that arrived since the one
//     instant and ended before the other has its line; DIR need not hold a result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "arguments.hpp"
#include "run_files.hpp"

namespace infermeter::bench {
namespace {

bool has_fault(const ServedRequest& served, std::string_view kind) {
  return std::ranges::find(served.faults, kind) != served.faults.end();
}

/// Preflight and calibration send no X-Request-Id: the truth has the answer's own id, "chatcmpl-…".
bool is_of_a_run(const ServedRequest& served) { return served.id.find('-') == 8 && served.id[0] != 'c'; }

/// One name for a request on both sides: "RUN-p0-t0-5". The id that a run sends leaves out a point or target
/// if it has only one.
std::string name_of(const ServedRequest& served) {
  const auto last = served.id.rfind('-');
  const auto part = [&](std::string_view mark) {
    const auto at = served.id.find(mark);
    return at == std::string::npos ? 0 : std::stol(served.id.substr(at + mark.size()));
  };
  return fmt::format("{}-p{}-t{}-{}", served.id.substr(0, 8), part("-p"), part("-t"),
                     served.id.substr(last + 1));
}

std::string name_of(const ClientRun& run, const ClientRecord& record) {
  return fmt::format("{}-p{}-t{}-{}", run.id, record.point, record.target, record.number);
}

// ---- A killed run -----------------------------------------------------------------------------------------

ClientRun read_killed(const std::string& directory) {
  for (const char* name : {"/result.json", "/requests.jsonl"}) {
    if (!std::filesystem::exists(directory + name)) return {};
  }
  return read_run(directory);
}

int check_killed(const Arguments& arguments) {
  std::map<std::string, long> missing;
  long ended = 0, lost = 0;
  for (const auto& served : read_served(arguments.text("--truth"))) {
    if (!is_of_a_run(served) || served.arrived_ns < arguments.number("--since", 0) ||
        served.ended_ns >= arguments.number("--until", 0)) {
      continue;
    }
    ++missing[name_of(served)];
    ++ended;
  }
  const auto run = read_killed(arguments.text("--run"));
  for (const auto& record : run.records) --missing[name_of(run, record)];
  for (const auto& [id, count] : missing) {
    if (count <= 0) continue;
    lost += count;
    fmt::print(stderr, "lost: {} of {}\n", id, arguments.text("--run"));
  }
  fmt::print("{} {} {}\n", ended, run.records.size(), lost);
  return lost == 0 ? 0 : 1;
}

// ---- A whole run ------------------------------------------------------------------------------------------

struct Table {
  bool broken = false;
  void row(std::string_view what, const std::string& found, bool holds) {
    broken = broken || !holds;
    fmt::print("| {} | {} | {} |\n", what, found, holds ? "yes" : "**no**");
  }
};

/// What both sides say of the requests with one fate.
struct Sums {
  long requests = 0;
  std::int64_t output[2] = {}, prompt[2] = {},
               cached[2] = {};   // records, truth: where the server sent a count
  std::uint64_t events[2] = {};  // records, truth
  long differ = 0;               // requests in which one of these differs
};

/// A reset discards what the client has not read yet, so that its records may have fewer events, never more.
bool same_events(const ClientRecord& record, const ServedRequest& served) {
  if (!served.stream) return true;
  return has_fault(served, "reset") ? record.events <= served.events : record.events == served.events;
}

void compare(const ClientRecord& record, const ServedRequest& served, Sums& sums) {
  ++sums.requests;
  bool same = same_events(record, served);
  if (served.stream) {
    sums.events[0] += record.events;
    sums.events[1] += served.events;
  }
  const auto add = [&](const std::optional<std::int64_t>& counted, std::int64_t truth, std::int64_t* sum) {
    if (!counted) return;
    sum[0] += *counted;
    sum[1] += truth;
    same = same && *counted == truth;
  };
  add(record.output_tokens, served.output_tokens, sums.output);
  add(record.prompt_tokens, served.prompt_tokens, sums.prompt);
  add(record.cached_tokens, served.cached_tokens, sums.cached);
  const bool counts_due = record.ok && !has_fault(served, "no-usage");
  same = same && (!counts_due || (record.output_tokens && record.prompt_tokens));
  if (!same) ++sums.differ;
}

std::string both(auto of_records, auto of_truth) {
  return of_records == of_truth ? fmt::format("{}", of_records)
                                : fmt::format("{}, truth {}", of_records, of_truth);
}

/// The served requests of one id: what was answered, and how often its connection was reset before.
struct Fate {
  std::vector<const ServedRequest*> answers;
  long stale = 0, records = 0;
};

/// A reset also discards what was sent before it and not read yet. A client that has read no byte of an
/// answer on a connection used before may send the request again: such an answer was reset like a stale
/// connection.
void drop_unseen(Fate& fate) {
  while (fate.answers.size() > 1 && has_fault(*fate.answers.front(), "reset") &&
         fate.answers.front()->end == "cut") {
    fate.answers.erase(fate.answers.begin());
    ++fate.stale;
  }
}

std::map<std::string, Fate> fates_of(const std::vector<ServedRequest>& served, const std::string& run_id) {
  std::map<std::string, Fate> fates;
  for (const auto& one : served) {
    if (!one.id.starts_with(run_id + "-")) continue;
    Fate& fate = fates[name_of(one)];
    if (one.end == "refused" && has_fault(one, "stale")) {
      ++fate.stale;
    } else {
      fate.answers.push_back(&one);
    }
  }
  for (auto& [id, fate] : fates) drop_unseen(fate);
  return fates;
}

void check_requests(const ClientRun& run, const std::vector<ServedRequest>& served, Table& table) {
  auto fates = fates_of(served, run.id);
  long never_served = 0, unsent = 0, unrecorded = 0, twice = 0, answered_twice = 0, stale = 0;
  std::map<std::string, Sums> by_class;
  for (const auto& record : run.records) {
    const auto found = fates.find(name_of(run, record));
    if (found == fates.end()) {
      ++(record.sent ? never_served : unsent);
      continue;
    }
    Fate& fate = found->second;
    if (++fate.records > 1) ++twice;
    if (fate.answers.size() == 1) {
      const bool reset = has_fault(*fate.answers[0], "reset");
      compare(record, *fate.answers[0], by_class[record.outcome + (reset ? " (reset)" : "")]);
    } else if (!fate.answers.empty() || record.outcome != "stale_connection") {
      ++answered_twice;
      fmt::print(stderr, "{}: {} answers, {} resets before; {}\n", found->first, fate.answers.size(),
                 fate.stale, record.outcome);
    }
  }
  for (const auto& [id, fate] : fates) {
    unrecorded += fate.records == 0 ? 1 : 0;
    stale += fate.stale;
  }
  table.row("requests in the truth", fmt::format("{}, and {} reset as stale", fates.size(), stale),
            !fates.empty());
  table.row("… not in the records", fmt::format("{}", unrecorded), unrecorded == 0);
  table.row("… twice in the records", fmt::format("{}", twice), twice == 0);
  table.row("… answered twice, or never", fmt::format("{}", answered_twice), answered_twice == 0);
  table.row("records of requests not in the truth", fmt::format("{}; never sent: {}", never_served, unsent),
            never_served == 0);
  for (const auto& [name, sums] : by_class) {
    table.row(
        name,
        fmt::format("{} requests; tokens: {} of prompts, {} cached, {} of answers; events: {}; differ: {}",
                    sums.requests, both(sums.prompt[0], sums.prompt[1]), both(sums.cached[0], sums.cached[1]),
                    both(sums.output[0], sums.output[1]), both(sums.events[0], sums.events[1]), sums.differ),
        sums.differ == 0);
  }
}

struct Sample {
  std::int64_t at_ns = 0;
  double resident_kb = 0;
  long descriptors = 0;
};

std::vector<Sample> read_samples(const std::string& path) {
  std::ifstream file(path);
  std::vector<Sample> samples;
  for (Sample s; file >> s.at_ns >> s.resident_kb >> s.descriptors;) samples.push_back(s);
  if (samples.size() < 8) throw std::runtime_error(path + " has fewer than eight samples");
  return samples;
}

double mean(const std::vector<Sample>& samples, std::size_t from, std::size_t to, auto value) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += value(samples[i]);
  return sum / static_cast<double>(to - from);
}

/// The resident size that the records do not explain must be the same in the first and the last quarter.
void check_process(const ClientRun& run, const std::vector<Sample>& samples, Table& table) {
  std::vector<std::pair<std::int64_t, double>> held;  // when a record was complete; kB of all until then
  for (const auto& record : run.records)
    held.emplace_back(run.origin_ns + record.last_us * 1000, static_cast<double>(record.memory) / 1024);
  std::ranges::sort(held);
  double sum = 0;
  for (auto& [at, kb] : held) kb = sum += kb;
  const auto records_kb = [&](const Sample& sample) {
    const auto after =
        std::ranges::upper_bound(held, sample.at_ns, {}, &std::pair<std::int64_t, double>::first);
    return after == held.begin() ? 0 : std::prev(after)->second;
  };
  const auto resident_kb = [](const Sample& sample) { return sample.resident_kb; };
  const auto rest_kb = [&](const Sample& sample) { return sample.resident_kb - records_kb(sample); };
  const std::size_t n = samples.size(), quarter = n / 4;
  const double first = mean(samples, 0, quarter, rest_kb), last = mean(samples, n - quarter, n, rest_kb);
  const double whole = mean(samples, n - quarter, n, resident_kb);
  table.row("resident size in the first and the last quarter, kB",
            fmt::format("{:.0f}, {:.0f}", mean(samples, 0, quarter, resident_kb), whole), true);
  table.row("… of it the records",
            fmt::format("{:.0f}, {:.0f}: {:.0f} bytes each", mean(samples, 0, quarter, records_kb),
                        mean(samples, n - quarter, n, records_kb),
                        sum * 1024 / static_cast<double>(std::max<std::size_t>(1, held.size()))),
            true);
  table.row("… the rest",
            fmt::format("{:.0f}, {:.0f}: {:+.2f} % of the resident size", first, last,
                        100 * (last - first) / whole),
            std::abs(last - first) <= 0.01 * whole);
  // A connection that a fault has closed is missing until its slot's next request.
  const auto [least, most] = std::ranges::minmax(samples, {}, &Sample::descriptors);
  const auto descriptors = [](const Sample& sample) { return static_cast<double>(sample.descriptors); };
  const double before = mean(samples, 0, quarter, descriptors),
               after = mean(samples, n - quarter, n, descriptors);
  table.row("open descriptors in the first and the last quarter",
            fmt::format("{:.1f}, {:.1f} (of all samples {} to {})", before, after, least.descriptors,
                        most.descriptors),
            std::abs(after - before) <= 0.01 * before);
}

int check_whole(const Arguments& arguments) {
  const auto run = read_run(arguments.text("--run"));
  fmt::print("| what | found | holds |\n|:--|:--|:--|\n");
  Table table;
  check_requests(run, read_served(arguments.text("--truth")), table);
  if (const auto samples = arguments.text("--samples"); !samples.empty())
    check_process(run, read_samples(samples), table);
  return table.broken ? 1 : 0;
}

void run(int argc, char** argv) {
  const Arguments arguments(argc, argv, {"--run", "--truth", "--samples", "--since", "--until"});
  const bool killed = arguments.number("--until", 0) > 0;
  if (const int code = killed ? check_killed(arguments) : check_whole(arguments)) std::exit(code);
}

}  // namespace
}  // namespace infermeter::bench

int main(int argc, char** argv) { return infermeter::bench::run_program(infermeter::bench::run, argc, argv); }
