// The destination of output records: VCF text, BCF or BGEN.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "genotypes/variant_io/writing/sample_layout.h"
#include "genotypes/variant_io/writing/writer_state.h"

namespace haplospin {

inline constexpr uint16_t kNoProbability = UINT16_MAX;

// The values that are written for one record: rounded probabilities, called genotypes, and INFO fields. All of them are
// made from the same rounded probabilities, so that DS is the sum of HDS, and GT its arg-max unless DosageRecord::calls
// has other alleles.
struct OutputGenotypes {
  std::vector<uint16_t> probability;  // [haplotypes] ALT probability; kNoProbability where nothing is known
  std::vector<uint8_t> allele;        // [haplotypes] 0, 1, kMissingAllele
  std::optional<double> alt_frequency;
  std::optional<double> dr2;
  std::optional<double> er2;

  std::optional<double> MinorAlleleFrequency() const {
    return alt_frequency ? std::optional(std::min(*alt_frequency, 1 - *alt_frequency)) : std::nullopt;
  }

  // Overwrites all values with those of a record.
  void Assign(const DosageRecord& record);

  // Gives each sample of the file its values, after Assign(), people without genotypes included. Returns the record
  // with them; valid until the next.
  DosageRecord Arrange(const DosageRecord& record, const SampleLayout& layout);

  // Makes the alleles of samples missing where no genotype has a probability of `min_gp`, after Arrange().
  void KeepCertain(const SampleTable& samples, double min_gp);

  // Whether the two haplotypes of a sample are one, doubled.
  bool IsDoubled(size_t sample) const { return !is_doubled_.empty() && is_doubled_[sample]; }
  bool HasDoubled() const { return std::ranges::find(is_doubled_, true) != is_doubled_.end(); }

 private:
  void AddAnimals(const DosageRecord& record, size_t haplotypes);

  std::vector<float> exact_;
  std::vector<bool> is_doubled_;  // [samples], or empty
  std::vector<float> left_out_, phase_;
  std::vector<uint8_t> unphased_;
  std::vector<AlleleDepth> depths_;
};

// One ALT of a record that is written with several, and its values.
struct KeptAlt {
  DosageRecord record;
  OutputGenotypes values;
};

// The flag of INFO that tells where the genotypes of a record come from.
inline const char* OriginFlag(const DosageRecord& record) {
  return !record.in_panel ? "NOT_IN_PANEL" : record.IsImputed() ? "IMP" : "TYPED";
}

// P(no ALT), P(one ALT), P(two ALT) of two haplotypes, in units of 1 / kProbabilityOne; they sum to kProbabilityOne.
struct GenotypeProbabilities {
  uint32_t p[3];
};
inline GenotypeProbabilities CombineHaplotypes(uint32_t first, uint32_t second) {
  const auto product = [](uint32_t a, uint32_t b) { return (a * b + kProbabilityOne / 2) / kProbabilityOne; };
  const uint32_t none = product(kProbabilityOne - first, kProbabilityOne - second);
  const uint32_t two = product(first, second);
  return {{none, kProbabilityOne - none - two, two}};
}

// The same of a haplotype that is written twice, so that it cannot be heterozygous.
inline GenotypeProbabilities DoubledHaplotype(uint32_t p) { return {{kProbabilityOne - p, 0, p}}; }

// Counts the records of an output. Several threads may add to it: DR2 is summed as it is written, in units of 0.0001,
// so that the sum does not depend on their order.
class RecordCounts {
 public:
  // Imputed markers count for the mean of DR2 whether they are written or not.
  void Add(const DosageRecord& record, const OutputGenotypes& genotypes, bool is_written);

  size_t num_left_out() const { return num_left_out_; }
  MeanDr2 mean_dr2() const;

  void Save(WriterState& state) const;
  void Restore(const WriterState& state);

 private:
  std::atomic<size_t> num_left_out_ = 0;
  std::atomic<size_t> num_markers_ = 0;
  std::atomic<int64_t> dr2_ = 0;
};

// Appends a number with at most `decimals` decimals, trailing zeros dropped.
void AppendNumber(double value, int decimals, std::string& out);

// Returns an ID for each marker: many programs find variants by their IDs.
std::string MarkerId(const std::string& contig, const Marker& marker);

// The parameters of every sink. The header is used by the constructors alone; the other references must outlive the
// sink.
struct SinkSettings {
  OutputFile& output;
  OutputType type;  // resolved
  const VariantHeader& header;
  const SampleLayout& layout;  // samples and ploidy may change between blocks
  OutputFields fields;
  size_t num_blocks;
  RecordCounts& counts;
};

// Records are formatted in blocks, in parallel, which are then written in order. Write() and Close() throw InputError
// if the file cannot be written.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // Formats records into block `block` < the number of blocks; no other thread may use this block at the same time.
  virtual void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) = 0;
  virtual void Write(size_t block) = 0;
  virtual void Close() = 0;

 protected:
  explicit RecordSink(const SinkSettings& settings)
      : output_(settings.output),
        samples_(settings.layout.written()),
        fields_(settings.fields),
        type_(settings.type),
        counts_(settings.counts),
        layout_(settings.layout) {}

  // Counts all records, and calls append(record) for those that are to be written; `genotypes` has their values then.
  // For ALTs that are kept in one record, it calls append_kept(alts).
  template <typename Append, typename AppendKept>
  void ForEachWritten(std::span<const DosageRecord> records, OutputGenotypes& genotypes, const Append& append,
                      const AppendKept& append_kept) {
    for (size_t begin = 0, end; begin < records.size(); begin = end) {
      end = begin + 1;
      while (fields_.keeps_records && end < records.size() && records[end].continues) ++end;
      if (end > begin + 1) {
        const std::vector<KeptAlt> alts = TakeKept(records.subspan(begin, end - begin));
        if (!alts.empty()) append_kept(std::span(alts));
        continue;
      }
      const DosageRecord& record = records[begin];
      genotypes.Assign(record);
      const bool is_written = IsWritten(record, genotypes);
      counts_.Add(record, genotypes, is_written);
      if (!is_written) continue;
      const DosageRecord arranged = layout_.IsSame() ? record : genotypes.Arrange(record, layout_);
      if (fields_.min_gp > 0) genotypes.KeepCertain(samples_, fields_.min_gp);
      append(arranged);
    }
  }

  OutputFile& output_;
  const SampleTable& samples_;  // as written
  const OutputFields fields_;
  const OutputType type_;

 private:
  bool IsWritten(const DosageRecord& record, const OutputGenotypes& genotypes) const;

  // Counts the ALTs of a record, and returns them with their values, or none if no ALT is to be written.
  std::vector<KeptAlt> TakeKept(std::span<const DosageRecord> records) const;

  RecordCounts& counts_;
  const SampleLayout& layout_;
};

std::unique_ptr<RecordSink> MakeVcfSink(const SinkSettings& settings);
std::unique_ptr<RecordSink> MakeBcfSink(const SinkSettings& settings);
std::unique_ptr<RecordSink> MakeBgenSink(const SinkSettings& settings);

// Returns the text of the header.
std::string VcfHeader(const VariantHeader& header, const SampleTable& samples, const OutputFields& fields);

}  // namespace haplospin
