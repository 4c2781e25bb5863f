#include "engine/prepare/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/load/traffic.hpp"
#include "engine/prepare/probe.hpp"
#include "engine/prepare/probe_log.hpp"
#include "protocol/http/tokenize_answer.hpp"
#include "workload/request_source.hpp"

namespace infermeter {
namespace {

constexpr nanoseconds kQuietCalibration = 2s;  // time before the calibration is announced

/// Sends the probes of one class to one server.
class Asker {
 public:
  Asker(const Plan& plan, const PreparedTarget& prepared, std::uint32_t traffic_class,
        const TimeLimit& command, const Say& say)
      : prepared_(prepared),
        shape_(probe_shape(prepared.classes[traffic_class].shape)),
        body_(shape_),
        transport_({.target = prepared.target,
                    .headers = prepared.headers,
                    .connect_timeout = plan.timeouts.connect}),
        limits_{.timeouts = plan.timeouts, .until = prepared.ask_until},
        command_(command),
        say_(say) {
    headers_ = class_headers(plan.classes[traffic_class]);
  }

  std::optional<std::uint32_t> usage(const std::string& text) {
    if (!has_time() || no_usage_) return std::nullopt;
    Trial probe = ask(text);
    if (raise_limit(probe.error)) probe = ask(text);
    const RequestRecord& record = probe.record;
    if (may_be(record.prompt_tokens.value_or(0), text))
      return static_cast<std::uint32_t>(*record.prompt_tokens);
    no_usage_ = true;
    trouble_ = why_no_usage(probe);
    return std::nullopt;
  }

  std::optional<std::uint32_t> templated(const std::string& text) {
    const auto count = tokenize(tokenize_request_body(body_.body(text))).count;
    return may_be(count.value_or(0), text) ? count
                                           : std::nullopt;  // 0: a server that does not know the fields
  }

  std::vector<std::uint32_t> tokens(const std::string& text) {
    return tokenize(tokenize_text_body(shape_.model, text)).tokens;
  }

  /// The error of the last failed probe, or empty.
  const std::string& trouble() const { return trouble_; }

 private:
  // A token has a byte at least; a template adds some thousands.
  static bool may_be(std::int64_t tokens, const std::string& text) {
    constexpr std::size_t of_template = 1'000'000;
    return tokens > 0 && static_cast<std::uint64_t>(tokens) <= text.size() + of_template;
  }

  Trial ask(const std::string& text) {
    Trial trial = ask_once(
        transport_,
        {.url = prepared_.url.request_url(), .body = body_.body(text), .request_id = {}, .headers = headers_},
        {.endpoint = shape_.endpoint,
         .stream = shape_.stream,
         .max_tokens = shape_.output_tokens,
         .most_tokens = body_.most_tokens(),
         .secrets = prepared_.secrets},
        limits_, command_);
    log_trial(prepared_, "calibration", trial);
    return trial;
  }

  // A probe asks for as few tokens as possible; some servers take more only.
  bool raise_limit(const ErrorBody& error) {
    constexpr std::uint32_t guess = 16;
    if (!error.refused_limit || !error.refused_limit->too_small) return false;
    const std::uint32_t least = error.refused_limit->least.value_or(guess);
    if (least <= shape_.output_tokens) return false;
    shape_.output_tokens = least;
    body_ = BodyTemplate(shape_);
    return true;
  }

  static RequestShape probe_shape(RequestShape shape) {
    shape.output_tokens = shape.least_output_tokens;
    return shape;
  }

  std::string why_no_usage(const Trial& probe) const {
    const RequestRecord& record = probe.record;
    if (probe.too_late) return "a probe had " + record.error;
    if (probe.hung_up) return "a probe had no usage soon after its first token";
    if (record.outcome == Outcome::ok) return "";
    return record.status >= 400 ? fmt::format("a probe was refused with {}: {}", record.status, record.error)
                                : fmt::format("a probe ended as {}: {}", name(record.outcome), record.error);
  }

  // Not once the command's time is over.
  bool has_time() {
    const Instant at = now();
    if (!said_ && at > start_ + kQuietCalibration) {
      say_(fmt::format("learning the lengths of prompts from {}", prepared_.shown_url()));
      said_ = true;
    }
    return !command_.over(at) && at < limits_.until;
  }

  TokenizeAnswer tokenize(std::string body) {
    if (body.empty() || silent_ || !has_time()) return {};
    const Instant start = now();
    const Timeouts& timeouts = limits_.timeouts;
    const HttpAnswer answer =
        fetch(transport_,
              {.url = prepared_.url.root_url("/tokenize"),
               .body = std::move(body),
               .request_id = {},
               .headers = headers_},
              command_.within(start, limits_.until - start, "--prepare-timeout")
                  .within(start, std::min(timeouts.whole, timeouts.first_token), "--timeout"));
    log_answer(prepared_, "calibration",
               prepared_.secrets.mask_written(mask_url(prepared_.url.root_url("/tokenize"))), answer);
    silent_ = answer.outcome == Outcome::timeout;
    if (answer.outcome != Outcome::ok || answer.status != 200) return {};
    return parse_tokenize_answer(answer.body);
  }

  const PreparedTarget& prepared_;
  RequestShape shape_;
  BodyTemplate body_;
  CurlTransport transport_;
  std::vector<std::string> headers_;
  ProbeLimits limits_;
  const TimeLimit& command_;
  const Say& say_;
  Instant start_ = now();
  bool said_ = false;
  bool no_usage_ = false;  // one without says that the others have none
  bool silent_ = false;    // /tokenize did not answer in time, and will not the next time
  std::string trouble_;
};

}  // namespace

std::shared_ptr<const Calibration> calibrate(const Plan& plan, const PreparedTarget& prepared,
                                             std::uint32_t traffic_class, const TimeLimit& command,
                                             const Say& say) {
  Asker asker(plan, prepared, traffic_class, command, say);
  Prompts prompts = plan.classes[traffic_class].prompts;
  prompts.file.clear();  // for a trace too, the costs of synthetic words are learnt
  prompts.batch = 1;     // the length is that of one text
  Calibration learnt = learn_calibration(
      {.usage = [&](const std::string& text) { return asker.usage(text); },
       .templated = [&](const std::string& text) { return asker.templated(text); },
       .tokens = [&](const std::string& text) { return asker.tokens(text); }},
      {.prompts = prompts, .input_tokens = prompts.input_tokens, .seed = plan.sweep.points.front().seed});
  if (learnt.source.empty() && !asker.trouble().empty())
    learnt.report = fmt::format("{}: prompt lengths are a guess", asker.trouble());
  return std::make_shared<const Calibration>(std::move(learnt));
}

}  // namespace infermeter
