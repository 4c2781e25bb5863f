#include "io/http/authorities.hpp"

#include <curl/curl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

bool is_readable(const char* path) { return path != nullptr && access(path, R_OK) == 0; }

}  // namespace

const std::vector<std::string>& authority_files() {
  static const std::vector<std::string> files = {
      "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Alpine with ca-certificates
      "/etc/pki/tls/certs/ca-bundle.crt",    // Red Hat, Fedora, Amazon
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
      "/etc/ssl/ca-bundle.pem",  // SUSE
      "/etc/ssl/cert.pem",       // Alpine
  };
  return files;
}

std::string first_readable(const std::vector<std::string>& files) {
  const auto it = std::ranges::find_if(files, [](const auto& file) { return is_readable(file.c_str()); });
  return it == files.end() ? std::string() : *it;
}

std::string trusted_authorities() {
  const curl_version_info_data* built = curl_version_info(CURLVERSION_NOW);
  if (is_readable(built->cainfo)) return built->cainfo;
  if (std::string file = first_readable(authority_files()); !file.empty()) return file;
  if (is_readable(built->capath)) return {};
  throw EnvironmentError(
      fmt::format("no certificate authorities on this machine: none of {} can be read",
                  fmt::join(authority_files(), ", ")),
      "Install the package ca-certificates, or name a file of them: --cacert FILE, or SSL_CERT_FILE.");
}

}  // namespace infermeter
