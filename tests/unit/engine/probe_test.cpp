// When a probe before the run is hung up, in virtual time.
#include "engine/prepare/probe.hpp"

#include "catch.hpp"
#include "fake_transport.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

const std::string kOneToken = R"(data: {"choices":[{"index":0,"delta":{"content":"hi"}}]})"
                              "\n\n";
const std::string kEndUsage = R"(data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}})"
                              "\n\n";

const std::string kRunningUsage = R"(data: {"choices":[{"index":0,"delta":{"content":"hi"}}],)"
                                  R"("usage":{"prompt_tokens":7,"completion_tokens":2}})"
                                  "\n\n";
const std::string kStopped = R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
                             "\n\n";

/// A stream that sends `text` every `step` for 20 minutes.
std::vector<FakeStep> endless(const std::string& text, nanoseconds step) {
  std::vector<FakeStep> script;
  for (int i = 1; i * step < std::chrono::minutes(20); ++i) script.push_back({i * step, text});
  return script;
}

struct Asked {
  Trial trial;
  nanoseconds took{};
};

Asked ask(std::vector<FakeStep> script, ProbeLimits limits) {
  const Instant start = now();
  FakeTransport transport(start);
  transport.script = std::move(script);
  limits.until = start + limits.timeouts.prepare;
  const std::atomic<bool> interrupt{false};
  Instant last = start;
  Asked asked;
  asked.trial = ask_once(transport, {.url = "http://server"}, {.max_tokens = 8}, limits, interrupt,
                         [&](Instant at, const Trial&) { last = at; });
  asked.took = last - start;
  return asked;
}

bool names(const Asked& asked, const std::string& option) {
  return asked.trial.record.error.find(option) != std::string::npos;
}

}  // namespace

TEST_CASE("probe: a server that only sends keep-alives ends with the time of the preparation") {
  const Asked asked = ask(endless(": still here\n\n", 100ms), {});
  CHECK(asked.trial.too_late);
  CHECK(names(asked, "--prepare-timeout"));
  CHECK(asked.took <= 5100ms);
}

TEST_CASE("probe: it is hung up at its first token if its usage is not needed") {
  const Asked asked = ask(endless(kOneToken, 100ms), {.usage = false});
  CHECK(asked.trial.hung_up);
  CHECK(asked.trial.record.events == 1);
  CHECK(asked.took <= 200ms);
}

TEST_CASE("probe: without usage it is hung up half a second after its first token") {
  const Asked asked = ask(endless(kOneToken, 100ms), {});
  CHECK(asked.trial.hung_up);
  CHECK(asked.took >= 600ms);
  CHECK(asked.took <= 700ms);
}

TEST_CASE("probe: it is hung up at its usage, or with `finish` at the usage that ends the answer") {
  std::vector<FakeStep> script = endless(kOneToken, 40ms);
  script[1].bytes = kRunningUsage;
  const Asked first = ask(script, {});
  CHECK(first.trial.hung_up);
  CHECK(first.trial.record.prompt_tokens == 7);
  CHECK(first.took <= 100ms);
  CHECK(ask(script, {.finish = true}).took >= 500ms);
}

TEST_CASE("probe: the user's own limits hold for it") {
  const Asked silent = ask({{10ms, kOneToken}, {20min, kOneToken}}, {.timeouts = {.gap = 200ms}});
  CHECK(silent.trial.too_late);
  CHECK(names(silent, "--timeout-gap"));
  CHECK(silent.took <= 300ms);

  const Asked none = ask(endless(": still here\n\n", 50ms), {.timeouts = {.first_token = 300ms}});
  CHECK(none.trial.too_late);
  CHECK(names(none, "--timeout-first-token"));
  CHECK(none.took <= 400ms);

  const Asked idle = ask({{10ms, ": first\n\n"}, {20min, kOneToken}}, {.timeouts = {.idle = 100ms}});
  CHECK(names(idle, "--timeout-idle"));
  CHECK(idle.took <= 300ms);
}

TEST_CASE("probe: an answer whose usage has come is a whole one") {
  const Asked asked =
      ask({{10ms, kOneToken}, {20ms, kOneToken}, {30ms, kStopped}, {40ms, kEndUsage}, {20min, ""}},
          {.finish = true});
  CHECK_FALSE(asked.trial.too_late);
  CHECK(asked.took <= 140ms);
  CHECK(asked.trial.record.outcome == Outcome::ok);
  CHECK(asked.trial.record.output_tokens == 2);
}

namespace {

std::string advice(const PreparedTarget& prepared, int status, const std::string& said = "no") {
  try {
    fail_by_status(prepared, "http://h", status, said);
  } catch (const EnvironmentError& error) {
    return error.advice();
  }
}

PreparedTarget with_key(const std::string& variable) {
  PreparedTarget prepared;
  prepared.target.key_variable = variable;
  prepared.url = resolve_target_url("http://h:8000");
  return prepared;
}

std::string unreachable_advice(const std::string& url, Outcome outcome, const std::string& said) {
  PreparedTarget prepared;
  prepared.url = resolve_target_url(url);
  try {
    fail_to_reach(prepared, HttpAnswer{.outcome = outcome, .message = said});
  } catch (const EnvironmentError& error) {
    return error.advice();
  }
}

}  // namespace

TEST_CASE("probe: a refused key is looked for in the variable that the target's key is read from") {
  PreparedTarget groq = with_key("GROQ_API_KEY");
  CHECK(advice(groq, 401) == "Its key is read from GROQ_API_KEY, --api-key-env NAME or --api-key-file FILE.");
  CHECK(advice(groq, 403).find("OPENAI") == std::string::npos);
  CHECK(advice(with_key(""), 401) == "Its key is read from --api-key-file FILE or --api-key-env NAME.");
  CHECK(advice(groq, 500).empty());
  groq.of_several = true;
  CHECK(advice(groq, 401).find("\nWhere targets are on several hosts, GROQ_API_KEY goes only") !=
        std::string::npos);
}

TEST_CASE("probe: a model that the server does not have is no wrong path") {
  CHECK(advice(with_key(""), 404, "The model `nope` does not exist") ==
        "Is the model right? http://h:8000/v1/models lists what there is.");
  CHECK(advice(with_key(""), 404, "Not Found").starts_with("Is the path right? "));
}

TEST_CASE("probe: https to a port without TLS, and http to one with it, are answered with the other scheme") {
  CHECK(unreachable_advice("https://h:8000", Outcome::tls, "cannot set up TLS: wrong version number") ==
        "Does this port speak plain HTTP? http://h:8000");
  CHECK(unreachable_advice("https://h:8000", Outcome::tls, "self-signed certificate")
            .starts_with("--cacert FILE"));
  CHECK(unreachable_advice("http://h:443", Outcome::protocol, "Received HTTP/0.9 when not allowed") ==
        "Does this port speak TLS? https://h:443");
  CHECK(advice(with_key(""), 400, "Client sent an HTTP request to an HTTPS server.") ==
        "This port speaks TLS: https://h:8000");
}

TEST_CASE("probe: the target of a redirect is in the message") {
  try {
    fail_redirect(with_key(""), "http://h:8000/v1/models", "https://h/v1/models");
  } catch (const EnvironmentError& error) {
    CHECK(std::string(error.what()) ==
          "http://h:8000/v1/models redirects to https://h/v1/models: give that URL instead");
  }
}
