#include "genotypes/imputation/files/genome_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/progress.h"
#include "core/provenance.h"
#include "genotypes/imputation/checks/first_genotypes.h"
#include "genotypes/imputation/contig/run_journal.h"
#include "genotypes/imputation/files/contig_files.h"
#include "genotypes/imputation/files/contig_jobs.h"
#include "genotypes/imputation/files/job_families.h"
#include "genotypes/imputation/files/joined_output.h"
#include "genotypes/imputation/files/study_source.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A value that another file, or another content of a file, does not have.
std::string DescribeInputs(const ImputeJob& job, const std::string& settings) {
  std::string text = settings;
  const std::string study = HasGenotypeFiles(job.study) ? job.study.path : "";
  for (const std::string& path : {study, job.study.reads.sites, job.panel.path, job.panel.map}) {
    text += fmt::format(" {}", path.empty() ? "-" : FingerprintOfFile(path));
  }
  return "sha256:" + Sha256OfText(text);
}

// The output of a job that resumes tells what it is made from, and keeps what is complete.
ImputeJob ResumingJob(ImputeJob job, const std::string& inputs) {
  job.output.header_lines.push_back(fmt::format("##{}={}", kInputsKey, inputs));
  job.output.resumes = inputs;
  return job;
}

// Returns the values of the contigs; one for all if their outputs are joined, whose header is that of the first.
std::vector<std::string> DescribeInputs(std::span<const ContigJob> jobs, const std::string& settings, bool is_joined) {
  std::vector<std::string> inputs;
  for (const ContigJob& contig : jobs) inputs.push_back(DescribeInputs(contig.job, settings));
  if (is_joined) inputs.assign(jobs.size(), "sha256:" + Sha256OfText(fmt::format("{}", fmt::join(inputs, " "))));
  return inputs;
}

// Returns whether the file is there, and its index if it is to have one.
bool IsThere(const std::string& path, IndexType index) {
  const auto exists = [&](const std::string& extension) { return std::filesystem::exists(path + extension); };
  return exists("") && (index == IndexType::kNone || exists(".csi") || exists(".tbi"));
}

// Returns whether the output, and what is written after it, is there and was made from these inputs.
bool IsDone(const ImputeJob& job, const std::string& inputs) {
  const std::string &path = job.output.path, &sites = job.output.fields.sites_path;
  if (!IsThere(path, job.output.index)) return false;
  if (!sites.empty() && !IsThere(sites, IndexIfPossible(sites, OutputType::kByExtension, job.output.index))) {
    return false;
  }
  try {
    if (VariantFile(path, SitesOnly::kAccept).header().Value(kInputsKey) == inputs) return true;
    LogInfo("{}: of other inputs or settings; made again", path);
  } catch (const InputError& error) {
    LogInfo("{}; made again", error.what());
  }
  return false;
}

// Returns whether the output is done, and says so.
bool KeepsDone(const ImputeJob& job, const std::string& inputs) {
  if (!IsDone(job, inputs)) return false;
  LogInfo("{}: complete", job.output.path);
  RemoveUnfinished(job.output);
  return true;
}

void CheckResumable(const ImputeJob& job) {
  if (ResolveOutputType(job.output.path, job.output.type) == OutputType::kBgen) {
    throw InputError("--resume needs VCF or BCF output, whose header tells what it was made from");
  }
  std::error_code error;
  const auto status = std::filesystem::status(job.output.path, error);
  if (job.output.path == "-" || (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
    throw InputError(fmt::format("--resume needs an output that is a file, which {} is not", job.output.path));
  }
  if (HasGenotypeFiles(job.study) && !IsByContig(job)) CheckReadableTwice(job.study.path);
}

// Runs the job of one file each, or keeps what an earlier run has completed.
void RunOrKeep(ImputeJob job, const GenomeOptions& options, const std::function<RunReport(const ImputeJob&)>& run) {
  if (options.resumes) {
    const std::string inputs = DescribeInputs(job, options.settings + DescribeStudy(job.study));
    if (KeepsDone(job, inputs)) return;
    job = ResumingJob(std::move(job), inputs);
  }
  FindFamilies(job);
  run(job);
}

// No output may replace an input of any contig.
void ProtectInputs(std::span<const ContigJob> jobs) {
  for (const ContigJob& contig : jobs) {
    const StudyInput& study = contig.job.study;
    for (const std::string& path : {study.path, study.reads.sites, contig.job.panel.path, contig.job.panel.map}) {
      ProtectFile(path);
    }
  }
}

// Throws InputError for a map that lacks a contig, before the run comes to it.
void CheckMaps(std::span<const ContigJob> jobs) {
  std::map<std::string, std::vector<std::string>> contigs;  // by map
  for (const ContigJob& contig : jobs) {
    if (const std::string& map = contig.job.panel.map; !map.empty()) contigs[map].push_back(contig.contig);
  }
  for (const auto& [map, names] : contigs) CheckMapContigs(map, names);
}

// Throws InputError for an output that cannot be written.
void CheckOutputs(std::span<const ContigJob> jobs) {
  for (const ContigJob& contig : jobs) {
    for (const std::string& path : {contig.job.output.path, contig.job.output.fields.sites_path}) {
      const bool is_device = std::filesystem::exists(path) && !std::filesystem::is_regular_file(path);
      if (!path.empty() && !is_device) const OutputFile trial(path);
    }
  }
}

// What a contig, or all of them, have come to.
struct GenomePart {
  std::string name;
  MarkerCounts markers;
  MeanDr2 mean_dr2;
  double seconds = 0;

  GenomePart& operator+=(const GenomePart& other) {
    markers += other.markers;
    const auto sum = [](const MeanDr2& dr2) { return dr2.mean * static_cast<double>(dr2.markers); };
    const double total = sum(mean_dr2) + sum(other.mean_dr2);
    mean_dr2.markers += other.mean_dr2.markers;
    if (mean_dr2.markers > 0) mean_dr2.mean = total / static_cast<double>(mean_dr2.markers);
    seconds += other.seconds;
    return *this;
  }
};

void Tell(const GenomePart& part) {
  const MarkerCounts& markers = part.markers;
  std::string text =
      part.name + ": " +
      (markers.imputed == 0 ? Counted(markers.typed, "typed marker")
                            : fmt::format("{} imputed, {} typed", Counted(markers.imputed, "marker"), markers.typed));
  if (part.mean_dr2.markers > 0) {
    text += fmt::format(", mean DR2 {:.3f} of {} imputed markers with a MAF of at least 1 %", part.mean_dr2.mean,
                        part.mean_dr2.markers);
  }
  LogInfo("{}, in {}", text, FormatDuration(part.seconds));
}

// Tells of each contig of this run, and of all.
void TellOfAll(const std::vector<GenomePart>& parts, size_t kept) {
  GenomePart all{.name = Counted(parts.size() + kept, "contig")};
  if (kept > 0) all.name += fmt::format(", {} kept from an earlier run", kept);
  for (const GenomePart& part : parts) {
    Tell(part);
    all += part;
  }
  Tell(all);
}

GenomePart RunContig(const std::string& contig, const ImputeJob& job,
                     const std::function<RunReport(const ImputeJob&)>& run) {
  const auto start = std::chrono::steady_clock::now();
  const RunReport report = run(job);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return {"contig " + contig, report.markers, report.mean_dr2, taken.count()};
}

std::vector<double> ExpectedTimes(std::span<const ContigJob> jobs) {
  std::vector<double> times;
  for (const ContigJob& job : jobs) times.push_back(job.expected);
  return times;
}

// Runs the contigs, but keeps those of an earlier run if this one resumes it. `inputs` describe what each is made from.
void RunContigs(std::span<ContigJob> jobs, std::span<const std::string> inputs, bool resumes,
                const std::function<RunReport(const ImputeJob&)>& run) {
  ProgressSeries progress(ExpectedTimes(jobs));
  std::vector<GenomePart> parts;
  size_t kept = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    ContigJob& contig = jobs[i];
    if (resumes && KeepsDone(contig.job, inputs[i])) {
      progress.Skip();
      ++kept;
      continue;
    }
    progress.Begin();
    LogInfo("contig {}, {} of {}", contig.contig, i + 1, jobs.size());
    contig.job = ResumingJob(contig.job, inputs[i]);
    if (!resumes) contig.job.output.resumes.clear();
    parts.push_back(RunContig(contig.contig, contig.job, run));
  }
  TellOfAll(parts, kept);
}

}  // namespace

void RunGenome(const ImputeJob& job, const GenomeOptions& options,
               const std::function<RunReport(const ImputeJob&)>& run) {
  if (options.resumes) CheckResumable(job);
  if (!IsByContig(job)) {
    CheckFirstGenotypes(job);
    return RunOrKeep(job, options, run);
  }
  std::vector<ContigJob> jobs = MakeContigJobs(job);
  CheckFirstGenotypes(jobs.front().job);
  ProtectInputs(jobs);
  CheckMaps(jobs);
  if (HasContigPlace(job.output.path)) CheckOutputs(jobs);
  FindFamilies(jobs);
  const std::vector<std::string> inputs =
      DescribeInputs(jobs, options.settings + DescribeStudy(job.study) + DescribeFamilies(jobs.front().job.study),
                     /*is_joined=*/!HasContigPlace(job.output.path));
  if (HasContigPlace(job.output.path)) {
    RunContigs(jobs, inputs, options.resumes, run);
    return;
  }
  if (options.resumes && KeepsDone(job, inputs.front())) {
    RemoveParts(job, jobs);
    return;
  }
  const JoinedOutput joined(job, jobs);
  RunContigs(jobs, inputs, options.resumes, run);
  joined.Join(jobs);
}

}  // namespace haplospin
