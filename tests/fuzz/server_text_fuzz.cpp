// Error bodies, model lists, versions and Retry-After with arbitrary bytes are read without a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/http/outcome.hpp"
#include "protocol/http/server_identity.hpp"
#include "protocol/request/body.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace infermeter;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ErrorBody body = read_error_body(422, text);
  http_outcome(422, body);
  retry_after_ms(text, text, text);
  reset_after_ms(text, text);
  engine_name(parse_models(text), text, text);
  parse_version(text);
  RequestShape shape;
  for (const auto& field : body.refused_fields) drop_field(shape, field);
  const BodyTemplate body_template(shape);
  body_template.body(text);
  Request request;
  request.messages_json = request.extra_body = text;
  body_template.body(request);
  return 0;
}
