#include "sim/http/metrics_text.hpp"

#include <array>

#include "catch.hpp"
#include "text_parts.hpp"

using namespace infermeter::sim;
using infermeter::test::has;
using namespace std::chrono_literals;

TEST_CASE("metrics: a histogram counts up to each edge and sums in seconds") {
  constexpr std::array edges{0.01, 0.5};
  Histogram histogram(edges);
  histogram.observe(10ms);  // an edge belongs to its bucket
  histogram.observe(250ms);
  histogram.observe(2s);
  std::string text;
  histogram.append(text, "h", "Help.", "m=\"x\"");
  CHECK(text ==
        "# HELP h Help.\n# TYPE h histogram\n"
        "h_bucket{m=\"x\",le=\"0.01\"} 1\nh_bucket{m=\"x\",le=\"0.5\"} 2\nh_bucket{m=\"x\",le=\"+Inf\"} 3\n"
        "h_sum{m=\"x\"} 2.26\nh_count{m=\"x\"} 3\n");
}

TEST_CASE("metrics: the page has vLLM's names with the model's label") {
  ServerMetrics metrics;
  metrics.observe_first_token({0ms, 5ms, 20ms, 0ms, 0, 0});
  metrics.observe_gap(10ms);
  metrics.observe_finished({0ms, 5ms, 20ms, 120ms, 0, 0}, 11, "length");
  metrics.count_aborted();
  EngineCounters engine;
  engine.running = 3;
  engine.waiting = 2;
  engine.kv_used_share = 0.25;
  engine.prefix_queries = 100;
  engine.prefix_hits = 64;
  const std::string text = metrics.text("a\"b", engine);
  const std::string labels = R"({engine="0",model_name="a\"b"})";
  for (const char* line :
       {"vllm:num_requests_running@ 3\n", "vllm:num_requests_waiting@ 2\n",
        "vllm:kv_cache_usage_perc@ 0.25\n", "vllm:prefix_cache_queries_total@ 100\n",
        "vllm:prefix_cache_hits_total@ 64\n", "vllm:request_queue_time_seconds_sum@ 0.005\n",
        "vllm:time_to_first_token_seconds_sum@ 0.02\n", "vllm:inter_token_latency_seconds_count@ 1\n",
        "vllm:request_time_per_output_token_seconds_sum@ 0.01\n",
        "vllm:e2e_request_latency_seconds_sum@ 0.12\n"}) {
    std::string expected(line);
    expected.replace(expected.find('@'), 1, labels);
    INFO(expected);
    CHECK(has(text, expected));
  }
  CHECK(has(text, R"(finished_reason="length"} 1)"));
  CHECK(has(text, R"(finished_reason="abort"} 1)"));
  CHECK_FALSE(has(text, "spec_decode"));
  engine.drafts = 10;
  engine.accepted_tokens = 7;
  CHECK(has(metrics.text("m", engine),
            R"(vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="m"} 7)"));
}
