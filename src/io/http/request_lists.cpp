#include "io/http/request_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

namespace infermeter {
namespace {

std::string_view name_of(std::string_view line) { return line.substr(0, line.find(':')); }

bool same_header(std::string_view a, std::string_view b) {
  return std::ranges::equal(name_of(a), name_of(b), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::string part(CURLU* url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

// "127.0.0.1" of "localhost:8000:127.0.0.1"; a host that is an address stands for itself.
std::string address_of(const std::string& host, const std::string& port,
                       const std::vector<std::string>& resolve) {
  const std::string own = fmt::format("{}:{}:", host, port);
  for (const auto& entry : resolve) {
    if (entry.starts_with(own)) return entry.substr(own.size());
  }
  return host;
}

}  // namespace

void HeaderList::set(std::vector<std::string> own, const std::vector<std::string>& shared,
                     curl_slist* shared_list) {
  const auto overruled = [&](const std::string& line) {
    return std::ranges::any_of(own, [&](const auto& mine) { return same_header(mine, line); });
  };
  curl_slist* rest = shared_list;
  std::vector<std::string> kept;
  if (std::ranges::any_of(shared, overruled)) {
    std::ranges::copy_if(shared, std::back_inserter(kept), [&](const auto& l) { return !overruled(l); });
    rest = nullptr;
  }
  lines_ = std::move(own);
  std::ranges::move(kept, std::back_inserter(lines_));
  nodes_.assign(lines_.size(), {});
  for (std::size_t i = 0; i < lines_.size(); ++i)
    nodes_[i] = {lines_[i].data(), i + 1 < lines_.size() ? &nodes_[i + 1] : rest};
  list_ = nodes_.empty() ? rest : nodes_.data();
}

void OwnConnection::set(CURL* easy, const std::string& url, const std::string& key,
                        const std::vector<std::string>& resolve, curl_slist* resolve_list) {
  if (key.empty()) {
    if (std::exchange(set_, false)) {
      curl_easy_setopt(easy, CURLOPT_CONNECT_TO, nullptr);
      curl_easy_setopt(easy, CURLOPT_RESOLVE, resolve_list);
    }
    return;
  }
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts(curl_url(), curl_url_cleanup);
  if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return;
  const std::string host = part(parts.get(), CURLUPART_HOST), port = part(parts.get(), CURLUPART_PORT);
  connect_to_ = fmt::format("::{}.conversation.invalid:", key);
  address_ = fmt::format("{}.conversation.invalid:{}:{}", key, port, address_of(host, port, resolve));
  connect_node_ = {connect_to_.data(), nullptr};
  address_node_ = {address_.data(), resolve_list};
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, &connect_node_);
  curl_easy_setopt(easy, CURLOPT_RESOLVE, &address_node_);
  set_ = true;
}

}  // namespace infermeter
