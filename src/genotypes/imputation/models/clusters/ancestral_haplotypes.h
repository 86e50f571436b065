// The haplotypes of a population as mosaics of a few ancestral ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/clusters/ancestral_kernels.h"
#include "genotypes/imputation/window/marker_range.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The alleles of a panel at a range of markers, for the training of AncestralHaplotypes.
struct AncestorData {
  AncestorData(const HaplotypePanel& panel, const GeneticMap& map, MarkerRange markers);

  size_t num_markers() const { return morgans.size(); }
  size_t num_haplotypes() const { return alleles.size() / num_markers(); }

  std::vector<float> frequency;  // [markers] of ALT, without 0 and 1
  std::vector<double> morgans;   // [markers] from the marker before; 0 for the first
  std::vector<uint8_t> alleles;  // [haplotypes, markers]
};

// The cluster model of fastPHASE (Scheet and Stephens 2006, American Journal of Human Genetics 78:629-644), with as
// many ancestral haplotypes as kAncestors: ancestor k has ALT at marker m with probability theta[m, k] (alt), and a
// haplotype switches to it with probability share[m, k] as often as a rate per Morgan tells, the same everywhere.
// Unlike the panel's haplotypes, which have errors of phase, and of which each is only a few of many mosaics, the
// ancestors are means of many. It does not change once it is made.
class AncestralHaplotypes {
 public:
  // Fits the model by some steps of expectation and maximization, which begin with random ancestors and with next to no
  // switches. Each `start` has another result.
  AncestralHaplotypes(const AncestorData& data, uint64_t seed, uint64_t start);

  AncestorTables tables() const { return {switches_.size(), alt_.data(), share_.data(), switches_.data()}; }
  double switches_per_morgan() const { return rate_; }

 private:
  void SetSwitches(const AncestorData& data);
  void Improve(const AncestorData& data);

  double rate_;
  std::vector<float> alt_, share_;  // [markers, K]
  std::vector<float> switches_;     // [markers]
};

// The stops of PairMarkers, and how haplotypes go on between them.
class AncestorStops {
 public:
  // `typed`: markers of the model, ascending. The model is not kept.
  AncestorStops(const AncestralHaplotypes& model, std::span<const uint32_t> typed);

  PairMarkers markers() const { return {stops_, from_stays_, from_switched_.data(), to_stays_, to_switched_.data()}; }

 private:
  std::vector<uint32_t> stops_;
  std::vector<float> from_stays_, from_switched_, to_stays_, to_switched_;
};

}  // namespace haplospin
