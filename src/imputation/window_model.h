// What imputes the windows of a contig: the default imputer, or another architecture.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "genomics/region.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "imputation/network/imputer_weights.h"
#include "imputation/window_imputer.h"

namespace haplospin {

// Panel markers [begin, end).
struct MarkerRange {
  size_t begin = 0;
  size_t end = 0;
};

class WindowModel {
 public:
  virtual ~WindowModel() = default;

  // Imputes the panel markers of `wanted`, a part of `core`: all that this window is there for. A model that cuts the
  // core into pieces of its own does so from its begin, so that the results do not depend on the part wanted. Throws
  // InputError where the model was made for other sites.
  virtual WindowDosages Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                               MarkerRange core, MarkerRange wanted) const = 0;

  // Whether the dosage of a typed marker's given allele is what it would be imputed as without it (for ER2).
  virtual bool LeavesOutTyped() const { return false; }

  // The only stretch that the model can impute, or nothing where it can impute any.
  virtual std::optional<Region> Coverage() const { return std::nullopt; }
};

// The default: ImputeWindow() (window_imputer.h).
class ImputerModel : public WindowModel {
 public:
  explicit ImputerModel(ImputerWeights weights, WindowOptions options = {})
      : weights_(std::move(weights)), options_(options) {}

  WindowDosages Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                       MarkerRange /*core*/, MarkerRange wanted) const override {
    return ImputeWindow(panel, map, study, wanted.begin, wanted.end, weights_, options_);
  }

  bool LeavesOutTyped() const override { return true; }

 private:
  ImputerWeights weights_;
  WindowOptions options_;
};

}  // namespace haplospin
