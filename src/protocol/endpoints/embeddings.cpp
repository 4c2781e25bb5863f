// Embeddings: one non-streamed answer of vectors.
#include "base/text.hpp"
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/message_forms.hpp"
#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {
namespace {

/// One answer of vectors: they are counted and skipped, never parsed.
class EmbeddingsReader final : public ChunkReader {
  bool read_chunk(std::string_view json) override;
  void read_vector(Value& value);
};

bool EmbeddingsReader::read_chunk(std::string_view json) {
  return walk(json, [this](std::string_view key, Value& value) {
    if (key == "data") return each_element(value, [this](Value& item) { read_vector(item); });
    read_fact(key, value);
  });
}

// A list of numbers or base64 text: for a megabyte of it, only the end is searched for.
void EmbeddingsReader::read_vector(Value& value) {
  bool vector = false;
  each_field(value, [&vector](std::string_view key, Value& field) {
    const char kind = key == "embedding" ? kind_of(field) : '\0';
    vector = vector || kind == '[' || kind == '"';
  });
  if (vector) chunk_.items = chunk_.items.value_or(0) + 1;
}

class EmbeddingsCodec final : public EndpointCodec {
 public:
  EmbeddingsCodec()
      : EndpointCodec({.endpoint = Endpoint::embeddings, .generates = false, .takes_images = false}) {}

  void put_prompt(Json& body, const std::string&, const std::string& prompt) const override {
    body["input"] = prompt;
  }
  // One text, or a list of several.
  void append_prompt(std::string& out, const std::vector<Message>& messages) const override {
    if (messages.size() == 1) return append_json_quoted(out, messages.front().content);
    append_json_list(out, messages);
  }
  void put_messages(Json& body, const std::string&, const Json& messages) const override {
    body["input"] = joined(messages);
  }
  std::unique_ptr<AnswerReader> make_reader() const override { return std::make_unique<EmbeddingsReader>(); }
};

}  // namespace

const EndpointCodec& embeddings_codec() {
  static const EmbeddingsCodec codec;
  return codec;
}

}  // namespace infermeter
