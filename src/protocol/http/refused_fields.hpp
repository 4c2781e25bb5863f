// Names of request fields in what a server says against them. Plain text, any spelling.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

class RefusedFields {
 public:
  /// A field, or the path of something in it ("stream_options.include_usage"): the field is kept, once. The
  /// prompt and the model are no fields that could be left out: they are passed over.
  void add(std::string_view path);
  /// Every name that a sentence calls unknown, unsupported, extra or invalid.
  void add_from_text(std::string_view text);
  const std::vector<std::string>& names() const { return names_; }

 private:
  void add_from_sentence(std::string_view sentence);
  void add_quoted(std::string_view sentence);
  void add_leading_path(std::string_view sentence);
  bool add_after_loc(std::string_view sentence);

  std::vector<std::string> names_;
};

}  // namespace infermeter
