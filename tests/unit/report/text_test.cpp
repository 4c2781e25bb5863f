#include "report/text/text.hpp"

#include "catch.hpp"
#include "report/media/media.hpp"
#include "report/tables/figures.hpp"

using namespace infermeter;
using Lines = std::vector<std::string>;

TEST_CASE("text: columns are code points") {
  CHECK(columns("") == 0);
  CHECK(columns("±1.2 µs") == 7);
  CHECK(columns("✔ ok") == 4);
}

TEST_CASE("text: control characters and broken UTF-8 do not get through") {
  CHECK(printable("a\x1b[31mb\tc\r\n", false) == "a [31mb c  ");
  CHECK(printable("x\xc2\x9b"
                  "1m",
                  false) == "x 1m");  // C1: CSI
  CHECK(printable("\xff\xfe|\xe2\x82|\xc0\x80", false) == "??|??|??");
  CHECK(printable("±µ≥ – «»", false) == "±µ≥ – «»");
}

TEST_CASE("text: a server cannot turn round the order of writing") {
  CHECK(printable("a\u202eb\u202ac\u2066d\u2069e", false) == "a?b?c?d?e");
  CHECK(printable("a\u202eb", true) == "a?b");
  CHECK(printable("\u2029|\u202f|\u2065|\u206a|אב", false) == " |\u202f|\u2065|\u206a|אב");
}

TEST_CASE("text: ASCII spells the glyphs that it knows") {
  CHECK(printable("±1 ≥2 3× 4µs 5–6 …", true) == "+-1 >=2 3x 4us 5-6 ...");
  CHECK(printable("日本", true) == "??");
}

TEST_CASE("text: a line breaks at spaces, a long word stands alone") {
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("a incomprehensibilities b", 6) == Lines{"a", "incomprehensibilities", "b"});
  CHECK(wrap("  spaced   out ", 80) == Lines{"spaced out"});
  CHECK(wrap("±± ±±", 5) == Lines{"±± ±±"});
  CHECK(wrap("", 10).empty());
}

TEST_CASE("text: a per cent sign stays with its figure") {
  CHECK(wrap("about 12 % more", 8) == Lines{"about", "12 %", "more"});
  CHECK(wrap("12 % %", 3) == Lines{"12 % %"});
}

TEST_CASE("text: what is cut off is marked") {
  CHECK(shorten("twelve chars", 12, "…") == "twelve chars");
  CHECK(shorten("thirteen char", 8, "…") == "thirtee…");
  CHECK(shorten("ab cdef", 4, "…") == "ab…");
  CHECK(shorten("µµµµ", 3, "…") == "µµ…");
}

TEST_CASE("figures: three significant digits, none finer than a microsecond") {
  CHECK(figure(91.832) == "91.8");
  CHECK(figure(3139.6) == "3,140");
  CHECK(figure(0.0403) == "0.040");
  CHECK(figure(0.0004) == "0");
  CHECK(figure(0) == "0");
  CHECK(figure(-0.5) == "-0.500");
}

TEST_CASE("figures: a half width has the decimals of its value, more only where it would be 0") {
  CHECK(half_width(91.8, 1.24) == "±1.2");
  CHECK(half_width(121, 3.96) == "±4");
  CHECK(half_width(9.79, 0.012) == "±0.01");
  CHECK(half_width(1340, 0.4) == "±0.4");
  CHECK(half_width(2900, 1234.4) == "±1,230");
  CHECK(half_width(50, 0).empty());
  CHECK(half_width(50, 0.0001) == "±<0.001");
}

TEST_CASE("figures: a bound that is missing leaves the other one") {
  CHECK(sureness({50, 91.8, 90.7, 93.1}, 1) == "±1.2");
  CHECK(sureness({99, 1518, 1490, {}}, 1e-3) == "≥1.49");
  CHECK(sureness({1, 90.4, {}, 92.04}, 1) == "≤92.0");
  CHECK(sureness({99, 148, {}, {}}, 1) == "");
}

TEST_CASE("figures: shares are per cent with one decimal") {
  CHECK(as_percent(0.9962) == "99.6 %");
  CHECK(as_percent(0) == "0.0 %");
  CHECK(as_percent(0.99999) == "100 %");
  CHECK(as_percent(1) == "100 %");
}

TEST_CASE("text: a line is not broken between a figure and its unit, or within 12 / 13") {
  CHECK(wrap("p50 0.993 ms may be 12 / 13 of it", 9) ==
        std::vector<std::string>{"p50", "0.993 ms", "may be", "12 / 13", "of it"});
}
