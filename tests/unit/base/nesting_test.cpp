#include "base/nesting.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("nesting: brackets inside strings and escaped quotes are no levels") {
  CHECK(json_levels("17") == 0);
  CHECK(json_levels(R"({"a":[]})") == 2);
  CHECK(json_levels(R"(["[[[[", "\"[[[", "\\"])") == 1);
  CHECK(json_levels(R"([{"k":"}}}}"},[[1]]])") == 3);
}

TEST_CASE("nesting: brackets that close nothing do not hide those that follow") {
  CHECK(json_levels(repeated("]", 5000) + repeated("[", 300)) == 300);
  CHECK(is_too_deep(repeated("}", 5000) + repeated("[", 257)));
}

TEST_CASE("nesting: 256 levels are read and 257 are not") {
  CHECK_FALSE(is_too_deep(repeated("[", 256) + repeated("]", 256)));
  CHECK(is_too_deep(repeated("[", 257) + repeated("]", 257)));
  CHECK(is_too_deep(repeated("{\"a\":", 80'000)));
  CHECK_FALSE(is_too_deep("[" + repeated("[1],", 100'000) + "[1]]"));
  CHECK_FALSE(is_too_deep("[\"" + repeated("[", 100'000) + "\"]"));
}

TEST_CASE("nesting: the refusal names its origin, the depth and the limit") {
  CHECK_NOTHROW(refuse_too_deep("--tools", "[]"));
  CHECK_THROWS_WITH(refuse_too_deep("--tools", repeated("[", 80'000)),
                    "--tools: nested 80,000 levels deep; 256 at most are read");
}

TEST_CASE("nesting: TOML counts dotted keys, headers and what stands inside them") {
  CHECK(toml_levels("a = 1\nb = 2.5\n").levels <= 2);
  CHECK(toml_levels("a.b.c = 1\n").levels == 3);
  CHECK(toml_levels("[a.b.c]\nd.e = 1\n").levels == 5);
  CHECK(toml_levels("[[a]]\nb = [[1.5, 2.5, 3.5], [4.5]]\n").levels <= 6);
  CHECK(toml_levels("a = {b.c = {d.e = 1}}\n").levels == 5);
  const TomlLevels deep = toml_levels("x = 1\n\n" + repeated("a.", 200'000) + "b = 1\n");
  CHECK(deep.levels == 200'001);
  CHECK(deep.line == 3);
  CHECK(toml_levels("[" + repeated("a.", 200'000) + "b]\nc = 1\n").levels > 200'000);
  CHECK(toml_levels("a = " + repeated("[", 200'000)).levels > 200'000);
  CHECK(toml_levels(repeated("[a.b]\n", 1000)).levels <= 3);
}

TEST_CASE("nesting: TOML's strings and comments have no levels, and an open quote hides nothing") {
  CHECK(toml_levels("a = \"[[[[.....\"\n# [[[[\nb = '....'\n").levels <= 2);
  CHECK(toml_levels("a = \"\"\"\n[[[[\n....\"\"\"\nb = '''\n[[[['''\n").levels <= 2);
  CHECK(toml_levels("a = \"open\nb = " + repeated("[", 300) + "\n").levels > 256);
}
