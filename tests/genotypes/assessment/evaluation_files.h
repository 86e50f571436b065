// Files of a few records for tests of the evaluation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/assessment/evaluation.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {

// Writes and evaluates small files.
class EvaluationTest : public ::testing::Test {
 protected:
  // Writes a VCF; records have spaces where the file has tabs.
  std::string Write(const std::string& name, const std::vector<std::string>& samples,
                    const std::vector<std::string>& records) {
    VcfText vcf(samples);
    for (std::string record : records) {
      std::ranges::replace(record, ' ', '\t');
      vcf.AddLine(record);
    }
    WriteVariants(folder_ / name, vcf, FileForm::kVcf);
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

inline Evaluation EvaluateAll(const TruthSet& truth, const std::string& path) {
  return Evaluate(truth, "imputed", DosageReader(path));
}

}  // namespace haplospin
