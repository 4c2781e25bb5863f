// Whole answers that ask nothing of the engine. Pure; any thread.
#pragma once

#include <memory>
#include <string_view>

#include "sim/api/api_request.hpp"
#include "sim/http/reply.hpp"
#include "sim/http/request.hpp"

namespace infermeter::sim {

/// `more`: whole header lines, each with its CRLF.
std::shared_ptr<Reply> plain_reply(int status, std::string_view type, std::string_view body,
                                   const HttpRequest& request, std::string_view more = {});
std::shared_ptr<Reply> json_reply(std::string_view body, const HttpRequest& request);
/// In the shape that the request's endpoint has for errors.
std::shared_ptr<Reply> problem_reply(const ApiProblem& problem, const HttpRequest& request,
                                     std::string_view more = {});

}  // namespace infermeter::sim
