// Proxies that do not do what they are for: the error names the proxy. No name is resolved but those of this
// machine, and nothing leaves it.
#include "catch.hpp"
#include "process.hpp"
#include "raw_server.hpp"

using namespace infermeter;

namespace {

std::string at(const RawServer& proxy) { return "127.0.0.1:" + std::to_string(proxy.port()); }

/// The error of a run that would reach `url` through `proxy`.
std::string error_of(const std::string& url, const std::string& proxy) {
  TemporaryFolder folder;
  std::vector<std::string> words{"run", url, "--model", "m", "-n", "2", "--proxy", proxy, "-o"};
  words.push_back(folder / "out");
  const Finished run = infermeter_once(std::move(words));
  CHECK(run.exit_code == 3);
  return run.err.substr(0, run.err.find('\n'));
}

/// Answers every request by that, or closes the connection.
RawServer::Script answering(const std::string& answer) {
  return [answer](int fd) {
    while (!read_request(fd).empty() && !answer.empty()) write_all(fd, answer);
  };
}

std::string refusal(const std::string& status) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n";
}

const std::string kPlain = "http://model.test:8000", kEncrypted = "https://model.test:8443";

}  // namespace

TEST_CASE("proxy: one that cannot be resolved is named, not the target") {
  for (const std::string& url : {kPlain, kEncrypted}) {
    const std::string error = error_of(url, "http://no-such-proxy.invalid:3128");
    INFO(error);
    CHECK(error.starts_with("infermeter: cannot resolve the proxy no-such-proxy.invalid: "));
    CHECK(error.find("model.test") == std::string::npos);
  }
}

TEST_CASE("proxy: one without a host is named, not the target") {
  for (const char* proxy : {"http://", "http://:3128"}) {
    const std::string error = error_of(kPlain, proxy);
    INFO(error);
    CHECK(error.starts_with("infermeter: the proxy's address "));
    CHECK(error.find("model.test") == std::string::npos);
  }
}

TEST_CASE("proxy: one that takes no connection is named, not the target") {
  for (const std::string& url : {kPlain, kEncrypted})
    CHECK(error_of(url, "http://user:hush@127.0.0.1:1") ==
          "infermeter: cannot connect to the proxy http://****@127.0.0.1:1: connection refused");
}

TEST_CASE("proxy: one that wants a password, or that reaches no server, is named with its status") {
  const RawServer keyed(answering(refusal("407 Proxy Authentication Required")));
  const RawServer cut_off(answering(refusal("502 Bad Gateway")));
  CHECK(error_of(kEncrypted, "http://" + at(keyed))
            .starts_with("infermeter: the proxy http://" + at(keyed) +
                         " answers 407 to CONNECT: it wants a user and a password"));
  CHECK(error_of(kPlain, "http://" + at(keyed))
            .starts_with("infermeter: the proxy http://" + at(keyed) +
                         " answers 407: it wants a user and a password"));
  CHECK(error_of(kEncrypted, "http://" + at(cut_off))
            .starts_with("infermeter: the proxy http://" + at(cut_off) + " answers 502 to CONNECT"));
  CHECK(error_of(kPlain, "http://" + at(cut_off))
            .find("answers 502, through the proxy http://" + at(cut_off)) != std::string::npos);
}

TEST_CASE("proxy: one that closes the connection is named") {
  const RawServer proxy(answering(""));
  for (const std::string& url : {kPlain, kEncrypted}) {
    const std::string error = error_of(url, "http://" + at(proxy));
    INFO(error);
    CHECK(error.find("the proxy http://" + at(proxy)) != std::string::npos);
    CHECK(error.find(" closed the connection ") != std::string::npos);
  }
}

TEST_CASE("proxy: one that is no SOCKS server is named") {
  const RawServer proxy([](int fd) { write_all(fd, "HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const std::string error = error_of(kPlain, "socks5h://" + at(proxy));
  INFO(error);
  CHECK(error.find("the proxy socks5h://" + at(proxy)) != std::string::npos);
}

TEST_CASE("proxy: one that libcurl cannot use is named without its password") {
  const std::string error = error_of(kPlain, "foo://user:hush@127.0.0.1:1");
  INFO(error);
  CHECK(error.find("hush") == std::string::npos);
  CHECK(error.find("the proxy's address foo://****@127.0.0.1:1") != std::string::npos);
}
