#include "imputation/imputer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_set>

#include "core/log.h"
#include "core/progress.h"
#include "genomics/sites/contig_names.h"
#include "haplospin/errors.h"
#include "imputation/contig_imputer.h"
#include "imputation/phase_merger.h"
#include "imputation/record_merger.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/study_reader.h"

namespace haplospin {
namespace {

void WarnOfSharedSamples(const ImputeJob& job, const StudyReader& study, const PanelReader& panel) {
  const std::unordered_set<std::string> reference(panel.sample_names().begin(), panel.sample_names().end());
  std::vector<std::string> shared;
  for (const std::string& name : study.sample_names()) {
    if (reference.contains(name)) shared.push_back(name);
  }
  if (shared.empty()) return;
  LogWarning(
      "{}: {} of {} study samples are also in the panel ({}); if they are the same people, their imputed genotypes are "
      "copied from the panel",
      job.target, shared.size(), study.sample_names().size(), JoinNames(shared, 3));
}

// The study's contigs, and those of the panel that it does not declare under any name. A contig has its study name.
std::vector<std::pair<std::string, int64_t>> OutputContigs(const StudyReader& study, const PanelReader& panel,
                                                           const std::optional<std::string>& first_of_study) {
  auto contigs = study.header_contigs();
  const auto find = [&](const std::string& name) {
    return std::ranges::find_if(contigs, [&](const auto& contig) { return SameContig(contig.first, name); });
  };
  if (first_of_study && find(*first_of_study) == contigs.end()) contigs.emplace_back(*first_of_study, 0);
  for (const auto& [name, length] : panel.header_contigs()) {
    const auto found = find(name);
    if (found == contigs.end()) {
      contigs.emplace_back(name, length);
    } else if (found->second == 0) {
      found->second = length;
    }
  }
  return contigs;
}

std::string NameOf(const Region& region) {
  return region.end == INT64_MAX ? fmt::format("{}:{}-", region.contig, region.begin)
                                 : fmt::format("{}:{}-{}", region.contig, region.begin, region.end);
}

// Moves the panel to the study's next contig.
void FindInPanel(const ImputeJob& job, const std::string& contig, PanelReader& panel) {
  for (std::optional<std::string> next = panel.NextContig(); next; next = panel.NextContig()) {
    if (SameContig(*next, contig)) {
      if (*next != contig) LogWarning("contig {} of the study is treated as {} of the panel", contig, *next);
      return;
    }
    panel.SkipContig();
  }
  throw InputError(
      fmt::format("{}: contig {} is not in the panel {} (it has {}), or is in another order there; give the panel of "
                  "this contig, or sort both files in the same order",
                  job.target, contig, job.reference, JoinNames(panel.Contigs())));
}

// What the contigs of a study add up to.
struct Totals {
  ImputeCounts counts;
  AlignmentCounts alignment;

  void Add(const ContigImputer& contig) {
    counts.samples = contig.counts().samples;
    counts.imputed += contig.counts().imputed;
    counts.typed += contig.counts().typed;
    counts.not_in_panel += contig.counts().not_in_panel;
    alignment += contig.alignment();
  }
};

// The file that the windows of all contigs are written to.
class ImputeOutput {
 public:
  ImputeOutput(const ImputeJob& job, const VariantHeader& header, const std::vector<std::string>& samples) : job_(job) {
    const SampleTable table = SampleTable::Diploid(samples);
    if (job.only_study_markers) {
      genotypes_.emplace(job.out, job.output_type, header, table, job.threads);
    } else {
      dosages_.emplace(job.out, job.output_type, header, table, job.fields, job.threads);
    }
  }

  std::unique_ptr<WindowWriter> Contig(const std::string& name) {
    const int64_t begin = job_.region ? job_.region->begin : 1;
    if (genotypes_) return std::make_unique<PhaseMerger>(name, begin, *genotypes_);
    return std::make_unique<RecordMerger>(name, begin, *dosages_);
  }

  void Finish() { genotypes_ ? genotypes_->Finish(job_.write_index) : dosages_->Finish(job_.write_index); }

 private:
  const ImputeJob& job_;
  std::optional<GenotypeWriter> genotypes_;  // this one or the other
  std::optional<DosageWriter> dosages_;
};

// Throws InputError where the study and the panel have nothing in common on a contig.
void CheckImputed(const ImputeJob& job, const std::string& contig, const ContigImputer& imputer, PanelReader& panel) {
  if (job.region && imputer.counts().imputed + imputer.counts().typed == 0) {
    throw InputError(fmt::format("{}: no markers in {}; give another region", job.reference, NameOf(*job.region)));
  }
  if (imputer.alignment().matched == 0) {
    throw InputError(
        NoSharedSiteMessage(imputer.alignment(), {job.target, {contig}}, {job.reference, panel.Contigs()}));
  }
}

// Length of a contig of the output's header, bp; 0 where it is not known.
int64_t DeclaredLength(const ImputeJob& job, const VariantHeader& header, const std::string& contig) {
  const auto known = std::ranges::find(header.contigs, contig, [](const auto& c) { return c.first; });
  if (known == header.contigs.end()) {
    throw InputError(
        fmt::format("{}: the header does not declare contig {}; add a ##contig line for each contig "
                    "(bcftools reheader --fai)",
                    job.target, contig));
  }
  return known->second;
}

}  // namespace

ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model) {
  if (job.reference == job.target)
    throw InputError(job.target + ": given as panel and as study; give two different files");
  const auto panel_reader = OpenPanel(job.reference, job.threads);
  PanelReader& panel = *panel_reader;
  const Unphased unphased = !model.AcceptsUnphased() ? Unphased::kReject
                            : job.rephase            ? Unphased::kReadAll
                                                     : Unphased::kAccept;
  StudyReader study(job.target, job.threads, unphased);
  WarnOfSharedSamples(job, study, panel);
  if (job.map.empty()) LogInfo("no --map: using 1 cM per Mb");

  if (job.region) {
    panel.Seek({job.region->contig});
    study.Seek({job.region->contig});
  }
  std::optional<std::string> contig = study.NextContig();
  if (!contig) throw InputError(job.target + ": no records; give a study with typed sites");
  const VariantHeader header{OutputContigs(study, panel, contig), job.header_lines};
  FindInPanel(job, *contig, panel);
  ImputeOutput output(job, header, study.sample_names());
  Totals totals;
  while (contig) {
    Progress progress((job.only_study_markers ? "phasing " : "imputing ") + *contig, "Mb",
                      static_cast<double>(DeclaredLength(job, header, *contig)) / 1e6);
    ContigImputer imputer(job, model, panel, study, *contig, output.Contig(*contig));
    imputer.Run(progress);
    CheckImputed(job, *contig, imputer, panel);
    totals.Add(imputer);
    contig = job.region ? std::nullopt : study.NextContig();
    if (contig) FindInPanel(job, *contig, panel);
  }
  const std::string warning = AlignmentWarning(totals.alignment, {job.target, {}});
  if (!warning.empty()) LogWarning("{}", warning);
  output.Finish();
  return totals.counts;
}

}  // namespace haplospin
