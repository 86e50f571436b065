// The phase of single genotypes of a study: phase sets, and what parents and children tell about each other's phase.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/imputation/models/pedigree/panel_parents.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// One genotype of a study in memory. Samples and row must outlive it.
struct StudyCall {
  const SampleTable& samples;
  GenotypeRow& row;
  size_t sample;

  // [ploidy]
  std::span<uint8_t> alleles() const {
    const uint32_t first = samples.first_haplotype[sample];
    return std::span(row.alleles).subspan(first, samples.first_haplotype[sample + 1] - first);
  }
  bool is_missing() const { return HasMissing(alleles()); }
  bool is_heterozygous() const { return alleles().size() == 2 && alleles()[0] != alleles()[1] && !is_missing(); }
  bool is_half_missing() const {
    return alleles().size() == 2 && (alleles()[0] == kMissingAllele) != (alleles()[1] == kMissingAllele);
  }
  bool is_unphased() const { return row.IsUnphased(sample); }
  uint32_t set() const { return row.PhaseSet(sample); }

  void Exchange() const { std::swap(alleles()[0], alleles()[1]); }

  void SetUnphased(bool is_unphased) const {
    if (row.unphased.empty() && !is_unphased) return;
    row.unphased.resize(samples.num_samples());
    row.unphased[sample] = is_unphased ? 1 : 0;
  }
  void SetPhaseSet(uint32_t set) const {
    if (row.phase_sets.empty() && set == 0) return;
    row.phase_sets.resize(samples.num_samples());
    row.phase_sets[sample] = set;
  }
};

// The phase sets that each sample of a study was last in, along a contig.
class RecentPhaseSets {
 public:
  // The order of the alleles in a set, relative to the sample's haplotypes.
  enum class Order : uint8_t { kUnknown, kAsGiven, kExchanged };

  explicit RecentPhaseSets(size_t samples) : sets_(samples) {}

  bool HasAny(size_t sample) const { return sets_[sample][0].is_used; }

  // Notes that the sample's next phased heterozygote is in `set`. Returns whether another set of the file interrupted
  // this one.
  bool Visit(size_t sample, uint32_t set);

  // The order of the set that was visited last.
  Order order(size_t sample) const { return sets_[sample][0].order; }
  void SetOrder(size_t sample, Order order) { sets_[sample][0].order = order; }

  // Sets the orders that `other` knows.
  void Learn(const RecentPhaseSets& other);

 private:
  struct Set {
    uint32_t id = 0;
    bool is_used = false;
    Order order = Order::kUnknown;
  };
  static constexpr size_t kSets = 4;  // sets that are remembered of a sample: more than overlap anywhere

  std::vector<std::array<Set, kSets>> sets_;  // [samples] the last visited set first
};

// Phases genotypes by transmission at one marker. A child has its father's allele first. A parent of one child has
// first the allele that it passed on, unless it is itself a child of somebody in the study; the phase of a parent of
// several is found from all of them (FamilySampler). Genotypes that the study gives as phased are turned with the phase
// set that they are in.
class TransmissionPhaser {
 public:
  TransmissionPhaser(const Pedigree& pedigree, size_t samples);

  // Returns whether the order of the sample's haplotypes is that of transmission.
  bool Orders(size_t sample) const { return is_ordered_[sample]; }

  size_t num_samples() const { return is_ordered_.size(); }

  // Phases marker `s` of the study; markers must come in ascending order. Genotypes that break Mendel's laws become
  // missing: the child's, and those of its parents unless so many other children agree with one that the child's is
  // wrong. Notes in `sets` the order of the sets that the genotypes are in.
  void Phase(StudyGenotypes& study, size_t s, RecentPhaseSets& sets);

  const Pedigree& pedigree() const { return pedigree_; }

  // Parents who are in the panel. Their children, and children of people without genotypes whose parents are in the
  // study or the panel, are ordered too.
  PanelParents& panel_parents() { return panel_parents_; }

  // Throws InputError, which begins with `path`, for a child and parents who have so many errors that they are not
  // related. `panel` are the samples of the panel.
  void CheckFamilies(const std::string& path, const std::vector<std::string>& samples,
                     const std::vector<std::string>& panel) const;

  // Children with far more errors than the others have, as "CHILD (7 of 50)", of whom a parent is perhaps another one.
  // `samples` are the names of the study.
  std::vector<std::string> ChildrenOfOthers(const std::vector<std::string>& samples) const;

  size_t num_errors() const { return num_errors_; }
  const std::string& first_error() const { return first_error_; }  // "CHILD at CONTIG:POSITION"

 private:
  struct Family {
    size_t child;
    std::array<std::optional<size_t>, 2> parents;  // father, mother
    std::array<bool, 2> orders_parent;
    MendelianCounts counts = {};
  };

  void RemoveErrors(StudyGenotypes& study, size_t s);
  void SetErrorsMissing(StudyGenotypes& study, size_t s, std::span<const Family* const> wrong) const;

  Pedigree pedigree_;
  PanelParents panel_parents_;
  std::vector<Family> families_;
  std::vector<bool> is_ordered_;  // [samples]
  size_t num_errors_ = 0;
  std::string first_error_;
};

}  // namespace haplospin
