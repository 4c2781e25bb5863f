#include "io/http/authorities.hpp"

#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace infermeter;

TEST_CASE("authorities: the first file that this system has is taken, whatever its distribution") {
  TemporaryFolder folder;
  const std::string debian = folder.file("ca-certificates.crt"), red_hat = folder.file("ca-bundle.crt");
  const std::vector<std::string> both = {debian, red_hat};
  CHECK(first_readable(both).empty());
  std::ofstream(red_hat) << "x";
  CHECK(first_readable(both) == red_hat);
  std::ofstream(debian) << "x";
  CHECK(first_readable(both) == debian);
}

TEST_CASE("authorities: the places of Debian, Red Hat and Alpine are searched") {
  const auto& files = authority_files();
  for (const char* file :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"})
    CHECK(std::ranges::find(files, file) != files.end());
}
