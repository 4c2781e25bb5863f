// What the binary learns from a server before the run: refused fields and values, redirects, odd statuses.
#include <algorithm>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "process.hpp"
#include "raw_server.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

const std::string kStream =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Al\"},\"finish_reason\":null}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,\"total_tokens\":10}}\n\n"
    "data: [DONE]\n\n";

std::string answer(const std::string& status, const std::string& body, const std::string& head = {}) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/event-stream\r\n" + head +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A model server whose answer to each generation request is a function of its path and body.
class Server {
 public:
  using Answer = std::function<std::string(const std::string& path, const json& body)>;
  explicit Server(Answer to, bool lists_models = true)
      : to_(std::move(to)), lists_models_(lists_models), server_([this](int fd) { serve(fd); }) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  std::vector<json> bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

 private:
  void serve(int fd) {
    for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
      const std::string path = request.substr(0, request.find(" HTTP"));
      if (path.starts_with("GET")) {
        const bool models = lists_models_ && path.find("/models") != std::string::npos;
        write_all(fd, models ? answer("200 OK", R"({"data":[{"id":"m"}]})") : answer("404 Not Found", "{}"));
        continue;
      }
      const json body = json::parse(request.substr(request.find("\r\n\r\n") + 4), nullptr, false);
      {
        const std::lock_guard lock(mutex_);
        bodies_.push_back(body);
      }
      write_all(fd, to_(path.substr(5), body));
    }
  }

  Answer to_;
  const bool lists_models_;
  std::mutex mutex_;
  std::vector<json> bodies_;
  RawServer server_;
};

Finished run_against(const Server& server, const TemporaryFolder& folder, std::vector<std::string> more,
                     const std::string& path = {}) {
  std::vector<std::string> words{"run", server.url() + path, "-n",    "4",  "-c",
                                 "1",   "--prompt",          "hello", "-o", folder / "out"};
  words.insert(words.end(), more.begin(), more.end());
  return infermeter_once(words);
}

std::uint64_t ok_of(const TemporaryFolder& folder) {
  return json::parse(slurp(folder / "out/result.json"))["points"][0]["ok"];
}

std::string least_of(int least) {
  return R"({"error":{"message":"Invalid 'max_tokens': integer below minimum value. Expected a value >= )" +
         std::to_string(least) + R"(, but got less.","param":"max_tokens"}})";
}

}  // namespace

TEST_CASE("preflight: a least value raises the probe's limit and not the user's") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json& body) {
    const bool few = body.value("max_tokens", body.value("max_completion_tokens", 0)) < 16;
    return few ? answer("400 Bad Request", least_of(16)) : answer("200 OK", kStream);
  });
  run_against(server, folder, {"--preflight"});
  CHECK(ok_of(folder) == 4);
  const auto bodies = server.bodies();
  REQUIRE(bodies.size() >= 6);
  CHECK(bodies[1]["max_tokens"] == 16);
  for (std::size_t i = 2; i < bodies.size(); ++i) CHECK(bodies[i]["max_tokens"] == 128);
}

TEST_CASE("preflight: a limit of the user's that the server refuses ends it with the number to ask for") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json& body) {
    return body.value("max_tokens", 0) < 16 ? answer("400 Bad Request", least_of(16))
                                            : answer("200 OK", kStream);
  });
  const Finished run = run_against(server, folder, {"--preflight", "--output-tokens", "8"});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("refuses max_tokens 8") != std::string::npos);
  CHECK(run.err.find("--output-tokens 16") != std::string::npos);
  for (const auto& body : server.bodies()) CHECK(body["max_tokens"] == 8);
}

TEST_CASE("preflight: a 500 that names a field of ours leaves it out") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json& body) {
    for (const std::string field : {"ignore_eos", "min_tokens"}) {
      if (body.contains(field))
        return answer("500 Internal Server Error",
                      "TypeError: generate() got an unexpected keyword argument '" + field + "'");
    }
    return answer("200 OK", kStream);
  });
  run_against(server, folder, {"--preflight", "--exact-output"});
  CHECK(ok_of(folder) == 4);
}

TEST_CASE("preflight: a redirect that only adds a slash is followed and a URL with one is kept") {
  const auto with_slash = [](const std::string& path, const json&) {
    const bool slash = path.ends_with('/');
    return slash ? answer("200 OK", kStream)
                 : answer("307 Temporary Redirect", "", "Location: /v1/chat/completions/\r\n");
  };
  TemporaryFolder followed, given;
  Server server(with_slash);
  run_against(server, followed, {"--preflight"});
  CHECK(ok_of(followed) == 4);
  run_against(server, given, {"--no-preflight"}, "/v1/chat/completions/");
  CHECK(ok_of(given) == 4);
}

TEST_CASE("preflight: 201 with a stream is measured, 202 and an empty error say their status") {
  TemporaryFolder folder;
  Server created([](const std::string&, const json&) { return answer("201 Created", kStream); });
  run_against(created, folder, {"--preflight"});
  CHECK(ok_of(folder) == 4);
  for (const std::string status : {"202 Accepted", "400 Bad Request"}) {
    INFO(status);
    TemporaryFolder fresh;
    Server empty([&](const std::string&, const json&) { return answer(status, ""); });
    const Finished run = run_against(empty, fresh, {"--preflight"});
    CHECK(run.exit_code == 3);
    CHECK(run.err.find("HTTP " + status.substr(0, 3)) != std::string::npos);
  }
}

TEST_CASE("preflight: a server without /models says to give --model") {
  TemporaryFolder folder, named;
  Server server([](const std::string&, const json&) { return answer("200 OK", kStream); }, false);
  const Finished run = run_against(server, folder, {"--preflight"});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("/v1/models answers 404 and names no model, so give --model NAME: {}") !=
        std::string::npos);
  run_against(server, named, {"--preflight", "--model", "m"});
  CHECK(ok_of(named) == 4);
}

TEST_CASE("preflight: --vendor groq sends its limit field and no refused field from the first request on") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json& body) {
    for (const auto* field : {"max_tokens", "n", "logprobs", "top_logprobs", "logit_bias"}) {
      if (body.contains(field)) return answer("400 Bad Request", R"({"error":{"message":"no"}})");
    }
    return answer("200 OK", kStream);
  });
  const Finished run =
      run_against(server, folder, {"--preflight", "--vendor", "groq", "--logprobs", "3", "--choices", "2"});
  CHECK(ok_of(folder) == 4);
  const auto bodies = server.bodies();
  REQUIRE(bodies.size() == 6);  // one of the preflight, one of the warm-up
  for (const auto& body : bodies) CHECK(body.contains("max_completion_tokens"));
  const json target = json::parse(slurp(folder / "out/result.json"))["targets"][0];
  const json notes = target["notes"];
  CHECK(std::count(notes.begin(), notes.end(), "groq does not take --choices (n): left out") == 1);
  CHECK(std::count(notes.begin(), notes.end(),
                   "groq does not take --logprobs (logprobs, top_logprobs): left out") == 1);
  CHECK(run.out.find("groq does not take --choices (n): left out") != std::string::npos);
  CHECK(run.err.find("GROQ_API_KEY is not set: no key is sent to groq") != std::string::npos);
}

TEST_CASE("preflight: --vendor cohere sends no stream_options, and its own switch of reasoning") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json&) { return answer("200 OK", kStream); });
  run_against(server, folder, {"--preflight", "--vendor", "cohere", "--thinking", "on"});
  CHECK(ok_of(folder) == 4);
  for (const auto& body : server.bodies()) {
    CHECK_FALSE(body.contains("stream_options"));
    CHECK(body["reasoning_effort"] == "high");
    CHECK(body["max_tokens"].is_number());
  }
}

TEST_CASE("preflight: two vendors at once each get their own fields") {
  TemporaryFolder folder;
  const auto any = [](const std::string&, const json&) { return answer("200 OK", kStream); };
  Server groq(any), cohere(any);
  infermeter_once({"run", "groq=" + groq.url(), "cohere=" + cohere.url(), "--vendor", "groq", "--vendor",
                   "cohere", "-n", "4", "-c", "1", "--prompt", "hello", "-o", folder / "out"});
  const json result = json::parse(slurp(folder / "out/result.json"));
  REQUIRE(result["points"].size() == 2);
  for (const auto& point : result["points"]) CHECK(point["ok"] == 4);
  CHECK(result["targets"][0]["name"] == "groq");
  for (const auto& body : groq.bodies()) {
    CHECK(body.contains("max_completion_tokens"));
    CHECK(body.contains("stream_options"));
  }
  for (const auto& body : cohere.bodies()) {
    CHECK(body.contains("max_tokens"));
    CHECK_FALSE(body.contains("stream_options"));
  }
}

TEST_CASE("preflight: --strict ends where a vendor does not take what was asked for") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json&) { return answer("200 OK", kStream); });
  const Finished run =
      run_against(server, folder, {"--preflight", "--strict", "--vendor", "groq", "--choices", "2"});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("--strict: groq does not take --choices (n)") != std::string::npos);
  CHECK(server.bodies().empty());
}

TEST_CASE("preflight: a --max-cost below one request says what one may cost") {
  TemporaryFolder folder;
  Server server([](const std::string&, const json&) { return answer("200 OK", kStream); });
  const Finished run = run_against(server, folder, {"--max-cost", "0.0000001", "--price-output", "1"});
  CHECK(run.exit_code == 3);
  CHECK(run.out.find("Nothing was measured: --max-cost is less than one request may cost") !=
        std::string::npos);
  const json target = json::parse(slurp(folder / "out/result.json"))["targets"][0];
  const std::string why = target["ended_early"];
  CHECK(why.starts_with("--max-cost is less than one request may cost: "));
  CHECK(why.ends_with(" prompt and 128 output tokens, $0.000128"));
}
