// `infermeter merge DIR… -o OUT`: the shards of one run as one result, in a folder of its own and on stdout.
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

/// Nothing is written where they do not belong together or one is missing (merge_shards says which).
ExitCode merge_command(const MergeRequest& request);

}  // namespace infermeter
