// Small panels, arrays and trainings for the tests of SPIN, NPT and the Set Transformer on windows.
#pragma once

#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/genomics/sites/site_list.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "learning/token_imputation/token_trainer.h"

namespace haplospin {

// 60 reference samples, 6 study samples, 200 markers; every second common marker is on the array.
struct TableFiles {
  TableFiles();

  TokenTraining Training(const std::string& out, const std::string& architecture = "spin") const;

  TemporaryFolder folder;
  Mosaic mosaic;
  HaplotypePanel panel;
  SimulatedStudy study;
  SiteList array;
};

}  // namespace haplospin
