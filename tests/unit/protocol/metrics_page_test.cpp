// A server's page of metrics: the text formats, and what is recognised in it.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "model/server_quantities.hpp"
#include "protocol/metrics/exposition.hpp"
#include "protocol/metrics/server_names.hpp"
#include "protocol/metrics/server_page.hpp"

using namespace infermeter;

namespace {

struct Sample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

struct ReadPage {
  std::vector<Sample> samples;
  std::uint64_t bad = 0;
};

ReadPage read_all(std::string_view page) {
  ReadPage out;
  ExpositionReader reader(page);
  for (MetricSample sample; reader.next(sample);) {
    Sample& copy = out.samples.emplace_back();
    copy.name = sample.name;
    copy.value = sample.value;
    for (const auto& [key, value] : sample.labels) copy.labels.emplace_back(key, value);
  }
  out.bad = reader.bad_lines();
  return out;
}

double gauge(const Scrape& scrape, std::string_view name) {
  const double* value = find_value(scrape.gauges, name);
  INFO(name);
  REQUIRE(value != nullptr);
  return *value;
}

double counter(const Scrape& scrape, std::string_view name) {
  const double* value = find_value(scrape.counters, name);
  INFO(name);
  REQUIRE(value != nullptr);
  return *value;
}

Scrape scrape_of(const std::string& page, std::string_view model = "m") {
  ServerPage read = read_server_page(page, model);
  CHECK(read.problem.empty());
  return read.scrape;
}

/// One line of a series, in the form that its kind takes.
std::string line_of(const KnownSeries& series) {
  const std::string label =
      series.label.empty() ? "" : std::string(series.label) + "=\"" + std::string(series.value) + "\"";
  const std::string name(series.name);
  switch (series.kind) {
    case SeriesKind::time:
      return name + "_sum{" + label + "} 3\n" + name + "_count{" + label + "} 2\n";
    case SeriesKind::time_sum:
      return name + "{" + label + "} 3\nnv_inference_request_success 2\n";
    default:
      return name + "{" + label + "} 0.5\n";
  }
}

}  // namespace

TEST_CASE("metrics page: labels, escapes, time stamps, special values and comments of the text format") {
  const auto page = read_all(
      "# HELP a b\n# TYPE a counter\n\n"
      "a 1\n"
      "b{x=\"1\", y = \"q\\\"uo\\\\te\\nline\" ,} 2.5e3 1700000000000\n"
      "c{le=\"+Inf\"} +Inf\n"
      "d NaN\r\n"
      "e -Inf\n"
      "  f\t7\n"
      "g{} 8");
  REQUIRE(page.samples.size() == 7);
  CHECK(page.bad == 0);
  CHECK(page.samples[1].labels ==
        std::vector<std::pair<std::string, std::string>>{{"x", "1"}, {"y", "q\"uo\\te\nline"}});
  CHECK(page.samples[1].value == 2500);
  CHECK(std::isinf(page.samples[2].value));
  CHECK(std::isnan(page.samples[3].value));
  CHECK(page.samples[4].value < 0);
  CHECK(page.samples[5].name == "f");
  CHECK(page.samples[6].value == 8);
}

TEST_CASE("metrics page: exemplars, units and quoted names of OpenMetrics") {
  const auto page = read_all(
      "# TYPE t histogram\n# UNIT t seconds\n"
      "t_bucket{le=\"0.1\"} 3 # {trace_id=\"x y\"} 0.05 1520879607.789\n"
      "t_sum 0.2 1520879607\n"
      "{\"a.name\", k=\"v\"} 5\n"
      "# EOF\n");
  REQUIRE(page.samples.size() == 3);
  CHECK(page.samples[0].value == 3);
  CHECK(page.samples[2].name == "a.name");
  CHECK(page.samples[2].labels.size() == 1);
}

TEST_CASE("metrics page: a line that is none is counted, and the others are read") {
  for (const std::string bad : {"a", "a b", "a{x=\"1} 2", "a{x=1} 2", "a{x=\"1\" y=\"2\"} 3", "{} 3", "1a 3",
                                "a 1 2 3", "<html>", "{\"running\": 1}", "a{x} 1", "a 0x10"}) {
    INFO(bad);
    const auto page = read_all("ok 1\n" + bad + "\nok 2\n");
    CHECK(page.samples.size() == 2);
    CHECK(page.bad == 1);
  }
}

TEST_CASE(
    "metrics page: every known name is recognised as its quantity, with and without prefix colon and "
    "_total") {
  for (const auto& series : all_known_series()) {
    INFO(series.name);
    const auto* quantity = find_server_quantity(series.quantity);
    REQUIRE(quantity != nullptr);
    const bool is_time = series.kind == SeriesKind::time || series.kind == SeriesKind::time_sum;
    CHECK((quantity->kind == QuantityKind::time) == is_time);
    CHECK((quantity->kind == QuantityKind::counter) == (series.kind == SeriesKind::counter));
    std::string line = line_of(series);
    const Scrape plain = scrape_of(line);
    CHECK(plain.from == series.from);
    if (is_time) {
      REQUIRE(find_value(plain.times, series.quantity) != nullptr);
      CHECK(find_value(plain.times, series.quantity)->sum == 3 * series.scale);
    } else if (series.kind == SeriesKind::counter) {
      CHECK(counter(plain, series.quantity) == 0.5);
      const std::string total = std::string(series.name) + "_total" + line.substr(series.name.size());
      CHECK(counter(scrape_of(total), series.quantity) == 0.5);
    } else {
      CHECK(gauge(plain, series.quantity) == 0.5);
    }
    const std::size_t prefix = line.find('_');
    if (series.from == "vllm" || series.from == "sglang") {
      line[prefix] = ':';
      CHECK(scrape_of(line.substr(0, line.find('\n', 0) + 1) + line_of(series)).from == series.from);
    }
  }
}

TEST_CASE("metrics page: engines are added up, shares averaged, other models left out") {
  const Scrape scrape = scrape_of(
      "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 3\n"
      "vllm:num_requests_running{engine=\"1\",model_name=\"m\"} 4\n"
      "vllm:num_requests_running{engine=\"0\",model_name=\"other\"} 100\n"
      "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.2\n"
      "vllm:kv_cache_usage_perc{engine=\"1\",model_name=\"m\"} 0.4\n"
      "vllm:time_to_first_token_seconds_bucket{engine=\"0\",model_name=\"m\",le=\"0.1\"} 1\n"
      "vllm:time_to_first_token_seconds_bucket{engine=\"1\",model_name=\"m\",le=\"0.1\"} 2\n"
      "vllm:time_to_first_token_seconds_bucket{engine=\"0\",model_name=\"m\",le=\"+Inf\"} 2\n"
      "vllm:time_to_first_token_seconds_bucket{engine=\"1\",model_name=\"m\",le=\"+Inf\"} 2\n"
      "vllm:time_to_first_token_seconds_sum{engine=\"0\",model_name=\"m\"} 0.5\n"
      "vllm:time_to_first_token_seconds_sum{engine=\"1\",model_name=\"m\"} 0.25\n"
      "process_start_time_seconds 1700000000.5\n");
  CHECK(gauge(scrape, "running") == 7);
  CHECK(gauge(scrape, "kv_cache") == Approx(0.3));
  CHECK(scrape.process_start_s == 1700000000.5);
  const ServerHistogram* ttft = find_value(scrape.times, "ttft");
  REQUIRE(ttft != nullptr);
  CHECK(ttft->sum == 0.75);
  CHECK(ttft->count == 4);  // of the bucket without end: there is no _count
  REQUIRE(ttft->buckets.size() == 2);
  CHECK(ttft->buckets[0].second == 3);
}

TEST_CASE("metrics page: an alias of the only model is that model; of several others none") {
  CHECK(gauge(scrape_of("vllm:num_requests_running{model_name=\"alias\"} 3\n"), "running") == 3);
  const ServerPage others = read_server_page(
      "vllm:num_requests_running{model_name=\"a\"} 3\nvllm:num_requests_running{model_name=\"b\"} 3\n", "m");
  CHECK(others.problem == "its models are a, b, not 'm'");
}

TEST_CASE("metrics page: a new name wins over the old one, and a name is matched whole") {
  const Scrape scrape = scrape_of(
      "vllm:gpu_cache_usage_perc 0.9\nvllm:kv_cache_usage_perc 0.1\n"
      "vllm:num_requests_waiting_by_reason{reason=\"capacity\"} 5\n"
      "vllm:num_requests_waiting_by_reason{reason=\"deferred\"} 2\n"
      "vllm:num_requests_running_created 1.7e9\n");
  CHECK(gauge(scrape, "kv_cache") == 0.1);
  CHECK(gauge(scrape, "waiting") == 7);
  CHECK(find_value(scrape.gauges, "running") == nullptr);
}

TEST_CASE("metrics page: values that are no numbers are absent, and used blocks give the share") {
  const Scrape scrape = scrape_of(
      "trtllm_num_requests_running NaN\ntrtllm_kv_cache_used_blocks 30\ntrtllm_kv_cache_max_blocks 120\n"
      "trtllm_request_success_total -1\n");
  CHECK(find_value(scrape.gauges, "running") == nullptr);
  CHECK(gauge(scrape, "kv_cache") == 0.25);
  CHECK(scrape.counters.empty());
}

TEST_CASE("metrics page: Triton's sums are divided by its requests") {
  const Scrape scrape = scrape_of(
      "nv_inference_queue_duration_us{model=\"m\",version=\"1\"} 3000000\n"
      "nv_inference_request_success{model=\"m\",version=\"1\"} 6\n");
  const ServerHistogram* queue = find_value(scrape.times, "queue");
  REQUIRE(queue != nullptr);
  CHECK(queue->sum == Approx(3));
  CHECK(queue->count == 6);
}

TEST_CASE("metrics page: what is none says so") {
  CHECK(read_server_page("", "m").problem == "it is no page of metrics");
  CHECK(read_server_page("<html>hello</html>", "m").problem == "it is no page of metrics");
  CHECK(read_server_page("go_goroutines 7\n", "m").problem == "it has no metrics of an inference server");
}

TEST_CASE("metrics page: a recorded page of vLLM 0.32 is read as what it says") {
  std::ifstream file(INFERMETER_TEST_DATA "/metrics/vllm-0.32.txt");
  std::stringstream text;
  text << file.rdbuf();
  const Scrape scrape = scrape_of(text.str(), "tiny");
  CHECK(scrape.from == "vllm");
  CHECK(scrape.process_start_s == 1.79608705202e+09);
  CHECK(gauge(scrape, "running") == 0);
  CHECK(gauge(scrape, "kv_cache") == 0);
  CHECK(counter(scrape, "requests") == 35);
  CHECK(counter(scrape, "output_tokens") == 1034);
  CHECK(counter(scrape, "prefix_queries") == 4286);
  CHECK(counter(scrape, "preemptions") == 0);
  const ServerHistogram* ttft = find_value(scrape.times, "ttft");
  REQUIRE(ttft != nullptr);
  CHECK(ttft->count == 35);
  CHECK(ttft->sum == Approx(1.5912539958953857));
  CHECK(ttft->buckets.back().second == 35);
  for (const auto name : {"queue", "prefill", "decode", "itl", "tpot", "e2e"}) {
    INFO(name);
    CHECK(find_value(scrape.times, name) != nullptr);
  }
}
