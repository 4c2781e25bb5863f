#include "protocol/stream/stream_reader.hpp"

#include "protocol/stream/chunk.hpp"
#include "protocol/stream/response.hpp"

namespace infermeter {

struct StreamReader::State {
  ChunkParser& parser;
  StreamOptions options;
  Instant origin;
  RequestRecord& record;
  std::optional<Response> response{};
  bool ended = false;

  void begin() { response.emplace(parser, options, origin, record); }
};

StreamReader::StreamReader(ChunkParser& parser, const StreamOptions& options, Instant origin,
                           RequestRecord& record)
    : state_(new State{parser, options, origin, record}) {
  state_->begin();
}

StreamReader::~StreamReader() = default;
StreamReader::StreamReader(StreamReader&&) noexcept = default;

void StreamReader::on_status(int status, Instant arrival) {
  state_->begin();
  state_->response->on_status(status, arrival);
}

void StreamReader::on_header(std::string_view name, std::string_view value) {
  state_->response->headers().add(name, value);
}

void StreamReader::on_body(std::string_view bytes, const ReadStamp& stamp) {
  if (!state_->ended) state_->response->on_body(bytes, stamp);
}

void StreamReader::on_end(Outcome transport, std::string_view message, Instant at) {
  if (std::exchange(state_->ended, true)) return;
  state_->response->on_end(transport, message, at);
}

std::optional<Instant> StreamReader::terminal_at() const { return state_->response->fold().terminal_at(); }

std::optional<Instant> StreamReader::first_token() const {
  return state_->response->timeline().first_token();
}

std::optional<Instant> StreamReader::last_token() const { return state_->response->timeline().last_token(); }

}  // namespace infermeter
