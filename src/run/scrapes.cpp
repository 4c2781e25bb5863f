#include "run/scrapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "infermeter/base/errors.hpp"
#include "report/json/scrape_json.hpp"

namespace infermeter {
namespace {

std::string path_in(const std::string& folder) { return folder + "/metrics.jsonl"; }

}  // namespace

void Scrapes::keep_in(const std::string& folder, bool go_on) {
  if (go_on) all_ = read_scrapes(folder);
  file_ = std::make_unique<MetricsFile>(path_in(folder), go_on);
}

void Scrapes::take(Scrape&& scrape) {
  const std::lock_guard lock(mutex_);
  if (file_) file_->append(scrape_line(scrape));
  all_.push_back(std::move(scrape));
}

std::vector<Scrape> Scrapes::of(std::uint32_t target) const {
  const std::lock_guard lock(mutex_);
  std::vector<Scrape> out;
  std::ranges::copy_if(all_, std::back_inserter(out),
                       [&](const Scrape& scrape) { return scrape.target == target; });
  return out;
}

int Scrapes::first_error() const {
  const std::lock_guard lock(mutex_);
  return file_ ? file_->first_error() : 0;
}

std::vector<Scrape> read_scrapes(const std::string& folder) {
  std::vector<Scrape> out;
  std::uint64_t number = 0;
  for (const auto& line : read_metrics_lines(path_in(folder))) {
    ++number;
    try {
      out.push_back(scrape_of_line(line));
    } catch (const EnvironmentError& error) {
      throw EnvironmentError(fmt::format("{}, line {}: {}", path_in(folder), number, error.what()));
    }
  }
  return out;
}

}  // namespace infermeter
