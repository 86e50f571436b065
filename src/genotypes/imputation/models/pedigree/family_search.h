// Parents and children among the samples of a study, found by their genotypes.
#pragma once

#include <cstddef>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

namespace haplospin {

struct FoundFamilies {
  Pedigree pedigree;     // of samples alone
  size_t trios = 0;      // children with both parents, those of one selfed plant included
  size_t duos = 0;       // children with one parent
  size_t undecided = 0;  // samples that seem to have a parent, child or full sib: the genome is too short to tell which
  size_t samples = 0, markers = 0, contigs = 0;
  double centimorgans = 0;  // of all contigs
};

// Finds the parents of samples by the evidence of transmission_evidence.h, which grows with the genome: some ten
// contigs are needed. At most one sample in a hundred has a false parent if its own are not there, but its close
// relatives are. Nothing is found in crosses of a few lines, where whole chromosomes are alike by chance. Two parents
// decide which of three people is the child. If only one is found, the child is the other one if it has other parents
// or children than this one, or the one that was typed at fewer markers; otherwise the two are not used. Samples with
// the same genotypes are no parents of each other. Who is called the father of a child is arbitrary, but, as far as can
// be, the same for all children.
FoundFamilies FindFamilies(const SpacedGenotypes& genotypes);

}  // namespace haplospin
