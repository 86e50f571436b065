#include "genotypes/imputation/files/impute_files.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log.h"
#include "core/muted_log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/checks/study_samples.h"
#include "genotypes/imputation/contig/contig_run.h"
#include "genotypes/imputation/contig/run_journal.h"
#include "genotypes/imputation/contig/shared_parts.h"
#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/contig/window_lengths.h"
#include "genotypes/imputation/files/family_messages.h"
#include "genotypes/imputation/files/output_contigs.h"
#include "genotypes/imputation/files/reading_messages.h"
#include "genotypes/imputation/files/run_checks.h"
#include "genotypes/imputation/files/run_messages.h"
#include "genotypes/imputation/files/site_output.h"
#include "genotypes/imputation/files/study_source.h"
#include "genotypes/imputation/hla/hla_output.h"
#include "genotypes/imputation/models/pedigree/absent_animals.h"
#include "genotypes/imputation/models/pedigree/study_families.h"
#include "genotypes/imputation/models/pedigree/transmission.h"
#include "genotypes/imputation/plan/study_facts.h"
#include "genotypes/imputation/self_test/held_out_output.h"
#include "genotypes/imputation/self_test/held_out_reads.h"
#include "genotypes/imputation/self_test/self_test_output.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/reading/study_regions.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Opens the panel or, without one, the sites of the study in its place.
PanelContigs OpenReference(const ImputeJob& job, const StudyFacts& facts) {
  if (facts.reference == Reference::kPanel) return PanelContigs(job.panel.path, job.panel.samples);
  return {job.study.path, [&job] { return OpenStudySites(job.study.path, job.study.options); }};
}

// Finds the people without genotypes who are to be written, and returns their names.
std::vector<std::string> ChooseAnimals(const ImputeJob& job, const std::vector<std::string>& samples,
                                       Pedigree& pedigree) {
  if (!job.study.finds_animals) return {};
  AbsentAnimals animals = FindAbsentAnimals(pedigree, samples.size());
  TellOfAnimals(job, animals, samples);
  pedigree.animals = std::move(animals.people);
  return std::move(animals.names);
}

// Returns the families of the study, or nullopt if none are known. `panel` are the samples of the panel.
std::optional<TransmissionPhaser> LoadFamilies(const ImputeJob& job, const std::vector<std::string>& samples,
                                               const std::vector<std::string>& panel,
                                               std::vector<std::string>& animals) {
  if (job.study.families && job.study.pedigree.empty()) return TransmissionPhaser(*job.study.families, samples.size());
  if (job.study.pedigree.empty()) return std::nullopt;
  Pedigree pedigree = job.study.families ? *job.study.families : LoadPedigree(job.study.pedigree, samples, panel);
  TellOfFamilies(job, pedigree, samples.size());
  animals = ChooseAnimals(job, samples, pedigree);
  return TransmissionPhaser(pedigree, samples.size());
}

// Returns the shared contigs that are known before the files are read, as the study names them: all of them if both
// files have an index.
std::vector<std::string> KnownSharedContigs(StudyReader& study, PanelContigs& panel) {
  const std::vector<std::string> panel_contigs = panel.Names();
  std::vector<std::string> shared = study.Contigs();
  std::erase_if(shared, [&](const std::string& contig) { return !FindContig(panel_contigs, contig); });
  return shared;
}

// Returns how the study is read, without the reads that are held out, if there are any.
StudyOptions HidingOptions(const ImputeJob& job, const StudyFacts& facts,
                           const std::shared_ptr<HeldOutReads>& held_out) {
  StudyOptions options = ReadingOptions(job, facts);
  if (!held_out) return options;
  options.open = [open = options.open, path = job.study.path, held_out](const RecordContent& content) {
    return HideReads(open ? open(content) : OpenRecords(path, content), held_out);
  };
  return options;
}

// The files of a run, from which contigs are imputed one after the other.
class FileRun {
 public:
  // All arguments must outlive the run. With `held_out`, nothing is written: what is imputed is compared with these
  // reads, which the run does not see.
  FileRun(const ImputeJob& job, const StudyFacts& facts, const Imputer& imputer,
          std::shared_ptr<HeldOutReads> held_out = nullptr);

  RunReport Run();

 private:
  void OpenOutput();
  void RunPart();
  void CheckMapServes(const std::string& contig);

  const ImputeJob& job_;

  const StudyFacts facts_;
  const Imputer imputer_;
  const std::shared_ptr<HeldOutReads> held_out_;  // or null
  PanelContigs panel_;
  StudyFile file_;
  StudyReader study_;
  const std::string study_build_, panel_build_;  // DeclaredBuild()
  std::optional<TransmissionPhaser> families_;
  std::vector<std::string> animals_;  // people of the pedigree without genotypes, who are written
  std::optional<SharedParts> parts_;
  ContigTable contigs_;                // of the output
  std::vector<std::string> mapped_;    // the first contigs, at most two, for which the map was used
  std::optional<RunJournal> journal_;  // if the run resumes
  std::unique_ptr<StudyOutput> output_;
  RunReport report_;
};

FileRun::FileRun(const ImputeJob& job, const StudyFacts& facts, const Imputer& imputer,
                 std::shared_ptr<HeldOutReads> held_out)
    : job_(job),
      facts_(facts),
      imputer_(imputer),
      held_out_(std::move(held_out)),
      panel_(OpenReference(job, facts)),
      file_(job.study.path, job.study.options),
      study_(job.study.path, HidingOptions(job, facts, held_out_)),
      study_build_(DeclaredBuild(study_.header().contigs)),
      panel_build_(DeclaredBuild(panel_.reader().header_contigs())) {
  CheckNumSamples(job, facts, study_.sample_names().size());
  study_.WarnOfAbsentMales();
  WarnOfSharedSamples(job, study_.sample_names(), panel_.reader().sample_names());
  const std::vector<std::string>& panel_samples = panel_.reader().sample_names();
  families_ = LoadFamilies(job, study_.sample_names(),
                           facts.IsImputedByNetwork() ? panel_samples : std::vector<std::string>(), animals_);
  if (job.panel.map.empty()) LogInfo("no --map: using 1 cM per Mb");
  if (!job.panel.map.empty() && !job.windows.region) CheckMapContigs(job.panel.map, KnownSharedContigs(study_, panel_));
  PanelContigs* const panel = facts.reference == Reference::kPanel ? &panel_ : nullptr;
  parts_.emplace(study_, panel_, RegionsOfStudy(job.panel.regions, file_, study_, panel), job.windows.region);
  report_.samples = study_.sample_names().size();
  report_.array_name = panel_.reader().AdaptedArray();
}

RunReport FileRun::Run() {
  if (!parts_->Next()) FailNoSharedContig(job_, parts_->absent(), panel_.Names());
  OpenOutput();
  do {
    RunPart();
  } while (parts_->Next());
  report_.reading = study_.Reading();
  report_.absent = parts_->absent();
  if (families_) {
    report_.mendelian_errors = families_->num_errors();
    report_.first_mendelian_error = families_->first_error();
    WarnOfChildrenOfOthers(job_, families_->ChildrenOfOthers(study_.sample_names()));
  }
  CheckRun(job_, facts_, report_, parts_->contig(), panel_.Names());
  study_.TellOfReads();
  output_->AddTo(report_);
  WarnOfRun(job_, facts_, report_);
  output_->Finish(job_.output.index);
  if (journal_) RemoveUnfinished(job_.output);
  TellOfOutput(job_, facts_, report_);
  return report_;
}

void FileRun::OpenOutput() {
  contigs_ = job_.output.contigs;
  if (contigs_.empty()) {
    contigs_ = OutputContigs(file_, study_, panel_.reader(), parts_->contig(),
                             /*is_only_one=*/job_.windows.region.has_value());
  }
  if (held_out_) {
    output_ = std::make_unique<HeldOutOutput>(study_.header().samples, held_out_, *job_.output.self_test);
    return;
  }
  OutputOptions options = job_.output;
  options.fields.r2p = !report_.array_name.empty();
  options.animals = animals_;
  if (!options.resumes.empty()) journal_.emplace(options);
  VariantHeader header{contigs_, job_.output.header_lines, panel_.reader().described()};
  header.described.Add(study_.header().described);
  output_ = OpenStudyOutput(facts_.output, options, header, SampleTable::Diploid(study_.sample_names()));
  if (options.sites) output_ = std::make_unique<SiteOutput>(std::move(output_), options);
  if (options.self_test) output_ = std::make_unique<SelfTestOutput>(std::move(output_), *options.self_test);
  if (!options.hla.types_path.empty()) {
    output_ = std::make_unique<HlaOutput>(std::move(output_), options.hla, job_.windows.region);
  }
}

void FileRun::RunPart() {
  const std::string& contig = parts_->contig();
  const int64_t length = ContigLength(contigs_, job_.study.path, contig);
  // Which of two parents that were found is the father is not known.
  const bool has_families = families_ && (!job_.study.pedigree.empty() || parts_->part().is_autosomal);
  if (!job_.panel.map.empty()) CheckMapServes(contig);
  const GeneticMap map = job_.panel.map.empty() ? GeneticMap::Uniform() : LoadGeneticMap(job_.panel.map, contig);
  const ContigInput input{.panel = panel_.reader(),
                          .study = study_,
                          .map = map,
                          .windows = ChooseWindowLengths(job_.windows, MeasureDensity(file_, contig, map)),
                          .files = {job_.study.path, job_.panel.path, contig, study_build_, panel_build_,
                                    !job_.study.reads.sites.empty(), KnownSharedContigs(study_, panel_).size() > 1},
                          .part = parts_->part(),
                          .last_position = panel_.reader().LastPosition().value_or(length),
                          .families = has_families ? &*families_ : nullptr,
                          .progress = (held_out_                              ? "comparing hidden reads of "
                                       : facts_.output == RunOutput::kDosages ? "imputing "
                                                                              : "phasing ") +
                                      contig,
                          .journal = journal_ ? &*journal_ : nullptr};
  WarnOfUnknownSexes(job_, contig, parts_->part());
  if (!animals_.empty() && !parts_->part().is_autosomal) TellOfMissingAnimals(job_, contig);
  const size_t errors_before = families_ ? families_->num_errors() : 0;
  const ContigReport report = ContigRun(job_, facts_, imputer_, input, *output_).Run();
  if (families_ && families_->num_errors() > errors_before && !study_.has_males()) {
    WarnOfErrorsWithoutSexes(job_, contig, parts_->part());
  }
  if (report.alignment.matched == 0 && !parts_->part().IsWhole()) {
    parts_->NoteAbsent();
  } else {
    CheckContig(job_, facts_, report, contig, study_.Reading().filtered, panel_.Names());
  }
  if (!job_.study.pedigree.empty()) {
    families_->CheckFamilies(job_.study.pedigree, study_.sample_names(), panel_.reader().sample_names());
  }
  WarnOfPhaseSets(job_, report.interrupted);
  report_.Add(report);
}

// Throws InputError for a map that does not name contigs, once it is to serve two. That a contig is missing in a map is
// found when it is loaded.
void FileRun::CheckMapServes(const std::string& contig) {
  if (mapped_.size() == 2 || (!mapped_.empty() && mapped_.front() == contig)) return;
  mapped_.push_back(contig);
  if (mapped_.size() == 2) CheckMapContigs(job_.panel.map, mapped_);
}

// Returns the contigs of study and panel that are known without reading all of their records.
std::vector<std::string> KnownContigNames(const ImputeJob& job) {
  std::vector<std::string> names;
  if (!job.panel.path.empty() && CanBeReadTwice(job.panel.path)) {
    names = PanelContigs(job.panel.path, job.panel.samples).KnownNames();
  }
  StudyOptions sites = OpeningOptions(job);
  sites.sites_only = true;
  if (!StudyFile(job.study.path, sites).CanBeReadTwice()) return names;
  StudyReader study(job.study.path, sites);
  std::ranges::copy(NamesOfContigs(study.header().contigs), std::back_inserter(names));
  std::ranges::copy(study.Contigs(), std::back_inserter(names));
  if (const auto first = study.NextContig()) names.push_back(*first);
  return names;
}

// Returns the region that --region means in these files.
std::optional<Region> FindMeantRegion(const ImputeJob& job) {
  const std::optional<Region>& region = job.windows.region;
  const bool may_be_contig = region && !region->text.empty() && region->begin == region->end;
  return may_be_contig ? MeantRegion(*region, KnownContigNames(job)) : region;
}

// Whether reads are hidden for a self-test, for which the study is imputed again.
bool CanHoldOut(const ImputeJob& job, const StudyFacts& facts) {
  return job.output.self_test && facts.evidence != Evidence::kCalls &&
         StudyFile(job.study.path, job.study.options).CanBeReadTwice();
}

RunReport RunFiles(ImputeJob job, RunOutput output, const Imputer& imputer) {
  job.windows.region = FindMeantRegion(job);
  job.study.options = OpeningOptions(job);
  const StudyFacts facts = MeasureFacts(job, output, imputer);
  HS_ASSERT(facts.IsImputedByNetwork() == (imputer.backend != nullptr || imputer.model != nullptr));
  TellOfFacts(facts);
  const RunReport report = FileRun(job, facts, imputer).Run();
  if (CanHoldOut(job, facts)) {
    const MutedLog muted;
    FileRun(job, facts, imputer, std::make_shared<HeldOutReads>(job.seed)).Run();
  }
  return report;
}

}  // namespace

RunReport ImputeFiles(const ImputeJob& job, const Imputer& imputer) {
  return RunFiles(job, RunOutput::kDosages, imputer);
}

RunReport PhaseFiles(const ImputeJob& job) { return RunFiles(job, RunOutput::kPhase, {}); }

}  // namespace haplospin
