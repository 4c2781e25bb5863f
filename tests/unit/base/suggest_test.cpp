#include "base/text.hpp"

#include <vector>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

TEST_CASE("suggest: a slip of the finger finds its name and a stranger finds none") {
  const std::vector<std::string> names{"--concurrency", "--requests", "--rate"};
  CHECK(infermeter::nearest_name("--concurency", names) == "--concurrency");
  CHECK(infermeter::nearest_name("--reqests", names) == "--requests");
  CHECK(infermeter::nearest_name("--ocncurrency", names) == "--concurrency");
  CHECK_FALSE(infermeter::nearest_name("--banana-split", names).has_value());
}

TEST_CASE("suggest: an unknown name is refused with what it is, the nearest and all known ones") {
  const std::vector<std::string> names{"h100", "a100"};
  CHECK_THROWS_WITH(infermeter::refuse_unknown("device", "h10", names),
                    "device: 'h10' is not a known one; did you mean 'h100'?");
  try {
    infermeter::refuse_unknown("device", "abacus", names);
  } catch (const infermeter::UsageError& error) {
    CHECK(error.what() == std::string("device: 'abacus' is not a known one"));
    CHECK(error.advice() == "known: h100, a100");
  }
}
