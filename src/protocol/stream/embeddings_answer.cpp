#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {

bool EmbeddingsReader::read(std::string_view json) {
  chunk_.clear();
  return walk(json, [this](std::string_view key, Value& value) {
    if (key == "data") {
      each_element(value, [this](Value& item) { read_vector(item); });
    } else if (key == "usage") {
      read_usage(value);
    } else if (key == "model") {
      chunk_.model = text_of(value);
    } else if (key == "error") {
      read_error(value);
    } else if (key == "message") {
      chunk_.message = text_of(value);
    } else if (is_timing(key)) {
      read_timing(key, value);
    }
  });
}

// A list of numbers or base64 text: a megabyte of it costs no more than finding where it ends.
void EmbeddingsReader::read_vector(Value& value) {
  bool vector = false;
  each_field(value, [&vector](std::string_view key, Value& field) {
    const char kind = key == "embedding" ? kind_of(field) : '\0';
    vector = vector || kind == '[' || kind == '"';
  });
  if (vector) chunk_.items = chunk_.items.value_or(0) + 1;
}

}  // namespace infermeter
