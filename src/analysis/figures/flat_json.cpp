#include "analysis/figures/flat_json.hpp"

#include <optional>

namespace infermeter {

namespace {

class FlatJson {
 public:
  explicit FlatJson(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::optional<std::string> value() {
    skip_blanks();
    if (!text_.empty() && text_.front() == '"') return quoted();
    const auto length = text_.find_first_of(",} \t\r\n[{");
    if (length == std::string_view::npos || length == 0) return std::nullopt;
    std::string out(text_.substr(0, length));
    text_.remove_prefix(length);
    return out;
  }

  std::optional<std::string> quoted() {
    if (!take('"')) return std::nullopt;
    std::string out;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return out;
      if (c != '\\' || text_.empty() || (text_.front() != '"' && text_.front() != '\\')) {
        out += c;
        continue;
      }
      out += text_.front();
      text_.remove_prefix(1);
    }
    return std::nullopt;
  }

 private:
  void skip_blanks() {
    const auto start = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }

  std::string_view text_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> read_flat_json(std::string_view object) {
  std::vector<std::pair<std::string, std::string>> out;
  FlatJson json(object);
  if (!json.take('{')) return out;
  do {
    auto key = json.quoted();
    if (!key || !json.take(':')) break;
    auto value = json.value();
    if (!value) break;
    out.emplace_back(std::move(*key), std::move(*value));
  } while (json.take(','));
  return out;
}

}  // namespace infermeter
