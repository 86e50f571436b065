#include "genotypes/variant_io/writing/genotype_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "core/output_file.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/writing/bcf_bytes.h"
#include "genotypes/variant_io/writing/bgzf_blocks.h"
#include "genotypes/variant_io/writing/hts_output.h"
#include "genotypes/variant_io/writing/sample_layout.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr const char* kFields =
    "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Count of the ALT allele in the genotypes\">\n"
    "##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Count of all alleles in the genotypes\">\n"
    "##INFO=<ID=END,Number=1,Type=Integer,Description=\"Last position of a symbolic ALT allele\">\n"
    "##INFO=<ID=SVLEN,Number=A,Type=Integer,Description=\"Length of a symbolic ALT allele\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n";
constexpr const char* kPhaseSetField =
    "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set: genotypes of one set are phased relative to each "
    "other\">\n";

constexpr uint16_t kNoAllele = UINT16_MAX;

void AppendAllele(uint16_t allele, std::string& line) {
  if (allele < 10) {
    line += static_cast<char>('0' + allele);
  } else {
    line += allele == kNoAllele ? "." : std::to_string(allele);
  }
}

// A record: the marker has all ALTs, and the alleles are counted from REF, or kNoAllele.
void AppendLine(const std::string& contig, const Marker& marker, size_t num_alts, const SampleTable& samples,
                std::span<const uint16_t> alleles, std::span<const uint8_t> unphased,
                std::span<const uint32_t> phase_sets, std::string& line) {
  std::vector<size_t> counts(num_alts + 1);
  for (const uint16_t allele : alleles) {
    if (allele != kNoAllele) ++counts[allele];
  }
  fmt::format_to(std::back_inserter(line), "{}\t{}\t{}\t{}\t{}\t.\tPASS\tAC={};AN={}", contig, marker.position,
                 marker.id, marker.ref, marker.alt, fmt::join(std::span(counts).subspan(1), ","),
                 std::accumulate(counts.begin(), counts.end(), size_t{0}));
  if (!marker.info.empty()) line += ';' + marker.info;
  line += phase_sets.empty() ? "\tGT" : "\tGT:PS";
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s];
    line += '\t';
    AppendAllele(alleles[first], line);
    if (samples.ploidy(s) == 2) {
      line += !unphased.empty() && unphased[s] != 0 ? '/' : '|';
      AppendAllele(alleles[first + 1], line);
    }
    if (phase_sets.empty()) continue;
    line += phase_sets[s] == 0 ? ":." : fmt::format(":{}", phase_sets[s] - 1);
  }
}

// A haplotype that has several ALTs of a record is given the first of them.
std::vector<uint16_t> JoinAlleles(std::span<const GenotypeWriter::Alt> alts) {
  std::vector<uint16_t> joined(alts[0].alleles.size());
  for (size_t h = 0; h < joined.size(); ++h) {
    for (size_t a = 0; a < alts.size() && (joined[h] == 0 || joined[h] == kNoAllele); ++a) {
      if (alts[a].alleles[h] == 1) joined[h] = static_cast<uint16_t>(a + 1);
      if (alts[a].alleles[h] == kMissingAllele) joined[h] = kNoAllele;
    }
  }
  return joined;
}

}  // namespace

struct GenotypeWriter::Impl {
  Impl(const std::string& path, OutputType requested, const VariantHeader& header, const SampleTable& samples,
       OutputFile::Unfinished unfinished, GenotypeFields fields)
      : output(path, unfinished),
        type(ResolveGenotypeType(path, requested)),
        names(samples.names),
        has_phase_sets(fields.phase_sets),
        described(header.described),
        line(header.Text(std::string(kFields) + (has_phase_sets ? kPhaseSetField : ""), samples.names)),
        bcf_header(IsBcf(type) ? ParseHeader(line) : nullptr),
        bcf_record(bcf_init()),
        blocks(output, IsCompressed(type)) {
    SilenceHtslib();
    if (bcf_header) {
      line.clear();
      AppendBcfHeader(bcf_header.get(), line);
    }
    blocks.Write(line);
    blocks.EndBlock();  // so that Restore() writes the same bytes before those that it keeps
  }

  void Write(const std::string& contig, const Marker& marker, size_t num_alts, const SampleTable& samples,
             std::span<const uint16_t> alleles, std::span<const uint8_t> unphased,
             std::span<const uint32_t> phase_sets) {
    HS_ASSERT(alleles.size() == samples.num_haplotypes());
    HS_ASSERT(phase_sets.empty() || has_phase_sets);
    line.clear();
    if (samples.num_samples() == names.size()) {
      AppendLine(contig, marker, num_alts, samples, alleles, unphased, phase_sets, line);
    } else {
      const SampleLayout layout(samples, names, /*doubles_haploids=*/false);
      AppendLine(contig, marker, num_alts, layout.written(), layout.Haplotypes<uint16_t>(alleles, kNoAllele),
                 layout.Samples<uint8_t>(unphased, 0), layout.Samples<uint32_t>(phase_sets, 0), line);
    }
    last_position = std::max(last_position, marker.position);
    WriteLine();
  }

  void WriteLine() {
    if (bcf_header) {
      kstring_t text{line.size(), line.size() + 1, line.data()};  // lent to HTSlib, which neither grows nor frees it
      HS_CHECK(vcf_parse(&text, bcf_header.get(), bcf_record.get()) == 0);
      line.clear();
      AppendBcfRecord(*bcf_record, line);
    } else {
      line += '\n';
    }
    blocks.Write(line);
  }

  OutputFile output;
  OutputType type;
  const std::vector<std::string> names;
  const bool has_phase_sets;  // PS is declared
  const DescribedInfo described;
  std::string line;
  BcfHeaderHandle bcf_header;  // null for text
  BcfRecordHandle bcf_record;
  BlockOutput blocks;
  std::optional<CompletedVariants> completed;
  int64_t last_position = 0;  // highest position on any contig, bp
};

GenotypeWriter::GenotypeWriter(const std::string& path, OutputType type, const VariantHeader& header,
                               const SampleTable& samples, OutputFile::Unfinished unfinished, GenotypeFields fields)
    : impl_(std::make_unique<Impl>(path, type, header, samples, unfinished, fields)) {}

GenotypeWriter::~GenotypeWriter() = default;

void GenotypeWriter::Write(const std::string& contig, const Marker& marker, const SampleTable& samples,
                           std::span<const uint8_t> alleles, std::span<const uint8_t> unphased,
                           std::span<const uint32_t> phase_sets) {
  std::vector<uint16_t> indices(alleles.begin(), alleles.end());
  std::ranges::replace(indices, uint16_t{kMissingAllele}, kNoAllele);
  impl_->Write(contig, marker, 1, samples, indices, unphased, phase_sets);
}

void GenotypeWriter::WriteRecord(const std::string& contig, std::span<const Alt> alts, const SampleTable& samples,
                                 std::span<const uint8_t> unphased) {
  Marker whole = alts[0].marker;
  std::vector<std::string_view> info;
  for (const Alt& alt : alts) {
    if (&alt != alts.data()) whole.alt += ',' + alt.marker.alt;
    info.emplace_back(alt.marker.info);
  }
  if (alts.size() > 1) whole.info = impl_->described.Join(info);
  impl_->Write(contig, whole, alts.size(), samples, JoinAlleles(alts), unphased, {});
}

void GenotypeWriter::EndBlock() { impl_->blocks.EndBlock(); }

WriterState GenotypeWriter::Save() {
  EndBlock();
  return {.bytes = impl_->output.Sync(), .last_position = impl_->last_position};
}

void GenotypeWriter::Restore(const WriterState& state) {
  EndBlock();
  impl_->output.GoOnAt(state.bytes);
  impl_->last_position = state.last_position;
}

void GenotypeWriter::Finish(IndexType index) {
  Complete(index);
  Commit();
}

void GenotypeWriter::Complete(IndexType index) {
  HS_ASSERT(index == IndexType::kNone || CanBeIndexed(impl_->output.path(), impl_->type));
  impl_->blocks.Close();
  impl_->completed.emplace(impl_->output, impl_->type, index, impl_->last_position);
}

void GenotypeWriter::Commit() {
  HS_ASSERT(impl_->completed.has_value());
  impl_->completed->Commit();
}

}  // namespace haplospin
