// Text inside XML 1.0. Private to src/report.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// For an attribute in double quotes or for content: markup is escaped; characters that XML does not allow
/// (control characters, invalid UTF-8) become a space or `?`.
std::string xml_text(std::string_view text);

}  // namespace infermeter
