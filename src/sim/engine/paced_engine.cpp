#include "sim/engine/paced_engine.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter::sim {

bool PacedEngine::submit(const SimRequest& request, Instant now) {
  return model_->submit(request, virtual_time(now));
}

void PacedEngine::cancel(std::uint64_t id, Instant now) { model_->cancel(id, virtual_time(now)); }

std::optional<Instant> PacedEngine::next_event() const {
  const auto next = model_->next_event();
  if (!next) return std::nullopt;
  return origin_ + wall_time(*next);
}

void PacedEngine::advance(Instant now, std::vector<Emission>& out) {
  const std::size_t before = out.size();
  model_->advance(virtual_time(now), out);
  for (std::size_t i = before; i < out.size(); ++i) out[i].at = wall_time(out[i].at);
}

std::optional<RequestTruth> PacedEngine::truth(std::uint64_t id) const {
  auto truth = model_->truth(id);
  if (!truth) return truth;
  for (nanoseconds RequestTruth::* instant : {&RequestTruth::arrived, &RequestTruth::scheduled,
                                              &RequestTruth::first_token, &RequestTruth::finished})
    (*truth).*instant = wall_time((*truth).*instant);
  return truth;
}

nanoseconds PacedEngine::virtual_time(Instant now) {
  const double elapsed = static_cast<double>((now - origin_).count());
  latest_ = std::max(latest_, nanoseconds(std::llround(elapsed / scale_)));
  return latest_;
}

// A double holds nanoseconds exactly for 104 days.
nanoseconds PacedEngine::wall_time(nanoseconds virtual_time) const {
  return nanoseconds(std::llround(static_cast<double>(virtual_time.count()) * scale_));
}

}  // namespace infermeter::sim
