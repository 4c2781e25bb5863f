// `infermeter merge DIR… -o OUT`: merges the shards of one run into one result, saved in a new folder and
// printed on stdout.
#pragma once

#include <string>
#include <vector>

#include "cli/options/invocation.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct MergeRequest {
  std::vector<std::string> directories;
  std::string out;
  bool allow_missing = false;
  Format format;
  bool wide = false;
};
MergeRequest merge_request(const Invocation& invocation);

/// Writes nothing if they do not belong together or one is missing (merge_shards says which).
ExitCode merge_command(const MergeRequest& request);

}  // namespace infermeter
