#include "genotypes/variant_io/reading/bgen_source.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/little_endian.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/oxford_samples.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kHeaderBytes = 20;  // of the header without free text
constexpr uint32_t kHasNames = uint32_t{1} << 31;
constexpr uint32_t kScale = 100000;  // DS and GP have five decimals
constexpr int kMaxBgenBits = 32;
enum BgenCoding : uint32_t { kPlain = 0, kZlib = 1, kZstd = 2 };
constexpr const char* kConvert = "convert it (plink2 --bgen FILE ref-first --export bgen-1.2 ref-first)";

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

// The number of ALTs that is near, or kMissingCall.
int16_t Call(double dosage) {
  constexpr double kDistance = BgenSource::kMaxCallDistance;
  return dosage <= kDistance ? 0 : std::abs(dosage - 1) <= kDistance ? 1 : std::abs(dosage - 2) <= kDistance ? 2 : -1;
}

// Units of five decimals.
uint32_t Units(double value) { return static_cast<uint32_t>(std::lround(value * kScale)); }
float FromUnits(uint32_t units) { return static_cast<float>(units / double{kScale}); }

// What is stored of a sample: the probabilities of REF on its haplotypes, or of 0 and 1 ALT.
struct StoredGenotype {
  bool is_diploid, is_phased, is_missing;
  double first, second;  // second: 0 for haploid samples

  double One() const { return is_phased ? first * (1 - second) + second * (1 - first) : second; }
  double Two() const { return is_phased ? (1 - first) * (1 - second) : std::max(1 - first - second, 0.0); }

  // Where one sample of a variant is phased, plink2 writes all as phased, and gives both haplotypes of an unphased
  // heterozygote one half of its dosage.
  bool IsUnphasedHeterozygote() const { return is_phased && first == second && Call(2 - first - second) == 1; }
};

void SetDosages(const StoredGenotype& stored, size_t sample, DecodedDosages& dosages) {
  if (stored.is_missing) return;
  float* const posteriors = dosages.posteriors.empty() ? nullptr : &dosages.posteriors[3 * sample];
  const uint32_t ones = Units(stored.is_diploid ? stored.One() : 1 - stored.first);
  const uint32_t twos = stored.is_diploid ? std::min(Units(stored.Two()), kScale - ones) : 0;
  dosages.dosages[sample * dosages.num_alts] =
      FromUnits(stored.is_diploid ? Units(stored.One() + 2 * stored.Two()) : ones);
  if (posteriors == nullptr) return;
  posteriors[0] = FromUnits(kScale - ones - twos);
  posteriors[1] = FromUnits(ones);
  if (stored.is_diploid) posteriors[2] = FromUnits(twos);
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

BgenSource::BgenSource(const std::string& path, const RecordContent& content)
    : RecordSource({.path = path}), content_(content), bytes_(path) {
  const auto first_variant = Number<uint32_t>(), header_size = Number<uint32_t>();
  variants_left_ = Number<uint32_t>();
  const auto num_samples = Number<uint32_t>();
  if (header_size < kHeaderBytes || first_variant < header_size) bytes_.Fail("damaged: the size of the header");
  Take(header_size - kHeaderBytes + 4);  // "bgen" and free text
  const auto flags = Number<uint32_t>();
  compression_ = flags & 3;
  if ((flags >> 2 & 15) != 2) throw InputError(fmt::format("{}: BGEN of version 1.1 or older; {}", path, kConvert));
  if (compression_ > kZstd) throw InputError(path + ": compressed in an unknown way; " + kConvert);
  ReadNames(num_samples, (flags & kHasNames) != 0);
  if (offset_ > uint64_t{first_variant} + 4) bytes_.Fail("damaged: the place of the first variant");
  Take(first_variant + 4 - offset_);
}

void BgenSource::ReadNames(uint32_t num_samples, bool has_names) {
  std::vector<std::string>& samples = header_.samples;
  if (has_names) {
    Number<uint32_t>();  // bytes of the names
    const auto num_names = Number<uint32_t>();
    for (uint32_t s = 0; s < num_names; ++s) samples.push_back(ShortText());
    if (num_names != num_samples) bytes_.Fail("damaged: the number of names");
  }
  const std::string beside = OxfordSamplesBeside(header_.path);
  if (!beside.empty()) {
    const std::vector<std::string> names = ReadOxfordSamples(beside);
    CheckNames(beside, names, num_samples, samples);
    if (samples.empty()) samples = names;
  }
  if (samples.empty()) throw InputError(header_.path + ": has no names of samples; put its .sample file beside it");
  header_.CheckSamples(" in the header; rename one (bcftools reheader)");
}

std::string_view BgenSource::Take(size_t size) {
  offset_ += size;
  return bytes_.Take(size);
}

template <typename Integer>
Integer BgenSource::Number() {
  offset_ += sizeof(Integer);
  return bytes_.Little<Integer>();
}

std::string BgenSource::ShortText() { return std::string(Take(Number<uint16_t>())); }

bool BgenSource::NextSite(BgenSite& site) {
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

size_t BgenSource::Read() {
  size_t count = 0;
  for (; count < RecordsAtATime(); ++count) {
    if (count == variants_.size()) variants_.emplace_back();
    Variant& variant = variants_[count];
    if (!NextSite(variant.site)) break;
    if (content_.kind == RecordKind::kSites) continue;
    variant.packed = Take(data_size_);
    data_size_ = 0;
  }
  return Hold(count);
}

void BgenSource::Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) {
  StartRecord(record);
  Variant& variant = variants_[i];
  const BgenSite& site = variant.site;
  if (!SetPlace(MergePar(site.contig), site.position, filter, record)) return;
  if (site.alleles.size() != 2) {
    throw InputError(
        fmt::format("{} alleles, expected 2; leave such variants out (plink2 --max-alleles 2)", site.alleles.size()));
  }
  SplitAlts(site.alleles[1], record.alts);
  FinishSite(content_.kind, site.rsid.empty() ? "." : site.rsid, site.alleles[0], record);
  if (content_.kind == RecordKind::kSites || (content_.kind == RecordKind::kPanel && record.alts.empty())) return;
  Unpack(variant);
  DecodeCalls(variant.probabilities, record.calls);
  if (record.alts.empty()) CheckCalls(record.calls, header_.samples, 1);
  record.has_genotypes = true;
  FinishCalls(content_.kind, header_.samples, record);
}

void BgenSource::ParseDosages(size_t i, DecodedDosages& dosages) {
  dosages.Clear(records_[i].alts.size());
  if (dosages.num_alts == 0) return;
  const size_t n = header_.samples.size();
  dosages.dosages.assign(n * dosages.num_alts, DecodedDosages::kNaN);
  if (dosages.num_alts == 1) dosages.posteriors.assign(3 * n, DecodedDosages::kNaN);
  ForEachSample(variants_[i].probabilities,
                [&](size_t s, const StoredGenotype& stored) { SetDosages(stored, s, dosages); });
}

// Sets the probabilities without their compression.
void BgenSource::Unpack(Variant& variant) const {
  if (compression_ == kPlain) {
    variant.probabilities = variant.packed;
    return;
  }
  constexpr size_t kSizeBytes = 4;
  if (variant.packed.size() < kSizeBytes) throw InputError("damaged");
  const uint64_t size = LittleEndian(std::string_view(variant.packed).substr(0, kSizeBytes));
  const size_t n = header_.samples.size(), most = 10 + n + n * 2 * kMaxBgenBits / 8;
  if (size > most) throw InputError(fmt::format("damaged, or ploidy above 2: {} bytes of probabilities", size));
  const std::string_view packed = std::string_view(variant.packed).substr(kSizeBytes);
  variant.probabilities.resize(size);
  if (compression_ == kZlib) {
    uLongf length = size;
    const int status = uncompress(reinterpret_cast<Bytef*>(variant.probabilities.data()), &length,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (status != Z_OK || length != size) throw InputError("damaged");
  } else if (ZSTD_decompress(variant.probabilities.data(), size, packed.data(), packed.size()) != size) {
    throw InputError("damaged");
  }
}

// Calls visit(sample, genotype) for each sample.
template <typename Visit>
void BgenSource::ForEachSample(std::string_view data, const Visit& visit) const {
  const size_t n = header_.samples.size();
  if (data.size() < 10 + n) throw InputError("damaged");
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(data[i]); };
  const uint64_t stored = LittleEndian(data.substr(0, 4));
  const bool is_phased = byte(8 + n) == 1;
  const int bits = byte(9 + n);
  size_t count = 0;
  for (size_t s = 0; s < n; ++s) {
    const unsigned ploidy = byte(8 + s) & 63u;
    if (ploidy != 1 && ploidy != 2) {
      throw InputError(fmt::format("sample {} has ploidy {}, expected 1 or 2", header_.samples[s], ploidy));
    }
    count += ploidy;  // numbers: of haplotypes, or of genotypes but the last
  }
  if (stored != n || bits < 1 || bits > kMaxBgenBits ||
      (data.size() - 10 - n) * 8 < count * static_cast<size_t>(bits)) {
    throw InputError("damaged");
  }
  BitReader reader(data.substr(10 + n), bits);
  const double one = static_cast<double>((uint64_t{1} << bits) - 1);
  for (size_t s = 0; s < n; ++s) {
    const bool is_diploid = (byte(8 + s) & 63u) == 2, is_missing = (byte(8 + s) & 0x80u) != 0;
    const double first = reader.Next() / one, second = is_diploid ? reader.Next() / one : 0;
    visit(s, StoredGenotype{is_diploid, is_phased, is_missing, first, second});
  }
}

void BgenSource::DecodeCalls(std::string_view probabilities, GenotypeCalls& calls) const {
  calls.Start(header_.samples.size());
  ForEachSample(probabilities, [&](size_t s, const StoredGenotype& stored) {
    if (stored.is_missing) {
      calls.Set(s, kMissingCall, stored.is_diploid ? kMissingCall : kAbsentCall, !stored.is_diploid);
    } else if (!stored.is_diploid) {
      calls.Set(s, Call(1 - stored.first), kAbsentCall, true);
    } else if (stored.IsUnphasedHeterozygote()) {
      calls.Set(s, 0, 1, false);
    } else if (stored.is_phased) {
      const int16_t a = Call(1 - stored.first), b = Call(1 - stored.second);
      const bool is_called = a != kMissingCall && b != kMissingCall;
      calls.Set(s, is_called ? a : kMissingCall, is_called ? b : kMissingCall, is_called);
    } else {
      if (stored.first + stored.second > 1 + 1e-6) {
        throw InputError(fmt::format("sample {}: probabilities of more than 1", header_.samples[s]));
      }
      const int16_t call = Call(stored.One() + 2 * stored.Two());
      const bool is_called = call != kMissingCall;
      calls.Set(s, is_called ? call / 2 : kMissingCall, is_called ? (call + 1) / 2 : kMissingCall, false);
    }
  });
}

}  // namespace haplospin
