#include "genotypes/variant_io/alignments/people_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kLength = 1000000;  // as VcfText declares
constexpr int64_t kEnd = 100000;      // of reads and sites
constexpr size_t kReadLength = 50;

// A has reads of a library of single strands with damage, B without.
class PeopleErrorsTest : public testing::Test {
 protected:
  PeopleErrorsTest() {
    RandomStream random(5);
    for (int64_t i = 0; i < kLength; ++i) reference_ += "ACGT"[random.UniformInt(4)];
    VcfText vcf(std::vector<std::string>{"P"}, {"19", "20"});
    vcf.Add("19", 100, "A", "C", "0|1");
    for (int64_t position = 50; position < kEnd; position += 20) {
      const char ref = reference_[static_cast<size_t>(position) - 1];
      char alt = ref;
      while (alt == ref) alt = "ACGT"[random.UniformInt(4)];
      vcf.Add("20", position, std::string(1, ref), std::string(1, alt), "0|1");
    }
    WriteText(sites_, vcf.text(), FileForm::kVcf);
    people_ = {{"A", {{Write("A", 0.4, random)}}}, {"B", {{Write("B", 0, random)}}}};
  }

  std::string Write(const std::string& name, double damage, RandomStream& random) const {
    SamText sam(name, "chr20", kLength);
    for (int64_t position = 1; position < kEnd; position += 1 + static_cast<int64_t>(random.UniformInt(40))) {
      std::string bases = reference_.substr(static_cast<size_t>(position) - 1, kReadLength);
      const bool is_reverse = random.Bernoulli(0.5);
      for (size_t i = 0; i < kReadLength; ++i) {
        const auto distance = static_cast<double>(std::min(i, kReadLength - 1 - i));
        if (!random.Bernoulli(damage * std::exp(-distance / 2))) continue;
        if (bases[i] == (is_reverse ? 'G' : 'C')) bases[i] = is_reverse ? 'A' : 'T';
      }
      sam.Add({.flag = is_reverse ? BAM_FREVERSE : 0,
               .position = position,
               .cigar = "50M",
               .bases = bases,
               .contig = "chr20"});
    }
    const std::string path = folder_ / (name + ".bam");
    WriteAlignments(path, sam);
    IndexAlignments(path);
    return path;
  }

  std::shared_ptr<AlignmentStudy> Study() const {
    auto study = std::make_shared<AlignmentStudy>();
    study->people = people_;
    study->contigs = {{"chr19", kLength}, {"chr20", kLength}};
    return study;
  }

  TemporaryFolder folder_;
  std::string reference_;
  const std::string sites_ = folder_ / "sites.vcf";
  std::vector<AlignedPerson> people_;
};

TEST_F(PeopleErrorsTest, DamageOfOnePerson) {
  PeopleErrors errors(Study(), sites_);
  const auto models = errors.Models();
  ASSERT_EQ(models.size(), 2);
  EXPECT_TRUE(models[0].HasDamage());
  for (const ReadEnd end : {kReadStart, kReadEnd}) EXPECT_NEAR(models[0].Damage(kCToT, end, 0), 0.4, 0.15);
  EXPECT_LT(models[0].Damage(kGToA, kReadEnd, 0), 0.02);
  EXPECT_FALSE(models[1].HasDamage());
  EXPECT_EQ(models[1].ExtraError(), 0);

  testing::internal::CaptureStderr();
  errors.Tell("reads.txt");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("reads.txt: reads of 1 sample have damage of ancient DNA"));
}

TEST_F(PeopleErrorsTest, OtherPeopleDoNotMatter) {
  const auto alone = Study();
  alone->people.pop_back();
  PeopleErrors one(alone, sites_), both(Study(), sites_);
  for (const Deamination deamination : {kCToT, kGToA}) {
    for (size_t i = 0; i < kDamageDistances; ++i) {
      EXPECT_EQ(one.Models()[0].Damage(deamination, kReadStart, i),
                both.Models()[0].Damage(deamination, kReadStart, i));
    }
  }
}

TEST_F(PeopleErrorsTest, QualitiesMayBeTrusted) {
  const auto study = Study();
  study->filter.trusts_qualities = true;
  PeopleErrors errors(study, sites_);
  EXPECT_THAT(errors.Models(), IsEmpty());
}

}  // namespace
}  // namespace haplospin
