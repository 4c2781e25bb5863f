#include "script.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "framing.hpp"
#include "healthy.hpp"
#include "infermeter/model/endpoint.hpp"
#include "payloads.hpp"

namespace infermeter::faults {
namespace {

using namespace std::string_literals;

// An answer before it is cut into pieces.
struct Reply {
  Head head;
  HealthyBody body;
  std::shared_ptr<const Framing> framing;
  std::string before;   // raw bytes in front of it
  std::string after;    // and behind it
  bool closes = false;  // the connection ends with it
};

Reply healthy_reply(const Rule& rule, const Asked& asked) {
  Reply reply;
  reply.body = healthy_body(rule.endpoint, asked.stream);
  reply.head.fields = {{"content-type", reply.body.type}};
  if (rule.http2())
    reply.framing = std::make_shared<Http2>(asked.stream_id);
  else
    reply.framing = std::make_shared<Chunked>();
  return reply;
}

void set_body(Reply& reply, const std::string& type, const std::string& body) {
  reply.head.fields = {{"content-type", type}};
  reply.body = {.type = type, .events = {body}};
}

std::string joined(const std::vector<std::string>& events) {
  std::string all;
  for (const auto& event : events) all += event;
  return all;
}

// The wire in pieces, and the piece before which each phase is.
struct Wire {
  std::vector<std::string> pieces;
  std::map<std::string, std::size_t> at;
};

Wire wire_of(const Reply& reply) {
  Wire wire;
  auto& pieces = wire.pieces;
  const auto mark = [&](const char* phase) { wire.at.try_emplace(phase, pieces.size()); };
  const auto add = [&](const std::string& bytes) {
    if (!bytes.empty()) pieces.push_back(bytes);
  };
  add(reply.before);
  mark("before-headers");
  const auto head = reply.framing->head(reply.head);
  add(head.first);
  mark("in-headers");
  add(head.second);
  mark("after-headers");
  const auto& events = reply.body.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto half = events[i].size() / 2;
    if (i == reply.body.done) mark("before-done");
    if (i == events.size() / 2) mark("between-events");
    add(reply.framing->data(events[i].substr(0, half)));
    if (i == 0) mark("before-event");
    if (i == reply.body.usage) mark("in-usage");
    add(reply.framing->data(events[i].substr(half)));
  }
  const auto end = reply.framing->end();
  add(end.first);
  mark("in-trailer");
  add(end.second + reply.after);
  return wire;
}

Script all_of(const Reply& reply) {
  Script script;
  for (const auto& piece : wire_of(reply).pieces) script.push_back({Deed::send, piece});
  if (reply.closes) script.push_back({Deed::close, {}});
  return script;
}

Script until(const Reply& reply, const std::string& phase, bool rest, const Script& fault) {
  const Wire wire = wire_of(reply);
  const std::size_t at = wire.at.at(phase);
  Script script;
  for (std::size_t i = 0; i < at; ++i) script.push_back({Deed::send, wire.pieces[i]});
  script.insert(script.end(), fault.begin(), fault.end());
  for (std::size_t i = at; rest && i < wire.pieces.size(); ++i)
    script.push_back({Deed::send, wire.pieces[i]});
  return script;
}

// Everything from the phase on, one byte at a time.
Script by_bytes(const Reply& reply, const std::string& phase, Deed deed) {
  Script script = until(reply, phase, false, {});
  const Wire wire = wire_of(reply);
  std::string rest;
  for (std::size_t i = wire.at.at(phase); i < wire.pieces.size(); ++i) rest += wire.pieces[i];
  script.push_back({deed, rest});
  return script;
}

using Change = std::function<void(Reply&, const Rule&, const Asked&)>;

void status(Reply& reply, const Rule& rule, const Asked& asked) {
  const std::string body = error_body(rule.word(1), asked.key);
  set_body(reply, rule.word(1) == "html" ? "text/html" : "application/json", body);
  reply.head.status = std::stoi(rule.word(0));
  if (!rule.word(2).empty()) reply.head.fields.emplace_back("retry-after", rule.word(2));
  if (!body.empty() || rule.http2()) return;
  reply.framing = std::make_shared<Bare>();
  reply.head.fields = {{"content-length", "0"}};
}

// To the same path, another of the same host, another host.
void redirect(Reply& reply, const Rule& rule, const Asked& asked) {
  set_body(reply, "text/plain", "moved");
  reply.head.status = std::stoi(rule.word(0));
  const std::string where = rule.word(1);
  const std::string there = where == "loop"      ? asked.path
                            : where == "same"    ? "/api" + asked.path
                            : where == "other"   ? asked.elsewhere + asked.path
                            : where == "file"    ? "file:///etc/passwd"
                            : where == "escapes" ? "/\x1b]0;owned\x07\x1b[31m" + asked.path
                            : where == "long"    ? "/" + std::string(20'000, 'a')
                                                 : "";
  if (where != "nowhere") reply.head.fields.emplace_back("location", there);
  if (where == "same" && asked.path.starts_with("/api")) reply = healthy_reply(rule, asked);
}

void content_type(Reply& reply, const Rule& rule, const Asked&) {
  reply.head.fields.clear();
  if (!rule.word(0).empty()) reply.head.fields = {{"content-type", rule.word(0)}};
}

void body_instead(Reply& reply, const Rule& rule, const Asked&) {
  set_body(reply, "application/json", whole_body(rule.word(0)));
}

void stream_instead(Reply& reply, const Rule& rule, const Asked&) {
  set_body(reply, "text/event-stream", sse_body(rule.word(0), rule.endpoint));
}

void other_way(Reply& reply, const Rule& rule, const Asked& asked) {
  reply.body = healthy_body(rule.endpoint, !asked.stream);
  reply.head.fields = {{"content-type", reply.body.type}};
}

void compressed(Reply& reply, const Rule& rule, const Asked&) {
  std::string bytes = gzipped(joined(reply.body.events));
  if (rule.word(0) == "cut") bytes.resize(bytes.size() / 2);
  if (rule.word(0) == "broken") bytes.replace(4, 20, 20, 'x');
  if (rule.word(0) == "bad-sum") bytes[bytes.size() - 8] ^= 1;
  if (rule.word(0) == "plain") bytes = joined(reply.body.events);
  reply.body.events = {bytes};
  reply.head.fields.emplace_back("content-encoding", rule.word(0) == "unknown" ? "rot13" : "gzip");
}

// Content-Length, for a body of another length.
void length(Reply& reply, const Rule& rule, const Asked&) {
  const std::string what = rule.word(0);
  const std::size_t size = joined(reply.body.events).size();
  const auto field = [&](const std::string& value) {
    reply.head.fields.emplace_back("content-length", value);
  };
  if (!rule.http2()) reply.framing = std::make_shared<Bare>();
  reply.closes =
      what == "long" || what == "none" || what == "text" || what == "negative" || what == "overflow";
  if (what == "right" || what == "two") field(std::to_string(size));
  if (what == "two") field(std::to_string(size + 1));
  if (what == "short") field(std::to_string(size / 2));
  if (what == "long" || what == "longer") field(std::to_string(size + 100));
  if (what == "text") field("many");
  if (what == "negative") field("-5");
  if (what == "overflow") field("99999999999999999999999999");
}

void chunk(Reply& reply, const Rule& rule, const Asked&) {
  const std::string event = joined(reply.body.events);
  reply.head.fields.emplace_back("transfer-encoding", "chunked");
  reply.framing = std::make_shared<Bare>();
  reply.body.events = {chunks(rule.word(0), event)};
  reply.closes = rule.word(0) == "cut" || rule.word(0) == "no-last";
}

void header(Reply& reply, const Rule& rule, const Asked&) {
  for (auto& field : header_fields(rule.word(0))) reply.head.fields.push_back(std::move(field));
}

// Instead of the status line, or in front of it.
void first_line(Reply& reply, const Rule& rule, const Asked&) { reply.before = first_lines(rule.word(0)); }

void extra(Reply& reply, const Rule&, const Asked&) {
  reply.after = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
}

void none(Reply&, const Rule&, const Asked&) {}

// The faults of phase `answer`: of the answer as a whole.
const std::map<std::string, Change> kChanges{
    {"none", none},         {"status", status},      {"redirect", redirect},   {"type", content_type},
    {"body", body_instead}, {"sse", stream_instead}, {"other-way", other_way}, {"gzip", compressed},
    {"length", length},     {"chunk", chunk},        {"header", header},       {"first-line", first_line},
    {"extra", extra}};

Script of_place(const Rule& rule, const Asked& asked) {
  const Reply reply = healthy_reply(rule, asked);
  const std::string& fault = rule.fault;
  const auto cut = [&](Step step) { return until(reply, rule.phase, false, {std::move(step)}); };
  const auto cut_with = [&](const Script& steps) { return until(reply, rule.phase, false, steps); };
  const auto inserted = [&](Step step) { return until(reply, rule.phase, true, {std::move(step)}); };
  if (fault == "reset") return cut({Deed::reset, {}});
  if (fault == "close") return cut({Deed::close, {}});
  if (fault == "stall") return cut({Deed::stall, {}});
  if (fault == "bytes") return by_bytes(reply, rule.phase, Deed::bytes);
  if (fault == "drip") return by_bytes(reply, rule.phase, Deed::drip);
  if (fault == "end") {
    const auto end = reply.framing->end();
    return cut({Deed::send, end.first + end.second});
  }
  if (fault == "garbage-close") return cut_with({{Deed::send, garbage()}, {Deed::close, {}}});
  if (fault == "raw-close")
    return cut_with({{Deed::send, raw_bytes(rule.word(0), asked.stream_id)}, {Deed::close, {}}});
  if (fault == "garbage") return inserted({Deed::send, garbage()});
  if (fault == "raw") return inserted({Deed::send, raw_bytes(rule.word(0), asked.stream_id)});
  if (fault == "raw-end") return cut({Deed::send, raw_bytes(rule.word(0), asked.stream_id, rule.word(1))});
  if (fault == "raw-flood") return cut({Deed::flood, raw_bytes(rule.word(0), asked.stream_id)});
  if (fault == "text")
    return inserted({Deed::send, reply.framing->data(payload(rule.word(0), rule.endpoint))});
  if (fault == "text-end") {
    const auto end = reply.framing->end();
    return cut(
        {Deed::send, reply.framing->data(payload(rule.word(0), rule.endpoint)) + end.first + end.second});
  }
  if (fault == "flood") return cut({Deed::flood, reply.framing->data(payload(rule.word(0), rule.endpoint))});
  if (fault == "drip-text")
    return cut({Deed::drip, reply.framing->data(payload(rule.word(0), rule.endpoint))});
  throw std::invalid_argument("no fault: " + fault);
}

// The beginning of a ServerHello that is longer than what follows.
std::string tls_record() { return "\x16\x03\x03\0\x7a\2\0\0\x76\x03\x03"s + std::string(20, 'x'); }

}  // namespace

Script healthy_script(const Rule& rule, const Asked& asked) { return all_of(healthy_reply(rule, asked)); }

Script connection_script(const Rule& rule) {
  const std::string settings = frame(kSettings, 0, 0, "");
  const std::map<std::string, Script> all{
      {"close", {{Deed::close, {}}}},
      {"reset", {{Deed::reset, {}}}},
      {"stall", {{Deed::stall, {}}}},
      {"garbage", {{Deed::send, garbage()}, {Deed::stall, {}}}},
      {"garbage-close", {{Deed::send, garbage()}, {Deed::close, {}}}},
      {"drip", {{Deed::drip, rule.phase == "tls" ? tls_record() : settings}}},
      {"alert", {{Deed::send, "\x15\x03\x03\0\2\2\x28"s}, {Deed::close, {}}}},
      {"half-record", {{Deed::send, tls_record()}, {Deed::close, {}}}},
      {"http1", {{Deed::send, raw_bytes("http1", 0)}, {Deed::close, {}}}},
      {"no-streams", {{Deed::send, frame(kSettings, 0, 0, "\0\3\0\0\0\0"s)}}},
      {"no-window", {{Deed::send, frame(kSettings, 0, 0, "\0\4\0\0\0\0"s)}}},
      {"bad-window", {{Deed::send, frame(kSettings, 0, 0, "\0\4\xff\xff\xff\xff"s)}}},
      {"bad-frame-size", {{Deed::send, frame(kSettings, 0, 0, "\0\5\0\0\0\1"s)}}},
      {"ping-first", {{Deed::send, raw_bytes("ping", 0) + settings}}},
      {"unknown-setting", {{Deed::send, raw_bytes("unknown-setting", 0)}}},
      {"goaway", {{Deed::send, settings + raw_bytes("goaway-refused", 0)}, {Deed::close, {}}}},
      {"ping-flood", {{Deed::send, settings}, {Deed::flood, raw_bytes("pings", 0)}}},
      {"settings-flood", {{Deed::flood, settings}}},
  };
  const auto script = all.find(rule.fault);
  if (script == all.end()) throw std::invalid_argument("no fault: " + rule.fault);
  return script->second;
}

std::string models_answer(const std::string& path) {
  const bool models = path.ends_with("/models");
  const std::string body =
      models ? R"({"object":"list","data":[{"id":"m","object":"model"}]})" : "no such page";
  return fmt::format("HTTP/1.1 {}\r\ncontent-length: {}\r\n\r\n{}", models ? "200 OK" : "404 Not Found",
                     body.size(), body);
}

Script script_of(const Rule& rule, const Asked& asked) {
  if (rule.phase != "answer") return of_place(rule, asked);
  const auto change = kChanges.find(rule.fault);
  if (change == kChanges.end()) throw std::invalid_argument("no fault: " + rule.fault);
  Reply reply = healthy_reply(rule, asked);
  change->second(reply, rule, asked);
  return all_of(reply);
}

}  // namespace infermeter::faults
