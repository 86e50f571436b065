#include "genotypes/imputation/run/joined_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "core/output_file.h"
#include "genotypes/imputation/run/contig_files.h"
#include "genotypes/imputation/run/output_contigs.h"
#include "genotypes/imputation/run/reads_input.h"
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

std::vector<ContigJob> InOrderOfStudy(std::span<const ContigJob> contigs) {
  std::vector<ContigJob> ordered(contigs.begin(), contigs.end());
  std::ranges::sort(ordered, {}, &ContigJob::place);
  return ordered;
}

StudyReader OpenStudy(const ImputeJob& job) {
  StudyOptions options = OptionsWithReads(job);
  options.unphased = Unphased::kAccept;
  return StudyReader(job.study.path, options);
}

// Returns the contigs of all headers. Throws InputError if two studies have different samples.
ContigTable ContigsOfAll(std::span<const ContigJob> contigs) {
  std::vector<ContigTable> studies, panels;
  std::vector<std::string> names;
  std::vector<std::string> samples;
  for (const ContigJob& contig : InOrderOfStudy(contigs)) {
    const ImputeJob& job = contig.job;
    StudyReader study = OpenStudy(job);
    if (names.empty()) samples = study.sample_names();
    if (samples != study.sample_names()) {
      throw InputError(
          fmt::format("{}: has other samples than the other studies, or in another order; give an output "
                      "for each contig ({} in --out)",
                      job.study.path, kContigPlace));
    }
    studies.push_back(study.header_contigs());
    if (!job.panel.path.empty()) panels.push_back(OpenPanel(job.panel.path)->header_contigs());
    names.push_back(job.windows.region ? contig.contig : study.NextContig().value_or(contig.contig));
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

JoinedOutput::JoinedOutput(const ImputeJob& job, std::span<ContigJob> contigs)
    : output_(job.output), folder_(output_.path + ".parts") {
  const OutputType type = ResolveOutputType(output_.path, output_.type);
  CheckCanBeJoined(output_.path, type);
  const std::string& sites = output_.fields.sites_path;
  if (!sites.empty()) CheckCanBeJoined(sites, ResolveOutputType(sites, OutputType::kByExtension));
  const ContigTable table = ContigsOfAll(contigs);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw InputError(fmt::format("cannot create the folder {}: {}", folder_, error.message()));
  for (ContigJob& contig : contigs) {
    OutputOptions& output = contig.job.output;
    const std::string name = folder_ + "/" + contig.contig;
    output.path = name + Extension(type);
    output.type = type;
    output.index = IndexType::kNone;
    output.contigs = table;
    if (sites.empty()) continue;
    output.fields.sites_path = name + ".sites" + Extension(ResolveOutputType(sites, OutputType::kByExtension));
  }
}

void JoinedOutput::Join(std::span<const ContigJob> contigs) const {
  std::vector<std::string> pieces, sites;
  for (const ContigJob& contig : InOrderOfStudy(contigs)) {
    pieces.push_back(contig.job.output.path);
    sites.push_back(contig.job.output.fields.sites_path);
  }
  const std::string& sites_path = output_.fields.sites_path;
  if (!sites_path.empty()) {
    JoinFiles(sites, sites_path, OutputType::kByExtension,
              IndexIfPossible(sites_path, OutputType::kByExtension, output_.index));
  }
  JoinFiles(pieces, output_.path, output_.type, output_.index);
  std::error_code ignored;  // what is left there is overwritten by the next run
  for (const std::string& piece : pieces) std::filesystem::remove(piece, ignored);
  for (const std::string& piece : sites) std::filesystem::remove(piece, ignored);
  std::filesystem::remove(folder_, ignored);
}

}  // namespace haplospin
