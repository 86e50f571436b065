// What a study says of the phase of its samples.
#pragma once

#include <cstddef>

#include "imputation/phasing/diploid_sample.h"
#include "imputation/window/window_study.h"

namespace haplospin {

// Whether nothing is to be found: all heterozygotes of the sample are phased, and in no phase set.
bool HasPhase(const WindowStudy& study, size_t sample);

// A sample to be phased. A heterozygote that lies between those of another phase set, which began before its own, is
// taken as not phased: the sampler exchanges all that lies ahead, so it cannot turn a set that others interrupt.
DiploidSample DiploidOf(const WindowStudy& study, size_t sample);

// Exchanges the haplotypes if this is the orientation of the phased heterozygotes in no set, or, where there are none,
// of those that were phased in an earlier window.
void KeepOrientation(const WindowStudy& study, size_t sample, DiploidSample& phased);

}  // namespace haplospin
