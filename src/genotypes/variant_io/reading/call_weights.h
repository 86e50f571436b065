// How certain genotypes are that were called without a likelihood, as GLnexus writes 0/0 without PL.
#pragma once

#include <htslib/vcf.h>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/variant_io/reading/genotype_calls.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"

namespace haplospin {

class RecordSource;

// Phred-scaled likelihoods of genotypes that were not called, relative to the one that was.
struct CallPhreds {
  double one = 0, two = 0;  // one and two alleles away from a homozygote
  double heterozygote = 0;  // a homozygote, where a heterozygote was called
};

// Returns what homozygotes and heterozygotes that were called have as likelihoods in the first records of a source,
// which has those that it has read: the logarithm of the mean probability. Homozygotes are those of REF or, if there
// are few, of ALT too. Without any, they are calls of one read.
CallPhreds MeasureCallPhreds(RecordSource& source);

class CallWeights {
 public:
  // `measure` is called once, when a call has neither depth nor quality.
  explicit CallWeights(std::function<CallPhreds()> measure) : measure_(std::move(measure)) {}

  // Gives likelihoods to the calls of samples without values: those of as many reads of the called alleles as DP tells
  // or, where it is missing, by the phred-scaled probability GQ that the call is wrong, or else those that other calls
  // of the file have. `depths` and `qualities` are by sample, NaN where missing, or empty. Counts them in `decoded`.
  // Several threads may call it.
  void Weigh(const GenotypeCalls& calls, std::span<const float> depths, std::span<const float> qualities,
             DecodedLikelihoods& decoded) const;

 private:
  const CallPhreds& OfOthers() const;

  const std::function<CallPhreds()> measure_;
  mutable std::once_flag is_measured_;
  mutable CallPhreds others_;
};

// The first number of a FORMAT field of each sample, NaN where it is missing or is none. `field_index` is its place in
// FORMAT.
std::vector<float> ParseSampleNumbers(std::string_view columns, size_t field_index, size_t num_samples);
std::vector<float> DecodeSampleNumbers(const bcf_fmt_t& values, size_t num_samples);

}  // namespace haplospin
