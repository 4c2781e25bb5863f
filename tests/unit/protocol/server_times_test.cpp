#include "protocol/stream/server_timing.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {
struct Case {
  const char* json;
  const char* from;
  double queue, prefill, decode, ttft;  // -1: none
};
}  // namespace

TEST_CASE("server times: each server's own are told in milliseconds of one meaning") {
  const Case cases[] = {
      {R"({"metrics":{"queue_time_ms":3,"time_to_first_token_ms":20,"generation_time_ms":400}})",
       "vllm metrics", 3, 20, 400, 23},
      {R"({"queue_time":0.25,"prompt_time":0.5,"completion_time":2,"total_time":2.5})", "groq usage", 250,
       500, 2000, 750},
      {R"({"time_info":{"queue_time":0.5,"prompt_time":0.25,"completion_time":1,"created":1.7e9}})",
       "cerebras time_info", 500, 250, 1000, 750},
      {R"({"timings":{"prompt_ms":8.5,"predicted_ms":90,"predicted_per_second":null}})", "llama.cpp timings",
       -1, 8.5, 90, -1},
      {R"({"stats":{"time_in_queue_in_ms":1.5,"response_tokens":{"time_to_first_token_in_ms":30}}})",
       "nim stats", 1.5, -1, -1, 30},
      {R"({"stats":{"time_to_first_token":0.5,"generation_time":2}})", "lm studio stats", -1, -1, -1, 500},
      {R"({"stats":{"time_to_first_token_seconds":0.5,"tokens_per_second":43}})", "lm studio stats", -1, -1,
       -1, 500},
      {R"({"nvext.timing":{"request_received_ms":1764500000000,"prefill_wait_time_ms":3,"prefill_time_ms":40,)"
       R"("ttft_ms":45,"total_time_ms":300,"kv_hit_rate":0.25}})",
       "dynamo nvext.timing", 3, 40, -1, 45},
      {R"({"nvext.timing":{"prefill_wait_time_ms":3,"prefill_time_ms":40}})", "dynamo nvext.timing", 3, 40,
       -1, 43},
      {R"({"perf_metrics":{"server-time-to-first-token":"0.5"}})", "fireworks perf_metrics", -1, -1, -1, 500},
      {R"({"headers":{"fireworks-server-time-to-first-token":"0.25"}})", "fireworks headers", -1, -1, -1,
       250},
      {R"({"time_to_first_token":0.5,"total_latency":3})", "sambanova usage", -1, -1, -1, 500},
      {R"({"extra":{"ttft_s":0.5}})", "mlc usage.extra", -1, -1, -1, 500},
      {R"({"meta_info":{"queue_time":0.5,"e2e_latency":2}})", "sglang meta_info", 500, -1, -1, -1},
      {R"({"prompt_eval_duration":5000000,"eval_duration":90000000})", "ollama", -1, 5, 90, -1},
      {R"({"headers":{"x-queue-time":"12","x-compute-time":"0.4"}})", "tgi headers", 12, -1, -1, -1}};
  for (const auto& c : cases) {
    CAPTURE(c.json);
    const ServerTimes times = server_times(c.json).value();
    CHECK(times.from == c.from);
    CHECK(times.queue_ms.value_or(-1) == Approx(c.queue));
    CHECK(times.prefill_ms.value_or(-1) == Approx(c.prefill));
    CHECK(times.decode_ms.value_or(-1) == Approx(c.decode));
    CHECK(times.ttft_ms.value_or(-1) == Approx(c.ttft));
  }
}

TEST_CASE("server times: what says no time, or says it wrongly, gives none") {
  for (const char* json : {"", "{", "[]", "{}", R"({"metrics":null})", "{\"metrics\":[]}",
                           R"({"headers":{"openai-processing-ms":"12"}})", R"({"timings":[1]})"}) {
    CAPTURE(json);
    CHECK_FALSE(server_times(json).value().any());
    CHECK(server_times(json).value().from.empty());
  }
}

TEST_CASE("server times: one that cannot be true makes all of them nothing") {
  CHECK_FALSE(server_times(R"({"metrics":{"queue_time_ms":-1,"generation_time_ms":5}})"));
  CHECK_FALSE(server_times(R"({"queue_time":1e308,"prompt_time":1})"));
  CHECK_FALSE(server_times(R"({"headers":{"fireworks-server-time-to-first-token":"inf"}})"));
  CHECK_FALSE(server_times(R"({"time_info":{"queue_time":86401}})"));
  CHECK(server_times(R"({"time_info":{"queue_time":86399}})"));
  CHECK_FALSE(server_times(R"({"time_info":{"queue_time":2}})", 1999));
}
