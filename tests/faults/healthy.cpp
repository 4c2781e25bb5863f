#include "healthy.hpp"

#include <stdexcept>

namespace infermeter::faults {
namespace {

constexpr int kTokens = 4;
const std::string kDone = "data: [DONE]\n\n";

std::string data(const std::string& json) { return "data: " + json + "\n\n"; }
std::string named(const std::string& name, const std::string& members) {
  return "event: " + name + "\n" + data("{\"type\":\"" + name + "\"" + members + "}");
}
std::string usage(const std::string& in, const std::string& out) {
  return "\"usage\":{\"" + in + "\":16,\"" + out + "\":4,\"total_tokens\":20}";
}

HealthyBody stream_of(std::vector<std::string> before, const std::string& token,
                      const std::vector<std::string>& after, std::size_t usage_from_end) {
  HealthyBody body{.type = "text/event-stream", .events = std::move(before)};
  body.events.insert(body.events.end(), kTokens, token);
  body.events.insert(body.events.end(), after.begin(), after.end());
  body.done = body.events.size() - 1;
  body.usage = body.events.size() - usage_from_end;
  return body;
}

HealthyBody whole(const std::string& json) {
  return {.type = "application/json",
          .events = {json.substr(0, json.size() / 2), json.substr(json.size() / 2)},
          .usage = 1,
          .done = 1};
}

const std::string kRole =
    data(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})");
const std::string kFinish = data(R"({"choices":[{"index":0,"delta":{},"finish_reason":"length"}]})");
const std::string kTextFinish = data(R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})");
const std::string kUsage = data("{\"choices\":[]," + usage("prompt_tokens", "completion_tokens") + "}");

HealthyBody streamed(const std::string& endpoint) {
  const std::string token = token_event(endpoint);
  if (endpoint == "chat") return stream_of({kRole}, token, {kFinish, kUsage, kDone}, 2);
  if (endpoint == "completions") return stream_of({}, token, {kTextFinish, kUsage, kDone}, 2);
  const std::string counts = usage("input_tokens", "output_tokens");
  if (endpoint == "responses") {
    return stream_of({named("response.created", R"(,"response":{"status":"in_progress"})")}, token,
                     {named("response.completed", ",\"response\":{\"status\":\"completed\"," + counts + "}")},
                     1);
  }
  return stream_of(
      {named("message_start", R"(,"message":{"role":"assistant","content":[],"usage":{"input_tokens":16}})"),
       named("content_block_start", R"(,"index":0,"content_block":{"type":"text","text":""})")},
      token,
      {named("content_block_stop", ",\"index\":0"),
       named("message_delta", ",\"delta\":{\"stop_reason\":\"max_tokens\"}," + counts),
       named("message_stop", "")},
      2);
}

}  // namespace

std::string token_event(const std::string& endpoint) {
  if (endpoint == "chat")
    return data(R"({"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]})");
  if (endpoint == "completions")
    return data(R"({"choices":[{"index":0,"text":" word","finish_reason":null}]})");
  if (endpoint == "responses") return named("response.output_text.delta", R"(,"delta":" word")");
  if (endpoint == "messages")
    return named("content_block_delta", R"(,"index":0,"delta":{"type":"text_delta","text":" word"})");
  throw std::invalid_argument("no stream of tokens: " + endpoint);
}

HealthyBody healthy_body(const std::string& endpoint, bool stream) {
  if (endpoint == "embeddings")
    return whole(R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.25]}],)"
                 R"("usage":{"prompt_tokens":16,"total_tokens":16}})");
  if (endpoint == "rerank")
    return whole(R"({"results":[{"index":0,"relevance_score":0.5}],"usage":{"total_tokens":16}})");
  if (stream) return streamed(endpoint);
  const std::string counts = usage("prompt_tokens", "completion_tokens");
  if (endpoint == "chat")
    return whole(R"({"choices":[{"index":0,"message":{"role":"assistant","content":"a b c d"},)"
                 R"("finish_reason":"length"}],)" +
                 counts + "}");
  if (endpoint == "completions")
    return whole(R"({"choices":[{"index":0,"text":"a b c d","finish_reason":"length"}],)" + counts + "}");
  const std::string ours = usage("input_tokens", "output_tokens");
  if (endpoint == "responses")
    return whole(R"({"status":"completed","output":[{"type":"message","content":[{"type":"output_text",)"
                 R"("text":"a b c d"}]}],)" +
                 ours + "}");
  return whole(
      R"({"type":"message","content":[{"type":"text","text":"a b c d"}],"stop_reason":"max_tokens",)" + ours +
      "}");
}

}  // namespace infermeter::faults
