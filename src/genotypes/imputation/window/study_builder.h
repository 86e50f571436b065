// A study that is made from others: from samples of a study, of a panel, or haplotypes that are known otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/window/window_study.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// It owns what its view refers to.
class StudyBuilder {
 public:
  StudyBuilder() { samples_.first_haplotype = {0}; }
  StudyBuilder(const StudyBuilder&) = delete;
  StudyBuilder& operator=(const StudyBuilder&) = delete;

  // Add a sample, before any marker, and return its number: with the genotypes that a study has, with the haplotypes
  // that a panel has, or with missing alleles. Studies and panels must outlive AddMarkers().
  size_t Add(const WindowStudy& study, size_t sample);
  size_t Add(const HaplotypePanel& panel, size_t sample);
  size_t Add(std::string name, int ploidy);

  // Adds panel markers, ascending. Alleles are missing where a study does not have one.
  void AddMarkers(std::span<const uint32_t> markers);

  const SampleTable& samples() const { return samples_; }
  const std::vector<uint32_t>& markers() const { return markers_; }

  // The genotypes of all samples at a marker, whose alleles may be changed.
  GenotypeRow& row(size_t j) { return rows_[j]; }
  const GenotypeRow& row(size_t j) const { return rows_[j]; }

  // Changes the phase of a genotype of a row.
  void SetPhase(GenotypeRow& row, size_t sample, bool is_unphased, uint32_t set) const;

  // `families` may be null, and must outlive the view.
  WindowStudy View(const Pedigree* families = nullptr) const;

 private:
  struct Source {
    const WindowStudy* study = nullptr;
    const HaplotypePanel* panel = nullptr;
    size_t sample = 0;
  };
  size_t Add(std::string name, int ploidy, const Source& source);
  GenotypeRow MakeRow(uint32_t marker) const;

  SampleTable samples_;
  std::vector<Source> sources_;  // [samples]
  std::vector<uint32_t> markers_;
  std::deque<GenotypeRow> rows_;  // [markers]
};

}  // namespace haplospin
