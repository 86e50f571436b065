#include "genotypes/imputation/files/contig_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "core/log.h"
#include "genotypes/genomics/hla/hla_genes.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/files/contig_files.h"
#include "genotypes/imputation/files/study_source.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Returns the contigs of a panel. One without an index is read to its end.
std::vector<std::string> ListPanelContigs(const std::string& path) {
  CheckReadableTwice(path);
  const std::unique_ptr<PanelReader> panel = OpenPanel(path);
  std::vector<std::string> contigs = panel->Contigs();
  if (!contigs.empty()) return contigs;
  for (auto contig = panel->NextContig(); contig; contig = panel->NextContig()) {
    contigs.push_back(*contig);
    panel->SkipContig();
  }
  return contigs;
}

void CheckPlaces(const ImputeJob& job) {
  const std::string& sites = job.output.fields.sites_path;
  if (!sites.empty() && HasContigPlace(sites) != HasContigPlace(job.output.path)) {
    throw InputError(fmt::format("--out and --sites-out must both have {} in their names, or neither", kContigPlace));
  }
  if (job.windows.region) {
    throw InputError(fmt::format("--region is one contig; give its files, without {}", kContigPlace));
  }
}

// The files of an option, which are several, or named with a place for the contig; nothing if it is one file.
std::optional<ContigFiles> FindFiles(const std::string& option, const std::string& path,
                                     const std::vector<std::string>& several, const ContigFiles::Lister& list,
                                     const std::string& remedy = "keep one of them") {
  if (!several.empty()) return ContigFiles::Listed(option, several, list, remedy);
  if (!HasContigPlace(path)) return std::nullopt;
  return ContigFiles::Named(option, path);
}

std::optional<ContigFiles> FindStudies(const ImputeJob& job) {
  const auto list = [&job](const std::string& path) { return StudyFile(path, job.study.options).Contigs(); };
  return FindFiles("target", job.study.path, job.genome.studies, list,
                   "join them (bcftools merge where they are of other samples, bcftools concat of other sites)");
}

void WarnOfAbsent(const std::string& from, const std::string& in, const std::vector<std::string>& contigs) {
  if (contigs.empty()) return;
  LogWarning("{}: left out, because {} does not have them: contigs {}", from, in, JoinNames(contigs));
}

// Makes the jobs of a genome.
class JobMaker {
 public:
  explicit JobMaker(const ImputeJob& job)
      : job_(job),
        panel_(FindFiles("ref", job.panel.path, job.genome.panels, ListPanelContigs)),
        study_(FindStudies(job)),
        sites_(FindFiles("sites", job.study.reads.sites, {}, {})),
        map_(FindFiles("map", job.panel.map, job.genome.maps, ListMapContigs)) {}

  std::vector<ContigJob> Make() {
    std::vector<ContigJob> jobs;
    const std::vector<std::string> contigs = StudyContigs();
    std::vector<std::string> absent;
    for (const std::string& contig : contigs) {
      if (panel_ && !panel_->Find(contig)) {
        absent.push_back(contig);
        continue;
      }
      const ImputeJob job = MakeJob(contig);
      jobs.push_back({contig, jobs.size(), ExpectedTime(contig, job), job});
    }
    WarnOfAbsent(job_.study.path, job_.panel.path, absent);
    WarnOfPanelContigs(contigs);
    if (jobs.empty()) {
      throw InputError(fmt::format("{}: has none of the contigs of {}", job_.study.path, job_.panel.path));
    }
    const bool has_types =
        std::ranges::any_of(jobs, [](const ContigJob& job) { return !job.job.output.hla.types_path.empty(); });
    if (!job_.output.hla.types_path.empty() && !has_types) {
      throw InputError("--hla-out: none of the contigs is chromosome 6; give its files, or remove --hla-out");
    }
    std::ranges::stable_sort(jobs, std::ranges::greater(), [](const ContigJob& job) { return job.expected; });
    return jobs;
  }

 private:
  std::vector<std::string> StudyContigs() const {
    if (study_) return study_->Names();
    const std::optional<ContigFiles>& sites = sites_ ? sites_ : panel_;
    if (job_.study.people && panel_) {
      std::vector<std::string> contigs = panel_->Names();
      std::erase_if(contigs, [&](const std::string& contig) { return !job_.study.people->HasCalls(contig); });
      return contigs;
    }
    if (!job_.study.reads.people || !sites) return StudyFile(job_.study.path, OpeningOptions(job_)).Contigs();
    // The headers of alignments also have thousands of contigs without sites.
    std::vector<std::string> contigs = NamesOfContigs(job_.study.reads.people->contigs);
    std::erase_if(contigs, [&](const std::string& contig) {
      return !sites->Find(contig) || !HasReads(*job_.study.reads.people, contig);
    });
    return contigs;
  }

  ImputeJob MakeJob(const std::string& contig) const {
    ImputeJob job = job_;
    job.genome = {};
    if (panel_) job.panel.path = panel_->Find(contig)->path;
    const ContigFile* const study = study_ ? study_->Find(contig) : nullptr;
    if (study != nullptr) job.study.path = study->path;
    if (study == nullptr || study->num_contigs > 1) job.windows.region = Region{.contig = contig};
    if (sites_) job.study.reads.sites = sites_->Find(contig)->path;
    if (map_) {
      const ContigFile* const map = map_->Find(contig);
      if (map == nullptr) {
        throw InputError(fmt::format("--map {}: has no file of contig {}; add it", job_.panel.map, contig));
      }
      job.panel.map = map->path;
    }
    job.output.path = WithContig(job_.output.path, contig);
    job.output.fields.sites_path = WithContig(job_.output.fields.sites_path, contig);
    if (!SameContig(contig, kHlaContig)) job.output.hla = {};
    return job;
  }

  double ExpectedTime(const std::string& contig, const ImputeJob& job) {
    if (!panel_ && !study_) return LengthInStudy(contig);
    const ContigFile& file = panel_ ? *panel_->Find(contig) : *study_->Find(contig);
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(panel_ ? job.panel.path : job.study.path, error);
    return error ? 0 : static_cast<double>(size) / static_cast<double>(file.num_contigs);
  }

  double LengthInStudy(const std::string& contig) {
    if (lengths_.empty()) {
      for (const auto& [name, length] : StudyContigLengths()) lengths_[name] = static_cast<double>(length);
    }
    return lengths_[contig];
  }

  ContigTable StudyContigLengths() const {
    if (job_.study.reads.people) return job_.study.reads.people->contigs;
    return StudyFile(job_.study.path, OpeningOptions(job_)).header().contigs;
  }

  void WarnOfPanelContigs(const std::vector<std::string>& contigs) const {
    if (!panel_) return;
    std::vector<std::string> absent = panel_->Names();
    std::erase_if(absent, [&](const std::string& name) {
      return std::ranges::any_of(contigs, [&](const std::string& contig) { return SameContig(contig, name); });
    });
    if (!absent.empty()) {
      LogInfo("{}: contigs {} are not imputed, because {} does not have them", job_.panel.path, JoinNames(absent),
              job_.study.path);
    }
  }

  const ImputeJob& job_;
  const std::optional<ContigFiles> panel_, study_, sites_, map_;
  std::map<std::string, double> lengths_;  // bp, of the contigs that the study's header declares
};

}  // namespace

bool IsByContig(const ImputeJob& job) {
  const GenomeFiles& several = job.genome;
  return HasContigPlace(job.panel.path) || HasContigPlace(job.study.path) || HasContigPlace(job.study.reads.sites) ||
         HasContigPlace(job.panel.map) || HasContigPlace(job.output.path) || !several.panels.empty() ||
         !several.studies.empty() || !several.maps.empty();
}

std::vector<ContigJob> MakeContigJobs(const ImputeJob& job) {
  CheckPlaces(job);
  return JobMaker(job).Make();
}

}  // namespace haplospin
