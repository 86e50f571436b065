#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/writing/bcf_bytes.h"
#include "genotypes/variant_io/writing/bgzf_blocks.h"
#include "genotypes/variant_io/writing/hts_output.h"
#include "genotypes/variant_io/writing/kept_record.h"
#include "genotypes/variant_io/writing/record_sink.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

float Special(uint32_t bits) {
  float value;
  bcf_float_set(&value, bits);
  return value;
}

float Missing() { return Special(bcf_float_missing); }
float End() { return Special(bcf_float_vector_end); }

float Decimal(uint32_t ten_thousandths) { return static_cast<float>(ten_thousandths / double{kProbabilityOne}); }

float DecimalIfKnown(uint16_t probability) { return probability == kNoProbability ? Missing() : Decimal(probability); }

float RoundedTo(double value, double steps) { return static_cast<float>(std::round(value * steps) / steps); }

// Holds the arrays of one thread's record while HTSlib packs them.
class BcfEncoder {
 public:
  BcfEncoder(const bcf_hdr_t* header, const SampleTable& samples, const OutputFields& fields)
      : header_(header), samples_(samples), fields_(fields) {}

  // Overwrites `out` with the record; the same values as in a line of VCF.
  void Encode(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out) {
    const Marker& marker = *record.marker;
    bcf_clear(out);
    out->rid = bcf_hdr_name2id(header_, contig.c_str());
    out->pos = marker.position - 1;
    bcf_float_set_missing(out->qual);
    HS_CHECK(bcf_update_id(header_, out, (fields_.sets_ids ? MarkerId(contig, marker) : marker.id).c_str()) == 0);
    const char* alleles[2] = {marker.ref.c_str(), marker.alt.c_str()};
    HS_CHECK(bcf_update_alleles(header_, out, alleles, marker.alt == "." ? 1 : 2) == 0);
    if (record.in_panel) {
      int pass = bcf_hdr_id2int(header_, BCF_DT_ID, "PASS");
      HS_CHECK(bcf_update_filter(header_, out, &pass, 1) == 0);
    }
    EncodeInfo(record, genotypes, out);
    if (fields_.sites_only) return;
    EncodeGenotypes(record, genotypes, out);
    if (marker.alt != ".") EncodeFields(record, genotypes, out);
    if (fields_.HasHaplotypeNumbers() && genotypes.HasDoubled()) EncodeHaplotypeNumbers(genotypes, out);
    if (fields_.ad && !record.depths.empty()) EncodeDepths(record, out);
  }

 private:
  void EncodeFields(const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out) {
    EncodeDosages(genotypes, out);
    if (!record.in_panel) return;
    if (fields_.gp) EncodePosteriors(genotypes, out);
    EncodeHaplotypes(genotypes, out);
    if (fields_.lds && !record.left_out.empty()) EncodeLeftOut(record, genotypes, out);
    if (fields_.pp && !record.phase.empty()) EncodePhase(record, out);
  }

  void EncodeInfo(const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out) {
    const auto add = [&](const char* key, const auto& value, double steps) {
      if (!value) return;
      const float number = RoundedTo(*value, steps);
      HS_CHECK(bcf_update_info_float(header_, out, key, &number, 1) == 0);
    };
    add("AF", genotypes.alt_frequency, 1e6);
    if (fields_.sites_only) add("MAF", genotypes.MinorAlleleFrequency(), 1e6);
    add("DR2", genotypes.dr2, 1e4);
    add("ER2", genotypes.er2, 1e4);
    add("R2P", record.panel_r2, 1e4);
    HS_CHECK(bcf_update_info_flag(header_, out, OriginFlag(record), nullptr, 1) == 0);
    UpdateInfo(record.marker->info, header_, out);
  }

  void EncodeGenotypes(const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out) {
    bool all_haploid = true;
    for (size_t s = 0; s < samples_.num_samples(); ++s) all_haploid = all_haploid && samples_.ploidy(s) == 1;
    const auto encoded = [&](size_t h, bool is_phased) {
      const uint8_t allele = genotypes.allele[h];
      const int32_t unphased = allele == kMissingAllele ? bcf_gt_missing : bcf_gt_unphased(allele);
      return is_phased ? unphased | 1 : unphased;
    };
    alleles_.clear();
    for (size_t s = 0; s < samples_.num_samples(); ++s) {
      const size_t h = samples_.first_haplotype[s];
      alleles_.push_back(encoded(h, false));
      const bool is_phased = record.unphased.empty() || record.unphased[s] == 0;
      if (!all_haploid) alleles_.push_back(samples_.ploidy(s) == 2 ? encoded(h + 1, is_phased) : bcf_int32_vector_end);
    }
    HS_CHECK(bcf_update_genotypes(header_, out, alleles_.data(), static_cast<int>(alleles_.size())) == 0);
  }

  void EncodeDosages(const OutputGenotypes& genotypes, bcf1_t* out) {
    floats_.clear();
    for (size_t s = 0; s < samples_.num_samples(); ++s) {
      uint32_t dosage = 0;
      bool is_known = true;
      for (size_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h) {
        is_known = is_known && genotypes.probability[h] != kNoProbability;
        dosage += genotypes.probability[h];
      }
      floats_.push_back(is_known ? Decimal(dosage) : Missing());
    }
    UpdateFloats("DS", out);
  }

  void EncodePosteriors(const OutputGenotypes& genotypes, bcf1_t* out) {
    floats_.clear();
    for (size_t s = 0; s < samples_.num_samples(); ++s) {
      const uint16_t* probability = &genotypes.probability[samples_.first_haplotype[s]];
      if (probability[0] == kNoProbability) {
        floats_.insert(floats_.end(), {Missing(), End(), End()});
      } else if (samples_.ploidy(s) == 2) {
        const auto posteriors = genotypes.IsDoubled(s) ? DoubledHaplotype(probability[0])
                                                       : CombineHaplotypes(probability[0], probability[1]);
        for (const uint32_t p : posteriors.p) floats_.push_back(Decimal(p));
      } else {
        floats_.push_back(Decimal(kProbabilityOne - probability[0]));
        floats_.push_back(Decimal(probability[0]));
        floats_.push_back(End());
      }
    }
    UpdateFloats("GP", out);
  }

  void EncodeHaplotypes(const OutputGenotypes& genotypes, bcf1_t* out) {
    const auto haplotype = [&](size_t s, size_t copy, float absent) {
      const size_t h = samples_.first_haplotype[s] + copy;
      return h < samples_.first_haplotype[s + 1] ? DecimalIfKnown(genotypes.probability[h]) : absent;
    };
    if (fields_.hds) {
      floats_.clear();
      for (size_t s = 0; s < samples_.num_samples(); ++s) {
        floats_.push_back(haplotype(s, 0, Missing()));
        floats_.push_back(haplotype(s, 1, End()));
      }
      UpdateFloats("HDS", out);
    }
    for (size_t copy = 0; fields_.ap && copy < 2; ++copy) {
      floats_.clear();
      for (size_t s = 0; s < samples_.num_samples(); ++s) floats_.push_back(haplotype(s, copy, Missing()));
      UpdateFloats(copy == 0 ? "AP1" : "AP2", out);
    }
  }

  void EncodeLeftOut(const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out) {
    floats_.clear();
    for (size_t s = 0; s < samples_.num_samples(); ++s) {
      for (size_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h) {
        const bool is_known = genotypes.probability[h] != kNoProbability;
        floats_.push_back(is_known ? Decimal(QuantizeProbability(record.left_out[h], kProbabilityOne)) : Missing());
      }
      if (samples_.ploidy(s) == 1) floats_.push_back(End());
    }
    UpdateFloats("LDS", out);
  }

  void EncodePhase(const DosageRecord& record, bcf1_t* out) {
    floats_.clear();
    for (const float p : record.phase) {
      floats_.push_back(p == 0 ? Missing() : Decimal(QuantizeProbability(p, kProbabilityOne)));
    }
    UpdateFloats("PPH", out);
  }

  void EncodeHaplotypeNumbers(const OutputGenotypes& genotypes, bcf1_t* out) {
    std::vector<int32_t> numbers;
    for (size_t s = 0; s < samples_.num_samples(); ++s) numbers.push_back(genotypes.IsDoubled(s) ? 1 : 2);
    HS_CHECK(bcf_update_format_int32(header_, out, "HN", numbers.data(), static_cast<int>(numbers.size())) == 0);
  }

  void EncodeDepths(const DosageRecord& record, bcf1_t* out) {
    std::vector<int32_t> numbers;
    for (const AlleleDepth& depth : record.depths) {
      numbers.insert(numbers.end(), {static_cast<int32_t>(depth.ref), static_cast<int32_t>(depth.alt)});
    }
    HS_CHECK(bcf_update_format_int32(header_, out, "AD", numbers.data(), static_cast<int>(numbers.size())) == 0);
  }

  void UpdateFloats(const char* key, bcf1_t* out) {
    HS_CHECK(bcf_update_format_float(header_, out, key, floats_.data(), static_cast<int>(floats_.size())) == 0);
  }

  const bcf_hdr_t* header_;
  const SampleTable& samples_;
  OutputFields fields_;
  std::vector<int32_t> alleles_;
  std::vector<float> floats_;
};

class BcfSink : public RecordSink {
 public:
  explicit BcfSink(const SinkSettings& settings)
      : RecordSink(settings),
        described_(settings.header.described),
        header_(ParseHeader(VcfHeader(settings.header, samples_, fields_))),
        blocks_(settings.num_blocks),
        scratch_([this] {
          // HTSlib parses the lines of kept records in memory of their header.
          return Scratch{{}, BcfEncoder(header_.get(), samples_, fields_), BcfHeaderHandle(bcf_hdr_dup(header_.get()))};
        }) {
    std::string bytes, block;
    AppendBcfHeader(header_.get(), bytes);
    Encode(bytes, block);
    output_.Write(block);
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Scratch& scratch = scratch_.local();
    scratch.bytes.clear();
    ForEachWritten(
        records, scratch.genotypes,
        [&](const DosageRecord& record) {
          scratch.encoder.Encode(contig, record, scratch.genotypes, scratch.record.get());
          HS_CHECK(bcf_copy(scratch.packed.get(), scratch.record.get()) != nullptr);  // which packs it
          AppendBcfRecord(*scratch.packed, scratch.bytes);
        },
        [&](std::span<const KeptAlt> alts) { AppendKept(contig, alts, scratch); });
    Encode(scratch.bytes, blocks_[block]);
  }

  void Write(size_t block) override { output_.Write(blocks_[block]); }

  void Close() override {
    if (type_ == OutputType::kBcf) output_.Write(kEndBlock);
  }

 private:
  struct Scratch {
    OutputGenotypes genotypes;
    BcfEncoder encoder;
    BcfHeaderHandle header;  // of this thread
    BcfRecordHandle record{bcf_init()}, packed{bcf_init()};
    std::string bytes;
  };

  void AppendKept(const std::string& contig, std::span<const KeptAlt> alts, Scratch& scratch) const {
    std::string line;
    AppendKeptLine(contig, alts, samples_, fields_, described_, line);
    line.pop_back();
    kstring_t text{line.size(), line.size() + 1, line.data()};  // lent to HTSlib, which neither grows nor frees it
    HS_CHECK(vcf_parse(&text, scratch.header.get(), scratch.packed.get()) == 0);
    AppendBcfRecord(*scratch.packed, scratch.bytes);
  }

  void Encode(const std::string& bytes, std::string& block) const {
    if (type_ == OutputType::kBcf) {
      CompressBlocks(bytes, block);
    } else {
      block = bytes;
    }
  }

  const DescribedInfo described_;
  BcfHeaderHandle header_;
  std::vector<std::string> blocks_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<RecordSink> MakeBcfSink(const SinkSettings& settings) { return std::make_unique<BcfSink>(settings); }

}  // namespace haplospin
