#include "cli/version.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "cli/commands.hpp"
#include "io/http/curl_transport.hpp"

namespace infermeter {
namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

/// "libcurl 7.88.1, OpenSSL 3.0.17 …", of the library that this process has loaded.
std::string transport_libraries() {
  std::string out;
  for (const char c : CurlTransport::version())
    out += c == '/' ? std::string(" ") : c == ' ' ? ", " : std::string(1, c);
  return out;
}

std::string features() {
  const std::string transport = CurlTransport::version();
  const bool http2 = transport.find("nghttp2") != std::string::npos;
  return fmt::format(
      "TLS, {}{}, kernel timestamps, simulator, page", http2 ? "HTTP/2" : "no HTTP/2",
      http2 && !CurlTransport::reuses_plain_http2() ? " (plain: one connection a request)" : "");
}

}  // namespace

std::string version_text() {
  constexpr std::size_t kIndent = 11;
  const std::string libraries =
      fmt::format("glibc {}, {}, {}", gnu_get_libc_version(), compiled_libraries(), transport_libraries());
  return fmt::format(
      "infermeter {}\n"
      "build      {}, {}, {}\n"
      "features   {}\n"
      "libraries  {}\n",
      INFERMETER_VERSION, INFERMETER_BUILD_TYPE, processor(), kCompiler, hanging(features(), kIndent),
      hanging(libraries, kIndent));
}

}  // namespace infermeter
