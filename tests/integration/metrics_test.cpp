// The server's own metrics beside the load: from the simulator, and from exporters that fail in every way.
// Asserted are the simulator's truth, counts and words, never the speed of this machine.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "catch.hpp"
#include "raw_server.hpp"
#include "run_folder.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

std::string with_head(const std::string& body, const std::string& status = "200 OK",
                      const std::string& more = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; version=0.0.4\r\n" + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string page_of(int requests, const std::string& model = "llama-3.1-8b", double start = 1000) {
  const std::string labels = "{model_name=\"" + model + "\"} ";
  return "vllm:request_success_total" + labels + std::to_string(requests) + "\nvllm:num_requests_running" +
         labels + "2\nprocess_start_time_seconds " + std::to_string(start) + "\n";
}

/// Serves what `answer` gives for the n-th request, over connections that are kept.
RawServer exporter(std::function<std::string(int)> answer) {
  auto count = std::make_shared<std::atomic<int>>(0);
  return RawServer([answer = std::move(answer), count](int fd) {
    while (!read_request(fd).empty()) write_all(fd, answer((*count)++));
  });
}

std::string metrics_url(const RawServer& server) {
  return "http://127.0.0.1:" + std::to_string(server.port()) + "/metrics";
}

/// What a run of the simulator says of its metrics, which are elsewhere; all requests are there, whatever the
/// exporter does.
json run_beside(const std::string& url, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> line{"run",
                                "--sim",
                                "fixed:ttft=5ms,itl=1ms",
                                "-c",
                                "2",
                                "-n",
                                "40",
                                "--output-tokens",
                                "16",
                                "--no-calibrate",
                                "--metrics-url",
                                url,
                                "--metrics-interval",
                                "20ms",
                                "-q",
                                "-o",
                                folder / "r"};
  line.insert(line.end(), more.begin(), more.end());
  const Finished run = infermeter_once(line);
  REQUIRE(measured(run));
  CHECK(records_in(folder / "r").size() >= 40);
  const json point = first_point_in(folder / "r");
  CHECK(point["ok"] == 40);
  return point["server"]["scraped"];
}

/// Why there are no figures; empty: there are.
std::string missing_in(const json& scraped) {
  return scraped.is_object() && scraped["missing"].is_string() ? scraped["missing"].get<std::string>() : "";
}

}  // namespace

TEST_CASE("metrics: the simulator's page is found, and its figures stand beside ours") {
  const TemporaryFolder folder;
  const std::string out = folder / "r";
  const Finished run = infermeter_once({"run", "--sim", "h100-8b", "-c", "8", "-n", "64", "--warmup", "0",
                                        "--output-tokens", "16", "--no-calibrate", "-q", "-o", out});
  REQUIRE(measured(run));
  CHECK(run.out.find("by its metrics page  ") != std::string::npos);
  const json server = first_point_in(out)["server"]["scraped"];
  CHECK(server["from"] == "vllm");
  CHECK(server["own_requests"] == 64);
  CHECK(server["counts"]["requests"] >= 64);
  CHECK(server["missing"] == nullptr);
  REQUIRE(server["times"].contains("queue"));
  CHECK(server["times"]["ttft"]["mean"] > 0);
  const json parts = first_point_in(out)["server"]["ttft_parts"];
  CHECK(parts["tier"] == "prometheus");
  double total = 0;
  for (const auto* part : {"client_queue", "connect", "network", "queue", "prefill", "rest"})
    total += parts[part].get<double>();
  CHECK(total == Approx(first_point_in(out)["metrics"]["ttft_response"]["mean"].get<double>()).epsilon(0.01));
  CHECK(count_lines(out + "/metrics.jsonl") >= 2);
}

TEST_CASE("metrics: a report of the saved run says the same of the server") {
  const TemporaryFolder folder;
  const std::string out = folder / "r";
  REQUIRE(measured(infermeter_once(
      {"run", "--sim", "h100-8b", "-c", "4", "-n", "16", "--output-tokens", "8", "-q", "-o", out})));
  const Finished report = infermeter_once({"report", out, "--format", "json"});
  REQUIRE(report.exit_code == 0);
  CHECK(json::parse(report.out)["points"][0]["server"] == first_point_in(out)["server"]);
}

TEST_CASE("metrics: --no-metrics asks for none, and --no-preflight only for those that are named") {
  const TemporaryFolder folder;
  for (const std::string option : {"--no-metrics", "--no-preflight"}) {
    const std::string out = folder / option;
    REQUIRE(measured(infermeter_once(
        {"run", "--sim", "h100-8b", "-c", "2", "-n", "4", "--output-tokens", "4", "-q", "-o", out, option})));
    CHECK(first_point_in(out)["server"]["scraped"] == nullptr);
    CHECK(count_lines(out + "/metrics.jsonl") == 0);
  }
}

TEST_CASE("metrics: the key goes to the target's own origin alone, --metrics-header to every page") {
  std::mutex mutex;
  std::string heads;
  RawServer elsewhere([&](int fd) {
    for (std::string head = read_request(fd); !head.empty(); head = read_request(fd)) {
      const std::lock_guard lock(mutex);
      heads += head;
      write_all(fd, with_head(page_of(1)));
    }
  });
  run_beside(metrics_url(elsewhere),
             {"-H", "Authorization: Bearer sk-hidden-key", "--metrics-header", "X-Scope: team-a"});
  const std::lock_guard lock(mutex);
  CHECK(heads.find("GET /metrics HTTP/1.1") == 0);
  CHECK(heads.find("X-Scope: team-a") != std::string::npos);
  CHECK(heads.find("sk-hidden-key") == std::string::npos);
}

TEST_CASE("metrics: a compressed page is read") {
  const TemporaryFolder folder;
  std::ofstream(folder / "page") << page_of(3);
  REQUIRE(std::system(("gzip " + (folder / "page")).c_str()) == 0);
  const std::string packed = slurp(folder / "page.gz");
  RawServer server = exporter([&](int) { return with_head(packed, "200 OK", "Content-Encoding: gzip\r\n"); });
  const json scraped = run_beside(metrics_url(server));
  CHECK(missing_in(scraped).empty());
  CHECK(scraped["from"] == "vllm");
}

TEST_CASE("metrics: a key that a page writes into its labels is in no file and no output") {
  const std::string key = "sk-live-0123456789abcdef";
  RawServer server = exporter([&](int) { return with_head(page_of(1, key) + page_of(1, key + "-two")); });
  const TemporaryFolder folder;
  const Finished run = infermeter_once({"run", "--sim", "h100-8b", "-c", "2", "-n", "4", "--output-tokens",
                                        "4", "-o", folder / "r", "-H", "Authorization: Bearer " + key,
                                        "--metrics-url", metrics_url(server)});
  REQUIRE(measured(run));
  CHECK(missing_in(first_point_in(folder / "r")["server"]["scraped"]).find("its models are ****, ****-two") !=
        std::string::npos);
  for (const auto& text :
       {run.out, run.err, slurp(folder / "r/result.json"), slurp(folder / "r/report.html")})
    CHECK(text.find(key) == std::string::npos);
}

TEST_CASE("metrics: a killed run keeps what was read") {
  const TemporaryFolder folder;
  Process run({"run", "--sim", "fixed:ttft=5ms,itl=1ms", "-c", "2", "-d", "60s", "--output-tokens", "16",
               "--metrics-interval", "20ms", "-o", folder / "r"});
  REQUIRE(eventually([&] {
    return count_lines(folder / "r/metrics.jsonl") > 20 && count_lines(folder / "r/requests.jsonl") > 20;
  }));
  run.signal(SIGKILL);
  run.wait();
  const Finished report = infermeter_once({"report", folder / "r", "--format", "json"});
  CHECK(report.exit_code == 0);
  CHECK(json::parse(report.out)["points"][0]["server"]["scraped"]["counts"]["requests"] > 0);
}

TEST_CASE("metrics: an exporter that fails costs the metrics, never the run, and is named with what it did") {
  const std::string endless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string much(9'000'000, '#');
  struct Way {
    std::string words;
    std::function<std::string(int)> answer;
  };
  const Way ways[] = {
      {"status 500", [](int) { return with_head("no", "500 Internal Server Error"); }},
      {"it has moved to http://other/metrics",
       [](int) { return with_head("", "302 Found", "Location: http://other/metrics\r\n"); }},
      {"it is no page of metrics", [](int) { return with_head("<html>a page</html>"); }},
      {"it has no metrics of an inference server", [](int) { return with_head("go_goroutines 7\n"); }},
      {"its models are a, b", [](int) { return with_head(page_of(1, "a") + page_of(1, "b")); }},
      {"longer than 8,000,000 bytes", [&](int) { return with_head(much); }},
  };
  for (const auto& [words, answer] : ways) {
    INFO(words);
    RawServer server = exporter(answer);
    const json scraped = run_beside(metrics_url(server));
    CHECK(scraped["times"].empty());
    CHECK(missing_in(scraped).starts_with(metrics_url(server) + ": "));
    CHECK(missing_in(scraped).find(words) != std::string::npos);
  }
}

TEST_CASE("metrics: an exporter that answers nothing, half, or never ends is left behind") {
  RawServer silent([](int fd) { read_request(fd), read_request(fd); });
  RawServer half([](int fd) {
    read_request(fd);
    write_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + page_of(1));
  });
  RawServer endless([](int fd) {
    read_request(fd);
    write_all(fd, "HTTP/1.1 200 OK\r\n\r\n");
    for (int i = 0; i < 10'000; ++i) {
      if (::send(fd, "# more\n", 7, MSG_NOSIGNAL) <= 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (const RawServer* server : {&silent, &half, &endless}) {
    const json scraped = run_beside(metrics_url(*server));
    CHECK(scraped["counts"].empty());
    CHECK(missing_in(scraped).starts_with(metrics_url(*server) + ": "));
  }
}

TEST_CASE("metrics: a server that restarts goes on from 0, and replicas in turn are to be named") {
  RawServer restarted = exporter(
      [](int n) { return with_head(n < 3 ? page_of(100 + n) : page_of(n - 3, "llama-3.1-8b", 2000)); });
  const json counted = run_beside(metrics_url(restarted));
  CHECK(counted["missing"] == nullptr);
  CHECK(counted["counts"]["requests"] < 100);
  RawServer balanced =
      exporter([](int n) { return with_head(page_of(n % 2 == 0 ? 100 : 7, "llama-3.1-8b", n % 2)); });
  CHECK(missing_in(run_beside(metrics_url(balanced))).find("Name each replica") != std::string::npos);
}

TEST_CASE("metrics: replicas that are named are added up") {
  RawServer one = exporter([](int n) { return with_head(page_of(n)); });
  RawServer two = exporter([](int n) { return with_head(page_of(2 * n)); });
  const json server = run_beside(metrics_url(one), {"--metrics-url", metrics_url(two)});
  REQUIRE(server.is_object());
  for (const auto& gauge : server["gauges"]) {
    if (gauge["name"] == "running") CHECK(gauge["max"] == 4);
  }
  CHECK(server["counts"]["requests"] > 0);
}

TEST_CASE("metrics: a page is named for a target that exists, and of several targets for one") {
  const auto refused = [](std::vector<std::string> line) {
    line.insert(line.begin(), {"run", "a=http://127.0.0.1:1", "b=http://127.0.0.1:2", "--dry-run"});
    const Finished run = infermeter_once(line);
    CHECK(run.exit_code == 2);
    return run.err;
  };
  CHECK(refused({"--metrics-url", "c=http://h/metrics"}).find("no target is called 'c'") !=
        std::string::npos);
  CHECK(refused({"--metrics-url", "http://h/metrics"}).find("is of which target?") != std::string::npos);
  CHECK(refused({"--metrics-url", "a=ftp://h/metrics"}).find("ftp") != std::string::npos);
  CHECK(refused({"--metrics-interval", "0"}).find("--metrics-interval") != std::string::npos);
}

TEST_CASE("metrics: each target of a file has its own page") {
  const TemporaryFolder folder;
  SimulatorProcess quick({"fixed:ttft=20ms,itl=1ms"}), slow({"fixed:ttft=26ms,itl=1ms"});
  std::ofstream(folder / "run.toml") << "[[target]]\nname = \"a\"\nurl = \"" << quick.url()
                                     << "\"\nmetrics_url = \"" << quick.url()
                                     << "/metrics\"\n[[target]]\nname = \"b\"\nurl = \"" << slow.url()
                                     << "\"\nmetrics_url = [\"" << slow.url() << "/metrics\"]\n";
  REQUIRE(measured(infermeter_once({"run", "--config", folder / "run.toml", "-c", "2", "-n", "20",
                                    "--output-tokens", "8", "--no-calibrate", "-q", "-o", folder / "r"})));
  const json points = result_in(folder / "r")["points"];
  // By the simulator's own clock of the model, which no machine delays.
  CHECK(points[0]["server"]["scraped"]["times"]["ttft"]["mean"].get<double>() == Approx(20).margin(0.5));
  CHECK(points[1]["server"]["scraped"]["times"]["ttft"]["mean"].get<double>() == Approx(26).margin(0.5));
}
