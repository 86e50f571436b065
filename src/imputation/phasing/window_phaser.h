// Phases many samples of a window together.
#pragma once

#include <span>
#include <vector>

#include "imputation/phasing/sample_phaser.h"

namespace haplospin {

// Leaves the most probable phase in `samples`. keys[s]: of the sample's random draws, so that they do not depend on
// which samples are phased together. Runs on all threads; the result does not depend on their number.
std::vector<PhaseDraws> PhaseSamples(const PhasingContext& context, std::span<DiploidSample> samples,
                                     std::span<const uint64_t> keys);

}  // namespace haplospin
