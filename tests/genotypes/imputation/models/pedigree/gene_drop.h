// Genotypes of families: genes of random founders dropped through pedigrees.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

namespace haplospin {

class GeneDrop {
 public:
  // Markers are 0.25 cM apart. Frequencies are between 0.2 and 0.8.
  GeneDrop(size_t contigs, size_t markers_of_contig, unsigned seed) : random_(seed) {
    for (size_t c = 0; c < contigs; ++c) {
      for (size_t m = 0; m < markers_of_contig; ++m) {
        markers_.push_back({c, 0.25 * static_cast<double>(m), std::uniform_real_distribution(0.2, 0.8)(random_)});
      }
    }
  }

  size_t AddFounder() {
    std::array<Haplotype, 2> haplotypes;
    for (Haplotype& haplotype : haplotypes) {
      for (const SpacedMarker& marker : markers_) haplotype.push_back(Draw(marker.frequency));
    }
    return Add(haplotypes);
  }

  size_t AddChild(size_t father, size_t mother) { return Add({Gamete(father), Gamete(mother)}); }

  size_t AddCopy(size_t person) { return Add(people_[person]); }

  // Returns the genotypes of the people, of whom some have only every `step`th marker; a share of the alleles is wrong.
  SpacedGenotypes Genotypes(const std::vector<size_t>& people, const std::vector<size_t>& sparse = {}, size_t step = 1,
                            double error = 0.001) {
    std::vector<std::vector<uint8_t>> genotypes;
    for (size_t m = 0; m < markers_.size(); ++m) {
      std::vector<uint8_t>& row = genotypes.emplace_back();
      for (const size_t person : people) {
        row.push_back(static_cast<uint8_t>(Read(people_[person][0][m], error) + Read(people_[person][1][m], error)));
        const bool is_sparse = std::find(sparse.begin(), sparse.end(), person) != sparse.end();
        if (is_sparse && m % step != 0) row.back() = 3;
      }
    }
    return {markers_, genotypes, people.size()};
  }

 private:
  using Haplotype = std::vector<uint8_t>;

  size_t Add(const std::array<Haplotype, 2>& haplotypes) {
    people_.push_back(haplotypes);
    return people_.size() - 1;
  }

  uint8_t Draw(double probability) { return std::bernoulli_distribution(probability)(random_) ? 1 : 0; }
  uint8_t Read(uint8_t allele, double error) { return allele ^ Draw(error); }

  Haplotype Gamete(size_t parent) {
    Haplotype gamete;
    uint8_t from = 0;
    for (size_t m = 0; m < markers_.size(); ++m) {
      const bool is_new = m == 0 || markers_[m].contig != markers_[m - 1].contig;
      from ^= Draw(is_new ? 0.5 : 0.5 * (1 - std::exp(-0.005)));
      gamete.push_back(people_[parent][from][m]);
    }
    return gamete;
  }

  std::mt19937 random_;
  std::vector<SpacedMarker> markers_;
  std::vector<std::array<Haplotype, 2>> people_;
};

}  // namespace haplospin
