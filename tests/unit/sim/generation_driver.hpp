// Drives one generation as the dispatcher does: tokens one by one, 10 ms apart, all choices at once.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/http/generation.hpp"
#include "text_parts.hpp"

namespace infermeter::sim::test {

using namespace std::chrono_literals;
using infermeter::test::has;
using infermeter::test::times;

inline const Instant kStart{1s};

struct Asked {
  std::vector<std::string> faults = {};
  std::uint32_t output = 4;
  Endpoint endpoint = Endpoint::chat;
  bool stream = true, usage = true, continuous = false;
  bool limited = true;  // by the client
  AnswerForm form = {};
  Thinking thinking = Thinking::unsaid;
  double effort = 1;
  std::uint32_t choices = 1;
  Framing framing = Framing::until_close;  // the events alone
};

inline Generation make(const Asked& asked) {
  GenerationSetup setup;
  std::vector<Fault> faults;
  for (const auto& fault : asked.faults) faults.push_back(parse_fault(fault));
  setup.quirks = FaultPlan(faults, 1).draw(0);
  setup.request.endpoint = asked.endpoint;
  setup.request.stream = asked.stream;
  setup.request.include_usage = asked.usage && asked.stream;
  setup.request.continuous_usage = asked.continuous;
  setup.request.limited = asked.limited;
  setup.request.form = asked.form;
  setup.request.thinking = asked.thinking;
  setup.request.reasoning_effort = asked.effort;
  setup.request.output_limit = asked.output;
  setup.request.prompts = {Tokens(7, 1)};
  setup.request.texts = {"say \"hi\""};
  setup.request.n = asked.choices;
  setup.identity = {asked.endpoint, "id", "m", 5, asked.form};
  setup.output_tokens.assign(asked.choices, asked.output);
  setup.framing = asked.framing;
  setup.keep_events = true;
  return Generation(std::move(setup));
}

struct Told {
  std::string head, body, kinds;
  std::vector<std::uint32_t> tokens;
  std::vector<std::string> writes;  // after the head
};

inline void write_ready(Generation& generation, Told& told, Instant now) {
  auto& outbox = generation.reply().outbox;
  if (outbox.ready().empty()) return;
  told.writes.emplace_back(outbox.ready());
  outbox.wrote(outbox.ready().size(), now);
}

inline Told tell(Generation& generation, std::uint32_t at_once = 1) {
  Told told;
  Instant now = kStart;
  generation.begin(now);
  write_ready(generation, told, now);
  const auto& lengths = generation.setup().output_tokens;
  const RequestTruth truth{0ms, 5ms, 10ms, 40ms, 3, 0};
  for (std::uint32_t i = 0; i < lengths.size(); ++i) generation.on_cached(i, truth.cached_tokens);
  for (std::uint32_t done = 0; done < lengths[0]; done += at_once) {
    now += 10ms;
    while (generation.wake() && *generation.wake() <= now) {
      const Instant due = *generation.wake();
      generation.on_time(due);
      write_ready(generation, told, due);
    }
    const std::uint32_t tokens = std::min(at_once, lengths[0] - done);
    const bool last = done + tokens == lengths[0];
    for (std::uint32_t i = 0; i < lengths.size(); ++i) {
      generation.on_tokens(i, tokens, last ? &truth : nullptr, now);
      write_ready(generation, told, now);
    }
  }
  for (int i = 0; i < 20 && generation.wake(); ++i) {
    now = *generation.wake();
    generation.on_time(now);
    write_ready(generation, told, now);
  }
  for (const auto& write : told.writes) told.body += write;
  const auto head_end = told.body.find("\r\n\r\n");
  if (head_end != std::string::npos) {
    told.head = told.body.substr(0, head_end + 4);
    told.body = told.body.substr(head_end + 4);
  }
  if (!told.writes.empty() && told.writes.front() == told.head) told.writes.erase(told.writes.begin());
  for (const auto& event : generation.reply().outbox.sent()) {
    told.kinds += static_cast<char>(event.kind);
    told.tokens.push_back(event.tokens);
  }
  return told;
}

inline Told tell(const Asked& asked) {
  Generation generation = make(asked);
  return tell(generation);
}

inline std::string kinds(std::vector<std::string> faults, std::uint32_t output = 4) {
  return tell({.faults = std::move(faults), .output = output}).kinds;
}

}  // namespace infermeter::sim::test
