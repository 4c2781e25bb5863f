#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/data/data_formats.hpp"

using infermeter::parse_prompt_lines;
using Lines = std::vector<std::string>;

TEST_CASE("prompt lines: one prompt a line, empty ones skipped, CRLF and byte-order mark left out") {
  CHECK(parse_prompt_lines("f.txt", "\xef\xbb\xbfWhy?\r\n\n  \nWhat {is} it?") ==
        Lines{"Why?", "What {is} it?"});
}

TEST_CASE("prompt lines: a first line that is an object makes it JSONL") {
  CHECK(parse_prompt_lines("f.jsonl", "{\"prompt\": \"a\\nb\", \"id\": 7}\n\n {\"prompt\":\"c\"}\n") ==
        Lines{"a\nb", "c"});
}

TEST_CASE("prompt lines: a bad line is named by file and number") {
  CHECK_THROWS_WITH(
      parse_prompt_lines("f.jsonl", "{\"prompt\":\"a\"}\nplain\n"),
      "--prompt-file f.jsonl, line 2: is not a JSON object (its first line began one, so every line is)");
  CHECK_THROWS_WITH(parse_prompt_lines("f.jsonl", "\n{\"text\":\"a\"}\n"),
                    "--prompt-file f.jsonl, line 2: has no text under \"prompt\"");
  CHECK_THROWS_WITH(parse_prompt_lines("f.jsonl", "{\"prompt\":\"\"}"),
                    "--prompt-file f.jsonl, line 1: has an empty \"prompt\"");
  CHECK_THROWS_WITH(parse_prompt_lines("f.txt", "good\n\xff\xfe\n"),
                    "--prompt-file f.txt, line 2: is not UTF-8");
}

TEST_CASE("prompt lines: a file without a prompt is refused") {
  CHECK_THROWS_WITH(parse_prompt_lines("empty.txt", "\n \n"), "--prompt-file empty.txt: holds no prompt");
}
