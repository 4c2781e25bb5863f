#include "io/http/proxy.hpp"

#include "catch.hpp"

using namespace infermeter;

TEST_CASE("proxy: loopback is never proxied, however it is written") {
  for (const char* host : {"localhost", "LOCALHOST", "model.localhost", "127.0.0.1", "127.8.9.10", "::1"}) {
    INFO(host);
    CHECK(is_loopback_host(host));
    CHECK(proxy_in_use({.url = std::string("http://") + (host[0] == ':' ? "[::1]" : host) + ":8000/v1",
                        .proxy = "http://proxy.test:3128"})
              .empty());
  }
  CHECK_FALSE(is_loopback_host("127.evil.test"));
  CHECK_FALSE(is_loopback_host("notlocalhost"));
}

TEST_CASE("proxy: the option is the proxy of any other host") {
  CHECK(proxy_in_use({.url = "https://api.test/v1", .proxy = "http://proxy.test:3128"}) ==
        "http://proxy.test:3128");
}

TEST_CASE("proxy: variables name one by scheme, HTTP_PROXY in capitals is not among them") {
  const std::map<std::string, std::string> variables{
      {"HTTP_PROXY", "http://cgi"}, {"https_proxy", "http://s"}, {"ALL_PROXY", "http://all"}};
  CHECK(proxy_from(variables, "https://api.test/v1") == "http://s");
  CHECK(proxy_from(variables, "http://api.test/v1") == "http://all");
  CHECK(proxy_from({{"http_proxy", "http://p"}, {"no_proxy", "api.test"}}, "http://api.test") == "");
  CHECK(proxy_from({{"http_proxy", "http://p"}}, "http://127.0.0.1:8000") == "");
}

TEST_CASE("proxy: no_proxy covers names, domains and networks and nothing that only looks like them") {
  CHECK(no_proxy_covers("*", "api.test"));
  CHECK(no_proxy_covers("other.test, .Api.Test", "v1.API.test"));
  CHECK(no_proxy_covers("api.test", "api.test"));
  CHECK_FALSE(no_proxy_covers("api.test", "myapi.test"));
  CHECK(no_proxy_covers("192.0.2.0/24", "192.0.2.77"));
  CHECK_FALSE(no_proxy_covers("192.0.2.0/24", "192.0.3.77"));
  CHECK_FALSE(no_proxy_covers("192.0.2.0/99", "192.0.2.77"));
  CHECK_FALSE(no_proxy_covers("", "api.test"));
}

TEST_CASE("proxy: its place is found without scheme, credentials, port or path") {
  const auto place = [](std::string_view proxy) {
    const auto found = proxy_place(proxy);
    return found ? found->host + " " + std::to_string(found->port) : std::string("none");
  };
  CHECK(place("http://user:word@proxy.test:3128/") == "proxy.test 3128");
  CHECK(place("proxy.test") == "proxy.test 1080");
  CHECK(place("https://proxy.test") == "proxy.test 443");
  CHECK(place("socks5h://[::1]:9050") == "::1 9050");
  CHECK(place("") == "none");
}
