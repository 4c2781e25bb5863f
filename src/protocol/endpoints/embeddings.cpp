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
  void read_vectors(Value& value);
};

bool EmbeddingsReader::read_chunk(std::string_view json) {
  const bool object = walk(json, [this](std::string_view key, Value& value) {
    if (key == "data") return each_element(value, [this](Value& item) { read_vector(item); });
    if (key == "embeddings") return read_vectors(value);
    read_fact(key, value);
  });
  // Nothing is generated: if the prompt tokens are not given separately (Jina, Voyage), they are the total.
  if (chunk_.usage && !chunk_.usage->prompt) chunk_.usage->prompt = chunk_.usage->total;
  chunk_.ordinary = chunk_.items.has_value();
  return object;
}

// Ollama, Cohere: the vectors alone, Cohere's below the name of their format.
void EmbeddingsReader::read_vectors(Value& value) {
  if (kind_of(value) == '{') {
    each_field(value, [this](std::string_view, Value& list) { read_vectors(list); });
    return;
  }
  const std::uint32_t count = elements_of(value);
  if (count > 0 && !chunk_.items) chunk_.items = count;
}

// A list of numbers, base64 text, a list of vectors (one for each token), or several of them by format: one
// text's. For a megabyte of it, only the end is searched for.
void EmbeddingsReader::read_vector(Value& value) {
  bool vector = false;
  each_field(value, [&vector](std::string_view key, Value& field) {
    const bool named = key == "embedding" || key == "embeddings" || key == "multi_vector" || key == "vector";
    const char kind = named ? kind_of(field) : '\0';
    vector = vector || kind == '[' || kind == '"' || kind == '{';
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
