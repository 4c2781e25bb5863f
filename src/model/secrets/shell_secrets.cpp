#include "model/secrets/shell_secrets.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "model/secrets/secret_values.hpp"

namespace infermeter {
namespace {

/// A part of a command, from a byte to before another.
struct CommandSpan {
  std::size_t from = 0, to = 0;
  std::string_view in(std::string_view command) const { return command.substr(from, to - from); }
};

bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The words as the shell divides them: quotes and backslashes keep white space in a word. The spans hold the
/// quotes as well.
std::vector<CommandSpan> words_of(std::string_view command) {
  std::vector<CommandSpan> words;
  std::size_t at = 0;
  while (at < command.size()) {
    while (at < command.size() && (is_white(command[at]) || command[at] == ';')) ++at;
    CommandSpan word{at, at};
    char quote = 0;
    for (; at < command.size(); ++at) {
      const char c = command[at];
      if (quote == 0 && (is_white(c) || c == ';')) break;
      if (c == '\\' && quote != '\'') {
        ++at;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    word.to = std::min(at, command.size());
    if (word.to > word.from) words.push_back(word);
  }
  return words;
}

/// Without the quotes around it: the begin of a value may be quoted by itself (--token='…').
CommandSpan unquoted(std::string_view command, CommandSpan span) {
  while (span.to > span.from && (command[span.from] == '"' || command[span.from] == '\'')) ++span.from;
  while (span.to > span.from && (command[span.to - 1] == '"' || command[span.to - 1] == '\'')) --span.to;
  return span;
}

/// The letter of a cluster of curl's flags that takes a value (-sSH, -fu): its place; npos: there is none.
std::size_t valued_flag(std::string_view word) {
  constexpr std::string_view kWithoutValue = "#01236afgGiIjJklLnNOpqRsSvZ";
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return std::string_view::npos;
  const std::size_t at = word.find_first_not_of(kWithoutValue, 1);
  return at != std::string_view::npos && std::string_view("HuUb").find(word[at]) != std::string_view::npos
             ? at
             : std::string_view::npos;
}

/// Collects what is secret in a command, in order and without overlaps.
class CommandReader {
 public:
  explicit CommandReader(std::string_view command) : command_(command) { read(words_of(command)); }

  const std::vector<CommandSpan>& spans() const { return spans_; }
  std::vector<Secret> take_secrets() { return std::move(secrets_); }

 private:
  void read(std::vector<CommandSpan> words);
  bool read_inside(CommandSpan word);
  bool read_option(std::size_t& i);
  bool read_cluster(std::size_t& i, std::size_t flag);
  bool read_password(std::size_t& i);
  bool read_credentials(std::size_t& i);
  void read_assignment(CommandSpan word);
  void read_word(CommandSpan word);
  void read_header(CommandSpan header);
  void read_members(CommandSpan word);
  void read_url(CommandSpan word);
  void hide(CommandSpan span);
  void keep(Secret secret);

  std::string_view command_;
  std::vector<CommandSpan> words_, spans_;
  std::vector<Secret> secrets_;
};

void CommandReader::read(std::vector<CommandSpan> words) {
  words.swap(words_);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (read_option(i)) continue;
    if (!read_inside(words_[i])) read_assignment(unquoted(command_, words_[i]));
    read_word(unquoted(command_, words_[i]));
  }
  words.swap(words_);
}

/// A quoted word may be a command itself: sh -c 'API_KEY=… serve'.
bool CommandReader::read_inside(CommandSpan word) {
  const CommandSpan inside = unquoted(command_, word);
  if (inside.from == word.from) return false;
  std::vector<CommandSpan> words = words_of(inside.in(command_));
  if (words.size() < 2) return false;
  for (auto& one : words) one = {one.from + inside.from, one.to + inside.from};
  return read(std::move(words)), true;
}

/// An option whose value is the next word, or follows it directly.
bool CommandReader::read_option(std::size_t& i) {
  constexpr std::array<std::string_view, 4> kHeader{"-H", "--header", "--proxy-header", "--headers"};
  const std::string_view word = words_[i].in(command_);
  const bool last = i + 1 == words_.size();
  const std::size_t flag = valued_flag(word);
  if (flag != std::string_view::npos && flag > 1 && command_.find("curl") != std::string_view::npos) {
    return read_cluster(i, flag);
  }
  for (const auto name : kHeader) {
    if (word == name && !last) return read_header(unquoted(command_, words_[++i])), true;
    const bool attached =
        word.starts_with(name) && word.size() > name.size() && (word[name.size()] == '=' || name.size() == 2);
    if (!attached) continue;
    const std::size_t skip = name.size() + (word[name.size()] == '=' ? 1 : 0);
    return read_header(unquoted(command_, {words_[i].from + skip, words_[i].to})), true;
  }
  if (read_credentials(i) || read_password(i)) return true;
  const bool option = word.starts_with("--") && word.find('=') == std::string_view::npos;
  if (!option || !names_secret(word) || last) return false;
  if (words_[i + 1].in(command_).starts_with('-')) return false;
  hide(unquoted(command_, words_[++i]));
  return true;
}

/// -sSH 'K: V' and -fu user:password of curl: the value follows the last letter, or is the next word.
bool CommandReader::read_cluster(std::size_t& i, std::size_t flag) {
  const char letter = words_[i].in(command_)[flag];
  const bool own_word = words_[i].to - words_[i].from == flag + 1;
  if (own_word && i + 1 == words_.size()) return false;
  const CommandSpan value =
      unquoted(command_, own_word ? words_[i + 1] : CommandSpan{words_[i].from + flag + 1, words_[i].to});
  if (letter != 'H' && value.in(command_).find(letter == 'b' ? '=' : ':') == std::string_view::npos)
    return false;
  if (own_word) ++i;
  return letter == 'H' ? read_header(value) : hide(value), true;
}

/// The short options for a password of some programs.
bool CommandReader::read_password(std::size_t& i) {
  struct PasswordOption {
    std::string_view program, option;
    bool attached;
  };
  constexpr std::array<PasswordOption, 4> kOptions{
      {{"sshpass", "-p", false}, {"redis-cli", "-a", false}, {"mysql", "-p", true}, {"login", "-p", false}}};
  const std::string_view word = words_[i].in(command_);
  for (const auto& [program, option, attached] : kOptions) {
    if (!word.starts_with(option) || command_.find(program) == std::string_view::npos) continue;
    if (word.size() > option.size())
      return hide(unquoted(command_, {words_[i].from + option.size(), words_[i].to})), true;
    if (attached || i + 1 == words_.size()) continue;
    return hide(unquoted(command_, words_[++i])), true;
  }
  return false;
}

/// -u user:password and -b name=value of curl, in their long forms too.
bool CommandReader::read_credentials(std::size_t& i) {
  constexpr std::array<std::pair<std::string_view, char>, 7> kOptions{{{"--user", ':'},
                                                                       {"--proxy-user", ':'},
                                                                       {"--userpwd", ':'},
                                                                       {"--cookie", '='},
                                                                       {"-u", ':'},
                                                                       {"-U", ':'},
                                                                       {"-b", '='}}};
  const std::string_view word = words_[i].in(command_);
  for (const auto& [name, mark] : kOptions) {
    const bool short_one = name.size() == 2;
    if (!word.starts_with(name) || (short_one && command_.find("curl") == std::string_view::npos)) continue;
    const bool own_word = word.size() == name.size();
    if (own_word ? i + 1 == words_.size() : !short_one && word[name.size()] != '=') continue;
    const std::size_t skip = name.size() + (short_one ? 0 : 1);
    const CommandSpan value =
        unquoted(command_, own_word ? words_[i + 1] : CommandSpan{words_[i].from + skip, words_[i].to});
    if (value.in(command_).find(mark) == std::string_view::npos) continue;
    if (own_word) ++i;
    return hide(value), true;
  }
  return false;
}

/// NAME=value, --name=value, --env=NAME=value.
void CommandReader::read_assignment(CommandSpan word) {
  const std::string_view text = word.in(command_);
  const std::size_t scheme = text.find("://");
  for (std::size_t equals = text.find('='); equals < scheme; equals = text.find('=', equals + 1)) {
    // os.environ["KEY"]="…" is one, {"key": "a=b"} and a text are none.
    const std::string_view name = text.substr(0, equals);
    const bool is_name = name.find_first_of(" {") == std::string_view::npos &&
                         (name.find('"') == std::string_view::npos || name.ends_with("\"]"));
    if (is_name && names_secret(name)) return hide(unquoted(command_, {word.from + equals + 1, word.to}));
  }
}

/// A URL, a header or a member of JSON.
void CommandReader::read_word(CommandSpan word) {
  const std::string_view text = word.in(command_);
  if (text.find("://") != std::string_view::npos) read_url(word);
  read_members(word);
}

void CommandReader::read_header(CommandSpan header) {
  const std::string_view text = header.in(command_);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return;
  const std::size_t begin = std::min(text.find_first_not_of(" \t", colon + 1), text.size());
  const CommandSpan value{header.from + begin, header.to};
  if (value.from == value.to) return;
  spans_.push_back(value);
  for (auto& secret : secrets_in_header(text.substr(0, colon), value.in(command_))) {
    if (secret.value.find('$') == std::string::npos) keep(std::move(secret));
  }
}

/// "api_key": "…" in a body, and "Bearer …" in any text.
void CommandReader::read_members(CommandSpan word) {
  const std::string_view text = word.in(command_);
  constexpr std::string_view kBearer = "bearer ";
  const std::string low = lower_case(text);
  for (std::size_t at = low.find(kBearer); at != std::string::npos; at = low.find(kBearer, at + 1)) {
    const std::size_t begin = at + kBearer.size();
    hide({word.from + begin, word.from + std::min(text.find_first_of(" \"'", begin), text.size())});
  }
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const std::size_t name_end = text.find_last_not_of(" \t\\\"'", colon == 0 ? 0 : colon - 1);
    if (name_end == std::string_view::npos || name_end + 1 == colon) continue;  // not quoted: no member
    const std::size_t before = text.find_last_of("\"'", name_end);
    const std::size_t name = before == std::string_view::npos ? 0 : before + 1;
    if (!names_secret(text.substr(name, name_end + 1 - name))) continue;
    const std::size_t open = text.find_first_of("\"'", colon);
    if (open == std::string_view::npos || text.find_first_not_of(" \t\\", colon + 1) != open) continue;
    const std::size_t close = std::min(text.find_first_of("\\\"'", open + 1), text.size());
    hide({word.from + open + 1, word.from + close});
  }
}

void CommandReader::read_url(CommandSpan word) {
  const std::string_view text = word.in(command_);
  const std::size_t query = std::min(text.find('?'), text.size());
  const std::size_t at_sign = text.rfind('@', query);
  const std::string_view before_at = text.substr(0, at_sign == std::string_view::npos ? 0 : at_sign);
  for (const auto& secret : secrets_in_url(text)) {
    if (secret.value.empty()) continue;
    if (before_at.ends_with(secret.value))
      hide({word.from + before_at.size() - secret.value.size(), word.from + before_at.size()});
    const std::string pair = "=" + secret.value;
    for (std::size_t next = text.find(pair, query); next != std::string_view::npos;
         next = text.find(pair, next + 1))
      hide({word.from + next + 1, word.from + next + pair.size()});
  }
}

void CommandReader::hide(CommandSpan span) {
  if (span.from >= span.to) return;
  spans_.push_back(span);
  const std::string_view value = span.in(command_);
  if (value.find('$') != std::string_view::npos) return;  // the shell fills it in
  keep({std::string(value)});
  const std::size_t mark = value.find_first_of(":=");
  if (mark != std::string_view::npos) keep({std::string(value.substr(mark + 1))});
}

void CommandReader::keep(Secret secret) {
  if (std::ranges::find(secrets_, secret.value, &Secret::value) == secrets_.end())
    secrets_.push_back(std::move(secret));
}

}  // namespace

std::string mask_command(std::string_view command) {
  std::vector<CommandSpan> spans = CommandReader(command).spans();
  std::ranges::sort(spans, {}, &CommandSpan::from);
  std::string out;
  std::size_t at = 0;
  for (const auto& span : spans) {
    if (span.to <= at) continue;
    if (span.from >= at) {
      out += command.substr(at, span.from - at);
      out += "****";
    }
    at = span.to;
  }
  out += command.substr(at);
  return out;
}

std::vector<Secret> secrets_in_command(std::string_view command) {
  return CommandReader(command).take_secrets();
}

}  // namespace infermeter
