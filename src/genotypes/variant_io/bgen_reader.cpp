#include "genotypes/variant_io/bgen_reader.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "genotypes/variant_io/oxford_samples.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kHeaderBytes = 20;  // of the header without free text
constexpr uint32_t kHasNames = uint32_t{1} << 31;
constexpr uint32_t kScale = 100000;  // DS and GP have five decimals
constexpr int kMaxBgenBits = 32;
enum BgenCoding : uint32_t { kPlain = 0, kZlib = 1, kZstd = 2 };
constexpr const char* kConvert = "convert it (plink2 --bgen FILE ref-first --export bgen-1.2)";

// Numbers of `bits` bits, the lowest first.
class BitReader {
 public:
  BitReader(std::string_view bytes, int bits) : bytes_(bytes), bits_(bits) {}

  uint32_t Next() {
    while (held_ < bits_) {
      buffer_ |= uint64_t{static_cast<uint8_t>(bytes_[at_++])} << held_;
      held_ += 8;
    }
    const auto number = static_cast<uint32_t>(buffer_ & ((uint64_t{1} << bits_) - 1));
    buffer_ >>= bits_;
    held_ -= bits_;
    return number;
  }

 private:
  std::string_view bytes_;
  int bits_;
  size_t at_ = 0;
  uint64_t buffer_ = 0;
  int held_ = 0;  // bits
};

// A number of units of 1 / kScale.
void AppendDecimal(uint32_t number, std::string& out) {
  out += static_cast<char>('0' + number / kScale);
  uint32_t rest = number % kScale;
  if (rest == 0) return;
  out += '.';
  for (uint32_t unit = kScale / 10; rest > 0; unit /= 10) {
    out += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
}

// The whole number that is near, or nothing.
std::optional<int> Call(double dosage) {
  const double nearest = std::round(dosage);
  return std::abs(dosage - nearest) <= BgenReader::kMaxCallDistance ? std::optional(static_cast<int>(nearest))
                                                                    : std::nullopt;
}

uint32_t Units(double value) { return static_cast<uint32_t>(std::lround(value * kScale)); }

void AppendHaploid(double alt, std::string& text) {
  const auto call = Call(alt);
  text += call ? static_cast<char>('0' + *call) : '.';
  text += ':';
  AppendDecimal(Units(alt), text);
  text += ':';
  AppendDecimal(kScale - Units(alt), text);
  text += ',';
  AppendDecimal(Units(alt), text);
}

void AppendDiploid(const char* genotype, double one, double two, std::string& text) {
  text += genotype;
  text += ':';
  AppendDecimal(Units(one + 2 * two), text);
  text += ':';
  const uint32_t ones = Units(one), twos = std::min(Units(two), kScale - ones);
  AppendDecimal(kScale - ones - twos, text);
  text += ',';
  AppendDecimal(ones, text);
  text += ',';
  AppendDecimal(twos, text);
}

// Checks the names of a .sample file. `samples` are those of the header, which may have none; PLINK calls a sample
// FID_IID there.
void CheckNames(const std::string& path, const std::vector<std::string>& names, size_t num_samples,
                const std::vector<std::string>& samples) {
  constexpr const char* kRemedy = "give the .sample file that belongs to it, or remove this one";
  if (names.size() != num_samples) {
    throw InputError(
        fmt::format("{}: has {} samples, but the BGEN file {}; {}", path, names.size(), num_samples, kRemedy));
  }
  for (size_t s = 0; s < samples.size(); ++s) {
    if (samples[s] == names[s] || samples[s].ends_with("_" + names[s])) continue;
    throw InputError(
        fmt::format("{}: sample {} is {}, but {} in the BGEN file; {}", path, s + 1, names[s], samples[s], kRemedy));
  }
}

}  // namespace

bool BgenReader::IsBgen(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, kHeaderBytes> bytes;
  std::ifstream file(path, std::ios::binary);
  return file.read(bytes.data(), bytes.size()) && std::string_view(bytes.data() + 16, 4) == "bgen";
}

BgenReader::BgenReader(const std::string& path) : bytes_(path) {
  const auto first_variant = Number<uint32_t>(), header_size = Number<uint32_t>();
  variants_left_ = Number<uint32_t>();
  const auto num_samples = Number<uint32_t>();
  if (header_size < kHeaderBytes || first_variant < header_size) bytes_.Fail("damaged: the size of the header");
  Take(header_size - kHeaderBytes + 4);  // "bgen" and free text
  const auto flags = Number<uint32_t>();
  compression_ = flags & 3;
  if ((flags >> 2 & 15) != 2) throw InputError(fmt::format("{}: BGEN of version 1.1 or older; {}", path, kConvert));
  if (compression_ > kZstd) throw InputError(path + ": compressed in an unknown way; " + kConvert);
  if ((flags & kHasNames) != 0) {
    Number<uint32_t>();  // bytes of the names
    const auto num_names = Number<uint32_t>();
    for (uint32_t s = 0; s < num_names; ++s) samples_.push_back(ShortText());
    if (num_names != num_samples) bytes_.Fail("damaged: the number of names");
  }
  const std::string beside = OxfordSamplesBeside(path);
  if (!beside.empty()) {
    const std::vector<std::string> names = ReadOxfordSamples(beside);
    CheckNames(beside, names, num_samples, samples_);
    if (samples_.empty()) samples_ = names;
  }
  if (samples_.empty()) throw InputError(path + ": has no names of samples; put its .sample file beside it");
  if (offset_ > uint64_t{first_variant} + 4) bytes_.Fail("damaged: the place of the first variant");
  Take(first_variant + 4 - offset_);
}

std::string_view BgenReader::Take(size_t size) {
  offset_ += size;
  return bytes_.Take(size);
}

template <typename Integer>
Integer BgenReader::Number() {
  offset_ += sizeof(Integer);
  return bytes_.Little<Integer>();
}

std::string BgenReader::ShortText() { return std::string(Take(Number<uint16_t>())); }

bool BgenReader::NextSite(BgenSite& site) {
  Take(data_size_);
  data_size_ = 0;
  if (variants_left_ == 0) return false;
  --variants_left_;
  site.offset = offset_;
  site.id = ShortText();
  site.rsid = ShortText();
  site.contig = ShortText();
  site.position = Number<uint32_t>();
  site.alleles.clear();
  for (uint32_t left = Number<uint16_t>(); left > 0; --left) site.alleles.emplace_back(Take(Number<uint32_t>()));
  data_size_ = Number<uint32_t>();
  site.size = offset_ + data_size_ - site.offset;
  return true;
}

bool BgenReader::ReadLine(std::string& text) {
  if (!NextSite(site_)) return false;
  if (site_.alleles.empty()) FailVariant("damaged");
  if (site_.alleles.size() != 2) {
    FailVariant(
        fmt::format("{} alleles, expected 2; leave such variants out (plink2 --max-alleles 2)", site_.alleles.size()));
  }
  const size_t begin = text.size();
  fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT:DS:GP", site_.contig, site_.position,
                 site_.rsid.empty() ? "." : site_.rsid, site_.alleles[0], site_.alleles[1]);
  if (text.find('\n', begin) != std::string::npos)
    FailVariant("a line end in a name or an allele; the file is damaged");
  AppendGenotypes(Probabilities(), text);
  text += '\n';
  return true;
}

// The probabilities without their compression.
std::string_view BgenReader::Probabilities() {
  const size_t size = data_size_;
  data_size_ = 0;
  if (compression_ == kPlain) return Take(size);
  if (size < 4) FailVariant("damaged");
  const auto plain_size = Number<uint32_t>();
  const size_t most = 10 + samples_.size() + samples_.size() * 2 * kMaxBgenBits / 8;
  if (plain_size > most) FailVariant(fmt::format("damaged, or ploidy above 2: {} bytes of probabilities", plain_size));
  const std::string_view packed = Take(size - 4);
  inflated_.resize(plain_size);
  if (compression_ == kZlib) {
    uLongf length = plain_size;
    const int status = uncompress(reinterpret_cast<Bytef*>(inflated_.data()), &length,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (status != Z_OK || length != plain_size) FailVariant("damaged");
  } else if (ZSTD_decompress(inflated_.data(), plain_size, packed.data(), packed.size()) != plain_size) {
    FailVariant("damaged");
  }
  return inflated_;
}

void BgenReader::AppendGenotypes(std::string_view data, std::string& text) {
  const size_t n = samples_.size();
  if (data.size() < 10 + n) FailVariant("damaged");
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(data[i]); };
  const uint64_t stored = byte(0) | byte(1) << 8 | byte(2) << 16 | uint64_t{byte(3)} << 24;
  const bool is_phased = byte(8 + n) == 1;
  const int bits = byte(9 + n);
  size_t count = 0;
  for (size_t s = 0; s < n; ++s) {
    const unsigned ploidy = byte(8 + s) & 63u;
    if (ploidy != 1 && ploidy != 2)
      FailVariant(fmt::format("sample {} has ploidy {}, expected 1 or 2", samples_[s], ploidy));
    count += ploidy;  // numbers: of haplotypes, or of genotypes but the last
  }
  if (stored != n || bits < 1 || bits > kMaxBgenBits ||
      (data.size() - 10 - n) * 8 < count * static_cast<size_t>(bits)) {
    FailVariant("damaged");
  }
  BitReader reader(data.substr(10 + n), bits);
  const double one = static_cast<double>((uint64_t{1} << bits) - 1);
  for (size_t s = 0; s < n; ++s) {
    text += '\t';
    const bool is_diploid = (byte(8 + s) & 63u) == 2;
    const double first = reader.Next() / one, second = is_diploid ? reader.Next() / one : 0;
    if ((byte(8 + s) & 0x80u) != 0) {
      text += is_diploid ? "./.:.:." : ".:.:.";
    } else if (!is_diploid) {
      AppendHaploid(1 - first, text);
    } else if (is_phased) {
      const auto a = Call(1 - first), b = Call(1 - second);
      const char genotype[] = {static_cast<char>('0' + a.value_or(0)), '|', static_cast<char>('0' + b.value_or(0)), 0};
      AppendDiploid(a && b ? genotype : "./.", first * (1 - second) + second * (1 - first), (1 - first) * (1 - second),
                    text);
    } else {
      if (first + second > 1 + 1e-6) FailVariant(fmt::format("sample {}: probabilities of more than 1", samples_[s]));
      const double two = std::max(1 - first - second, 0.0);
      constexpr const char* kGenotypes[] = {"0/0", "0/1", "1/1"};
      const auto call = Call(second + 2 * two);
      AppendDiploid(call ? kGenotypes[*call] : "./.", second, two, text);
    }
  }
}

void BgenReader::FailVariant(const std::string& what) const {
  throw InputError(fmt::format("{}: {}:{}: {}", bytes_.path(), site_.contig, site_.position, what));
}

}  // namespace haplospin
