#include "sim/http/plain_reply.hpp"

#include <ctime>

#include "sim/api/endpoint.hpp"
#include "sim/http/routes.hpp"
#include "sim/http/text.hpp"

namespace infermeter::sim {

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

}  // namespace infermeter::sim
