// Parts of simulated panels (imputation/selfcheck/mosaic.h) that only tests need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/imputing/mosaic.h"

namespace haplospin {

SampleTable HaploidSamples(const std::string& prefix, size_t count);

// Of each haplotype by itself.
HaplotypePanel HaploidPanelOf(const Mosaic& mosaic);

// Each haplotype of the panel but the excluded ones as a state.
CopyingStates AllStates(const TypedPanel& panel, const ExcludedHaplotypes& excluded = {});

// The alleles of a haplotype at some markers.
std::vector<uint8_t> AllelesAt(const std::vector<uint8_t>& haplotype, std::span<const uint32_t> markers);

}  // namespace haplospin
