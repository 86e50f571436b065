#include "genotypes/imputation/files/joined_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/file_lock.h"
#include "core/log.h"
#include "core/output_file.h"
#include "genotypes/imputation/files/contig_files.h"
#include "genotypes/imputation/files/output_contigs.h"
#include "genotypes/imputation/files/study_source.h"
#include "genotypes/variant_io/joining/concat.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/writing/output_type.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::string Extension(OutputType resolved) {
  return IsBcf(resolved) ? ".bcf" : resolved == OutputType::kVcfGz ? ".vcf.gz" : ".vcf";
}

std::string PartsFolder(const OutputOptions& whole) { return whole.path + ".parts"; }

// The files of a contig.
struct Part {
  std::string path, sites;
};

Part MakePart(const OutputOptions& whole, const std::string& contig) {
  const std::string name = PartsFolder(whole) + "/" + contig, &sites = whole.fields.sites_path;
  Part part{.path = name + Extension(ResolveOutputType(whole.path, whole.type))};
  if (!sites.empty()) part.sites = name + ".sites" + Extension(ResolveOutputType(sites, OutputType::kByExtension));
  return part;
}

// Makes the folder, and keeps it from other processes. Returns its descriptor.
int LockFolder(const OutputOptions& whole) {
  const std::string folder = PartsFolder(whole);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("cannot create the folder {}: {}", folder, error.message()));
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw InputError(fmt::format("cannot open the folder {}: {}", folder, std::strerror(errno)));
  if (!LockFile(descriptor, folder)) {
    close(descriptor);
    throw InputError(whole.path + ": another process writes it; wait until it ends, or give another name");
  }
  return descriptor;
}

std::vector<ContigJob> InOrderOfStudy(std::span<const ContigJob> contigs) {
  std::vector<ContigJob> ordered(contigs.begin(), contigs.end());
  std::ranges::sort(ordered, {}, &ContigJob::place);
  return ordered;
}

// Returns the contigs of all headers. Throws InputError if two studies have different samples.
ContigTable ContigsOfAll(std::span<const ContigJob> contigs) {
  std::vector<ContigTable> studies, panels;
  std::vector<std::string> names;
  std::vector<std::string> samples;
  for (const ContigJob& contig : InOrderOfStudy(contigs)) {
    const ImputeJob& job = contig.job;
    StudyReader study(job.study.path, OpeningOptions(job));
    if (names.empty()) samples = study.sample_names();
    if (samples != study.sample_names()) {
      throw InputError(
          fmt::format("{}: has other samples than the other studies, or in another order; give an output "
                      "for each contig ({} in --out)",
                      job.study.path, kContigPlace));
    }
    studies.push_back(study.header().contigs);
    if (!job.panel.path.empty()) panels.push_back(OpenPanel(job.panel.path)->header_contigs());
    if (job.study.people) study.Seek(*job.windows.region);  // its contigs have the names that the panel gives them
    const bool is_named = job.windows.region && !job.study.people;
    names.push_back(is_named ? contig.contig : study.NextContig().value_or(contig.contig));
  }
  return JoinContigTables(studies, panels, names);
}

// Throws InputError, before the run, for an output that cannot be made.
void CheckCanBeJoined(const std::string& path, OutputType resolved) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool is_device = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                         !std::filesystem::is_directory(status);
  if (path == "-" || is_device || resolved == OutputType::kBgen) {
    throw InputError(
        fmt::format("{}: contigs that are in different files are joined in a VCF or BCF file; give one, or {} "
                    "in the name of --out for an output of each contig",
                    path, kContigPlace));
  }
  const OutputFile trial(path);
}

void JoinFiles(const std::vector<std::string>& pieces, const std::string& path, OutputType type, IndexType index) {
  Concat({.pieces = pieces, .out = path, .type = type, .index = index});
  LogInfo("{}: {} joined", path, Counted(pieces.size(), "contig"));
}

}  // namespace

JoinedOutput::JoinedOutput(const ImputeJob& job, std::span<ContigJob> contigs) : job_(job) {
  const OutputOptions& whole = job.output;
  const OutputType type = ResolveOutputType(whole.path, whole.type);
  CheckCanBeJoined(whole.path, type);
  const std::string& sites = whole.fields.sites_path;
  if (!sites.empty()) CheckCanBeJoined(sites, ResolveOutputType(sites, OutputType::kByExtension));
  const ContigTable table = ContigsOfAll(contigs);
  lock_ = LockFolder(whole);
  for (ContigJob& contig : contigs) {
    OutputOptions& output = contig.job.output;
    Part part = MakePart(whole, contig.contig);
    output.path = std::move(part.path);
    output.fields.sites_path = std::move(part.sites);
    output.type = type;
    output.index = IndexType::kNone;
    output.contigs = table;
  }
}

JoinedOutput::~JoinedOutput() {
  if (lock_ >= 0) close(lock_);
}

void JoinedOutput::Join(std::span<const ContigJob> contigs) const {
  std::vector<std::string> pieces, sites;
  for (const ContigJob& contig : InOrderOfStudy(contigs)) {
    pieces.push_back(contig.job.output.path);
    sites.push_back(contig.job.output.fields.sites_path);
  }
  const OutputOptions& output = job_.output;
  const std::string& sites_path = output.fields.sites_path;
  if (!sites_path.empty()) {
    JoinFiles(sites, sites_path, OutputType::kByExtension,
              IndexIfPossible(sites_path, OutputType::kByExtension, output.index));
  }
  JoinFiles(pieces, output.path, output.type, output.index);
  RemoveParts(job_, contigs);
}

// What is left of them is overwritten by the next run.
void RemoveParts(const ImputeJob& job, std::span<const ContigJob> contigs) {
  std::error_code ignored;
  for (const ContigJob& contig : contigs) {
    const Part part = MakePart(job.output, contig.contig);
    std::filesystem::remove(part.path, ignored);
    if (!part.sites.empty()) std::filesystem::remove(part.sites, ignored);
  }
  std::filesystem::remove(PartsFolder(job.output), ignored);
}

}  // namespace haplospin
