#include "io/http/curl_state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/http/authorities.hpp"
#include "io/http/proxy.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

template <typename Value>
void set(CURL* easy, CURLoption option, Value value, std::string_view name, std::string_view text) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code != CURLE_OK)
    throw UsageError(fmt::format("{}: '{}' is refused: {}", name, text, curl_easy_strerror(code)));
}

void refuse_unreadable(std::string_view option, const std::string& file) {
  if (file.empty() || access(file.c_str(), R_OK) == 0) return;
  throw UsageError(
      fmt::format("{}: '{}' cannot be read: {}", option, file, std::generic_category().message(errno)));
}

bool is_plain(const Target& target) { return target.url.starts_with("http://"); }

void set_tls(CURL* easy, const Target& target) {
  if (!target.verify_tls) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  refuse_unreadable("--cacert", target.ca_file);
  if (target.verify_tls && target.ca_file.empty() && !is_plain(target)) {
    const std::string file = trusted_authorities();
    if (!file.empty()) set(easy, CURLOPT_CAINFO, file.c_str(), "certificate authorities", file);
  }
  refuse_unreadable("--cert", target.cert_file);
  refuse_unreadable("--key", target.key_file);
  if (!target.ca_file.empty()) set(easy, CURLOPT_CAINFO, target.ca_file.c_str(), "--cacert", target.ca_file);
  if (!target.cert_file.empty())
    set(easy, CURLOPT_SSLCERT, target.cert_file.c_str(), "--cert", target.cert_file);
  if (!target.key_file.empty()) set(easy, CURLOPT_SSLKEY, target.key_file.c_str(), "--key", target.key_file);
}

// HTTP/2 over plain TCP only with prior knowledge: an upgrade would put a second response before the first.
void set_http_version(CURL* easy, const Target& target) {
  if (!target.http2) {
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    return;
  }
  const bool plain = is_plain(target);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   static_cast<long>(plain ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
}

// We choose the proxy, not libcurl (proxy.hpp), so that the proxy in the header line is the one in use.
void set_proxy(CURL* easy, const Target& target) {
  const std::string proxy = proxy_in_use(target);
  set(easy, CURLOPT_PROXY, proxy.c_str(), "--proxy", mask_url(proxy));
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!proxy.starts_with("https:")) return;
  const std::string file = trusted_authorities();
  if (!file.empty()) set(easy, CURLOPT_PROXY_CAINFO, file.c_str(), "certificate authorities", file);
}

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

// "127.0.0.1" from "localhost:8000:127.0.0.1"; a host that is an address is used as is.
std::string address_of(const std::string& host, const std::string& port,
                       const std::vector<std::string>& resolve) {
  const std::string own = fmt::format("{}:{}:", host, port);
  for (const auto& entry : resolve) {
    if (entry.starts_with(own)) return entry.substr(own.size());
  }
  return host;
}

}  // namespace

// These two versions put a second HTTP/2 layer onto a reused connection (curl's pull request 10643).
bool reuses_plain_http2() {
  const unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;
  return version < 0x075800 || version > 0x075801;
}

void set_connection_options(CURL* easy, const TransportOptions& options) {
  const Target& target = options.target;
  set_tls(easy, target);
  set_http_version(easy, target);
  set_proxy(easy, target);
  if (!target.unix_socket.empty()) {
    set(easy, CURLOPT_UNIX_SOCKET_PATH, target.unix_socket.c_str(), "--unix-socket", target.unix_socket);
  }
  if (target.fresh_connections || (target.http2 && is_plain(target) && !reuses_plain_http2())) {
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  }
  const auto connect_ms = std::chrono::ceil<std::chrono::milliseconds>(options.connect_timeout).count();
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_ms));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION,
                   0L);  // a redirect would send api-key headers to another host
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, options.any_encoding ? "" : "identity");
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, static_cast<long>(kReadSize));
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16L * 1024);  // else curl 8.14 uses 74 kB per stream
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
}

std::string server_of(const std::string& url, const std::string& unix_socket) {
  if (!unix_socket.empty()) return unix_socket;
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts(curl_url(), curl_url_cleanup);
  if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  return fmt::format("{}:{}", part(parts.get(), CURLUPART_HOST), part(parts.get(), CURLUPART_PORT));
}

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
