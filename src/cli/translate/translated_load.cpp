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
    {"openai-responses", "responses"}, {"/v1/responses", "responses"},
    {"openai-embeddings", "embeddings"}, {"/v1/embeddings", "embeddings"}, {"sglang-embedding", "embeddings"}, {"vllm-embedding", "embeddings"},
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
  return rival == Rival::vllm || rival == Rival::sglang ? "127.0.0.1" : "localhost";
}

/// SGLang's depends on the server.
std::string default_port(const Parts& parts) {
  if (!parts.is_sglang()) return "8000";
  const std::string server = parts.text(Becomes::api, "sglang");
  if (server == "lmdeploy") return "23333";
  return server == "vllm" || server == "vllm-embedding" || server == "trt" ? "8000" : "30000";
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
  return {with_scheme(fmt::format("{}:{}", host, parts.text(Becomes::port, default_port(parts))))};
}

constexpr std::string_view kNotMeasured = "no endpoint that infermeter measures; this line measures chat";

/// Prompts with images go to chat.
bool has_images(const Parts& parts) {
  const std::string dataset = parts.text(Becomes::dataset);
  return dataset == "random-mm" || dataset == "image" || dataset == "custom_mm";
}

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
  const bool completes = parts.whole() && (parts.is_vllm() || parts.is_sglang()) && !has_images(parts);
  if (api.empty()) return completes ? endpoint_called("completions") : nullptr;
  if (parts.rival() == Rival::llmperf && api == "openai") return nullptr;
  if (parts.is_sglang() && has_images(parts)) return nullptr;
  const auto* endpoint = endpoint_called(api);
  if (endpoint == nullptr) parts.note(parts.origin(Becomes::api) + " " + api, kNotMeasured);
  if (parts.is_sglang() && (api == "sglang" || api == "sglang-native"))
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
  if (kind == "concurrency_burst")
    return parts.note(parts.origin(Becomes::arrival) + " " + kind, "arrivals are poisson here");
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
  if (profile == "concurrent" || (profile == "knee" && !rates.empty()))
    return parts.put("-c", rates.empty() ? "1" : rates);
  if (profile == "throughput") {
    if (rates.empty()) parts.note("throughput", "512 in flight stand for it; -c sets the number");
    return parts.put("-c", rates.empty() ? number_text(kThroughputStreams) : rates);
  }
  if (profile == "sweep" || profile == "knee") return put_sweep(parts);
  if (!constant && profile != "poisson") {
    parts.note(profile, "no load of this kind here; -c 1 stands for it");
    return parts.put("-c", "1");
  }
  parts.put("--rate", rates.empty() ? "1" : rates);
  if (parts.has(Becomes::in_flight)) parts.put("--max-in-flight", parts.text(Becomes::in_flight));
  if (constant) parts.put("--arrival", "constant");
}

/// `--override profile.streams 1,2,4`, or `profile.streams=1,2,4`.
void read_overrides(Parts& parts) {
  const auto words = parts.all(Becomes::overrides);
  for (std::size_t at = 0; at + 1 < words.size(); at += 2) {
    if (words[at] == "profile.rate" || words[at] == "profile.streams")
      parts.set(Becomes::rate, words[at + 1]);
    else
      parts.note("--override " + words[at], "every point has the same options");
  }
}

/// `--profile sweep`, or `--profile kind=concurrent,streams=8`: the first form's kind, its fields as parts.
std::string read_profile(Parts& parts) {
  const std::string text = parts.text(Becomes::profile, "sweep");
  auto fields = flat_fields(text);
  if (!fields.contains("kind")) return text;
  const std::string kind = fields["kind"];
  for (const auto* name : {"rate", "streams", "sweep_size", "initial_streams"}) {
    if (fields.contains(name)) parts.set(Becomes::rate, fields[name]);
  }
  if (fields.contains("max_concurrency"))
    parts.set(kind == "throughput" ? Becomes::rate : Becomes::in_flight, fields["max_concurrency"]);
  if (fields.contains("warmup")) parts.set(Becomes::warmup_share, fields["warmup"]);
  if (fields.contains("time_scale")) parts.set(Becomes::slower, fields["time_scale"]);
  if (fields.contains("rampup_duration"))
    parts.note("rampup_duration", "a ramp is not measured: --warmup 10s leaves the start out");
  if (fields.contains("cooldown"))
    parts.note("cooldown", "the end is not left out: the drain is not measured");
  return kind;
}

/// A trace at its own times; where its unit or the tool's options change the speed, so here.
void put_replay(Parts& parts) {
  constexpr double kOurUnit = 0.001;
  parts.put("--arrival", "trace");
  const double speed = parts.number(Becomes::faster).value_or(1) / parts.number(Becomes::slower).value_or(1) *
                       kOurUnit / parts.number(Becomes::trace_unit).value_or(kOurUnit);
  if (std::isfinite(speed) && speed > 0 && speed != 1) parts.put("--replay-speed", number_text(speed) + "x");
  if (parts.has(Becomes::in_flight)) parts.put("--max-in-flight", parts.text(Becomes::in_flight));
}

void put_guidellm_load(Parts& parts) {
  const std::string profile = read_profile(parts);
  read_overrides(parts);
  if (profile != "replay") return put_profile(parts, profile);
  parts.set(Becomes::replay, "");
  parts.set(Becomes::trace_unit, "1");
  put_replay(parts);
}

std::string slots_of(const Parts& parts) {
  const auto requests = parts.number(Becomes::requests);
  return number_text(std::min(kMostSlots, requests && *requests >= 1 ? *requests : 1000));
}

void put_closed_loop(Parts& parts) {
  const std::string cap = parts.text(Becomes::in_flight);
  if (!cap.empty()) return parts.put("-c", cap);
  const bool all_at_once = is_endless(parts.text(Becomes::rate)) || parts.is_vllm() || parts.is_sglang();
  if (!parts.has(Becomes::rate) && !parts.whole()) return;
  parts.put("-c", all_at_once ? slots_of(parts) : parts.rival() == Rival::llmperf ? "10" : "1");
  if (all_at_once)
    parts.note("a rate of inf", "all requests are in flight at once; -c N sets another number");
}

void put_level(Parts& parts) {
  const std::string rate = parts.text(Becomes::rate);
  if (parts.has(Becomes::replay)) return put_replay(parts);
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
    if (kind == "max_requests" || kind == "min_requests") {
      parts.set(Becomes::requests, fields["count"]);
    } else if (kind == "max_duration" || kind == "max_seconds") {
      parts.complete.emplace_back("--duration");
      parts.complete.push_back(fields["seconds"] + "s");
    } else if ((kind == "max_error_rate" || kind == "max_global_error_rate") && fields.contains("rate")) {
      parts.complete.emplace_back("--max-error-rate");
      parts.complete.push_back(fields["rate"]);
    } else {
      parts.note("--constraint kind=" + kind,
                 "no condition of this kind here; --max-error-rate and --stop-when are");
    }
  }
}

/// Without an end AIPerf sends 10 synthetic prompts, or two for each slot.
std::optional<double> default_count(const Parts& parts) {
  const std::string slots = parts.text(Becomes::in_flight, "1");
  const bool finite = parts.has(Becomes::file) || parts.has(Becomes::dataset) || parts.has(Becomes::turns);
  if (parts.rival() == Rival::llmperf) return 10;
  if (parts.rival() != Rival::aiperf || finite || !to_number(slots)) return std::nullopt;
  return std::max(10.0, 2 * *to_number(slots));
}

void put_end(Parts& parts) {
  const std::string count =
      parts.text(parts.has(Becomes::requests) ? Becomes::requests : Becomes::conversations);
  const auto number = to_number(count);
  if (!count.empty() && (!number || *number >= 1)) return parts.put("-n", count);
  if (parts.gives("--duration") || parts.has(Becomes::replay)) return;
  if (!count.empty())
    return parts.note(parts.origin(Becomes::requests) + " " + count, "30 s are measured; -n N sets a number");
  if (!parts.whole()) return;
  if (const auto usual = default_count(parts)) return parts.put("-n", number_text(*usual));
  parts.note("no end given", "30 s are measured; -d T or -n N sets it");
}

/// guidellm's `--warmup 0.1`, a share, or `--warmup 5`: of the time where that is limited, else of the
/// requests.
void put_warmup_share(Parts& parts, double share) {
  const double duration = to_number(parts.value_of("--duration", "s")).value_or(0);
  const double requests = parts.number(Becomes::requests).value_or(0);
  if (share >= 1) return parts.put("--warmup", number_text(share) + (duration > 0 ? "s" : ""));
  if (duration > 0) return parts.put("--warmup", number_text(share * duration) + "s");
  parts.put("--warmup", number_text(std::floor(share * requests)));
}

/// Without its option these tools measure from the first request on; SGLang sends one before.
void put_warmup(Parts& parts) {
  if (parts.gives("--warmup") || parts.has(Becomes::replay)) return;
  if (const auto share = parts.number(Becomes::warmup_share)) return put_warmup_share(parts, *share);
  if (parts.has(Becomes::warmup_share))
    parts.note(parts.origin(Becomes::warmup_share), "one number here: --warmup N or --warmup 5s");
  if (parts.whole()) parts.put("--warmup", parts.is_sglang() ? "1" : "0");
}

/// AIPerf waits 30 s for the answers at the end of a duration, or `inf`; llmperf ends after 90 s.
void put_time_limits(Parts& parts) {
  const bool waits = parts.whole() && parts.rival() == Rival::aiperf && parts.gives("--duration");
  const std::string drain = parts.text(Becomes::drain, waits ? "30" : "");
  if (!drain.empty() && !is_endless(drain)) parts.put("--timeout-drain", drain + "s");
  if (!parts.whole()) return;
  if (parts.rival() == Rival::llmperf && !parts.gives("--max-time")) parts.put("--max-time", "90s");
}

void put_connections(Parts& parts) {
  const std::string strategy = parts.text(Becomes::connections);
  if (strategy == "never") parts.put("--fresh-connections");
  if (strategy == "sticky-user-sessions") parts.put("--session-connection");
}

/// `--seed 42`, or `--seed kind=static,value=42`.
void put_seed(Parts& parts) {
  if (!parts.has(Becomes::seed)) return;
  const std::string text = parts.text(Becomes::seed);
  const auto fields = flat_fields(text);
  parts.put("--seed", fields.contains("value") ? fields.at("value") : text);
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
  if (parts.rival() == Rival::llmperf)
    parts.note("OPENAI_API_BASE", "its address takes the place of http://localhost:8000");
  const std::string model = parts.text(Becomes::served_model, parts.text(Becomes::model));
  const std::string first = model.substr(0, model.find(','));
  if (!model.empty()) parts.put("--model", first);
  if (first != model) parts.note("several models", "are [[class]] blocks of --config F, each with its model");
  put_headers(parts);
}

void put_load(Parts& parts) {
  if (parts.whole() && (parts.is_vllm() || parts.is_sglang()) && !parts.has(Becomes::requests))
    parts.set(Becomes::requests, "1000");
  read_constraints(parts);
  put_level(parts);
  put_end(parts);
  put_warmup(parts);
  put_time_limits(parts);
  put_connections(parts);
  put_seed(parts);
}

}  // namespace infermeter
