#include "genotypes/imputation/files/family_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/models/pedigree/study_families.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Share of the samples with a close relative from which on the user is told that families might be found.
constexpr double kManyUndecided = 0.05;

// Tells how many samples have parents or, if these have no genotypes, grandparents in the panel.
void TellOfPanelParents(const ImputeJob& job, const Pedigree& pedigree, size_t num_samples) {
  if (pedigree.others.empty()) return;
  std::vector<bool> is_in_panel(pedigree.num_people), is_used(pedigree.num_people);
  for (const Pedigree::Other& other : pedigree.others) is_in_panel[other.person] = true;
  std::vector<Trio> parents_by_person(pedigree.num_people);
  for (const Trio& trio : pedigree.descent) parents_by_person[trio.child] = trio;
  const auto use_parents = [&](const Trio& trio) {
    bool has_any = false;
    for (const std::optional<size_t>& parent : {trio.father, trio.mother}) {
      if (parent && is_in_panel[*parent]) has_any = is_used[*parent] = true;
    }
    return has_any;
  };
  size_t children = 0;
  for (size_t s = 0; s < num_samples; ++s) {
    bool has_any = use_parents(parents_by_person[s]);
    for (const std::optional<size_t>& parent : {parents_by_person[s].father, parents_by_person[s].mother}) {
      if (parent && *parent >= num_samples && !is_in_panel[*parent]) has_any |= use_parents(parents_by_person[*parent]);
    }
    children += has_any ? 1 : 0;
  }
  const auto used = static_cast<size_t>(std::ranges::count(is_used, true));
  LogInfo("{}: {} of the panel {} of {} of the study", job.study.pedigree, Counted(used, "sample"),
          used == 1 ? "is a parent or grandparent" : "are parents or grandparents", Counted(children, "sample"));
}

// Nothing but the order of the two alleles tells whose haplotype a child's is, so that exchanged columns go unnoticed.
void WarnOfSexesOfParents(const std::string& path, const Pedigree& pedigree) {
  const auto warn = [&](const std::vector<std::string>& parents, const char* role, const char* sex) {
    if (parents.empty()) return;
    LogWarning("{}: {} {} {} by the column of sex: {}; correct it, or exchange the columns of the parents", path,
               Counted(parents.size(), role), parents.size() == 1 ? "is" : "are", sex,
               JoinNames(parents, kSamplesShown));
  };
  warn(pedigree.female_fathers, "father", "female");
  warn(pedigree.male_mothers, "mother", "male");
}

}  // namespace

void TellOfFamilies(const ImputeJob& job, const Pedigree& pedigree, size_t num_samples) {
  const auto num_trios = std::ranges::count_if(pedigree.trios, [](const Trio& t) { return t.father && t.mother; });
  LogInfo("{}: {} and {} of the study", job.study.pedigree, Counted(static_cast<size_t>(num_trios), "trio"),
          Counted(pedigree.trios.size() - static_cast<size_t>(num_trios), "duo"));
  TellOfPanelParents(job, pedigree, num_samples);
  WarnOfSexesOfParents(job.study.pedigree, pedigree);
  if (!pedigree.perhaps_header.empty()) {
    LogWarning(
        "{}: the first line may be a header: {} are in no other line and not in the study; name its columns animal, "
        "sire and dam, or remove it. As it is, the second column is read as the sire, the third as the dam",
        job.study.pedigree, JoinNames(pedigree.perhaps_header));
  }
  if (pedigree.absent.empty()) return;
  LogInfo("{}: {} of its people are not in the study{}: {}", job.study.pedigree, pedigree.absent.size(),
          pedigree.others.empty() ? "" : " or the panel", JoinNames(pedigree.absent, kSamplesShown));
}

void TellOfAnimals(const ImputeJob& job, const AbsentAnimals& animals, const std::vector<std::string>& samples) {
  std::unordered_set<std::string_view> names(samples.begin(), samples.end());
  for (const std::string& animal : animals.names) {
    if (names.insert(animal).second) continue;
    throw InputError(fmt::format("{}: two animals would have the name {} in the output; rename one of them",
                                 job.study.pedigree, animal));
  }
  const std::string unrelated = animals.unrelated == 0 ? ""
                                                       : fmt::format("; {} left out, as no relative has genotypes",
                                                                     CountedInGroups(animals.unrelated, "other"));
  if (animals.names.empty()) {
    LogWarning("{}: --all-animals adds nobody: its animals have genotypes{}", job.study.pedigree, unrelated);
  } else {
    LogInfo("{}: {} without genotypes, written after the samples of the study{}", job.study.pedigree,
            CountedInGroups(animals.names.size(), "animal"), unrelated);
  }
}

void TellOfMissingAnimals(const ImputeJob& job, const std::string& contig) {
  LogInfo("{}: animals without genotypes are missing on {}, as how many haplotypes they have there is not known",
          job.study.pedigree, contig);
}

void TellOfFoundFamilies(const ImputeJob& job, const FoundFamilies& found) {
  if (found.trios + found.duos > 0) {
    LogInfo("{}: found {}, by the genotypes at {} of {}; phased as with --pedigree (--pedigree none ignores them)",
            job.study.path, Describe(found), CountedInGroups(found.markers, "marker"),
            Counted(found.contigs, "contig"));
  }
  if (found.undecided == 0 ||
      static_cast<double>(found.undecided) < kManyUndecided * static_cast<double>(found.samples))
    return;
  LogInfo(
      "{}: {} of its samples seem to have a parent, child or full sib among the others, but its {:.0f} cM are too "
      "short to tell which; give the pedigree if you know it (--pedigree), or all chromosomes in one file",
      job.study.path, found.undecided, found.centimorgans);
}

void TellOfFoundParents(const ImputeJob& job, size_t parents) {
  LogInfo(
      "{}: found {} that it leaves open, by the genotypes; a parent who is named, but not in the study, is not sought",
      job.study.pedigree, Counted(parents, "parent"));
}

// A son has nothing of his father there, and his two equal alleles are one.
void WarnOfErrorsWithoutSexes(const ImputeJob& job, const std::string& contig, const ContigPart& part) {
  if (!part.males_are_haploid || job.study.pedigree.empty()) return;
  LogWarning(
      "{}: Mendelian errors on {}, where nothing tells who is male: give the sexes, by a column of this file or --sex",
      job.study.pedigree, NameOfPart(contig, part));
}

void WarnOfChildrenOfOthers(const ImputeJob& job, const std::vector<std::string>& children) {
  if (children.empty() || job.study.pedigree.empty()) return;
  LogWarning(
      "{}: {} far more Mendelian errors than the others: {} markers where the family differs; a parent is perhaps "
      "another one: correct it, or write 0, as wrong parents are worse than none",
      job.study.pedigree, children.size() == 1 ? "1 child has" : fmt::format("{} children have", children.size()),
      JoinNames(children));
}

}  // namespace haplospin
