#include "genotypes/imputation/stages/families_stage.h"

#include <optional>

#include "genotypes/imputation/window/window_state.h"

namespace haplospin {

bool FamiliesStage::Applies(const WindowState& window) const {
  return part_ == FamilyPart::kAnimals || PanelFamilies(window.panel, window.study).HasAny();
}

void FamiliesStage::Run(WindowState& window) const {
  const PanelFamilies families(window.panel, window.study, part_);
  const std::unique_ptr<const FounderStudy> absent = families.AbsentFounders(seed_, *window.dosages);
  if (absent == nullptr) return families.Draw(nullptr, seed_, *window.dosages);
  WindowState founders = window.Of(absent->study());
  impute_->Run(founders);
  families.Draw(&*founders.dosages, seed_, *window.dosages);
}

}  // namespace haplospin
