#include "genotypes/variant_io/writing/genotype_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/output_file.h"
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

void AppendLine(const std::string& contig, const Marker& marker, const SampleTable& samples,
                std::span<const uint8_t> alleles, std::span<const uint8_t> unphased, std::string& line) {
  constexpr char kCharacters[] = {'0', '1', '.'};  // kMissingAllele is 2
  const auto alt_count = std::ranges::count(alleles, 1);
  const auto missing_count = std::ranges::count(alleles, kMissingAllele);
  fmt::format_to(std::back_inserter(line), "{}\t{}\t{}\t{}\t{}\t.\tPASS\tAC={};AN={}", contig, marker.position,
                 marker.id, marker.ref, marker.alt, alt_count,
                 static_cast<std::ptrdiff_t>(alleles.size()) - missing_count);
  if (marker.end != 0) fmt::format_to(std::back_inserter(line), ";END={}", marker.end);
  if (marker.length != 0) fmt::format_to(std::back_inserter(line), ";SVLEN={}", marker.length);
  line += "\tGT";
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s];
    line += '\t';
    line += kCharacters[alleles[first]];
    if (samples.ploidy(s) == 1) continue;
    line += !unphased.empty() && unphased[s] != 0 ? '/' : '|';
    line += kCharacters[alleles[first + 1]];
  }
}

}  // namespace

struct GenotypeWriter::Impl {
  Impl(const std::string& path, OutputType requested, const VariantHeader& header, const SampleTable& samples)
      : output(path),
        type(ResolveGenotypeType(path, requested)),
        names(samples.names),
        line(header.Text(kFields, samples.names)),
        bcf_header(IsBcf(type) ? ParseHeader(line) : nullptr),
        bcf_record(bcf_init()),
        file(output, type, bcf_header.get()) {
    if (!bcf_header) file.WriteBytes(line);
  }

  void WriteLine() {
    if (bcf_header) {
      kstring_t text{line.size(), line.size() + 1, line.data()};  // lent to HTSlib, which neither grows nor frees it
      HS_CHECK(vcf_parse(&text, bcf_header.get(), bcf_record.get()) == 0);
      file.WriteRecord(bcf_record.get());
    } else {
      line += '\n';
      file.WriteBytes(line);
    }
  }

  OutputFile output;
  OutputType type;
  const std::vector<std::string> names;
  std::string line;
  BcfHeaderHandle bcf_header;  // null for text
  BcfRecordHandle bcf_record;
  HtsOutput file;
  int64_t last_position = 0;  // highest position on any contig, bp
};

GenotypeWriter::GenotypeWriter(const std::string& path, OutputType type, const VariantHeader& header,
                               const SampleTable& samples)
    : impl_(std::make_unique<Impl>(path, type, header, samples)) {}

GenotypeWriter::~GenotypeWriter() = default;

void GenotypeWriter::Write(const std::string& contig, const Marker& marker, const SampleTable& samples,
                           std::span<const uint8_t> alleles, std::span<const uint8_t> unphased) {
  HS_ASSERT(alleles.size() == samples.num_haplotypes());
  impl_->line.clear();
  if (samples.num_samples() == impl_->names.size()) {
    AppendLine(contig, marker, samples, alleles, unphased, impl_->line);
  } else {
    const SampleLayout layout(samples, impl_->names, /*doubles_haploids=*/false);
    AppendLine(contig, marker, layout.written(), layout.Haplotypes<uint8_t>(alleles, kMissingAllele),
               layout.Samples<uint8_t>(unphased, 0), impl_->line);
  }
  impl_->last_position = std::max(impl_->last_position, marker.position);
  impl_->WriteLine();
}

void GenotypeWriter::Finish(IndexType index) {
  HS_ASSERT(index == IndexType::kNone || CanBeIndexed(impl_->output.path(), impl_->type));
  impl_->file.Close();
  CommitVariants(impl_->output, impl_->type, index, impl_->last_position);
}

}  // namespace haplospin
