// --assert and --assert-point, of every command that judges a run.
#pragma once

#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct Asserts {
  std::vector<Threshold> thresholds;
  bool by_point = false;
};

/// A comma separates assertions, but not within the brackets of a scope. Throws UsageError.
Asserts asserts_of(const Values& values);

/// Rejects a scope with a target, class or load that is not in the plan: it could never be judged. `origin`:
/// the option as written. Throws UsageError.
void check_scopes(const std::string& origin, const Plan& plan);

}  // namespace infermeter
