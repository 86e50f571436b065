// Accuracy of phase: switch errors, flips, Hamming errors and the length of phased blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/dosage_r2.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/dosage_reader.h"

namespace haplospin {

// Neighbors are heterozygotes of a sample, both phased in the truth and in the file, of one phase set (PS) in each of
// them, with none of the same sets between them. The counts are those of whatshap compare. A switch error is a
// heterozygote whose alleles are not on the same haplotypes as those of its neighbor on the left, if the truth's are,
// or the other way round.
struct SwitchCounts {
  size_t neighbors = 0;  // pairs
  size_t errors = 0;

  double rate() const {
    return neighbors == 0 ? kUndefined : static_cast<double>(errors) / static_cast<double>(neighbors);
  }
};

// Heterozygotes whose minor allele has `from` to `to` copies in the truth.
struct AlleleCountSwitches {
  size_t from = 0;
  size_t to = 0;
  SwitchCounts switches;
};

struct PhaseAccuracy {
  std::string name;
  SwitchCounts switches;
  size_t flips = 0;           // single heterozygotes with a switch error on either side: two of `errors` each
  size_t heterozygotes = 0;   // compared
  size_t hamming_errors = 0;  // heterozygotes on the wrong haplotypes, with each block in its better orientation
  int64_t block_n50 = 0;    // bp: half of the length of all blocks is in blocks at least as long; a block is a sample's
                            // heterozygotes that are of one phase set in both files
  int64_t correct_n50 = 0;  // bp: the same with blocks divided at switch errors
  std::vector<AlleleCountSwitches> by_allele_count;  // ascending

  double hamming_rate() const {
    return heterozygotes == 0 ? kUndefined : static_cast<double>(hamming_errors) / static_cast<double>(heterozygotes);
  }
};

// Compares the genotypes of `samples`, which both files (VCF or BCF) must have, by position and alleles. Heterozygotes
// that either file does not phase, those that are not the same in both, and positions with several ALTs take no part.
// Throws InputError if no two neighbors are phased in both.
// `regions` divide contigs where ploidy may change.
PhaseAccuracy EvaluatePhase(const InputFiles& truth, const std::string& name, const InputFiles& imputed,
                            const std::vector<std::string>& samples, const PloidyRegions& regions = {});

// The length L such that at least half of the sum of all lengths is in lengths of L or more; 0 for none.
int64_t N50(std::vector<int64_t> lengths);

}  // namespace haplospin
