#include "genotypes/imputation/run/genome_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>

#include "core/counted.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "genotypes/imputation/run/contig_jobs.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A value that another file, or another content of a file, does not have.
std::string DescribeInputs(const ImputeJob& job, const std::string& settings) {
  std::string text = settings;
  for (const std::string& path : {job.study.path, job.panel.path, job.panel.map}) {
    text += fmt::format(" {}", path.empty() ? "-" : FingerprintOfFile(path));
  }
  return "sha256:" + Sha256OfText(text);
}

// Returns whether the output, and what is written after it, is there and was made from these inputs.
bool IsDone(const ImputeJob& job, const std::string& inputs) {
  const std::string &path = job.output.path, &sites = job.output.fields.sites_path;
  const auto exists = [](const std::string& file) { return std::filesystem::exists(file); };
  const bool has_index = job.output.index == IndexType::kNone || exists(path + ".csi") || exists(path + ".tbi");
  if (!exists(path) || !has_index || !(sites.empty() || exists(sites))) return false;
  try {
    if (VariantFile(path, SitesOnly::kAccept).HeaderValue(kInputsKey) == inputs) return true;
    LogInfo("{}: of other inputs or settings; made again", path);
  } catch (const InputError& error) {
    LogInfo("{}; made again", error.what());
  }
  return false;
}

void CheckResumable(const ImputeJob& job, bool is_by_contig) {
  if (!is_by_contig) throw InputError(fmt::format("--resume needs a file for each contig: {} in --out", kContigPlace));
  if (ResolveOutputType(job.output.path, job.output.type) == OutputType::kBgen) {
    throw InputError("--resume needs VCF or BCF output, whose header tells what it was made from");
  }
}

// No output may replace an input of any contig.
void ProtectInputs(std::span<const ContigJob> jobs) {
  for (const ContigJob& contig : jobs) {
    for (const std::string& path : {contig.job.study.path, contig.job.panel.path, contig.job.panel.map}) {
      ProtectFile(path);
    }
  }
}

void TellOfAll(const RunReport& all, size_t contigs, size_t kept) {
  const std::string earlier = kept == 0 ? "" : fmt::format(", {} kept from an earlier run", kept);
  LogInfo("{}{}: {} imputed, {} typed, mean DR2 {:.3f} of {} imputed markers with a MAF of at least 1 %",
          Counted(contigs, "contig"), earlier, Counted(all.markers.imputed, "marker"), all.markers.typed,
          all.mean_dr2.mean, all.mean_dr2.markers);
}

void Add(const RunReport& contig, RunReport& all) {
  all.markers += contig.markers;
  const auto sum = [](const MeanDr2& dr2) { return dr2.mean * static_cast<double>(dr2.markers); };
  const double total = sum(all.mean_dr2) + sum(contig.mean_dr2);
  all.mean_dr2.markers += contig.mean_dr2.markers;
  if (all.mean_dr2.markers > 0) all.mean_dr2.mean = total / static_cast<double>(all.mean_dr2.markers);
}

}  // namespace

void RunGenome(const ImputeJob& job, const GenomeOptions& options,
               const std::function<RunReport(const ImputeJob&)>& run) {
  const bool is_by_contig = IsByContig(job);
  if (options.resumes) CheckResumable(job, is_by_contig);
  if (!is_by_contig) {
    run(job);
    return;
  }
  std::vector<ContigJob> jobs = MakeContigJobs(job);
  ProtectInputs(jobs);
  RunReport all;
  size_t kept = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    auto& [contig, contig_job] = jobs[i];
    const std::string inputs = DescribeInputs(contig_job, options.settings);
    if (options.resumes && IsDone(contig_job, inputs)) {
      LogInfo("{}: complete", contig_job.output.path);
      ++kept;
      continue;
    }
    LogInfo("contig {}, {} of {}", contig, i + 1, jobs.size());
    contig_job.output.header_lines.push_back(fmt::format("##{}={}", kInputsKey, inputs));
    Add(run(contig_job), all);
  }
  TellOfAll(all, jobs.size(), kept);
}

}  // namespace haplospin
