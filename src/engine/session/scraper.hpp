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

/// A server's page of metrics, and what is known of it so far.
struct MetricsPage {
  std::vector<std::string> urls;  // tried in this order, until one has metrics; then only that one
  bool given = false;             // by the user: its failures are kept
  bool own = false;               // at the target's own origin: the request has the target's headers
  bool over = false;              // there is none: it is not asked again
  bool slow = false;              // the end of a session does not wait for it
  bool found = false;             // it was read once
};

/// Those of a target: as the user names them, or else the usual paths at the origin of each of its URLs.
/// Throws UsageError for one that is not a URL.
std::vector<MetricsPage> metrics_pages(const Plan& plan, const PreparedTarget& prepared);
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
