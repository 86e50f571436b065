#include "genotypes/imputation/files/site_output.h"

#include <utility>
#include <vector>

#include "genotypes/genomics/dosage_r2.h"
#include "genotypes/variant_io/writing/record_sink.h"

namespace haplospin {

SiteOutput::SiteOutput(std::unique_ptr<StudyOutput> records, const OutputOptions& options)
    : ForwardingOutput(std::move(records)),
      sites_(options.sites),
      names_all_(options.fields.sets_ids || ResolveOutputType(options.path, options.type) == OutputType::kBgen),
      leaves_out_study_(options.fields.leaves_out_study) {}

void SiteOutput::SetPloidy(const SampleTable& samples) {
  has_dr2_ = samples.num_samples() >= kMinSamplesForDr2;
  ForwardingOutput::SetPloidy(samples);
}

void SiteOutput::Write(const std::string& contig, std::span<const DosageRecord> records) {
  std::vector<DosageRecord> wanted;
  bool has_before = false;  // the record before this one is wanted, too
  for (const DosageRecord& record : records) {
    const std::vector<size_t> sites = sites_->See(contig, *record.marker);
    if (sites.empty() || (leaves_out_study_ && !record.in_panel)) {
      ++left_out_;
      has_before = false;
      continue;
    }
    for (const size_t site : sites) sites_->NoteFound(site, Describe(contig, record));
    wanted.push_back(record);
    wanted.back().continues = record.continues && has_before;
    has_before = true;
  }
  ForwardingOutput::Write(contig, wanted);
}

FoundSite SiteOutput::Describe(const std::string& contig, const DosageRecord& record) const {
  FoundSite found{.contig = contig,
                  .marker = *record.marker,
                  .is_imputed = record.IsImputed(),
                  .panel_frequency = record.panel_frequency};
  if (names_all_) found.marker.id = MarkerId(contig, found.marker);
  if (!found.is_imputed) return found;
  if (record.panel_r2) found.r2 = *record.panel_r2;
  if (!record.panel_r2 && has_dr2_) found.r2 = EstimatedDosageR2(record.dosages);
  return found;
}

void SiteOutput::AddTo(RunReport& report) const {
  ForwardingOutput::AddTo(report);
  report.left_out += left_out_;
}

}  // namespace haplospin
