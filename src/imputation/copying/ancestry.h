// The panel samples that a study sample copies from elsewhere in the window. If several haplotypes match an interval
// equally well, those of samples similar to it along the chromosome are the more probable source.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/panel_populations.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

class Ancestry {
 public:
  // `sample_of`: the panel sample of each reference haplotype.
  Ancestry(const TypedPanel& panel, const PanelPopulations& populations, const std::vector<uint32_t>& sample_of,
           size_t num_samples);

  // Of a study sample: the candidates of each of its haplotypes.
  void Estimate(std::span<const CopyCandidates> haplotypes);

  // [s] the log of the share of panel sample s in the copying outside 1 to 2 cM around an interval, relative to equal
  // shares; 0 if the window has nothing outside.
  const float* LogShares(size_t interval) const { return &log_shares_[block_of_[interval] * num_samples_]; }

  // The same for the whole window, spread over the samples of the populations that the study sample resembles.
  const float* PopulationLogShares() const { return population_log_shares_.data(); }

 private:
  // cM of each panel sample that the haplotypes copy in each block of the window, where `shares` weighs the samples.
  void CountCopied(std::span<const CopyCandidates> haplotypes, std::span<const float> shares);
  void EstimatePopulations(std::span<const CopyCandidates> haplotypes);
  void ComputeLogShares();

  const TypedPanel& panel_;
  const PanelPopulations& populations_;
  const std::vector<uint32_t>& sample_of_;
  size_t num_samples_;
  size_t num_blocks_;
  std::vector<uint32_t> block_of_;            // [intervals]
  std::vector<float> copied_;                 // [blocks, samples] cM
  std::vector<float> block_length_;           // [blocks] cM, of all haplotypes
  std::vector<float> everywhere_;             // [samples] cM copied in all blocks
  float length_ = 0;                          // of all blocks
  std::vector<float> log_shares_;             // [blocks, samples]
  std::vector<float> population_log_shares_;  // [samples]
};

}  // namespace haplospin
