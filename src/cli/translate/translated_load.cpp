#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/translate/parts.hpp"
#include "infermeter/model/endpoint.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

constexpr double kMostSlots = 100'000;
constexpr int kSteps = 5;                // of a ramp
constexpr int kStrategies = 10;          // of guidellm's sweep
constexpr int kThroughputStreams = 512;  // what guidellm has in flight at most

/// The word by which another tool calls an endpoint; the endpoints' own names are known anyway.
struct Api {
  std::string_view word, endpoint;
};
// clang-format off: a table
constexpr Api kApis[] = {
    {"openai", "completions"}, {"vllm", "completions"}, {"sglang", "completions"}, {"sglang-native", "completions"}, {"sglang-oai", "completions"},
    {"lmdeploy", "completions"}, {"scalellm", "completions"}, {"tensorrt-llm", "completions"},
    {"text_completions", "completions"}, {"/v1/completions", "completions"},
    {"openai-chat", "chat"}, {"sglang-oai-chat", "chat"}, {"vllm-chat", "chat"}, {"lmdeploy-chat", "chat"},
    {"chat_completions", "chat"}, {"/v1/chat/completions", "chat"}, {"openai_http", "chat"},
    {"openai-responses", "responses"},
    {"openai-embeddings", "embeddings"}, {"sglang-embedding", "embeddings"}, {"vllm-embedding", "embeddings"},
    {"nim_embeddings", "embeddings"},
    {"vllm-rerank", "rerank"}, {"nim_rankings", "rerank"}, {"cohere_rankings", "rerank"}, {"rankings", "rerank"},
};
// clang-format on

const EndpointRow* endpoint_called(std::string_view word) {
  const auto* api = std::ranges::find(kApis, word, &Api::word);
  const std::string_view called = api == std::end(kApis) ? word : api->endpoint;
  const auto* row = std::ranges::find(kEndpoints, called, &EndpointRow::name);
  return row == kEndpoints.end() ? nullptr : row;
}

/// `localhost:8000` is a URL for AIPerf.
std::string with_scheme(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url.find("://") == std::string::npos ? "http://" + url : url;
}

std::string default_host(Rival rival) {
  const bool named = rival == Rival::aiperf || rival == Rival::genai_perf || rival == Rival::guidellm;
  return named ? "localhost" : "127.0.0.1";
}

std::vector<std::string> bases_of(const Parts& parts) {
  std::vector<std::string> bases;
  for (const auto& url : parts.all(Becomes::url)) bases.push_back(with_scheme(url));
  for (const auto& url : parts.urls) bases.push_back(url);
  if (!bases.empty()) return bases;
  if (!parts.whole() && !parts.has(Becomes::host) && !parts.has(Becomes::port)) return {};
  std::string host = parts.text(Becomes::host, default_host(parts.rival()));
  if (host.find("://") != std::string::npos && !parts.has(Becomes::port)) return {with_scheme(host)};
  if (std::ranges::count(host, ':') > 1 && !host.starts_with('[')) host = fmt::format("[{}]", host);
  const bool sglang = parts.rival() == Rival::sglang && !parts.text(Becomes::api).starts_with("vllm");
  return {with_scheme(fmt::format("{}:{}", host, parts.text(Becomes::port, sglang ? "30000" : "8000")))};
}

constexpr std::string_view kNotMeasured = "no endpoint that infermeter measures; this line measures chat";

/// The endpoint of `--endpoint /v1/…`, else of the backend, else the tool's default; null: as the URL says.
const EndpointRow* endpoint_of(Parts& parts) {
  const std::string path = parts.text(Becomes::path), api = parts.text(Becomes::api);
  if (!path.empty()) {
    for (const auto& row : kEndpoints) {
      if (path.ends_with(row.path)) return &row;
    }
    parts.note(parts.origin(Becomes::path) + " " + path, kNotMeasured);
    return nullptr;
  }
  const bool completes = parts.whole() && !parts.is_aiperf() && !parts.is_guidellm();
  if (api.empty()) return completes ? endpoint_called("completions") : nullptr;
  const auto* endpoint = endpoint_called(api);
  if (endpoint == nullptr) parts.note(parts.origin(Becomes::api) + " " + api, kNotMeasured);
  if (parts.rival() == Rival::sglang && (api == "sglang" || api == "sglang-native"))
    parts.note(parts.origin(Becomes::api) + " " + api, "/v1/completions is measured, not /generate");
  return endpoint;
}

std::string full_url(const Parts& parts, const std::string& base, const EndpointRow& endpoint) {
  for (const auto& row : kEndpoints) {
    if (base.ends_with(row.path)) return base;
  }
  const std::string path = parts.text(Becomes::path);
  if (path.starts_with('/')) return base + path;
  if (&endpoint == kEndpoints.data()) return base;  // the default of a bare URL
  return base + (base.ends_with("/v1") ? "" : "/v1") + std::string(endpoint.path);
}

void put_url(Parts& parts, std::vector<std::string> bases) {
  const auto* endpoint = endpoint_of(parts);
  for (auto& base : bases) {
    if (mask_url(base) != base)
      parts.note("the URL's password", "is left out; -H or OPENAI_API_KEY sends a key");
    if (const std::size_t at = base.find('@'); at != std::string::npos && mask_url(base) != base)
      base = base.substr(0, base.find("://") + 3) + base.substr(at + 1);
    if (endpoint != nullptr) base = full_url(parts, base, *endpoint);
  }
  if (!bases.empty()) parts.put(fmt::format("{}", fmt::join(bases, ",")));
}

/// "X_TEAM": the variable that holds the value of a header.
std::string variable_of(std::string_view header) {
  std::string name;
  for (const unsigned char c : header)
    name += std::isalnum(c) != 0 ? static_cast<char>(std::toupper(c)) : '_';
  return name;
}

void put_headers(Parts& parts) {
  for (const auto& text : parts.all(Becomes::header)) {
    const std::size_t mark = std::min(text.find_first_of(":="), text.size());
    const std::string name = text.substr(0, mark);
    if (variable_of(name) == "AUTHORIZATION" || variable_of(name) == "API_KEY" ||
        variable_of(name) == "X_API_KEY") {
      parts.note("a header with a key",
                 "export OPENAI_API_KEY; everyone on this machine sees a command line");
      continue;
    }
    parts.put("-H", fmt::format("{}: ${}", name, variable_of(name)));
    parts.note("the header " + name, fmt::format("its value is not repeated; export {}", variable_of(name)));
  }
}

bool is_endless(std::string_view rate) { return rate == "inf" || rate == "Infinity" || rate == "infinity"; }

void put_arrival(Parts& parts) {
  const std::string kind = parts.text(Becomes::arrival), k = parts.text(Becomes::burstiness);
  if (kind == "constant") return parts.put("--arrival", "constant");
  if (!k.empty() && k != "1" && k != "1.0" && kind != "poisson") parts.put("--burstiness", k);
}

/// A ramp of the rate is no load that can be compared: its range becomes a sweep.
void put_ramp(Parts& parts) {
  const double to = parts.number(Becomes::ramp_to).value_or(10),
               given = parts.number(Becomes::ramp_from).value_or(0);
  const double from = given > 0 ? given : to / kSteps;
  const bool geometric = parts.text(Becomes::ramp) == "exponential";
  std::vector<std::string> rates;
  for (int i = 0; i < kSteps; ++i) {
    const double share = static_cast<double>(i) / (kSteps - 1);
    const double rate = geometric ? from * std::pow(to / from, share) : from + (to - from) * share;
    rates.push_back(fmt::format("{:.3g}", rate));
  }
  parts.put("--rate", fmt::format("{}", fmt::join(rates, ",")));
  parts.note(parts.origin(Becomes::ramp), "a ramp is not measured; its range is a sweep of five rates here");
  if (const auto n = parts.number(Becomes::requests); n && *n >= kSteps)
    parts.set(Becomes::requests, number_text(std::floor(*n / kSteps)));
}

void put_sweep(Parts& parts) {
  const int count = std::clamp(static_cast<int>(parts.number(Becomes::rate).value_or(kStrategies)), 2, 16);
  std::vector<std::string> levels;
  for (int i = 0; i < count; ++i)
    levels.push_back(
        number_text(std::round(std::pow(kThroughputStreams, static_cast<double>(i) / (count - 1)))));
  const auto [first, last] = std::ranges::unique(levels);
  levels.erase(first, last);
  parts.put("-c", fmt::format("{}", fmt::join(levels, ",")));
  parts.note("a sweep", "of concurrency here; --rate 1,2,5 is one of rates, once the highest is known");
}

void put_profile(Parts& parts, const std::string& profile) {
  const std::string rates = fmt::format("{}", fmt::join(parts.all(Becomes::rate), ","));
  const bool constant = profile == "constant" || profile == "async";
  if (profile == "synchronous") return parts.put("-c", "1");
  if (profile == "concurrent") return parts.put("-c", rates.empty() ? "1" : rates);
  if (profile == "throughput") {
    if (rates.empty()) parts.note("throughput", "512 in flight stand for it; -c sets the number");
    return parts.put("-c", rates.empty() ? number_text(kThroughputStreams) : rates);
  }
  if (profile == "sweep") return put_sweep(parts);
  if (!constant && profile != "poisson") {
    parts.note(profile, "no load of this kind here; -c 1 stands for it");
    return parts.put("-c", "1");
  }
  parts.put("--rate", rates.empty() ? "1" : rates);
  if (constant) parts.put("--arrival", "constant");
}

/// `--profile sweep`, or `--profile kind=concurrent,streams=8`.
void put_guidellm_load(Parts& parts) {
  std::string profile = parts.text(Becomes::profile, "sweep");
  auto fields = flat_fields(profile);
  if (fields.contains("kind")) {
    profile = fields["kind"];
    for (const auto* name : {"rate", "streams", "max_concurrency", "sweep_size"}) {
      if (fields.contains(name)) parts.set(Becomes::rate, fields[name]);
    }
  }
  if (profile == "replay") return parts.put("--arrival", "trace");
  put_profile(parts, profile);
}

std::string slots_of(const Parts& parts) {
  const auto requests = parts.number(Becomes::requests);
  return number_text(std::min(kMostSlots, requests && *requests >= 1 ? *requests : 1000));
}

void put_closed_loop(Parts& parts) {
  const std::string cap = parts.text(Becomes::in_flight);
  if (!cap.empty()) return parts.put("-c", cap);
  const bool all_at_once =
      is_endless(parts.text(Becomes::rate)) || parts.rival() == Rival::vllm || parts.rival() == Rival::sglang;
  if (!parts.has(Becomes::rate) && !parts.whole()) return;
  parts.put("-c", all_at_once ? slots_of(parts) : "1");
  if (all_at_once)
    parts.note("a rate of inf", "all requests are in flight at once; -c N sets another number");
}

void put_level(Parts& parts) {
  const std::string rate = parts.text(Becomes::rate);
  if (parts.has(Becomes::replay)) return parts.put("--arrival", "trace");
  if (parts.has(Becomes::ramp)) return put_ramp(parts);
  if (parts.is_guidellm() && (parts.whole() || parts.has(Becomes::profile))) return put_guidellm_load(parts);
  if (rate.empty() || is_endless(rate)) return put_closed_loop(parts);
  parts.put("--rate", rate);
  if (parts.has(Becomes::in_flight)) parts.put("--max-in-flight", parts.text(Becomes::in_flight));
  put_arrival(parts);
}

/// `--constraint kind=max_requests,count=1000`.
void read_constraints(Parts& parts) {
  for (const auto& text : parts.all(Becomes::constraint)) {
    auto fields = flat_fields(text);
    const std::string kind = fields["kind"];
    if (kind == "max_requests") parts.set(Becomes::requests, fields["count"]);
    if (kind == "max_duration" || kind == "max_seconds") {
      parts.complete.emplace_back("--duration");
      parts.complete.push_back(fields["seconds"] + "s");
    }
    if (kind != "max_requests" && kind != "max_duration" && kind != "max_seconds")
      parts.note("--constraint kind=" + kind,
                 "no condition of this kind here; --max-error-rate and --stop-when are");
  }
}

void put_end(Parts& parts) {
  const std::string count =
      parts.text(parts.has(Becomes::requests) ? Becomes::requests : Becomes::conversations);
  const auto number = to_number(count);
  if (!count.empty() && (!number || *number >= 1)) return parts.put("-n", count);
  if (!count.empty()) parts.note(parts.origin(Becomes::requests) + " " + count, "say how many: -n N");
  const bool trace = parts.has(Becomes::replay);
  if (parts.whole() && !parts.gives("--duration") && !trace)
    parts.note("no end given", "30 s are measured; -d T or -n N sets it");
}

/// Without its option these tools measure from the first request on.
void put_warmup(Parts& parts) {
  if (parts.gives("--warmup") || parts.has(Becomes::replay)) return;
  const auto share = parts.number(Becomes::warmup_share);
  const auto count = parts.number(Becomes::requests);
  if (share && *share < 1 && count) return parts.put("--warmup", number_text(std::ceil(*share * *count)));
  if (share && *share >= 1) return parts.put("--warmup", number_text(std::ceil(*share)));
  if (share)
    parts.note(parts.origin(Becomes::warmup_share), "a part of the time is not known here: --warmup 5s");
  if (parts.whole()) parts.put("--warmup", "0");
}

/// guidellm's `--backend kind=openai_http,target=http://…,model=NAME`.
void read_backend(Parts& parts) {
  auto fields = flat_fields(parts.text(Becomes::api));
  if (!fields.contains("kind")) return;
  parts.set(Becomes::api, fields.contains("request_format") ? fields["request_format"] : fields["kind"]);
  if (fields.contains("target")) parts.set(Becomes::url, fields["target"]);
  if (fields.contains("model")) parts.set(Becomes::model, fields["model"]);
}

}  // namespace

void put_target(Parts& parts) {
  if (parts.is_guidellm()) read_backend(parts);
  put_url(parts, bases_of(parts));
  const std::string model = parts.text(Becomes::model);
  const std::string first = model.substr(0, model.find(','));
  if (!model.empty()) parts.put("--model", first);
  if (first != model) parts.note("several models", "are [[class]] blocks of --config F, each with its model");
  put_headers(parts);
}

void put_load(Parts& parts) {
  const bool counts = parts.rival() == Rival::vllm || parts.rival() == Rival::sglang;
  if (parts.whole() && counts && !parts.has(Becomes::requests)) parts.set(Becomes::requests, "1000");
  read_constraints(parts);
  put_level(parts);
  put_end(parts);
  put_warmup(parts);
}

}  // namespace infermeter
