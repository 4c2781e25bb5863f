#include "infermeter/base/suggest.hpp"

#include <vector>

#include "catch.hpp"

TEST_CASE("suggest: a slip of the finger finds its name and a stranger finds none") {
  const std::vector<std::string> names{"--concurrency", "--requests", "--rate"};
  CHECK(infermeter::nearest_name("--concurency", names) == "--concurrency");
  CHECK(infermeter::nearest_name("--reqests", names) == "--requests");
  CHECK_FALSE(infermeter::nearest_name("--banana-split", names).has_value());
}
