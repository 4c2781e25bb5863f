// Scrapes of a server's metrics → what they say of one load point. Counters and histograms are differences
// between the scrapes nearest to its edges, levels are means over those within (docs/metrics.md). Pure.
#pragma once

#include <optional>
#include <span>

#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/model/server_metrics.hpp"

namespace infermeter {

/// `scrapes` of one target, in any order; nothing if there are none. `all`: the target's records, to count
/// its own requests.
std::optional<ServerWindow> server_window(std::span<const Scrape> scrapes, const Window& window,
                                          const Records& all);

}  // namespace infermeter
