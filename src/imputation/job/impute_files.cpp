#include "imputation/job/impute_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/log.h"
#include "genomics/sites/contig_names.h"
#include "genomics/sites/ploidy_regions.h"
#include "haplospin/errors.h"
#include "imputation/imputing/phase_window.h"
#include "imputation/job/contig_run.h"
#include "imputation/job/job_report.h"
#include "imputation/job/phase_merger.h"
#include "imputation/job/record_merger.h"
#include "imputation/job/shared_parts.h"
#include "variant_io/genetic_map_file.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/reading/study_regions.h"

namespace haplospin {
namespace {

constexpr size_t kMinSamplesWithoutPanel = 100;

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

// Throws InputError where the study and the panel have nothing in common on a contig; notes a part of one.
void CheckImputed(const ImputeJob& job, const ContigRun& run, PanelContigs& panel, SharedParts& parts) {
  const std::string& contig = parts.contig();
  if (run.alignment().matched == 0 && !parts.part().IsWhole()) return parts.NoteAbsent();
  if (run.alignment().matched == 0) {
    throw InputError(NoSharedSiteMessage(run.alignment(), {job.study.path, {contig}}, {job.panel.path, panel.Names()}));
  }
  if (!run.overlap().has_alleles) {
    LogWarning("{}: all genotypes of contig {} are missing; what is imputed is no more than the panel's frequencies",
               job.study.path, contig);
  }
}

// The families of the study, or nothing.
std::optional<TransmissionPhaser> FamiliesOf(const ImputeJob& job, const StudyReader& study) {
  if (job.study.pedigree.empty()) return std::nullopt;
  const Pedigree pedigree = LoadPedigree(job.study.pedigree, study.sample_names());
  const auto num_trios = std::ranges::count_if(pedigree.trios, [](const Trio& t) { return t.father && t.mother; });
  LogInfo("{}: {} trios and {} duos of the study", job.study.pedigree, num_trios,
          static_cast<std::ptrdiff_t>(pedigree.trios.size()) - num_trios);
  if (!pedigree.absent.empty()) {
    LogInfo("{}: {} of its people are not in the study: {}", job.study.pedigree, pedigree.absent.size(),
            JoinNames(pedigree.absent, kSamplesShown));
  }
  return TransmissionPhaser(pedigree, study.sample_names().size());
}

[[noreturn]] void FailNoSharedContig(const ImputeJob& job, const std::vector<std::string>& absent,
                                     PanelContigs& panel) {
  if (absent.empty()) throw InputError(job.study.path + ": no records; give a study with typed sites");
  throw InputError(fmt::format(
      "{}: none of its contigs ({}) is in the panel {}, which has {}; give the panel of these contigs, or rename them "
      "(bcftools annotate --rename-chrs){}",
      job.study.path, JoinNames(absent), job.panel.path, JoinNames(panel.Names()), RemedyForPlinkXY(absent)));
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
                    job.study.path, contig));
  }
  return known->second;
}

// Without a panel, the study's markers take its place.
PanelContigs OpenReference(const ImputeJob& job) {
  if (!job.panel.path.empty()) return PanelContigs(job.panel.path, job.panel.samples);
  StudyOptions options = job.study.options;
  options.unphased = Unphased::kAccept;
  return {job.study.path, [&job, options] { return OpenStudySites(job.study.path, options); }};
}

void CheckNumSamples(const ImputeJob& job, size_t samples) {
  if (!job.panel.path.empty() || samples >= kMinSamplesWithoutPanel) return;
  if (samples == 1) {
    throw InputError(job.study.path +
                     ": a single sample cannot be phased without other haplotypes; give a panel (--ref)");
  }
  LogWarning("{}: {} samples without a panel (--ref); phase found from fewer than {} samples is unreliable",
             job.study.path, samples, kMinSamplesWithoutPanel);
}

// What a run makes of the windows: the records, and what it is called.
struct Purpose {
  std::string verb;
  std::function<std::unique_ptr<StudyOutput>(const VariantHeader&, const SampleTable&)> open;
};

ImputeCounts RunJob(const ImputeJob& job, const WindowModel& model, const Purpose& purpose) {
  if (job.panel.path == job.study.path)
    throw InputError(job.study.path + ": given as panel and as study; give two different files");
  StudyOptions study_options = job.study.options;
  study_options.phase_sets = model.AcceptsUnphased() && !job.study.rephase;
  study_options.unphased = !model.AcceptsUnphased() ? Unphased::kReject
                           : job.study.rephase      ? Unphased::kReadAll
                                                    : Unphased::kAccept;
  PanelContigs panel = OpenReference(job);
  StudyReader study(job.study.path, study_options);
  CheckNumSamples(job, study.sample_names().size());
  study.WarnOfAbsentMales();
  WarnOfSharedSamples(job, study, panel.reader());
  std::optional<TransmissionPhaser> families = FamiliesOf(job, study);
  if (job.panel.map.empty()) LogInfo("no --map: using 1 cM per Mb");
  if (!job.panel.map.empty() && !job.windows.region) CheckMapContigs(job.panel.map, KnownSharedContigs(study, panel));

  SharedParts parts(study, panel, RegionsOfStudy(job.panel.regions, study, job.panel.path.empty() ? nullptr : &panel),
                    job.windows.region);
  if (!parts.Next()) FailNoSharedContig(job, parts.absent(), panel);
  const VariantHeader header{OutputContigs(study, panel.reader(), parts.contig()), job.output.header_lines};
  const std::unique_ptr<StudyOutput> output = purpose.open(header, SampleTable::Diploid(study.sample_names()));
  JobTotals totals;
  do {
    const OverlapFiles files{job.study.path, job.panel.path, parts.contig(), BuildOfContigs(study.header_contigs()),
                             BuildOfContigs(panel.reader().header_contigs())};
    const int64_t length = DeclaredLength(job, header, parts.contig());
    ContigRun contig(job, model, panel.reader(), study, families ? &*families : nullptr, files, parts.part(),
                     panel.reader().LastPosition().value_or(length),
                     output->Contig(parts.contig(), job.windows.region ? job.windows.region->begin : 0), purpose.verb);
    contig.Run();
    CheckImputed(job, contig, panel, parts);
    WarnOfPhaseSets(job, contig.phase());
    totals.Add(contig);
  } while (parts.Next());
  if (job.windows.region && totals.counts.imputed + totals.counts.typed == 0) {
    throw InputError(
        fmt::format("{}: no markers in {}; give another region", job.panel.path, NameOf(*job.windows.region)));
  }
  if (totals.alignment.matched == 0) {
    throw InputError(
        NoSharedSiteMessage(totals.alignment, {job.study.path, {parts.contig()}}, {job.panel.path, panel.Names()}));
  }
  output->AddTo(totals.counts);
  WarnOfTotals(job, study, totals, parts.absent());
  WarnOfErrors(job, families);
  output->Finish(job.output.write_index);
  return totals.counts;
}

}  // namespace

ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model) {
  HS_ASSERT(!job.panel.path.empty());
  const ImputeCounts counts =
      RunJob(job, model, {"imputing", [&](const VariantHeader& header, const SampleTable& samples) {
                            return std::make_unique<DosageOutput>(job.output, header, samples);
                          }});
  if (counts.imputed == 0) {
    LogWarning(
        "{}: has every marker of the panel {}, so nothing was imputed; check that --ref and --target are not "
        "exchanged",
        job.study.path, job.panel.path);
  }
  return counts;
}

ImputeCounts PhaseFiles(const ImputeJob& job, uint64_t seed) {
  return RunJob(job, PhasingModel({.seed = seed}),
                {"phasing", [&](const VariantHeader& header, const SampleTable& samples) {
                   return std::make_unique<PhaseOutput>(job.output, header, samples);
                 }});
}

}  // namespace haplospin
