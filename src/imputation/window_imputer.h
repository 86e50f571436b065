// Imputes study samples within one window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/network/imputer_weights.h"
#include "imputation/network/network_inputs.h"
#include "imputation/network/window_alleles.h"

namespace haplospin {

// ALT probabilities of every study haplotype at the panel markers [begin, end), in steps of
// 1 / kWindowProbabilityOne. At typed
// markers, a haplotype whose allele is given has what the copying model makes of all its other alleles.
class WindowDosages {
 public:
  WindowDosages(size_t begin, size_t end, size_t num_haplotypes);

  size_t begin() const { return begin_; }
  size_t end() const { return end_; }
  size_t num_haplotypes() const { return num_haplotypes_; }
  uint16_t* row(size_t haplotype) { return values_.data() + haplotype * (end_ - begin_); }
  const uint16_t* row(size_t haplotype) const { return values_.data() + haplotype * (end_ - begin_); }

  // The probabilities of all haplotypes at markers [first, last): out[(marker - first) * num_haplotypes + haplotype].
  void CopyColumns(size_t first, size_t last, std::vector<float>& out) const;

 private:
  size_t begin_;
  size_t end_;
  size_t num_haplotypes_;
  std::vector<uint16_t> values_;  // [haplotypes, markers]
};

// One window's view of the study: alleles of each haplotype at the panel's typed markers.
struct WindowStudy {
  const SampleTable* samples;
  std::vector<uint32_t> typed;                    // panel markers, ascending
  std::vector<const std::vector<uint8_t>*> rows;  // [typed] alleles of all study haplotypes
};

struct WindowOptions {
  CopyingOptions copying;
  NetworkBackend* backend = nullptr;  // null: the network runs on the CPU's vector kernels
};

// Imputes the panel markers [begin, end) on all threads; the result does not depend on their number.
WindowDosages ImputeWindow(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study, size_t begin,
                           size_t end, const ImputerWeights& weights, const WindowOptions& options);

}  // namespace haplospin
