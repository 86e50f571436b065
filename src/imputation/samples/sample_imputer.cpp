#include "imputation/samples/sample_imputer.h"

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

void SampleCandidates::Reserve(size_t count, size_t typed) {
  if (candidates.size() >= count) return;
  candidates.resize(count);
  left_out.resize(count, std::vector<float>(typed));
}

SampleImputer::SampleImputer(const WindowContext& context)
    : context_(context),
      finder_(context.copying.min_product),
      ancestry_(context.array, context.populations, context.sample_of, context.panel.samples().num_samples()),
      match_features_(context.array, ancestry_),
      computation_(context.network.NewComputation()) {}

void SampleImputer::Impute(const WindowSample& sample, const StateSelection& selection, WindowDosages& dosages) {
  FindCandidates(sample, selection);
  Impute({&sample, 1}, {&found_, 1}, dosages);
}

void SampleImputer::Impute(std::span<const WindowSample> samples, std::span<const SampleCandidates> found,
                           WindowDosages& dosages) {
  size_t num_targets = 0;
  for (const WindowSample& sample : samples) num_targets += sample.num_targets();
  if (minor_probability_.size() < num_targets) {
    minor_probability_.resize(num_targets, std::vector<float>(context_.marker_features.size()));
  }
  size_t first_target = 0;
  for (size_t s = 0; s < samples.size(); first_target += samples[s++].num_targets()) {
    AddToNetwork(samples[s], found[s], first_target);
  }
  computation_->Compute();
  first_target = 0;
  for (size_t s = 0; s < samples.size(); first_target += samples[s++].num_targets()) {
    WriteSample(samples[s], found[s], first_target, dosages);
  }
}

// The other versions have alleles of both haplotypes of the most probable phase, and so their states.
void SampleImputer::FindCandidates(const WindowSample& sample, const StateSelection& selection) {
  const size_t ploidy = sample.ploidy();
  found_.Reserve(sample.num_targets(), context_.array.num_typed());
  for (size_t k = 0; k < sample.num_targets(); ++k) {
    if (k <= ploidy) {
      const StageTimer timer(context_.times.states);
      if (k < ploidy) selection.Get(sample.first_selected + k, states_);
      if (k == ploidy) selection.GetForBoth(sample.first_selected, states_);
    }
    const StageTimer timer(context_.times.recursions);
    finder_.Find(context_.array, context_.model, sample.haplotype(k), states_, found_.candidates[k], found_.left_out[k],
                 sample.version(k).weight);
  }
}

// Its targets have minor_probability_[first_target] and the next.
void SampleImputer::AddToNetwork(const WindowSample& sample, const SampleCandidates& found, size_t first_target) {
  const std::span<const CopyCandidates> candidates(found.candidates.data(), sample.num_targets());
  ancestry_.Estimate(candidates.first(sample.ploidy()), candidates.subspan(sample.ploidy()));
  for (size_t k = 0; k < candidates.size(); ++k) {
    AddTarget(sample.haplotype(k), candidates[k], sample.version(k).weight, minor_probability_[first_target + k]);
  }
}

// Leaves out the anchors without weight.
void SampleImputer::AddTarget(const TargetHaplotype& target, const CopyCandidates& candidates,
                              const std::vector<float>& weight, std::vector<float>& minor_probability) {
  match_features_.StartTarget(target, candidates);
  CenterAlleles(target, context_.regression.means(), centered_);
  for (uint32_t anchor : context_.array.anchors()) {
    if (weight.empty() || weight[anchor] > 0) AddAnchor(anchor, target, candidates, minor_probability);
  }
}

void SampleImputer::AddAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                              std::vector<float>& minor_probability) {
  const WindowAlleles& alleles = context_.alleles;
  const size_t first = alleles.first_marker(anchor);
  const size_t last = alleles.first_marker(anchor + 1);
  if (first == last) return;

  context_.regression.Prefetch(first, last);
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
    float& p = minor_probability[m - alleles.begin()];
    if (carriers.None()) {
      p = panel_share * marker.minor_frequency;
    } else if (carriers == all) {
      p = 1 - panel_share * (1 - marker.minor_frequency);
    } else {
      computation_->AddMarker(marker, context_.regression.Predict(m, centered_, marker.minor_frequency), carriers, &p);
    }
  }
}

void SampleImputer::WriteSample(const WindowSample& sample, const SampleCandidates& found, size_t first_target,
                                WindowDosages& dosages) {
  const size_t ploidy = sample.ploidy();
  for (size_t t = 0; t < ploidy; ++t) {
    minor_sum_[t].assign(context_.marker_features.size(), 0);
    left_out_sum_[t].assign(context_.array.num_typed(), 0);
  }
  for (size_t v = 0; v < sample.targets->versions.size(); ++v) {
    SumVersion(sample.targets->versions[v], std::span(minor_probability_).subspan(first_target + v * ploidy, ploidy),
               std::span(found.left_out).subspan(v * ploidy, ploidy));
  }
  for (size_t t = 0; t < ploidy; ++t) {
    Write(sample.targets->most_probable()[t], minor_sum_[t], sample.first_haplotype + t, dosages);
    WriteLeftOut(left_out_sum_[t], sample.first_haplotype + t, dosages);
  }
}

void SampleImputer::SumVersion(const PhaseVersion& version, std::span<const std::vector<float>> minor_probability,
                               std::span<const std::vector<float>> left_out) {
  const WindowAlleles& alleles = context_.alleles;
  const auto weight = [&](size_t interval) { return version.weight.empty() ? 1.0f : version.weight[interval]; };
  for (size_t t = 0; t < version.haplotypes.size(); ++t) {
    const auto haplotype = [&](size_t interval) {
      return !version.swapped.empty() && version.swapped[interval] ? 1 - t : t;
    };
    for (const uint32_t anchor : context_.array.anchors()) {
      const float w = weight(anchor);
      std::vector<float>& sum = minor_sum_[haplotype(anchor)];
      for (size_t m = alleles.first_marker(anchor); m < alleles.first_marker(anchor + 1); ++m) {
        sum[m - alleles.begin()] += w * minor_probability[t][m - alleles.begin()];
      }
    }
    for (size_t j = 0; j < left_out[t].size(); ++j) left_out_sum_[haplotype(j)][j] += weight(j) * left_out[t][j];
  }
}

void SampleImputer::Write(const TargetHaplotype& target, const std::vector<float>& minor, size_t haplotype,
                          WindowDosages& dosages) {
  const WindowAlleles& alleles = context_.alleles;
  alt_.resize(minor.size());
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    const uint8_t given = GivenAllele(alleles, target, m);
    const float p = minor[m - alleles.begin()];
    const float imputed = alleles.minor_is_alt(m) ? p : 1 - p;
    alt_[m - alleles.begin()] = given == kMissingAllele ? imputed : static_cast<float>(given);
  }
  dosages.alt.SetRow(haplotype, alt_);
}

void SampleImputer::WriteLeftOut(const std::vector<float>& left_out, size_t haplotype, WindowDosages& dosages) const {
  for (size_t k = 0; k < dosages.left_out_markers.size(); ++k) {
    const uint32_t typed = context_.alleles.typed_index(dosages.left_out_markers[k]);
    dosages.left_out.Set(haplotype, k, left_out[typed]);
  }
}

}  // namespace haplospin
