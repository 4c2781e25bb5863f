#include "cli/output.hpp"

#include <map>

#include "catch.hpp"

using namespace infermeter;

namespace {

Terminal with(std::map<std::string, std::string> environment, bool is_terminal = true, unsigned columns = 0) {
  return describe_terminal(is_terminal, columns, [&](const char* name) {
    const auto it = environment.find(name);
    return it == environment.end() ? std::nullopt : std::optional(it->second);
  });
}

}  // namespace

TEST_CASE("terminal: the width is the terminal's, then COLUMNS, then 80") {
  CHECK(with({}).width == 80);
  CHECK(with({{"COLUMNS", "132"}}).width == 132);
  CHECK(with({{"COLUMNS", "132"}}, true, 100).width == 100);
  CHECK(with({{"COLUMNS", "wide"}}).width == 80);
  CHECK(with({{"COLUMNS", "-5"}}).width == 80);
  CHECK(with({}, true, 7).width == 40);
}

TEST_CASE("terminal: colour is for terminals, and NO_COLOR is obeyed") {
  CHECK(with({}).color);
  CHECK(with({{"NO_COLOR", ""}}).color);
  CHECK_FALSE(with({{"NO_COLOR", "1"}}).color);
  CHECK_FALSE(with({{"TERM", "dumb"}}).color);
  CHECK_FALSE(with({}, false).color);
}

TEST_CASE("terminal: only a UTF-8 locale is shown more than ASCII") {
  CHECK(with({}).ascii);
  CHECK(with({{"LANG", "C"}}).ascii);
  CHECK_FALSE(with({{"LANG", "C.UTF-8"}}).ascii);
  CHECK_FALSE(with({{"LANG", "de_DE.utf8"}}).ascii);
  CHECK(with({{"LANG", "de_DE.UTF-8"}, {"LC_ALL", "C"}}).ascii);
  CHECK_FALSE(with({{"LANG", "C"}, {"LC_CTYPE", "en_US.UTF-8"}, {"LC_ALL", ""}}).ascii);
  CHECK(with({{"LANG", "de_DE.ISO-8859-1"}}).ascii);
}
