#include "imputation/job/imputer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/log.h"
#include "genomics/sites/contig_names.h"
#include "genomics/sites/ploidy_regions.h"
#include "haplospin/errors.h"
#include "imputation/job/contig_imputer.h"
#include "imputation/job/job_report.h"
#include "imputation/job/phase_merger.h"
#include "imputation/job/record_merger.h"
#include "imputation/job/shared_parts.h"
#include "variant_io/genetic_map_file.h"
#include "variant_io/reading/panel_contigs.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/reading/study_regions.h"
#include "variant_io/reading/study_sites.h"

namespace haplospin {
namespace {

constexpr size_t kMinSamplesWithoutPanel = 100;
constexpr size_t kMinSamplesForDr2 = 10;  // DR2 of fewer says little

// The study's contigs, and those of the panel that it does not declare under any name. A contig has its study name.
std::vector<std::pair<std::string, int64_t>> OutputContigs(const StudyReader& study, const PanelReader& panel,
                                                           const std::optional<std::string>& first_of_study) {
  auto contigs = study.header_contigs();
  std::unordered_map<std::string, size_t> index;  // of the canonical name
  for (size_t i = 0; i < contigs.size(); ++i) index.emplace(CanonicalContig(contigs[i].first), i);
  const auto add = [&](const std::string& name, int64_t length) {
    const auto [entry, is_new] = index.emplace(CanonicalContig(name), contigs.size());
    if (is_new) {
      contigs.emplace_back(name, length);
    } else if (contigs[entry->second].second == 0) {
      contigs[entry->second].second = length;
    }
  };
  if (first_of_study) add(*first_of_study, 0);
  for (const auto& [name, length] : panel.header_contigs()) add(name, length);
  return contigs;
}

std::string NameOf(const Region& region) {
  return region.end == INT64_MAX ? fmt::format("{}:{}-", region.contig, region.begin)
                                 : fmt::format("{}:{}-{}", region.contig, region.begin, region.end);
}

// The file that the windows of all contigs are written to.
class ImputeOutput {
 public:
  ImputeOutput(const ImputeJob& job, const VariantHeader& header, const std::vector<std::string>& samples) : job_(job) {
    const SampleTable table = SampleTable::Diploid(samples);
    if (job.only_study_markers) {
      genotypes_.emplace(job.out, job.output_type, header, table);
    } else {
      dosages_.emplace(job.out, job.output_type, header, table, job.fields);
    }
  }

  std::unique_ptr<WindowWriter> Contig(const std::string& name) {
    const int64_t begin = job_.region ? job_.region->begin : 0;
    if (genotypes_) return std::make_unique<PhaseMerger>(name, begin, *genotypes_);
    return std::make_unique<RecordMerger>(name, begin, *dosages_);
  }

  // What the records so far add up to.
  void AddTo(ImputeCounts& counts) const {
    if (!dosages_) return;
    counts.left_out = dosages_->num_left_out();
    if (counts.samples >= kMinSamplesForDr2) counts.mean_dr2 = dosages_->mean_dr2();
  }

  void Finish() { genotypes_ ? genotypes_->Finish(job_.write_index) : dosages_->Finish(job_.write_index); }

 private:
  const ImputeJob& job_;
  std::optional<GenotypeWriter> genotypes_;  // this one or the other
  std::optional<DosageWriter> dosages_;
};

// Throws InputError where the study and the panel have nothing in common on a contig; notes a part of one.
void CheckImputed(const ImputeJob& job, const ContigImputer& imputer, PanelContigs& panel, SharedParts& parts) {
  const std::string& contig = parts.contig();
  if (imputer.alignment().matched == 0 && !parts.part().IsWhole()) return parts.NoteAbsent();
  if (imputer.alignment().matched == 0) {
    throw InputError(NoSharedSiteMessage(imputer.alignment(), {job.target, {contig}}, {job.reference, panel.Names()}));
  }
  if (!imputer.overlap().has_alleles) {
    LogWarning("{}: all genotypes of contig {} are missing; what is imputed is no more than the panel's frequencies",
               job.target, contig);
  }
}

// The families of the study, or nothing.
std::optional<TransmissionPhaser> FamiliesOf(const ImputeJob& job, const StudyReader& study) {
  if (job.pedigree.empty()) return std::nullopt;
  const Pedigree pedigree = LoadPedigree(job.pedigree, study.sample_names());
  const auto num_trios = std::ranges::count_if(pedigree.trios, [](const Trio& t) { return t.father && t.mother; });
  LogInfo("{}: {} trios and {} duos of the study", job.pedigree, num_trios,
          static_cast<std::ptrdiff_t>(pedigree.trios.size()) - num_trios);
  if (!pedigree.absent.empty()) {
    LogInfo("{}: {} of its people are not in the study: {}", job.pedigree, pedigree.absent.size(),
            JoinNames(pedigree.absent, kSamplesShown));
  }
  return TransmissionPhaser(pedigree, study.sample_names().size());
}

[[noreturn]] void FailNoSharedContig(const ImputeJob& job, const std::vector<std::string>& absent,
                                     PanelContigs& panel) {
  if (absent.empty()) throw InputError(job.target + ": no records; give a study with typed sites");
  throw InputError(fmt::format(
      "{}: none of its contigs ({}) is in the panel {}, which has {}; give the panel of these contigs, or rename them "
      "(bcftools annotate --rename-chrs){}",
      job.target, JoinNames(absent), job.reference, JoinNames(panel.Names()), RemedyForPlinkXY(absent)));
}

// Those that are known before they are read, as the study names them: all of them if both files have an index.
std::vector<std::string> KnownSharedContigs(StudyReader& study, PanelContigs& panel) {
  const std::vector<std::string> of_panel = panel.Names();
  std::vector<std::string> shared = study.Contigs();
  std::erase_if(shared, [&](const std::string& contig) { return !FindContig(of_panel, contig); });
  return shared;
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

// Without a panel, the study's markers take its place.
PanelContigs OpenReference(const ImputeJob& job) {
  if (!job.reference.empty()) return PanelContigs(job.reference, job.panel_samples);
  StudyOptions options = job.study;
  options.unphased = Unphased::kAccept;
  return {job.target, [&job, options] { return OpenStudySites(job.target, options); }};
}

void CheckNumSamples(const ImputeJob& job, size_t samples) {
  if (!job.reference.empty() || samples >= kMinSamplesWithoutPanel) return;
  if (samples == 1) {
    throw InputError(job.target + ": a single sample cannot be phased without other haplotypes; give a panel (--ref)");
  }
  LogWarning("{}: {} samples without a panel (--ref); phase found from fewer than {} samples is unreliable", job.target,
             samples, kMinSamplesWithoutPanel);
}

}  // namespace

ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model) {
  if (job.reference == job.target)
    throw InputError(job.target + ": given as panel and as study; give two different files");
  StudyOptions study_options = job.study;
  study_options.phase_sets = model.AcceptsUnphased() && !job.rephase;
  study_options.unphased = !model.AcceptsUnphased() ? Unphased::kReject
                           : job.rephase            ? Unphased::kReadAll
                                                    : Unphased::kAccept;
  HS_ASSERT(!job.reference.empty() || job.only_study_markers);
  PanelContigs panel = OpenReference(job);
  StudyReader study(job.target, study_options);
  CheckNumSamples(job, study.sample_names().size());
  study.WarnOfAbsentMales();
  WarnOfSharedSamples(job, study, panel.reader());
  std::optional<TransmissionPhaser> families = FamiliesOf(job, study);
  if (job.map.empty()) LogInfo("no --map: using 1 cM per Mb");
  if (!job.map.empty() && !job.region) CheckMapContigs(job.map, KnownSharedContigs(study, panel));

  SharedParts parts(study, panel, RegionsOfStudy(job.regions, study, job.reference.empty() ? nullptr : &panel),
                    job.region);
  if (!parts.Next()) FailNoSharedContig(job, parts.absent(), panel);
  const VariantHeader header{OutputContigs(study, panel.reader(), parts.contig()), job.header_lines};
  ImputeOutput output(job, header, study.sample_names());
  JobTotals totals;
  do {
    const OverlapFiles files{job.target, job.reference, parts.contig(), BuildOfContigs(study.header_contigs()),
                             BuildOfContigs(panel.reader().header_contigs())};
    const int64_t length = DeclaredLength(job, header, parts.contig());
    ContigImputer imputer(job, model, panel.reader(), study, families ? &*families : nullptr, files, parts.part(),
                          panel.reader().LastPosition().value_or(length), output.Contig(parts.contig()));
    imputer.Run();
    CheckImputed(job, imputer, panel, parts);
    WarnOfPhaseSets(job, imputer.phase());
    totals.Add(imputer);
  } while (parts.Next());
  if (job.region && totals.counts.imputed + totals.counts.typed == 0) {
    throw InputError(fmt::format("{}: no markers in {}; give another region", job.reference, NameOf(*job.region)));
  }
  if (totals.alignment.matched == 0) {
    throw InputError(
        NoSharedSiteMessage(totals.alignment, {job.target, {parts.contig()}}, {job.reference, panel.Names()}));
  }
  output.AddTo(totals.counts);
  WarnOfTotals(job, study, totals, parts.absent());
  WarnOfErrors(job, families);
  output.Finish();
  return totals.counts;
}

}  // namespace haplospin
