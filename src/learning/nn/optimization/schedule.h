// Learning-rate schedules and loss trade-offs as pure functions of the step, so that a resumed run needs only its step.
#pragma once

#include <cstdint>
#include <functional>

namespace haplospin {

// Factor by which the base learning rate is multiplied at a step, counted from 0. Steps past the end of a schedule
// keep its last value.
using Schedule = std::function<double(int64_t step)>;

// The learning rate is the base rate at every step.
Schedule ConstantSchedule();

// 1 for `flat_fraction` of the steps, then half a cosine wave down to 0 at `total_steps` (NPT, appendix C.1.1: 0.7;
// 0.5 for small data sets and for SPIN).
Schedule FlatThenAnneal(int64_t total_steps, double flat_fraction);

// The factor falls from 1 to 0 along half a cosine wave over `total_steps`.
Schedule CosineSchedule(int64_t total_steps);

// Linear from 1 / warm_up_steps at step 0 to 1 at step warm_up_steps - 1, times `after` throughout.
Schedule WithWarmUp(int64_t warm_up_steps, Schedule after);

// The one-cycle policy (Smith and Topin, 2018): half a cosine wave from 1 / 25 up to 1 over 0.3 of the steps, then one
// down to 1 / 250,000 at the last step.
Schedule OneCycleSchedule(int64_t total_steps);

// Weight lambda of the attribute loss in (1 - lambda) labels + lambda attributes: half a cosine wave from
// `initial_tradeoff` to 0 at `total_steps` (NPT, appendix C.5, starts at 1; SPIN, section 3.4, at 0.5).
double AnnealedTradeoff(double initial_tradeoff, int64_t step, int64_t total_steps);

}  // namespace haplospin
