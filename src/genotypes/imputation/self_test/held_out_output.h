// The records of a run from which reads were hidden, compared with these reads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/self_test/held_out_reads.h"
#include "genotypes/imputation/self_test/self_test.h"

namespace haplospin {

// Writes nothing, and adds what the hidden reads tell to a self-test, which must outlive it.
class HeldOutOutput : public StudyOutput {
 public:
  // `columns` are the samples of the file.
  HeldOutOutput(std::vector<std::string> columns, std::shared_ptr<HeldOutReads> held_out, SelfTest& test);

  void SetPloidy(const SampleTable& samples) override;
  void Write(const std::string& contig, std::span<const DosageRecord> records) override;
  void Finish(IndexType index) override;

 private:
  void Add(const std::string& contig, const DosageRecord& record);
  void EndContig();

  const std::vector<std::string> columns_;
  const std::shared_ptr<HeldOutReads> held_out_;
  SelfTest& test_;
  SampleTable samples_;
  std::unordered_map<std::string, size_t> samples_of_part_;  // their places among the samples
  std::string contig_;
  std::vector<QualityByBin> sums_;  // [columns] of the contig
  std::vector<bool> is_imputed_;    // [columns] samples of a part so far
};

}  // namespace haplospin
