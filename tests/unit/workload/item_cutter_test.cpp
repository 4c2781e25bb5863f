#include "workload/data/item_cutter.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using Texts = std::vector<std::string>;

namespace {

/// The items of a file that arrives in pieces of this size, each with its line: "2:text".
Texts cut(DataFormat format, std::string_view file, std::size_t piece = 1000) {
  ItemCutter cutter("f", format);
  std::vector<ItemPlace> places;
  for (std::size_t at = 0; at < file.size(); at += piece) cutter.feed(file.substr(at, piece), places);
  cutter.finish(places);
  Texts texts;
  for (const ItemPlace& place : places)
    texts.push_back(std::to_string(place.line) + ":" + std::string(file.substr(place.offset, place.length)));
  return texts;
}

}  // namespace

TEST_CASE("item cutter: lines without empty ones, carriage returns and byte-order mark") {
  CHECK(cut(DataFormat::text, "\xef\xbb\xbfone\r\n\n \t\n two \nthree") ==
        Texts{"1:one", "4: two ", "5:three"});
  CHECK(cut(DataFormat::text, "one\n").size() == 1);
  CHECK(cut(DataFormat::text, "").empty());
  CHECK(cut(DataFormat::text, "\n\r\n").empty());
}

TEST_CASE("item cutter: a first character that begins like a byte-order mark is kept") {
  CHECK(cut(DataFormat::text, "\xef\xbc\x81", 1) == Texts{"1:\xef\xbc\x81"});
  CHECK(cut(DataFormat::text, "\xef", 1) == Texts{"1:\xef"});
}

TEST_CASE("item cutter: plain text that begins with a bracket is lines") {
  CHECK(cut(DataFormat::text, "[a]\n[b]") == Texts{"1:[a]", "2:[b]"});
}

TEST_CASE("item cutter: the elements of an array, however spaced") {
  CHECK(cut(DataFormat::sharegpt, "\n[{\"a\":1},{\"b\": [2,{}]}]\n") ==
        Texts{"2:{\"a\":1}", "2:{\"b\": [2,{}]}"});
  CHECK(cut(DataFormat::sharegpt, "[ {\n} ,\n\n {\"c\":3}\t\n]") == Texts{"1:{\n}", "4:{\"c\":3}"});
  CHECK(cut(DataFormat::sharegpt, "[1, \"x\" , null]") == Texts{"1:1", "1:\"x\"", "1:null"});
  CHECK(cut(DataFormat::sharegpt, "[ ]").empty());
}

TEST_CASE("item cutter: brackets, commas and quotes within strings cut nothing") {
  CHECK(cut(DataFormat::sharegpt, R"([{"a":"],}\"["},{"b":"\\"}])") ==
        Texts{R"(1:{"a":"],}\"["})", R"(1:{"b":"\\"})"});
}

TEST_CASE("item cutter: a file cut at any byte is the same file") {
  const std::string array = "\xef\xbb\xbf [ {\"a\": \"\\\\\\\" ],\"}, \n {\"b\":[1,2]} ] \n";
  const std::string lines = "\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"b\":2}";
  const std::string rows = "TIMESTAMP,ContextTokens,GeneratedTokens\r\nx,1,2\r\n";
  for (const std::size_t piece : {1u, 2u, 3u, 5u, 7u}) {
    CHECK(cut(DataFormat::jsonl, array, piece) == cut(DataFormat::jsonl, array));
    CHECK(cut(DataFormat::jsonl, lines, piece) == cut(DataFormat::jsonl, lines));
    CHECK(cut(DataFormat::azure, rows, piece) == Texts{"2:x,1,2"});
  }
  CHECK(cut(DataFormat::jsonl, array).size() == 2);
  CHECK(cut(DataFormat::jsonl, lines) == Texts{"1:{\"a\":1}", "3:{\"b\":2}"});
}

TEST_CASE("item cutter: a broken array says where") {
  CHECK_THROWS_WITH(cut(DataFormat::sharegpt, "[{},\n{}"), "f, line 2: the file ends inside its array");
  CHECK_THROWS_WITH(cut(DataFormat::sharegpt, "[{},\n,{}]"), "f, line 2: an element of the array is missing");
  CHECK_THROWS_WITH(cut(DataFormat::sharegpt, "[{},]"), "f, line 1: an element of the array is missing");
  CHECK_THROWS_WITH(cut(DataFormat::sharegpt, "[{}]\n\n{}"), "f, line 3: something follows the array");
}

TEST_CASE("item cutter: only bytes of an item that is not complete are still needed") {
  ItemCutter cutter("f", DataFormat::jsonl);
  std::vector<ItemPlace> places;
  cutter.feed("{\"a\":1}\n{\"b\"", places);
  CHECK(cutter.needed_from() == 8);
  cutter.feed(":2}\n", places);
  CHECK(cutter.needed_from() == 16);
}
