// How long the windows of a contig are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/reading/variant_stream.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// The first records of a study on a contig.
struct SiteDensity {
  size_t sites = 0;
  double centimorgans = 0;  // from the first to the last
};

// Records that are read of each contig.
inline constexpr size_t kSitesForDensity = 2000;

// Returns the lengths that the user gave, and otherwise 20 cM with flanks of 2 cM or, where the study has few markers,
// as much as a window needs of them: 1,000, and 100 in each flank. An array for people has some thousand in 20 cM, and
// haplotypes are shared over a few cM. A chip for animals may have ten, and animals, or the lines of a cross, share
// half a chromosome.
WindowLengths ChooseWindowLengths(const WindowOptions& options, const SiteDensity& density);

// Reads the first records of each contig of a study before the run does. The lengths of windows depend on nothing else,
// so that they are the same in every region.
class DensityReader {
 public:
  // Nothing is known of a study that can be read once only, as a pipe.
  DensityReader(const std::string& path, const StudyOptions& options);

  // Contigs are asked for in the order of the file; the parts of one contig have the same density.
  SiteDensity Measure(const std::string& contig, const GeneticMap& map);

 private:
  std::optional<VariantStream> stream_;
  std::string contig_;  // that was measured last
  SiteDensity density_;
};

}  // namespace haplospin
