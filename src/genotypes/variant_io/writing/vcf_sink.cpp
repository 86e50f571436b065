#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/writing/bgzf_blocks.h"
#include "genotypes/variant_io/writing/dosage_texts.h"
#include "genotypes/variant_io/writing/kept_record.h"
#include "genotypes/variant_io/writing/record_sink.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kMaxSampleColumn = 128;  // characters, the bytes beyond the last number included

char* Append(char character, char* out) {
  *out = character;
  return out + 1;
}

// Writes the columns of the samples; `out` has room for kMaxSampleColumn characters a sample.
class SampleColumns {
 public:
  SampleColumns(bool has_dosage, const OutputFields& fields)
      : has_dosage_(has_dosage), fields_(fields), texts_(DosageTexts::Get()) {}

  // `left_out` and `phase` are null where the record does not have them.
  char* AppendDiploid(const uint16_t* probability, const uint8_t* allele, bool is_doubled, char separator,
                      const float* left_out, const float* phase, char* out) const {
    out = AppendAllele(allele[0], Append('\t', out));
    out = AppendAllele(allele[1], Append(separator, out));
    if (!has_dosage_) return out;
    out = Append(':', out);
    if (probability[0] == kNoProbability || probability[1] == kNoProbability) {
      return AppendMissing(left_out != nullptr, phase != nullptr, out);
    }
    const uint32_t both[2] = {probability[0], probability[1]};
    out = texts_.Append(both[0] + both[1], out);
    if (fields_.gp) {
      const auto posteriors = is_doubled ? DoubledHaplotype(both[0]) : CombineHaplotypes(both[0], both[1]);
      out = AppendList(posteriors.p, 3, Append(':', out));
    }
    if (fields_.hds) out = AppendList(both, 2, Append(':', out));
    if (fields_.ap) {
      out = texts_.Append(both[0], Append(':', out));
      out = texts_.Append(both[1], Append(':', out));
    }
    if (left_out != nullptr) out = AppendLeftOut(left_out, 2, out);
    if (phase == nullptr) return out;
    out = Append(':', out);
    return *phase == 0 ? Append('.', out) : texts_.Append(QuantizeProbability(*phase, kProbabilityOne), out);
  }

  char* AppendHaploid(uint16_t probability, uint8_t allele, const float* left_out, char* out) const {
    out = AppendAllele(allele, Append('\t', out));
    if (!has_dosage_) return out;
    out = Append(':', out);
    if (probability == kNoProbability) return AppendMissing(left_out != nullptr, false, out);
    out = texts_.Append(probability, out);
    if (fields_.gp) {
      const uint32_t both[2] = {kProbabilityOne - probability, probability};
      out = AppendList(both, 2, Append(':', out));
    }
    if (fields_.hds) out = texts_.Append(probability, Append(':', out));
    if (fields_.ap) {
      out = texts_.Append(probability, Append(':', out));
      out = Append('.', Append(':', out));
    }
    if (left_out != nullptr) out = AppendLeftOut(left_out, 1, out);
    return out;
  }

 private:
  // Writes "." for DS and each of the numbers after it.
  char* AppendMissing(bool has_left_out, bool has_phase, char* out) const {
    const int numbers = (fields_.gp ? 1 : 0) + (fields_.hds ? 1 : 0) + (fields_.ap ? 2 : 0) + (has_left_out ? 1 : 0) +
                        (has_phase ? 1 : 0);
    out = Append('.', out);
    for (int i = 0; i < numbers; ++i) out = Append('.', Append(':', out));
    return out;
  }

  static char* AppendAllele(uint8_t allele, char* out) { return Append("01."[allele], out); }

  char* AppendList(const uint32_t* numbers, size_t count, char* out) const {
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) out = Append(',', out);
      out = texts_.Append(numbers[i], out);
    }
    return out;
  }

  char* AppendLeftOut(const float* probabilities, size_t count, char* out) const {
    uint32_t numbers[2];
    for (size_t i = 0; i < count; ++i) numbers[i] = QuantizeProbability(probabilities[i], kProbabilityOne);
    return AppendList(numbers, count, Append(':', out));
  }

  bool has_dosage_;
  OutputFields fields_;
  const DosageTexts& texts_;
};

void AppendInfo(const DosageRecord& record, const OutputGenotypes& genotypes, bool has_maf, std::string& out) {
  const auto append = [&](const char* key, const auto& value, int decimals) {
    if (!value) return;
    out += key;
    AppendNumber(*value, decimals, out);
    out += ';';
  };
  append("AF=", genotypes.alt_frequency, 6);
  if (has_maf) append("MAF=", genotypes.MinorAlleleFrequency(), 6);
  append("DR2=", genotypes.dr2, 4);
  append("ER2=", genotypes.er2, 4);
  append("R2P=", record.panel_r2, 4);
  out += OriginFlag(record);
  if (!record.marker->info.empty()) out += ';' + record.marker->info;
}

// The lines of the header that declare INFO and FORMAT.
std::string DeclaredFields(const OutputFields& fields) {
  std::string text =
      "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Mean ALT probability of the study's haplotypes\">\n"
      "##INFO=<ID=DR2,Number=A,Type=Float,Description=\"Estimated squared correlation of imputed and true alleles: "
      "variance of the haplotypes' ALT probabilities over AF*(1-AF)\">\n"
      "##INFO=<ID=ER2,Number=1,Type=Float,Description=\"Squared correlation of a typed marker's alleles with what they "
      "are imputed as when left out\">\n"
      "##INFO=<ID=END,Number=1,Type=Integer,Description=\"Last position of a symbolic ALT allele\">\n"
      "##INFO=<ID=SVLEN,Number=A,Type=Integer,Description=\"Length of a symbolic ALT allele\">\n"
      "##INFO=<ID=IMP,Number=0,Type=Flag,Description=\"Imputed marker, whether there are reads at it or not\">\n"
      "##INFO=<ID=TYPED,Number=0,Type=Flag,Description=\"Marker typed in the study: genotypes as given, missing ones "
      "imputed\">\n"
      "##INFO=<ID=NOT_IN_PANEL,Number=0,Type=Flag,Description=\"Study marker that the panel lacks: genotypes as given, "
      "DS "
      "counts their ALT alleles, nothing imputed\">\n";
  const auto declare = [&](bool is_written, const char* lines) {
    if (is_written) text += lines;
  };
  declare(
      fields.r2p,
      "##INFO=<ID=R2P,Number=A,Type=Float,Description=\"Expected squared correlation of imputed and true alleles, "
      "whoever is imputed: that of the panel's own samples, imputed from the others at the sites of the array\">\n");
  if (fields.sites_only) {
    return text + "##INFO=<ID=MAF,Number=1,Type=Float,Description=\"AF or 1 - AF, whichever is smaller\">\n";
  }
  text +=
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Phased genotype: the more probable allele of each "
      "haplotype\">\n"
      "##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"Expected number of ALT alleles\">\n";
  declare(fields.gp, "##FORMAT=<ID=GP,Number=G,Type=Float,Description=\"Probability of each unphased genotype\">\n");
  declare(fields.hds, "##FORMAT=<ID=HDS,Number=.,Type=Float,Description=\"ALT probability of each haplotype\">\n");
  declare(fields.ap,
          "##FORMAT=<ID=AP1,Number=A,Type=Float,Description=\"ALT probability of the first haplotype\">\n"
          "##FORMAT=<ID=AP2,Number=A,Type=Float,Description=\"ALT probability of the second haplotype\">\n");
  declare(fields.HasHaplotypeNumbers(),
          "##FORMAT=<ID=HN,Number=1,Type=Integer,Description=\"Number of haplotypes that the genotype is of: 1 where a "
          "haploid sample is written as diploid\">\n");
  declare(
      fields.lds,
      "##FORMAT=<ID=LDS,Number=.,Type=Float,Description=\"Leave-one-out dosage: ALT probability of each haplotype as "
      "if the site were not typed\">\n");
  declare(fields.ad, "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Reads that show each allele\">\n");
  declare(
      fields.pp,
      "##FORMAT=<ID=PPH,Number=1,Type=Float,Description=\"Probability of the phase of a heterozygote relative to the "
      "heterozygote before it, where the study does not give it\">\n");
  return text;
}

// Appends the line of a record.
void AppendVcfLine(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
                   const SampleTable& samples, OutputFields fields, std::string& out) {
  const Marker& marker = *record.marker;
  fmt::format_to(std::back_inserter(out), "{}\t{}\t{}\t{}\t{}\t.\t{}\t", contig, marker.position,
                 fields.sets_ids ? MarkerId(contig, marker) : marker.id, marker.ref, marker.alt,
                 record.in_panel ? "PASS" : ".");
  AppendInfo(record, genotypes, fields.sites_only, out);
  if (fields.sites_only) {
    out += '\n';
    return;
  }
  const bool has_dosage = marker.alt != ".", has_numbers = fields.HasHaplotypeNumbers() && genotypes.HasDoubled();
  if (!record.in_panel) fields = {};
  out += has_dosage ? "\tGT:DS" : "\tGT";
  if (fields.gp) out += ":GP";
  if (fields.hds) out += ":HDS";
  if (fields.ap) out += ":AP1:AP2";
  const bool has_left_out = fields.lds && !record.left_out.empty();
  if (has_left_out) out += ":LDS";
  const bool has_phase = fields.pp && !record.phase.empty();
  if (has_phase) out += ":PPH";
  if (has_numbers) out += ":HN";
  const bool has_depths = fields.ad && !record.depths.empty();
  if (has_depths) out += ":AD";

  const SampleColumns columns(has_dosage, fields);
  const size_t begin = out.size();
  out.resize(begin + kMaxSampleColumn * samples.num_samples() + 1);
  char* at = out.data() + begin;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const size_t h = samples.first_haplotype[s];
    const char separator = !record.unphased.empty() && record.unphased[s] != 0 ? '/' : '|';
    const float* left_out = has_left_out ? &record.left_out[h] : nullptr;
    const float* phase = has_phase ? &record.phase[s] : nullptr;
    at = samples.ploidy(s) == 1 ? columns.AppendHaploid(genotypes.probability[h], genotypes.allele[h], left_out, at)
                                : columns.AppendDiploid(&genotypes.probability[h], &genotypes.allele[h],
                                                        genotypes.IsDoubled(s), separator, left_out, phase, at);
    if (has_numbers) at = Append(genotypes.IsDoubled(s) ? '1' : '2', Append(':', at));
    if (has_depths) at = fmt::format_to(at, ":{},{}", record.depths[s].ref, record.depths[s].alt);
  }
  at = Append('\n', at);
  out.resize(static_cast<size_t>(at - out.data()));
}

class VcfSink : public RecordSink {
 public:
  explicit VcfSink(const SinkSettings& settings)
      : RecordSink(settings),
        described_(settings.header.described),
        is_compressed_(settings.type == OutputType::kVcfGz),
        blocks_(settings.num_blocks) {
    std::string bytes;
    Encode(VcfHeader(settings.header, samples_, fields_), bytes);
    output_.Write(bytes);
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Scratch& scratch = scratch_.local();
    scratch.text.clear();
    ForEachWritten(
        records, scratch.genotypes,
        [&](const DosageRecord& record) {
          AppendVcfLine(contig, record, scratch.genotypes, samples_, fields_, scratch.text);
        },
        [&](std::span<const KeptAlt> alts) {
          AppendKeptLine(contig, alts, samples_, fields_, described_, scratch.text);
        });
    Encode(scratch.text, blocks_[block]);
  }

  void Write(size_t block) override { output_.Write(blocks_[block]); }

  void Close() override {
    if (is_compressed_) output_.Write(kEndBlock);
  }

 private:
  struct Scratch {
    OutputGenotypes genotypes;
    std::string text;
  };

  void Encode(std::string_view text, std::string& bytes) const {
    if (is_compressed_) {
      CompressBlocks(text, bytes);
    } else {
      bytes = text;
    }
  }

  const DescribedInfo described_;
  const bool is_compressed_;
  std::vector<std::string> blocks_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace

std::string VcfHeader(const VariantHeader& header, const SampleTable& samples, const OutputFields& fields) {
  std::string declared = DeclaredFields(fields);
  for (const std::string_view one : {"ID=ER2,Number=1", "ID=MAF,Number=1"}) {
    const size_t at = declared.find(one);
    if (fields.keeps_records && at != std::string::npos) declared[at + one.size() - 1] = 'A';
  }
  return header.Text(declared, fields.sites_only ? std::vector<std::string>() : samples.names);
}

std::unique_ptr<RecordSink> MakeVcfSink(const SinkSettings& settings) { return std::make_unique<VcfSink>(settings); }

}  // namespace haplospin
