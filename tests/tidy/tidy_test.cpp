// The house rules: each is first shown to fail on a literal text, then applied to the whole tree.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "house_rules.hpp"

using infermeter::tidy::check_file;
using infermeter::tidy::check_tree;
using infermeter::tidy::cmake_lists;
using infermeter::tidy::SourceFile;

namespace {

namespace fs = std::filesystem;
using Breaches = std::vector<std::string>;

const fs::path& source_root() {
  static const fs::path root = INFERMETER_SOURCE_DIR;
  return root;
}

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<SourceFile> read_tree() {
  std::vector<SourceFile> files;
  for (const auto* top : {"include", "src", "tests", "bench", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_root() / top)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      files.push_back({fs::relative(entry.path(), source_root()).generic_string(), read_text(entry.path())});
    }
  }
  return files;
}

/// The CMakeLists.txt that has to name a source is the nearest one above it.
fs::path nearest_cmake_folder(fs::path folder) {
  while (!fs::exists(folder / "CMakeLists.txt")) folder = folder.parent_path();
  return folder;
}

Breaches breaches_in(const std::string& path, const std::string& text) { return check_file({path, text}); }

}  // namespace

TEST_CASE("tidy: an include of a higher floor is a breach") {
  CHECK(breaches_in("src/model/plan.cpp", "#include \"infermeter/protocol/sse.hpp\"\n") ==
        Breaches{"src/model/plan.cpp:1: upward include of infermeter/protocol/sse.hpp from model"});
}

TEST_CASE("tidy: an include of a lower floor or of the own folder is allowed") {
  CHECK(breaches_in("src/io/a.cpp",
                    "#include \"infermeter/protocol/b.hpp\"\n#include \"infermeter/io/c.hpp\"\n")
            .empty());
}

TEST_CASE("tidy: modules of one floor do not see each other") {
  CHECK(breaches_in("src/engine/run.cpp", "\n#include \"infermeter/sim/server.hpp\"\n") ==
        Breaches{"src/engine/run.cpp:2: engine includes infermeter/sim/server.hpp: modules of one floor"});
}

TEST_CASE("tidy: an include that climbs out of its folder is a breach") {
  CHECK(breaches_in("src/engine/a.cpp", "#  include \"../sim/b.hpp\"\n") ==
        Breaches{"src/engine/a.cpp:1: include of ../sim/b.hpp leaves its folder"});
}

TEST_CASE("tidy: a header beside the sources of a higher floor is a breach, of a lower one is allowed") {
  CHECK(breaches_in("src/protocol/a.cpp", "#include \"engine/load/pacer.hpp\"\n") ==
        Breaches{"src/protocol/a.cpp:1: upward include of engine/load/pacer.hpp from protocol"});
  CHECK(breaches_in("src/engine/a.cpp", "#include \"protocol/stream/chunk.hpp\"\n").empty());
}

TEST_CASE("tidy: a public header includes only public headers") {
  CHECK(breaches_in("include/infermeter/io/a.hpp", "#pragma once\n#include \"base/text.hpp\"\n") ==
        Breaches{
            "include/infermeter/io/a.hpp:2: a public header includes base/text.hpp, which is not installed"});
}

TEST_CASE("tidy: a folder that is no floor is a breach, in a path and in an include") {
  CHECK(breaches_in("src/misc/a.cpp", "") == Breaches{"src/misc/a.cpp: misc is no floor"});
  CHECK(breaches_in("src/cli/a.cpp", "#include \"infermeter/misc/a.hpp\"\n") ==
        Breaches{"src/cli/a.cpp:1: includes infermeter/misc/a.hpp, which is on no floor"});
}

TEST_CASE("tidy: a library outside its room is a breach") {
  const auto& [path, header] = GENERATE(table<std::string, std::string>({
      {"src/report/a.cpp", "CLI/CLI.hpp"},
      {"src/engine/a.cpp", "boost/asio.hpp"},
      {"src/io/a.cpp", "boost/beast/core.hpp"},
      {"tests/integration/a.cpp", "boost/beast/core.hpp"},
      {"src/report/a.cpp", "boost/math/distributions.hpp"},
      {"src/io/a.cpp", "nlohmann/json.hpp"},
      {"src/report/a.cpp", "simdjson.h"},
      {"src/engine/a.cpp", "curl/curl.h"},
      {"src/engine/a.cpp", "sys/epoll.h"},
      {"src/cli/a.cpp", "toml++/toml.h"},
      {"src/base/a.cpp", "catch2/catch.hpp"},
  }));
  CHECK(breaches_in(path, "#include <" + header + ">\n") ==
        Breaches{path + ":1: library header " + header + " outside its room"});
}

TEST_CASE("tidy: a library in its room is allowed, fmt in every source") {
  const auto& [path, header] = GENERATE(table<std::string, std::string>({
      {"src/cli/a.cpp", "CLI/CLI.hpp"},
      {"src/sim/a.cpp", "boost/beast/core.hpp"},
      {"src/analysis/a.cpp", "boost/math/distributions.hpp"},
      {"src/report/a.cpp", "nlohmann/json.hpp"},
      {"src/io/a.cpp", "simdjson.h"},
      {"tests/unit/report/a.cpp", "nlohmann/json.hpp"},
      {"src/base/a.cpp", "fmt/format.h"},
      {"src/engine/a.cpp", "sys/socket.h"},
  }));
  CHECK(breaches_in(path, "#include <" + header + ">\n").empty());
}

TEST_CASE("tidy: a public header that includes a library is a breach, even in its room") {
  const std::string path = "include/infermeter/io/a.hpp";
  CHECK(breaches_in(path, "#pragma once\n#include <curl/curl.h>\n") ==
        Breaches{path + ":2: a public header includes the library header curl/curl.h"});
  CHECK(breaches_in(path, "#pragma once\n#include <fmt/format.h>\n") ==
        Breaches{path + ":2: a public header includes the library header fmt/format.h"});
}

TEST_CASE("tidy: 500 lines are allowed and 501 are a breach") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "\n";
  CHECK(breaches_in("tests/unit/a.cpp", text).empty());
  CHECK(breaches_in("tests/unit/a.cpp", text + "\n") == Breaches{"tests/unit/a.cpp: 501 lines, at most 500"});
}

TEST_CASE("tidy: a TAB is a breach") {
  CHECK(breaches_in("src/io/a.cpp", "int a;\n\tint b;\n") == Breaches{"src/io/a.cpp:2: a TAB"});
}

TEST_CASE("tidy: a parser called beside its door is a breach") {
  for (const std::string call : {"const auto json = nlohmann::json::parse(text);", "Tree::parse(text)",
                                 "if (Json::accept(text)) return;", "parser.iterate(text)",
                                 "parser.parse(text)", "toml::parse(text)", "toml::parse_file(path)"}) {
    CAPTURE(call);
    CHECK(breaches_in("src/io/a.cpp", call + "\n").size() == 1);
    CHECK(breaches_in("tests/unit/a.cpp", call + "\n").empty());
  }
  CHECK(breaches_in("src/base/json_tree.hpp", "#pragma once\nTree::parse(text);\n").empty());
  CHECK(breaches_in("src/io/files/config_file.cpp", "toml::parse(text, name);\n").empty());
  CHECK(breaches_in("src/base/json_tree.hpp", "#pragma once\nparser.iterate(text);\n") ==
        Breaches{"src/base/json_tree.hpp:2: parsed without a limit of depth: use src/base/json_scan.hpp"});
}

TEST_CASE("tidy: a branch over endpoints outside of their codecs is a breach") {
  const std::string branch = "if (endpoint == Endpoint::messages) return;\n";
  CHECK(breaches_in("src/engine/a.cpp", branch) ==
        Breaches{"src/engine/a.cpp:1: an endpoint by name: ask its codec"});
  CHECK(breaches_in("src/protocol/endpoints/a.cpp", branch).empty());
  CHECK(breaches_in("src/engine/a.cpp", "Endpoint endpoint = Endpoint::chat;\n").empty());
}

TEST_CASE("tidy: the environment, the standard streams and signals are for cli alone") {
  CHECK(breaches_in("src/io/a.cpp", "auto* home = std::getenv(\"HOME\");\n") ==
        Breaches{"src/io/a.cpp:1: getenv( outside cli"});
  CHECK(breaches_in("src/run/a.cpp", "std::fputs(text, stderr);\n") ==
        Breaches{"src/run/a.cpp:1: stderr outside cli"});
  CHECK(breaches_in("src/cli/a.cpp", "std::fputs(text, stderr);\n").empty());
}

TEST_CASE("tidy: importing the whole of std is a breach, its literals are allowed") {
  const std::string import = "using namespace";
  CHECK(breaches_in("src/io/a.cpp", import + " std;\n") ==
        Breaches{"src/io/a.cpp:1: the whole of namespace std is imported"});
  CHECK(breaches_in("src/io/a.cpp", import + " std::chrono_literals;\n").empty());
}

TEST_CASE("tidy: a header without pragma once is a breach") {
  CHECK(breaches_in("src/io/a.hpp", "int a();\n") == Breaches{"src/io/a.hpp: no #pragma once"});
}

TEST_CASE("tidy: two sources with Beast are a breach, one is allowed") {
  const SourceFile first{"src/sim/a.cpp", "#include <boost/beast/core.hpp>\n"};
  const SourceFile second{"src/sim/b.cpp", "#include <boost/beast/http.hpp>\n"};
  CHECK(check_tree({first}).empty());
  CHECK(check_tree({first, second}) ==
        Breaches{
            "Beast takes 11 s to compile and belongs in one source, not in: src/sim/a.cpp, src/sim/b.cpp"});
}

TEST_CASE("tidy: two headers of one namespace may not define types of one name") {
  const SourceFile first{"src/cli/a.hpp", "\nnamespace infermeter {\nstruct Block {\n};\n"};
  const SourceFile second{"src/analysis/b.hpp", "\nnamespace infermeter {\nclass Block final : X {\n};\n"};
  const SourceFile other{"src/sim/c.hpp", "\nnamespace infermeter::sim {\nstruct Block {\n};\n"};
  CHECK(check_tree({first, other}).empty());
  CHECK(check_tree({first, second}) ==
        Breaches{"src/analysis/b.hpp: src/cli/a.hpp has a type of that name, Block"});
}

TEST_CASE("tidy: a source is listed only where CMake names it whole") {
  CHECK(cmake_lists("infermeter_floor(io SOURCES files.cpp)", "files.cpp"));
  CHECK_FALSE(cmake_lists("infermeter_floor(io SOURCES records_files.cpp)", "files.cpp"));
  CHECK_FALSE(cmake_lists("infermeter_floor(io SOURCES b.cpp)", "files.cpp"));
}

TEST_CASE("tidy: no file of the tree breaks a house rule") {
  const auto files = read_tree();
  REQUIRE(files.size() > 20);
  for (const auto& file : files) CHECK(check_file(file) == Breaches{});
  CHECK(check_tree(files) == Breaches{});
}

TEST_CASE("tidy: every source is listed by name in CMake") {
  for (const auto& file : read_tree()) {
    const auto path = source_root() / file.path;
    if (path.extension() != ".cpp") continue;
    const auto folder = nearest_cmake_folder(path.parent_path());
    INFO(file.path << " in " << folder);
    CHECK(cmake_lists(read_text(folder / "CMakeLists.txt"), fs::relative(path, folder).generic_string()));
  }
}

TEST_CASE("tidy: README.md has at most 150 lines and leads to every command") {
  const std::string readme = read_text(source_root() / "README.md");
  CHECK(std::ranges::count(readme, '\n') <= 150);
  for (const auto* command : {"run", "gate", "simulate", "compare", "report"}) {
    CAPTURE(command);
    CHECK(readme.find("infermeter " + std::string(command)) != std::string::npos);
  }
  for (const auto* page : {"README", "compare", "gate", "reports", "shards"}) {
    CAPTURE(page);
    CHECK(readme.find("](docs/" + std::string(page) + ".md)") != std::string::npos);
  }
}
