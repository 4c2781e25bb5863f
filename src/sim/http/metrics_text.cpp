#include "sim/http/metrics_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "sim/http/text.hpp"

namespace infermeter::sim {
namespace {

// vLLM's bucket edges.
constexpr std::array kFirstTokenEdges{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,  0.25,  0.5,   0.75,
                                      1.0,   2.5,   5.0,  7.5,  10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0};
constexpr std::array kTokenEdges{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                 0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
constexpr std::array kRequestEdges{0.3,  0.5,  0.8,  1.0,  1.5,   2.0,   2.5,   5.0,   10.0,   15.0,  20.0,
                                   30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};

void append_header(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

class Page {
 public:
  explicit Page(std::string_view labels) : labels_(labels) {}
  void gauge(std::string_view name, std::string_view help, double value) { one(name, "gauge", help, value); }
  // In the text format the family name has no `_total`; the sample name has.
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    append_header(out, name, "counter", help);
    fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels_, value);
  }
  void histogram(std::string_view name, std::string_view help, const Histogram& h) {
    h.append(out, name, help, labels_);
  }
  void one(std::string_view name, std::string_view type, std::string_view help, double value) {
    append_header(out, name, type, help);
    fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels_, value);
  }
  std::string out;

 private:
  std::string_view labels_;
};

void append_engine(Page& page, const EngineCounters& engine) {
  page.gauge("vllm:num_requests_running", "Requests in the running batch.", engine.running);
  page.gauge("vllm:num_requests_waiting", "Requests waiting to be scheduled.", engine.waiting);
  page.gauge("vllm:kv_cache_usage_perc", "Share of KV blocks in use, 0 to 1.", engine.kv_used_share);
  page.counter("vllm:num_preemptions_total", "Preemptions.", engine.preemptions);
  page.counter("vllm:prompt_tokens_total", "Prompt tokens processed.", engine.prompt_tokens);
  page.counter("vllm:generation_tokens_total", "Tokens generated.", engine.generated_tokens);
  page.counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
               engine.prefix_queries);
  page.counter("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.",
               engine.prefix_hits);
  if (engine.drafts == 0) return;  // as in vLLM, not exported without speculation
  page.counter("vllm:spec_decode_num_drafts_total", "Drafts.", engine.drafts);
  page.counter("vllm:spec_decode_num_draft_tokens_total", "Tokens drafted.", engine.draft_tokens);
  page.counter("vllm:spec_decode_num_accepted_tokens_total", "Drafted tokens accepted.",
               engine.accepted_tokens);
}

}  // namespace

void Histogram::observe(nanoseconds value) {
  const double seconds = static_cast<double>(value.count()) / 1e9;
  const auto bucket = std::lower_bound(edges_.begin(), edges_.end(), seconds) - edges_.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  ++count_;
  sum_ += seconds;
}

void Histogram::append(std::string& out, std::string_view name, std::string_view help,
                       std::string_view labels) const {
  append_header(out, name, "histogram", help);
  const auto to = std::back_inserter(out);
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    below += counts_[i];
    fmt::format_to(to, "{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, edges_[i], below);
  }
  fmt::format_to(to, "{0}_bucket{{{1},le=\"+Inf\"}} {2}\n{0}_sum{{{1}}} {3}\n{0}_count{{{1}}} {2}\n", name,
                 labels, count_, sum_);
}

ServerMetrics::ServerMetrics()
    : queue_(kRequestEdges),
      prefill_(kRequestEdges),
      decode_(kRequestEdges),
      first_token_(kFirstTokenEdges),
      inter_token_(kTokenEdges),
      per_output_token_(kTokenEdges),
      e2e_(kRequestEdges) {}

void ServerMetrics::observe_first_token(const RequestTruth& truth) {
  first_token_.observe(truth.first_token - truth.arrived);
}

void ServerMetrics::observe_finished(const RequestTruth& truth, std::uint32_t output_tokens,
                                     std::string_view reason) {
  queue_.observe(truth.scheduled - truth.arrived);
  prefill_.observe(truth.first_token - truth.scheduled);
  decode_.observe(truth.finished - truth.first_token);
  e2e_.observe(truth.finished - truth.arrived);
  if (output_tokens > 1)
    per_output_token_.observe((truth.finished - truth.first_token) / (output_tokens - 1));
  ++(reason == "length" ? limited_ : stopped_);
}

std::string ServerMetrics::text(std::string_view model, const EngineCounters& engine) const {
  const std::string labels = fmt::format("engine=\"0\",model_name={}", json_quoted(model));
  Page page(labels);
  append_engine(page, engine);
  append_header(page.out, "vllm:request_success_total", "counter", "Requests ended, by reason.");
  for (const auto& [reason, count] :
       {std::pair("stop", stopped_), std::pair("length", limited_), std::pair("abort", aborted_)})
    fmt::format_to(std::back_inserter(page.out),
                   "vllm:request_success_total{{{},finished_reason=\"{}\"}} {}\n", labels, reason, count);
  page.histogram("vllm:request_queue_time_seconds", "Arrival to scheduled.", queue_);
  page.histogram("vllm:request_prefill_time_seconds", "Scheduled to first token.", prefill_);
  page.histogram("vllm:request_decode_time_seconds", "First token to last token.", decode_);
  page.histogram("vllm:time_to_first_token_seconds", "Arrival to first token.", first_token_);
  page.histogram("vllm:inter_token_latency_seconds", "Between two outputs of a request.", inter_token_);
  page.histogram("vllm:request_time_per_output_token_seconds", "Mean time per output token.",
                 per_output_token_);
  page.histogram("vllm:e2e_request_latency_seconds", "Arrival to last token.", e2e_);
  return std::move(page.out);
}

}  // namespace infermeter::sim
