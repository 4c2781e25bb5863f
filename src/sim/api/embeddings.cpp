// Embeddings without meaning: unit vectors computed from an input's tokens; equal inputs give equal vectors.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "sim/api/endpoint.hpp"
#include "sim/api/request_body.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {
namespace {

constexpr std::uint32_t kDimensions = 1024;  // default number of dimensions
constexpr std::uint32_t kMostDimensions = 8192;

// A unit vector computed from the tokens; equal tokens give equal vectors.
std::vector<float> embedding(std::span<const std::uint32_t> tokens, std::uint32_t dimensions) {
  std::uint64_t seed = 0;
  for (const auto token : tokens) seed = mix64(seed ^ token);
  Random random(seed);
  std::vector<double> numbers(dimensions);
  double square = 0;
  for (auto& number : numbers) {
    number = random.normal();
    square += number * number;
  }
  std::vector<float> vector;
  vector.reserve(dimensions);
  for (const double number : numbers) vector.push_back(static_cast<float>(number / std::sqrt(square)));
  return vector;
}

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8U | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (unsigned k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kLetters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

// Bytes of IEEE floats, little-endian on every machine.
std::string little_endian(std::span<const float> vector) {
  std::string bytes;
  bytes.reserve(vector.size() * 4);
  for (const float value : vector) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return bytes;
}

void append_vector(std::string& out, std::span<const float> vector, bool base64) {
  if (base64) {
    out += '"' + to_base64(little_endian(vector)) + '"';
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < vector.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", vector[i]);
  out += ']';
}

std::string embeddings_body(const WholeAnswer& answer) {
  const ApiRequest& request = answer.request;
  std::string json = R"({"object":"list","data":[)";
  for (std::size_t i = 0; i < request.prompts.size(); ++i) {
    fmt::format_to(std::back_inserter(json), R"({}{{"object":"embedding","index":{},"embedding":)",
                   i == 0 ? "" : ",", i);
    append_vector(json, embedding(request.prompts[i], request.own.at("dimensions")),
                  request.own.at("base64") != 0);
    json += '}';
  }
  fmt::format_to(std::back_inserter(json), R"(],"model":{})", json_quoted(answer.identity.model));
  if (answer.usage) json += fmt::format(R"(,"usage":{})", embeddings_usage_json(*answer.usage));
  return json + "}";
}

class ServedEmbeddings final : public ServedEndpoint {
 public:
  // OpenAI's maximum number of inputs.
  ServedEmbeddings()
      : ServedEndpoint({.id_prefix = "embd-",
                        .prompt_field = "input",
                        .generates = false,
                        .thinks = false,
                        .most_prompts = 2048,
                        .prompts_name = "inputs"}) {}

  void read(const Json& body, ApiRequest& request) const override {
    request.own["dimensions"] = whole_number(body, "dimensions", 1, kMostDimensions).value_or(kDimensions);
    const std::string format = text_field(body, "encoding_format");
    if (!format.empty() && format != "float" && format != "base64")
      refuse("encoding_format must be float or base64", "encoding_format");
    request.own["base64"] = format == "base64" ? 1 : 0;
    read_texts(body, "input", request);
  }
  std::string body(const WholeAnswer& answer) const override { return embeddings_body(answer); }
};

}  // namespace

const ServedEndpoint& served_embeddings() {
  static const ServedEmbeddings endpoint;
  return endpoint;
}

}  // namespace infermeter::sim
