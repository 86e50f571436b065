// How long the windows of a contig are.
#pragma once

#include <cstddef>
#include <string>

#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// The first records of a study on a contig.
struct SiteDensity {
  size_t sites = 0;
  double centimorgans = 0;  // from the first to the last
};

// Returns the lengths that the user gave, and otherwise 20 cM with flanks of 2 cM or, where the study has few markers,
// as much as a window needs of them: 1,000, and 100 in each flank. An array for people has some thousand in 20 cM, and
// haplotypes are shared over a few cM. A chip for animals may have ten, and animals, or the lines of a cross, share
// half a chromosome.
WindowLengths ChooseWindowLengths(const WindowOptions& options, const SiteDensity& density);

// Measures the density of a contig's first records before the run reads them. The lengths of windows depend on nothing
// else, so that they are the same in every region. Nothing is known of a study that can be read once only, as a pipe.
// Contigs are asked for as StudyFile::FindFirstSites() says.
SiteDensity MeasureDensity(StudyFile& study, const std::string& contig, const GeneticMap& map);

}  // namespace haplospin
