#include "model/figure_choice.hpp"

namespace infermeter {

FigureChoice figure_choice(std::string_view text) {
  const auto dot = text.find('.');
  const auto* figure = find_figure(text.substr(0, dot));
  if (!figure || dot == std::string_view::npos) return {figure, {}};
  return {figure, text.substr(dot + 1)};
}

}  // namespace infermeter
