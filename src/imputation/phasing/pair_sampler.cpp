#include "imputation/phasing/pair_sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_kernels.h"
#include "imputation/phasing/pair_kernels.h"

namespace haplospin {

void PairSampler::Start(const CopiedHaplotypes& copied, const CopyingModel& model, DiploidSample& sample) {
  HS_ASSERT(copied.size > 0 && sample.alleles[0].size() == model.switch_probability.size() + 1);
  copied_ = copied;
  model_ = &model;
  sample_ = &sample;
  stored_.resize(2 * sample.hets.size() * copied.size);
  for (size_t c = 0; c < 2; ++c) {
    state_[c].resize(copied.size);
    arrived_[c].resize(copied.size);
  }
  StoreHomozygousMessages();
  forward_ = true;
}

// The backward probabilities given the homozygous markers alone are the same for both haplotypes.
void PairSampler::StoreHomozygousMessages() {
  const float even = 1.0f / static_cast<float>(copied_.size);
  std::ranges::fill(state_[0], even);
  sum_[0] = 1;
  const size_t m = sample_->alleles[0].size();
  size_t het = sample_->hets.size();
  for (size_t j = m; j-- > 0;) {
    const float switching = j + 1 == m ? 0.0f : model_->switch_probability[j];
    const bool is_het = het > 0 && sample_->hets[het - 1] == j;
    Pass(j, 0, switching, is_het ? kMissingAllele : sample_->alleles[0][j]);
    if (!is_het) continue;
    --het;
    for (size_t c = 0; c < 2; ++c) std::copy(state_[0].begin(), state_[0].end(), Stored(het, c));
  }
}

// Moves the state of haplotype c to marker j and past its allele.
void PairSampler::Pass(size_t j, size_t c, float switching, uint8_t allele) {
  const float keep = (1 - switching) / sum_[c];
  const float jump = switching / static_cast<float>(copied_.size);
  float* state = state_[c].data();
  if (allele == kMissingAllele) {
    sum_[c] = RunCopyStepWithoutAllele(keep, jump, copied_.size, state, state);
  } else {
    const float mismatch = model_->mismatch_probability;
    sum_[c] =
        RunCopyStep({keep, jump, 1 - mismatch, mismatch}, copied_.at(j), allele == 1, copied_.size, state, state);
  }
}

void PairSampler::Arrive(float switching) {
  for (size_t c = 0; c < 2; ++c) {
    RunCopyStepWithoutAllele((1 - switching) / sum_[c], switching / static_cast<float>(copied_.size), copied_.size,
                             state_[c].data(), arrived_[c].data());
  }
}

PairSampler::Turn PairSampler::Choose(size_t het, bool swapped, double sharpness, RandomStream& random) const {
  const size_t j = sample_->hets[het];
  const float* const behind[2] = {arrived_[0].data(), arrived_[1].data()};
  const float* const ahead[2] = {Stored(het, swapped), Stored(het, !swapped)};
  const ContinuationSums sums = SumContinuations(copied_.at(j), copied_.size, behind, ahead);
  const auto probability = [&](size_t c, size_t d, int allele) {
    const double mismatch = model_->mismatch_probability;
    return (1 - mismatch) * sums.sum[c][d][allele] + mismatch * sums.sum[c][d][1 - allele];
  };

  const size_t boundary = forward_ ? het : het - 1;  // of the haplotypes ahead; none before the first heterozygote
  const bool can_swap = (forward_ ? het + 1 < sample_->hets.size() : het > 0) && sample_->can_switch_after[boundary];
  double weight[2][2] = {};
  for (int flip = 0; flip <= sample_->can_flip[het]; ++flip) {
    const int allele = sample_->alleles[0][j] ^ flip;
    for (int swap = 0; swap <= can_swap; ++swap) {
      weight[flip][swap] =
          probability(0, static_cast<size_t>(swap), allele) * probability(1, static_cast<size_t>(!swap), 1 - allele);
    }
  }
  const double total = weight[0][0] + weight[0][1] + weight[1][0] + weight[1][1];
  Turn turn;
  if (!(total > 0)) return turn;  // every product underflowed: leave it as it is
  turn.flip_probability = (weight[1][0] + weight[1][1]) / total;
  if (std::isinf(sharpness)) {
    double best = weight[0][0];
    for (int k = 1; k < 4; ++k) {
      if (weight[k / 2][k % 2] <= best) continue;
      best = weight[k / 2][k % 2];
      turn.flip = k / 2 == 1;
      turn.swap = k % 2 == 1;
    }
    return turn;
  }
  double powers[4], sum = 0;
  for (int k = 0; k < 4; ++k) sum += powers[k] = std::pow(weight[k / 2][k % 2] / total, sharpness);
  double draw = random.Uniform() * sum;
  int k = 0;
  while (k < 3 && draw >= powers[k]) draw -= powers[k++];
  turn.flip = k / 2 == 1;
  turn.swap = k % 2 == 1;
  return turn;
}

void PairSampler::Sweep(double sharpness, RandomStream& random, std::span<float> cis_probability) {
  DiploidSample& sample = *sample_;
  const size_t m = sample.alleles[0].size();
  const size_t num_hets = sample.hets.size();
  for (size_t c = 0; c < 2; ++c) {
    std::ranges::fill(state_[c], 1.0f / static_cast<float>(copied_.size));
    sum_[c] = 1;
  }
  bool swapped = false;
  size_t seen = 0;
  for (size_t k = 0; k < m; ++k) {
    const size_t j = forward_ ? k : m - 1 - k;
    const float switching = k == 0 ? 0.0f : model_->switch_probability[forward_ ? j - 1 : j];
    uint8_t& first = sample.alleles[0][j];
    uint8_t& second = sample.alleles[1][j];
    if (swapped) std::swap(first, second);
    const size_t het = forward_ ? seen : num_hets - 1 - seen;
    if (seen == num_hets || sample.hets[het] != j) {
      for (size_t c = 0; c < 2; ++c) Pass(j, c, switching, sample.alleles[c][j]);
      continue;
    }
    Arrive(switching);
    const Turn turn = Choose(het, swapped, sharpness, random);
    if (!cis_probability.empty() && seen > 0) {
      const size_t previous = forward_ ? het - 1 : het + 1;
      const bool is_cis = first == sample.alleles[0][sample.hets[previous]];
      cis_probability[std::max(het, previous)] =
          static_cast<float>(is_cis ? 1 - turn.flip_probability : turn.flip_probability);
    }
    if (turn.flip) std::swap(first, second);
    swapped ^= turn.swap;
    for (size_t c = 0; c < 2; ++c) {
      std::copy(arrived_[c].begin(), arrived_[c].end(), Stored(het, c));
      Pass(j, c, switching, sample.alleles[c][j]);
    }
    ++seen;
  }
  forward_ = !forward_;
}

}  // namespace haplospin
