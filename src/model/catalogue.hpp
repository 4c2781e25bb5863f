// The rows of the catalogue (infermeter/model/figures.hpp), in parts. Private to src/model.
#pragma once

#include <vector>

#include "infermeter/model/figures.hpp"

namespace infermeter {

using Rows = std::vector<Figure>;

constexpr double kShareMargin = 0.01;  // a point of a hundred

/// Of tokens, events and requests.
void add_request_rows(Rows& rows);
void add_stream_rows(Rows& rows);
void add_pause_rows(Rows& rows);
/// One value per load point.
void add_point_rows(Rows& rows);
void add_server_rows(Rows& rows);

}  // namespace infermeter
