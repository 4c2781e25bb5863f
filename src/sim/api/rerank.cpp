// Reranking in vLLM's format. The scores mean nothing: equal pairs of query and document get equal scores.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/random.hpp"
#include "sim/api/endpoint.hpp"
#include "sim/api/request_body.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {
namespace {

constexpr std::uint32_t kMostDocuments = 2048;

// A document is a text, or an object that contains one.
std::string document_text(const Json& document) {
  if (document.is_string()) return document.get<std::string>();
  if (!document.is_object()) refuse("a document must be a string or an object with a text", "documents");
  return text_field(document, "text");
}

double score(const Tokens& pair) {
  std::uint64_t seed = 0;
  for (const auto token : pair) seed = mix64(seed ^ token);
  return Random(seed).uniform();
}

std::string rerank_body(const WholeAnswer& answer) {
  const ApiRequest& request = answer.request;
  std::vector<double> scores;
  for (const auto& pair : request.prompts) scores.push_back(score(pair));
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return scores[i]; });
  order.resize(std::min<std::size_t>(order.size(), request.own.at("top_n")));
  std::string json =
      fmt::format(R"({{"id":"{}","model":{})", answer.identity.id, json_quoted(answer.identity.model));
  if (answer.usage) append_field(json, "usage", embeddings_usage_json(*answer.usage));
  json += R"(,"results":[)";
  for (const std::size_t i : order)
    fmt::format_to(std::back_inserter(json),
                   R"({}{{"index":{},"document":{{"text":{}}},"relevance_score":{:.6f}}})",
                   json.back() == '[' ? "" : ",", i, json_quoted(request.texts[i]), scores[i]);
  return json + "]}";
}

class ServedRerank final : public ServedEndpoint {
 public:
  ServedRerank()
      : ServedEndpoint({.id_prefix = "rerank-",
                        .prompt_field = "documents",
                        .generates = false,
                        .thinks = false,
                        .most_prompts = kMostDocuments,
                        .prompts_name = "documents"}) {}

  // Like a cross-encoder, the engine reads the query once per document.
  void read(const Json& body, ApiRequest& request) const override {
    const std::string query = text_field(body, "query");
    if (query.empty()) refuse("query is required", "query");
    const Json* documents = field(body, "documents");
    if (documents == nullptr || !documents->is_array() || documents->empty())
      refuse("documents must be a list of at least one", "documents");
    for (const auto& document : *documents) {
      request.texts.push_back(document_text(document));
      request.prompts.push_back(tokenize_prompt(query + '\n' + request.texts.back()));
    }
    request.own["top_n"] = whole_number(body, "top_n", 1, kMostDocuments).value_or(kMostDocuments);
  }
  std::string body(const WholeAnswer& answer) const override { return rerank_body(answer); }
};

}  // namespace

const ServedEndpoint& served_rerank() {
  static const ServedRerank endpoint;
  return endpoint;
}

}  // namespace infermeter::sim
