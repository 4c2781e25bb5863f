#include "house_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace infermeter::tidy {
namespace {

using std::string_view;

constexpr std::size_t kMostLines = 500;

struct Floor {
  string_view folder;
  int level;
};
constexpr std::array<Floor, 11> kFloors{{{"base", 0},
                                         {"model", 1},
                                         {"protocol", 2},
                                         {"workload", 2},
                                         {"analysis", 2},
                                         {"report", 2},
                                         {"io", 3},
                                         {"engine", 4},
                                         {"sim", 4},
                                         {"run", 5},
                                         {"cli", 6}}};

/// Which folders may include a library: header prefix → folders. The first matching prefix counts. fmt may be
/// included everywhere except in public headers, so its room is every folder.
struct Room {
  string_view prefix;
  std::array<string_view, 4> folders;
  bool in_tests;  // tests and benchmarks may use it too
};
constexpr std::array<Room, 15> kRooms{{{"CLI/", {"cli"}, false},
                                       {"spdlog/", {"base"}, false},
                                       {"boost/beast", {"sim"}, false},
                                       {"boost/asio", {"sim"}, true},
                                       {"boost/math", {"analysis"}, true},
                                       {"boost/", {"sim", "analysis"}, true},
                                       {"nlohmann/", {"base", "protocol", "report", "sim"}, true},
                                       {"simdjson", {"base", "protocol", "workload", "io"}, true},
                                       {"curl/", {"io"}, true},
                                       {"png.h", {"workload"}, true},
                                       {"sys/epoll.h", {"io"}, true},
                                       {"toml", {"io"}, true},
                                       {"catch2/", {}, true},
                                       {"valijson/", {}, true},
                                       {"openssl/", {}, true}}};
constexpr string_view kFmt = "fmt/";

struct Include {
  string_view name;
  bool quoted = false;
};

string_view trim_left(string_view text) {
  const auto from = text.find_first_not_of(" \t");
  return from == string_view::npos ? string_view{} : text.substr(from);
}

std::optional<Include> parse_include(string_view line) {
  line = trim_left(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trim_left(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = trim_left(line.substr(string_view("include").size()));
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  const bool quoted = line[0] == '"';
  const auto end = line.find(quoted ? '"' : '>', 1);
  if (end == string_view::npos) return std::nullopt;
  return Include{line.substr(1, end - 1), quoted};
}

std::optional<int> floor_level(string_view folder) {
  const auto it = std::ranges::find(kFloors, folder, &Floor::folder);
  return it == kFloors.end() ? std::nullopt : std::optional(it->level);
}

string_view first_part(string_view path) { return path.substr(0, path.find('/')); }

/// The location of a file: its floor's folder (empty for tests and benchmarks), and whether its header is
/// public.
struct Place {
  string_view folder;
  bool is_public = false;
};

Place place_of(string_view path) {
  constexpr string_view include_root = "include/infermeter/";
  if (path.starts_with(include_root)) return {first_part(path.substr(include_root.size())), true};
  if (path.starts_with("src/")) return {first_part(path.substr(4)), false};
  return {};
}

const Room* room_of(string_view header) {
  const auto it =
      std::ranges::find_if(kRooms, [&](const Room& room) { return header.starts_with(room.prefix); });
  return it == kRooms.end() ? nullptr : &*it;
}

/// Public headers are included as infermeter/<folder>/…, those beside the sources as <folder>/….
std::string check_floor(const Place& place, const Include& include) {
  constexpr string_view own = "infermeter/";
  const bool is_public = include.name.starts_with(own);
  const auto folder = first_part(is_public ? include.name.substr(own.size()) : include.name);
  const auto level = floor_level(folder);
  if (!level)
    return is_public ? fmt::format("includes {}, which is on no floor", include.name) : std::string{};
  if (!include.quoted || place.folder.empty() || folder == place.folder) return {};
  const int here = floor_level(place.folder).value_or(-1);
  if (place.is_public && !is_public)
    return fmt::format("a public header includes {}, which is not installed", include.name);
  if (*level > here) return fmt::format("upward include of {} from {}", include.name, place.folder);
  if (*level == here) return fmt::format("{} includes {}: modules of one floor", place.folder, include.name);
  return {};
}

std::string check_room(const Place& place, string_view header) {
  const Room* room = room_of(header);
  if (place.is_public && (room || header.starts_with(kFmt))) {
    return fmt::format("a public header includes the library header {}", header);
  }
  if (!room) return {};
  const bool allowed =
      place.folder.empty() ? room->in_tests : std::ranges::count(room->folders, place.folder) > 0;
  return allowed ? std::string{} : fmt::format("library header {} outside its room", header);
}

std::string check_include(const Place& place, const Include& include) {
  if (!place.folder.empty() && include.name.find("..") != string_view::npos) {
    return fmt::format("include of {} leaves its folder", include.name);
  }
  if (auto breach = check_floor(place, include); !breach.empty()) return breach;
  return check_room(place, include.name);
}

/// A library reads no environment, prints nothing and installs no signal handlers: only the program (cli)
/// does.
std::string check_process(const Place& place, string_view line) {
  if (place.folder.empty() || place.folder == "cli") return {};
  constexpr std::array<string_view, 7> kOfTheProgram{"getenv(",   "stdout",    "stderr",    "fmt::print(",
                                                     "std::cout", "std::cerr", "sigaction("};
  const auto found = std::ranges::find_if(
      kOfTheProgram, [&](string_view word) { return line.find(word) != string_view::npos; });
  return found == kOfTheProgram.end() ? std::string{} : fmt::format("{} outside cli", *found);
}

std::string check_line(const Place& place, string_view line) {
  if (line.find('\t') != string_view::npos) return "a TAB";
  if (auto breach = check_process(place, line); !breach.empty()) return breach;
  // Split, so that this rule does not match itself.
  constexpr std::array<string_view, 2> parts{"using namespace", " std;"};
  if (const auto at = line.find(parts[0]); at != string_view::npos) {
    if (line.substr(at + parts[0].size()).starts_with(parts[1]))
      return "the whole of namespace std is imported";
  }
  const auto include = parse_include(line);
  return include ? check_include(place, *include) : std::string{};
}

/// Only the codecs and the simulator's answers and routes know the differences between endpoints.
bool branches_over_endpoints(string_view path, string_view line) {
  const bool knows = !path.starts_with("src/") || path.starts_with("src/protocol/endpoints/") ||
                     path.starts_with("src/sim/api/") || path == "src/sim/http/routes.cpp";
  constexpr string_view enumerator = "Endpoint::";
  const auto at = line.find(enumerator);
  return !knows && at != string_view::npos && !line.substr(at + enumerator.size()).starts_with("chat");
}

/// The one file through which a library's parser is called: it measures how deep the text is nested before
/// anything recursive sees it.
struct Door {
  string_view file;
  std::array<string_view, 8> calls;
};
constexpr std::array<Door, 3> kDoors{
    {{"src/base/json_tree.hpp",
      {"::parse(", "json::accept(", "Json::accept(", "Tree::accept(", "sax_parse(", "from_cbor(",
       "from_msgpack(", "\"_json"}},
     {"src/base/json_scan.hpp",
      {".iterate(", ".iterate_many(", "parser.parse(", "parser.load(", ".parse_many("}},
     {"src/io/files/config_file.cpp", {"toml::parse(", "toml::parse_file("}}}};

const Door* breached_door(string_view path, string_view line) {
  if (!path.starts_with("src/") && !path.starts_with("include/")) return nullptr;
  const auto door = std::ranges::find_if(kDoors, [&](const Door& d) {
    const bool toml_here =
        path == "src/io/files/config_file.cpp" && line.find("toml::parse(") != string_view::npos;
    return path != d.file && !toml_here && std::ranges::any_of(d.calls, [line](string_view call) {
             return !call.empty() && line.find(call) != string_view::npos;
           });
  });
  return door == kDoors.end() ? nullptr : &*door;
}

std::vector<string_view> lines_of(string_view text) {
  std::vector<string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == string_view::npos ? string_view{} : text.substr(end + 1);
  }
  return lines;
}

bool includes_beast(const SourceFile& file) {
  return std::ranges::any_of(lines_of(file.text), [](string_view line) {
    const auto include = parse_include(line);
    return include && include->name.starts_with("boost/beast");
  });
}

// The type that the line defines at the left margin, or nothing: "struct Block {".
string_view defined_type(string_view line) {
  for (const string_view keyword : {"struct ", "class ", "enum class "}) {
    if (!line.starts_with(keyword) || !line.ends_with("{")) continue;
    const string_view rest = line.substr(keyword.size());
    const auto end = std::ranges::find_if(rest, [](char c) {
      return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != ':';
    });
    const string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    return name.find("::") == string_view::npos ? name : string_view();
  }
  return {};
}

// The namespace of a header, from its first namespace line.
string_view namespace_of(string_view text) {
  const auto at = text.find("\nnamespace infermeter");
  return at == string_view::npos ? string_view() : text.substr(at, text.find('{', at) - at);
}

// Two types with the same name link without an error, and code of one then runs on the other.
std::vector<std::string> check_type_names(const std::vector<SourceFile>& files) {
  std::map<std::pair<string_view, string_view>, string_view> seen;
  std::vector<std::string> breaches;
  for (const auto& file : files) {
    if (!file.path.ends_with(".hpp") || file.path.starts_with("tests/")) continue;
    for (const auto line : lines_of(file.text)) {
      const auto name = defined_type(line);
      if (name.empty()) continue;
      const auto [first, added] = seen.try_emplace({namespace_of(file.text), name}, file.path);
      if (!added && first->second != file.path)
        breaches.push_back(fmt::format("{}: {} has a type of that name, {}", file.path, first->second, name));
    }
  }
  return breaches;
}

}  // namespace

std::vector<std::string> check_file(const SourceFile& file) {
  std::vector<std::string> breaches;
  const Place place = place_of(file.path);
  if (!place.folder.empty() && !floor_level(place.folder)) {
    breaches.push_back(fmt::format("{}: {} is no floor", file.path, place.folder));
  }
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto breach = check_line(place, lines[i]);
    if (!breach.empty()) breaches.push_back(fmt::format("{}:{}: {}", file.path, i + 1, breach));
    if (branches_over_endpoints(file.path, lines[i]))
      breaches.push_back(fmt::format("{}:{}: an endpoint by name: ask its codec", file.path, i + 1));
    if (const Door* door = breached_door(file.path, lines[i]))
      breaches.push_back(
          fmt::format("{}:{}: parsed without a limit of depth: use {}", file.path, i + 1, door->file));
  }
  if (lines.size() > kMostLines) {
    breaches.push_back(fmt::format("{}: {} lines, at most {}", file.path, lines.size(), kMostLines));
  }
  if (file.path.ends_with(".hpp") && std::ranges::find(lines, "#pragma once") == lines.end()) {
    breaches.push_back(fmt::format("{}: no #pragma once", file.path));
  }
  return breaches;
}

std::vector<std::string> check_tree(const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  for (const auto& file : files) {
    if (includes_beast(file)) found.push_back(file.path);
  }
  auto breaches = check_type_names(files);
  if (found.size() > 1)
    breaches.push_back(fmt::format("Beast takes 11 s to compile and belongs in one source, not in: {}",
                                   fmt::join(found, ", ")));
  return breaches;
}

bool cmake_lists(string_view cmake_text, string_view source) {
  constexpr string_view separators = " \t\r\n()";
  for (auto at = cmake_text.find(source); at != string_view::npos; at = cmake_text.find(source, at + 1)) {
    const auto end = at + source.size();
    const bool starts = at == 0 || separators.find(cmake_text[at - 1]) != string_view::npos;
    const bool ends = end == cmake_text.size() || separators.find(cmake_text[end]) != string_view::npos;
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace infermeter::tidy
