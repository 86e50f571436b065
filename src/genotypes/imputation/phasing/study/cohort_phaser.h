// Phases the samples of a window without a panel, from each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/copying/copying_model.h"
#include "genotypes/imputation/phasing/sample/sample_genotypes.h"
#include "genotypes/imputation/phasing/study/window_phaser.h"

namespace haplospin {

struct PhasedSamples {
  std::vector<SampleGenotypes> samples;   // with their most probable phase
  std::vector<PhasePosterior> posterior;  // [samples]
  CopyingModel model;
  PhasingReference reference;  // that the samples copied
};

// Finds the phase and the missing alleles of the samples `index`, which are among `sources`. Many rounds improve a
// first guess at frequent markers; then rarer alleles are placed on the haplotypes, and all are drawn again. Two chains
// do this, each with half of the rounds, and their draws are averaged. Alleles of one sample tell nothing of the
// others, so they are left out of this, and placed at the end, where missing alleles have their frequency; the
// reference and the model are without them. Runs on all threads; the result does not depend on their number.
PhasedSamples PhaseCohort(const PanelWindow& window, const WindowStudy& study, uint64_t seed, double work,
                          std::span<const size_t> index, const SampleRange& sources);

}  // namespace haplospin
