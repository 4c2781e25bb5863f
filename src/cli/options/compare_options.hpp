// What `infermeter compare` is asked for. Private to src/cli.
#pragma once

#include <string>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct CompareRequest {
  std::vector<std::string> paths;  // ≥ 2, the reference first
  Format format = Format::table;   // table, json, markdown
  bool wide = false;
};

/// Throws UsageError where there are fewer than two results or an option is wrong.
CompareRequest compare_request(const Values& values);

}  // namespace infermeter
