#include "protocol/stream/sse_parser.hpp"

#include <vector>

#include "catch.hpp"

using infermeter::Framing;
using infermeter::JsonEnd;
using infermeter::SseEvent;
using infermeter::SseParser;

namespace {

using Texts = std::vector<std::string>;

Texts events_of(const Texts& reads, Framing framing = Framing::sse) {
  SseParser parser(framing);
  SseEvent event;
  Texts out;
  for (const auto& read : reads) {
    parser.feed(read);
    while (parser.next(event)) out.push_back(std::string(event.name) + "|" + std::string(event.data));
  }
  while (parser.finish(event))
    out.push_back(std::string(event.name) + "|" + std::string(event.data) + "|tail");
  return out;
}

}  // namespace

TEST_CASE("sse: LF, CRLF and bare CR end a line, mixed as they come") {
  CHECK(events_of({"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\ndata: e\r\n\n"}) ==
        Texts{"|a", "|b", "|c", "|d", "|e"});
}

TEST_CASE("sse: an event is whole at its CR, the LF of the next read belongs to it") {
  CHECK(events_of({"data: a\r\n\r", "\ndata: b\r", "\n\r\n"}) == Texts{"|a", "|b"});
  SseParser parser;
  SseEvent event;
  parser.feed("data: a\r\n\r");
  CHECK(parser.next(event));
}

TEST_CASE("sse: only the first byte order mark is taken off") {
  CHECK(events_of({"\xEF\xBB",
                   "\xBF"
                   "data: a\n\n\xEF\xBB\xBF"
                   "data: b\n\n"}) == Texts{"|a"});
  CHECK(events_of({"\xEF\xBB\xBF"
                   "data: a"}) == Texts{"|a|tail"});
}

TEST_CASE("sse: data lines join with LF and lose one space after the colon") {
  CHECK(events_of({"data: a\ndata:b\ndata:  c\n\n"}) == Texts{"|a\nb\n c"});
  CHECK(events_of({"data: a\nda", "ta: b\n", "\n"}) == Texts{"|a\nb"});
  CHECK(events_of({"data: a\n", "data: b\n\n"}) == Texts{"|a\nb"});
}

TEST_CASE("sse: an event without data is none and its name is forgotten") {
  CHECK(events_of({"event: ping\n\ndata: a\n\nid: 3\n\nretry: 1\n\nfoo: x\n\ndata: b\n\n"}) ==
        Texts{"|a", "|b"});
}

TEST_CASE("sse: an event keeps its own name only") {
  CHECK(events_of({"event: x\ndata: a\n\ndata: b\n\nevent", ": y\ndata: c\n\n"}) ==
        Texts{"x|a", "|b", "y|c"});
}

TEST_CASE("sse: empty data and data that begins with a colon are heartbeats") {
  CHECK(events_of({"data:\n\ndata\n\ndata:   \n\ndata: : x\n\nevent: ping\ndata:\n\ndata: a\n\n"}) ==
        Texts{"|a"});
}

TEST_CASE("sse: an event that no blank line ended is the tail") {
  CHECK(events_of({"data: a\n\ndata: b"}) == Texts{"|a", "|b|tail"});
  CHECK(events_of({"data: a\n\ndata: b\n"}) == Texts{"|a", "|b|tail"});
  CHECK(events_of({"data: a\n\nda"}) == Texts{"|a"});
  CHECK(events_of({"event: e\ndata: b\ndata: c"}) == Texts{"e|b\nc|tail"});
}

TEST_CASE("sse: in lines each line is an event and blank ones are none") {
  CHECK(events_of({"{1}\n\n{2", "}\r\n{3}\n  \n", "{4}"}, Framing::lines) ==
        Texts{"|{1}", "|{2}", "|{3}", "|{4}|tail"});
}

TEST_CASE("sse: a body of no event stream is not recognized as one") {
  SseParser parser;
  SseEvent event;
  parser.feed("upstream: gone\nsorry\n");
  CHECK_FALSE(parser.next(event));
  CHECK_FALSE(parser.finish(event));
  CHECK_FALSE(parser.recognized());
  parser.feed(": ping\n");
  CHECK_FALSE(parser.next(event));
  CHECK(parser.recognized());
}

TEST_CASE("sse: an event without end is given up and not kept") {
  SseParser parser;
  SseEvent event;
  const std::string piece(std::size_t{1} << 20, 'x');
  parser.feed("data: ");
  CHECK_FALSE(parser.next(event));
  for (int i = 0; i < 20; ++i) {
    parser.feed(piece);
    CHECK_FALSE(parser.next(event));
  }
  CHECK(parser.overflow());
  CHECK_FALSE(parser.finish(event));
}

// Quadratic work would take hours here: a million lines in one read, and a line of a million one-byte reads.
TEST_CASE("sse: a million comments in one read and a line of a million reads are linear work") {
  std::string comments;
  for (int i = 0; i < 1'000'000; ++i) comments += i % 2 == 0 ? ":\n" : ":\r";
  SseParser parser;
  SseEvent event;
  parser.feed(comments);
  CHECK_FALSE(parser.next(event));
  CHECK(parser.comments() == 1'000'000);
  for (int i = 0; i < 1'000'000; ++i) {
    parser.feed("d");
    if (parser.next(event)) FAIL("an event out of nothing");
  }
  parser.feed("\ndata: a\n\n");
  CHECK(parser.next(event));
}

TEST_CASE("sse: the name of an error waits for data behind a blank line") {
  CHECK(events_of({"event: error\n\ndata: a\n\ndata: b\n\n"}) == Texts{"error|a", "|b"});
}

TEST_CASE("sse: events that end with one line break are known by two whole objects in a row") {
  CHECK(events_of({"data: {\"a\":1}\ndata: {\"b\":2}\ndata: {}\ndata: [DONE]\n"}) ==
        Texts{"|{\"a\":1}", "|{\"b\":2}", "|{}", "|[DONE]"});
  CHECK(events_of({"event: x\r\ndata: {}\r\nevent: y\r\ndata: {}\r\n"}) == Texts{"x|{}", "y|{}"});
  CHECK(events_of({"data: {\ndata: \"a\":{}\ndata: }\n\n"}) == Texts{"|{\n\"a\":{}\n}"});
  CHECK(events_of({"data: {}\nevent: late\n\n"}) == Texts{"late|{}"});
  CHECK(events_of({"data: {}\ndata: [DONE]"}) == Texts{"|{}|tail", "|[DONE]|tail"});
}

TEST_CASE("sse: the first event that one line break ended was complete before the read that shows it") {
  SseParser parser;
  SseEvent event;
  parser.feed("data: {}\n");
  CHECK_FALSE(parser.next(event));
  CHECK(parser.holds_event());
  parser.feed("data: {\"a\":1}\n");
  REQUIRE(parser.next(event));
  CHECK(event.earlier);
  REQUIRE(parser.next(event));
  CHECK_FALSE(event.earlier);
  CHECK(event.data == "{\"a\":1}");
}

TEST_CASE("sse: fields are read indented and in any case") {
  CHECK(events_of({" data: {}\n\n\tDATA:{}\n\nEvent: x\nData: a\n\n"}) == Texts{"|{}", "|{}", "x|a"});
}

TEST_CASE("sse: JSON without a field is an event, on several lines too") {
  CHECK(events_of({"data: {}\n\n{\"error\":1}\n\n{\n  \"a\": {\n  }\n}\n\n[DONE]\n\n"}) ==
        Texts{"|{}", "|{\"error\":1}", "|{\n\"a\": {\n}\n}", "|[DONE]"});
}

TEST_CASE("sse: a field error is an event of that name") {
  CHECK(events_of({"error: {\"code\":400}\n\ndata: {}\n\n"}) == Texts{"error|{\"code\":400}", "|{}"});
}

TEST_CASE("sse: lines that belong to no event are kept for a message") {
  SseParser parser;
  SseEvent event;
  parser.feed("data: {}\n\nupstream went away\nsorry\n");
  while (parser.next(event)) {
  }
  CHECK(parser.ignored() == "upstream went away sorry ");
}

// Each read looked at all blank lines before it: 200,000 reads took minutes, in which no limit was heard.
TEST_CASE("sse: data lines without text and without an end are read once, however many reads they take") {
  SseParser parser;
  SseEvent event;
  for (int i = 0; i < 200'000; ++i) {
    parser.feed("data:\n");
    REQUIRE_FALSE(parser.next(event));
    REQUIRE_FALSE(parser.holds_event());
  }
  parser.feed("data: {}\ndata:\n");
  REQUIRE_FALSE(parser.next(event));
  CHECK(parser.holds_event());
  parser.feed("\n");
  REQUIRE(parser.next(event));
  CHECK(event.data == "{}");
}

TEST_CASE("sse: the end of a JSON text that comes in many lines is found by reading each byte once") {
  std::string text;
  JsonEnd end;
  for (const char c : std::string_view("{\"a\": [\"]}\\\"\", {}]")) {
    text += c;
    CHECK_FALSE(end.reached(text));
  }
  CHECK(end.reached(text + "} {"));
  CHECK(end.length() == text.size() + 1);
}

TEST_CASE("sse: an object of 200,000 lines without a field is one event, and in time") {
  SseParser parser;
  std::string body = "{\"a\":[\n";
  for (int i = 0; i < 200'000; ++i) body += "1,\n";
  body += "1]}\n\n";
  parser.feed(body);
  SseEvent event;
  REQUIRE(parser.next(event));
  CHECK(event.data.size() == body.size() - 2);
  CHECK_FALSE(parser.next(event));
}
