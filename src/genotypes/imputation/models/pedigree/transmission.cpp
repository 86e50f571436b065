#include "genotypes/imputation/models/pedigree/transmission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "genotypes/genomics/sites/split_sites.h"
#include "genotypes/imputation/models/pedigree/family_trios.h"
#include "genotypes/imputation/models/pedigree/mendels_laws.h"

namespace haplospin {
namespace {

// The phase set of genotypes that the study gives as phased in no set, in samples whose order is that of transmission.
constexpr uint32_t kGivenSet = std::numeric_limits<uint32_t>::max();

// The probability of a wrong genotype, that a parent's breaks Mendel's laws with a child, and how many times as
// probable as a wrong genotype of the parent those of its children must be for the parent's to stay.
constexpr double kWrongGenotype = 1e-3, kBreaksLaws = 0.25, kMinOdds = 8;

// The children of a parent whose genotypes are known at a marker.
struct KnownChildren {
  size_t count = 0;
  size_t errors = 0;  // those that break Mendel's laws

  // Returns whether their own genotypes are wrong, and not that of the parent.
  bool AreWrong() const {
    const auto wrong = static_cast<double>(errors), right = static_cast<double>(count - errors);
    return (wrong - 1) * std::log(kWrongGenotype) > right * std::log1p(-kBreaksLaws) + std::log(kMinOdds);
  }
};

FamilyAlleles AllelesAt(StudyGenotypes& study, size_t s, size_t child,
                        const std::array<std::optional<size_t>, 2>& parents) {
  const auto alleles = [&](size_t sample) {
    return StudyCall{study.samples, study.markers[s].genotypes, sample}.alleles();
  };
  FamilyAlleles family{.child = alleles(child), .parents = {}};
  for (size_t p = 0; p < 2; ++p) {
    if (parents[p]) family.parents[p] = alleles(*parents[p]);
  }
  return family;
}

void SetMissing(const StudyCall& call) {
  std::ranges::fill(call.alleles(), kMissingAllele);
  call.SetUnphased(false);
  call.SetPhaseSet(0);
}

// Orders the alleles of a heterozygote so that `allele` is the first one.
void PutFirst(const StudyCall& call, uint8_t allele, RecentPhaseSets& sets) {
  const bool is_exchanged = call.alleles()[0] != allele;
  if (is_exchanged) call.Exchange();
  if (call.set() != 0) {
    sets.Visit(call.sample, call.set());
    sets.SetOrder(call.sample, is_exchanged ? RecentPhaseSets::Order::kExchanged : RecentPhaseSets::Order::kAsGiven);
  }
  call.SetUnphased(false);
  call.SetPhaseSet(0);
}

}  // namespace

bool RecentPhaseSets::Visit(size_t sample, uint32_t set) {
  std::array<Set, kSets>& sets = sets_[sample];
  auto found = std::ranges::find_if(sets, [&](const Set& s) { return s.is_used && s.id == set; });
  // Two ALTs of one site are a set of their own, which no phase of the file overlaps.
  const auto may_interrupt = [](const Set& s) { return !IsSetOfSite(s.id); };
  const bool is_interrupted = found != sets.end() && std::any_of(sets.begin(), found, may_interrupt);
  if (found == sets.end()) {
    // The set of an earlier site is over; otherwise the oldest one is forgotten.
    found = std::ranges::find_if(sets, [](const Set& s) { return s.is_used && IsSetOfSite(s.id); });
    if (found == sets.end()) --found;
    *found = {.id = set, .is_used = true};
  }
  std::rotate(sets.begin(), found, found + 1);
  return is_interrupted;
}

void RecentPhaseSets::Learn(const RecentPhaseSets& other) {
  for (size_t sample = 0; sample < sets_.size(); ++sample) {
    for (Set& set : sets_[sample]) {
      for (const Set& known : other.sets_[sample]) {
        if (set.is_used && known.is_used && known.id == set.id && known.order != Order::kUnknown)
          set.order = known.order;
      }
    }
  }
}

TransmissionPhaser::TransmissionPhaser(const Pedigree& pedigree, size_t samples)
    : pedigree_(pedigree), panel_parents_(pedigree, samples), is_ordered_(samples) {
  std::vector<size_t> children(samples);
  std::vector<bool> has_genotypes(pedigree.num_people);
  std::fill_n(has_genotypes.begin(), std::min(samples, pedigree.num_people), true);
  for (const Pedigree::Other& other : pedigree.others) has_genotypes[other.person] = true;
  for (const Trio& trio : FamilyTrios(pedigree, has_genotypes)) {
    const bool is_selfed = trio.father && trio.father == trio.mother;  // either allele may be of either gamete
    if (trio.child < samples && !is_selfed) is_ordered_[trio.child] = true;
  }
  for (const Trio& trio : pedigree.trios) {
    is_ordered_[trio.child] = true;
    if (trio.father) ++children[*trio.father];
    if (trio.mother) ++children[*trio.mother];
  }
  for (const Trio& trio : pedigree.trios) {
    Family family{trio.child, {trio.father, trio.mother}, {}};
    for (size_t p = 0; p < 2; ++p) {
      if (!family.parents[p] || is_ordered_[*family.parents[p]] || children[*family.parents[p]] > 1) continue;
      family.orders_parent[p] = true;
      is_ordered_[*family.parents[p]] = true;
    }
    families_.push_back(family);
  }
}

void TransmissionPhaser::Phase(StudyGenotypes& study, size_t s, RecentPhaseSets& sets) {
  RemoveErrors(study, s);
  for (size_t sample = 0; sample < is_ordered_.size(); ++sample) {
    const StudyCall call{study.samples, study.markers[s].genotypes, sample};
    if (is_ordered_[sample] && call.set() == 0 && call.is_heterozygous() && !call.is_unphased()) {
      call.SetPhaseSet(kGivenSet);
    }
  }
  for (const Family& family : families_) {
    const auto transmitted = FindTransmitted(AllelesAt(study, s, family.child, family.parents), study.contig).value();
    const StudyCall child{study.samples, study.markers[s].genotypes, family.child};
    if (child.is_heterozygous() && transmitted[0] != kMissingAllele) PutFirst(child, transmitted[0], sets);
    for (size_t p = 0; p < 2; ++p) {
      if (!family.orders_parent[p] || transmitted[p] == kMissingAllele) continue;
      const StudyCall parent{study.samples, study.markers[s].genotypes, *family.parents[p]};
      if (parent.is_heterozygous()) PutFirst(parent, transmitted[p], sets);
    }
  }
}

// Sets the genotypes of families with an error missing, except those of a parent with whom enough other children agree.
// It finds all errors before, as people can be in two families.
void TransmissionPhaser::RemoveErrors(StudyGenotypes& study, size_t s) {
  std::vector<const Family*> wrong;
  for (Family& family : families_) {
    const FamilyAlleles alleles = AllelesAt(study, s, family.child, family.parents);
    family.counts.compared += alleles.IsInformative();
    if (FindTransmitted(alleles, study.contig)) continue;
    ++family.counts.errors;
    if (num_errors_++ == 0) {
      first_error_ =
          fmt::format("{} at {}:{}", study.samples.names[family.child], study.contig, study.markers[s].marker.position);
    }
    wrong.push_back(&family);
  }
  if (!wrong.empty()) SetErrorsMissing(study, s, wrong);
}

void TransmissionPhaser::SetErrorsMissing(StudyGenotypes& study, size_t s, std::span<const Family* const> wrong) const {
  std::vector<KnownChildren> children(num_samples());
  for (const Family& family : families_) {
    if (HasMissing(AllelesAt(study, s, family.child, family.parents).child)) continue;
    for (const auto& parent : family.parents) {
      if (parent) ++children[*parent].count;
    }
  }
  for (const Family* family : wrong) {
    for (const auto& parent : family->parents) {
      if (parent) ++children[*parent].errors;
    }
  }
  for (const Family* family : wrong) {
    SetMissing({study.samples, study.markers[s].genotypes, family->child});
    for (const auto& parent : family->parents) {
      if (parent && !children[*parent].AreWrong()) SetMissing({study.samples, study.markers[s].genotypes, *parent});
    }
  }
}

void TransmissionPhaser::CheckFamilies(const std::string& path, const std::vector<std::string>& samples,
                                       const std::vector<std::string>& panel) const {
  for (const Family& family : families_) {
    if (!family.counts.AreNotRelated()) continue;
    std::vector<std::string> parents;
    for (const auto& parent : family.parents) {
      if (parent) parents.push_back(samples[*parent]);
    }
    FailNotRelated(path, samples[family.child], parents, family.counts);
  }
  panel_parents_.CheckFamilies(path, samples, panel);
}

// Genotypes that are wrong by chance are spread over all families.
std::vector<std::string> TransmissionPhaser::ChildrenOfOthers(const std::vector<std::string>& samples) const {
  constexpr size_t kFewest = 4;              // errors of a child
  constexpr double kRate = 0.005, kFar = 8;  // rate of errors, at least, and times what is expected
  MendelianCounts all;
  for (const Family& family : families_) {
    all.compared += family.counts.compared;
    all.errors += family.counts.errors;
  }
  std::vector<std::string> children;
  for (const auto& [child, parents, orders, counts] : families_) {
    const auto others = static_cast<double>(all.compared - counts.compared);
    const double rate = others > 0 ? static_cast<double>(all.errors - counts.errors) / others : 0;
    const double expected = std::max(rate, kRate) * static_cast<double>(counts.compared);
    if (counts.errors < kFewest || static_cast<double>(counts.errors) < kFar * expected) continue;
    children.push_back(fmt::format("{} ({} of {})", samples[child], counts.errors, counts.compared));
  }
  return children;
}

}  // namespace haplospin
