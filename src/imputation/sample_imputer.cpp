#include "imputation/sample_imputer.h"

#include <cmath>

#include "genomics/quantized_probability.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

uint16_t Quantised(float probability) { return QuantizeProbability(probability, kWindowProbabilityOne); }

}  // namespace

SampleImputer::SampleImputer(const WindowContext& context)
    : context_(context),
      candidates_(2),
      left_out_(2, std::vector<float>(context.array.num_typed())),
      ancestry_(context.array, context.populations, context.sample_of, context.panel.samples().num_samples()),
      panel_share_(1 / (1 + std::exp(-context.weights.panel_share))),
      batch_(context.allele_network, panel_share_),
      slot_of_(context.panel.num_haplotypes(), WindowAlleles::kNoSlot) {}

void SampleImputer::Impute(const std::vector<TargetHaplotype>& targets, const std::vector<uint16_t*>& out) {
  for (size_t t = 0; t < targets.size(); ++t) {
    finder_.Find(context_.array, context_.model, targets[t], {}, candidates_[t], left_out_[t]);
  }
  ancestry_.Estimate({candidates_.data(), targets.size()});
  for (size_t t = 0; t < targets.size(); ++t) {
    ImputeHaplotype(targets[t], candidates_[t], out[t]);
    WriteLeftOut(targets[t], left_out_[t], out[t]);
  }
}

void SampleImputer::Write(size_t marker, float minor_probability, uint16_t* out) const {
  const float p = context_.panel.minor_is_alt(marker) ? minor_probability : 1 - minor_probability;
  out[marker - context_.alleles.begin()] = Quantised(p);
}

void SampleImputer::WriteLeftOut(const TargetHaplotype& target, const std::vector<float>& left_out,
                                 uint16_t* out) const {
  for (size_t j = 0; j < left_out.size(); ++j) {
    const size_t marker = context_.array.typed()[j];
    const bool is_inside = marker >= context_.alleles.begin() && marker < context_.alleles.end();
    if (!is_inside || target.alleles[j] == kMissingAllele) continue;
    out[marker - context_.alleles.begin()] = Quantised(left_out[j]);
  }
}

void SampleImputer::ImputeHaplotype(const TargetHaplotype& target, const CopyCandidates& candidates, uint16_t* out) {
  match_features_.StartTarget(context_.array, target, candidates, ancestry_, context_.sample_of);
  for (uint32_t anchor : context_.array.anchors()) ImputeAnchor(anchor, target, candidates, out);
  batch_.Flush([&](size_t marker, float p) { Write(marker, p, out); });
  if (context_.backend != nullptr) RunBackend(out);
}

void SampleImputer::RunBackend(uint16_t* out) {
  const std::vector<float> p = context_.backend->MinorProbabilities(inputs_);
  for (size_t k = 0; k < waiting_.size(); ++k) Write(waiting_[k], p[k], out);
  inputs_.Clear();
  waiting_.clear();
}

void SampleImputer::ImputeAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                                 uint16_t* out) {
  const WindowAlleles& alleles = context_.alleles;
  const size_t first = alleles.first_marker(anchor);
  const size_t last = alleles.first_marker(anchor + 1);
  if (first == last) return;

  const size_t count = candidates.count[anchor];
  match_features_.Fill(anchor, features_);
  if (context_.backend != nullptr) {
    inputs_.AddInterval(features_, count);
  } else {
    RunMlp(context_.copy_network, features_.values, scratch_, attention_.logit);
    FinishAttention(features_, context_.weights.forward, context_.weights.backward, count, attention_);
  }
  alleles.FindCarriers(anchor, candidates.haplotypes(anchor), slot_of_, carriers_);

  const CandidateMask all = CandidateMask::First(count);
  for (size_t m = first; m < last; ++m) {
    const uint32_t typed = alleles.typed_index(m);
    if (typed != WindowAlleles::kUntyped && target.alleles[typed] != kMissingAllele) continue;
    const CandidateMask& carriers = carriers_[m - first];
    const MarkerFeatures& marker = context_.marker_features[m - alleles.begin()];
    if (carriers.None()) {
      Write(m, panel_share_ * marker.minor_frequency, out);
    } else if (carriers == all) {
      Write(m, 1 - panel_share_ * (1 - marker.minor_frequency), out);
    } else if (context_.backend != nullptr) {
      inputs_.AddMarker(marker, carriers);
      waiting_.push_back(m);
    } else {
      batch_.Add(m, marker, features_, attention_, carriers, count,
                 [&](size_t batched, float p) { Write(batched, p, out); });
    }
  }
}

}  // namespace haplospin
