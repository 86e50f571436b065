#include "imputation/sample_imputer.h"

#include <algorithm>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// The allele that the study has at a panel marker, or kMissingAllele where it is to be imputed.
uint8_t GivenAllele(const WindowAlleles& alleles, const TargetHaplotype& target, size_t marker) {
  const uint32_t typed = alleles.typed_index(marker);
  return typed == WindowAlleles::kUntyped ? kMissingAllele : target.alleles[typed];
}

}  // namespace

SampleImputer::SampleImputer(const WindowContext& context)
    : context_(context),
      finder_(context.copying.min_product),
      ancestry_(context.array, context.populations, context.sample_of, context.panel.samples().num_samples()),
      match_features_(context.array, ancestry_),
      computation_(context.network.NewComputation()),
      minor_probability_(context.alleles.end() - context.alleles.begin()) {}

void SampleImputer::Impute(const SampleTargets& targets, const StateSelection& selection, size_t first_selected,
                           size_t first_haplotype, WindowDosages& dosages) {
  const size_t ploidy = targets.most_probable().size();
  for (size_t t = 0; t < ploidy; ++t) {
    minor_sum_[t].assign(minor_probability_.size(), 0);
    left_out_sum_[t].assign(context_.array.num_typed(), 0);
  }
  FindCandidates(targets, selection, first_selected);
  const size_t count = targets.versions.size() * ploidy;
  ancestry_.Estimate({candidates_.data(), ploidy}, {candidates_.data() + ploidy, count - ploidy});
  for (size_t v = 0; v < targets.versions.size(); ++v) AddVersion(targets.versions[v], v * ploidy);
  for (size_t t = 0; t < ploidy; ++t) {
    Write(targets.most_probable()[t], minor_sum_[t], first_haplotype + t, dosages);
    WriteLeftOut(left_out_sum_[t], first_haplotype + t, dosages);
  }
}

// The other versions have alleles of both haplotypes of the most probable phase, and so their states.
void SampleImputer::FindCandidates(const SampleTargets& targets, const StateSelection& selection,
                                   size_t first_selected) {
  const size_t ploidy = targets.most_probable().size();
  const size_t count = targets.versions.size() * ploidy;
  if (candidates_.size() < count) candidates_.resize(count);
  left_out_.resize(candidates_.size(), std::vector<float>(context_.array.num_typed()));
  for (size_t k = 0; k < count; ++k) {
    if (k < ploidy) selection.Get(first_selected + k, states_);
    if (k == ploidy) selection.GetForBoth(first_selected, states_);
    const PhaseVersion& version = targets.versions[k / ploidy];
    finder_.Find(context_.array, context_.model, version.haplotypes[k % ploidy], states_, candidates_[k], left_out_[k],
                 version.weight);
  }
}

// Its haplotypes have candidates_[first_target] and the next.
void SampleImputer::AddVersion(const PhaseVersion& version, size_t first_target) {
  const std::vector<TargetHaplotype>& targets = version.haplotypes;
  const WindowAlleles& alleles = context_.alleles;
  for (size_t t = 0; t < targets.size(); ++t) {
    ComputeMinorProbabilities(targets[t], candidates_[first_target + t], version.weight);
    const auto haplotype = [&](size_t interval) {
      return !version.swapped.empty() && version.swapped[interval] ? 1 - t : t;
    };
    const auto weight = [&](size_t interval) { return version.weight.empty() ? 1.0f : version.weight[interval]; };
    for (const uint32_t anchor : context_.array.anchors()) {
      const float w = weight(anchor);
      std::vector<float>& sum = minor_sum_[haplotype(anchor)];
      for (size_t m = alleles.first_marker(anchor); m < alleles.first_marker(anchor + 1); ++m) {
        sum[m - alleles.begin()] += w * minor_probability_[m - alleles.begin()];
      }
    }
    const std::vector<float>& left_out = left_out_[first_target + t];
    for (size_t j = 0; j < left_out.size(); ++j) left_out_sum_[haplotype(j)][j] += weight(j) * left_out[j];
  }
}

// Leaves out the anchors without weight.
void SampleImputer::ComputeMinorProbabilities(const TargetHaplotype& target, const CopyCandidates& candidates,
                                              const std::vector<float>& weight) {
  match_features_.StartTarget(target, candidates);
  for (uint32_t anchor : context_.array.anchors()) {
    if (weight.empty() || weight[anchor] > 0) AddAnchor(anchor, target, candidates);
  }
  computation_->Compute();
}

void SampleImputer::AddAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates) {
  const WindowAlleles& alleles = context_.alleles;
  const size_t first = alleles.first_marker(anchor);
  const size_t last = alleles.first_marker(anchor + 1);
  if (first == last) return;

  const size_t count = candidates.count[anchor];
  match_features_.Fill(anchor, features_);
  computation_->AddInterval(features_, count);
  alleles.FindCarriers(anchor, candidates.haplotypes(anchor), carriers_);

  // Where all candidates agree, the target differs from them as rarely as at typed markers.
  const float panel_share = std::min(context_.network.panel_share(), context_.model.mismatch_probability);
  const CandidateMask all = CandidateMask::First(count);
  for (size_t m = first; m < last; ++m) {
    if (GivenAllele(alleles, target, m) != kMissingAllele) continue;
    const CandidateMask& carriers = carriers_[m - first];
    const MarkerFeatures& marker = context_.marker_features[m - alleles.begin()];
    float& p = minor_probability_[m - alleles.begin()];
    if (carriers.None()) {
      p = panel_share * marker.minor_frequency;
    } else if (carriers == all) {
      p = 1 - panel_share * (1 - marker.minor_frequency);
    } else {
      computation_->AddMarker(marker, carriers, &p);
    }
  }
}

void SampleImputer::Write(const TargetHaplotype& target, const std::vector<float>& minor, size_t haplotype,
                          WindowDosages& dosages) const {
  const WindowAlleles& alleles = context_.alleles;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    const uint8_t given = GivenAllele(alleles, target, m);
    const float p = minor[m - alleles.begin()];
    const float imputed = context_.panel.minor_is_alt(m) ? p : 1 - p;
    dosages.Set(haplotype, m, given == kMissingAllele ? imputed : static_cast<float>(given));
  }
}

void SampleImputer::WriteLeftOut(const std::vector<float>& left_out, size_t haplotype, WindowDosages& dosages) const {
  for (size_t k = 0; k < dosages.left_out_markers.size(); ++k) {
    const uint32_t typed = context_.alleles.typed_index(dosages.left_out_markers[k]);
    dosages.left_out.Set(haplotype, k, left_out[typed]);
  }
}

}  // namespace haplospin
