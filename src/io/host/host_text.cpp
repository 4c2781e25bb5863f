#include "io/host/host_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace infermeter {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\"'";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The value of the first line `name<separator>value`.
std::string_view value_of(std::string_view text, std::string_view name, char separator) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto at = line.find(separator);
    if (at != std::string_view::npos && trimmed(line.substr(0, at)) == name)
      return trimmed(line.substr(at + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop != text.data() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string cpu_model(std::string_view cpuinfo) {
  for (const char* name : {"model name", "Model", "cpu model", "Hardware"}) {
    if (const auto value = value_of(cpuinfo, name, ':'); !value.empty()) return std::string(value);
  }
  return {};
}

std::string os_name(std::string_view os_release) {
  return std::string(value_of(os_release, "PRETTY_NAME", '='));
}

std::optional<std::uint32_t> cgroup_cores(std::string_view cpu_max) {
  const auto space = cpu_max.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto quota = number(cpu_max.substr(0, space));
  const auto period = number(cpu_max.substr(space + 1));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(std::ceil(*quota / *period));
}

std::string cgroup_path(std::string_view self_cgroup) {
  while (!self_cgroup.empty()) {
    const auto end = std::min(self_cgroup.find('\n'), self_cgroup.size());
    const std::string_view line = self_cgroup.substr(0, end);
    if (line.starts_with("0::")) return std::string(line.substr(3));
    self_cgroup.remove_prefix(std::min(end + 1, self_cgroup.size()));
  }
  return {};
}

double load_1min(std::string_view loadavg) { return number(loadavg).value_or(0); }

}  // namespace infermeter
