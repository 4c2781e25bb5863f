// No key, header value or password is ever repeated.
#include "catch.hpp"
#include "parsing.hpp"
#include "temporary_file.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

const std::string kSecret = "s3cr3t-value";

bool holds_secret(const std::string& text) { return text.find(kSecret) != std::string::npos; }

}  // namespace

TEST_CASE("secrets: --api-key is refused with the way to do it and its value is not repeated") {
  const std::string expected =
      "--api-key does not exist: a key there would be seen by everyone on this machine"
      " | export OPENAI_API_KEY=…, or --api-key-env NAME, or --api-key-file F";
  CHECK(error_of("run http://h --api-key " + kSecret) == expected);
  CHECK(error_of("run http://h --api-key=" + kSecret) == expected);
  CHECK(error_of("run --api-key " + kSecret + " http://h --concurency 8") == expected);
  CHECK_FALSE(holds_secret(error_of("run http://h --api_key=" + kSecret)));
  CHECK(error_of("run http://h", {{"INFERMETER_API_KEY", kSecret}})
            .starts_with("INFERMETER_API_KEY does not exist"));
}

TEST_CASE("secrets: no error repeats what may be a key or a header's value") {
  for (const std::string& line : {
           "run http://h --api-kye " + kSecret,
           "run http://h --api-kye=" + kSecret,
           "run http://h -K" + kSecret,
           "run http://h --api-key-env " + kSecret,
           "run http://h -H " + kSecret,
           "run http://h -H Bad(Name:" + kSecret,
           "run http://h -H X:" + kSecret + "\x7f",
           "run http://h --key " + kSecret,
           "run http://me:" + kSecret + "@h",
           "run ftp://me:" + kSecret + "@h",
           "run http://h http://me:" + kSecret + "@h",
           "run ftp://h?api-key=" + kSecret,
           "report --api-key " + kSecret,
       }) {
    CAPTURE(line);
    const std::string error = error_of(line);
    CHECK(error != "no error");
    CHECK_FALSE(holds_secret(error));
  }
}

TEST_CASE("secrets: the shown command line masks header values and credentials") {
  const RunRequest request = run_of({"run", "http://h/v1?api-key=" + kSecret, "-c", "8", "-H",
                                     "X-Auth: " + kSecret, "--proxy", "http://me:" + kSecret + "@p:1",
                                     "--system-prompt", "it's so", "-q", "--no-exact-output", "--osl", "64"});
  CHECK(request.plan.command_line ==
        "infermeter run 'http://h/v1?api-key=****' --concurrency 8 --header 'X-Auth: ****' --proxy "
        "'http://****@p:1' --system-prompt 'it'\\''s so' --quiet --exact-output=false --output-tokens 64");
  CHECK(request.plan.targets.front().headers[0] == Header("X-Auth", kSecret));
  CHECK(request.plan.targets.front().proxy == "http://me:" + kSecret + "@p:1");
}

TEST_CASE("secrets: the shown command line has every one of a repeated option") {
  const RunRequest request =
      run_of({"run", "one=http://h", "two=http://me.example/v1?key=" + kSecret, "-H", "A: " + kSecret, "-H",
              "B: " + kSecret, "--label", "a=1", "--label", "b=2"});
  CHECK(
      request.plan.command_line ==
      "infermeter run one=http://h 'two=http://me.example/v1?key=****' --header 'A: ****' --header 'B: ****' "
      "--label a=1 --label b=2");
}

TEST_CASE("secrets: the key comes from its variable, another one, or a file's first line") {
  const Variables variables{{"OPENAI_API_KEY", "one"}, {"OTHER_KEY", "two"}};
  const TemporaryFile file("  three \r\nrest\n");
  CHECK(plan_of("", variables).targets.front().api_key == "one");
  CHECK(plan_of("--api-key-env OTHER_KEY", variables).targets.front().api_key == "two");
  CHECK(plan_of("--api-key-file " + file.path(), variables).targets.front().api_key == "three");
  CHECK(plan_of("").targets.front().api_key.empty());
}

TEST_CASE("secrets: an Authorization header that was spelled out replaces the key") {
  const RunRequest request =
      run_of({"run", "http://h", "-H", "authorization: Basic abc"}, {{"OPENAI_API_KEY", "one"}});
  CHECK(request.plan.targets.front().api_key.empty());
}

TEST_CASE("secrets: a key that is missing or no header value is refused by its source") {
  const TemporaryFile empty("\nkey\n"), control("a\tb\n");
  CHECK(error_of("run http://h --api-key-env OTHER_KEY") ==
        "--api-key-env: the variable OTHER_KEY is not set");
  CHECK(error_of("run http://h --api-key-env " + kSecret) ==
        "--api-key-env: takes the name of a variable that is set, not the key itself");
  CHECK(error_of("run http://h --api-key-file " + empty.path()) ==
        "--api-key-file: '" + empty.path() + "' has no key in its first line");
  CHECK(error_of("run http://h --api-key-file " + control.path()) ==
        "--api-key-file: the key holds a line break or a control character");
  CHECK(error_of("run http://h", {{"OPENAI_API_KEY", "a\nb"}}) ==
        "OPENAI_API_KEY: the key holds a line break or a control character");
}
