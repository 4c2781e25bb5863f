// A server's page of metrics → the quantities that are known of it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/server_metrics.hpp"

namespace infermeter {

struct ServerPage {
  Scrape scrape;        // its values alone
  std::string problem;  // why there are none: "no metrics of an inference server"; empty: there are
  bool known = false;   // it is an inference server's page, with a problem or without
};

/// Adds up the series of one model (engines, ranks), and leaves out those of others. A page that names a
/// single other model is taken to be of the same one by another name. What is absent from the page is absent
/// here.
ServerPage read_server_page(std::string_view page, std::string_view model);

}  // namespace infermeter
