// What the clusters of the haplotypes of a herd or cross add to its imputation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "genotypes/imputation/stages/joint_stage.h"
#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// The weight of the second of two estimates in their mean, from their squared errors (Bates and Granger 1969,
// Operational Research Quarterly 20:451-468): that with the least error if the errors have a correlation of 2/3. Two
// ways to impute from one panel err together: 0.6 to 0.9 was found. 0 where the second error is too large to help.
double WeightOfSecond(double first_error, double second_error);

// The bytes of the tables of a window.
struct ClusterMemory {
  size_t shared = 0;  // by all threads
  size_t thread = 0;  // of each
};

// `markers` and `typed` are numbers of the markers that take part.
ClusterMemory EstimateClusterMemory(size_t panel_haplotypes, size_t study_haplotypes, size_t markers, size_t typed);

// Imputed probabilities become weighted means of what they are and of what clusters of haplotypes tell, which are
// fitted to the panel. The weight follows from the errors that are expected of both: of the first, by the probabilities
// themselves; of the second, by the study's genotypes, each left out in turn, in proportion to how much less is
// explained at the typed markers than at the others. Genotypes without a missing allele are kept. Runs on as many
// threads as have their tables in `max_bytes`; changes nothing if these are too few bytes for one.
class ClustersStage : public Stage {
 public:
  ClustersStage(const JointOptions& options, size_t max_bytes) : options_(options), max_bytes_(max_bytes) {}

  const char* name() const override { return "clusters"; }
  bool Applies(const WindowState& window) const override;
  bool NeedsCore() const override { return true; }
  void Run(WindowState& window) const override;

 private:
  const JointOptions options_;
  const size_t max_bytes_;
};

}  // namespace haplospin
