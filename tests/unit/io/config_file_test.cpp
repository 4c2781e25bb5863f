#include "infermeter/io/config_file.hpp"

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
  const auto entries = read_config_file(file.path());
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
  CHECK(read_config_file(file.path()).empty());
}

TEST_CASE("config file: one that is not there is named") {
  CHECK_THROWS_WITH(read_config_file("/nonexistent/run.toml"),
                    "--config /nonexistent/run.toml: cannot be read");
  CHECK_THROWS_WITH(read_config_file("/"), "--config /: cannot be read");
}

TEST_CASE("config file: tables, dates and nested arrays are refused by line and rule") {
  CHECK(error_of("rate = 1\n[load]\nrate = 2\n") ==
        ":2: 'load' is a table; every option stands at the top level, outside [tables]");
  CHECK(error_of("seed = 2026-01-01\n") == ":1: 'seed' is no string, number, boolean or array of these");
  CHECK(error_of("label = [[\"a=b\"]]\n") == ":1: 'label' is no string, number, boolean or array of these");
}

TEST_CASE("config file: bad TOML is refused by line") {
  CHECK(error_of("rate = 1\nrate = 2\n").starts_with(":2: "));
  CHECK(error_of("rate 1\n").starts_with(":1: "));
}
