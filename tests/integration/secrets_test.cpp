// A server that writes the key into every place it can: nothing that the binary prints or saves holds it. The
// same with terminal escapes.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "process.hpp"
#include "raw_server.hpp"

using namespace infermeter;

namespace {

const std::string kKey = "sk-Live/Ab12+cd34Ef56";
const std::string kUrlKey = "sk-Live%2fAb12%2Bcd34Ef56";
const std::string kBase64Key = "c2stTGl2ZS9BYjEyK2NkMzRFZjU2";    // alone
const std::string kUserKey = "bWU6c2stTGl2ZS9BYjEyK2NkMzRFZjU2";  // "me:" before it
const std::string kJsonKey = "\\u0073k-Live\\/Ab12+cd34Ef56";

const std::string kAll = kKey + " SK-LIVE/AB12+CD34EF56 " + kUrlKey + " " + kBase64Key + " " + kUserKey;

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// What of the key is in a text, in any spelling; empty: nothing.
std::string leak_in(const std::string& text) {
  const std::string low = small_letters(text);
  for (const char* part : {"ab12", "cd34ef56"}) {
    const auto at = low.find(part);
    if (at != std::string::npos) return text.substr(at - std::min<std::size_t>(at, 60), 120);
  }
  for (const auto& part : {small_letters(kBase64Key).substr(4, 12), small_letters(kUserKey).substr(8, 12)}) {
    const auto at = low.find(part);
    if (at != std::string::npos) return text.substr(at - std::min<std::size_t>(at, 60), 120);
  }
  return {};
}

std::string leak_in_files(const std::string& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (const auto leak = leak_in(entry.path().string()); !leak.empty()) return "name: " + leak;
    if (!entry.is_regular_file()) continue;
    if (const auto leak = leak_in(slurp(entry.path())); !leak.empty())
      return entry.path().string() + ": " + leak;
  }
  return {};
}

std::string raw_answer(const std::string& status, const std::string& body, const std::string& head = {}) {
  return "HTTP/1.1 " + status + "\r\n" + head + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string echo_headers(const std::string& text) {
  return "X-Request-Id: " + text + "\r\nX-RateLimit-Limit-Requests: " + text + "\r\nServer: " + text +
         "\r\nOpenAI-Processing-Ms: " + text + "\r\nFireworks-" + std::string("Note: ") + text +
         "\r\nRetry-After: " + text + "\r\n";
}

std::string echo_event(const std::string& json) { return "data: " + json + "\n\n"; }

/// With `text` wherever a stream has room for one.
std::string echo_stream(const std::string& text) {
  std::string out =
      echo_event(R"({"id":")" + text + R"(","model":"m )" + text + R"(","system_fingerprint":"f )" + text +
                 R"(","choices":[{"index":0,"delta":{"role":"assistant"}}]})");
  // Few enough that a preflight with a small limit of tokens does not cut the answer.
  for (std::size_t at = 0; at < text.size(); at += 5)
    out += echo_event(R"({"choices":[{"index":0,"delta":{"content":")" + text.substr(at, 5) + R"("}}]})");
  out += echo_event(R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":")" +
                    text + R"(","arguments":"{}"}}]}}]})");
  out += echo_event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"r )" + text + R"("}]})");
  out += echo_event(R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,")" + text +
                    R"(":1,"s":")" + text + R"("},"timings":{"prompt_ms":1,"x":")" + text + R"("}})");
  return out + "data: [DONE]\n\n";
}

/// The answers to the first generation requests in turn, the last one again for all others.
class EchoServer {
 public:
  explicit EchoServer(std::vector<std::string> answers, const std::string& model = "m")
      : answers_(std::move(answers)), model_(model), server_([this](int fd) { serve(fd); }) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

 private:
  void serve(int fd) {
    for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
      if (request.starts_with("GET")) {
        const bool models = request.find("/models ") != std::string::npos;
        write_all(fd,
                  models ? raw_answer("200 OK",
                                      R"({"data":[{"id":")" + model_ + R"(","owned_by":")" + kAll + R"("}]})",
                                      echo_headers(kAll))
                         : raw_answer("200 OK", R"({"version":")" + kAll + R"("})"));
        continue;
      }
      const std::lock_guard lock(mutex_);
      write_all(fd, answers_[std::min(next_++, answers_.size() - 1)]);
    }
  }

  std::vector<std::string> answers_;
  std::string model_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  RawServer server_;
};

Finished run_with_key(const EchoServer& server, std::vector<std::string> more,
                      std::vector<std::string> variables = {"OPENAI_API_KEY=" + kKey}) {
  std::vector<std::string> words{"run", server.url(), "-n", "6", "-c", "1", "--prompt", "hello"};
  words.insert(words.end(), more.begin(), more.end());
  return infermeter_once(words, variables);
}

std::string ok_echo() { return raw_answer("200 OK", echo_stream(kAll), echo_headers(kAll)); }

std::vector<std::string> odd_answers() {
  const std::string error = R"({"error":{"message":"bad key )" + kJsonKey + " " + kAll + R"(","type":")" +
                            kKey + R"(","code":")" + kKey + "\"}}";
  const std::string pad(170, '.');
  return {ok_echo(),
          raw_answer("401 " + kKey, error, echo_headers(kAll)),
          raw_answer("429 Too Many", error, echo_headers(kAll)),
          raw_answer("500 Oops", "<html><title>" + kAll + "</title></html>"),
          raw_answer("503 Busy", pad + kAll),
          raw_answer("200 OK", echo_event(error)),
          raw_answer("200 OK", "event: " + kKey + "_error\n" + echo_event(kAll)),
          raw_answer("200 OK", pad + kAll),
          raw_answer("200 OK", echo_event(R"({"choices":[{"index":0,"delta":{"content":"a"}}]})") +
                                   echo_event(pad + kAll)),
          "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + echo_event(error),
          raw_answer("307 Elsewhere", "", "Location: http://elsewhere.example/" + kKey + "\r\n"),
          raw_answer("200 OK",
                     R"({"choices":[{"message":{"content":")" + kAll + R"("},"finish_reason":"stop"}]})")};
}

}  // namespace

TEST_CASE("secrets: a server that echoes the key has it in no file, on no terminal, in no report") {
  const EchoServer server(odd_answers(), "model-" + small_letters(kKey));
  const TemporaryFolder folder;
  const Finished run =
      run_with_key(server, {"-n", "24", "--save-text", "--retries", "1", "-vv", "--log", folder / "log",
                            "--progress", "plain", "-o", folder / "out", "--before-point",
                            "echo hook -H 'Authorization: Bearer " + kKey + "'; echo got $OPENAI_API_KEY"});
  CAPTURE(run.err, run.out);
  REQUIRE(std::filesystem::exists(folder / "out/requests.jsonl"));
  CHECK(leak_in(run.out).empty());
  CHECK(leak_in(run.err).empty());
  CHECK(run.err.find(" | body: ") != std::string::npos);
  CHECK(run.err.find("hook -H Authorization: ****\ngot ****\n") != std::string::npos);
  CHECK(leak_in_files(folder.path()).empty());
  for (const char* format : {"table", "json", "markdown", "csv", "tsv", "junit", "github", "html", "vllm"}) {
    CAPTURE(format);
    const Finished report = infermeter_once({"report", folder / "out", "--format", format});
    CHECK(leak_in(report.out).empty());
    CHECK(leak_in(report.err).empty());
  }
}

TEST_CASE("secrets: a preflight that fails says so without the key") {
  for (const auto& refused : odd_answers()) {
    const EchoServer server({refused});
    const TemporaryFolder folder;
    const Finished run =
        run_with_key(server, {"-o", folder / "out", "--timeout", "2s", "-vv", "--log", folder / "log"});
    CAPTURE(refused.substr(0, 80), run.err);
    CHECK(leak_in(run.out + run.err).empty());
    CHECK(leak_in_files(folder.path()).empty());
  }
}

TEST_CASE("secrets: the dry run, the command line and the default folder have no key in them") {
  const EchoServer server({ok_echo()}, "m-" + kKey);
  const std::string hook =
      "curl -H 'Authorization: Bearer " + kKey + "' http://me:" + kKey + "@h/?api_key=" + kKey;
  const Finished dry = run_with_key(server, {"--dry-run", "--before-point", hook, "-H", "X-Auth: " + kKey});
  CHECK(dry.exit_code == 0);
  CHECK(dry.out.find("curl -H 'Authorization: ****'") != std::string::npos);
  CHECK(leak_in(dry.out + dry.err).empty());
  Process run({"run", server.url(), "-n", "2", "-c", "1", "--prompt", "hello"}, {"OPENAI_API_KEY=" + kKey});
  const Finished ended = run.wait();
  CHECK(leak_in(ended.out + ended.err).empty());
  CHECK(leak_in_files(run.folder()).empty());
}

TEST_CASE("secrets: a key of digits or of a format's word does not change what is measured") {
  const std::string plain_stream =
      echo_event(R"({"choices":[{"index":0,"delta":{"content":"a"}}]})") +
      echo_event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") +
      echo_event(R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}})") + "data: [DONE]\n\n";
  for (const char* key : {"12345678", "choices", "measured", "prompt_tokens", "requests"}) {
    CAPTURE(key);
    const EchoServer server({raw_answer("200 OK", plain_stream)});
    const TemporaryFolder folder;
    run_with_key(server, {"-o", folder / "out"}, {std::string("OPENAI_API_KEY=") + key});
    const auto result = nlohmann::json::parse(slurp(folder / "out/result.json"));
    CHECK(result["points"][0]["ok"] == 6);
    CHECK(infermeter_once({"report", folder / "out"}).err.empty());
  }
}

TEST_CASE("secrets: a server that gate starts wrote the key into its log and into the error") {
  const TemporaryFolder folder;
  const HeldPort port;
  const std::string command = "HF_TOKEN=hf_Live12345678 sh -c 'echo got $OPENAI_API_KEY $HF_TOKEN; exit 3'";
  const Finished gate = infermeter_once({"gate", "--baseline-cmd", command, "--candidate-cmd", command,
                                         "--baseline-url", port.url(), "-o", folder / "out"},
                                        {"OPENAI_API_KEY=" + kKey});
  CAPTURE(gate.err);
  CHECK(gate.exit_code == 3);
  CHECK(gate.err.find("got **** ****") != std::string::npos);
  CHECK(leak_in(gate.out + gate.err).empty());
  CHECK(leak_in_files(folder.path()).empty());
  CHECK((gate.out + gate.err + slurp(folder / "out/baseline-1.log")).find("hf_Live") == std::string::npos);
}

TEST_CASE("terminal: escapes in Location reached standard error") {
  const std::string bad =
      "/\x1b]0;owned\x07\x1b[2J\xc2\x9b"
      "31m\xe2\x80\xae";
  const TemporaryFolder folder;
  const EchoServer server({raw_answer("302 Found", "", "Location: http://elsewhere.example" + bad + "\r\n")});
  const Finished run = run_with_key(server, {"-o", folder / "out"});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("redirects to http://elsewhere.example/") != std::string::npos);
  CHECK(run.err.find_first_of("\x1b\x07") == std::string::npos);
  CHECK(run.err.find("\xc2\x9b") == std::string::npos);
  CHECK(run.err.find("\xe2\x80\xae") == std::string::npos);
}
