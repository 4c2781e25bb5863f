#include "sim/http/whole_reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "sim/api/endpoint.hpp"
#include "sim/http/routes.hpp"
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

}  // namespace

std::shared_ptr<Reply> plain_reply(int status, std::string_view type, std::string_view body,
                                   const HttpRequest& request, std::string_view more) {
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

std::shared_ptr<Reply> problem_reply(const ApiProblem& problem, const HttpRequest& request,
                                     std::string_view more) {
  const Route route = route_of(request.target);
  const bool of_endpoint = route.to == Route::To::generate;
  return plain_reply(problem.status, "application/json",
                     of_endpoint ? served_endpoint(route.endpoint).problem(problem) : problem_json(problem),
                     request, more);
}

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

std::shared_ptr<Reply> rate_limited_reply(const HttpRequest& request, const std::string& headers) {
  return problem_reply({429, "Rate limit reached for requests.", "rate_limit_error", ""}, request, headers);
}

std::shared_ptr<Reply> no_key_reply(const HttpRequest& request) {
  return problem_reply({401, "No API key was sent.", "authentication_error", ""}, request,
                       "www-authenticate: Bearer\r\n");
}

bool has_key(const Quirks& quirks, const HttpRequest& request) {
  if (!quirks.requires_key) return true;
  if (!quirks.key_header.empty()) return !request.header(quirks.key_header).empty();
  constexpr std::string_view kHeaders[]{"authorization", "x-api-key", "api-key"};
  return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                     [&](std::string_view name) { return holds_key(name, request.header(name)); });
}

std::string refused_field(const Quirks& quirks, const ApiRequest& request) {
  for (const auto& field : quirks.refused_fields) {
    if (std::find(request.fields.begin(), request.fields.end(), field) != request.fields.end()) return field;
  }
  return {};
}

}  // namespace infermeter::sim
