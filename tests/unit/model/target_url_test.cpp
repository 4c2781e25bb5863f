#include "model/target_url.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {
struct Case {
  const char* given;
  const char* request;
  const char* models;
};
}  // namespace

TEST_CASE("target url: every way to write a server leads to its endpoint") {
  const Case cases[] = {
      {"http://localhost:8000", "http://localhost:8000/v1/chat/completions",
       "http://localhost:8000/v1/models"},
      {"http://localhost:8000/", "http://localhost:8000/v1/chat/completions",
       "http://localhost:8000/v1/models"},
      {"http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions",
       "http://localhost:8000/v1/models"},
      {"localhost:8000", "http://localhost:8000/v1/chat/completions", "http://localhost:8000/v1/models"},
      {"gpu-7", "http://gpu-7/v1/chat/completions", "http://gpu-7/v1/models"},
      {"10.0.0.1:80/v1", "http://10.0.0.1/v1/chat/completions", "http://10.0.0.1/v1/models"},
      {"HTTPS://api.example.com:443/v1", "https://api.example.com/v1/chat/completions",
       "https://api.example.com/v1/models"},
      {"https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions",
       "https://openrouter.ai/api/v1/models"},
      {"http://h/v1/completions", "http://h/v1/completions", "http://h/v1/models"},
      {"http://h/v1/chat/completions/", "http://h/v1/chat/completions/", "http://h/v1/models"},
      {"http://h/chat/completions", "http://h/chat/completions", "http://h/models"},
      {"[::1]:8000", "http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1/models"},
      {"http://[fe80::1%25eth0]/v1", "http://[fe80::1%25eth0]/v1/chat/completions",
       "http://[fe80::1%25eth0]/v1/models"},
      {"https://r.openai.azure.com/openai/deployments/x/chat/completions?api-version=2024-10-21",
       "https://r.openai.azure.com/openai/deployments/x/chat/completions?api-version=2024-10-21",
       "https://r.openai.azure.com/openai/models?api-version=2024-10-21"},
      {"https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1/chat/completions",
       "https://r.openai.azure.com/openai/v1/models"},
      {"https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1/chat/completions",
       "https://api.groq.com/openai/v1/models"},
      {"http://h/v1/responses", "http://h/v1/responses", "http://h/v1/models"},
      {"http://h/v1/messages/", "http://h/v1/messages/", "http://h/v1/models"},
      {"http://h/v1/embeddings", "http://h/v1/embeddings", "http://h/v1/models"},
      {"http://h/v2/rerank", "http://h/v2/rerank", "http://h/v2/models"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.given);
    const TargetUrl url = resolve_target_url(c.given);
    CHECK(url.request_url() == c.request);
    CHECK(url.models_url() == c.models);
  }
}

TEST_CASE("target url: the parts stand apart") {
  const TargetUrl url = resolve_target_url("https://[2001:db8::2]:8443/api/v1/completions");
  CHECK(url.scheme == "https");
  CHECK(url.host == "2001:db8::2");
  CHECK(url.port == 8443);
  CHECK(url.prefix == "/api/v1");
  CHECK(url.endpoint == Endpoint::completions);
  CHECK(url.root_url("/version") == "https://[2001:db8::2]:8443/version");
}

TEST_CASE("target url: what is no URL of a server is refused by rule") {
  CHECK_THROWS_WITH(resolve_target_url(""), "the URL is empty");
  CHECK_THROWS_WITH(resolve_target_url("http://a b/"), "the URL holds white space or control characters");
  CHECK_THROWS_WITH(resolve_target_url("ftp://h"), "URL 'ftp://h' does not begin with http:// or https://");
  CHECK_THROWS_WITH(resolve_target_url("http://h:99999"),
                    "URL 'http://h:99999' has no port in 1 … 65535 after the colon");
  CHECK_THROWS_WITH(resolve_target_url("http://h:/v1"),
                    "URL 'http://h:/v1' has no port in 1 … 65535 after the colon");
  CHECK_THROWS_WITH(resolve_target_url("http:///v1"), "URL 'http:///v1' names no host");
  CHECK_THROWS_WITH(resolve_target_url("http://[]:1"),
                    "URL 'http://[]:1' has no IPv6 address between its brackets");
  CHECK_THROWS_WITH(resolve_target_url("http://[::1"),
                    "URL 'http://[::1' has no IPv6 address between its brackets");
  CHECK_THROWS_WITH(resolve_target_url("http://[::1]8"), "URL 'http://[::1]8' names no host");
  CHECK_THROWS_WITH(resolve_target_url("http://h/v1#x"),
                    "URL 'http://h/v1#x' has a fragment (#), which no server would see");
  CHECK_THROWS_WITH(resolve_target_url("http://h/v1/audio/speech"),
                    "URL 'http://h/v1/audio/speech' is no endpoint that can be measured");
}

TEST_CASE("target url: an endpoint that is asked for wins over the one of the path") {
  const auto request = [](const char* url, Endpoint forced) {
    return resolve_target_url(url, forced, {}).request_url();
  };
  CHECK(request("http://h:8000", Endpoint::responses) == "http://h:8000/v1/responses");
  CHECK(request("https://api.anthropic.com", Endpoint::messages) == "https://api.anthropic.com/v1/messages");
  CHECK(request("http://h/v1/chat/completions", Endpoint::embeddings) == "http://h/v1/embeddings");
  CHECK(request("http://h/v1/messages", Endpoint::chat) == "http://h/v1/chat/completions");
}

TEST_CASE("target url: an API version is added once and may not be two") {
  const auto request = [](const char* url) {
    return resolve_target_url(url, std::nullopt, "2024-10-21").request_url();
  };
  CHECK(request("https://r.openai.azure.com/openai/deployments/x") ==
        "https://r.openai.azure.com/openai/deployments/x/chat/completions?api-version=2024-10-21");
  CHECK(request("http://h/v1?a=b") == "http://h/v1/chat/completions?a=b&api-version=2024-10-21");
  CHECK(request("http://h/v1?api-version=2024-10-21&a=b") ==
        "http://h/v1/chat/completions?api-version=2024-10-21&a=b");
  CHECK_THROWS_WITH(request("http://h/v1?api-version=2023-05-15"),
                    "URL 'http://h/v1?api-version=2023-05-15' names another API version than 2024-10-21");
}

TEST_CASE("target url: Azure is known by its host or by a path of deployments") {
  CHECK(resolve_target_url("https://r.openai.azure.com").is_azure());
  CHECK(resolve_target_url("https://R.Services.AI.Azure.com/models").is_azure());
  CHECK(resolve_target_url("https://gateway.example/openai/deployments/gpt/chat/completions").is_azure());
  CHECK_FALSE(resolve_target_url("https://api.groq.com/openai/v1").is_azure());
  CHECK_FALSE(resolve_target_url("https://azure.com.example/v1").is_azure());
  CHECK(resolve_target_url("https://g.example/openai/deployments/gpt-x/chat/completions").deployment() ==
        "gpt-x");
  CHECK(resolve_target_url("https://api.groq.com/openai/v1").deployment().empty());
}

TEST_CASE("target url: credentials are refused and not repeated") {
  CHECK_THROWS_WITH(resolve_target_url("http://me:hunter2@h/v1"),
                    "the URL holds a user or password, which would be seen by everyone who sees it");
  CHECK_THROWS_WITH(resolve_target_url("ftp://me:hunter2@h"),
                    "URL 'ftp://****@h' does not begin with http:// or https://");
}

TEST_CASE("target url: secrets in a URL are masked where it is shown") {
  CHECK(mask_url("socks5://me:p@ss@proxy:1080") == "socks5://****@proxy:1080");
  CHECK(mask_url("me:pw@proxy:8080") == "****@proxy:8080");
  CHECK(mask_url("http://h/p@th?api-version=1&api-key=sk-1&x") ==
        "http://h/p@th?api-version=1&api-key=****&x");
  CHECK(mask_url("localhost:8000") == "localhost:8000");
  CHECK(mask_url("http://h?k=hunter2;pwd=x&v=1;sig=a/b") == "http://h?k=****;pwd=****&v=1;sig=****");
  CHECK(resolve_target_url("http://h/v1?Token=abc").shown() == "http://h/v1/chat/completions?Token=****");
}

TEST_CASE("target url: a value that looks like a key was shown, whatever its parameter's name") {
  for (const char* value : {"sk-proj-abcdefghijkl", "hf_abcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9.e30.x",
                            "0123456789abcdef0123456789abcdef", "a.b.Zm9vYmFyMTIzNDU2Nzg5MA",
                            "550e8400-e29b-41d4-a716-446655440000", "x%3DA1b2C3d4E5f6G7h8I9j0K"}) {
    CAPTURE(value);
    CHECK(mask_url(std::string("http://h/v1?user=") + value + "&v=1") == "http://h/v1?user=****&v=1");
  }
  for (const char* value : {"2024-10-21-preview", "12345678901234567890123", "averylongdeploymentname",
                            "Llama-3.1-8B-Instruct-Turbo", "sk-short", ""}) {
    CAPTURE(value);
    CHECK(mask_url(std::string("http://h/v1?x=") + value) == std::string("http://h/v1?x=") + value);
  }
}
