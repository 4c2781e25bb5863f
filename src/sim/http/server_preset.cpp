// Separate from server.cpp, so that a test with its own engine links no presets.
#include "sim/http/server.hpp"

namespace infermeter::sim {
namespace {

ServerOptions with_model_name(ServerOptions options) {
  if (options.model.empty()) options.model = preset_model_name(options.preset);
  return options;
}

}  // namespace

Server::Server(const ServerOptions& options)
    : Server(with_model_name(options), make_engine(options.preset, options.seed)) {}

}  // namespace infermeter::sim
