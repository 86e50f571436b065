#include "genotypes/variant_io/alignments/people_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/alignments/people_reads.h"
#include "genotypes/variant_io/alignments/pileup_site.h"
#include "genotypes/variant_io/reading/site_reader.h"

namespace haplospin {
namespace {

constexpr size_t kSitesOfPiece = 8192;

// The least and the greatest of some values, in %, as text.
class PercentRange {
 public:
  void Add(double share) {
    least_ = std::min(least_, 100 * share);
    most_ = std::max(most_, 100 * share);
  }

  std::string Text() const { return fmt::format("{:.2g} to {:.2g} %", least_, most_); }

 private:
  double least_ = 100, most_ = 0;
};

std::string DescribeModel(const ErrorModel& model) {
  std::string text;
  if (model.HasDamage()) {
    const auto damage = [&](Deamination d, size_t distance) {
      return fmt::format("{:.1f}, {:.1f}", 100 * model.Damage(d, kReadStart, distance),
                         100 * model.Damage(d, kReadEnd, distance));
    };
    text = fmt::format("C to T in {} % at the start and the end of a read, G to A in {} %; inside {} and {} %",
                       damage(kCToT, 0), damage(kGToA, 0), damage(kCToT, kDamageDistances - 1),
                       damage(kGToA, kDamageDistances - 1));
  }
  if (model.ExtraError() > 0) {
    text += fmt::format("{}{:.2f} % errors beyond the qualities", text.empty() ? "" : "; ", 100 * model.ExtraError());
  }
  return text;
}

}  // namespace

PeopleErrors::PeopleErrors(std::shared_ptr<const AlignmentStudy> study, std::string sites)
    : study_(std::move(study)), sites_(std::move(sites)) {}

std::span<const ErrorModel> PeopleErrors::Models() {
  if (!study_->filter.trusts_qualities) std::call_once(is_estimated_, [&] { Estimate(); });
  return models_;
}

void PeopleErrors::Estimate() {
  std::vector<SubstitutionCounts> counts(study_->people.size());
  PeopleReads people(study_);
  SiteReader sites(sites_);
  const auto has_enough = [](const SubstitutionCounts& count) { return count.bases() >= kBasesOfModel; };
  size_t num_sites = 0;
  for (auto contig = sites.NextContig(); contig && num_sites < kSitesOfModel; contig = sites.NextContig()) {
    const auto name = FindContig(NamesOfContigs(study_->contigs), *contig);
    if (std::ranges::all_of(counts, has_enough)) break;
    if (!name || !HasReads(*study_, *name)) {
      sites.SkipContig();
      continue;
    }
    std::vector<Marker> markers;
    sites.Read(std::min(kSitesOfPiece, kSitesOfModel - num_sites), markers);
    num_sites += markers.size();
    people.Read(*name, PileupSites(markers, study_->filter.ignores_transitions), {},
                [&](size_t person, const SamplePileup& pileup) {
                  if (!has_enough(counts[person])) counts[person].Add(pileup.substitutions());
                });
  }
  for (const SubstitutionCounts& count : counts) models_.emplace_back(count);
}

void PeopleErrors::Tell(const std::string& path) const {
  size_t damaged = 0, wrong = 0;
  PercentRange c_to_t, g_to_a, errors;
  for (size_t p = 0; p < models_.size(); ++p) {
    const ErrorModel& model = models_[p];
    if (model.HasDamage()) {
      ++damaged;
      c_to_t.Add(model.Damage(kCToT, kReadStart, 0));
      g_to_a.Add(model.Damage(kGToA, kReadEnd, 0));
    }
    if (model.ExtraError() > 0) {
      ++wrong;
      errors.Add(model.ExtraError());
    }
    const std::string text = DescribeModel(model);
    if (!text.empty()) LogToFile(fmt::format("errors of the reads of {}: {}", study_->people[p].name, text));
  }
  constexpr const char* kHint = "(--no-error-model: not)";
  if (damaged > 0) {
    LogInfo(
        "{}: reads of {} have damage of ancient DNA, which their likelihoods count with {}: C is T in {} of the first "
        "bases, G is A in {} of the last ones",
        path, Counted(damaged, "sample"), kHint, c_to_t.Text(), g_to_a.Text());
  }
  if (wrong > 0) {
    LogInfo(
        "{}: reads of {} have more errors than their qualities tell, by {} of the bases, which their likelihoods "
        "count with {}",
        path, Counted(wrong, "sample"), errors.Text(), kHint);
  }
}

}  // namespace haplospin
