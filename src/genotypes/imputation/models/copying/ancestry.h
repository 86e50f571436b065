// The share of each panel sample in what a study sample copies elsewhere in the window. If several haplotypes match an
// interval equally well, those of samples that resemble the study sample along the chromosome are the more probable
// source.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/panel_populations.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

namespace ancestry {
// The window in blocks of at most 1 cM.
struct Blocks {
  explicit Blocks(const TypedPanel& panel);

  size_t count;
  std::vector<uint32_t> interval_block;  // [intervals] index of the block
};
}  // namespace ancestry

// The shares are kept for the people (panel samples) among the candidates alone, so that the cost does not grow with
// the panel. An object is the workspace of one thread and serves many study samples.
class Ancestry {
 public:
  // The panel and the populations must outlive the object.
  Ancestry(const TypedPanel& panel, const PanelPopulations& populations);

  // Estimates the shares for a study sample from the candidates of each of its haplotypes. The people among the
  // candidates `others` get shares as well.
  void Estimate(std::span<const CopyCandidates> haplotypes, std::span<const CopyCandidates> others = {});

  // Returns the index of a candidate's panel sample in the shares below.
  uint32_t person(uint32_t haplotype) const { return person_of_[sample_of_[haplotype]]; }

  // [people] log of a person's share in the copying outside 1 to 2 cM around an interval, relative to equal shares; 0
  // if the window does not reach beyond these.
  const float* LogShares(size_t interval) const {
    return &log_shares_[blocks_.interval_block[interval] * people_.size()];
  }

  // [people] log share in the whole window, spread over the samples of the populations that the study sample resembles.
  const float* PopulationLogShares() const { return population_log_shares_.data(); }

 private:
  void ListPeople(std::span<const CopyCandidates> haplotypes, std::span<const CopyCandidates> others);
  void AddPeople(const CopyCandidates& candidates);
  // Sets the cM that the haplotypes copy from each person in each block of the window, where `shares` weighs the
  // people.
  void CountCopied(std::span<const CopyCandidates> haplotypes, std::span<const float> shares);
  void EstimatePopulations(std::span<const CopyCandidates> haplotypes);
  void ComputeLogShares();

  const TypedPanel& panel_;
  const PanelPopulations& populations_;
  std::span<const uint32_t> sample_of_;  // [haplotypes] panel sample
  ancestry::Blocks blocks_;
  std::vector<uint32_t> people_;              // panel samples among the candidates, ascending
  std::vector<uint32_t> person_of_;           // [panel samples] index into people_, or kNobody
  std::vector<uint32_t> candidate_people_;    // [haplotypes, anchors, kMaxCandidates]
  std::vector<float> products_;               // [candidate_people_] forward * backward of the candidate
  std::vector<float> copied_;                 // [blocks, people] cM
  std::vector<float> block_length_;           // [blocks] cM, summed over the haplotypes
  std::vector<float> everywhere_;             // [people] cM copied in all blocks
  float length_ = 0;                          // sum of block_length_, cM
  std::vector<float> log_shares_;             // [blocks, people]
  std::vector<float> population_log_shares_;  // [people]
};

}  // namespace haplospin
