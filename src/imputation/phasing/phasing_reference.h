// The haplotypes that a sample may copy while it is phased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/phasing/diploid_sample.h"
#include "imputation/window/window_study.h"

namespace haplospin {

// Samples of the study.
struct SampleRange {
  size_t begin;
  size_t end;
};

// Those of the panel, then those of study samples in their present phase, if they are used.
class PhasingReference {
 public:
  explicit PhasingReference(const TypedPanel& panel) : array_(&panel), num_panel_haplotypes_(panel.num_haplotypes()) {}

  // `present`: the unphased ones of `samples` in their present phase, with their indices in the study. Missing alleles
  // are taken to be major alleles.
  PhasingReference(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study, SampleRange samples,
                   std::span<const DiploidSample> present, std::span<const size_t> index);

  const TypedPanel& array() const { return *array_; }
  HaplotypeRows rows() const { return array_->rows(); }
  size_t num_haplotypes() const { return array_->num_haplotypes(); }

  // Those of a sample of the study, which it must not copy.
  ExcludedHaplotypes Own(const WindowStudy& study, size_t sample) const;

 private:
  std::unique_ptr<TypedPanel> joined_;
  const TypedPanel* array_;
  size_t num_panel_haplotypes_;
  uint32_t first_study_haplotype_ = 0;
};

}  // namespace haplospin
