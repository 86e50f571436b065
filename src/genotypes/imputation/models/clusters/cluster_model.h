// The haplotypes of a population as mosaics of a few clusters of similar haplotypes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/cluster_kernels.h"
#include "genotypes/imputation/models/clusters/pair_cluster_kernels.h"
#include "genotypes/imputation/window/marker_range.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// What a ClusterModel is fitted to: haplotypes, or the likelihoods of the genotypes of individuals.
struct ClusterEvidence {
  size_t num_markers() const { return morgans.size(); }
  size_t size() const { return (alleles.size() + likelihoods.size()) / num_markers(); }
  bool has_haplotypes() const { return !alleles.empty(); }

  std::vector<double> morgans;                  // [markers] from the marker before; 0 for the first
  std::vector<float> frequency;                 // [markers] of ALT, without 0 and 1
  std::vector<uint8_t> alleles;                 // [haplotypes, markers] 0 or 1, or none
  std::vector<ClusterLikelihoods> likelihoods;  // [individuals, markers], or none
};

// Returns the haplotypes of a panel at a range of markers.
ClusterEvidence PanelHaplotypes(const HaplotypePanel& panel, const GeneticMap& map, MarkerRange markers);

struct ClusterFit {
  size_t clusters;    // kManyClusters for haplotypes, kFewClusters for likelihoods
  size_t steps;       // of expectation over all of the evidence
  size_t parts = 1;   // of the evidence: after each, the model is improved
  double first_rate;  // switches per Morgan
};

// The model of fastPHASE (Scheet and Stephens 2006, American Journal of Human Genetics 78:629-644), whose clusters are
// the ancestral haplotypes of STITCH (Davies et al. 2016): cluster k has ALT at marker m with probability theta[m, k]
// (alt), and a haplotype switches to it with probability share[m, k] as often as a rate per Morgan tells, the same
// everywhere. It is fitted by incremental expectation and maximization (Neal and Hinton 1998), and does not change once
// it is made.
class ClusterModel {
 public:
  // `alt`: the first probabilities of ALT, [markers, K].
  ClusterModel(const ClusterEvidence& evidence, const ClusterFit& fit, std::vector<float> alt);

  ClusterTables tables() const {
    return {switches_.size(), alt_.size() / switches_.size(), alt_.data(), share_.data(), switches_.data()};
  }
  double switches_per_morgan() const { return rate_; }
  float alt(size_t m, size_t cluster) const { return alt_[m * tables().clusters + cluster]; }

  // Draws the clusters of both haplotypes of an individual: [markers]. `forward`: [markers, K, K], as
  // LeaveOutGenotypes() leaves them if all markers are typed.
  std::vector<std::array<size_t, 2>> DrawPairs(std::span<const float> forward, RandomStream& random) const;

 private:
  struct Counts;
  struct Workspace;

  void SetSwitches(const ClusterEvidence& evidence);
  // `sum`: the counts of every parts-th individual.
  void Count(const ClusterEvidence& evidence, size_t part, size_t parts, Workspace& workspace, Counts& sum) const;
  void Improve(const ClusterEvidence& evidence, std::span<const Counts> parts);

  double rate_;
  std::vector<float> alt_, share_;  // [markers, K]
  std::vector<float> switches_;     // [markers]
};

// The tables of TypedSteps.
class ClusterSteps {
 public:
  // `typed`: markers of the model, ascending; the first and last marker are added. The model is not kept.
  ClusterSteps(const ClusterModel& model, std::span<const uint32_t> typed);

  TypedSteps steps() const { return {typed_, from_stays_, from_switched_.data(), to_stays_, to_switched_.data()}; }

 private:
  std::vector<uint32_t> typed_;
  std::vector<float> from_stays_, from_switched_, to_stays_, to_switched_;
};

}  // namespace haplospin
