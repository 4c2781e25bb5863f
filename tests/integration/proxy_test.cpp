// nginx between the binary and its simulator: TLS, HTTP/2 and buffering in common configurations. Built if
// nginx and openssl are installed (script/bootstrap --ci installs them).
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>

#include "catch.hpp"
#include "run_folder.hpp"
#include "truth.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

bool answers(const HeldPort& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port.number())));
  const bool connected = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  ::close(fd);
  return connected;
}

class Nginx {
 public:
  // `buffering`: on as nginx's default; off as serving guides recommend.
  Nginx(const std::string& upstream, bool buffering) {
    std::ofstream(folder_ / "openssl.cnf") << "[req]\ndistinguished_name=dn\n[dn]\n";
    const std::string certificate =
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -config " +
        (folder_ / "openssl.cnf") + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout " +
        (folder_ / "key.pem") + " -out " + certificate_file() + " 2>/dev/null";
    REQUIRE(std::system(certificate.c_str()) == 0);
    std::ofstream(folder_ / "nginx.conf")
        << "daemon off; worker_processes 1; pid " << folder_.path() << "/pid; error_log " << folder_.path()
        << "/error.log;\n"
        << "events { worker_connections 512; }\nhttp { access_log off; keepalive_requests 100000;\n"
        << "client_body_temp_path " << folder_.path() << "/body; proxy_temp_path " << folder_.path()
        << "/proxy;\n"
        << "fastcgi_temp_path " << folder_.path() << "/f; uwsgi_temp_path " << folder_.path()
        << "/u; scgi_temp_path " << folder_.path() << "/s;\n"
        << "server { listen 127.0.0.1:" << port_.number() << " ssl http2; ssl_certificate "
        << certificate_file() << "; ssl_certificate_key " << folder_.path() << "/key.pem;\n"
        << pass(upstream, buffering) << "}\nserver { listen 127.0.0.1:" << plain_port_.number() << " http2; "
        << pass(upstream, buffering) << "} }\n";
    pid_ = fork();
    if (pid_ == 0) {
      const std::string config = folder_ / "nginx.conf", log = folder_ / "error.log";
      freopen("/dev/null", "w", stderr);
      execl(INFERMETER_NGINX, "nginx", "-p", folder_.path().c_str(), "-c", config.c_str(), "-e", log.c_str(),
            nullptr);
      _exit(127);
    }
    if (eventually([&] { return answers(port_); })) return;
    stop();  // no destructor runs for an object that was not constructed
    FAIL("nginx does not answer");
  }
  ~Nginx() { stop(); }

 private:
  void stop() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }

 public:
  std::string url() const { return "https://localhost:" + port_.number(); }
  /// HTTP/2 without TLS.
  std::string plain_url() const { return plain_port_.url(); }
  std::string certificate_file() const { return folder_ / "cert.pem"; }

 private:
  TemporaryFolder folder_;
  static std::string pass(const std::string& upstream, bool buffering) {
    return "location / { proxy_pass " + upstream +
           "; proxy_http_version 1.1; proxy_set_header Connection '';" +
           (buffering ? "" : " proxy_buffering off;") + " } ";
  }

  HeldPort port_, plain_port_;
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("proxy: over TLS and over HTTP 2 arrivals are the kernel's and none precedes its sending") {
  for (const bool http2 : {false, true}) {
    INFO(http2);
    TemporaryFolder folder;
    SimulatorProcess simulator({"fixed:ttft=50ms,itl=10ms", "--truth", folder / "truth.jsonl"});
    Nginx nginx(simulator.url(), false);
    std::vector<std::string> words{"run", nginx.url(),   "--cacert", nginx.certificate_file(), "-c",
                                   "8",   "-n",          "32",       "--output-tokens",        "16",
                                   "-o",  folder / "out"};
    if (http2) words.emplace_back("--http2");
    const Finished run = infermeter_once(words);
    CHECK((run.exit_code == 0 || run.exit_code == 4));
    simulator.stop();
    const json result = result_in(folder / "out");
    CHECK(result["points"][0]["ok"] == 32);
    CHECK(result["targets"][0]["timestamp_source"] == "kernel");
    CHECK(result["targets"][0]["tls_ms"] > 0);
    CHECK(result["points"][0]["client"]["unstamped_share"] < 0.5);
    CHECK(arrival_errors(folder / "out", folder / "truth.jsonl").size() >= 32 * 16);
  }
}

TEST_CASE("proxy: plain HTTP 2 is measured over many requests, whatever libcurl can reuse") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=20ms,itl=5ms"});
  Nginx nginx(simulator.url(), false);
  infermeter_once({"run", nginx.plain_url(), "--http2", "-c", "4", "-n", "24", "--output-tokens", "8", "-o",
                   folder / "out"});
  CHECK(first_point_in(folder / "out")["ok"] == 24);
}

TEST_CASE("proxy: a certificate that nobody vouches for ends in one line and exit 3") {
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  Nginx nginx(simulator.url(), false);
  TemporaryFolder folder;
  const Finished refused = infermeter_once({"run", nginx.url(), "-n", "2", "-o", folder / "a"});
  CHECK(refused.exit_code == 3);
  CHECK(refused.err.starts_with("infermeter: cannot set up TLS with localhost:"));
  CHECK(refused.err.find("--cacert") != std::string::npos);
  const Finished insecure =
      infermeter_once({"run", nginx.url(), "-n", "2", "--insecure", "-o", folder / "b"});
  CHECK(first_point_in(folder / "b")["ok"] == 2);
}

TEST_CASE(
    "proxy: SSL_CERT_FILE is trusted, --cacert goes before it, and the system stands in for a missing one") {
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=1ms"});
  Nginx nginx(simulator.url(), false);
  TemporaryFolder folder;
  const std::string variable = "SSL_CERT_FILE=" + nginx.certificate_file();
  infermeter_once({"run", nginx.url(), "-n", "2", "-o", folder / "a"}, {variable});
  CHECK(first_point_in(folder / "a")["ok"] == 2);
  const std::vector<std::string> other{"run",      nginx.url(), "-n", "2",
                                       "--cacert", "/dev/null", "-o", folder / "b"};
  CHECK(infermeter_once(other, {variable}).exit_code == 3);
  const Finished missing = infermeter_once({"run", nginx.url(), "-n", "2", "-o", folder / "c"},
                                           {"SSL_CERT_FILE=/nonexistent/ca.pem"});
  CHECK(missing.exit_code == 3);
  CHECK(missing.err.find("SSL_CERT_FILE: '/nonexistent/ca.pem' cannot be read") != std::string::npos);
}

TEST_CASE("proxy: a proxy that buffers is called that") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=10ms,itl=2ms"});
  Nginx nginx(simulator.url(), true);
  const Finished run = infermeter_once({"run", nginx.url(), "--cacert", nginx.certificate_file(), "-c", "2",
                                        "-n", "10", "--output-tokens", "60", "-o", folder / "out"});
  // What a busy machine reads late may have come as a stream: only prompt reads prove the proxy.
  std::size_t buffered = 0;
  for (const auto& record : records_in(folder / "out")) {
    if (record.phase != Phase::measured) continue;
    CHECK(record.packed + record.late > 30);
    CHECK((record.late > 0 || record.flags.has(Flag::buffered_stream)));
    buffered += record.flags.has(Flag::buffered_stream) ? 1 : 0;
  }
  CHECK((2 * buffered <= 10 || run.out.find("buffer") != std::string::npos));
}
