// The interface of models that impute the windows of a contig by themselves, from haplotypes that are given.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/imputation/stages/stage.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// A window to impute: the wanted markers of the panel, which are a part of `core`. A model that divides the core into
// smaller windows starts from the beginning of the core, so that the results do not depend on what is wanted.
struct WindowInput {
  const PanelWindow& panel;
  const WindowStudy& study;
  MarkerRange core;
};

class WindowModel {
 public:
  explicit WindowModel(std::optional<Region> coverage = {}) : coverage_(std::move(coverage)) {}
  virtual ~WindowModel() = default;
  WindowModel(const WindowModel&) = delete;
  WindowModel& operator=(const WindowModel&) = delete;

  // The only region that the model can impute, or nothing if it can impute any region.
  const std::optional<Region>& coverage() const { return coverage_; }

  // Imputes the wanted markers. Throws InputError if the model was trained for other sites.
  virtual WindowDosages Impute(const WindowInput& window) const = 0;

  // Memory that the dosages of a marker take, if a compressed one takes `compressed_bytes`.
  virtual size_t BytesOfMarker(size_t study_haplotypes, double compressed_bytes) const {
    return ProbabilityTable::BytesOfMarker(study_haplotypes, compressed_bytes);
  }

 private:
  const std::optional<Region> coverage_;
};

// Imputes with such a model.
class ModelStage : public Stage {
 public:
  // The model must outlive the stage.
  explicit ModelStage(const WindowModel& model) : model_(model) {}

  const char* name() const override { return "impute"; }
  size_t BytesOfDosages(size_t study_haplotypes, double compressed_bytes) const override {
    return model_.BytesOfMarker(study_haplotypes, compressed_bytes);
  }
  void Run(WindowState& window) const override {
    window.dosages = model_.Impute({window.panel, window.study, window.core});
  }

 private:
  const WindowModel& model_;
};

}  // namespace haplospin
