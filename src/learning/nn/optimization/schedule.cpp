#include "learning/nn/optimization/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Half a cosine wave: 1 at progress 0, 0 at progress 1 and after.
double HalfCosine(double progress) { return 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(progress, 0.0, 1.0))); }

double CosineBetween(double from, double to, double progress) { return to + (from - to) * HalfCosine(progress); }

}  // namespace

Schedule ConstantSchedule() {
  return [](int64_t) { return 1.0; };
}

Schedule FlatThenAnneal(int64_t total_steps, double flat_fraction) {
  HS_ASSERT(total_steps > 0 && flat_fraction >= 0.0 && flat_fraction < 1.0);
  const double flat_steps = flat_fraction * static_cast<double>(total_steps);
  const double annealed_steps = static_cast<double>(total_steps) - flat_steps;
  return [=](int64_t step) { return HalfCosine((static_cast<double>(step) - flat_steps) / annealed_steps); };
}

Schedule CosineSchedule(int64_t total_steps) {
  HS_ASSERT(total_steps > 0);
  return [=](int64_t step) { return HalfCosine(static_cast<double>(step) / static_cast<double>(total_steps)); };
}

Schedule WithWarmUp(int64_t warm_up_steps, Schedule after) {
  HS_ASSERT(warm_up_steps > 0);
  return [warm_up_steps, after = std::move(after)](int64_t step) {
    const double progress = static_cast<double>(step + 1) / static_cast<double>(warm_up_steps);
    return std::min(progress, 1.0) * after(step);
  };
}

Schedule OneCycleSchedule(int64_t total_steps) {
  HS_ASSERT(total_steps > 1);
  constexpr double kInitial = 1.0 / 25, kFinal = kInitial / 1e4;
  const double last_step = static_cast<double>(total_steps - 1);
  const double peak_step = 0.3 * last_step;
  return [=](int64_t step) {
    const double at = static_cast<double>(step);
    if (at < peak_step) return CosineBetween(kInitial, 1.0, at / peak_step);
    return CosineBetween(1.0, kFinal, (at - peak_step) / (last_step - peak_step));
  };
}

double AnnealedTradeoff(double initial_tradeoff, int64_t step, int64_t total_steps) {
  HS_ASSERT(total_steps > 0);
  return initial_tradeoff * HalfCosine(static_cast<double>(step) / static_cast<double>(total_steps));
}

}  // namespace haplospin
