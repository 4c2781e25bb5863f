#include "report/text/page.hpp"

#include <algorithm>

#include "report/media/media.hpp"
#include "report/page/html_parts.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLongestProse = 100;
constexpr std::string_view kBetweenItems = "   ";

std::string_view escape_of(Style style) {
  switch (style) {
    case Style::bold:
      return "\x1b[1m";
    case Style::dim:
      return "\x1b[2m";
    case Style::good:
      return "\x1b[32m";
    case Style::bad:
      return "\x1b[1;31m";
    case Style::warn:
      return "\x1b[33m";
    case Style::plain:
      break;
  }
  return {};
}

bool blank_text(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

void trim_right(std::string& text) {
  while (text.ends_with(' ')) text.pop_back();
}

}  // namespace

std::string Page::printable_text(std::string_view text) const { return terminal_text(text, options_.ascii); }

void Page::append(const Span& span) {
  const std::string_view escape =
      options_.color && !blank_text(span.text) ? escape_of(span.style) : std::string_view{};
  out_ += escape;
  out_ += printable_text(span.text);
  if (!escape.empty()) out_ += "\x1b[0m";
}

void Page::blank() {
  if (!html()) out_ += '\n';
}

void Page::line(const std::vector<Span>& spans) {
  if (html()) {
    out_ += html_line(spans);
    return;
  }
  // Trailing spaces are cut before styling, since an escape sequence would hide them.
  std::size_t last = spans.size();
  while (last > 0 && blank_text(spans[last - 1].text)) --last;
  for (std::size_t i = 0; i < last; ++i) {
    Span span = spans[i];
    if (i + 1 == last) trim_right(span.text);
    append(span);
  }
  out_ += '\n';
}

void Page::items(std::string_view label, const std::vector<Span>& items, std::size_t indent) {
  if (html()) {
    out_ += html_items(label, items);
    return;
  }
  std::vector<Span> spans;
  std::size_t used = 0;
  if (!label.empty()) {
    spans.push_back({pad_right(std::string(label) + " ", indent), Style::plain});
    used = columns(spans.back().text);
  }
  bool first = true;
  for (const auto& item : items) {
    const std::size_t taken = columns(printable_text(item.text));
    if (!first && used + kBetweenItems.size() + taken > options_.width) {
      line(spans);
      spans = {{std::string(indent, ' '), Style::plain}};
      used = indent;
    } else if (!first) {
      spans.push_back({std::string(kBetweenItems), Style::plain});
      used += kBetweenItems.size();
    }
    // One that is wider than the page continues below itself.
    const std::size_t room = options_.width > used + 1 ? options_.width - used : 0;
    const auto parts = taken > room && room > 0 ? wrap(item.text, room) : std::vector<std::string>{item.text};
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      spans.push_back({parts[i], item.style});
      line(spans);
      spans = {{std::string(used, ' '), Style::plain}};
    }
    spans.push_back({parts.empty() ? item.text : parts.back(), item.style});
    used += columns(printable_text(spans.back().text));
    first = false;
  }
  line(spans);
}

void Page::prose(const Span& first, std::string_view text, Style style) {
  if (html()) {
    out_ += html_prose(first, {std::string(text), style});
    return;
  }
  const std::size_t indent = columns(printable_text(first.text));
  const std::size_t room = std::min<std::size_t>(options_.width, kLongestProse);
  Span lead = first;
  for (const auto& words : wrap(printable_text(text), room > indent + 20 ? room - indent : 20)) {
    line({lead, {words, style}});
    lead = {std::string(indent, ' '), Style::plain};
  }
}

}  // namespace infermeter
