// Non-streamed replies that need no engine. Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/api/api_request.hpp"
#include "sim/http/faults.hpp"
#include "sim/http/outbox.hpp"
#include "sim/http/request_reader.hpp"

namespace infermeter::sim {

/// `more`: whole header lines, each with its CRLF.
std::shared_ptr<Reply> plain_reply(int status, std::string_view type, std::string_view body,
                                   const HttpRequest& request, std::string_view more = {});
std::shared_ptr<Reply> json_reply(std::string_view body, const HttpRequest& request);
/// In the error format of the request's endpoint.
std::shared_ptr<Reply> problem_reply(const ApiProblem& problem, const HttpRequest& request,
                                     std::string_view more = {});

/// The refusal that `quirks.refusal` names.
std::shared_ptr<Reply> refusal_reply(const Quirks& quirks, const HttpRequest& request);
/// Status 429 with `headers`.
std::shared_ptr<Reply> rate_limited_reply(const HttpRequest& request, const std::string& headers);
/// Status 401.
std::shared_ptr<Reply> no_key_reply(const HttpRequest& request);
/// Whether the request has the key that `quirks` requires; true if none is required.
bool has_key(const Quirks& quirks, const HttpRequest& request);
/// The first of `quirks.refused_fields` that is in the body; empty: none.
std::string refused_field(const Quirks& quirks, const ApiRequest& request);

}  // namespace infermeter::sim
