// What is done once before a run for each target: wait until the server is ready, ask what it serves, send
// one small request of each class, and learn which of the asked fields it takes. Blocks; main thread. Throws
// EnvironmentError with one clear line where the server cannot be measured.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"
#include "io/http/curl_transport.hpp"
#include "model/target_url.hpp"
#include "protocol/request/body.hpp"

namespace infermeter {

/// What the requests of one class look like at a target.
struct ClassShape {
  RequestShape shape;
  bool exact_output = false;
};

/// A target that is known well enough to be measured.
struct PreparedTarget {
  TargetUrl url;
  std::vector<TargetUrl> replicas;   // further URLs of the same server
  Target target;                     // names resolved, model known
  std::vector<std::string> headers;  // lines to send with each request; secrets among them
  std::vector<std::string> secrets;  // the target's and its classes': never to be kept of what it says
  std::vector<ClassShape> classes;   // as in the plan
  TargetFacts facts;
};

/// Told what takes long ("waiting for the server …"), a line at a time.
using Say = std::function<void(const std::string&)>;

PreparedTarget prepare_target(const Plan& plan, const Target& target, const std::atomic<bool>& interrupt,
                              const Say& say);

}  // namespace infermeter
