// All scrapes of the servers' metrics of one run: kept, and saved as they come. Private to src/run.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "infermeter/model/server_metrics.hpp"
#include "io/files/metrics_file.hpp"

namespace infermeter {

class Scrapes {
 public:
  /// Saves what comes from now on in that folder; `go_on`: after those that are in it, which are read. Throws
  /// EnvironmentError if they cannot be.
  void keep_in(const std::string& folder, bool go_on);
  void take(Scrape&& scrape);  // any thread
  std::vector<Scrape> of(std::uint32_t target) const;
  /// errno of the first failed write; 0: none failed.
  int first_error() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Scrape> all_;
  std::unique_ptr<MetricsFile> file_;
};

/// The scrapes of a saved run; none if it has none. Throws EnvironmentError naming file and line.
std::vector<Scrape> read_scrapes(const std::string& folder);

}  // namespace infermeter
