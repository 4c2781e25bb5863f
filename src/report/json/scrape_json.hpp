// One line of metrics.jsonl, written and read (docs/result-schema.md). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/server_metrics.hpp"

namespace infermeter {

/// JSON in one line, without a newline.
std::string scrape_line(const Scrape& scrape);
/// Throws EnvironmentError for a line that is none.
Scrape scrape_of_line(std::string_view line);

}  // namespace infermeter
