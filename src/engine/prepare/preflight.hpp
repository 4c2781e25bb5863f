// The preparation of each target, once before a run: wait until the server is ready, ask which model it
// serves, send one small request of each class, and learn which of the requested fields it accepts. Blocks;
// main thread. Throws EnvironmentError with a one-line message if the server cannot be measured.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.hpp"
#include "base/time_limit.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"
#include "io/http/curl_transport.hpp"
#include "model/secrets/secrets.hpp"
#include "model/target_url.hpp"
#include "protocol/request/body.hpp"

namespace infermeter {

/// The form of one class's requests at a target.
struct ClassShape {
  RequestShape shape;
  bool exact_output = false;
};

/// A target that is ready to be measured.
struct PreparedTarget {
  TargetUrl url;
  std::vector<TargetUrl> replicas;   // further URLs of the same server
  Target target;                     // names resolved, model known
  std::vector<std::string> headers;  // lines to send with each request; secrets among them
  Secrets secrets;                   // the plan's; masked in all that it returns
  std::vector<ClassShape> classes;   // as in the plan
  TargetFacts facts;
  bool of_several = false;  // the run has other targets
  /// Of one request of the class whose answers take longest, by the trial's speed; nothing: not learnt.
  std::optional<nanoseconds> answer_time;
  Instant ask_until;   // end of the preparation: nothing more is asked then
  Log* log = nullptr;  // null: nothing is logged
  /// For people and files. A server can redirect to a path with a secret in it.
  std::string shown_url() const { return secrets.mask_written(url.shown()); }
  std::string shown_models_url() const { return secrets.mask_written(mask_url(url.models_url())); }
};

/// Called with a line for each step that takes long ("waiting for the server …").
using Say = std::function<void(const std::string&)>;

/// `allowed`: time for it and for the calibration that follows, from when the server is ready. What could not
/// be learnt in that time stands in the facts' notes.
PreparedTarget prepare_target(const Plan& plan, const Target& target, nanoseconds allowed,
                              const TimeLimit& command, const Say& say, Log* log = nullptr);

}  // namespace infermeter
