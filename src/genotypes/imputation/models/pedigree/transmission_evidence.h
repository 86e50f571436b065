// What genotypes over a genome tell of whether one sample is a parent of another.
//
// A parent has at every place an allele that the child has, so that the two are opposite homozygotes by errors only.
// Everybody else lacks it somewhere: full sibs share no haplotype in a quarter of the genome, grandparents have not
// passed theirs on in half of it, in stretches of some 10 cM to whole chromosomes. There, opposite homozygotes are as
// frequent as in people who are not related.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

namespace haplospin {

class TransmissionEvidence {
 public:
  // `error` is how often a true parent seems to lack the allele; `alike` is the share of stretches where somebody who
  // does not share it does not lack it either (OppositeHomozygotes). `genotypes` must outlive the object.
  TransmissionEvidence(const SpacedGenotypes& genotypes, double error, double alike);

  // Returns the log of how much more probable the candidate's genotypes are if it is a parent of the child than if it
  // is a full sib. `sharing` is the share of opposite homozygotes that the two would have as people of their breed who
  // are not related, relative to that by the frequencies of alleles.
  double Parent(size_t child, size_t candidate, double sharing) const;

  // The same if `parent` is the other parent. In place of a full sib, the candidate may be a grandparent, or a sib of
  // child or parent: somebody who has the other allele in half of the genome.
  double SecondParent(size_t child, size_t candidate, size_t parent, double sharing) const;

  // How often the candidate lacks the allele, and at how many markers this could be seen.
  struct Errors {
    size_t errors = 0, markers = 0;
  };
  Errors SecondParentErrors(size_t child, size_t candidate, size_t parent) const;

  // Returns the mean over markers of the log of how much more probable the child's genotype is with this parent than
  // with a random one. The second one is with `parent` as the other parent. Where genotypes of parents tell nothing, as
  // if all are heterozygous, it is 0, whatever the others.
  double Gain(size_t child, size_t candidate) const;
  double SecondGain(size_t child, size_t candidate, size_t parent) const;

 private:
  class Chain;

  // The log of how much more probable it is that the candidate has all alleles of the child that known(word) returns
  // than that `chain` is true.
  template <typename Known>
  double LogRatioOfParent(size_t candidate, double sharing, Chain chain, const Known& known) const;

  const SpacedGenotypes& genotypes_;
  double error_, alike_;
  std::vector<double> sib_decay_, relative_decay_;  // [markers] of the chains from the beginning of the contig
};

}  // namespace haplospin
