#include "genotypes/variant_io/reading/genotype_calls.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One sample's genotype: alleles, of which the second may be kAbsentCall, and whether it is phased.
struct Genotype {
  int16_t first, second;
  bool is_phased;
};

std::string ToText(const std::vector<Genotype>& genotypes, const std::string& more_fields) {
  std::string text;
  const auto allele = [](int16_t call) { return call == kMissingCall ? std::string(".") : std::to_string(call); };
  for (const Genotype& g : genotypes) {
    if (!text.empty()) text += '\t';
    text += allele(g.first);
    if (g.second != kAbsentCall) text += (g.is_phased ? "|" : "/") + allele(g.second);
    text += more_fields;
  }
  return text;
}

// As BCF stores them, with `width` values a sample.
template <typename Integer>
std::vector<Integer> ToBcf(const std::vector<Genotype>& genotypes, int width, Integer end) {
  std::vector<Integer> values;
  for (const Genotype& g : genotypes) {
    values.push_back(static_cast<Integer>((g.first + 1) << 1));
    if (width > 1) {
      values.push_back(g.second == kAbsentCall ? end : static_cast<Integer>((g.second + 1) << 1 | int{g.is_phased}));
    }
    for (int i = 2; i < width; ++i) values.push_back(end);
  }
  return values;
}

template <typename Integer>
bcf_fmt_t Field(std::vector<Integer>& values, int width, int type) {
  bcf_fmt_t field{};
  field.n = width;
  field.size = width * static_cast<int>(sizeof(Integer));
  field.type = type;
  field.p = reinterpret_cast<uint8_t*>(values.data());
  return field;
}

std::vector<uint64_t> Pack(const std::vector<Genotype>& genotypes) {
  std::vector<uint64_t> words((genotypes.size() + 31) / 32);
  for (size_t s = 0; s < genotypes.size(); ++s) {
    words[s / 32] |= uint64_t(genotypes[s].first) << 2 * (s % 32);
    words[s / 32] |= uint64_t(genotypes[s].second) << (2 * (s % 32) + 1);
  }
  return words;
}

void ExpectCalls(const GenotypeCalls& calls, const std::vector<Genotype>& genotypes) {
  ASSERT_EQ(calls.alleles.size(), 2 * genotypes.size());
  size_t num_unphased = 0, first_unphased = 0;
  for (size_t s = 0; s < genotypes.size(); ++s) {
    const Genotype& g = genotypes[s];
    ASSERT_EQ(calls.alleles[2 * s], g.first) << s;
    ASSERT_EQ(calls.alleles[2 * s + 1], g.second) << s;
    if (!g.is_phased && g.second != kAbsentCall && g.first != g.second && num_unphased++ == 0) first_unphased = s;
  }
  ASSERT_EQ(calls.num_unphased, num_unphased);
  if (num_unphased > 0) {
    ASSERT_EQ(calls.first_unphased, first_unphased);
  }
}

class GenotypeCallsTest : public testing::TestWithParam<size_t> {
 protected:
  std::vector<Genotype> PlainGenotypes() {
    std::vector<Genotype> genotypes(GetParam());
    for (Genotype& g : genotypes) g = {Bit(), Bit(), true};
    return genotypes;
  }

  std::vector<Genotype> AnyGenotypes(int16_t highest) {
    std::vector<Genotype> genotypes(GetParam());
    for (Genotype& g : genotypes) {
      g.first = static_cast<int16_t>(Below(highest + 2u)) - 1;
      g.second = static_cast<int16_t>(Below(highest + 3u)) - 2;
      g.is_phased = Below(3) != 0;
    }
    return genotypes;
  }

  unsigned Below(unsigned bound) { return random_() % bound; }
  int16_t Bit() { return static_cast<int16_t>(Below(2)); }

  std::mt19937 random_{static_cast<unsigned>(GetParam())};
  std::vector<std::string> samples_ = SampleNames(GetParam());
  std::vector<uint64_t> bits_ = std::vector<uint64_t>((GetParam() + 31) / 32, ~uint64_t{0});
};

TEST_P(GenotypeCallsTest, FastAndGeneralDecodersAgreeOnPlainRecords) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto genotypes = PlainGenotypes();
    const std::string text = ToText(genotypes, "");
    ASSERT_TRUE(ParsePhasedBits(text, GetParam(), bits_.data()));
    ASSERT_EQ(bits_, Pack(genotypes));
    GenotypeCalls calls;
    ParseCalls(text, 0, samples_, 2, calls);
    ExpectCalls(calls, genotypes);

    auto values = ToBcf<int8_t>(genotypes, 2, bcf_int8_vector_end);
    const bcf_fmt_t field = Field(values, 2, BCF_BT_INT8);
    bits_.assign(bits_.size(), ~uint64_t{0});
    ASSERT_TRUE(DecodePhasedBits(field, GetParam(), bits_.data()));
    ASSERT_EQ(bits_, Pack(genotypes));
    DecodeCalls(field, samples_, 2, calls);
    ExpectCalls(calls, genotypes);
  }
}

TEST_P(GenotypeCallsTest, FastTextDecoderRefusesAnyOtherCharacter) {
  const std::string text = ToText(PlainGenotypes(), "");
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_allele = i % 4 != 1 && i % 4 != 3;
    for (const char other : {'/', '.', '2', '|', '\t', ':', ' ', '!', '1', '0', char(0xB1), '\0'}) {
      std::string changed = text;
      changed[i] = other;
      const bool is_plain = other == text[i] || (is_allele && (other == '0' || other == '1'));
      ASSERT_EQ(ParsePhasedBits(changed, GetParam(), bits_.data()), is_plain) << i << " is " << other;
    }
  }
  EXPECT_FALSE(ParsePhasedBits(text.substr(0, text.size() - 1), GetParam(), bits_.data()));
  EXPECT_FALSE(ParsePhasedBits(text + "\t0|0", GetParam(), bits_.data()));
}

TEST_P(GenotypeCallsTest, FastBcfDecoderRefusesAnyOtherValue) {
  auto values = ToBcf<int8_t>(PlainGenotypes(), 2, bcf_int8_vector_end);
  for (size_t i = 0; i < values.size(); ++i) {
    const int8_t kept = values[i];
    for (const int8_t other : {0, 1, 2, 3, 4, 5, 6, 7, 8, -127, -128}) {
      values[i] = other;
      const bool is_plain = 2 <= other && other <= 5 && (i % 2 == 0 || other % 2 == 1);
      ASSERT_EQ(DecodePhasedBits(Field(values, 2, BCF_BT_INT8), GetParam(), bits_.data()), is_plain) << i << other;
    }
    values[i] = kept;
  }
  EXPECT_FALSE(DecodePhasedBits(Field(values, 1, BCF_BT_INT8), GetParam(), bits_.data()));
  EXPECT_FALSE(DecodePhasedBits(Field(values, 2, BCF_BT_INT16), GetParam(), bits_.data()));
}

TEST_P(GenotypeCallsTest, GeneralDecodersReadAnyGenotype) {
  for (const int16_t highest : {1, 3, 12}) {
    const auto genotypes = AnyGenotypes(highest);
    const size_t num_alleles = static_cast<size_t>(highest) + 1;
    GenotypeCalls calls;
    ParseCalls(ToText(genotypes, ""), 0, samples_, num_alleles, calls);
    ExpectCalls(calls, genotypes);
    ParseCalls(ToText(genotypes, ":12:0,5"), 0, samples_, num_alleles, calls);
    ExpectCalls(calls, genotypes);

    auto narrow = ToBcf<int8_t>(genotypes, 2, bcf_int8_vector_end);
    DecodeCalls(Field(narrow, 2, BCF_BT_INT8), samples_, num_alleles, calls);
    ExpectCalls(calls, genotypes);
    auto wide = ToBcf<int16_t>(genotypes, 3, bcf_int16_vector_end);
    DecodeCalls(Field(wide, 3, BCF_BT_INT16), samples_, num_alleles, calls);
    ExpectCalls(calls, genotypes);
    auto widest = ToBcf<int32_t>(genotypes, 2, bcf_int32_vector_end);
    DecodeCalls(Field(widest, 2, BCF_BT_INT32), samples_, num_alleles, calls);
    ExpectCalls(calls, genotypes);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, GenotypeCallsTest, testing::Values(1, 2, 3, 31, 32, 33, 34, 64, 65, 100));

class GenotypeTextTest : public testing::Test {
 protected:
  GenotypeCalls Parse(const std::string& text, size_t num_alleles = 2, size_t gt_field = 0) {
    GenotypeCalls calls;
    ParseCalls(text, gt_field, SampleNames(2), num_alleles, calls);
    return calls;
  }
  std::string ErrorOfText(const std::string& text, size_t num_alleles = 2, size_t gt_field = 0) {
    return ErrorOf([&] { Parse(text, num_alleles, gt_field); });
  }
};

TEST_F(GenotypeTextTest, FindsGtBehindOtherFields) {
  EXPECT_EQ(Parse("7:0|1:x\t8:1|.:y", 2, 1).alleles, (std::vector<int16_t>{0, 1, 1, kMissingCall}));
  EXPECT_THAT(ErrorOfText("7:0|1\t8", 2, 1), HasSubstr("sample S1 has no value for GT"));
}

// VCF 4.4 may write the phase before the first allele, too.
TEST_F(GenotypeTextTest, AcceptsAPhaseBeforeTheFirstAllele) {
  const GenotypeCalls calls = Parse("|0|1\t/1/0");
  EXPECT_EQ(calls.alleles, (std::vector<int16_t>{0, 1, 1, 0}));
  EXPECT_EQ(calls.unphased, (std::vector<uint8_t>{0, 1}));
  EXPECT_EQ(Parse("|1\t|.").alleles, (std::vector<int16_t>{1, kAbsentCall, kMissingCall, kAbsentCall}));
}

TEST_F(GenotypeTextTest, RefusesWhatIsNoGenotype) {
  for (const char* text : {"0|1\t", "0|1\t|", "0|1\t0|", "0|1\tx", "0|1\t0-1", "0|1\t0|1x", "0|1\t-1|0"}) {
    EXPECT_THAT(ErrorOfText(text), HasSubstr("sample S1 has the genotype \"")) << text;
  }
  EXPECT_THAT(ErrorOfText("0|0|1\t0|1"), HasSubstr("sample S0 has 3 alleles"));
  EXPECT_THAT(ErrorOfText("0|1\t0|2"), HasSubstr("sample S1 has allele 2, but the record has 1 ALT"));
  EXPECT_THAT(ErrorOfText("0|1\t0|99999999999999999999"), HasSubstr("sample S1 has allele"));
  EXPECT_THAT(ErrorOfText("0|1"), HasSubstr("genotypes of 1 sample, but the header has 2"));
  EXPECT_THAT(ErrorOfText("0|1\t0|1\t0|0"), HasSubstr("genotypes of 3 samples, but the header has 2"));
}

TEST_F(GenotypeTextTest, WritesGenotypesForMessages) {
  const GenotypeCalls calls = Parse("0/1\t.");
  EXPECT_EQ(GenotypeText(calls, 0, '/'), "0/1");
  EXPECT_EQ(GenotypeText(calls, 1, '|'), ".");
}

class PhaseSetsTest : public testing::Test {
 protected:
  // A file of samples A, B and C whose header declares PS with `type`.
  std::string Make(const std::string& records, FileForm form, const std::string& type = "Integer") const {
    std::string text = VcfText().text();
    text.insert(text.find("#CHROM"),
                fmt::format("##FORMAT=<ID=PS,Number=1,Type={},Description=\"Phase set\">\n", type));
    const std::string path = folder_ / (form == FileForm::kBcf ? "study.bcf" : "study.vcf");
    WriteFile(path + ".txt", text + records);
    if (form == FileForm::kVcf) {
      WriteFile(path, text + records);
    } else {
      Bcftools(fmt::format("view -Ob -o '{}' '{}'", path, path + ".txt"));
    }
    return path;
  }

  StudyGenotypes Read(const std::string& path, StudyOptions options = {}) const {
    options.phase_sets = options.unphased == Unphased::kAccept;
    StudyReader reader(path, std::move(options));
    StudyGenotypes study = reader.StartContig();
    reader.ReadUntil(INT64_MAX, study);
    return study;
  }

  std::string ErrorFor(const std::string& records, FileForm form, const std::string& type = "Integer") const {
    const std::string path = Make(records, form, type);
    return ErrorOf([&] { Read(path); });
  }

  static std::string Record(const std::string& genotypes, int64_t position = 10, const std::string& alt = "C") {
    return fmt::format("20\t{}\t.\tA\t{}\t.\t.\t.\tGT:DP:PS\t{}\n", position, alt, genotypes);
  }

  const TemporaryFolder folder_;
};

TEST_F(PhaseSetsTest, OfPhasedHeterozygotes) {
  const std::string records = Record("0|1:5:0\t1|0:5:70000\t1|0:5:2147483647", 10) +
                              Record("0/1:5:3\t1|1:5:3\t.|.:5:3", 20) +  // no sets: PS has no meaning
                              Record("0|1:5:.\t0|1:5\t0|1", 30) +        // missing
                              Record("0|2:5:3\t1|2:5:3\t0|1:5:3", 40, "C,G");
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    const StudyGenotypes study = Read(Make(records, form));
    ASSERT_EQ(study.markers.size(), 5u);
    EXPECT_THAT(study.markers[0].genotypes.phase_sets, ElementsAre(1, 70001, 2147483648));
    EXPECT_THAT(study.markers[1].genotypes.phase_sets, IsEmpty());
    EXPECT_THAT(study.markers[2].genotypes.phase_sets, IsEmpty());
    EXPECT_THAT(study.markers[3].genotypes.phase_sets, ElementsAre(0, 4, 4));
    EXPECT_THAT(study.markers[4].genotypes.phase_sets, ElementsAre(4, 4, 0));
  }
}

TEST_F(PhaseSetsTest, OfTheSamplesThatAreKept) {
  const std::string path = Make(Record("0|1:5:1\t1|0:5:2\t1|0:5:3"), FileForm::kVcf);
  EXPECT_THAT(Read(path, {.excluded_samples = {"B"}}).markers[0].genotypes.phase_sets, ElementsAre(2, 4));
  EXPECT_THAT(Read(path, {.samples = {"C", "B"}}).markers[0].genotypes.phase_sets, ElementsAre(3, 4));
}

TEST_F(PhaseSetsTest, AreNotReadUnlessAskedFor) {
  const std::string path = Make(Record("0|1:5:1\t1|0:5:x\t1|0:5:3"), FileForm::kVcf);
  EXPECT_THAT(Read(path, {.unphased = Unphased::kReadAll}).markers[0].genotypes.phase_sets, IsEmpty());
}

TEST_F(PhaseSetsTest, NumbersDeclaredAsText) {
  const std::string record = Record("0|1:5:12\t1|0:5:.\t1|0:5:3");
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    EXPECT_THAT(Read(Make(record, form, "String")).markers[0].genotypes.phase_sets, ElementsAre(13, 0, 4));
  }
}

TEST_F(PhaseSetsTest, InvalidValues) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    EXPECT_THAT(ErrorFor(Record("0|1:5:1\t1|0:5:-4\t1|0:5:3"), form),
                HasSubstr("20:10: sample B has the phase set (PS) \"-4\"; expected a whole number from 0"));
    EXPECT_THAT(ErrorFor(Record("0|1:5:chr1_7\t1|0:5:4\t1|0:5:3"), form, "String"),
                HasSubstr("20:10: sample A has the phase set (PS) \"chr1_7\""));
    EXPECT_THAT(ErrorFor(Record("0|1:5:1\t1|0:5:4\t1|0:5:3,4"), form),
                HasSubstr("20:10: sample C has the phase set (PS) \"3,4\""));
  }
  EXPECT_THAT(ErrorFor(Record("0|1:5:1.5\t1|0:5:4\t1|0:5:3"), FileForm::kBcf, "Float"),
              HasSubstr("20:10: the phase sets (PS) are not whole numbers"));
}

}  // namespace
}  // namespace haplospin
