#include "sim/http/routes.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::sim;

TEST_CASE("routes: every vendor's path leads to its endpoint") {
  struct Case {
    const char* target;
    Endpoint endpoint;
    bool any_model;
  };
  const Case cases[]{
      {"/v1/chat/completions", Endpoint::chat, false},
      {"/v1/chat/completions?x=1", Endpoint::chat, false},
      {"/v1/completions", Endpoint::completions, false},
      {"/v1/responses", Endpoint::responses, false},
      {"/v1/messages", Endpoint::messages, false},
      {"/v1/embeddings", Endpoint::embeddings, false},
      {"/v1/rerank", Endpoint::rerank, false},
      {"/rerank", Endpoint::rerank, false},
      {"/v2/rerank", Endpoint::rerank, false},
      {"/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21", Endpoint::chat, true},
      {"/openai/deployments/my-gpt/embeddings?api-version=2024-10-21", Endpoint::embeddings, true},
      {"/openai/responses?api-version=2025-04-01-preview", Endpoint::responses, true},
      {"/openai/v1/chat/completions", Endpoint::chat, true},
  };
  for (const auto& [target, endpoint, any_model] : cases) {
    INFO(target);
    const Route route = route_of(target);
    CHECK(route.to == Route::To::generate);
    CHECK(route.endpoint == endpoint);
    CHECK(route.any_model == any_model);
    CHECK(route.guarded);
  }
}

TEST_CASE("routes: what is nobody's path leads nowhere") {
  for (const char* target : {"/", "/v1", "/v1/", "/v1/chat", "/v2/chat/completions", "/openai/deployments/x",
                             "/openai/deployments/x/", "/v1/chat/completions/"}) {
    INFO(target);
    CHECK(route_of(target).to == Route::To::nothing);
  }
}

TEST_CASE("routes: the server's own paths want no key, those below /v1 do") {
  CHECK(route_of("/metrics").to == Route::To::metrics);
  CHECK_FALSE(route_of("/health").guarded);
  CHECK_FALSE(route_of("/tokenize").guarded);
  CHECK(route_of("/v1/models").guarded);
  CHECK(route_of("/v1/models/a/b").model == "a/b");
}
