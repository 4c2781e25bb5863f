#include "engine/prepare/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/nesting.hpp"
#include "base/text.hpp"
#include "engine/load/traffic.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/http/proxy.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLongestBody = std::size_t{4} << 20;

class Collector final : public ResponseSink {
 public:
  HttpAnswer answer;
  std::size_t most = kLongestBody;
  bool ended = false, too_long = false;

  void on_sent(Instant at, const ConnectionTimes& times) override {
    answer.sent = at;
    answer.connection = times;
  }
  void on_uploaded(Instant) override {}
  void on_status(int status, Instant) override {
    answer.status = status;
    answer.headers.clear();
  }
  void on_header(std::string_view name, std::string_view value) override {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.headers.emplace_back(std::move(lower), value);
  }
  void on_body(std::string_view bytes, const ReadStamp&) override {
    answer.body.append(bytes.substr(0, most - std::min(most, answer.body.size())));
    too_long = too_long || answer.body.size() == most;
  }
  void on_end(Outcome outcome, std::string_view message, Instant at) override {
    answer.outcome = outcome;
    answer.message = message;
    answer.ended = at;
    ended = true;
  }
};

constexpr std::uint32_t kTrialTokens = 8;
constexpr nanoseconds kQuiet = 2s;  // time before the waiting is announced
constexpr std::size_t kKeptBody = 64 * 1024;

class TrialSink final : public ResponseSink {
 public:
  TrialSink(ChunkParser& parser, const StreamOptions& options, Trial& trial)
      : trial_(trial), secrets_(options.secrets), reader_(parser, options, now(), trial.record) {}

  void on_sent(Instant, const ConnectionTimes&) override {}
  void on_uploaded(Instant) override {}
  void on_status(int status, Instant arrival) override {
    trial_.copy.on_status(status);
    reader_.on_status(status, arrival);
  }
  void on_header(std::string_view name, std::string_view value) override {
    constexpr std::string_view wanted = "location";
    const auto lower_equal = [](char a, char b) { return (a | 0x20) == b; };
    if (name.size() == wanted.size() && std::ranges::equal(name, wanted, lower_equal))
      trial_.location = value;
    trial_.copy.on_header(name, value);
    reader_.on_header(name, value);
  }
  void on_body(std::string_view bytes, const ReadStamp& stamp) override {
    trial_.copy.on_body(bytes);
    if (trial_.record.status >= 400)
      body_.append(bytes.substr(0, kKeptBody - std::min(kKeptBody, body_.size())));
    reader_.on_body(bytes, stamp);
    last_byte_ = stamp.arrival;
  }
  void on_end(Outcome outcome, std::string_view message, Instant at) override {
    reader_.on_end(outcome, message, at);
    if (trial_.record.status >= 400) trial_.error = read_error_body(trial_.record.status, body_, secrets_);
    ended_ = true;
  }
  bool ended() const { return ended_; }
  const StreamReader& reader() const { return reader_; }
  std::optional<Instant> last_byte() const { return last_byte_; }

 private:
  Trial& trial_;
  Secrets secrets_;
  StreamReader reader_;
  std::optional<Instant> last_byte_;
  std::string body_;
  bool ended_ = false;
};

/// The earliest end of a probe, as far as is known.
struct ProbeEnd {
  Instant at;
  std::string_view option;  // whose limit it is; empty: by choice
  std::string_view missing;
  nanoseconds limit{};
};

// Time for usage after the first token. A server that ignores max_tokens may send for minutes.
constexpr nanoseconds kUsageAfterFirst = 500ms;
// Some servers hold the connection open after the last event: a short grace period only.
constexpr nanoseconds kGrace = 100ms;

ProbeEnd probe_end(const TrialSink& sink, const ProbeLimits& limits, Instant start) {
  const Timeouts& timeouts = limits.timeouts;
  ProbeEnd end{limits.until, "--prepare-timeout", "no whole answer", limits.until - start};
  const auto limit = [&end](Instant from, nanoseconds time, std::string_view option,
                            std::string_view missing) {
    if (from + time < end.at) end = {from + time, option, missing, time};
  };
  const auto hang_up = [&end](Instant at) {
    if (at < end.at) end = {.at = at};
  };
  limit(start, timeouts.whole, "--timeout", "no whole answer");
  const StreamReader& reader = sink.reader();
  if (const auto byte = sink.last_byte()) limit(*byte, timeouts.idle, "--timeout-idle", "no further byte");
  if (const auto first = reader.first_token()) {
    limit(*reader.last_token(), timeouts.gap, "--timeout-gap", "no further token");
    hang_up(limits.usage ? *first + kUsageAfterFirst : *first);
  } else {
    limit(start, timeouts.first_token, "--timeout-first-token", "no first token");
  }
  if (limits.usage && (limits.finish ? reader.has_final_usage() : reader.has_usage())) hang_up(start);
  if (reader.broken_off()) hang_up(start);
  if (const auto terminal = reader.terminal_at()) hang_up(*terminal + kGrace);
  return end;
}

std::string advice_for(const std::string& url) {
  return fmt::format(
      "Is the server running? `curl {}` shows more.\n"
      "No server at hand? `infermeter run --sim` measures the built-in simulator.",
      url);
}

std::string colon(const std::string& text) { return text.empty() ? text : ": " + text; }

constexpr std::string_view kProxyAdvice =
    "The proxy is that of --proxy, or of https_proxy, http_proxy or all_proxy; no_proxy lists the hosts that "
    "are reached without.";

bool holds_word(std::string_view text, std::string_view word) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(text, word, same).empty();
}

std::string other_scheme(const PreparedTarget& prepared, std::string_view scheme) {
  return fmt::format("{}://{}:{}", scheme, prepared.url.host, prepared.url.port);
}

// OpenSSL's words where an answer is not TLS: the bytes of "HTTP/1.1 400".
std::string tls_advice(const PreparedTarget& prepared, std::string_view said) {
  const bool plain = holds_word(said, "wrong version number") || holds_word(said, "packet length too long") ||
                     holds_word(said, "unexpected message") || holds_word(said, "record layer failure");
  if (plain) return fmt::format("Does this port speak plain HTTP? {}", other_scheme(prepared, "http"));
  return "--cacert FILE trusts another authority, --insecure trusts anybody.";
}

// A server with TLS answers plain HTTP with an alert, which libcurl takes for HTTP/0.9, or not at all.
std::string no_answer_advice(const PreparedTarget& prepared, std::string_view said) {
  if (prepared.url.scheme == "http" && holds_word(said, "HTTP/0.9"))
    return fmt::format("Does this port speak TLS? {}", other_scheme(prepared, "https"));
  return prepared.target.http2 ? "Does it speak HTTP/2? Without --http2 it is asked in HTTP/1.1." : "";
}

// Where the connection goes: to the proxy or socket, if there is one.
std::string place(const PreparedTarget& prepared) {
  if (!prepared.target.unix_socket.empty()) return prepared.target.unix_socket;
  if (!prepared.facts.proxy.empty()) return fmt::format("the proxy {}", prepared.facts.proxy);
  return fmt::format("{}:{}", prepared.url.host, prepared.url.port);
}

}  // namespace

std::string HttpAnswer::header(std::string_view name) const {
  const auto found =
      std::ranges::find(headers, name, [](const auto& h) -> const std::string& { return h.first; });
  return found == headers.end() ? std::string() : found->second;
}

HttpAnswer fetch(Transport& transport, HttpRequest request, const TimeLimit& limit,
                 std::optional<std::size_t> most) {
  Collector collector;
  collector.most = most ? *most + 1 : kLongestBody;
  const Instant start = now();
  collector.answer.started = start;
  const TransferId id = transport.start(std::move(request), collector, start);
  Instant at = start;
  const auto refused = [&] { return most && collector.too_long; };
  while (!collector.ended && !refused() && !limit.over(at))
    at = transport.poll(std::min(limit.end(), at + std::chrono::milliseconds(100)));
  if (refused()) {
    if (!collector.ended) transport.cancel(id);
    collector.on_end(Outcome::truncated, fmt::format("longer than {} bytes", format_count(*most)), at);
  }
  if (!collector.ended) {
    const std::string waited_for = transport.cancel(id);
    const bool stopped = limit.stopped();
    collector.on_end(
        stopped ? Outcome::interrupted : Outcome::timeout,
        stopped ? limit.text() : fmt::format("no whole answer within {}{}", limit.text(), colon(waited_for)),
        at);
  }
  return collector.answer;
}

Trial ask_once(Transport& transport, HttpRequest request, const StreamOptions& options,
               const ProbeLimits& limits, const TimeLimit& command,
               const std::function<void(Instant, const Trial&)>& waiting) {
  constexpr nanoseconds kStep = 100ms;  // interval at which the user's wish to stop is checked
  const auto parser = make_chunk_parser();
  Trial trial{.asked_tokens = options.max_tokens};
  trial.copy.most += options.secrets.reach();
  TrialSink sink(*parser, options, trial);
  const Instant start = now();
  const TransferId id = transport.start(std::move(request), sink, start);
  Instant at = start;
  ProbeEnd end = probe_end(sink, limits, start);
  while (!sink.ended() && !command.over(at) && at < end.at) {
    at = transport.poll(std::min({end.at, command.end(), at + kStep}));
    if (waiting) waiting(at, trial);
    end = probe_end(sink, limits, start);
  }
  if (sink.ended()) return trial;
  const std::string waited_for = transport.cancel(id);
  const bool over = command.over(at);
  trial.hung_up = !over && end.option.empty();
  trial.too_late = !over && !trial.hung_up;
  // Silence after the finish is a whole answer.
  sink.on_end(over            ? Outcome::interrupted
              : trial.hung_up ? Outcome::idle_timeout
                              : Outcome::timeout,
              over ? command.text()
                   : fmt::format("{} within {} ({}){}", end.missing, format_duration(end.limit), end.option,
                                 colon(waited_for)),
              at);
  return trial;
}

Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& asked,
                 const TrafficClass& traffic, const ProbeLimits& limits, const TimeLimit& command,
                 const Say& say) {
  RequestShape shape = asked;
  shape.output_tokens = std::max(std::min(shape.output_tokens, kTrialTokens), shape.least_output_tokens);
  const Instant quiet_until = now() + kQuiet;
  bool said = false;
  const auto waiting = [&](Instant at, const Trial& so_far) {
    if (said || at <= quiet_until || so_far.record.events > 0) return;
    say(fmt::format("preflight: waiting for the first answer of {}", prepared.shown_url()));
    said = true;
  };
  const BodyTemplate body(shape);
  return ask_once(transport,
                  {.url = prepared.url.request_url(),
                   .body = body.body(probe_prompt(traffic.prompts.nonce)),
                   .request_id = {},
                   .headers = class_headers(traffic)},
                  {.endpoint = shape.endpoint,
                   .stream = shape.stream,
                   .max_tokens = shape.output_tokens,
                   .most_tokens = body.most_tokens(),
                   .secrets = prepared.secrets},
                  limits, command, waiting);
}

void refuse_over(const TimeLimit& command) {
  if (command.stopped()) throw Error(ExitCode::interrupted, "interrupted before the first request");
  if (command.over(now()))
    throw Error(ExitCode::interrupted,
                fmt::format("not ready for the first request within {}", command.text()));
}

void fail_to_reach(const PreparedTarget& prepared, const HttpAnswer& answer) {
  if (answer.outcome == Outcome::interrupted)
    throw Error(ExitCode::interrupted, "interrupted before the first request");
  const std::string said = prepared.secrets.mask(answer.message);
  switch (answer.outcome) {
    case Outcome::tls:
      throw EnvironmentError(said, tls_advice(prepared, said));
    case Outcome::dns:
      throw EnvironmentError(said, prepared.facts.proxy.empty() ? "" : std::string(kProxyAdvice));
    case Outcome::client_limit:
      throw EnvironmentError(fmt::format("a limit of this machine, not of the server: {}", said),
                             fmt::format("{} was not asked.", place(prepared)));
    case Outcome::connect:
    case Outcome::connect_timeout:
      throw EnvironmentError(said, prepared.facts.proxy.empty() ? advice_for(prepared.shown_models_url())
                                                                : std::string(kProxyAdvice));
    default:
      throw EnvironmentError(fmt::format("no answer from {}: {}", place(prepared), said),
                             no_answer_advice(prepared, said));
  }
}

std::string excerpt(const PreparedTarget& prepared, const HttpAnswer& answer) {
  if (is_too_deep(answer.body)) return fmt::format("an answer {}", too_deep_words(json_levels(answer.body)));
  const std::string said = read_error_body(answer.status, answer.body, prepared.secrets).message;
  return said.empty() ? "an empty body" : said;
}

namespace {

std::string key_advice(const PreparedTarget& prepared) {
  const std::string& variable = prepared.target.key_variable;
  if (variable.empty()) return "Its key is read from --api-key-file FILE or --api-key-env NAME.";
  std::string advice =
      fmt::format("Its key is read from {}, --api-key-env NAME or --api-key-file FILE.", variable);
  if (prepared.of_several)
    advice += fmt::format(
        "\nWhere targets are on several hosts, {} goes only to those that name it: api_key_env.", variable);
  return advice;
}

std::string status_advice(const PreparedTarget& prepared, int status, std::string_view said) {
  if (status == 401 || status == 403) return key_advice(prepared);
  if (status == 400 && prepared.url.scheme == "http" && holds_word(said, "HTTPS"))
    return fmt::format("This port speaks TLS: {}", other_scheme(prepared, "https"));
  if (status != 404) return {};
  if (holds_word(said, "model"))
    return fmt::format("Is the model right? {} lists what there is.", prepared.shown_models_url());
  return "Is the path right? A base URL such as http://host:8000 or the whole path to chat/completions will "
         "do.";
}

}  // namespace

void fail_by_status(const PreparedTarget& prepared, const std::string& url, int status,
                    const std::string& said) {
  const std::string proxy = mask_url(proxy_in_use(prepared.target));
  if (status == 407 && !proxy.empty())
    throw EnvironmentError(
        fmt::format("the proxy {} answers 407: it wants a user and a password: {}", proxy, said),
        "Give them in its URL: --proxy http://USER:PASSWORD@HOST:PORT.");
  const std::string through = proxy.empty() ? "" : fmt::format(", through the proxy {}", proxy);
  throw EnvironmentError(fmt::format("{} answers {}{}: {}", url, status, through, said),
                         status_advice(prepared, status, said));
}

void fail_limit(const PreparedTarget& prepared, const RequestShape& shape, const Trial& trial) {
  const RefusedLimit& limit = *trial.error.refused_limit;
  const auto bound = limit.too_small ? limit.least : limit.most;
  const std::string other = bound ? fmt::format(" {}", *bound) : " another number";
  throw EnvironmentError(
      fmt::format("{} refuses {} {}: {}", prepared.shown_url(), shape.max_tokens_field, trial.asked_tokens,
                  trial.record.error),
      fmt::format("--output-tokens{} asks for {} tokens.", other, limit.too_small ? "enough" : "fewer"));
}

void fail_redirect(const PreparedTarget& prepared, const std::string& url, const std::string& location) {
  constexpr std::size_t kLongest = 300;  // the server's, so of any length and with anything in it
  const std::string shown = one_line(prepared.secrets.mask(mask_url(location)), kLongest);
  throw EnvironmentError(
      fmt::format("{} redirects to {}: give that URL instead", url, shown.empty() ? "nowhere" : shown));
}

void fail_trial(const PreparedTarget& prepared, const Trial& trial) {
  const RequestRecord& record = trial.record;
  const std::string url = prepared.shown_url();
  if (record.outcome == Outcome::interrupted)
    throw Error(ExitCode::interrupted, "interrupted before the first request");
  if (record.status >= 300 && record.status < 400) fail_redirect(prepared, url, trial.location);
  if (record.status >= 400) fail_by_status(prepared, url, record.status, record.error);
  if (record.status == 0) {
    fail_to_reach(prepared, HttpAnswer{.outcome = record.outcome, .message = record.error});
  }
  throw EnvironmentError(fmt::format("{} does not answer like a model server: {}", url, record.error));
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
    case Outcome::client_limit:
    case Outcome::empty_body:
    case Outcome::interrupted:
      return true;
    default:
      return record.status / 100 != 2;
  }
}

}  // namespace infermeter
