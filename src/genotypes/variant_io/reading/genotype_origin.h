// What the first genotypes of a file show of how it was made, where that spoils them without an error in any record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

struct GenotypeOrigin {
  // No diploid genotype is 0/0, though some are heterozygous, and many are missing or there is one sample: the files of
  // single samples, which list only where each differs from REF, were merged as if nothing were known elsewhere.
  bool lacks_ref = false;

  // All phased heterozygotes are 0|1, or all are 1|0: the sign for an unphased genotype was replaced.
  bool is_sorted = false;

  // The share of heterozygotes that are phased in no phase set (PS), in samples that also have unphased ones; 0 if
  // there are next to none. They may be of reads, whose sets were lost, or be phased along the contig, as by a
  // pedigree.
  double phased_beside_unphased = 0;
};

// Returns what the first genotypes of a study on its autosomes show; nothing if it cannot be read twice. Throws
// InputError where the file is damaged.
GenotypeOrigin FindStudyOrigin(const std::string& study, StudyOptions options,
                               const std::optional<PloidyRegions>& regions);

// The same for a panel, of which only `is_sorted` is found.
GenotypeOrigin FindPanelOrigin(const std::string& panel, const std::vector<std::string>& samples);

}  // namespace haplospin
