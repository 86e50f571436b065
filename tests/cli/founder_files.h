// A panel of 60 and a study of 30 people whose haplotypes are of five founders, at the positions of a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/impute_files.h"

namespace haplospin {

class FounderFiles : public ImputeFiles {
 protected:
  static constexpr size_t kPanelSamples = 60, kStudySamples = 30;

  struct Record {
    int64_t position;
    std::string id, ref, alt, info = ".";
    int founder = 1;  // ALT is carried by its haplotypes, one in five
    std::string filter = "PASS";
  };

  // SNVs, every 1000 bp from 10,000 on, of one founder after the other.
  static std::vector<Record> Snvs();

  // These and others, sorted.
  static std::vector<Record> With(const std::vector<Record>& more);

  // Writes panel or study with With(more), and as they are.
  std::string WritePanel(const std::vector<Record>& more) const;
  std::string WriteStudy(const std::vector<Record>& more) const;
  std::string WriteStudyOf(const std::vector<Record>& records) const;

  // The output of impute, and the report of check.
  VcfLines Imputed(const std::vector<std::string>& options = {}) const;
  ProgramResult RunImpute(const std::vector<std::string>& options = {}) const;
  ProgramResult Check(const std::vector<std::string>& options = {}) const;

  // TYPED, IMP or NOT_IN_PANEL of the record with an ID, or "absent".
  static std::string FlagOf(const VcfLines& lines, const std::string& id);
};

}  // namespace haplospin
