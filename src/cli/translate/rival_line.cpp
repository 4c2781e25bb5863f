#include "cli/translate/rival_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

using Line = std::vector<std::string>;

/// A program with its subcommands: the words behind these are options.
struct Program {
  std::string_view name;
  std::array<std::string_view, 3> subcommands;  // one of them may follow, and the next one behind it
  bool needs_subcommand;
  Rival rival;
};
constexpr Program kPrograms[] = {
    {"vllm", {"bench", "serve", ""}, true, Rival::vllm},
    {"benchmark_serving.py", {"", "", ""}, false, Rival::vllm},
    {"aiperf", {"profile", "", ""}, true, Rival::aiperf},
    {"genai-perf", {"profile", "", ""}, true, Rival::genai_perf},
    {"guidellm", {"benchmark", "run", ""}, false, Rival::guidellm},
    {"sglang.bench_serving", {"", "", ""}, false, Rival::sglang},
    {"bench_serving.py", {"", "", ""}, false, Rival::sglang},
    {"token_benchmark_ray.py", {"", "", ""}, false, Rival::llmperf},
};

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::ranges::all_of(word.substr(0, equals),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// What starts a program and is none of it.
bool is_launcher(std::string_view word) {
  constexpr std::array<std::string_view, 9> kLaunchers{"uv",   "run", "uvx",  "-m", "exec",
                                                       "time", "env", "sudo", "$"};
  return std::ranges::find(kLaunchers, word) != kLaunchers.end() || file_name(word).starts_with("python") ||
         is_assignment(word);
}

[[noreturn]] void refuse_subcommand(const Program& program, std::string_view word) {
  throw UsageError(fmt::format("{} {}: no line that measures a server", program.name, word),
                   fmt::format("infermeter translate takes a line of {}.", title_of(program.rival)));
}

/// Moves `at` behind the subcommands.
void skip_subcommands(const Program& program, const Line& words, std::size_t& at) {
  for (const auto subcommand : program.subcommands) {
    if (subcommand.empty()) return;
    if (at < words.size() && words[at] == subcommand)
      ++at;
    else if (program.needs_subcommand)
      refuse_subcommand(program, at < words.size() ? words[at] : "");
  }
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

}  // namespace

std::vector<std::string> shell_words(std::string_view text) {
  Line words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      begun = true;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      if (text[++i] != '\n') word += text[i], begun = true;
    } else if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::optional<RivalLine> read_rival_line(const Line& given) {
  const bool one_text = given.size() == 1 && given[0].find_first_of(" \n") != std::string::npos;
  const Line words = one_text ? shell_words(given[0]) : given;
  std::size_t at = 0;
  while (at < words.size() && is_launcher(words[at])) ++at;
  if (at == words.size()) return std::nullopt;
  const auto* program = std::ranges::find(kPrograms, file_name(words[at]), &Program::name);
  if (program == std::end(kPrograms)) return std::nullopt;
  skip_subcommands(*program, words, ++at);
  return RivalLine{program->rival, {words.begin() + static_cast<std::ptrdiff_t>(at), words.end()}};
}

std::optional<Rival> likely_rival(const Line& words) {
  constexpr std::array kAll{Rival::vllm,   Rival::aiperf,     Rival::guidellm,
                            Rival::sglang, Rival::genai_perf, Rival::llmperf};
  std::optional<Rival> best;
  std::ptrdiff_t most = 0;
  for (const auto rival : kAll) {
    const auto known = std::ranges::count_if(words, [&](const std::string& word) {
      const std::string name = option_name(word);
      return name.size() > 1 && find_rival_option(rival, name) != nullptr;
    });
    if (known > most) best = rival, most = known;
  }
  return best;
}

std::string option_name(std::string_view word) {
  if (!is_option(word)) return {};
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  std::string name(word.substr(0, word.find('=')));
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace infermeter
