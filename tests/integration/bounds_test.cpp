// The binary against servers that go beyond all bounds: depth, counts, lengths.
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "process.hpp"
#include "raw_server.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

const std::string kDeep = std::string(80'000, '[') + std::string(80'000, ']');
const std::string kToken = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
const std::string kFinish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const std::string kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

std::string whole(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Lists a model, and lets `answer` write to each generation request.
RawServer::Script model_server(const std::function<void(int fd)>& answer,
                               const std::string& models = R"({"data":[{"id":"m"}]})") {
  return [answer, models](int fd) {
    const std::string request = read_request(fd);
    if (request.empty()) return;
    if (!request.starts_with("GET")) return answer(fd);
    write_all(fd, request.find("/models") != std::string::npos ? whole("200 OK", models)
                                                               : whole("404 Not Found", "{}"));
  };
}

std::string base(const RawServer& server) { return "http://127.0.0.1:" + std::to_string(server.port()); }

Finished measured(const RawServer& server, const TemporaryFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> words{"run", base(server), "--model",  "m",     "-n", "3",
                                 "-c",  "1",          "--prompt", "hello", "-o", folder / "out"};
  words.insert(words.end(), more.begin(), more.end());
  return infermeter_once(words);
}

std::vector<json> records_in(const TemporaryFolder& folder) {
  std::vector<json> records;
  std::istringstream lines(slurp(folder / "out/requests.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    json record = json::parse(line);
    if (record["phase"] == "measured") records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

TEST_CASE("bounds: an endless answer is cut at 16 events for each token, and the run says so") {
  const TemporaryFolder folder;
  const RawServer server(model_server([](int fd) {
    std::string burst;
    for (int i = 0; i < 100; ++i) burst += kToken;
    write_all(fd, kStreamHead);
    for (int i = 0; i < 100'000; ++i) {
      if (::send(fd, burst.data(), burst.size(), MSG_NOSIGNAL) <= 0) return;
    }
  }));
  const Finished run = measured(server, folder, {"--output-tokens", "128", "--no-calibrate"});
  CHECK(run.exit_code == 3);  // every request failed
  const auto records = records_in(folder);
  REQUIRE(records.size() == 3);
  for (const auto& record : records) {
    CHECK(record["events"] == 2048);
    CHECK(record["class"] == "truncated");
    CHECK(record["flags"].dump().find("\"over_limit\"") != std::string::npos);
  }
}

TEST_CASE("bounds: a usage of 10^12 tokens makes no throughput of it") {
  const TemporaryFolder folder;
  const RawServer server(model_server([](int fd) {
    write_all(fd,
              kStreamHead + kToken + kToken + kToken + kFinish +
                  "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1000000000000,"
                  "\"prompt_tokens_details\":{\"cached_tokens\":9000000000000000000}}}\n\ndata: [DONE]\n\n");
  }));
  const Finished run = measured(server, folder, {"--no-calibrate"});
  CHECK((run.exit_code == 0 || run.exit_code == 4));  // 4: on a busy machine
  const json result = json::parse(slurp(folder / "out/result.json"));
  CHECK(result["points"][0]["flags"]["odd_usage"] == 3);
  CHECK(result["points"][0]["tokens"]["source"] == "events");
  for (const auto& record : records_in(folder)) {
    CHECK_FALSE(record.contains("output_tokens"));
    CHECK(record["events"] == 3);
  }
}

TEST_CASE("bounds: deeply nested answers of every kind end a request and not the program") {
  for (const auto& body :
       {whole("400 Bad Request", "{\"error\":{\"message\":\"x: {\\\"error\\\":" + kDeep + "}\"}}"),
        whole("500 Oops", "{\"error\":" + kDeep + "}"), whole("200 OK", "{\"choices\":" + kDeep + "}"),
        kStreamHead + kToken + kFinish +
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"x\":" + kDeep + "}}\n\ndata: [DONE]\n\n",
        kStreamHead + kToken + kFinish + "data: {\"choices\":[],\"timings\":{\"x\":\n" + kDeep +
            "}}\n\ndata: [DONE]\n\n"}) {
    const TemporaryFolder folder;
    const RawServer server(model_server([body](int fd) { write_all(fd, body); },
                                        "{\"data\":[{\"id\":\"m\",\"x\":" + kDeep + "}]}"));
    const Finished run = measured(server, folder, {"--no-calibrate", "--no-preflight"});
    CAPTURE(body.substr(0, 100), run.err);
    CHECK((run.exit_code == 0 || run.exit_code == 3 || run.exit_code == 4));  // 4: on a busy machine
    CHECK(records_in(folder).size() == 3);
  }
}

TEST_CASE("bounds: a model list nested 80,000 levels deep names no model") {
  const RawServer server(model_server([](int fd) { write_all(fd, whole("200 OK", "{}")); },
                                      "{\"data\":[{\"id\":\"m\",\"x\":" + kDeep + "}]}"));
  const TemporaryFolder folder;
  const Finished run = infermeter_once({"run", base(server), "-n", "1", "-o", folder / "out"});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("nested 80,003 levels deep; 256 at most are read") != std::string::npos);
}

TEST_CASE("bounds: files nested 80,000 levels deep are refused by name, depth and limit") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    std::ofstream(folder / name) << text;
    return folder / name;
  };
  write("saved/requests.jsonl", "");
  write("saved/result.json", "{\"schema_version\":1,\"points\":" + kDeep + "}");
  std::string dotted;
  for (int i = 0; i < 200'000; ++i) dotted += "a.";
  const std::string config = write("run.toml", dotted + "b = 1\n");
  const std::string data = write("data.jsonl", "{\"prompt\":" + kDeep + "}\n");
  const std::string bench = write("bench.json", "{\"request_throughput\":" + kDeep + "}");
  const std::string saved = folder / "saved";
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"report", saved},
           {"compare", saved, saved},
           {"gate", saved, "--assert", "ttft.p50 < 1s"},
           {"gate", "--baseline", saved, "--candidate", saved},
           {"merge", saved, saved, "-o", folder / "merged"},
           {"compare", bench, bench},
           {"run", "--sim", "--config", config},
           {"run", "--sim", "--workload", data},
           {"run", "--sim", "--tools", write("tools.json", kDeep)},
           {"run", "--sim", "--json-schema", write("schema.json", kDeep)}}) {
    const Finished run = infermeter_once(words);
    CAPTURE(words[0], words[1], run.err);
    CHECK((run.exit_code == 2 || run.exit_code == 3));
    CHECK(run.err.find("levels deep; 256 at most are read") != std::string::npos);
  }
}
