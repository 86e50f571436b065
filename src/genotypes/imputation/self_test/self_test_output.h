// The records of a run, on their way to the output, as what a self-test is made from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/self_test/self_test.h"

namespace haplospin {

// The frequency of ALT in the panel or, without one, in the study.
double AltFrequencyOf(const DosageRecord& record);

// Hands all records on to another output, and adds what they tell to a self-test, which must outlive it.
class SelfTestOutput : public ForwardingOutput {
 public:
  SelfTestOutput(std::unique_ptr<StudyOutput> records, SelfTest& test)
      : ForwardingOutput(std::move(records)), test_(test) {}

  void SetPloidy(const SampleTable& samples) override;
  void Write(const std::string& contig, std::span<const DosageRecord> records) override;
  void Finish(IndexType index) override;

 private:
  void Add(const DosageRecord& record);
  void EndPart();

  SelfTest& test_;
  SampleTable samples_;
  std::string contig_;
  std::vector<QualityByBin> sums_;  // [samples] of the part of the contig
};

}  // namespace haplospin
