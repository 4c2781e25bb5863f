#include "cli/options/vendors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/embedded_files.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

std::vector<std::string> vendor_names() {
  std::vector<std::string> names;
  for (const auto& file : vendor_files()) names.emplace_back(file.name);
  return names;
}

/// "openai" for "openia", "openai-responses" for "responses", "llama-cpp" for "llama.cpp".
std::vector<std::string> similar_vendors(const std::string& name) {
  constexpr std::size_t kPart = 3;  // letters; fewer are in too many names
  const std::string lower = lower_case(name);
  std::vector<std::string> found;
  const auto all = vendor_names();
  if (const auto nearest = nearest_name(lower, all)) found.push_back(*nearest);
  for (const auto& known : all) {
    const bool part = (lower.size() >= kPart && known.find(lower) != std::string::npos) ||
                      (known.size() >= kPart && lower.find(known) != std::string::npos);
    if (part && std::ranges::find(found, known) == found.end()) found.push_back(known);
  }
  return found;
}

}  // namespace

Source find_vendor(const std::string& origin, const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return read_source(name, origin);
  const auto files = vendor_files();
  const auto it = std::ranges::find(files, name, &EmbeddedFile::name);
  if (it != files.end()) return parse_source(fmt::format("{}.toml", it->name), it->text);
  const auto similar = similar_vendors(name);
  if (!similar.empty())
    throw UsageError(fmt::format("{}: no vendor is called '{}'; did you mean {}?", origin, name,
                                 fmt::join(similar, " or ")));
  throw UsageError(fmt::format("{}: no vendor is called '{}'", origin, name),
                   fmt::format("known: {}", fmt::join(vendor_names(), ", ")));
}

}  // namespace infermeter
