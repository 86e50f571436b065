#include "genotypes/variant_io/writing/genotype_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

void AppendLine(const std::string& contig, const Marker& marker, const SampleTable& samples,
                std::span<const uint8_t> alleles, std::span<const uint8_t> unphased,
                std::span<const uint32_t> phase_sets, std::string& line) {
  constexpr char kCharacters[] = {'0', '1', '.'};  // kMissingAllele is 2
  const auto alt_count = std::ranges::count(alleles, 1);
  const auto missing_count = std::ranges::count(alleles, kMissingAllele);
  fmt::format_to(std::back_inserter(line), "{}\t{}\t{}\t{}\t{}\t.\tPASS\tAC={};AN={}", contig, marker.position,
                 marker.id, marker.ref, marker.alt, alt_count,
                 static_cast<std::ptrdiff_t>(alleles.size()) - missing_count);
  if (!marker.info.empty()) line += ';' + marker.info;
  line += phase_sets.empty() ? "\tGT" : "\tGT:PS";
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s];
    line += '\t';
    line += kCharacters[alleles[first]];
    if (samples.ploidy(s) == 2) {
      line += !unphased.empty() && unphased[s] != 0 ? '/' : '|';
      line += kCharacters[alleles[first + 1]];
    }
    if (phase_sets.empty()) continue;
    line += phase_sets[s] == 0 ? ":." : fmt::format(":{}", phase_sets[s] - 1);
  }
}

}  // namespace

struct GenotypeWriter::Impl {
  Impl(const std::string& path, OutputType requested, const VariantHeader& header, const SampleTable& samples,
       OutputFile::Unfinished unfinished, GenotypeFields fields)
      : output(path, unfinished),
        type(ResolveGenotypeType(path, requested)),
        names(samples.names),
        has_phase_sets(fields.phase_sets),
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
  std::string line;
  BcfHeaderHandle bcf_header;  // null for text
  BcfRecordHandle bcf_record;
  BlockOutput blocks;
  int64_t last_position = 0;  // highest position on any contig, bp
};

GenotypeWriter::GenotypeWriter(const std::string& path, OutputType type, const VariantHeader& header,
                               const SampleTable& samples, OutputFile::Unfinished unfinished, GenotypeFields fields)
    : impl_(std::make_unique<Impl>(path, type, header, samples, unfinished, fields)) {}

GenotypeWriter::~GenotypeWriter() = default;

void GenotypeWriter::Write(const std::string& contig, const Marker& marker, const SampleTable& samples,
                           std::span<const uint8_t> alleles, std::span<const uint8_t> unphased,
                           std::span<const uint32_t> phase_sets) {
  HS_ASSERT(alleles.size() == samples.num_haplotypes());
  HS_ASSERT(phase_sets.empty() || impl_->has_phase_sets);
  impl_->line.clear();
  if (samples.num_samples() == impl_->names.size()) {
    AppendLine(contig, marker, samples, alleles, unphased, phase_sets, impl_->line);
  } else {
    const SampleLayout layout(samples, impl_->names, /*doubles_haploids=*/false);
    AppendLine(contig, marker, layout.written(), layout.Haplotypes<uint8_t>(alleles, kMissingAllele),
               layout.Samples<uint8_t>(unphased, 0), layout.Samples<uint32_t>(phase_sets, 0), impl_->line);
  }
  impl_->last_position = std::max(impl_->last_position, marker.position);
  impl_->WriteLine();
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
  HS_ASSERT(index == IndexType::kNone || CanBeIndexed(impl_->output.path(), impl_->type));
  impl_->blocks.Close();
  CommitVariants(impl_->output, impl_->type, index, impl_->last_position);
}

}  // namespace haplospin
