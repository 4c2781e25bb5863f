#include "sim/engine/preset_options.hpp"

#include <fmt/format.h>

#include "infermeter/base/errors.hpp"

namespace infermeter::sim {

PresetText split_preset(std::string_view text) {
  const std::size_t colon = text.find(':');
  PresetText out{text.substr(0, colon), {}};
  if (colon == std::string_view::npos) return out;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size())
      throw UsageError(fmt::format("preset {}: '{}' is not an option=value", out.name, item),
                       "write it as in h100-8b:spec=0.7x4,max-seqs=64");
    out.options.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace infermeter::sim
