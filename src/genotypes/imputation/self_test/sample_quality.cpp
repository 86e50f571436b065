#include "genotypes/imputation/self_test/sample_quality.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

// From so many known genotypes on without a heterozygote, a sample is of an inbred line.
constexpr double kManyTyped = 20;

// Where the likelihood of a mismatch is expanded: about that of a study that is not clean.
constexpr double kNearMismatch = 0.05;
constexpr double kLeastLikely = 1e-9;

}  // namespace

ExpectedGenotype Expect(std::span<const float> haplotype_probabilities) {
  ExpectedGenotype expected;
  for (const float p : haplotype_probabilities) {
    expected.dosage += p;
    expected.variance += p * (1.0 - p);
  }
  return expected;
}

void SampleQuality::AddImputed(const ExpectedGenotype& imputed) {
  ++imputed_;
  sum_ += imputed.dosage;
  squares_ += imputed.dosage * imputed.dosage;
  variance_ += imputed.variance;
}

void SampleQuality::AddTyped(const ExpectedGenotype& left_out, double truth) {
  typed_.Add(left_out.dosage, truth);
  concordant_ += std::lround(left_out.dosage) == std::lround(truth);
  hets_ += truth == 1;
  expected_error_ += left_out.variance;
}

void SampleQuality::AddHeldOut(double imputed, double by_frequency) {
  const double ratio = by_frequency / std::max(imputed, kLeastLikely);
  const double score = (ratio - 1) / (1 - kNearMismatch + kNearMismatch * ratio);
  ++held_out_;
  score_ += score;
  information_ += score * score;
}

double SampleQuality::Mismatch() const {
  return information_ > 0 ? std::clamp(kNearMismatch + score_ / information_, 0.0, 1.0) : kUndefined;
}

SampleQuality& SampleQuality::operator+=(const SampleQuality& other) {
  imputed_ += other.imputed_;
  sum_ += other.sum_;
  squares_ += other.squares_;
  variance_ += other.variance_;
  typed_ += other.typed_;
  concordant_ += other.concordant_;
  hets_ += other.hets_;
  expected_error_ += other.expected_error_;
  held_out_ += other.held_out_;
  score_ += other.score_;
  information_ += other.information_;
  return *this;
}

double SampleQuality::MismatchError() const { return information_ > 0 ? 1 / std::sqrt(information_) : kUndefined; }

double SampleQuality::TypedConcordance() const {
  return typed_.n > 0 ? static_cast<double>(concordant_) / typed_.n : kUndefined;
}

double SampleQuality::ErrorRatio() const {
  return expected_error_ > 0 ? typed_.squared_error / expected_error_ : kUndefined;
}

double SampleQuality::EstimatedR2() const {
  const auto n = static_cast<double>(imputed_);
  const double mean = sum_ / n, varying = squares_ / n - mean * mean;
  const double inbred = typed_.n >= kManyTyped && hets_ == 0 ? 2 : 1;
  const double error = inbred * variance_ / n;
  return varying + error > 0 ? varying / (varying + error) : kUndefined;
}

}  // namespace haplospin
