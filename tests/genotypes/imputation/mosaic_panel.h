// Parts of simulated panels (selfcheck/mosaic.h) that only tests need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/window/window_state.h"
#include "haplospin/haplotype_panel.h"
#include "selfcheck/mosaic.h"

namespace haplospin {

SampleTable HaploidSamples(const std::string& prefix, size_t count);

// Of each haplotype by itself.
HaplotypePanel HaploidPanelOf(const Mosaic& mosaic);

// Each haplotype of the panel but the excluded ones as a state.
CopyingStates AllStates(const TypedPanel& panel, const ExcludedHaplotypes& excluded = {});

// The alleles of a study: [typed][haplotypes].
std::vector<std::vector<uint8_t>> Alleles(const SimulatedStudy& study);

// Imputes markers of a panel, whose map is 1 cM per Mb. `copying` is adapted to the size of the panel. Sets `report`
// unless it is null.
WindowDosages ImputeStudy(const HaplotypePanel& panel, const WindowStudy& study, MarkerRange wanted, Backend& backend,
                          const CopyingOptions& copying = {}, WindowReport* report = nullptr);

// The alleles of a haplotype at some markers.
std::vector<uint8_t> AllelesAt(const std::vector<uint8_t>& haplotype, std::span<const uint32_t> markers);

}  // namespace haplospin
