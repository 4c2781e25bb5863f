#include "protocol/http/outcome.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "protocol/http/loose_json.hpp"
#include "protocol/http/refused_fields.hpp"
#include "protocol/http/server_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMessageBytes = 1024;

bool looks_like_html(std::string_view body) { return body.starts_with('<'); }

std::string html_message(std::string_view body) {
  const std::string lower = lower_case(body);
  const std::size_t open = lower.find("<title");
  const std::size_t begin = open == std::string::npos ? open : lower.find('>', open);
  const std::size_t end = begin == std::string::npos ? begin : lower.find("</title", begin);
  if (end == std::string::npos) return "an HTML page";
  return "an HTML page: " + std::string(trim(body.substr(begin + 1, end - begin - 1)));
}

}  // namespace

ErrorBody read_error_body(int status, std::string_view body, const Secrets& secrets, bool was_cut) {
  ErrorBody out;
  body = trim(body);
  if (looks_like_html(body)) {
    out.html = true;
    out.message = one_line(secrets.mask(html_message(body)), kMessageBytes);
    return out;
  }
  const std::string words = raw_server_words(body);
  out.message = one_line(secrets.mask(words, was_cut), kMessageBytes);
  read_refusal(status, parsed(body), one_line(words, kMessageBytes), out);
  return out;
}

Outcome http_outcome(int status, const ErrorBody& body) {
  const bool of_the_request = status == 400 || status == 422 || status == 500;
  return of_the_request && !body.refused_fields.empty() ? Outcome::param_rejected : Outcome::http_error;
}

}  // namespace infermeter
