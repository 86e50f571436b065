// The study in a window, as the models see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/imputation/window/marker_range.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The genotypes of a study at the typed markers of a panel. Typed markers are counted from 0: "[typed]" and `j` below.
// It is a view, which does not change once it is made: samples and rows must outlive it, and must not change either.
class WindowStudy {
 public:
  // A study marker that the panel has.
  struct Site {
    uint32_t marker;  // of the panel
    const GenotypeRow* genotypes;
  };

  // Is called by any thread as work is done, with the number of samples that it amounts to. May be empty.
  using Progress = std::function<void(double)>;

  // The sites may be in any order, but are of different markers. The present order of alleles at the panel markers
  // `phased` was found in an earlier window. `families` may be null, and must outlive the study.
  WindowStudy(const SampleTable& samples, std::vector<Site> sites, MarkerRange phased = {}, Progress on_progress = {},
              const Pedigree* families = nullptr);

  const SampleTable& samples() const { return *samples_; }
  const std::vector<uint32_t>& typed() const { return typed_; }  // [typed] panel markers, ascending
  size_t num_typed() const { return typed_.size(); }
  MarkerRange phased() const { return phased_; }          // panel markers
  const Pedigree* families() const { return families_; }  // of the samples, or null

  const GenotypeRow& row(size_t j) const { return *rows_[j]; }
  const std::vector<uint8_t>& alleles(size_t j) const { return rows_[j]->alleles; }  // [haplotypes]

  // Returns the alleles of a sample: [ploidy].
  std::span<const uint8_t> Genotype(size_t j, size_t sample) const {
    const uint32_t first = samples_->first_haplotype[sample];
    return std::span(alleles(j)).subspan(first, samples_->first_haplotype[sample + 1] - first);
  }

  // Returns whether at least half as many of the genotypes of diploid samples are heterozygous as if their alleles were
  // drawn at random. Inbred lines have next to none; nor has a study without any genotype.
  bool IsOutbred() const;

  // Tells on_progress of work.
  void Report(double work) const {
    if (on_progress_) on_progress_(work);
  }

  // Returns the study at some of its typed markers.
  WindowStudy At(std::span<const uint32_t> typed) const;

  // Returns the study with other rows at some of its typed markers: pairs of j and a row, which must outlive it.
  WindowStudy WithRows(std::span<const std::pair<uint32_t, const GenotypeRow*>> rows) const;

  // Returns the study with the panel markers of `range` that are not typed. They have the genotypes `untyped`, which
  // must outlive the result.
  WindowStudy WithUntyped(MarkerRange range, const GenotypeRow& untyped) const;

 private:
  std::vector<Site> Sites() const;

  const SampleTable* samples_;
  std::vector<uint32_t> typed_;
  std::vector<const GenotypeRow*> rows_;  // [typed]
  MarkerRange phased_;
  Progress on_progress_;
  const Pedigree* families_;
};

// Returns the markers of `core` and all between the typed ones around it.
MarkerRange WithTyped(const WindowStudy& study, MarkerRange core);

// Returns a row in which all alleles are missing.
GenotypeRow MissingRow(const SampleTable& samples);

}  // namespace haplospin
