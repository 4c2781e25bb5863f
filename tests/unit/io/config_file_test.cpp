#include "io/files/config_file.hpp"

#include <array>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "temporary_file.hpp"

using namespace infermeter;

namespace {

std::string error_of(const std::string& content) {
  const test::TemporaryFile file(content);
  try {
    read_config_file(file.path());
  } catch (const UsageError& error) {
    const std::string message = error.what();
    return message.starts_with(file.path()) ? message.substr(file.path().size()) : message;
  }
  return "no error";
}

}  // namespace

TEST_CASE("config file: names, values and lines come in the order of the file") {
  const test::TemporaryFile file(
      "# a run\n"
      "rate = 2.5\n"
      "output_tokens = 64\n"
      "http2 = true\n"
      "duration = \"30s\"\n"
      "\n"
      "header = [\"A: b\", \"C: d\"]\n");
  const auto entries = read_config_file(file.path()).entries;
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].name == "rate");
  CHECK(entries[0].values == std::vector<std::string>{"2.5"});
  CHECK(entries[1].name == "output-tokens");
  CHECK(entries[1].values == std::vector<std::string>{"64"});
  CHECK(entries[2].values == std::vector<std::string>{"true"});
  CHECK(entries[3].values == std::vector<std::string>{"30s"});
  CHECK(entries[4].values == std::vector<std::string>{"A: b", "C: d"});
  CHECK(entries[4].line == 7);
}

TEST_CASE("config file: an empty one holds nothing") {
  const test::TemporaryFile file("");
  CHECK(read_config_file(file.path()).entries.empty());
}

TEST_CASE("config file: one that is not there is named") {
  CHECK_THROWS_WITH(read_config_file("/nonexistent/run.toml"),
                    "--config /nonexistent/run.toml: cannot be read");
  CHECK_THROWS_WITH(read_config_file("/"), "--config /: cannot be read");
}

TEST_CASE(
    "config file: a dotted key of 200,000 parts and nested arrays and tables are refused by their depth") {
  std::string dotted, inlined = "a = ", headers;
  for (int i = 0; i < 200'000; ++i) dotted += "a.";
  for (int i = 0; i < 300; ++i) inlined += "{a = ";
  for (int i = 0; i < 300; ++i) headers += "a.";
  CHECK(error_of("x = 1\n" + dotted + "b = 1\n") == ":2: nested 200,001 levels deep; 256 at most are read");
  CHECK(error_of("x = " + std::string(80'000, '[')).starts_with(":1: nested 80,00"));
  CHECK(error_of(inlined).starts_with(":1: nested 30"));
  CHECK(error_of("[" + headers + "b]\n").starts_with(":1: nested 301 levels deep"));
}

TEST_CASE("config file: dates and nested arrays are refused by line and rule") {
  CHECK(error_of("seed = 2026-01-01\n") == ":1: 'seed' is no string, number, boolean or array of these");
  CHECK(error_of("label = [[\"a=b\"]]\n") == ":1: 'label' is no string, number, boolean or array of these");
  CHECK(error_of("extra_body = { a = 2026-01-01 }\n") ==
        ":1: a value here is no string, number, boolean, table or array");
}

TEST_CASE("config file: a table is its JSON in the order of the file, and its fields") {
  const auto file = parse_config_text(
      "f",
      "headers = { X-B = \"1\", X-A = \"\\\"2\\\"\" }\nextra-body = { b = 1, a = [1.5, { c = true }] }\n");
  REQUIRE(file.entries.size() == 2);
  CHECK(file.entries[0].is_table);
  CHECK(file.entries[0].fields.size() == 2);
  CHECK(file.entries[0].values == std::vector<std::string>{R"({"X-B":"1","X-A":"\"2\""})"});
  CHECK(file.entries[1].fields.empty());
  CHECK(file.entries[1].values == std::vector<std::string>{R"({"b":1,"a":[1.5,{"c":true}]})"});
}

TEST_CASE("config file: named tables are blocks in the order of the file, others are values") {
  constexpr std::array<std::string_view, 2> kBlocks{"target", "quick"};
  const auto file = parse_config_text("f",
                                      "rate = 1\n[[target]]\nmax_cost = 2\n[quick]\nrate = 3\n[[target]]\n"
                                      "[target.extra_body]\nx = 1\n[load]\nrate = 4\n",
                                      kBlocks);
  REQUIRE(file.blocks.size() == 3);
  CHECK(file.blocks[0].kind == "target");
  CHECK(file.blocks[0].line == 2);
  CHECK(file.blocks[0].entries[0].name == "max-cost");
  CHECK(file.blocks[0].entries[0].line == 3);
  CHECK(file.blocks[1].kind == "quick");
  CHECK(file.blocks[2].entries[0].values == std::vector<std::string>{R"({"x":1})"});
  REQUIRE(file.entries.size() == 2);
  CHECK(file.entries[1].is_table);
}

TEST_CASE("config file: bad TOML is refused by line") {
  CHECK(error_of("rate = 1\nrate = 2\n").starts_with(":2: "));
  CHECK(error_of("rate 1\n").starts_with(":1: "));
}
