// What happens to the windows of each kind of study: the only place that asks what kind it is. The table in
// docs/method.md has the stages of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "genotypes/imputation/models/pedigree/transmission.h"
#include "genotypes/imputation/plan/study_facts.h"
#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

struct WindowPlan {
  std::vector<std::unique_ptr<const Stage>> stages;         // of the window, in order
  std::vector<std::unique_ptr<const ColumnStage>> columns;  // of what is written, in order

  // What happens to the markers of the study that the panel lacks; null if they are written as they are.
  std::unique_ptr<const WindowPlan> study_only;

  // All markers of the panel take part in phasing, also those that the study does not have.
  bool takes_whole_panel = false;

  // Returns the names of all stages.
  std::vector<std::string> Names() const;

  // Returns the options of copying in a window.
  CopyingOptions Copying(size_t panel_haplotypes) const;

  // Finds the dosages at the wanted markers.
  void Run(WindowState& window) const;

  // Returns the column stages that the window, which is done, needs.
  std::vector<const ColumnStage*> ColumnStages(const WindowState& window) const;

  // Sums and maxima of the stages' own.
  StageMemory Memory(const WindowSize& size) const;
  size_t BytesOfMarker(const WindowSize& size) const;
  size_t BytesOfDosages(const WindowSize& size, double compressed_bytes) const;
};

// What the stages need. All that it refers to must outlive the plan.
struct PlanSettings {
  uint64_t seed = 1;
  Imputer imputer;
  const TransmissionPhaser* families = nullptr;  // of the contig; null if no kin is known
  bool is_autosomal = true;                      // the contig, for all samples
  size_t max_joint_alleles = 4'000'000;          // JointOptions::max_alleles
  size_t max_cluster_bytes = size_t{1} << 30;    // most bytes of the tables of ClustersStage
};

WindowPlan MakeWindowPlan(const StudyFacts& facts, const PlanSettings& settings);

// Returns the dosages of a window whose wanted markers are its core, as the default network finds them.
WindowDosages ImputeWindow(const PanelWindow& window, const WindowStudy& study, Backend& backend);

}  // namespace haplospin
