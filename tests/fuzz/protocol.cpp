// Targets that read what a server sends beside its streams.
#include <charconv>
#include <string>
#include <vector>

#include "analysis/figures/server_window.hpp"
#include "infermeter/base/errors.hpp"
#include "protocol/http/outcome.hpp"
#include "protocol/http/server_identity.hpp"
#include "protocol/http/tokenize_answer.hpp"
#include "protocol/metrics/server_page.hpp"
#include "protocol/request/body.hpp"
#include "protocol/stream/stream_reader.hpp"
#include "report/json/scrape_json.hpp"
#include "targets.hpp"

namespace infermeter::fuzz {
namespace {

std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

int status_of(std::string_view line) {
  int status = 0;
  const auto space = line.find(' ');
  if (space != std::string_view::npos)
    std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  return status;
}

RequestRecord read_whole(Endpoint endpoint, std::string_view body, bool stream) {
  static const ChunkParserPtr parser = make_chunk_parser();
  RequestRecord record;
  StreamReader reader(*parser, {.endpoint = endpoint, .stream = stream, .max_tokens = 8}, Instant{}, record);
  reader.on_status(200, Instant{});
  reader.on_body(body, {});
  reader.on_end(Outcome::ok, {}, Instant{} + std::chrono::seconds(1));
  return record;
}

// Counts are of things: none is negative.
void check_counts(const RequestRecord& record) {
  must(record.output_tokens.value_or(0) >= 0 && record.prompt_tokens.value_or(0) >= 0);
  must(record.cached_tokens.value_or(0) >= 0 && record.reasoning_tokens.value_or(0) >= 0);
}

}  // namespace

void metrics(std::string_view bytes) {
  const ServerPage page = read_server_page(bytes, "m");
  const std::string line = scrape_line(page.scrape);
  must(scrape_line(scrape_of_line(line)) == line);
  for (const auto& [name, histogram] : page.scrape.times) must(histogram.sum >= 0 && histogram.count >= 0);
  Scrape later = page.scrape;
  later.at_us = 1'000'000;
  server_window(std::vector{page.scrape, later}, {.from_us = 0, .to_us = later.at_us}, {});
  try {
    const Scrape saved = scrape_of_line(bytes);
    must(scrape_line(scrape_of_line(scrape_line(saved))) == scrape_line(saved));
  } catch (const Error&) {
    return;
  }
}

void http(std::string_view bytes) {
  static const ChunkParserPtr parser = make_chunk_parser();
  std::string_view rest = bytes;
  const int status = status_of(take_line(rest));
  RequestRecord record;
  StreamReader reader(*parser, {.max_tokens = 8}, Instant{}, record);
  reader.on_status(status, Instant{});
  std::string_view date, last;
  for (auto line = take_line(rest); !line.empty(); line = take_line(rest)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    reader.on_header(line.substr(0, colon), line.substr(colon + 1));
    date = last;
    last = line.substr(colon + 1);
    retry_after_ms(last, last, date);
    reset_after_ms(last, date);
  }
  const ErrorBody body = read_error_body(status, rest);
  must(body.message.size() <= 1100);
  http_outcome(status, body);
  reader.on_body(rest, {});
  reader.on_end(Outcome::ok, {}, Instant{} + std::chrono::seconds(1));
  must(record.error.size() <= 1100);
  check_counts(record);
}

void usage(std::string_view bytes) {
  const std::string members(bytes);
  for (const auto& row : kEndpoints) {
    check_counts(read_whole(row.endpoint, bytes, false));
    check_counts(read_whole(row.endpoint,
                            "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"}}]," + members + "}",
                            false));
    check_counts(read_whole(row.endpoint,
                            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},"
                            "\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[]," +
                                members + "}\n\ndata: [DONE]\n\n",
                            true));
  }
}

void identity(std::string_view bytes) {
  engine_name(parse_models(bytes), bytes, bytes);
  parse_version(bytes);
  parse_tokenize_answer(bytes);
  tokenize_text_body(bytes, bytes);
  RequestShape shape;
  for (const auto& field : read_error_body(422, bytes).refused_fields) drop_field(shape, field);
  const BodyTemplate body(shape);
  tokenize_request_body(body.body(bytes));
  Request request;
  request.messages_json = request.extra_body = bytes;
  body.body(request);
}

}  // namespace infermeter::fuzz
