// Output records as variants of BGEN 1.2 (https://www.chg.ox.ac.uk/~gav/bgen_format/spec/v1.2.html).
#include <fcntl.h>
#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/zstd_frame.h"
#include "genotypes/variant_io/byte_coding.h"
#include "genotypes/variant_io/writing/hts_output.h"
#include "genotypes/variant_io/writing/record_sink.h"
#include "genotypes/variant_io/writing/rounded_shares.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The offset of the number of variants, which is known only at the end of the file.
constexpr int64_t kNumVariantsOffset = 8;
constexpr size_t kHeaderSize = 20;  // bytes of the header without the note
constexpr uint32_t kLayout2 = uint32_t{2} << 2;
constexpr uint32_t kHasSampleNames = uint32_t{1} << 31;

constexpr uint8_t kMissingFlag = 0x80;
constexpr int kZstdLevel = 3;

// Appends a text after its length of two bytes. Throws InputError, which names the text as `what`, if it is longer.
void AppendShortText(std::string_view text, const char* what, std::string& out) {
  if (text.size() > UINT16_MAX) {
    throw InputError(fmt::format("{} \"{}...\" has {} characters, but BGEN allows 65,535; shorten it, or write BCF",
                                 what, text.substr(0, 20), text.size()));
  }
  AppendInteger(text.size(), 2, out);
  out += text;
}

// The lines of a VCF header that say how the file was made.
std::string HeaderNote(const VariantHeader& header) {
  std::string note;
  for (const std::string& line : header.lines) note += line + '\n';
  return note;
}

// Returns what precedes the variants: the header block, with 0 as the number of variants, and the block of sample
// names. Programs do not read `note`. Throws InputError if a name is too long for the format.
std::string BgenHeader(const std::vector<std::string>& samples, std::string_view note, BgenCompression compression) {
  std::string names;
  for (const std::string& name : samples) AppendShortText(name, "the sample name", names);
  const size_t header_size = kHeaderSize + note.size(), names_size = 8 + names.size();
  std::string out;
  AppendInteger(header_size + names_size, 4, out);  // bytes from the fifth to the first variant
  AppendInteger(header_size, 4, out);
  AppendInteger(0, 4, out);  // variants
  AppendInteger(samples.size(), 4, out);
  out += "bgen";
  out += note;
  AppendInteger(static_cast<uint32_t>(compression) | kLayout2 | kHasSampleNames, 4, out);
  AppendInteger(names_size, 4, out);
  AppendInteger(samples.size(), 4, out);
  return out + names;
}

std::string Deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string compressed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kCompressionLevel);
  HS_ASSERT(status == Z_OK);
  compressed.resize(size);
  return compressed;
}

void AppendSite(const std::string& contig, const Marker& marker, std::string& out) {
  const std::string id = MarkerId(contig, marker);
  AppendShortText(id, "the ID", out);  // "variant identifier"
  AppendShortText(id, "the ID", out);  // "rsid"
  AppendShortText(contig, "the contig", out);
  AppendInteger(static_cast<uint64_t>(marker.position), 4, out);
  AppendInteger(2, 2, out);  // alleles
  for (const std::string& allele : {marker.ref, marker.alt}) {
    AppendInteger(allele.size(), 4, out);
    out += allele;
  }
}

bool IsMissing(const uint16_t* alt, size_t count) {
  return std::any_of(alt, alt + count, [](uint16_t p) { return p == kNoProbability; });
}

bool IsPhased(const DosageRecord& record) { return std::ranges::count(record.unphased, uint8_t{1}) == 0; }

// Holds the probabilities of one thread's variant before they are compressed.
class BgenEncoder {
 public:
  BgenEncoder(const SampleTable& samples, BgenOptions options) : samples_(samples), options_(options) {}

  // Appends a record that has an ALT; REF is its first allele. Where the phase of some sample is not known, it has the
  // probabilities of genotypes. Throws InputError if a text is too long for the format.
  void Append(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
              std::string& out) {
    AppendSite(contig, *record.marker, out);
    EncodeProbabilities(record, genotypes);
    if (options_.compression == BgenCompression::kNone) {
      AppendInteger(probabilities_.size(), 4, out);
      out += probabilities_;
      return;
    }
    const std::string compressed = options_.compression == BgenCompression::kZlib
                                       ? Deflate(probabilities_)
                                       : CompressFrame(probabilities_, kZstdLevel);
    AppendInteger(4 + compressed.size(), 4, out);
    AppendInteger(probabilities_.size(), 4, out);
    out += compressed;
  }

 private:
  void EncodeProbabilities(const DosageRecord& record, const OutputGenotypes& genotypes) {
    const size_t num_samples = samples_.num_samples();
    int min_ploidy = 2, max_ploidy = 1;
    for (size_t s = 0; s < num_samples; ++s) {
      min_ploidy = std::min(min_ploidy, samples_.ploidy(s));
      max_ploidy = std::max(max_ploidy, samples_.ploidy(s));
    }
    probabilities_.clear();
    AppendInteger(num_samples, 4, probabilities_);
    AppendInteger(2, 2, probabilities_);  // alleles
    AppendInteger(static_cast<uint64_t>(min_ploidy), 1, probabilities_);
    AppendInteger(static_cast<uint64_t>(max_ploidy), 1, probabilities_);
    const auto alt = [&](size_t s) { return &genotypes.probability[samples_.first_haplotype[s]]; };
    const auto ploidy = [&](size_t s) { return static_cast<size_t>(samples_.ploidy(s)); };
    for (size_t s = 0; s < num_samples; ++s) {
      AppendInteger(ploidy(s) | (IsMissing(alt(s), ploidy(s)) ? kMissingFlag : 0), 1, probabilities_);
    }
    const bool has_haplotypes = options_.has_haplotypes && IsPhased(record);
    AppendInteger(has_haplotypes ? 1 : 0, 1, probabilities_);
    AppendInteger(static_cast<uint64_t>(options_.bits), 1, probabilities_);
    for (size_t s = 0; s < num_samples; ++s) {
      if (IsMissing(alt(s), ploidy(s))) {
        for (size_t i = 0; i < ploidy(s); ++i) AppendProbability(0);
      } else if (has_haplotypes || ploidy(s) == 1) {
        EncodeHaplotypes(alt(s), ploidy(s));
      } else if (genotypes.IsDoubled(s)) {
        AppendProbability(RoundShare(kProbabilityOne - alt(s)[0], kProbabilityOne, NumSteps()));
        AppendProbability(0);
      } else {
        EncodeGenotype(alt(s)[0], alt(s)[1]);
      }
    }
  }

  // Appends the probability of REF of each haplotype.
  void EncodeHaplotypes(const uint16_t* alt, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      AppendProbability(RoundShare(kProbabilityOne - alt[i], kProbabilityOne, NumSteps()));
    }
  }

  // Appends the probabilities of no ALT and of one ALT. They are not rounded to the decimals of VCF, so that their sum
  // is DS.
  void EncodeGenotype(uint64_t first_alt, uint64_t second_alt) {
    const uint64_t first_ref = kProbabilityOne - first_alt, second_ref = kProbabilityOne - second_alt;
    const std::array<uint64_t, 3> steps = RoundGenotype(
        {first_ref * second_ref, first_ref * second_alt + first_alt * second_ref, first_alt * second_alt}, NumSteps());
    AppendProbability(steps[0]);
    AppendProbability(steps[1]);
  }

  void AppendProbability(uint64_t steps) {
    AppendInteger(steps, static_cast<size_t>(options_.bits) / 8, probabilities_);
  }

  uint64_t NumSteps() const { return (uint64_t{1} << options_.bits) - 1; }

  const SampleTable& samples_;
  const BgenOptions options_;
  std::string probabilities_;
};

class BgenSink : public RecordSink {
 public:
  explicit BgenSink(const SinkSettings& settings)
      : RecordSink(settings), blocks_(settings.num_blocks), encoders_([this] {
          return Encoder{{}, BgenEncoder(samples_, fields_.bgen)};
        }) {
    output_.Write(BgenHeader(samples_.names, HeaderNote(settings.header), fields_.bgen.compression));
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Encoder& encoder = encoders_.local();
    Block& out = blocks_[block];
    out.bytes.clear();
    out.num_variants = 0;
    ForEachWritten(
        records, encoder.genotypes,
        [&](const DosageRecord& record) {
          encoder.encoder.Append(contig, record, encoder.genotypes, out.bytes);
          ++out.num_variants;
        },
        [](std::span<const KeptAlt>) { HS_ASSERT(!"BGEN keeps no records"); });
  }

  void Write(size_t block) override {
    output_.Write(blocks_[block].bytes);
    num_variants_ += blocks_[block].num_variants;
  }

  void Close() override {
    output_.Flush();
    std::string number;
    AppendInteger(num_variants_, 4, number);
    errno = 0;
    const int file = open(output_.temporary_path().c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) FailToWrite(output_);
    const bool is_written =
        pwrite(file, number.data(), number.size(), kNumVariantsOffset) == static_cast<ssize_t>(number.size());
    if (close(file) != 0 || !is_written) FailToWrite(output_);
  }

 private:
  struct Block {
    std::string bytes;
    size_t num_variants = 0;
  };
  struct Encoder {
    OutputGenotypes genotypes;
    BgenEncoder encoder;
  };

  std::vector<Block> blocks_;
  size_t num_variants_ = 0;
  tbb::enumerable_thread_specific<Encoder> encoders_;
};

}  // namespace

std::unique_ptr<RecordSink> MakeBgenSink(const SinkSettings& settings) { return std::make_unique<BgenSink>(settings); }

}  // namespace haplospin
