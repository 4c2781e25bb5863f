#include "cli/dry_run/traffic.hpp"

#include <fmt/format.h>

#include "cli/dry_run/load.hpp"
#include "infermeter/base/units.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

std::string tokens_text(const Lengths& lengths) {
  const std::uint32_t sole = lengths.sole();
  return sole > 0 ? format_count(sole) : lengths_text(lengths);
}

std::string source_text(const Prompts& prompts, bool shaped) {
  if (prompts.source == "prompt") return "the one given";
  if (!prompts.file.empty()) return prompts.file + (prompts.skip_bad_lines ? ", without its bad lines" : "");
  if (!prompts.prompts.empty())
    return fmt::format("{} of {}, in turn", format_count(prompts.prompts.size()), prompts.source);
  const std::string length = shaped ? "of the shape's" : tokens_text(prompts.input_tokens);
  return fmt::format("synthetic, {}{} tokens{}", prompts.calibrate ? "" : "about ", length,
                     prompts.calibrate ? ", calibrated against the server" : "");
}

std::string sharing_lines(const Prompts& prompts) {
  std::string out;
  if (prompts.shared_prefix_tokens > 0)
    out +=
        plan_line("Prefix", fmt::format("{} tokens shared, {}{}", format_count(prompts.shared_prefix_tokens),
                                        counted(prompts.prefix_groups, "group"),
                                        prompts.prime ? ", sent once beforehand" : ""));
  if (prompts.prompt_reuse > 1)
    out += plan_line(
        "Reuse", fmt::format("each prompt {} times: cold, then warm", format_count(prompts.prompt_reuse)));
  if (prompts.batch > 1)
    out += plan_line("Batch", fmt::format("{} texts in a request", format_count(prompts.batch)));
  if (prompts.images > 0)
    out += plan_line("Images", fmt::format("{} of {}x{}", format_count(prompts.images), prompts.image_width,
                                           prompts.image_height));
  return out;
}

std::string conversation_lines(const Prompts& prompts) {
  std::string out;
  if (prompts.conversations())
    out += plan_line("Turns", fmt::format("{} a conversation, {} between", lengths_text(prompts.turns),
                                          durations_text(prompts.think_time)));
  if (!prompts.session_header.empty()) out += plan_line("Session", prompts.session_header + ": its id");
  if (prompts.session_connection) out += plan_line("Session", "keeps its connection");
  return out;
}

std::string prompt_lines(const Prompts& prompts, bool shaped) {
  std::string out = plan_line("Prompts", source_text(prompts, shaped));
  if (!prompts.nonce.empty()) out += plan_line("Nonce", prompts.nonce);
  return out + sharing_lines(prompts) + conversation_lines(prompts);
}

std::string answer_line(const TrafficClass& traffic, bool shaped) {
  const Answers& answers = traffic.answers;
  const auto& exact = answers.exact_output;
  const bool synthetic = traffic.prompts.prompts.empty() && traffic.prompts.file.empty();
  const std::string_view length = exact       ? (*exact ? ", forced" : "")
                                  : synthetic ? ", forced where the server is known to take it"
                                              : "";
  const std::string most = shaped ? "the shape's" : tokens_text(answers.output_tokens);
  return plan_line("Answers",
                   fmt::format("up to {} tokens{}, {}", most, length, answers.stream ? "streamed" : "whole"));
}

std::string cancel_line(const Cancel& cancel) {
  if (!cancel.any()) return {};
  const std::string when =
      cancel.after ? format_duration(*cancel.after) : counted(cancel.after_tokens, "token");
  return plan_line("Cancel",
                   fmt::format("after {}, {} % of the requests", when, format_number(cancel.share * 100)));
}

std::string share_text(const TrafficClass& traffic) {
  std::string text = "a share of " + format_number(traffic.share);
  if (traffic.rate) text = format_number(*traffic.rate) + " requests per second of its own";
  if (traffic.concurrency)
    text = fmt::format("concurrency {} of its own", format_count(*traffic.concurrency));
  return text + (traffic.probe ? ", a probe" : "");
}

std::string class_lines(const TrafficClass& traffic, bool shaped) {
  std::string out;
  if (!traffic.name.empty())
    out += plan_line("Class", fmt::format("{}: {}", traffic.name, share_text(traffic)));
  if (!traffic.model.empty()) out += plan_line("Model", traffic.model);
  for (const auto& [name, value] : traffic.headers) out += plan_line("Header", name + ": ****");
  out += prompt_lines(traffic.prompts, shaped) + answer_line(traffic, shaped) + cancel_line(traffic.cancel);
  for (const auto& slo : traffic.slos) out += plan_line("SLO", slo.text);
  return out;
}

}  // namespace

std::string traffic_lines(const Plan& plan) {
  std::string out;
  const bool shaped = plan.sweep.points.front().shape.has_value();
  for (const auto& traffic : plan.classes) out += class_lines(traffic, shaped);
  return out;
}

}  // namespace infermeter
