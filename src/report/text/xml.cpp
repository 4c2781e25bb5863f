#include "report/text/xml.hpp"

#include "report/text/text.hpp"

namespace infermeter {
namespace {

std::string_view escaped(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

/// U+FFFE and U+FFFF are valid UTF-8, but not characters of XML.
void replace_non_characters(std::string& text) {
  for (const std::string_view point : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (auto at = text.find(point); at != std::string::npos; at = text.find(point, at))
      text.replace(at, point.size(), "?");
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  std::string shown = printable(text, false);
  replace_non_characters(shown);
  for (const char c : shown) {
    const std::string_view entity = escaped(c);
    out += entity.empty() ? std::string_view(&c, 1) : entity;
  }
  return out;
}

}  // namespace infermeter
