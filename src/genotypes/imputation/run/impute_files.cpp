#include "genotypes/imputation/run/impute_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/copying/study_fit.h"
#include "genotypes/imputation/families/transmission.h"
#include "genotypes/imputation/imputing/phase_window.h"
#include "genotypes/imputation/run/contig_phase.h"
#include "genotypes/imputation/run/contig_run.h"
#include "genotypes/imputation/run/impute_job.h"
#include "genotypes/imputation/run/shared_parts.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/reading/study_regions.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The sums over the contigs of a study.
struct JobTotals {
  ImputeCounts counts;
  AlignmentCounts alignment;
  StudyFit fit;
  PhaseErrorCounts phase_errors;
  ArrayAgreement array;
  size_t typed_sites = 0;
  int64_t covered = 0;  // bp of the panel

  void Add(const ContigRun& run) {
    const ImputeCounts of_contig = run.counts();
    counts.samples = of_contig.samples;
    counts.imputed += of_contig.imputed;
    counts.typed += of_contig.typed;
    counts.not_in_panel += of_contig.not_in_panel;
    counts.unphased += of_contig.unphased;
    counts.incomplete += of_contig.incomplete;
    counts.misaligned += of_contig.misaligned;
    alignment += run.alignment();
    fit += run.fit();
    phase_errors += run.phase_errors();
    array += run.array_agreement();
    typed_sites += run.overlap().typed;
    covered += run.overlap().covered;
  }
};

// A mean DR2 that is lower than with any array made for imputation: the study has too few typed sites, or the panel is
// of another ancestry.
constexpr double kLowDr2 = 0.5;
constexpr size_t kMinMarkersForDr2 = 100;

void WarnOfLowAccuracy(const ImputeJob& job, const ImputeCounts& counts) {
  const MeanDr2& dr2 = counts.mean_dr2;
  if (dr2.markers < kMinMarkersForDr2 || dr2.mean >= kLowDr2) return;
  LogWarning(
      "{}: the mean DR2 of {} imputed markers with a MAF of at least 1 % is {:.2f}, which is low: the study has too "
      "few typed sites ({} for {} panel markers), or the panel does not match its ancestry; filter by DR2",
      job.output.path, dr2.markers, dr2.mean, counts.typed, counts.typed + counts.imputed);
}

// The DR2 of few people is a matter of chance: a marker where one person is homozygous for ALT has a low one.
void WarnOfDr2(const ImputeJob& job, const ImputeCounts& counts, bool has_r2p) {
  if (counts.imputed == 0 || counts.samples >= kMinSamplesForDr2) return;
  if (job.output.fields.min_r2 > 0) {
    LogWarning(
        "{}: --min-r2 with {}: DR2 does not tell the accuracy of a marker, and leaves out ALT alleles that are "
        "right; write all markers, or impute at least {} samples together",
        job.output.path, Counted(counts.samples, "sample"), kMinSamplesForDr2);
  } else {
    LogInfo("{}: DR2 of {} does not tell the accuracy of a marker; {}", job.output.path,
            Counted(counts.samples, "sample"), has_r2p ? "filter by R2P" : "do not filter by it");
  }
}

void TellOfArray(const ImputeJob& job, const std::string& array, const ArrayAgreement& agreement) {
  if (agreement.markers == 0) {
    LogWarning(
        "{}: adapted to the array {}, which is not used with some of its samples only (--panel-samples), with "
        "likelihoods, or with a model of another architecture; the output has no R2P",
        job.panel.path, array);
    return;
  }
  const std::string sites =
      fmt::format("the study has {} of its {}, and {}", agreement.shared_sites, Counted(agreement.array_sites, "site"),
                  Counted(agreement.study_sites - agreement.shared_sites, "other typed site"));
  if (agreement.adapted == 0) {
    LogWarning(
        "{}: adapted to another array, {} ({}): imputed without it, and the output has no R2P; adapt the panel to this "
        "study (haplospin panel adapt)",
        job.panel.path, array, sites);
  } else {
    LogInfo("{}: {} imputed with what the panel has of the array {} ({})", job.output.path,
            Counted(agreement.adapted, "marker"), array, sites);
  }
}

// From so many samples on, adapting a panel costs, once, at most a few times what imputing the study does.
constexpr size_t kMinSamplesToAdapt = 2000;

void TellOfAdapting(const ImputeJob& job, const WindowModel& model, const ImputeCounts& counts) {
  const bool can_adapt = !job.panel.path.empty() && job.panel.samples.empty() && model.traits().uses_adaptation &&
                         job.study.options.likelihoods == LikelihoodField::kNone;
  if (!can_adapt || counts.samples < kMinSamplesToAdapt) return;
  LogInfo(
      "{}: not adapted to the array of the study; haplospin panel adapt does this once, in the time that imputing the "
      "panel's samples takes (at most 2,500), and makes imputation more accurate",
      job.panel.path);
}

void WarnOfIncomplete(const ImputeJob& job, const ImputeCounts& counts) {
  if (counts.incomplete == 0 || job.output.fields.leaves_out_study) return;
  LogWarning("{}: missing genotypes of {} that the panel lacks are left missing{}", job.output.path,
             Counted(counts.incomplete, "study marker"),
             counts.samples >= kMinSamplesOfStudyOnly
                 ? ""
                 : fmt::format("; at least {} samples impute them from each other", kMinSamplesOfStudyOnly));
}

void WarnOfFewSites(const ImputeJob& job, const JobTotals& totals) {
  const double per_megabase = 1e6 * static_cast<double>(totals.typed_sites) / static_cast<double>(totals.covered);
  const bool is_known = totals.counts.mean_dr2.markers >= kMinMarkersForDr2;
  if (is_known || totals.counts.imputed < kMinMarkersForDr2 || per_megabase >= kMinSitesPerMegabase) return;
  LogWarning("{}: only {} for {} ({:.1f} per Mb), so accuracy is low; an array has 50 and more per Mb", job.study.path,
             Counted(totals.counts.typed, "typed site"),
             Counted(totals.counts.typed + totals.counts.imputed, "panel marker"), per_megabase);
}

void WarnOfSharedSamples(const ImputeJob& job, const StudyReader& study, const PanelReader& panel) {
  // The tables are of the study's names, as a panel may have a hundred thousand times more samples.
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
      job.study.path, shared.size(), study.sample_names().size(), JoinNames(shared, kSamplesShown));
}

void WarnOfMendelianErrors(const ImputeJob& job, const std::optional<TransmissionPhaser>& families) {
  if (!families || families->num_errors() == 0) return;
  LogWarning(
      "{}: {} Mendelian errors, the first of {}; the genotypes of the child and its parents were set missing there, "
      "and imputed",
      job.study.path, families->num_errors(), families->first_error());
}

void WarnOfPhaseSets(const ImputeJob& job, const ContigPhase& phase) {
  if (phase.num_interrupted() == 0) return;
  LogWarning(
      "{}: {} in phase sets (PS) that overlap others, the first of {}; where sets overlap, only the one "
      "that starts first is kept",
      job.study.path, Counted(phase.num_interrupted(), "genotype"), phase.first_interrupted());
}

void WarnOfExcludedMarkers(const ImputeJob& job, const StudyReader& study) {
  LogInfo("{}: {} excluded", job.study.path, Counted(study.num_excluded_markers(), "marker"));
  const std::vector<std::string> unknown = study.ExcludedMarkersNotFound();
  if (unknown.empty()) return;
  LogWarning("{}: has no marker for {} of --exclude-markers: {}; check their IDs, or contigs and positions",
             job.study.path, Counted(unknown.size(), "line"), JoinNames(unknown));
}

// Warns of what the whole run has found. `absent` are the contigs that the panel does not have.
void WarnOfTotals(const ImputeJob& job, const StudyReader& study, const JobTotals& totals,
                  const std::vector<std::string>& absent) {
  if (totals.alignment.exchanged > 0) {
    LogInfo("{}: REF and ALT are those of the panel, not A2 and A1, at {} of {} sites; a .bed file does not record REF",
            job.study.path, totals.alignment.exchanged, totals.alignment.matched);
  }
  const std::string warning = AlignmentWarning(totals.alignment, {job.study.path, {}});
  if (!warning.empty()) LogWarning("{}", warning);
  if (totals.fit.IsOfAnotherPopulation()) {
    LogWarning(
        "{}: its haplotypes have {}; the panel {} seems to be from another population, or the study has many "
        "genotyping and phasing errors; expect lower accuracy, or give a panel that matches the study's ancestry",
        job.study.path, Describe(totals.fit), job.panel.path);
  }
  if (totals.phase_errors.errors > 0) {
    const auto errors = static_cast<double>(totals.phase_errors.errors);
    LogInfo(
        "{}: {} switch error{} corrected before imputation ({:.1f} per 1,000 typed heterozygotes); the output keeps "
        "the phase of the study",
        job.study.path, totals.phase_errors.errors, totals.phase_errors.errors == 1 ? "" : "s",
        1000 * errors / static_cast<double>(totals.phase_errors.hets));
  }
  WarnOfLowAccuracy(job, totals.counts);
  WarnOfFewSites(job, totals);
  WarnOfDr2(job, totals.counts, totals.array.adapted > 0);
  WarnOfIncomplete(job, totals.counts);
  if (study.num_male_heterozygotes() > 0) {
    LogWarning(
        "{}: {} heterozygous genotypes of males outside the pseudo-autosomal regions of X are taken as missing; if "
        "there are many, check the sexes, or give the genome build with --par",
        job.study.path, study.num_male_heterozygotes());
  }
  if (study.num_failed() > 0) {
    LogWarning("{}: {} in FILTER neither PASS nor nothing (first: {}); {}", job.study.path,
               study.num_failed() == 1 ? "1 record has" : fmt::format("{} records have", study.num_failed()),
               study.first_failed(),
               job.study.options.filters.empty() ? "they are used; --filter PASS,. leaves them out"
                                                 : fmt::format("--filter left out {}", study.num_filtered()));
  }
  if (const std::vector<std::string> names = study.SamplesWithoutGenotypes(); !names.empty()) {
    LogWarning("{}: {} without any genotype ({}); what is imputed for them is no more than the frequencies of {}",
               job.study.path, Counted(names.size(), "sample"), JoinNames(names, kSamplesShown),
               job.panel.path.empty() ? "the others" : "the panel");
  }
  if (study.num_blocks() > 0) {
    LogWarning(
        "{}: {} of a gVCF stand for several bases, of which only the first is used; write a record for each (bcftools "
        "convert --gvcf2vcf -f REF.fa)",
        job.study.path, Counted(study.num_blocks(), "record"));
  }
  if (job.study.options.excluded_markers) WarnOfExcludedMarkers(job, study);
  if (!absent.empty()) {
    LogWarning("{}: left out, because the panel {} does not have them: contigs {}{}", job.study.path, job.panel.path,
               JoinNames(absent), RemedyForPlinkXY(absent));
  }
}

// Throws InputError if no record had the field of --likelihoods.
void CheckLikelihoods(const ImputeJob& job, const StudyReader& study) {
  const char* field = NameOf(job.study.options.likelihoods);
  if (study.num_with_likelihoods() == 0) {
    throw InputError(
        fmt::format("{}: no record has FORMAT {}; give another field, or remove --likelihoods to use the "
                    "genotypes that were called",
                    job.study.path, field));
  }
  if (study.num_without_likelihoods() == 0) return;
  LogWarning("{}: {} without FORMAT {}; their genotypes are taken as they were called", job.study.path,
             Counted(study.num_without_likelihoods(), "record"), field);
}

constexpr size_t kMinSamplesWithoutPanel = 100;

// Returns the study's contigs, and those of the panel that it does not declare, with their lengths in bp. A contig in
// both files has its name in the study; `of_records` are names that its records have, whatever its header declares.
std::vector<std::pair<std::string, int64_t>> OutputContigs(const StudyReader& study, const PanelReader& panel,
                                                           const std::vector<std::string>& of_records) {
  auto contigs = study.header_contigs();
  std::unordered_map<std::string, size_t> index;  // canonical name to index of the contig
  for (size_t i = 0; i < contigs.size(); ++i) index.emplace(CanonicalContig(contigs[i].first), i);
  const auto add = [&](const std::string& name, int64_t length) {
    const auto [entry, is_new] = index.emplace(CanonicalContig(name), contigs.size());
    if (is_new) {
      contigs.emplace_back(name, length);
    } else if (contigs[entry->second].second == 0) {
      contigs[entry->second].second = length;
    }
  };
  for (const auto& [name, length] : panel.header_contigs()) add(name, length);
  for (const std::string& name : of_records) {
    if (std::ranges::find(contigs, name, [](const auto& contig) { return contig.first; }) != contigs.end()) continue;
    add(name, 0);
    contigs[index.at(std::string(CanonicalContig(name)))].first = name;
  }
  return contigs;
}

// A contig of the study that the header of the output, which is written before the records, does not declare.
struct UndeclaredContig {
  std::string name;
};

std::string NameOf(const Region& region) {
  return region.end == INT64_MAX ? fmt::format("{}:{}-", region.contig, region.begin)
                                 : fmt::format("{}:{}-{}", region.contig, region.begin, region.end);
}

// Throws InputError if study and panel share no site on a contig. Notes the part as absent if it is not a whole contig.
void CheckImputed(const ImputeJob& job, const ContigRun& run, size_t num_filtered, PanelContigs& panel,
                  SharedParts& parts) {
  const std::string& contig = parts.contig();
  if (run.alignment().matched == 0 && !parts.part().IsWhole()) return parts.NoteAbsent();
  if (run.alignment().study_markers == 0 && num_filtered > 0) {
    throw InputError(fmt::format("{}: none of its {} on contig {} is in --filter; give the values of its FILTER column",
                                 job.study.path, Counted(num_filtered, "record"), contig));
  }
  if (run.alignment().matched == 0) {
    throw InputError(NoSharedSiteMessage(run.alignment(), {job.study.path, {contig}}, {job.panel.path, panel.Names()}));
  }
  const PanelOverlap& overlap = run.overlap();
  if (!overlap.has_alleles && job.panel.path.empty()) {
    throw InputError(fmt::format(
        "{}: all genotypes of contig {} are missing, so there is nothing to impute them from; give a panel (--ref)",
        job.study.path, contig));
  }
  if (overlap.empty > 0 && job.panel.path.empty()) {
    LogWarning(
        "{}: {} without any genotype, the first at {}:{}; imputed as REF, with DR2 0; remove {} (bcftools view "
        "-e 'F_MISSING=1')",
        job.study.path, Counted(overlap.empty, "marker"), contig, overlap.first_empty,
        overlap.empty == 1 ? "it" : "them");
  }
  if (!overlap.has_alleles) {
    LogWarning("{}: all genotypes of contig {} are missing; what is imputed is no more than the panel's frequencies",
               job.study.path, contig);
  }
}

// Returns the families of the study, or nullopt without a pedigree.
std::optional<TransmissionPhaser> FamiliesOf(const ImputeJob& job, const StudyReader& study) {
  if (job.study.pedigree.empty()) return std::nullopt;
  const Pedigree pedigree = LoadPedigree(job.study.pedigree, study.sample_names());
  const auto num_trios = std::ranges::count_if(pedigree.trios, [](const Trio& t) { return t.father && t.mother; });
  LogInfo("{}: {} and {} of the study", job.study.pedigree, Counted(static_cast<size_t>(num_trios), "trio"),
          Counted(pedigree.trios.size() - static_cast<size_t>(num_trios), "duo"));
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

// Returns the shared contigs that are known before the files are read, as the study names them: all of them if both
// files have an index.
std::vector<std::string> KnownSharedContigs(StudyReader& study, PanelContigs& panel) {
  const std::vector<std::string> of_panel = panel.Names();
  std::vector<std::string> shared = study.Contigs();
  std::erase_if(shared, [&](const std::string& contig) { return !FindContig(of_panel, contig); });
  return shared;
}

// Returns the length of a contig of the output's header, bp, or 0 if it is not known.
int64_t DeclaredLength(const VariantHeader& header, const std::string& contig) {
  const auto known = std::ranges::find(header.contigs, contig, [](const auto& c) { return c.first; });
  if (known == header.contigs.end()) throw UndeclaredContig{contig};
  return known->second;
}

// Opens the panel or, without one, the sites of the study in its place.
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
  LogWarning(
      "{}: {} samples without a panel (--ref); fewer than {} carry few of the haplotypes of a population, so that what "
      "is phased and imputed from them is unreliable",
      job.study.path, samples, kMinSamplesWithoutPanel);
}

// Throws UndeclaredContig where the study has a contig that neither its header nor the panel's declares, and that is
// not among `contigs`.
ImputeCounts RunOnce(const ImputeJob& job, const WindowModel& model, decltype(OpenDosageOutput)& open_output,
                     const std::string& verb, std::vector<std::string> contigs) {
  if (job.panel.path == job.study.path)
    throw InputError(job.study.path + ": given as panel and as study; give two different files");
  StudyOptions study_options = job.study.options;
  const bool has_likelihoods = study_options.likelihoods != LikelihoodField::kNone;
  const bool rephases = job.study.rephase || has_likelihoods;
  study_options.phase_sets = model.traits().accepts_unphased && !rephases;
  study_options.unphased = !model.traits().accepts_unphased ? Unphased::kReject
                           : rephases                       ? Unphased::kReadAll
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
  contigs.push_back(parts.contig());
  const VariantHeader header{OutputContigs(study, panel.reader(), contigs), job.output.header_lines};
  OutputOptions output_options = job.output;
  const std::string array = panel.reader().AdaptedArray();
  output_options.fields.r2p = !array.empty();
  const std::unique_ptr<StudyOutput> output =
      open_output(output_options, header, SampleTable::Diploid(study.sample_names()));
  JobTotals totals;
  do {
    const OverlapFiles files{job.study.path, job.panel.path, parts.contig(), BuildOfContigs(study.header_contigs()),
                             BuildOfContigs(panel.reader().header_contigs())};
    const int64_t length = DeclaredLength(header, parts.contig());
    ContigRun run(job, model, panel.reader(), study, families ? &*families : nullptr, files, parts.part(),
                  panel.reader().LastPosition().value_or(length),
                  output->Contig(parts.contig(), job.windows.region ? job.windows.region->begin : 0), verb);
    run.Run();
    CheckImputed(job, run, study.num_filtered(), panel, parts);
    if (families) families->CheckFamilies(job.study.pedigree, study.sample_names());
    WarnOfPhaseSets(job, run.phase());
    totals.Add(run);
  } while (parts.Next());
  if (job.windows.region && totals.counts.imputed + totals.counts.typed == 0) {
    throw InputError(
        fmt::format("{}: no markers in {}; give another region", job.panel.path, NameOf(*job.windows.region)));
  }
  if (totals.alignment.matched == 0) {
    throw InputError(
        NoSharedSiteMessage(totals.alignment, {job.study.path, {parts.contig()}}, {job.panel.path, panel.Names()}));
  }
  if (has_likelihoods) CheckLikelihoods(job, study);
  output->AddTo(totals.counts);
  if (totals.counts.imputed > 0 && array.empty()) TellOfAdapting(job, model, totals.counts);
  if (totals.counts.imputed > 0 && !array.empty()) TellOfArray(job, array, totals.array);
  WarnOfTotals(job, study, totals, parts.absent());
  WarnOfMendelianErrors(job, families);
  output->Finish(job.output.index);
  return totals.counts;
}

// Returns the contigs of a file in their order, which takes reading it.
std::vector<std::string> ContigsIn(const std::string& path, const std::string& undeclared) {
  try {
    CheckReadableTwice(path);
  } catch (const InputError&) {
    throw InputError(
        fmt::format("{}: the header does not declare contig {}; add a ##contig line for each contig "
                    "(bcftools reheader --fai), or give a file instead of a pipe",
                    path, undeclared));
  }
  std::vector<std::string> contigs;
  StudyReader reader(path, {.unphased = Unphased::kAccept});
  for (auto contig = reader.NextContig(); contig; contig = reader.NextContig()) {
    contigs.push_back(*contig);
    reader.SkipContig();
  }
  return contigs;
}

// `open_output` is OpenDosageOutput() or OpenPhaseOutput(); `verb` is for the progress bar.
ImputeCounts RunJob(const ImputeJob& job, const WindowModel& model, decltype(OpenDosageOutput)& open_output,
                    const std::string& verb) {
  try {
    return RunOnce(job, model, open_output, verb, {});
  } catch (const UndeclaredContig& contig) {
    LogInfo("{}: the header does not declare contig {}; starting again with all contigs of the records", job.study.path,
            contig.name);
    return RunOnce(job, model, open_output, verb, ContigsIn(job.study.path, contig.name));
  }
}

}  // namespace

ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model) {
  HS_ASSERT(!job.panel.path.empty());
  const ImputeCounts counts = RunJob(job, model, OpenDosageOutput, "imputing");
  if (counts.imputed == 0) {
    LogWarning(
        "{}: has every marker of the panel {}, so nothing was imputed; check that --ref and --target are not "
        "exchanged",
        job.study.path, job.panel.path);
  }
  return counts;
}

ImputeCounts ImputeByPhasing(const ImputeJob& job) {
  if (job.panel.path.empty()) {
    LogInfo("no --ref: missing genotypes are imputed from the study's own samples, and no markers are added");
  }
  return RunJob(job, PhasingModel({.seed = job.seed}), OpenDosageOutput, "imputing");
}

ImputeCounts PhaseFiles(const ImputeJob& job) {
  return RunJob(job, PhasingModel({.seed = job.seed}), OpenPhaseOutput, "phasing");
}

}  // namespace haplospin
