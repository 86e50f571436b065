#include "variant_io/writing/genotype_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "core/output_file.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "variant_io/hts_handles.h"
#include "variant_io/writing/variant_output.h"

namespace haplospin {
namespace {

constexpr const char* kFields =
    "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Count of the ALT allele in the genotypes\">\n"
    "##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Count of all alleles in the genotypes\">\n"
    "##INFO=<ID=END,Number=1,Type=Integer,Description=\"Last position of a symbolic ALT allele\">\n"
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
  Impl(const std::string& path, OutputType requested, const VariantHeader& header, const SampleTable& samples,
       int num_threads)
      : output(path), type(ResolveGenotypeType(path, requested)), threads(num_threads) {
    SilenceHtslib();
    errno = 0;
    const std::string text = header.Text(kFields, samples.names);
    if (IsBcf(type)) {
      OpenBcf(text);
    } else {
      OpenText();
      line = text;
      WriteText();
    }
  }

  void OpenText() {
    text_file.reset(bgzf_open(output.temporary_path().c_str(), OpenMode(type)));
    if (!text_file) FailToWrite(output);
    if (type == OutputType::kVcfGz && threads > 1) bgzf_mt(text_file.get(), threads, 256);
  }

  void OpenBcf(std::string header_text) {
    bcf_header.reset(bcf_hdr_init("r"));
    HS_ASSERT(bcf_hdr_parse(bcf_header.get(), header_text.data()) == 0);
    bcf_file.reset(hts_open(output.temporary_path().c_str(), OpenMode(type)));
    if (!bcf_file) FailToWrite(output);
    if (type == OutputType::kBcf && threads > 1) hts_set_threads(bcf_file.get(), threads);
    bcf_record.reset(bcf_init());
    if (bcf_hdr_write(bcf_file.get(), bcf_header.get()) != 0) FailToWrite(output);
  }

  void WriteText() {
    if (bgzf_write(text_file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) FailToWrite(output);
  }

  void WriteBcf() {
    kstring_t text{line.size(), line.size() + 1, line.data()};  // lent to HTSlib, which neither grows nor frees it
    HS_ASSERT(vcf_parse(&text, bcf_header.get(), bcf_record.get()) == 0);
    if (bcf_write(bcf_file.get(), bcf_header.get(), bcf_record.get()) != 0) FailToWrite(output);
  }

  void Close() {
    errno = 0;
    const int status = bcf_file ? hts_close(bcf_file.release()) : bgzf_close(text_file.release());
    if (status != 0) FailToWrite(output);
  }

  OutputFile output;
  OutputType type;
  int threads;
  BgzfHandle text_file;  // this one or the other three
  HtsHandle bcf_file;
  BcfHeaderHandle bcf_header;
  BcfRecordHandle bcf_record;
  std::string line;
  int64_t last_position = 0;  // on any contig
};

GenotypeWriter::GenotypeWriter(const std::string& path, OutputType type, const VariantHeader& header,
                               const SampleTable& samples, int threads)
    : impl_(std::make_unique<Impl>(path, type, header, samples, threads)) {}

GenotypeWriter::~GenotypeWriter() = default;

void GenotypeWriter::Write(const std::string& contig, const Marker& marker, const SampleTable& samples,
                           std::span<const uint8_t> alleles, std::span<const uint8_t> unphased) {
  HS_ASSERT(alleles.size() == samples.num_haplotypes());
  errno = 0;
  impl_->line.clear();
  AppendLine(contig, marker, samples, alleles, unphased, impl_->line);
  impl_->last_position = std::max(impl_->last_position, marker.position);
  if (impl_->bcf_file) {
    impl_->WriteBcf();
  } else {
    impl_->line += '\n';
    impl_->WriteText();
  }
}

void GenotypeWriter::Finish(bool write_index) {
  HS_ASSERT(!write_index || CanBeIndexed(impl_->output.path(), impl_->type));
  impl_->Close();
  CommitVariants(impl_->output, impl_->type, write_index, impl_->last_position, impl_->threads);
}

}  // namespace haplospin
