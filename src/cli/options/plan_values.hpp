// Options joined from all sources → Plan. Each function fills one part and judges its values.
#pragma once

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"
#include "report/formats/formats.hpp"

namespace infermeter {

/// All of a Plan but its command line. Reads the files that options name.
Plan plan_of(const Settings& settings, const Variables& variables, const Surroundings& here);

/// Targets without a proxy of their own take that of the variables, as curl does.
void use_proxy_variables(Plan& plan, const Variables& variables);

/// The name given as --format, of a format that `can`.
std::string format_choice(const Values& values, bool (*can)(const FormatSpec&));
Format format_of(const Values& values);

/// --format, --out and what else the result goes by.
Output output_of(const Values& values);

}  // namespace infermeter
