#include "imputation/mosaic_panel.h"

namespace haplospin {

SampleTable HaploidSamples(const std::string& prefix, size_t count) {
  return MakeSamples(prefix, std::vector<int>(count, 1));
}

HaplotypePanel HaploidPanelOf(const Mosaic& mosaic) {
  return PanelOf(mosaic, HaploidSamples("R", mosaic.alleles.size()));
}

CopyingStates AllStates(const TypedPanel& panel, const ExcludedHaplotypes& excluded) {
  CopyingStates states;
  states.UseAll(panel, excluded);
  return states;
}

std::vector<uint8_t> AllelesAt(const std::vector<uint8_t>& haplotype, std::span<const uint32_t> markers) {
  std::vector<uint8_t> alleles;
  for (const uint32_t m : markers) alleles.push_back(haplotype[m]);
  return alleles;
}

}  // namespace haplospin
