#include "genotypes/variant_io/bgen_file.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>

namespace haplospin {
namespace {

void Require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(fmt::format("BGEN: {}", what));
}

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }

  uint64_t Integer(size_t size) {
    const std::string taken = Take(size);
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>(taken[i])} << 8 * i;
    return value;
  }

  std::string Take(size_t size) {
    Require(at_ + size <= bytes_.size(), "truncated");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  std::string Text(size_t length_size) { return Take(Integer(length_size)); }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

std::string Decompress(const std::string& compressed, size_t size, uint32_t compression) {
  std::string bytes(size, '\0');
  if (compression == 1) {
    uLongf written = size;
    const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &written,
                                  reinterpret_cast<const Bytef*>(compressed.data()), compressed.size());
    Require(status == Z_OK && written == size, "zlib data");
  } else {
    Require(ZSTD_decompress(bytes.data(), size, compressed.data(), compressed.size()) == size, "zstd data");
  }
  return bytes;
}

void DecodeGenotypes(const std::string& bytes, size_t num_samples, BgenVariant& variant) {
  Reader in(bytes);
  Require(in.Integer(4) == num_samples, "the number of samples");
  Require(in.Integer(2) == variant.alleles.size(), "the number of alleles");
  variant.min_ploidy = static_cast<int>(in.Integer(1));
  variant.max_ploidy = static_cast<int>(in.Integer(1));
  variant.samples.resize(num_samples);
  for (BgenSample& sample : variant.samples) {
    const uint64_t byte = in.Integer(1);
    sample.ploidy = static_cast<int>(byte & 0x3F);
    sample.is_missing = (byte & 0x80) != 0;
    Require(variant.min_ploidy <= sample.ploidy && sample.ploidy <= variant.max_ploidy, "ploidy");
  }
  const uint64_t phased = in.Integer(1);
  Require(phased <= 1, "the phased flag");
  variant.is_phased = phased == 1;
  variant.bits = static_cast<int>(in.Integer(1));
  Require(variant.bits == 8 || variant.bits == 16, "bits");
  // Two alleles: of phased data one of each haplotype; else one less than there are genotypes, as many as the ploidy.
  const double steps = (1 << variant.bits) - 1;
  for (BgenSample& sample : variant.samples) {
    double sum = 0;
    for (int i = 0; i < sample.ploidy; ++i) {
      const uint64_t integer = in.Integer(static_cast<size_t>(variant.bits) / 8);
      Require(!sample.is_missing || integer == 0, "missing genotypes are zeros");
      sample.probabilities.push_back(static_cast<double>(integer) / steps);
      sum += sample.probabilities.back();
    }
    Require(variant.is_phased || sum < 1 + 1e-9, "the sum of probabilities");
  }
  Require(in.at() == bytes.size(), "bytes beyond the genotypes");
}

}  // namespace

double BgenVariant::Dosage(size_t sample) const {
  const std::vector<double>& p = samples[sample].probabilities;
  if (is_phased || p.size() == 1) {
    double dosage = 0;
    for (const double ref : p) dosage += 1 - ref;
    return dosage;
  }
  return p[1] + 2 * (1 - p[0] - p[1]);
}

BgenFile DecodeBgen(const std::string& bytes) {
  BgenFile file;
  Reader in(bytes);
  const size_t first_variant = in.Integer(4) + 4;
  const size_t header_size = in.Integer(4);
  const size_t num_variants = in.Integer(4), num_samples = in.Integer(4);
  Require(in.Take(4) == "bgen", "the magic number");
  file.note = in.Take(header_size - 20);
  const uint64_t flags = in.Integer(4);
  file.compression = flags & 3;
  file.layout = flags >> 2 & 15;
  Require(flags >> 31 == 1, "the flag of sample names");
  Require((flags & 0x7FFFFFC0) == 0, "unused flags");
  const size_t names_begin = in.at();
  const size_t names_size = in.Integer(4);
  Require(in.Integer(4) == num_samples, "the number of sample names");
  for (size_t s = 0; s < num_samples; ++s) file.samples.push_back(in.Text(2));
  Require(in.at() == names_begin + names_size && in.at() == first_variant, "the size of the blocks");
  for (size_t v = 0; v < num_variants; ++v) {
    BgenVariant& variant = file.variants.emplace_back();
    variant.id = in.Text(2);
    variant.rsid = in.Text(2);
    variant.contig = in.Text(2);
    variant.position = static_cast<uint32_t>(in.Integer(4));
    variant.alleles.resize(in.Integer(2));
    for (std::string& allele : variant.alleles) allele = in.Text(4);
    const size_t size = in.Integer(4);
    const std::string data = file.compression == 0 ? in.Take(size) : [&] {
      const size_t uncompressed = in.Integer(4);
      return Decompress(in.Take(size - 4), uncompressed, file.compression);
    }();
    DecodeGenotypes(data, num_samples, variant);
  }
  Require(in.at() == bytes.size(), "bytes beyond the last variant");
  return file;
}

}  // namespace haplospin
