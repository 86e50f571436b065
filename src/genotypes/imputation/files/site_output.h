// An output of some sites alone.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "genotypes/genomics/sites/wanted_sites.h"
#include "genotypes/imputation/contig/study_output.h"

namespace haplospin {

// Hands on the records that are wanted sites, and notes what they are. All others are counted as left out.
class SiteOutput : public ForwardingOutput {
 public:
  SiteOutput(std::unique_ptr<StudyOutput> records, const OutputOptions& options);

  void SetPloidy(const SampleTable& samples) override;
  void Write(const std::string& contig, std::span<const DosageRecord> records) override;
  void AddTo(RunReport& report) const override;

 private:
  FoundSite Describe(const std::string& contig, const DosageRecord& record) const;

  const std::shared_ptr<WantedSites> sites_;
  const bool names_all_, leaves_out_study_;
  bool has_dr2_ = false;  // of enough people
  size_t left_out_ = 0;
};

}  // namespace haplospin
