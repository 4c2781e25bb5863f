#include "protocol/stream/chunk.hpp"
#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {

struct ChunkParser::Readers {
  ChatReader chat;
  ResponsesReader responses;
  MessagesReader messages;
  EmbeddingsReader embeddings;
};

namespace {

template <typename Reader>
const Chunk* read(Reader& reader, std::string_view json) {
  return reader.read(json) ? &reader.chunk() : nullptr;
}

}  // namespace

ChunkParserPtr make_chunk_parser() { return ChunkParserPtr(new ChunkParser); }
void ChunkParserDeleter::operator()(ChunkParser* parser) const { delete parser; }

ChunkParser::ChunkParser() : readers_(std::make_unique<Readers>()) {}
ChunkParser::~ChunkParser() = default;

const Chunk* ChunkParser::parse(std::string_view json, Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::responses:
      return read(readers_->responses, json);
    case Endpoint::messages:
      return read(readers_->messages, json);
    case Endpoint::embeddings:
      return read(readers_->embeddings, json);
    default:
      return read(readers_->chat, json);
  }
}

void Chunk::clear() {
  choices.clear();
  texts.clear();
  timings.clear();
  usage.reset();
  cached_tokens.reset();
  items.reset();
  usage_json = error = message = model = fingerprint = {};
  has_error = is_delta = done = usage_opens = false;
}

}  // namespace infermeter
