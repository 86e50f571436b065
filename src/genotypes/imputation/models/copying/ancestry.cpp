#include "genotypes/imputation/models/copying/ancestry.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr float kBlockCentimorgans = 1;
constexpr uint32_t kNobody = UINT32_MAX;

}  // namespace

ancestry::Blocks::Blocks(const TypedPanel& panel) : interval_block(panel.num_intervals()) {
  const size_t m = panel.num_typed();
  const auto cm = panel.centimorgans();
  const float span = cm[m] - cm[1];
  count = std::max<size_t>(1, static_cast<size_t>(std::ceil(span / kBlockCentimorgans)));
  const float width = std::max(span / static_cast<float>(count), 1e-6f);
  for (size_t i = 0; i <= m; ++i) {
    const float from_first = std::max(panel.middle(i) - cm[1], 0.0f);
    interval_block[i] = static_cast<uint32_t>(std::min(static_cast<size_t>(from_first / width), count - 1));
  }
}

Ancestry::Ancestry(const TypedPanel& panel, const PanelPopulations& populations)
    : panel_(panel),
      populations_(populations),
      sample_of_(populations.sample_of()),
      blocks_(panel),
      person_of_(populations.num_samples(), kNobody) {}

void Ancestry::AddPeople(const CopyCandidates& candidates) {
  for (const uint32_t anchor : panel_.anchors()) {
    for (const uint32_t h : candidates.haplotypes(anchor)) {
      const uint32_t sample = sample_of_[h];
      uint32_t& person = person_of_[sample];
      if (person != kNobody) continue;
      person = 0;
      people_.push_back(sample);
    }
  }
}

void Ancestry::ListPeople(std::span<const CopyCandidates> haplotypes, std::span<const CopyCandidates> others) {
  for (const uint32_t sample : people_) person_of_[sample] = kNobody;
  people_.clear();
  for (const CopyCandidates& candidates : haplotypes) AddPeople(candidates);
  for (const CopyCandidates& candidates : others) AddPeople(candidates);
  std::ranges::sort(people_);
  for (size_t p = 0; p < people_.size(); ++p) person_of_[people_[p]] = static_cast<uint32_t>(p);
  candidate_people_.clear();
  products_.clear();
  for (const CopyCandidates& candidates : haplotypes) {
    for (const uint32_t anchor : panel_.anchors()) {
      for (const uint32_t h : candidates.haplotypes(anchor)) candidate_people_.push_back(person(h));
      const size_t first = candidates.first_slot[anchor];
      for (size_t k = first; k < first + candidates.count[anchor]; ++k) {
        products_.push_back(candidates.forward[k] * candidates.backward[k]);
      }
    }
  }
}

void Ancestry::Estimate(std::span<const CopyCandidates> haplotypes, std::span<const CopyCandidates> others) {
  block_length_.assign(blocks_.count, 0);
  for (uint32_t anchor : panel_.anchors()) {
    block_length_[blocks_.interval_block[anchor]] +=
        panel_.anchor_length(anchor) * static_cast<float>(haplotypes.size());
  }
  length_ = 0;
  for (float length : block_length_) length_ += length;

  ListPeople(haplotypes, others);
  const std::vector<float> even(people_.size(), 1.0f);
  CountCopied(haplotypes, even);
  ComputeLogShares();
  EstimatePopulations(haplotypes);
}

void Ancestry::CountCopied(std::span<const CopyCandidates> haplotypes, std::span<const float> shares) {
  const size_t people = people_.size();
  copied_.assign(blocks_.count * people, 0);
  float weights[kMaxCandidates];
  const uint32_t* person = candidate_people_.data();
  const float* product = products_.data();
  for (const CopyCandidates& candidates : haplotypes) {
    for (uint32_t anchor : panel_.anchors()) {
      const float length = panel_.anchor_length(anchor);
      const size_t count = candidates.count[anchor];
      const uint32_t* person_of_slot = person;
      const float* product_of_slot = product;
      person += count;
      product += count;
      if (length <= 0) continue;
      float total = 0;
      for (size_t k = 0; k < count; ++k) {
        const float share = shares[person_of_slot[k]];
        total += weights[k] = product_of_slot[k] * share;
      }
      float* copied = &copied_[blocks_.interval_block[anchor] * people];
      const float scale = length / total;
      for (size_t k = 0; k < count; ++k) copied[person_of_slot[k]] += scale * weights[k];
    }
  }
  everywhere_.assign(people, 0);
  for (size_t b = 0; b < blocks_.count; ++b) {
    for (size_t p = 0; p < people; ++p) everywhere_[p] += copied_[b * people + p];
  }
}

void Ancestry::ComputeLogShares() {
  const float even = static_cast<float>(populations_.num_samples());
  const size_t people = people_.size();
  log_shares_.resize(blocks_.count * people);
  for (size_t b = 0; b < blocks_.count; ++b) {
    float* shares = log_shares_.data() + b * people;
    std::copy(everywhere_.begin(), everywhere_.end(), shares);
    float outside = length_;
    for (size_t near = b == 0 ? 0 : b - 1; near <= std::min(b + 1, blocks_.count - 1); ++near) {
      outside -= block_length_[near];
      for (size_t p = 0; p < people; ++p) shares[p] -= copied_[near * people + p];
    }
    outside = std::max(outside, 0.0f);
    for (size_t p = 0; p < people; ++p) {
      shares[p] = std::log((std::max(shares[p], 0.0f) * even + ancestry::kEvenCentimorgans) /
                           (outside + ancestry::kEvenCentimorgans));
    }
  }
}

void Ancestry::EstimatePopulations(std::span<const CopyCandidates> haplotypes) {
  PopulationMixture mixture = EvenMixture();
  std::vector<float>& shares = population_log_shares_;
  for (int round = 0; round < ancestry::kCopyingRounds; ++round) {
    if (round > 0) CountCopied(haplotypes, shares);
    populations_.Update(people_, everywhere_, length_, ancestry::kMixtureRounds, mixture);
    populations_.Shares(people_, mixture, shares);
  }
  for (float& share : shares) share = std::log(share);
}

}  // namespace haplospin
