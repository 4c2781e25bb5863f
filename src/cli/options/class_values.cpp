#include "cli/options/class_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/options/answer_values.hpp"
#include "cli/options/header_values.hpp"
#include "cli/options/load_values.hpp"
#include "cli/options/prompt_values.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

/// `70%`, or a weight in any unit.
double share_of(const Values& own) {
  if (own.text("share").ends_with('%')) return parse_share(own.origin("share"), own.text("share"));
  return own.amount("share");
}

TrafficClass common_class(const Values& values, std::uint64_t entropy) {
  TrafficClass traffic;
  traffic.prompts = prompts_of(values, entropy);
  traffic.answers = answers_of(values);
  traffic.cancel = cancel_of(values);
  for (const auto& text : values.parts("slo")) traffic.slos.push_back(parse_slo(values.origin("slo"), text));
  return traffic;
}

void read_own_loop(const Values& own, TrafficClass& traffic) {
  if (own.given("rate") && own.given("concurrency"))
    throw UsageError(
        fmt::format("{} and {} exclude each other", own.origin("rate"), own.origin("concurrency")));
  if (own.given("rate")) traffic.rate = parse_rate(own.origin("rate"), own.text("rate"));
  if (own.given("concurrency"))
    traffic.concurrency = static_cast<std::uint32_t>(own.count("concurrency", 1, kMaxSlots));
  traffic.probe = own.flag("probe");
  if (traffic.probe && !traffic.own_loop()) traffic.concurrency = 1;
  if (own.given("share") && traffic.own_loop())
    throw UsageError(
        fmt::format("{}: is of the common load, and this class has a load of its own", own.origin("share")));
}

TrafficClass class_of(const Part& part, std::uint64_t entropy) {
  TrafficClass traffic = common_class(part.values, entropy);
  traffic.name = part.own.text("name");
  if (traffic.name.empty()) throw UsageError(fmt::format("{}: needs a name", part.where));
  traffic.share = share_of(part.own);
  traffic.model = part.own.text("model");
  traffic.headers = headers_of(part.own);
  read_own_loop(part.own, traffic);
  return traffic;
}

void check_together(const std::vector<Part>& parts, const std::vector<TrafficClass>& classes) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!names.insert(classes[i].name).second)
      throw UsageError(fmt::format("{}: another class is called '{}' too", parts[i].where, classes[i].name));
  }
  const auto takes_part = [](const TrafficClass& c) { return c.own_loop() || c.share > 0; };
  if (std::ranges::none_of(classes, takes_part))
    throw UsageError(fmt::format("{}: no class has a share of the load", parts.front().where));
}

}  // namespace

std::vector<TrafficClass> classes_of(const Settings& settings, std::uint64_t entropy) {
  if (settings.classes.empty()) return {common_class(settings.values, entropy)};
  std::vector<TrafficClass> classes;
  for (const auto& part : settings.classes) classes.push_back(class_of(part, entropy));
  check_together(settings.classes, classes);
  return classes;
}

}  // namespace infermeter
