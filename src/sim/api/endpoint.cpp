#include "sim/api/endpoint.hpp"

#include <fmt/format.h>

#include "sim/api/answer_parts.hpp"

namespace infermeter::sim {

const ServedEndpoint& served_endpoint(Endpoint endpoint) {
  using Served = const ServedEndpoint& (*)();
#define INFERMETER_ROW(name, path, items) &served_##name,
  static constexpr Served kServed[]{INFERMETER_ENDPOINTS(INFERMETER_ROW)};
#undef INFERMETER_ROW
  return kServed[static_cast<std::size_t>(endpoint)]();
}

std::unique_ptr<StreamFormat> ServedEndpoint::make_stream(const AnswerIdentity&) const { return nullptr; }

std::string ServedEndpoint::logprobs(std::span<const std::string_view> words, std::uint32_t top,
                                     std::size_t) const {
  std::string json = R"({"content":)";
  append_logprob_list(json, words, top);
  return json + "}";
}

std::string ServedEndpoint::problem(const ApiProblem& problem) const { return problem_json(problem); }

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += ",\"";
  out += name;
  out += "\":";
  out += value;
}

void append_number(std::string& out, std::uint64_t number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

}  // namespace infermeter::sim
