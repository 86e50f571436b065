#include "imputation/imputer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/log.h"
#include "genomics/sites/contig_names.h"
#include "genomics/sites/genome_build.h"
#include "haplospin/errors.h"
#include "imputation/contig_imputer.h"
#include "imputation/phase_merger.h"
#include "imputation/record_merger.h"
#include "imputation/shared_parts.h"
#include "variant_io/genetic_map_file.h"
#include "variant_io/reading/panel_contigs.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/reading/study_sites.h"

namespace haplospin {
namespace {

constexpr size_t kMinSamplesWithoutPanel = 100;

void WarnOfSharedSamples(const ImputeJob& job, const StudyReader& study, const PanelReader& panel) {
  // A panel may have a hundred thousand times more samples than the study.
  const std::unordered_set<std::string_view> of_study(study.sample_names().begin(), study.sample_names().end());
  std::unordered_set<std::string_view> of_both;
  for (const std::string& name : panel.sample_names()) {
    if (of_study.contains(name)) of_both.insert(name);
  }
  if (of_both.empty()) return;
  std::vector<std::string> shared;
  std::ranges::copy_if(study.sample_names(), std::back_inserter(shared),
                       [&](const std::string& name) { return of_both.contains(name); });
  LogWarning(
      "{}: {} of {} study samples are also in the panel ({}); if they are the same people, their imputed genotypes are "
      "copied from the panel",
      job.target, shared.size(), study.sample_names().size(), JoinNames(shared, 3));
}

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

PloidyRegions RegionsByBuild(const StudyReader& study, const PanelReader& panel) {
  const std::string build = BuildOfContigs(panel.header_contigs());
  return PloidyRegions::OfBuild(build.empty() ? BuildOfContigs(study.header_contigs()) : build);
}

PloidyRegions RegionsOf(const ImputeJob& job, const StudyReader& study, PanelContigs& panel) {
  PloidyRegions regions = job.regions ? *job.regions : RegionsByBuild(study, panel.reader());
  if (job.reference.empty()) {
    regions.KeepAutosomesOfStudy(NamesOfContigs(study.header_contigs()));
  } else {
    regions.KeepAutosomesOfPanel(panel.KnownNames());
  }
  return regions;
}

// What the contigs of a study add up to.
struct Totals {
  ImputeCounts counts;
  AlignmentCounts alignment;
  StudyFit fit;
  PhaseErrorCounts phase_errors;

  void Add(const ContigImputer& contig) {
    counts.samples = contig.counts().samples;
    counts.imputed += contig.counts().imputed;
    counts.typed += contig.counts().typed;
    counts.not_in_panel += contig.counts().not_in_panel;
    counts.misaligned += contig.counts().misaligned;
    alignment += contig.alignment();
    fit += contig.fit();
    phase_errors += contig.phase_errors();
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
    const int64_t begin = job_.region ? job_.region->begin : 0;
    if (genotypes_) return std::make_unique<PhaseMerger>(name, begin, *genotypes_);
    return std::make_unique<RecordMerger>(name, begin, *dosages_);
  }

  // The number of records that were not written because of the job's fields.
  size_t Finish() {
    genotypes_ ? genotypes_->Finish(job_.write_index) : dosages_->Finish(job_.write_index);
    return dosages_ ? dosages_->num_left_out() : 0;
  }

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
            JoinNames(pedigree.absent, 3));
  }
  return TransmissionPhaser(pedigree, study.sample_names().size());
}

void WarnOfErrors(const ImputeJob& job, const std::optional<TransmissionPhaser>& families) {
  if (!families || families->num_errors() == 0) return;
  LogWarning(
      "{}: {} Mendelian errors, the first of {}; the genotypes of the child and its parents were set missing there, "
      "and imputed",
      job.target, families->num_errors(), families->first_error());
}

void WarnOfPhaseSets(const ImputeJob& job, const ContigPhase& phase) {
  if (phase.num_interrupted() == 0) return;
  LogWarning(
      "{}: {} genotypes are in phase sets (PS) that overlap others, the first of {}; where sets overlap, only the one "
      "that starts first is kept",
      job.target, phase.num_interrupted(), phase.first_interrupted());
}

void WarnOfTotals(const ImputeJob& job, const StudyReader& study, const Totals& totals,
                  const std::vector<std::string>& absent) {
  if (totals.alignment.exchanged > 0) {
    LogInfo("{}: REF and ALT are those of the panel, not A2 and A1, at {} of {} sites; a .bed file does not record REF",
            job.target, totals.alignment.exchanged, totals.alignment.matched);
  }
  const std::string warning = AlignmentWarning(totals.alignment, {job.target, {}});
  if (!warning.empty()) LogWarning("{}", warning);
  if (totals.fit.IsOfAnotherPopulation()) {
    LogWarning(
        "{}: its haplotypes have {}; the panel {} seems to be from another population, or the study has many "
        "genotyping and phasing errors; expect lower accuracy, or give a panel that matches the study's ancestry",
        job.target, Describe(totals.fit), job.reference);
  }
  if (totals.phase_errors.errors > 0) {
    const auto errors = static_cast<double>(totals.phase_errors.errors);
    LogInfo(
        "{}: {} switch error{} corrected before imputation ({:.1f} per 1,000 typed heterozygotes); the output keeps "
        "the phase of the study",
        job.target, totals.phase_errors.errors, totals.phase_errors.errors == 1 ? "" : "s",
        1000 * errors / static_cast<double>(totals.phase_errors.hets));
  }
  if (study.num_male_heterozygotes() > 0) {
    LogWarning(
        "{}: {} heterozygous genotypes of males outside the pseudo-autosomal regions of X are taken as missing; if "
        "there are many, check the sexes, or give the genome build with --par",
        job.target, study.num_male_heterozygotes());
  }
  if (job.study.excluded_markers) {
    LogInfo("{}: {} markers were excluded", job.target, study.num_excluded_markers());
    if (study.num_excluded_markers() == 0) {
      LogWarning("{}: has none of the markers of --exclude-markers; check their IDs, or contigs and positions",
                 job.target);
    }
  }
  if (totals.counts.imputed == 0 && !job.only_study_markers) {
    LogWarning(
        "{}: has every marker of the panel {}, so nothing was imputed; check that --ref and --target are not "
        "exchanged",
        job.target, job.reference);
  }
  if (!absent.empty()) {
    LogWarning("{}: left out, because the panel {} does not have them: contigs {}{}", job.target, job.reference,
               JoinNames(absent), RemedyForPlinkXY(absent));
  }
}

[[noreturn]] void FailNoSharedContig(const ImputeJob& job, const std::vector<std::string>& absent,
                                     PanelContigs& panel) {
  if (absent.empty()) throw InputError(job.target + ": no records; give a study with typed sites");
  throw InputError(fmt::format(
      "{}: none of its contigs ({}) is in the panel {}, which has {}; give the panel of these contigs, or rename them "
      "(bcftools annotate --rename-chrs){}",
      job.target, JoinNames(absent), job.reference, JoinNames(panel.Names()), RemedyForPlinkXY(absent)));
}

// As the study names them: all of them if it has an index.
std::vector<std::string> SharedContigs(StudyReader& study, PanelContigs& panel) {
  std::vector<std::string> shared = study.Contigs();
  std::erase_if(shared, [&](const std::string& contig) { return !panel.Find(contig); });
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
  if (!job.reference.empty()) return {job.reference, job.threads, job.panel_samples};
  StudyOptions options = job.study;
  options.unphased = Unphased::kAccept;
  return {job.target, [&job, options] { return OpenStudySites(job.target, job.threads, options); }};
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
  StudyReader study(job.target, job.threads, study_options);
  CheckNumSamples(job, study.sample_names().size());
  WarnOfSharedSamples(job, study, panel.reader());
  std::optional<TransmissionPhaser> families = FamiliesOf(job, study);
  if (job.map.empty()) LogInfo("no --map: using 1 cM per Mb");
  if (!job.map.empty() && !job.region) CheckMapContigs(job.map, SharedContigs(study, panel));

  SharedParts parts(study, panel, RegionsOf(job, study, panel), job.region);
  if (!parts.Next()) FailNoSharedContig(job, parts.absent(), panel);
  const VariantHeader header{OutputContigs(study, panel.reader(), parts.contig()), job.header_lines};
  ImputeOutput output(job, header, study.sample_names());
  Totals totals;
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
  WarnOfTotals(job, study, totals, parts.absent());
  WarnOfErrors(job, families);
  totals.counts.left_out = output.Finish();
  return totals.counts;
}

}  // namespace haplospin
