#include "sim/http/service.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "sim/api/api_request.hpp"
#include "sim/api/endpoint.hpp"
#include "sim/http/faults.hpp"
#include "sim/http/outbox.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {
namespace {

std::string page(std::string_view title) {
  return fmt::format(
      "<html>\n<head><title>{0}</title></head>\n<body><center><h1>{0}</h1></center></body>\n</html>\n",
      title);
}

// The value as given: seconds, milliseconds or a date; also retry-after-ms beside seconds, if requested.
std::string retry_headers(const Quirks& quirks) {
  const auto& after = quirks.retry_after;
  if (after.empty()) return {};
  if (after.ends_with("ms")) return fmt::format("retry-after-ms: {}\r\n", after.substr(0, after.size() - 2));
  std::string lines = fmt::format("retry-after: {}\r\n", after);
  double seconds = 0;
  const char* end = after.data() + after.size();
  const auto [stop, error] = std::from_chars(after.data(), end, seconds);
  const bool number = error == std::errc{} && stop == end;
  if (quirks.retry_after_ms && number)
    lines += fmt::format("retry-after-ms: {}\r\n", std::llround(seconds * 1e3));
  return lines;
}

bool holds_key(std::string_view header, std::string_view value) {
  if (header != "authorization") return !value.empty();
  constexpr std::string_view kBearer = "Bearer ";
  return value.starts_with(kBearer) && value.size() > kBearer.size();
}

// `more`: whole header lines, each with its CRLF.
std::shared_ptr<Reply> plain_reply(int status, std::string_view type, std::string_view body,
                                   const HttpRequest& request, std::string_view more = {}) {
  auto reply = std::make_shared<Reply>(false);
  append_head(reply->outbox.bytes(), {.status = status,
                                      .content_type = type,
                                      .length = body.size(),
                                      .keep_alive = request.keep_alive,
                                      .request_id = request.request_id,
                                      .more = more,
                                      .date = std::time(nullptr)});
  if (request.method != "HEAD") reply->outbox.bytes() += body;
  reply->outbox.release_all();
  reply->ending = request.keep_alive ? Ending::keep_alive : Ending::close;
  return reply;
}

std::shared_ptr<Reply> json_reply(std::string_view body, const HttpRequest& request) {
  return plain_reply(200, "application/json", body, request);
}

// In the error format of the request's endpoint.
std::shared_ptr<Reply> problem_reply(const ApiProblem& problem, const HttpRequest& request,
                                     std::string_view more = {}) {
  const Route route = route_of(request.target);
  const bool of_endpoint = route.to == Route::To::generate;
  return plain_reply(problem.status, "application/json",
                     of_endpoint ? served_endpoint(route.endpoint).problem(problem) : problem_json(problem),
                     request, more);
}

// The refusal that `quirks.refusal` names.
std::shared_ptr<Reply> refusal_reply(const Quirks& quirks, const HttpRequest& request) {
  const std::string retry = retry_headers(quirks);
  if (quirks.refusal == "429")
    return problem_reply({429, "Rate limit reached.", "rate_limit_error", ""}, request, retry);
  if (quirks.refusal == "503")
    return problem_reply({503, "The engine is overloaded.", "service_unavailable", ""}, request, retry);
  if (quirks.refusal == "html502") return plain_reply(502, "text/html", page("502 Bad Gateway"), request);
  if (quirks.refusal == "html200")
    return plain_reply(200, "text/html; charset=utf-8", page("Welcome"), request);
  return problem_reply({500, "The engine failed.", "InternalServerError", ""}, request);
}

// Status 429 with `headers`.
std::shared_ptr<Reply> rate_limited_reply(const HttpRequest& request, const std::string& headers) {
  return problem_reply({429, "Rate limit reached for requests.", "rate_limit_error", ""}, request, headers);
}

// Status 401.
std::shared_ptr<Reply> no_key_reply(const HttpRequest& request) {
  return problem_reply({401, "No API key was sent.", "authentication_error", ""}, request,
                       "www-authenticate: Bearer\r\n");
}

// Whether the request has the key that `quirks` requires; true if none is required.
bool has_key(const Quirks& quirks, const HttpRequest& request) {
  if (!quirks.requires_key) return true;
  if (!quirks.key_header.empty()) return !request.header(quirks.key_header).empty();
  constexpr std::string_view kHeaders[]{"authorization", "x-api-key", "api-key"};
  return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                     [&](std::string_view name) { return holds_key(name, request.header(name)); });
}

// The first of `quirks.refused_fields` that is in the body; empty: none.
std::string refused_field(const Quirks& quirks, const ApiRequest& request) {
  for (const auto& field : quirks.refused_fields) {
    if (std::find(request.fields.begin(), request.fields.end(), field) != request.fields.end()) return field;
  }
  return {};
}

// Faults that need an occasion are recorded only if it occurred.
void drop_drawn(Quirks& quirks, std::string_view kind) {
  std::erase_if(quirks.drawn, [&](const std::string& drawn) { return drawn == kind; });
}

double checked_scale(double scale) {
  if (std::isfinite(scale) && scale > 0) return scale;
  throw UsageError(fmt::format("--time-scale: {} is not a number above 0", scale));
}

/// "fixed:ttft=50ms stall=2s:0.1": what it simulates, for clients that compare two of its runs.
std::string words_of(const ServerOptions& options) {
  std::string words = options.preset;
  for (const auto& fault : options.faults)
    words +=
        fmt::format(" {}{}{}:{:g}", fault.kind, fault.value.empty() ? "" : "=", fault.value, fault.share);
  return words;
}

std::string answer_id(Endpoint endpoint, std::uint64_t bits) {
  return fmt::format("{}{:016x}", served_endpoint(endpoint).traits().id_prefix, bits);
}

}  // namespace

Service::Service(const ServerOptions& options, std::unique_ptr<EngineModel> engine, std::string model)
    : seed_(options.seed),
      session_header_(options.session_header),
      faults_(options.faults, options.seed),
      always_(faults_.always()),
      dispatcher_(std::move(engine), checked_scale(options.time_scale), options.truth_path, options.warn),
      served_{std::move(model), dispatcher_.context_tokens()},
      simulated_(words_of(options)),
      created_(std::time(nullptr)) {}

std::shared_ptr<Reply> Service::handle(const HttpRequest& request) {
  const Route route = route_of(request.target);
  const bool post = request.method == "POST";
  if (route.to == Route::To::generate && post) return generate(route, request);
  if (route.guarded && !has_key(always_, request)) return no_key_reply(request);
  if (route.to == Route::To::tokenize && post && !always_.no_tokenize) return tokenize(request);
  return answer_get(route, request);
}

std::shared_ptr<Reply> Service::answer_get(const Route& route, const HttpRequest& request) const {
  const bool hidden = route.to == Route::To::tokenize && always_.no_tokenize;
  if (hidden || route.to == Route::To::nothing) return not_there(request);
  if (route.takes_post() || request.method != "GET") {
    const std::string_view allowed = route.takes_post() ? "POST" : "GET";
    const auto message = fmt::format("{} takes {}", path_of(request.target), allowed);
    return problem_reply({405, message, "MethodNotAllowedError", ""}, request,
                         fmt::format("allow: {}\r\n", allowed));
  }
  switch (route.to) {
    case Route::To::models:
      return json_reply(models_json(true), request);
    case Route::To::one_model:
      return route.model == served_.name ? json_reply(models_json(false), request) : not_there(request);
    case Route::To::version:
      return json_reply(R"({"version":")" INFERMETER_VERSION R"("})", request);
    case Route::To::metrics:
      return plain_reply(200, "text/plain; version=0.0.4; charset=utf-8",
                         dispatcher_.metrics_text(served_.name), request);
    default:
      return plain_reply(200, "text/plain", "", request);
  }
}

std::shared_ptr<Reply> Service::not_there(const HttpRequest& request) const {
  const auto message = fmt::format("no such path: {}", path_of(request.target));
  return problem_reply({404, message, "NotFoundError", ""}, request);
}

std::string Service::models_json(bool list) const {
  const std::string name = json_quoted(served_.name);
  const std::string entry = fmt::format(
      R"({{"id":{0},"object":"model","created":{1},"owned_by":"infermeter-sim","root":{0},"parent":null,"max_model_len":{2},"simulated":{3}}})",
      name, created_, served_.context_tokens, json_quoted(simulated_));
  return list ? fmt::format(R"({{"object":"list","data":[{}]}})", entry) : entry;
}

std::shared_ptr<Reply> Service::tokenize(const HttpRequest& request) const {
  const auto parsed = parse_tokenize_request(request.body, served_);
  if (const auto* wrong = std::get_if<ApiProblem>(&parsed)) return problem_reply(*wrong, request);
  const auto& tokens = std::get<TokenizeRequest>(parsed).tokens;
  return json_reply(fmt::format(R"({{"count":{},"max_model_len":{},"tokens":[{}],"token_strs":null}})",
                                tokens.size(), served_.context_tokens, fmt::join(tokens, ",")),
                    request);
}

std::shared_ptr<Reply> Service::generate(const Route& route, const HttpRequest& request) {
  GenerationSetup setup = setup_of(route, request);
  auto refused = turn_away(setup, request);
  if (!refused) refused = read_body(route, request, setup);
  if (refused) {
    dispatcher_.record_refused(setup);
    return refused;
  }
  setup.output_tokens = output_lengths(setup);
  if (auto reply = dispatcher_.accept(std::move(setup))) return reply;
  return problem_reply({400, "The engine cannot hold this request.", "BadRequestError", ""}, request);
}

GenerationSetup Service::setup_of(const Route& route, const HttpRequest& request) {
  GenerationSetup setup;
  setup.number = arrivals_++;
  setup.received = request.received;
  setup.arrived = request.arrived;
  setup.connection = request.connection;
  setup.session = request.header(session_header_);
  setup.quirks = faults_.draw(setup.number);
  setup.identity = {route.endpoint, answer_id(route.endpoint, mix64(seed_ ^ mix64(setup.number))),
                    served_.name, std::time(nullptr)};
  setup.request_id = request.request_id.empty() ? std::string_view(setup.identity.id) : request.request_id;
  setup.request.endpoint = route.endpoint;
  setup.keep_events = dispatcher_.keeps_truth();
  setup.date = setup.identity.created;
  return setup;
}

std::shared_ptr<Reply> Service::turn_away(GenerationSetup& setup, const HttpRequest& request) {
  Quirks& quirks = setup.quirks;
  if (quirks.stale && request.reused_connection) {
    auto reply = std::make_shared<Reply>(false);
    reply->ending = Ending::reset;
    return reply;
  }
  drop_drawn(quirks, "stale");
  if (!has_key(quirks, request)) return no_key_reply(request);
  drop_drawn(quirks, "require-key");
  if (quirks.rate_limit > 0) {
    const RateVerdict verdict = rate_limit_.take(quirks.rate_limit, request.arrived);
    setup.headers = rate_headers(verdict, quirks.retry_after_ms);
    if (!verdict.allowed) return rate_limited_reply(request, setup.headers);
    drop_drawn(quirks, "rate-limit");
  }
  return quirks.refusal.empty() ? nullptr : refusal_reply(quirks, request);
}

std::shared_ptr<Reply> Service::read_body(const Route& route, const HttpRequest& request,
                                          GenerationSetup& setup) {
  auto parsed = parse_api_request(route.endpoint, request.body, served_, route.any_model);
  if (const auto* wrong = std::get_if<ApiProblem>(&parsed)) return problem_reply(*wrong, request);
  setup.request = std::move(std::get<ApiRequest>(parsed));
  if (const auto field = refused_field(setup.quirks, setup.request); !field.empty()) {
    const auto message = fmt::format("Unsupported parameter: '{}' is not supported with this model.", field);
    return problem_reply({400, message, "invalid_request_error", field}, request);
  }
  drop_drawn(setup.quirks, "refuse");
  setup.identity.form = setup.request.form;
  setup.framing = request.http_1_0 ? Framing::until_close : Framing::chunked;
  setup.keep_alive = request.keep_alive && !(request.http_1_0 && setup.request.stream);
  return nullptr;
}

// Tokens until an answer ends: its limit, or under `eos` a drawn length, which min_tokens may raise.
std::vector<std::uint32_t> Service::output_lengths(const GenerationSetup& setup) const {
  const auto& request = setup.request;
  std::vector<std::uint32_t> lengths(request.prompts.size() * request.n, request.output_limit);
  const bool generates = served_endpoint(request.endpoint).traits().generates;
  if (setup.quirks.eos_mean == 0 || request.ignore_eos || !generates) return lengths;
  Random random(seed_, setup.number);
  for (auto& length : lengths) {
    const double own = std::ceil(random.exponential() * static_cast<double>(setup.quirks.eos_mean));
    const auto tokens =
        static_cast<std::uint32_t>(std::clamp(own, 1.0, static_cast<double>(served_.context_tokens)));
    length = std::min(length, std::max(tokens, request.min_tokens));
  }
  return lengths;
}

std::shared_ptr<Reply> Service::reject(int status, std::string_view message) const {
  HttpRequest request;
  request.keep_alive = false;
  return problem_reply({status, std::string(message), "BadRequestError", ""}, request);
}

}  // namespace infermeter::sim
