// What is answered without the engine to requests that a fault refuses. Pure; any thread.
#pragma once

#include <memory>
#include <string>

#include "sim/http/faults.hpp"
#include "sim/http/plain_reply.hpp"

namespace infermeter::sim {

/// The whole answer that `quirks.refusal` names.
std::shared_ptr<Reply> refusal_reply(const Quirks& quirks, const HttpRequest& request);
/// 429 with `headers`.
std::shared_ptr<Reply> rate_limited_reply(const HttpRequest& request, const std::string& headers);
/// 401.
std::shared_ptr<Reply> no_key_reply(const HttpRequest& request);
/// Whether the request has the key that `quirks` wants; true where they want none.
bool has_key(const Quirks& quirks, const HttpRequest& request);
/// The first of `quirks.refused_fields` that the body has; empty: none.
std::string refused_field(const Quirks& quirks, const ApiRequest& request);

}  // namespace infermeter::sim
