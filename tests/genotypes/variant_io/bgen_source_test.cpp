#include "genotypes/variant_io/reading/bgen_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Integer>
std::string Bytes(Integer value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(Integer); ++i) bytes += static_cast<char>(uint64_t{value} >> 8 * i);
  return bytes;
}

enum Compression : uint32_t { kNone, kZlib, kZstd };

// A variant whose stored numbers are whole, of `bits` bits: of each sample as many as its ploidy.
struct Variant {
  bool is_phased = false;
  int bits = 8;
  std::vector<std::vector<uint32_t>> numbers;  // [samples]
  std::vector<bool> is_missing;                // [samples]

  std::string Probabilities() const {
    std::string bytes = Bytes(static_cast<uint32_t>(numbers.size())) + Bytes(uint16_t{2}) + "\1\2";
    for (size_t s = 0; s < numbers.size(); ++s) {
      bytes += static_cast<char>(numbers[s].size() | (is_missing[s] ? 0x80 : 0));
    }
    bytes += static_cast<char>(is_phased);
    bytes += static_cast<char>(bits);
    std::vector<bool> all;
    for (const auto& sample : numbers) {
      for (const uint32_t number : sample) {
        for (int b = 0; b < bits; ++b) all.push_back((number >> b & 1) != 0);
      }
    }
    all.resize((all.size() + 7) / 8 * 8);
    for (size_t i = 0; i < all.size(); i += 8) {
      unsigned byte = 0;
      for (size_t b = 0; b < 8; ++b) byte |= unsigned{all[i + b]} << b;
      bytes += static_cast<char>(byte);
    }
    return bytes;
  }
};

std::string Packed(const std::string& bytes, Compression compression) {
  if (compression == kNone) return bytes;
  std::string packed(compressBound(bytes.size()) + ZSTD_compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  if (compression == kZlib) {
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
             bytes.size());
  } else {
    size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  }
  return Bytes(static_cast<uint32_t>(bytes.size())) + packed.substr(0, size);
}

std::string Bgen(const std::vector<Variant>& variants, Compression compression, const std::string& alt = "C",
                 const std::string& contig = "20") {
  const size_t samples = variants[0].numbers.size();
  std::string names;
  for (size_t s = 0; s < samples; ++s) names += Bytes(static_cast<uint16_t>(2)) + fmt::format("s{}", s);
  const auto names_size = static_cast<uint32_t>(names.size() + 8);
  std::string bytes = Bytes(20 + names_size) + Bytes(uint32_t{20}) + Bytes(static_cast<uint32_t>(variants.size())) +
                      Bytes(static_cast<uint32_t>(samples)) + "bgen" + Bytes(compression | 2u << 2 | 1u << 31) +
                      Bytes(names_size) + Bytes(static_cast<uint32_t>(samples)) + names;
  const auto text = [](const std::string& value) { return Bytes(static_cast<uint16_t>(value.size())) + value; };
  const auto allele = [](const std::string& value) { return Bytes(static_cast<uint32_t>(value.size())) + value; };
  uint32_t position = 100;
  for (const Variant& variant : variants) {
    const std::string data = Packed(variant.Probabilities(), compression);
    bytes += text("id") + text("rs1") + text(contig) + Bytes(position++) + Bytes(uint16_t{2}) + allele("A") +
             allele(alt) + Bytes(static_cast<uint32_t>(data.size())) + data;
  }
  return bytes;
}

Variant RandomVariant(RandomStream& random, size_t samples) {
  Variant variant{
      .is_phased = random.Bernoulli(0.5), .bits = 1 + static_cast<int>(random.UniformInt(16)), .is_missing = {}};
  const uint64_t one = (uint64_t{1} << variant.bits) - 1;
  for (size_t s = 0; s < samples; ++s) {
    const auto number = [&](uint64_t most) {  // often near a whole number
      const uint64_t near = random.UniformInt(most / 16 + 1);
      return static_cast<uint32_t>(random.Bernoulli(0.3)   ? random.UniformInt(most + 1)
                                   : random.Bernoulli(0.5) ? near
                                                           : most - near);
    };
    std::vector<uint32_t> numbers{number(one)};
    if (s % 3 != 2) numbers.push_back(number(variant.is_phased ? one : one - numbers[0]));
    variant.numbers.push_back(numbers);
    variant.is_missing.push_back(random.Bernoulli(0.1));
  }
  return variant;
}

// The expected number of ALTs, as the specification says.
double Dosage(const Variant& variant, size_t s) {
  const double one = std::pow(2.0, variant.bits) - 1;
  const std::vector<uint32_t>& numbers = variant.numbers[s];
  if (numbers.size() == 1) return 1 - numbers[0] / one;
  if (variant.is_phased) return 2 - (numbers[0] + numbers[1]) / one;
  return numbers[1] / one + 2 * (1 - (numbers[0] + numbers[1]) / one);
}

std::string Near(double dosage) {
  const double whole = std::round(dosage);
  return std::abs(dosage - whole) <= BgenSource::kMaxCallDistance ? fmt::format("{:.0f}", whole) : ".";
}

std::string ExpectedGenotype(const Variant& variant, size_t s) {
  const std::vector<uint32_t>& numbers = variant.numbers[s];
  if (numbers.size() == 1) return variant.is_missing[s] ? "." : Near(Dosage(variant, s));
  if (variant.is_missing[s]) return "./.";
  if (!variant.is_phased) {
    const std::string call = Near(Dosage(variant, s));
    return call == "0" ? "0/0" : call == "1" ? "0/1" : call == "2" ? "1/1" : "./.";
  }
  const double one = std::pow(2.0, variant.bits) - 1;
  const std::string a = Near(1 - numbers[0] / one), b = Near(1 - numbers[1] / one);
  if (numbers[0] == numbers[1] && Near(Dosage(variant, s)) == "1") return "0/1";
  return a == "." || b == "." ? "./." : a + "|" + b;
}

class BgenSourceTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "a.bgen";
};

TEST_F(BgenSourceTest, GenotypesAndDosagesAreThoseOfTheFile) {
  RandomStream random(8);
  for (const Compression compression : {kNone, kZlib, kZstd}) {
    std::vector<Variant> variants;
    for (int v = 0; v < 60; ++v) variants.push_back(RandomVariant(random, 7));
    WriteFile(path_, Bgen(variants, compression));
    ASSERT_TRUE(IsBgen(path_));
    BgenSource source(path_, {});
    ASSERT_EQ(source.Read(), variants.size());
    DosageReader dosages(path_);
    DosageRow row;
    for (size_t v = 0; v < variants.size(); ++v) {
      source.Parse(v, {});
      const ParsedRecord& record = source.record(v);
      ASSERT_EQ(record.error, "");
      EXPECT_EQ(record.position, static_cast<int64_t>(100 + v));
      ASSERT_TRUE(dosages.Next(row));
      size_t num_unphased = 0;
      for (size_t s = 0; s < 7; ++s) {
        const std::string expected = ExpectedGenotype(variants[v], s);
        EXPECT_EQ(GenotypeText(record.calls, s, expected.find('|') == std::string::npos ? '/' : '|'), expected);
        num_unphased += expected == "0/1" ? 1 : 0;
        if (variants[v].is_missing[s]) {
          EXPECT_TRUE(std::isnan(row.dosages[s]));
          continue;
        }
        EXPECT_NEAR(row.dosages[s], Dosage(variants[v], s), 0.6e-5);
        EXPECT_NEAR(row.posteriors[3 * s] + row.posteriors[3 * s + 1] + row.posteriors[3 * s + 2], 1, 1e-6);
        EXPECT_EQ(row.ploidy[s], expected == "." ? 0 : variants[v].numbers[s].size());
      }
      EXPECT_EQ(record.num_unphased, num_unphased);
    }
    EXPECT_FALSE(dosages.Next(row));
    EXPECT_EQ(source.Read(), 0u);
  }
}

// plink2 writes a variant as phased where any sample is phased. Numbers of 16 and of 8 bits are those of plink2
// 2.00a3.5 for 0|1, 0/1, 1/1 and for a dosage of 1.04 without phase.
TEST_F(BgenSourceTest, UnphasedHeterozygotesOfAPhasedVariantAreGenotypes) {
  const Variant fine{.is_phased = true,
                     .bits = 16,
                     .numbers = {{65535, 0}, {32768, 32768}, {0, 0}, {31458, 31458}, {26214, 26214}, {19660, 45875}},
                     .is_missing = std::vector<bool>(6)};
  const Variant coarse{.is_phased = true,
                       .bits = 8,
                       .numbers = {{255, 0}, {128, 128}, {0, 0}, {122, 122}, {102, 102}, {77, 178}},
                       .is_missing = std::vector<bool>(6)};
  WriteFile(path_, Bgen({fine, coarse}, kZlib));
  BgenSource source(path_, {});
  ASSERT_EQ(source.Read(), 2u);
  for (size_t v = 0; v < 2; ++v) {
    source.Parse(v, {});
    const GenotypeCalls& calls = source.record(v).calls;
    EXPECT_THAT(calls.alleles, ElementsAre(0, 1, 0, 1, 1, 1, 0, 1, -1, -1, -1, -1)) << v;
    EXPECT_THAT(calls.unphased, ElementsAre(0, 1, 0, 1, 0, 0)) << v;
  }
}

TEST_F(BgenSourceTest, ThePseudoAutosomalRegionsOfPlink2AreX) {
  WriteFile(path_, Bgen({Variant{.numbers = {{255, 0}}, .is_missing = {false}}}, kZlib, "C", "PAR1"));
  BgenSource source(path_, {});
  ASSERT_EQ(source.Read(), 1u);
  source.Parse(0, {});
  EXPECT_EQ(source.record(0).contig, "X");
}

TEST_F(BgenSourceTest, DamagedVariantsAreNamed) {
  const auto error = [&](const std::string& bytes) {
    WriteFile(path_, bytes);
    return ErrorOf([&] {
      StudyReader reader(path_);
      StudyGenotypes study = reader.StartContig();
      reader.ReadUntil(INT64_MAX, study);
    });
  };
  RandomStream random(9);
  Variant variant = RandomVariant(random, 4), more = variant;
  variant.bits = more.bits = 8;
  variant.is_phased = more.is_phased = false;
  for (auto* one : {&variant, &more}) {
    for (auto& numbers : one->numbers) numbers = {0, 255};
  }
  EXPECT_EQ(error(Bgen({variant}, kZlib)), "");
  more.numbers[1] = {200, 200};
  more.is_missing.assign(4, false);
  EXPECT_THAT(error(Bgen({variant, more}, kZlib)),
              HasSubstr("a.bgen: 20:101: sample s1: probabilities of more than 1"));
  more.numbers[1] = {0, 0, 0};
  EXPECT_THAT(error(Bgen({variant, more}, kZstd)), HasSubstr("20:101: sample s1 has ploidy 3, expected 1 or 2"));
  EXPECT_THAT(error(Bgen({variant}, kNone, "C\n")), HasSubstr("20:100: ALT has the control character 0x0a"));
  const std::string whole = Bgen({variant, variant}, kZlib);
  EXPECT_THAT(error(whole.substr(0, whole.size() - 3)), HasSubstr("truncated"));
  for (size_t i = whole.size() - 20; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_THAT(error(damaged), HasSubstr("20:101: damaged")) << i;
  }
}

}  // namespace
}  // namespace haplospin
