#include "genotypes/imputation/plan/window_plan.h"

#include <algorithm>
#include <utility>

#include "genotypes/imputation/stages/clusters_stage.h"
#include "genotypes/imputation/stages/column_stages.h"
#include "genotypes/imputation/stages/estimate_stage.h"
#include "genotypes/imputation/stages/families_stage.h"
#include "genotypes/imputation/stages/impute_stage.h"
#include "genotypes/imputation/stages/joint_stage.h"
#include "genotypes/imputation/stages/phase_stage.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Panel haplotypes from which the copying model is estimated where all markers of the panel take part. There are many
// more than on an array, so that fewer haplotypes tell as much.
constexpr size_t kHaplotypesAtAllMarkers = 64;

template <typename AnyStage, typename... Arguments>
void Add(WindowPlan& plan, Arguments&&... arguments) {
  plan.stages.push_back(std::make_unique<const AnyStage>(std::forward<Arguments>(arguments)...));
}

template <typename AnyStage, typename... Arguments>
void AddToColumns(WindowPlan& plan, Arguments&&... arguments) {
  plan.columns.push_back(std::make_unique<const AnyStage>(std::forward<Arguments>(arguments)...));
}

// How many haplotypes of an animal without genotypes there are on a sex chromosome is not known.
bool FindsAnimals(const PlanSettings& settings) {
  return settings.families != nullptr && !settings.families->pedigree().animals.empty() && settings.is_autosomal;
}

StudyPhasing PhasingOf(const StudyFacts& facts, uint64_t seed) {
  StudyPhasing phasing{.options = {.seed = seed, .has_families = facts.kin != Kin::kNone}};
  if (facts.reference == Reference::kStudy) {
    phasing.options.plan = facts.evidence == Evidence::kCalls ? PlanFromStudy : PlanFromStudyLikelihoods;
  } else if (facts.evidence != Evidence::kCalls) {
    phasing.options.plan = phasing.herd_plan = PlanFromPanelLikelihoods;
  }
  return phasing;
}

// Imputation from a panel by the default network.
void AddImputation(const StudyFacts& facts, const PlanSettings& settings, const StudyPhasing& phasing,
                   WindowPlan& plan) {
  const bool has_panel_families = facts.kin == Kin::kPanel;
  Add<EstimateStage>(plan, has_panel_families ? EstimateStage::Search::kOwn : EstimateStage::Search::kWithStudy);
  Add<ScaleStage>(plan);
  Add<ImputeStage>(plan, *settings.imputer.backend, phasing);
  const JointOptions joint{settings.seed, settings.max_joint_alleles, has_panel_families};
  Add<JointStage>(plan, joint);
  Add<ClustersStage>(plan, joint, settings.max_cluster_bytes);
  StudyPhasing one_by_one = phasing;
  one_by_one.options.has_families = false;
  const auto add_families = [&](FamilyPart part) {
    Add<FamiliesStage>(plan, part, std::make_unique<const ImputeStage>(*settings.imputer.backend, one_by_one),
                       settings.families->pedigree(), settings.seed);
  };
  if (has_panel_families) add_families(FamilyPart::kSamples);
  if (FindsAnimals(settings)) add_families(FamilyPart::kAnimals);
}

// Phasing, which also imputes missing genotypes, and with likelihoods all markers of the panel.
void AddPhasing(const StudyFacts& facts, const PlanSettings& settings, StudyPhasing phasing, WindowPlan& plan) {
  const bool has_panel = facts.reference == Reference::kPanel, is_called = facts.evidence == Evidence::kCalls;
  if (has_panel) {
    Add<EstimateStage>(plan, EstimateStage::Search::kOwn);
    Add<ScaleStage>(plan);
  }
  if (has_panel && is_called) phasing.options.plan = PlanOfPhase;
  phasing.options.finds_animals = FindsAnimals(settings);
  Add<PhaseStage>(plan, phasing, /*bounds_markers=*/!has_panel || !is_called);
  plan.takes_whole_panel = has_panel && !is_called;
}

// The panel knows no alleles of these markers, so they are copied from the study's other samples, whose phase was found
// from the markers that the panel has.
std::unique_ptr<const WindowPlan> PlanStudyOnly(const PlanSettings& settings) {
  auto plan = std::make_unique<WindowPlan>();
  Add<PhaseStage>(*plan, StudyPhasing{.options = {.plan = PlanFromStudy, .seed = settings.seed}});
  AddToColumns<CallStage>(*plan);
  return plan;
}

}  // namespace

WindowPlan MakeWindowPlan(const StudyFacts& facts, const PlanSettings& settings) {
  HS_ASSERT((facts.kin != Kin::kNone) == (settings.families != nullptr));
  WindowPlan plan;
  const StudyPhasing phasing = PhasingOf(facts, settings.seed);
  if (!facts.IsImputedByNetwork()) {
    AddPhasing(facts, settings, phasing, plan);
  } else if (settings.imputer.model != nullptr) {
    Add<ModelStage>(plan, *settings.imputer.model);
  } else {
    AddImputation(facts, settings, phasing, plan);
  }
  if (facts.may_be_adapted) AddToColumns<ArrayStage>(plan);
  AddToColumns<SumsStage>(plan);
  if (facts.reference == Reference::kStudy) AddToColumns<CallStage>(plan);
  if (facts.writes_study_only) plan.study_only = PlanStudyOnly(settings);
  return plan;
}

WindowDosages ImputeWindow(const PanelWindow& window, const WindowStudy& study, Backend& backend) {
  WindowState state(window, study, window.wanted());
  MakeWindowPlan({}, {.imputer = {.backend = &backend}}).Run(state);
  return *std::move(state.dosages);
}

std::vector<std::string> WindowPlan::Names() const {
  std::vector<std::string> names;
  for (const auto& stage : stages) names.emplace_back(stage->name());
  for (const auto& stage : columns) names.emplace_back(stage->name());
  return names;
}

CopyingOptions WindowPlan::Copying(size_t panel_haplotypes) const {
  CopyingOptions options = CopyingOptions().ForPanel(panel_haplotypes);
  if (!takes_whole_panel) return options;
  options.max_haplotypes = kHaplotypesAtAllMarkers;
  options.min_frequency = kRareFrequency;
  return options;
}

void WindowPlan::Run(WindowState& window) const {
  for (auto stage = stages.begin(); stage != stages.end(); ++stage) {
    const auto needs_core = [&](const std::unique_ptr<const Stage>& later) {
      return later->NeedsCore() && later->Applies(window);
    };
    if (!window.dosages && std::any_of(stage, stages.end(), needs_core)) window.FindCore();
    if ((*stage)->Applies(window)) (*stage)->Run(window);
  }
  window.KeepWanted();
}

std::vector<const ColumnStage*> WindowPlan::ColumnStages(const WindowState& window) const {
  std::vector<const ColumnStage*> applying;
  for (const auto& stage : columns) {
    if (stage->Applies(window)) applying.push_back(stage.get());
  }
  return applying;
}

StageMemory WindowPlan::Memory(const WindowSize& size) const {
  StageMemory memory;
  for (const auto& stage : stages) memory += stage->Memory(size);
  return memory;
}

size_t WindowPlan::BytesOfMarker(const WindowSize& size) const {
  size_t bytes = 0;
  for (const auto& stage : stages) bytes += stage->BytesOfMarker(size);
  return bytes;
}

size_t WindowPlan::BytesOfDosages(const WindowSize& size, double compressed_bytes) const {
  size_t bytes = 0;
  for (const auto& stage : stages) {
    bytes = std::max(bytes, stage->BytesOfDosages(size.study_haplotypes, compressed_bytes));
  }
  return bytes + Memory(size).dosage_marker;
}

}  // namespace haplospin
