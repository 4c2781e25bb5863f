#include "engine/prepare/unmeasurable.hpp"

#include <fmt/format.h>

#include "engine/prepare/secrets.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

std::string advice_for(const std::string& url) {
  return fmt::format(
      "Is the server running? `curl {}` shows more.\n"
      "No server at hand? `infermeter run --sim` measures the built-in simulator.",
      url);
}

// Where the connection goes: to the proxy or socket, if there is one.
std::string place(const PreparedTarget& prepared) {
  if (!prepared.target.unix_socket.empty()) return prepared.target.unix_socket;
  if (!prepared.facts.proxy.empty()) return fmt::format("the proxy {}", prepared.facts.proxy);
  return fmt::format("{}:{}", prepared.url.host, prepared.url.port);
}

}  // namespace

void refuse_interrupted(const std::atomic<bool>& interrupt) {
  if (interrupt) throw Error(ExitCode::interrupted, "interrupted before the first request");
}

void fail_to_reach(const PreparedTarget& prepared, const HttpAnswer& answer) {
  if (answer.outcome == Outcome::interrupted)
    throw Error(ExitCode::interrupted, "interrupted before the first request");
  const std::string where = place(prepared);
  switch (answer.outcome) {
    case Outcome::tls:
      throw EnvironmentError(fmt::format("cannot set up TLS with {}: {}", where, answer.message),
                             "--cacert FILE trusts another authority, --insecure trusts anybody.");
    case Outcome::dns:
      throw EnvironmentError(fmt::format("cannot resolve {}: {}", prepared.url.host, answer.message));
    case Outcome::connect:
    case Outcome::connect_timeout:
      throw EnvironmentError(fmt::format("cannot connect to {}: {}", where, answer.message),
                             advice_for(mask_url(prepared.url.models_url())));
    default:
      throw EnvironmentError(
          fmt::format("no answer from {}: {}", where, answer.message),
          prepared.target.http2 ? "Does it speak HTTP/2? Without --http2 it is asked in HTTP/1.1." : "");
  }
}

std::string excerpt(const PreparedTarget& prepared, const HttpAnswer& answer) {
  return without_secrets(read_error_body(answer.status, answer.body).message, prepared.secrets);
}

void fail_by_status(const std::string& url, int status, const std::string& said) {
  std::string advice;
  if (status == 401 || status == 403)
    advice =
        "Its key is read from OPENAI_API_KEY, --api-key-env NAME or --api-key-file FILE.\n"
        "Where targets are on several hosts, OPENAI_API_KEY goes only to those that name it: api_key_env.";
  if (status == 404)
    advice =
        "Is the path right? A base URL such as http://host:8000 or the whole path to chat/completions will "
        "do.";
  throw EnvironmentError(fmt::format("{} answers {}: {}", url, status, said), advice);
}

void fail_trial(const PreparedTarget& prepared, const Trial& trial) {
  const RequestRecord& record = trial.record;
  const std::string url = prepared.url.shown();
  if (record.outcome == Outcome::interrupted)
    throw Error(ExitCode::interrupted, "interrupted before the first request");
  if (record.status >= 300 && record.status < 400) {
    throw EnvironmentError(fmt::format("{} redirects to {}: give that URL instead", url,
                                       trial.location.empty() ? "nowhere" : mask_url(trial.location)));
  }
  const std::string said = without_secrets(record.error, prepared.secrets);
  if (record.status >= 400) fail_by_status(url, record.status, said);
  if (record.status == 0) {
    fail_to_reach(prepared, HttpAnswer{.outcome = record.outcome, .message = record.error});
  }
  throw EnvironmentError(fmt::format("{} does not answer like a model server: {}", url, said));
}

bool cannot_measure(const RequestRecord& record) {
  switch (record.outcome) {
    case Outcome::http_error:
      return !is_rate_limit(record.status);
    case Outcome::param_rejected:
    case Outcome::protocol:
    case Outcome::connect:
    case Outcome::connect_timeout:
    case Outcome::dns:
    case Outcome::tls:
    case Outcome::empty_body:
    case Outcome::interrupted:
      return true;
    default:
      return record.status != 200;
  }
}

}  // namespace infermeter
