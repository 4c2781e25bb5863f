// The simulator over real sockets: the bytes that a client receives, and that the truth file agrees.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "raw_client.hpp"
#include "sim/http/server.hpp"
#include "text_parts.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::test;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr std::string_view kChat = "/v1/chat/completions";
constexpr std::string_view kToken = R"("delta":{"content":" )";

ServerOptions options(const std::vector<std::string>& faults = {},
                      std::string preset = "fixed:ttft=5ms,itl=1ms,jitter=0") {
  ServerOptions options;
  options.preset = std::move(preset);
  for (const auto& fault : faults) options.faults.push_back(parse_fault(fault));
  return options;
}

struct Running {
  explicit Running(const ServerOptions& with = options()) : server(with) { server.start(); }
  RawClient client() { return RawClient(server.url()); }
  Server server;
};

std::string chat(int tokens, bool stream = true) {
  Json body{{"messages", {{{"role", "user"}, {"content", "the quick brown fox"}}}}, {"max_tokens", tokens}};
  body["stream"] = stream;
  if (stream) body["stream_options"] = {{"include_usage", true}};
  return body.dump();
}

Answer ask(RawClient& client, int tokens, std::string_view headers = {}) {
  client.post(kChat, chat(tokens), headers);
  return client.receive();
}
Answer ask(Running& running, int tokens) {
  RawClient client = running.client();
  return ask(client, tokens);
}

/// Reads an answer until `found` accepts its bytes, and leaves then: whatever comes later does not count, and
/// a client that this machine delays sees no more than a prompt one.
template <typename Found>
std::string read_until(RawClient& client, const Found& found) {
  std::string text;
  for (std::string bytes = client.read_some(); !bytes.empty(); bytes = client.read_some()) {
    text += bytes;
    if (found(text)) break;
  }
  return text;
}

bool three_heartbeats(const std::string& text) { return times(text, ": keep-alive\n\n") >= 3; }

std::size_t running_requests(Running& running) {
  RawClient client = running.client();
  const std::string page = client.get("/metrics").body;
  const auto line = page.find("vllm:num_requests_running{");
  return std::stoul(page.substr(page.find("} ", line) + 2));
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

struct TruthFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("infermeter-truth-" + std::to_string(::getpid()) + ".jsonl");
  ~TruthFile() { std::filesystem::remove(path); }
  std::vector<Json> records() const {
    std::vector<Json> records;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) records.push_back(Json::parse(line));
    return records;
  }
};

}  // namespace

TEST_CASE("sim server: a chat streams its tokens, usage and [DONE] over one kept connection") {
  Running running;
  RawClient client = running.client();
  for (int i = 0; i < 3; ++i) {
    const Answer answer = ask(client, 10, "X-Request-Id: run-1\r\n");
    CHECK(answer.status == 200);
    CHECK(answer.end == End::complete);
    CHECK(has(answer.head, "server: infermeter-sim\r\n"));
    CHECK(has(answer.head, "x-request-id: run-1\r\n"));
    CHECK(has(answer.head, "content-type: text/event-stream"));
    CHECK(times(answer.body, kToken) == 10);
    CHECK(has(answer.body, R"("completion_tokens":10)"));
    CHECK(answer.body.ends_with("data: [DONE]\n\n"));
  }
}

TEST_CASE("sim server: the head leaves before the first token") {
  Running running(options({}, "fixed:ttft=300s,itl=1ms"));
  RawClient client = running.client();
  client.post(kChat, chat(1));
  CHECK(client.read_some().ends_with("\r\n\r\n"));
}

TEST_CASE("sim server: tokenize agrees with usage") {
  Running running;
  RawClient client = running.client();
  client.post("/tokenize", chat(1));
  const auto count = Json::parse(client.receive().body)["count"].get<int>();
  client.post(kChat, chat(3, false));
  const Json body = Json::parse(client.receive().body);
  CHECK(body["usage"]["prompt_tokens"] == count);
  CHECK(body["usage"]["completion_tokens"] == 3);
  CHECK(body["choices"][0]["finish_reason"] == "length");
}

TEST_CASE("sim server: what is not there or not HTTP is answered as an error") {
  Running running;
  RawClient client = running.client();
  CHECK(client.get("/v1/nothing").status == 404);
  CHECK(client.get("/v1/chat/completions").status == 405);
  client.post(kChat, "{nonsense");
  CHECK(client.receive().status == 400);
  client.post(kChat, R"({"model":"unknown","messages":[]})");
  CHECK(client.receive().status == 404);
  CHECK(client.get("/v1/models").status == 200);  // the connection has survived them all
  RawClient garbled = running.client();
  garbled.send("this is not HTTP\r\n\r\n");
  const Answer answer = garbled.receive();
  CHECK(answer.status == 400);
  CHECK(has(answer.head, "connection: close"));
}

TEST_CASE("sim server: faults of the connection are on the wire") {
  const auto end = [](const std::string& fault) {
    Running running(options({fault}));
    const Answer answer = ask(running, 20);
    CHECK(answer.status == 200);
    CHECK(times(answer.body, kToken) == 10);
    CHECK_FALSE(has(answer.body, R"("finish_reason":"length")"));
    return std::pair(answer.end, has(answer.body, "[DONE]"));
  };
  CHECK(end("reset") == std::pair(End::reset, false));
  CHECK(end("truncate") == std::pair(End::closed, false));
  CHECK(end("inband") == std::pair(End::complete, true));
}

TEST_CASE("sim server: whole-answer faults are on the wire and the next request is served") {
  const std::vector<std::pair<std::string, int>> faults{
      {"429=2", 429}, {"500", 500}, {"503", 503}, {"html502", 502}, {"refuse=max_tokens", 400}};
  for (const auto& [fault, status] : faults) {
    INFO(fault);
    Running running(options({fault}));
    RawClient client = running.client();
    CHECK(ask(client, 3).status == status);
    CHECK(client.get("/health").status == 200);
  }
}

TEST_CASE("sim server: a tenth of the requests is hit and the others are unharmed") {
  Running running(options({"429:10%"}));
  RawClient client = running.client();
  int refused = 0, whole = 0;
  for (int i = 0; i < 200; ++i) {
    const Answer answer = ask(client, 1);
    refused += answer.status == 429;
    whole += answer.status == 200 && has(answer.body, "[DONE]");
  }
  CHECK(refused + whole == 200);
  CHECK(refused == Approx(20).margin(14));
}

TEST_CASE("sim server: a stale connection is reset without a byte, a fresh one answers") {
  Running running(options({"stale"}));
  RawClient client = running.client();
  CHECK(ask(client, 2).status == 200);
  const Answer second = ask(client, 2);
  CHECK(second.end == End::reset);
  CHECK(second.reads.empty());
  CHECK(ask(running, 2).status == 200);
}

TEST_CASE("sim server: a stall is a silence, a buffer one burst, a split two reads an event") {
  Running stalled(options({"stall=300s", "heartbeat=20ms"}));
  RawClient waiting = stalled.client();
  waiting.post(kChat, chat(10));
  CHECK(times(read_until(waiting, three_heartbeats), kToken) == 5);  // 10 would take 15 ms
  Running buffered(options({"buffer"}));
  CHECK(ask(buffered, 10).reads.size() <= 3);  // head, then all
  Running split(options({"split=300s"}));
  RawClient torn = split.client();
  torn.post(kChat, chat(1));
  const std::string first = read_until(torn, [](const auto& text) { return has(text, "data: "); });
  CHECK(has(first, "data: "));
  CHECK_FALSE(has(first, "[DONE]"));
}

TEST_CASE("sim server: forms of the stream arrive as asked") {
  Running beats(options({"heartbeat=20ms"}, "fixed:ttft=300s,itl=1ms"));
  RawClient patient = beats.client();
  patient.post(kChat, chat(2));
  CHECK(three_heartbeats(read_until(patient, three_heartbeats)));
  Running crlf(options({"crlf"}));
  CHECK(times(ask(crlf, 2).body, "\r\n\r\n") == 5);
  Running whole(options({"not-stream"}));
  const Answer answer = ask(whole, 2);
  CHECK(has(answer.head, "application/json"));
  CHECK(Json::parse(answer.body)["usage"]["completion_tokens"] == 2);
  Running page(options({"html200"}));
  CHECK(has(ask(page, 2).body, "<html>"));
}

TEST_CASE("sim server: two hundred streams at once all finish") {
  Running running;
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(running.client());
  for (auto& client : clients) client.post(kChat, chat(50));
  for (auto& client : clients) {
    const Answer answer = client.receive();
    REQUIRE(answer.end == End::complete);
    REQUIRE(times(answer.body, kToken) == 50);
  }
  CHECK(running_requests(running) == 0);
}

TEST_CASE(
    "sim server: the truth has every event of every request with instants that ascend and precede arrival") {
  TruthFile truth;
  ServerOptions with_truth = options();
  with_truth.truth_path = truth.path.string();
  std::vector<Answer> answers;
  std::vector<Instant> asked;
  {
    Running running(with_truth);
    RawClient client = running.client();
    for (int i = 0; i < 3; ++i) {
      asked.push_back(now());
      answers.push_back(ask(client, 20, "X-Request-Id: run-" + std::to_string(i) + "\r\n"));
    }
  }
  const auto records = truth.records();
  REQUIRE(records.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& record = records[i];
    CHECK(record["id"] == "run-" + std::to_string(i));
    CHECK(record["end"] == "done");
    CHECK(record["events"] == "r" + std::string(20, 't') + "ud");
    CHECK(record["output_tokens"] == 20);
    const auto sent = record["sent_ns"].get<std::vector<std::int64_t>>();
    REQUIRE(sent.size() == 23);
    CHECK(std::is_sorted(sent.begin(), sent.end()));
    CHECK(record["arrived_ns"].get<std::int64_t>() >= asked[i].time_since_epoch().count());
    CHECK(record["arrived_ns"].get<std::int64_t>() <= record["received_ns"].get<std::int64_t>());
    CHECK(sent.front() - record["arrived_ns"].get<std::int64_t>() >= 5'000'000);
    CHECK(sent.back() <= answers[i].reads.back().first.time_since_epoch().count());
  }
}

TEST_CASE("sim server: a client that leaves frees its place in the engine") {
  Running running(options({}, "fixed:ttft=5ms,itl=50ms"));
  {
    RawClient client = running.client();
    client.post(kChat, chat(1000));
    CHECK_FALSE(client.read_some().empty());
    CHECK(running_requests(running) == 1);
  }
  const Instant give_up = now() + 20s;
  while (running_requests(running) > 0 && now() < give_up) std::this_thread::sleep_for(5ms);
  CHECK(running_requests(running) == 0);
}

TEST_CASE("sim server: every endpoint answers in its own language, streamed and whole") {
  Running running;
  RawClient client = running.client();
  const auto post = [&](std::string_view path, std::string_view body, std::string_view headers = {}) {
    client.post(path, body, headers);
    return client.receive();
  };
  const Answer response = post("/v1/responses", R"({"input":"the","max_output_tokens":3,"stream":true})");
  CHECK(times(response.body, "event: response.output_text.delta\n") == 3);
  CHECK(times(response.body, "event: response.incomplete\n") == 1);
  const std::string asked = R"("max_tokens":3,"messages":[{"role":"user","content":"the"}])";
  const Answer message = post("/v1/messages", "{" + asked + R"(,"stream":true})",
                              "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n");
  CHECK(times(message.body, R"("type":"text_delta")") == 3);
  CHECK(message.body.ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
  CHECK(Json::parse(post("/v1/responses", R"({"input":"the","max_output_tokens":3})")
                        .body)["usage"]["output_tokens"] == 3);
  CHECK(Json::parse(post("/v1/messages", "{" + asked + "}").body)["stop_reason"] == "max_tokens");
  const Json vectors = Json::parse(post("/v1/embeddings", R"({"input":["the","of"]})").body);
  CHECK(vectors["data"][1]["embedding"].size() == 1024);
  const Answer azure = post("/openai/deployments/mine/chat/completions?api-version=2024-10-21",
                            "{" + asked + R"(,"stream":true})", "api-key: k\r\n");
  CHECK(times(azure.body, kToken) == 3);
}

TEST_CASE("sim server: a thousand streams cut by their clients leave nothing behind") {
  TruthFile truth;
  ServerOptions with_truth = options({}, "h100-8b");
  with_truth.truth_path = truth.path.string();
  Running running(with_truth);
  running_requests(running);
  const std::size_t files = open_files();
  for (int round = 0; round < 10; ++round) {
    std::vector<RawClient> clients;
    for (int i = 0; i < 100; ++i) clients.push_back(running.client());
    for (auto& client : clients) client.post(kChat, chat(1000), "X-Session-Id: typist\r\n");
    for (auto& client : clients) CHECK_FALSE(client.read_some().empty());
  }
  const Instant give_up = now() + 20s;
  while (running_requests(running) > 0 && now() < give_up) std::this_thread::sleep_for(5ms);
  CHECK(running_requests(running) == 0);
  // The server closes its side of the last connection check shortly after this side.
  while (open_files() > files && now() < give_up) std::this_thread::sleep_for(5ms);
  CHECK(open_files() <= files);
  const std::string metrics = running.client().get("/metrics").body;
  CHECK(has(metrics, R"(finished_reason="abort"} 1000)"));
  CHECK(has(metrics, R"(vllm:kv_cache_usage_perc{engine="0",model_name="llama-3.1-8b"} 0)"));
  const auto records = truth.records();
  REQUIRE(records.size() == 1000);
  for (const auto& record : records) {
    REQUIRE(record["end"] == "aborted");
    REQUIRE(record["session"] == "typist");
    REQUIRE(record["sent_tokens"] <= record["output_tokens"]);
  }
}

TEST_CASE("sim server: the truth tells connections and conversations apart") {
  TruthFile truth;
  ServerOptions with_truth = options();
  with_truth.truth_path = truth.path.string();
  with_truth.session_header = "X-Chat";
  {
    Running running(with_truth);
    RawClient first = running.client(), second = running.client();
    ask(first, 1, "X-Chat: a\r\n");
    ask(second, 1, "x-chat: b\r\n");
    ask(first, 1);
  }
  const auto records = truth.records();
  REQUIRE(records.size() == 3);
  CHECK(records[0]["session"] == "a");
  CHECK(records[1]["session"] == "b");
  CHECK(records[2]["session"].is_null());
  CHECK(records[0]["connection"] == records[2]["connection"]);
  CHECK(records[0]["connection"] != records[1]["connection"]);
}

TEST_CASE("sim server: a client that reads nothing holds up nobody") {
  Running running(options({"echo"}));
  RawClient deaf = running.client();
  const std::string prompt(4'000'000, 'x');  // its echo is much larger than the socket's buffers
  deaf.post("/v1/completions", R"({"stream":true,"max_tokens":10,"prompt":")" + prompt + "\"}");
  CHECK(ask(running, 10).end == End::complete);
}

TEST_CASE("sim server: requests sent ahead are answered in order") {
  Running running;
  RawClient client = running.client();
  client.post(kChat, chat(5), "X-Request-Id: a\r\n");
  client.post(kChat, chat(5), "X-Request-Id: b\r\n");
  const Answer first = client.receive();
  const Answer second = client.receive();
  CHECK(has(first.head, "x-request-id: a\r\n"));
  CHECK(has(second.head, "x-request-id: b\r\n"));
  CHECK(second.end == End::complete);
}

TEST_CASE("sim server: Expect, Connection close and HTTP/1.0 are understood") {
  Running running;
  RawClient expecting = running.client();
  const std::string body = chat(2);
  expecting.send("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: " +
                 std::to_string(body.size()) + "\r\n\r\n");
  CHECK(expecting.read_some() == "HTTP/1.1 100 Continue\r\n\r\n");
  expecting.send(body);
  CHECK(expecting.receive().end == End::complete);

  RawClient closing = running.client();
  closing.post(kChat, body, "connection: close\r\n");
  CHECK(closing.receive().end == End::complete);
  CHECK(closing.read_some().empty());

  RawClient old = running.client();
  old.send("POST /v1/chat/completions HTTP/1.0\r\ncontent-length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body);
  const Answer answer = old.receive();
  CHECK(answer.end == End::closed);
  CHECK(answer.body.ends_with("data: [DONE]\n\n"));
}

TEST_CASE("sim server: stopping cuts open streams and tells the truth of them") {
  TruthFile truth;
  ServerOptions with_truth = options({}, "fixed:ttft=5ms,itl=50ms");
  with_truth.truth_path = truth.path.string();
  Running running(with_truth);
  RawClient client = running.client();
  client.post(kChat, chat(1000), "X-Request-Id: cut\r\n");
  client.read_some();
  running.server.stop();
  CHECK(client.receive().end != End::timed_out);
  REQUIRE(truth.records().size() == 1);
  CHECK(truth.records()[0]["id"] == "cut");
  CHECK(truth.records()[0]["end"] == "open");
}

TEST_CASE("sim server: a taken port and an unknown host are errors of the environment") {
  Running running;
  ServerOptions taken = options();
  taken.port = static_cast<std::uint16_t>(std::stoi(running.server.url().substr(17)));
  CHECK_THROWS_AS(Server(taken), EnvironmentError);
  ServerOptions elsewhere = options();
  elsewhere.host = "192.0.2.1";  // TEST-NET-1: no machine has it
  CHECK_THROWS_AS(Server(elsewhere), EnvironmentError);
}
