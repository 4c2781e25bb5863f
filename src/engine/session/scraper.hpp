// Reads the metrics pages of a target's server while a session runs: at its start, each interval, at the
// edges of the measured phase, and at its end. Each page has a thread and a connection of its own, so that
// neither a slow page nor its parsing delays the load; a page that fails costs its figures, never the run.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "engine/prepare/preflight.hpp"
#include "infermeter/model/server_metrics.hpp"

namespace infermeter {

/// A server's page of metrics, and what became of it so far.
struct MetricsPage {
  std::vector<std::string> urls;  // tried in this order, until one has metrics; then only that one
  bool given = false;             // by the user: its failures are told
  bool own = false;               // at the target's own origin: the request has the target's headers
  bool over = false;              // there is none: it is not asked again
  bool slow = false;              // the end of a session does not wait for it
  std::uint64_t read = 0, failed = 0;
  std::string problem;  // the last failure
};

/// Those of a target: as the user names them, or else the usual paths at the origin of each of its URLs.
/// Throws UsageError for one that is not a URL.
std::vector<MetricsPage> metrics_pages(const Plan& plan, const PreparedTarget& prepared);
/// What a user must know of pages that failed: "metrics of http://…: status 500 (12 of 12 scrapes)".
std::vector<std::string> metrics_notes(const std::vector<MetricsPage>& pages);

struct ScraperSetup {
  const Plan& plan;
  const PreparedTarget& prepared;
  std::uint32_t target = 0;
  Instant origin;                           // of the offsets
  std::function<void(Scrape&&)> take = {};  // called by any thread
};

/// All references must outlive it. Main thread.
class Scraper {
 public:
  /// Starts the threads; a page whose thread cannot start is over.
  Scraper(const ScraperSetup& setup, std::vector<MetricsPage>& pages);
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;
  /// Reads all pages now, besides the interval.
  void edge();
  /// Waits until what was asked for has come, for half a second at most.
  void wait();

 private:
  class Reader;
  std::list<Reader> readers_;
};

}  // namespace infermeter
