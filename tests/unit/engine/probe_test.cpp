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

TEST_CASE("probe: a refused key is looked for in the variable that the target's key is read from") {
  const auto advice = [](const Target& target, int status) {
    try {
      fail_by_status(target, "http://h", status, "no");
    } catch (const EnvironmentError& error) {
      return error.advice();
    }
  };
  CHECK(advice({.key_variable = "GROQ_API_KEY"}, 401)
            .starts_with("Its key is read from GROQ_API_KEY, --api-key-env NAME or --api-key-file FILE.\n"));
  CHECK(advice({.key_variable = "GROQ_API_KEY"}, 403).find("OPENAI") == std::string::npos);
  CHECK(advice({}, 401) == "Its key is read from --api-key-file FILE or --api-key-env NAME.");
  CHECK(advice({.key_variable = "GROQ_API_KEY"}, 500).empty());
}
