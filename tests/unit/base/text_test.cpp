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

TEST_CASE("text: white space is cut at both ends only") {
  CHECK(trim("\r\n a b\t") == "a b");
  CHECK(trim(" \n").empty());
}

TEST_CASE("text: code points are counted, not bytes") {
  CHECK(count_code_points("a\xC3\xA9\xF0\x9F\x98\x80") == 3);
}
