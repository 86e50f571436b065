// Options that several commands on genotypes have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/command.h"
#include "cli/options/command_options.h"
#include "cli/options/output.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/alignments/alignment_study.h"

namespace haplospin {

// The options about the ploidy of samples on sex chromosomes.
class PloidyArguments {
 public:
  void Declare(CommandOptions& options);

  // --par alone, for commands whose data tell the ploidy.
  void DeclareRegions(CommandOptions& options);

  // Call it after parsing. Empty if the genome build is to be taken from the files. Throws InputError for an invalid
  // file.
  std::optional<PloidyRegions> Regions() const;

  // The names of the males, and of the females, of --sex. Throw InputError for an invalid file.
  std::vector<std::string> Males() const;
  std::vector<std::string> Females() const;

  bool IsSexGiven() const { return !sex_.empty(); }

  // The file of --sex or, without it, the .fam of a study in a .bed; empty if neither is there.
  std::string SexFile(const std::string& study) const;

  // The sexes that --sex or, without it, the .fam of a study in a .bed tells; null if neither is there.
  std::shared_ptr<const SampleSexes> Sexes(const std::string& study) const;

 private:
  std::string par_ = "auto", sex_;
  size_t autosomes_ = 0;  // pairs; 0: not given
};

// --filter, for commands that read a study.
class FilterArgument {
 public:
  void Declare(CommandOptions& options);

  // Call it after parsing: the values of FILTER, or none for all records. Throws InputError for an empty one.
  std::vector<std::string> Values() const;

 private:
  std::vector<std::string> values_;
};

// Throws InputError for the name of a panel file that promises another format, which would mislead bcftools.
void CheckPanelFileName(const std::string& path);

// The header line ##KEY=REGION of an output says which --region it is of.
inline constexpr char kRegionKey[] = "haplospin_region";

// The study: a file of genotypes, files of one person each, or alignment files whose reads give likelihoods.
class TargetArguments {
 public:
  void Declare(CommandOptions& options);
  void DeclareReads(CommandOptions& options);   // has --sites
  void DeclareFilter(CommandOptions& options);  // has no --sites: they are those of the panel

  // Call it after parsing. Sets the path of the study and, for reads, its people and sites, or reads files of people.
  // Throws InputError if options contradict each other or a file cannot be used.
  void Finish(const CommandOptions& options, const std::string& command, ImputeJob& job) const;

 private:
  std::vector<AlignmentTarget> Given(const std::string& command) const;
  void RefuseOptionsOfReads(const CommandOptions& options, const std::string& study) const;
  void FinishPeople(const CommandOptions& options, std::span<const AlignmentTarget> people, ImputeJob& job) const;
  void FinishReads(std::span<const AlignmentTarget> alignments, ImputeJob& job) const;

  std::vector<std::string> targets_;
  std::string list_, fasta_, sites_, ploidy_ = "panel";
  ReadFilter filter_;
};

// The options that `haplospin impute` and `haplospin phase` have in common.
class JobArguments {
 public:
  // `job` is filled by parsing and Finish().
  explicit JobArguments(ImputeJob& job) : job_(job) {}
  JobArguments(const JobArguments&) = delete;
  JobArguments& operator=(const JobArguments&) = delete;

  // `without_panel` tells what is done if no panel is given.
  void DeclareInput(CommandOptions& options, const std::string& without_panel);
  void DeclareReads(CommandOptions& options);
  void DeclarePhasing(CommandOptions& options);
  void DeclareOutput(CommandOptions& options, const std::string& out_help);
  void DeclareChecks(CommandOptions& options);
  void DeclareWindows(CommandOptions& options, const std::string& region_help);

  // Call it after parsing. It reads the lists of samples. Throws InputError for a list or region that is invalid, and
  // for an output of `command` that cannot be indexed.
  void Finish(const CommandOptions& options, const std::string& command);

  // The header lines of the output: program, command and region.
  std::vector<std::string> HeaderLines(const Arguments& command_line) const;

  // Calls run(job) for each contig, as RunGenome(), once the job is complete.
  void Run(const std::function<RunReport(const ImputeJob&)>& run) const;

 private:
  void TakeSexesOfPedigree();

  ImputeJob& job_;
  TargetArguments target_;
  PloidyArguments ploidy_;
  FilterArgument filter_;
  IndexArguments index_;
  bool resumes_ = false;
  std::vector<std::string> files_;    // lists of samples, families and other settings
  double window_ = 20, overlap_ = 2;  // cM
  std::vector<std::string> panels_, maps_;
  std::string panel_samples_, samples_, exclude_samples_, region_, output_type_ = "auto", likelihoods_,
                                                                   multiallelic_ = "split";
};

}  // namespace haplospin
