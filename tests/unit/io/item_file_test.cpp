#include "io/files/item_file.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "temporary_folder.hpp"
#include "workload/data/data_formats.hpp"

using namespace infermeter;

namespace {

Prompts of_file(std::string file, bool skip = false) {
  Prompts prompts;
  prompts.file = std::move(file);
  prompts.skip_bad_lines = skip;
  return prompts;
}

std::string sample(const std::string& name) { return INFERMETER_TEST_DATA "/workloads/" + name; }

}  // namespace

TEST_CASE("item file: each sample is known by its first bytes and has its items") {
  const auto facts = [](const std::string& name) {
    const OpenedItems opened = open_items(of_file(sample(name)));
    return std::pair(opened.items->format(), opened.items->size());
  };
  using Facts = std::pair<DataFormat, std::uint64_t>;
  CHECK(facts("prompts.txt") == Facts{DataFormat::text, 3});
  CHECK(facts("prompts.jsonl") == Facts{DataFormat::jsonl, 3});
  CHECK(facts("sharegpt.json") == Facts{DataFormat::sharegpt, 2});
  CHECK(facts("batch.jsonl") == Facts{DataFormat::batch, 2});
  CHECK(facts("vllm_custom.jsonl") == Facts{DataFormat::jsonl, 2});
  CHECK(facts("mooncake.jsonl") == Facts{DataFormat::mooncake, 3});
  CHECK(facts("azure.csv") == Facts{DataFormat::azure, 3});
}

TEST_CASE("item file: an item's text and line are those of the file") {
  const auto items = open_items(of_file(sample("prompts.txt"))).items;
  CHECK(items->item(0) == "What is a kernel time stamp?");
  CHECK(items->item(1) == "  Why does a queue grow?");
  CHECK(items->line(1) == 3);
  CHECK(items->item(2) == "Name three rivers.");
}

TEST_CASE("item file: items that have the text of earlier ones are known") {
  const TemporaryFolder folder;
  const auto items = open_items(of_file(folder.write("f.txt", "one\ntwo\none\nthree\none\n"))).items;
  CHECK(items->same_before(0) == 0);
  CHECK(items->same_before(1) == 0);
  CHECK(items->same_before(2) == 1);
  CHECK(items->same_before(3) == 0);
  CHECK(items->same_before(4) == 2);
}

TEST_CASE("item file: a bad line stops it and is named") {
  const TemporaryFolder folder;
  const std::string path = folder.write("f.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":3}\n");
  CHECK(complaint<UsageError>([&] { open_items(of_file(path)); }) == path + ", line 2: `prompt` is not text");
}

TEST_CASE("item file: of an array in one line the item is named") {
  const TemporaryFolder folder;
  const std::string path = folder.write("f.json", "[{\"prompt\":\"a\"}, {\"prompt\":\"b\"}, {\"prompt\":3}]");
  CHECK(complaint<UsageError>([&] { open_items(of_file(path)); }) ==
        path + ", line 1, item 3: `prompt` is not text");
}

TEST_CASE("item file: bad lines are left out and counted where that is asked for") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("f.jsonl", "{\"prompt\":\"a\"}\nno\n{\"prompt\":\"b\"}\n{\"prompt\":\"\"}\n");
  const OpenedItems opened = open_items(of_file(path, true));
  CHECK(opened.items->size() == 2);
  CHECK(opened.items->item(1) == "{\"prompt\":\"b\"}");
  CHECK(opened.skipped == 2);
  CHECK(opened.first_skipped == path + ", line 2: is not a JSON object");
}

TEST_CASE("item file: one without a good item is refused") {
  const TemporaryFolder folder;
  const std::string empty = folder.write("e.txt", "\n \n"), bad = folder.write("b.txt", "\xff\n");
  CHECK(complaint<UsageError>([&] { open_items(of_file(empty)); }) == empty + ": holds no prompt");
  CHECK(complaint<UsageError>([&] { open_items(of_file(bad, true)); }) == bad + ": holds no good item");
}

TEST_CASE("item file: what is no file, or is not there, is refused") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("none");
  CHECK(complaint<UsageError>([&] { open_items(of_file(missing)); }) ==
        "'" + missing + "' cannot be read: No such file or directory");
  CHECK(complaint<UsageError>([&] { open_items(of_file(folder.path())); }) ==
        "'" + folder.path() + "' is not a file");
}

TEST_CASE("item file: a format that is named is not guessed") {
  const TemporaryFolder folder;
  const std::string path = folder.write("f", "{\"prompt\":\"a\"}\n");
  CHECK(open_items(of_file("text:" + path)).items->item(0) == "{\"prompt\":\"a\"}");
  CHECK(open_items(of_file("text:" + path)).path == path);
  CHECK(open_items(of_file("text:" + path)).items->format() == DataFormat::text);
}

TEST_CASE("item file: items longer than what is read at once are whole") {
  const TemporaryFolder folder;
  const std::string first(700'000, 'a'), second(300'000, 'b');
  const auto items = open_items(of_file(folder.write("f.txt", first + "\n" + second + "\nc"))).items;
  REQUIRE(items->size() == 3);
  CHECK(items->item(0) == first);
  CHECK(items->item(1) == second);
  CHECK(items->item(2) == "c");
}

TEST_CASE("item file: an item's place is held and not its text") { CHECK(sizeof(ItemPlace) == 16); }

TEST_CASE("item file: one that has become shorter can no longer be read") {
  const TemporaryFolder folder;
  const std::string path = folder.write("f.txt", "one\ntwo\n");
  const auto items = open_items(of_file(path)).items;
  std::filesystem::resize_file(path, 5);
  CHECK(items->item(0) == "one");
  CHECK(complaint<EnvironmentError>([&] { items->item(1); }) ==
        "cannot read " + path + ": it is shorter than it was");
}

TEST_CASE("trace stamps: offsets from the first one, of each format that has them") {
  using Stamps = std::vector<nanoseconds>;
  const auto stamps = [](const std::string& path) {
    return trace_stamps(*open_items(of_file(path)).items, "f");
  };
  const TemporaryFolder folder;
  CHECK(stamps(sample("mooncake.jsonl")) == Stamps{0s, 250ms, 3s});
  CHECK(stamps(sample("azure.csv")) == Stamps{0s, 52ms, 1'020'040us});
  CHECK(stamps(folder.write("own.jsonl",
                            "{\"prompt\":\"a\",\"timestamp\":1700000000123}\n"
                            "{\"prompt\":\"b\",\"timestamp\":1700000000124.5}\n")) == Stamps{0s, 1500us});
}

TEST_CASE("trace stamps: a file without them, or where one runs back, is refused") {
  const TemporaryFolder folder;
  const auto wrong = [](const std::string& path) {
    return complaint<UsageError>([&] { trace_stamps(*open_items(of_file(path)).items, "f"); });
  };
  CHECK(wrong(sample("prompts.jsonl")) == "f, line 1: has no time stamp");
  CHECK(wrong(folder.write("some.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"timestamp\":4}")) ==
        "f, line 1: has no time stamp");
  CHECK(wrong(folder.write("own.jsonl",
                           "{\"prompt\":\"a\",\"timestamp\":5}\n{\"prompt\":\"b\",\"timestamp\":4}")) ==
        "f, line 2: its time stamp runs back");
}
