// Reranking in the formats of Cohere, Jina and vLLM: one query, many documents, one non-streamed answer with
// a score for each.
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/message_forms.hpp"
#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {
namespace {

class RerankReader final : public ChunkReader {
  bool read_chunk(std::string_view json) override;
  void read_root(std::string_view key, Value& value);
  void read_result(Value& value);
  void read_meta(Value& value);
};

bool RerankReader::read_chunk(std::string_view json) {
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  // Nothing is generated: if the prompt tokens are not given separately (Jina, vLLM), they are the total.
  if (chunk_.usage && !chunk_.usage->prompt) chunk_.usage->prompt = chunk_.usage->total;
  chunk_.ordinary = chunk_.items.has_value();
  return true;
}

void RerankReader::read_root(std::string_view key, Value& value) {
  if (key == "results" || key == "data") {  // Voyage's is `data`
    each_element(value, [this](Value& result) { read_result(result); });
  } else if (key == "meta") {
    read_meta(value);
  } else {
    read_fact(key, value);
  }
}

void RerankReader::read_result(Value& value) {
  bool scored = false;
  each_field(value, [&scored](std::string_view key, Value&) { scored = scored || key == "relevance_score"; });
  if (scored) chunk_.items = chunk_.items.value_or(0) + 1;
}

// Cohere's: billed_units (searches, not tokens) and, in version 1, tokens. Kept as JSON.
void RerankReader::read_meta(Value& value) {
  Object meta;
  std::string_view json;
  if (!open(value, meta, json)) return;
  each_field(meta, [this](std::string_view key, Value& field) {
    if (key == "billed_units" || key == "tokens") read_usage(field);
  });
  if (chunk_.usage) chunk_.usage_json = json;
}

// One query for all requests: it costs each document the same, so that lengths can be calibrated.
constexpr const char* kQuery = "Which of these texts answers the question best?";

class RerankCodec final : public EndpointCodec {
 public:
  RerankCodec() : EndpointCodec({.endpoint = Endpoint::rerank, .generates = false, .takes_images = false}) {}

  void put_prompt(Json& body, const std::string&, const std::string& prompt) const override {
    body["query"] = kQuery;
    body["documents"] = prompt;
  }
  void append_prompt(std::string& out, const std::vector<Message>& messages) const override {
    append_json_list(out, messages);
  }
  void put_messages(Json& body, const std::string&, const Json& messages) const override {
    body["documents"] = Json::array();
    for (const auto& message : messages) body["documents"].push_back(plain_content(message));
  }
  std::unique_ptr<AnswerReader> make_reader() const override { return std::make_unique<RerankReader>(); }
};

}  // namespace

const EndpointCodec& rerank_codec() {
  static const RerankCodec codec;
  return codec;
}

}  // namespace infermeter
