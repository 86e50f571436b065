// Merges imputed batches of samples, and computes AF, DR2 and ER2 anew from all of them.
#pragma once

#include <string>
#include <vector>

#include "genotypes/variant_io/writing/dosage_writer.h"

namespace haplospin {

struct MergeOptions {
  std::vector<std::string> pieces;
  std::vector<std::string> empirical;  // for MetaImpute()
  std::string out;
  OutputType type = OutputType::kByExtension;
  IndexType index = IndexType::kNone;
  OutputFields fields;                    // those that the records of the files have are added
  std::vector<std::string> header_lines;  // "##key=value"
};

struct MergeCounts {
  size_t samples = 0, records = 0;
  MeanDr2 mean_dr2;
};

// The files must have the same sites and different samples. The probabilities of haplotypes are those of HDS or of AP1
// and AP2, with four decimals: DR2 differs by that rounding alone from that of the same probabilities in one file. ER2
// is computed where all files have LDS, and R2P is kept where it is the same in all. Throws InputError if the files
// differ in their sites, two have one sample, or one has neither HDS nor AP1.
MergeCounts MergeSamples(const MergeOptions& options);

}  // namespace haplospin
