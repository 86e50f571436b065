// The weights of several panels along a contig, for each haplotype of a study.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

// The typed alleles of a marker, and their leave-one-out probabilities.
struct TypedSite {
  Marker marker;
  std::vector<uint32_t> first_haplotype{0};  // [samples + 1]
  std::vector<uint8_t> alleles;              // [haplotypes], kMissingAllele where one was missing
  std::vector<uint16_t> left_out;            // [haplotypes] ALT probability, packed (genomics/quantized_probability.h)
};

class ContigWeights {
 public:
  explicit ContigWeights(size_t num_panels) : num_panels_(num_panels) {}

  // Adds a typed marker that all files have, as each has it, in the order of positions. Ploidy must be the same.
  // Alleles that differ say nothing about the panels.
  void Add(std::span<const TypedSite* const> panel_sites);

  // Finds the weights, after the last marker was added.
  void Find();

  size_t num_sites() const { return num_sites_; }

  // Sets the weights [panels * haplotypes] at a position: those of the typed markers on both sides, interpolated.
  // They are equal if there is no typed marker at which the samples have the same ploidy.
  void WeightsAt(int64_t position, const std::vector<uint32_t>& first_haplotype, std::vector<float>& weights) const;

  // Returns the typed marker as it is with all panels: its leave-one-out probabilities are their mean, with the weights
  // that follow from the other typed markers. Null if the marker was not added.
  const TypedSite* FindSite(const Marker& marker) const;

 private:
  struct Site {
    TypedSite typed;
    std::vector<uint16_t> weights;  // [panels * haplotypes] before Find() the probabilities of ALT
  };
  // Consecutive markers where the ploidy of each sample is the same.
  struct Segment {
    std::vector<uint32_t> first_haplotype;
    std::vector<Site> sites;
  };

  void FindWeights(size_t haplotype, Segment& segment) const;

  size_t num_panels_;
  size_t num_sites_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace haplospin
