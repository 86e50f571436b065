#include "genotypes/imputation/files/job_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/provenance.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/files/family_messages.h"
#include "genotypes/imputation/models/pedigree/open_parents.h"
#include "genotypes/imputation/models/pedigree/study_families.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

bool SeeksFamilies(const ImputeJob& job) {
  const StudyInput& study = job.study;
  const bool is_called = study.options.likelihoods == LikelihoodField::kNone && !study.reads.people;
  return study.seeks_families && job.panel.path.empty() && is_called && CanBeReadTwice(study.path);
}

// Returns the pedigree that is given, or nothing.
std::optional<Pedigree> GivenPedigree(const StudyInput& study) {
  if (study.pedigree.empty()) return std::nullopt;
  return LoadPedigree(study.pedigree, StudyReader(study.path, study.options).sample_names());
}

size_t NumParents(const Pedigree& pedigree) {
  size_t count = 0;
  for (const Trio& trio : pedigree.descent) count += (trio.father ? 1 : 0) + (trio.mother ? 1 : 0);
  return count;
}

// Returns whether somebody has one parent in the pedigree.
bool HasOpenParents(const Pedigree& pedigree) {
  return std::ranges::any_of(pedigree.descent,
                             [](const Trio& trio) { return trio.father.has_value() != trio.mother.has_value(); });
}

// Returns whether the file is known to have one contig, which cannot tell parents from sibs.
bool HasOneContig(const StudyInput& study) {
  const auto contigs = StudyFile(study.path, study.options).IndexedContigs();
  return contigs && contigs->size() < 2;
}

// Finds families, or parents that the pedigree of the job leaves open. Returns null if there are none.
std::shared_ptr<const Pedigree> Find(const ImputeJob& job, std::span<const std::string> studies,
                                     const MapOfContig& map) {
  const std::optional<Pedigree> given = GivenPedigree(job.study);
  if (given && !HasOpenParents(*given)) return nullptr;
  const FoundFamilies found = FindStudyFamilies(studies, job.study.options, map);
  if (!given) {
    TellOfFoundFamilies(job, found);
    return found.trios + found.duos == 0 ? nullptr : std::make_shared<const Pedigree>(found.pedigree);
  }
  Pedigree filled = FillOpenParents(*given, found.pedigree, OpenParents::kSecond);
  const size_t num_filled = NumParents(filled) - NumParents(*given);
  if (num_filled == 0) return nullptr;
  TellOfFoundParents(job, num_filled);
  return std::make_shared<const Pedigree>(std::move(filled));
}

}  // namespace

void FindFamilies(ImputeJob& job) {
  if (!SeeksFamilies(job) || HasOneContig(job.study)) return;
  job.study.families = Find(job, std::span(&job.study.path, 1), [&](const std::string&) { return job.panel.map; });
}

void FindFamilies(std::span<ContigJob> jobs) {
  if (jobs.size() < 2 || !std::ranges::all_of(jobs, [](const ContigJob& job) { return SeeksFamilies(job.job); }))
    return;
  std::vector<const ContigJob*> in_order;
  for (const ContigJob& job : jobs) in_order.push_back(&job);
  std::ranges::sort(in_order, {}, [](const ContigJob* job) { return job->place; });
  std::vector<std::string> studies;
  for (const ContigJob* job : in_order) {
    if (std::ranges::find(studies, job->job.study.path) == studies.end()) studies.push_back(job->job.study.path);
  }
  const auto families = Find(in_order.front()->job, studies, [&](const std::string& contig) {
    const auto found = std::ranges::find_if(jobs, [&](const auto& job) { return SameContig(job.contig, contig); });
    return found == jobs.end() ? std::string() : found->job.panel.map;
  });
  for (ContigJob& job : jobs) job.job.study.families = families;
}

std::string DescribeFamilies(const StudyInput& study) {
  if (!study.families) return "";
  std::string text;
  for (const Trio& trio : study.families->descent) {
    text += fmt::format("{} ", trio.child);
    for (const auto& parent : {trio.father, trio.mother}) text += parent ? fmt::format("{} ", *parent) : "- ";
  }
  return " " + Sha256OfText(text);
}

}  // namespace haplospin
