#include "report/words/outcome_words.hpp"

#include <fmt/format.h>

namespace infermeter {

std::string words_for(Outcome outcome, int status) {
  switch (outcome) {
    case Outcome::content_filter:
      return "stopped by a content filter";
    case Outcome::inband_error:
      return "error inside the stream";
    case Outcome::http_error:
      return fmt::format("HTTP {}", status);
    case Outcome::truncated:
      return "stream cut short";
    case Outcome::idle_timeout:
      return "silent for too long";
    case Outcome::first_token_timeout:
      return "no first token in time";
    case Outcome::empty_output:
      return "answer without a token";
    case Outcome::empty_body:
      return "empty body";
    case Outcome::not_streamed:
      return "answered whole";
    case Outcome::protocol:
      return "not the API's format";
    case Outcome::connect:
      return "cannot connect";
    case Outcome::connect_timeout:
      return "no connection in time";
    case Outcome::dns:
      return "host name not found";
    case Outcome::tls:
      return "TLS failed";
    case Outcome::stale_connection:
      return "kept connection died, twice";
    case Outcome::param_rejected:
      return fmt::format("field refused (HTTP {})", status);
    case Outcome::timeout:
      return "took too long";
    case Outcome::aborted:
      return "still open at the end";
    case Outcome::dropped:
      return "never sent (--max-in-flight)";
    case Outcome::client_limit:
      return "a limit of this machine";
    case Outcome::ok:
    case Outcome::cancelled:
    case Outcome::interrupted:
      break;
  }
  return std::string(name(outcome));
}

namespace {

std::string_view advice_for_status(int status) {
  if (status == 401 || status == 403)
    return "The server refuses the key: see that its variable (--api-key-env) holds the right one.";
  if (status == 404) return "No such path or model there: check the URL and --model.";
  if (status == 407) return "The proxy wants a user and a password: --proxy http://USER:PASSWORD@HOST:PORT.";
  if (status == 413) return "The prompt is too long for the server: lower --input-tokens.";
  if (status == 429) return "The server limits the rate: lower --concurrency or --rate.";
  if (status == 502 || status == 504) return "A proxy in front of the server gave up: look at its time-outs.";
  if (status == 503) return "The server is overloaded or still loading: lower the load, or --wait-ready 10m.";
  return {};
}

}  // namespace

std::string_view advice_for(Outcome outcome, int status, std::string_view example) {
  const bool unreached = outcome == Outcome::connect || outcome == Outcome::dns || outcome == Outcome::tls;
  if (unreached && example.find("the proxy ") != std::string_view::npos)
    return "The proxy is that of --proxy, or of https_proxy, http_proxy or all_proxy.";
  switch (outcome) {
    case Outcome::http_error:
      return advice_for_status(status);
    case Outcome::connect:
      return "Is the server running there? --wait-ready 10m waits until it answers.";
    case Outcome::dns:
      return "Check the host name, or give its address with --resolve.";
    case Outcome::tls:
      return "Check the certificate: --cacert names its authority, --insecure skips the check.";
    case Outcome::first_token_timeout:
      return "The queue may be too long for the load: lower it, or raise --timeout-first-token.";
    case Outcome::idle_timeout:
      return "If such pauses are expected, raise --timeout-gap and --timeout-idle.";
    case Outcome::timeout:
      return "Fewer --output-tokens end sooner; --timeout allows more time.";
    case Outcome::aborted:
      return "A longer --timeout-drain waits for them.";
    case Outcome::stale_connection:
      return "The server closes idle connections early: --fresh-connections opens one per request.";
    case Outcome::not_streamed:
      return "The server ignores \"stream\", or a proxy collects the answer: --no-stream times it whole.";
    case Outcome::client_limit:
      return "This machine's limit, not the server's: raise it, lower the load, or send from several "
             "machines "
             "(--shard).";
    case Outcome::param_rejected:
      return "Leave the field out, or let the preflight find out which fields are refused.";
    case Outcome::protocol:
      return "Is this the API's path? It should end in /v1 or name the endpoint.";
    default:
      return {};
  }
}

std::string_view words_for(Flag flag) {
  switch (flag) {
    case Flag::no_done:
      return "without [DONE]";
    case Flag::no_usage:
      return "without usage";
    case Flag::no_finish:
      return "without a finish reason";
    case Flag::duplicate_finish:
      return "with two finish reasons";
    case Flag::data_after_done:
      return "with data after [DONE]";
    case Flag::stale_retry:
      return "sent again on a fresh connection";
    case Flag::unterminated_tail:
      return "ended inside an event";
    case Flag::usage_excludes_reasoning:
      return "whose usage leaves reasoning out (added)";
    case Flag::compressed:
      return "compressed";
    case Flag::buffered_stream:
      return "came in one piece (buffered)";
    case Flag::limit_ignored:
      return "longer than the token limit";
    case Flag::end_marker:
      return "with an end-of-turn marker in the text";
    case Flag::only_reasoning:
      return "of reasoning only: it took all the tokens";
    case Flag::zero_usage:
      return "whose usage says 0 tokens";
    case Flag::cancel_planned:
      return "finished before they were to be cancelled";
    case Flag::odd_event:
      return "with an event that is no JSON";
    case Flag::uncarried_tokens:
      return "with counted tokens that no event carried";
    case Flag::odd_usage:
      return "whose usage cannot be true (events are counted)";
    case Flag::over_limit:
      return "cut: they went on far beyond their limit";
    case Flag::odd_times:
      return "whose server times cannot be true (left out)";
    case Flag::packed:
    case Flag::late:
    case Flag::late_transport_idle:
    case Flag::reused_connection:
    case Flag::unstamped:
      break;
  }
  return {};
}

}  // namespace infermeter
