// Merged options → Plan. Each function fills one part and checks its values.
#pragma once

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/report/formats.hpp"

namespace infermeter {

/// Everything in a Plan except its command line. Reads the files that options name.
Plan plan_of(const Settings& settings, const Variables& variables, const Surroundings& here);

/// Targets without their own proxy use that of the environment variables, as curl does.
void use_proxy_variables(Plan& plan, const Variables& variables);

/// The format name given as --format; throws unless `can` accepts the format.
std::string format_choice(const Values& values, bool (*can)(const FormatSpec&));
Format format_of(const Values& values);

/// --format, --out and the other output options.
Output output_of(const Values& values);

}  // namespace infermeter
