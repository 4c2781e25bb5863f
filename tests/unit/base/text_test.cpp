#include "base/text.hpp"

#include "catch.hpp"

using namespace infermeter;

TEST_CASE("text: a line has no white space at its ends, one space in between and whole characters") {
  CHECK(one_line(" a \n\t b\x01 c ", 100) == "a b c");
  CHECK(one_line("a\xC3\xA9", 2) == "a");
  CHECK(one_line("a\xC3\xA9", 3) == "a\xC3\xA9");
  CHECK(one_line("\xC3", 100) == "\xEF\xBF\xBD");
  CHECK(one_line("", 100).empty());
}

TEST_CASE("text: overlong forms, surrogates and numbers past Unicode are no characters") {
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length("\xC3\xA9") == 2);
  CHECK(utf8_length("\xE2\x82\xAC") == 3);
  CHECK(utf8_length("\xF0\x9F\x98\x80") == 4);
  for (const char* bytes : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80", "\xE2\x82"}) {
    CHECK(utf8_length(bytes) == 0);
  }
}

TEST_CASE("text: bytes that are no UTF-8 are replaced one by one, all else is as it was") {
  CHECK(is_utf8("a\xC3\xA9"));
  CHECK_FALSE(is_utf8("a\xC3"));
  CHECK(repaired_utf8("a\xC3\xA9") == "a\xC3\xA9");
  CHECK(repaired_utf8("\xED\xA0\x80|\xC3", "?") == "???|?");
  CHECK(repaired_utf8("\xC3") == "\xEF\xBF\xBD");
}

TEST_CASE("text: inside a JSON string nothing ends it and nothing is cut") {
  std::string out;
  append_json_escaped(out, "a\"b\\c\n\r\t\x01\x7f\xC3\xA9\xC3");
  CHECK(out == "a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f\xC3\xA9\xEF\xBF\xBD");
}

TEST_CASE("text: what acts on a terminal stood in JSON as it was") {
  const std::string acts = "\u0080\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069";
  const std::string escapes = R"(\u0080\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069)";
  std::string out;
  append_json_escaped(out, acts);
  CHECK(out == escapes);
  out.clear();
  append_shown_json(out, "{\n\t\"" + acts + "\x7f\": \"\\u001b\"}");
  CHECK(out == "{\n\t\"" + escapes + "\\u007f\": \"\\u001b\"}");
  // Their neighbours stay: a no-break space, a letter of Arabic, a dash, a zero-width space, an isolated
  // byte.
  const std::string plain = "\u00a0\u061b\u2013\u200b\u2027\u202f\u2065\u206a";
  out.clear();
  append_json_escaped(out, plain);
  CHECK(out == plain);
  out.clear();
  append_shown_json(out, plain + "\xe2\x80");
  CHECK(out == plain + "\xe2\x80");
}

TEST_CASE("text: the C1 block is control characters too") {
  CHECK(control_length("\x1b[") == 1);
  CHECK(control_length("\xC2\x9B") == 2);
  CHECK(control_length("\xC2\xA0") == 0);
  CHECK(control_length("") == 0);
}

TEST_CASE("text: a cut leaves whole code points") {
  CHECK(first_code_points("\xC3\xA9\xE2\x82\xAC", 1) == "\xC3\xA9");
  CHECK(first_code_points("ab", 5) == "ab");
}

TEST_CASE("text: a percentage has its sign") {
  CHECK(signed_percent(0.1234) == "+12.3 %");
  CHECK(signed_percent(-0.02) == "−2.0 %");
}

TEST_CASE("text: white space is cut at both ends only") {
  CHECK(trim("\r\n a b\t") == "a b");
  CHECK(trim(" \n").empty());
}

TEST_CASE("text: code points are counted, not bytes") {
  CHECK(count_code_points("a\xC3\xA9\xF0\x9F\x98\x80") == 3);
}
