#include "genotypes/imputation/run/contig_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/run/output_contigs.h"
#include "genotypes/imputation/run/reads_input.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr std::string_view kPlace = kContigPlace;

bool HasPlace(const std::string& path) { return path.find(kPlace) != std::string::npos; }

std::string Fill(const std::string& path, const std::string& contig) {
  std::string filled = path;
  for (size_t at = 0; (at = filled.find(kPlace, at)) != std::string::npos; at += contig.size()) {
    filled.replace(at, kPlace.size(), contig);
  }
  return filled;
}

// The files of one option by contig, in the order of their canonical names.
class ContigFiles {
 public:
  // Finds the files that `pattern` stands for. Throws InputError if there is none.
  ContigFiles(const std::string& option, const std::string& pattern) : option_(option), pattern_(pattern) {
    const std::filesystem::path path(pattern);
    const std::string name = path.filename();
    const size_t place = name.find(kPlace);
    if (HasPlace(path.parent_path()) || place == std::string::npos || name.find(kPlace, place + 1) != name.npos) {
      throw InputError(fmt::format("--{} {}: {} must be in the name of the file, once", option, pattern, kPlace));
    }
    const std::string before = name.substr(0, place), after = name.substr(place + kPlace.size());
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) Add(entry.path(), before, after);
    if (names_.empty()) throw InputError(fmt::format("--{} {}: no file has such a name", option, pattern));
  }

  // The contig as it is in the name of its file, or nothing.
  std::optional<std::string> Find(const std::string& contig) const {
    const auto found = names_.find(std::string(CanonicalContig(contig)));
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string Path(const std::string& name) const { return Fill(pattern_, name); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [canonical, name] : names_) names.push_back(name);
    return names;
  }

 private:
  void Add(const std::filesystem::path& path, const std::string& before, const std::string& after) {
    const std::string file = path.filename();
    if (file.size() <= before.size() + after.size() || !file.starts_with(before) || !file.ends_with(after)) return;
    const std::string name = file.substr(before.size(), file.size() - before.size() - after.size());
    const auto [other, is_new] = names_.emplace(CanonicalContig(name), name);
    if (is_new) return;
    throw InputError(fmt::format("--{} {}: {} and {} are both contig {}; keep one of the files", option_, pattern_,
                                 Path(other->second), Path(name), other->first));
  }

  std::string option_, pattern_;
  std::map<std::string, std::string> names_;  // canonical name to that in the file's
};

void CheckPlaces(const ImputeJob& job) {
  if (!HasPlace(job.output.path)) {
    throw InputError(
        fmt::format("--out must have {} in its name too, so that each contig has a file of its own", kPlace));
  }
  if (!job.output.fields.sites_path.empty() && !HasPlace(job.output.fields.sites_path)) {
    throw InputError(fmt::format("--sites-out must have {} in its name too", kPlace));
  }
  if (job.windows.region) throw InputError(fmt::format("--region is one contig; give its files, without {}", kPlace));
}

std::optional<ContigFiles> FindFiles(const std::string& option, const std::string& path) {
  if (!HasPlace(path)) return std::nullopt;
  return ContigFiles(option, path);
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
        panel_(FindFiles("ref", job.panel.path)),
        study_(FindFiles("target", job.study.path)),
        sites_(FindFiles("sites", job.study.reads.sites)),
        map_(FindFiles("map", job.panel.map)) {}

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
      jobs.push_back({contig, ExpectedTime(contig, job), job});
    }
    WarnOfAbsent(job_.study.path, job_.panel.path, absent);
    WarnOfPanelContigs(contigs);
    if (jobs.empty()) {
      throw InputError(fmt::format("{}: has none of the contigs of {}", job_.study.path, job_.panel.path));
    }
    std::ranges::stable_sort(jobs, std::ranges::greater(), [](const ContigJob& job) { return job.expected; });
    return jobs;
  }

 private:
  std::vector<std::string> StudyContigs() const {
    if (study_) return study_->Names();
    const std::optional<ContigFiles>& sites = sites_ ? sites_ : panel_;
    if (!job_.study.reads.people || !sites) return ListStudyContigs(job_.study.path, OptionsWithReads(job_));
    // The headers of alignments also have thousands of contigs without sites.
    std::vector<std::string> contigs = NamesOfContigs(job_.study.reads.people->contigs);
    std::erase_if(contigs, [&](const std::string& contig) {
      return !sites->Find(contig) || !HasReads(*job_.study.reads.people, contig);
    });
    return contigs;
  }

  ImputeJob MakeJob(const std::string& contig) const {
    ImputeJob job = job_;
    if (panel_) job.panel.path = panel_->Path(*panel_->Find(contig));
    if (study_) {
      job.study.path = study_->Path(contig);
    } else {
      job.windows.region = Region{.contig = contig};
    }
    if (sites_) job.study.reads.sites = sites_->Path(*sites_->Find(contig));
    if (map_) {
      const auto name = map_->Find(contig);
      if (!name) throw InputError(fmt::format("--map {}: has no file of contig {}; add it", job_.panel.map, contig));
      job.panel.map = map_->Path(*name);
    }
    job.output.path = Fill(job_.output.path, contig);
    job.output.fields.sites_path = Fill(job_.output.fields.sites_path, contig);
    return job;
  }

  double ExpectedTime(const std::string& contig, const ImputeJob& job) {
    if (!panel_ && !study_) return LengthInStudy(contig);
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(panel_ ? job.panel.path : job.study.path, error);
    return error ? 0 : static_cast<double>(size);
  }

  double LengthInStudy(const std::string& contig) {
    if (lengths_.empty()) {
      for (const auto& [name, length] : StudyContigLengths()) lengths_[name] = static_cast<double>(length);
    }
    return lengths_[contig];
  }

  std::vector<std::pair<std::string, int64_t>> StudyContigLengths() const {
    if (job_.study.reads.people) return job_.study.reads.people->contigs;
    StudyOptions options = job_.study.options;
    options.unphased = Unphased::kAccept;
    return StudyReader(job_.study.path, options).header_contigs();
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
  return HasPlace(job.panel.path) || HasPlace(job.study.path) || HasPlace(job.study.reads.sites) ||
         HasPlace(job.panel.map) || HasPlace(job.output.path);
}

std::vector<ContigJob> MakeContigJobs(const ImputeJob& job) {
  CheckPlaces(job);
  return JobMaker(job).Make();
}

}  // namespace haplospin
