#include "variant_io/writing/bgen/bgen_encoder.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "core/zstd_frame.h"
#include "haplospin/errors.h"
#include "variant_io/writing/bgen/bgen_bytes.h"
#include "variant_io/writing/bgen/rounded_shares.h"
#include "variant_io/writing/variant_output.h"

namespace haplospin {
namespace {

constexpr uint8_t kMissingFlag = 0x80;
constexpr int kZstdLevel = 3;

std::string Deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string compressed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kCompressionLevel);
  HS_ASSERT(status == Z_OK);
  compressed.resize(size);
  return compressed;
}

// Many programs find variants by their IDs, so each has one.
std::string IdOf(const std::string& contig, const Marker& marker) {
  return marker.id == "." ? fmt::format("{}:{}:{}:{}", contig, marker.position, marker.ref, marker.alt) : marker.id;
}

void AppendSite(const std::string& contig, const Marker& marker, std::string& out) {
  const std::string id = IdOf(contig, marker);
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

}  // namespace

void BgenEncoder::Append(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
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

void BgenEncoder::EncodeProbabilities(const DosageRecord& record, const OutputGenotypes& genotypes) {
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
    } else {
      EncodeGenotype(alt(s)[0], alt(s)[1]);
    }
  }
}

// The probability of REF of each.
void BgenEncoder::EncodeHaplotypes(const uint16_t* alt, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    AppendProbability(RoundShares<2>({kProbabilityOne - alt[i], alt[i]}, NumSteps())[0]);
  }
}

// Those of no ALT and of one ALT. They are not rounded to the decimals of VCF, so that their sum is DS.
void BgenEncoder::EncodeGenotype(uint64_t first_alt, uint64_t second_alt) {
  const uint64_t first_ref = kProbabilityOne - first_alt, second_ref = kProbabilityOne - second_alt;
  const std::array<uint32_t, 3> steps = RoundShares<3>(
      {first_ref * second_ref, first_ref * second_alt + first_alt * second_ref, first_alt * second_alt}, NumSteps());
  AppendProbability(steps[0]);
  AppendProbability(steps[1]);
}

void BgenEncoder::AppendProbability(uint32_t steps) {
  AppendInteger(steps, static_cast<size_t>(options_.bits) / 8, probabilities_);
}

}  // namespace haplospin
