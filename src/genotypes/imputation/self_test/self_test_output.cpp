#include "genotypes/imputation/self_test/self_test_output.h"

#include <algorithm>
#include <numeric>

#include "genotypes/genomics/dosage_r2.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A record, and which of its alleles is the minor one.
struct OrientedRecord {
  const DosageRecord& record;
  bool minor_is_ref;

  ExpectedGenotype Oriented(ExpectedGenotype alt, size_t ploidy) const {
    if (minor_is_ref) alt.dosage = static_cast<double>(ploidy) - alt.dosage;
    return alt;
  }
};

// The haplotypes of a sample.
struct OwnHaplotypes {
  size_t begin, size;

  template <typename T>
  std::span<const T> Of(std::span<const T> haplotypes) const {
    return haplotypes.subspan(begin, size);
  }
};

// Adds what is known of a genotype to a sum.
void AddKnown(const OrientedRecord& oriented, OwnHaplotypes own, SampleQuality& quality) {
  const DosageRecord& record = oriented.record;
  if (record.left_out.empty()) return;
  const std::span<const uint8_t> alleles = own.Of(record.typed_alleles);
  const double alt = std::accumulate(alleles.begin(), alleles.end(), 0.0);
  const double truth = oriented.minor_is_ref ? static_cast<double>(own.size) - alt : alt;
  quality.AddTyped(oriented.Oriented(Expect(own.Of(record.left_out)), own.size), truth);
}

void AddGenotype(const OrientedRecord& oriented, OwnHaplotypes own, SampleQuality& quality) {
  const DosageRecord& record = oriented.record;
  const bool is_typed = !record.IsImputed() && !HasMissing(own.Of(record.typed_alleles));
  if (is_typed) return AddKnown(oriented, own, quality);
  quality.AddImputed(oriented.Oriented(Expect(own.Of(record.dosages)), own.size));
}

}  // namespace

double AltFrequencyOf(const DosageRecord& record) {
  if (record.panel_frequency) return *record.panel_frequency;
  return std::accumulate(record.dosages.begin(), record.dosages.end(), 0.0) /
         static_cast<double>(record.dosages.size());
}

// The parts of a contig may have different samples.
void SelfTestOutput::SetPloidy(const SampleTable& samples) {
  EndPart();
  samples_ = samples;
  sums_.assign(samples.num_samples(), {});
  ForwardingOutput::SetPloidy(samples);
}

void SelfTestOutput::Write(const std::string& contig, std::span<const DosageRecord> records) {
  if (contig != contig_) {
    EndPart();
    contig_ = contig;
  }
  for (const DosageRecord& record : records) {
    if (record.in_panel && !record.dosages.empty()) Add(record);
  }
  ForwardingOutput::Write(contig, records);
}

void SelfTestOutput::Add(const DosageRecord& record) {
  const double frequency = AltFrequencyOf(record);
  const OrientedRecord oriented{record, frequency > 0.5};
  ForEachBin(frequency, [&](size_t bin) {
    for (size_t s = 0; s < sums_.size(); ++s) {
      const size_t begin = samples_.first_haplotype[s];
      AddGenotype(oriented, {begin, samples_.first_haplotype[s + 1] - begin}, sums_[s][bin]);
    }
  });
}

void SelfTestOutput::EndPart() {
  if (contig_.empty()) return;
  test_.Add(contig_, samples_.names, sums_);
  sums_.assign(sums_.size(), {});
}

void SelfTestOutput::Finish(IndexType index) {
  EndPart();
  ForwardingOutput::Finish(index);
}

}  // namespace haplospin
