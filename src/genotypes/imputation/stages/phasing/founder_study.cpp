#include "genotypes/imputation/stages/phasing/founder_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace haplospin {
namespace {

// The genotype of a sample, whether the order of its alleles is unknown, and its phase set.
struct OrderedGenotype {
  std::array<uint8_t, 2> alleles;
  bool is_unphased = false;
  uint32_t set = 0;
};

OrderedGenotype InferredGenotype(const InferredHaplotypes& inferred, size_t j) {
  return {{inferred.alleles[0][j], inferred.alleles[1][j]}, false, inferred.set[j]};
}

OrderedGenotype Order(const WindowStudy& study, size_t j, const Founder& founder) {
  const std::span<const uint8_t> known = study.Genotype(j, *founder.sample);
  const OrderedGenotype inferred = InferredGenotype(*founder.inferred, j);
  const size_t alts = size_t{inferred.alleles[0]} + inferred.alleles[1];
  if (!HasMissing(inferred.alleles) && (HasMissing(known) || alts == size_t{known[0]} + known[1])) return inferred;
  return {{known[0], known[1]}, !HasMissing(known) && known[0] != known[1]};
}

// Sets what was inferred of a founder at a marker; its first sample is `sample`.
void SetInferred(const WindowStudy& study, size_t j, const Founder& founder, size_t sample, StudyBuilder& builder) {
  const OrderedGenotype genotype = founder.sample ? Order(study, j, founder) : InferredGenotype(*founder.inferred, j);
  const size_t haplotypes = founder.sample ? 2 : founder.haplotypes;
  GenotypeRow& row = builder.row(j);
  std::copy_n(genotype.alleles.begin(), haplotypes, &row.alleles[builder.samples().first_haplotype[sample]]);
  if (!founder.sample) return;
  builder.SetPhase(row, sample, genotype.is_unphased, genotype.set);
}

}  // namespace

FounderStudy::FounderStudy(const WindowStudy& study, std::span<const Founder> founders) {
  for (size_t k = 0; k < founders.size(); ++k) {
    first_sample_.push_back(builder_.samples().num_samples());
    if (founders[k].sample) {
      builder_.Add(study, *founders[k].sample);
    } else {
      for (size_t c = 0; c < founders[k].haplotypes; ++c) builder_.Add(fmt::format("founder {} haplotype {}", k, c), 1);
    }
  }
  builder_.AddMarkers(study.typed());
  for (size_t j = 0; j < study.num_typed(); ++j) {
    for (size_t k = 0; k < founders.size(); ++k) {
      if (founders[k].inferred) SetInferred(study, j, founders[k], first_sample_[k], builder_);
    }
  }
  study_.emplace(builder_.View());
}

}  // namespace haplospin
