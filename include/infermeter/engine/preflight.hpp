// What is done once before a run: wait until the server is ready, ask what it serves, send one small request,
// and learn which of the asked fields it takes. Blocks; main thread. Throws EnvironmentError with one clear
// line where the server cannot be measured.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "infermeter/io/curl_transport.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/model/target_url.hpp"
#include "infermeter/protocol/request_body.hpp"
#include "infermeter/workload/prompts.hpp"

namespace infermeter {

/// A target that is known well enough to be measured.
struct PreparedTarget {
  TargetUrl url;
  Target target;                     // names resolved, model known
  std::vector<std::string> headers;  // lines to send with each request; secrets among them
  RequestShape shape;
  TargetFacts facts;
  bool exact_output = false;
};

/// Told what takes long ("waiting for the server …"), a line at a time.
using Say = std::function<void(const std::string&)>;

PreparedTarget prepare_target(const Plan& plan, const PromptSource& prompts,
                              const std::atomic<bool>& interrupt, const Say& say);

/// The header lines of every request to the target: ours, and the user's in place of ours of the same name.
std::vector<std::string> header_lines(const Target& target, bool stream);

}  // namespace infermeter
