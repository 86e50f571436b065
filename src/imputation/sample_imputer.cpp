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
      finder_(context.copying.least_product),
      candidates_(2),
      left_out_(2, std::vector<float>(context.array.num_typed())),
      ancestry_(context.array, context.populations, context.sample_of, context.panel.samples().num_samples()),
      match_features_(context.array, ancestry_),
      computation_(context.network.NewComputation()),
      minor_probability_(context.alleles.end() - context.alleles.begin()) {}

void SampleImputer::Impute(const SampleTargets& targets, const StateSelection& selection, size_t first_selected,
                           size_t first_haplotype, WindowDosages& dosages) {
  const size_t ploidy = targets.most_probable.size();
  for (size_t t = 0; t < ploidy; ++t) {
    minor_sum_[t].assign(minor_probability_.size(), 0);
    left_out_sum_[t].assign(context_.array.num_typed(), 0);
  }
  for (const PhaseVersion& version : targets.versions) {
    AddVersion(version, selection, first_selected);
    first_selected += ploidy;
  }
  for (size_t t = 0; t < ploidy; ++t) {
    Write(targets.most_probable[t], minor_sum_[t], first_haplotype + t, dosages);
    WriteLeftOut(left_out_sum_[t], first_haplotype + t, dosages);
  }
}

void SampleImputer::AddVersion(const PhaseVersion& version, const StateSelection& selection, size_t first_selected) {
  const std::vector<TargetHaplotype>& targets = version.haplotypes;
  for (size_t t = 0; t < targets.size(); ++t) {
    selection.Get(first_selected + t, states_);
    finder_.Find(context_.array, context_.model, targets[t], states_, candidates_[t], left_out_[t]);
  }
  ancestry_.Estimate({candidates_.data(), targets.size()});
  const WindowAlleles& alleles = context_.alleles;
  for (size_t t = 0; t < targets.size(); ++t) {
    ComputeMinorProbabilities(targets[t], candidates_[t], version.weight);
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
    for (size_t j = 0; j < left_out_[t].size(); ++j) left_out_sum_[haplotype(j)][j] += weight(j) * left_out_[t][j];
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
