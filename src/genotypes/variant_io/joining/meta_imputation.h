// Meta-imputation: combines what several panels impute for the same samples.
#pragma once

#include "genotypes/variant_io/joining/merge.h"

namespace haplospin {

// The files must have the same samples in the same order, with the same typed haplotypes. The probabilities of a
// haplotype are the mean of those of the panels that have the marker, weighted by FindPanelWeights(). The output has
// the markers of all files, with AF, DR2 and ER2 computed anew. The leave-one-out probabilities (LDS) are those of the
// files, or of `options.empirical`, one file for each, as Minimac4 writes them. They and the weights of a contig are
// held in memory: at most (5 * panels + 3) bytes for each haplotype and typed marker. Throws InputError if the files do
// not belong together, or there are no typed markers with LDS.
MergeCounts MetaImpute(const MergeOptions& options);

}  // namespace haplospin
