#include "genotypes/variant_io/reading/likelihood_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::array<uint8_t, 3>> Phreds(const std::vector<GenotypeLikelihoods>& row) {
  std::vector<std::array<uint8_t, 3>> phreds;
  for (const GenotypeLikelihoods& genotype : row) phreds.push_back(genotype.phred);
  return phreds;
}
using P = std::array<uint8_t, 3>;

class LikelihoodsTest : public testing::Test {
 protected:
  StudyGenotypes Read(const VcfText& vcf, LikelihoodField field, FileForm form = FileForm::kVcf) const {
    WriteVariants(path_, vcf, form);
    StudyReader reader(path_, {.unphased = Unphased::kReadAll, .likelihoods = field});
    StudyGenotypes study = reader.StartContig();
    reader.ReadUntil(std::numeric_limits<int64_t>::max(), study);
    return study;
  }

  std::string Error(const VcfText& vcf, LikelihoodField field, FileForm form = FileForm::kVcf) const {
    return ErrorOf([&] { Read(vcf, field, form); });
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "study.vcf";
};

TEST_F(LikelihoodsTest, CertainGenotypesAreCalledAndOthersMissing) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "1|1:0,40,99 0/0:90,0,90 0/0:99,45,5", "GT:PL")
        .Add("1", 20, "A", "C", "0/1:0,39,300 ./.:7,10,27 0/0:0,99,255", "GT:PL");
    const StudyGenotypes study = Read(vcf, LikelihoodField::kPl, form);
    EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(0, 0, 0, 1, 1, 1));
    EXPECT_THAT(study.markers[1].genotypes.alleles, ElementsAre(2, 2, 2, 2, 0, 0));
    EXPECT_THAT(study.markers[0].genotypes.unphased, ElementsAre(0, 1, 0));
    EXPECT_THAT(Phreds(study.markers[1].genotypes.likelihoods), ElementsAre(P{0, 39, 255}, P{0, 3, 20}, P{0, 99, 255}));
  }
}

TEST_F(LikelihoodsTest, OfLogarithmsAndReads) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "-1.5,-0.3,-0.8:3,0 0,-inf,-2:1,1 .:0,0", "GL:AD");
    EXPECT_THAT(Phreds(Read(vcf, LikelihoodField::kGl, form).markers[0].genotypes.likelihoods),
                ElementsAre(P{12, 0, 5}, P{0, 255, 20}, P{0, 0, 0}));
    EXPECT_THAT(Phreds(Read(vcf, LikelihoodField::kAd, form).markers[0].genotypes.likelihoods),
                ElementsAre(P{0, 9, 69}, P{17, 0, 17}, P{0, 0, 0}));
  }
}

TEST_F(LikelihoodsTest, CallsAreOneReadOfEachAllele) {
  VcfText vcf;
  vcf.Add("1", 10, "A", "C", "0/0 1/1 ./.").Add("1", 20, "A", "C,G", "2/2 0/1 1/1");
  const StudyGenotypes study = Read(vcf, LikelihoodField::kGt);
  EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{0, 3, 23}, P{23, 3, 0}, P{0, 0, 0}));
  EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(2, 2, 2, 2, 2, 2));
  EXPECT_THAT(Phreds(study.markers[1].genotypes.likelihoods), ElementsAre(P{0, 3, 23}, P{17, 0, 17}, P{23, 3, 0}));
}

// Of the genotypes with as many copies of an ALT, the most likely one counts.
TEST_F(LikelihoodsTest, OfSeveralAlts) {
  VcfText vcf;
  // Genotypes 00, 01, 11, 02, 12, 22.
  vcf.Add("1", 10, "A", "C,G", "60,50,40,30,0,20:1,5,4 .:. 0,9,9,9,9,9:0,0,0", "PL:AD");
  const StudyGenotypes study = Read(vcf, LikelihoodField::kPl);
  EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{20, 0, 40}, P{0, 0, 0}, P{0, 9, 9}));
  EXPECT_THAT(Phreds(study.markers[1].genotypes.likelihoods), ElementsAre(P{40, 0, 20}, P{0, 0, 0}, P{0, 9, 9}));
  EXPECT_EQ(Phreds(Read(vcf, LikelihoodField::kAd).markers[0].genotypes.likelihoods)[0], (P{85, 0, 85}));
}

// bcftools merge leaves the values of ALTs missing that a sample's own file lacks.
TEST_F(LikelihoodsTest, OfAltsThatTheFileOfASampleLacked) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    // Genotypes 00, 01, 11, 02, 12, 22.
    vcf.Add("1", 10, "A", "C,G",
            "0/1:68,0,68,.,.,.:4,4,.:-6.8,0,-6.8,.,.,. 0/2:68,.,.,0,.,68:4,.,4:-6.8,.,.,0,.,-6.8 "
            "0/0:0,3,30,.,.,.:1,.,.:0,-0.3,-3,.,.,.",
            "GT:PL:AD:GL");
    for (const LikelihoodField field : {LikelihoodField::kPl, LikelihoodField::kGl}) {
      const StudyGenotypes study = Read(vcf, field, form);
      EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(0, 1, 0, 0, 2, 2));
      EXPECT_THAT(study.markers[1].genotypes.alleles, ElementsAre(0, 0, 0, 1, 2, 2));
      EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{68, 0, 68}, P{0, 68, 68}, P{0, 3, 30}));
      EXPECT_THAT(Phreds(study.markers[1].genotypes.likelihoods), ElementsAre(P{0, 68, 68}, P{68, 0, 68}, P{0, 3, 30}));
    }
    const StudyGenotypes reads = Read(vcf, LikelihoodField::kAd, form);
    EXPECT_EQ(Phreds(reads.markers[0].genotypes.likelihoods)[0], (P{68, 0, 68}));
    EXPECT_EQ(Phreds(reads.markers[1].genotypes.likelihoods)[2], (P{0, 3, 23}));
  }
}

// bcftools norm -m- leaves the value of 0/0 alone to an ALT that a sample's own file lacked: the call counts.
TEST_F(LikelihoodsTest, OneValueTellsNoMoreThanTheCall) {
  WriteVariants(path_, VcfText().Add("1", 10, "A", "C", "0/0:2:68,.,. ./.:2:0,.,. 0/1:9:60,0,60", "GT:DP:PL"),
                FileForm::kVcf);
  StudyReader reader(path_, {.likelihoods = LikelihoodField::kPl});
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(std::numeric_limits<int64_t>::max(), study);
  EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{0, 6, 46}, P{0, 0, 0}, P{60, 0, 60}));
  EXPECT_THAT(reader.Reading().weighed, ElementsAre(1, 0, 0));
}

TEST_F(LikelihoodsTest, MissingNumbersOfReadsAreNotNone) {
  WriteVariants(path_, VcfText().Add("1", 10, "A", "C", "0/0:2:.,. ./.:2:.,. 0/1:9:4,5", "GT:DP:AD"), FileForm::kVcf);
  StudyReader reader(path_, {.likelihoods = LikelihoodField::kAd});
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(std::numeric_limits<int64_t>::max(), study);
  EXPECT_THAT(reader.Reading().weighed, ElementsAre(1, 0, 0));
  EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods)[0], (P{0, 6, 46}));
}

// bcftools mpileup and a gVCF give the likelihoods of alleles that no read has.
TEST_F(LikelihoodsTest, OfAlleleThatWasNotSeen) {
  VcfText vcf;
  vcf.Add("1", 10, "A", "<*>", "0,3,20 0,3,20 .", "PL").Add("1", 20, "A", "<*>,C", "9,9,9,0,9,8 . .", "PL");
  vcf.Add("1", 30, "A", ".", "0/0:7 0/0:2 ./.:0", "GT:AD");
  const StudyGenotypes study = Read(vcf, LikelihoodField::kPl);
  EXPECT_EQ(study.markers[0].marker.alt, ".");
  EXPECT_EQ(Phreds(study.markers[0].genotypes.likelihoods)[0], (P{0, 3, 20}));
  EXPECT_EQ(Phreds(study.markers[1].genotypes.likelihoods)[0], (P{9, 0, 8}));
  EXPECT_THAT(study.markers[2].genotypes.likelihoods, IsEmpty());  // a record without the field has its calls
  EXPECT_THAT(study.markers[2].genotypes.alleles, ElementsAre(0, 0, 0, 0, 2, 2));
}

TEST_F(LikelihoodsTest, AHaploidSampleIsNotHeterozygous) {
  VcfText vcf;
  vcf.Add("X", 10, "A", "C", "1:30,0 0/1:9,0,9 0:0,5,60", "GT:PL");
  const StudyGenotypes study = Read(vcf, LikelihoodField::kPl);
  EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{30, 255, 0}, P{9, 0, 9}, P{0, 255, 60}));
  EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(2, 2, 2, 0));
}

// Without calls, the number of likelihoods is all that tells of a man on X. Of a diploid sample it would be damage.
TEST_F(LikelihoodsTest, AsManyAsAllelesAreOfAHaploidSample) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("X", 10, "A", "C", ". 0,3,40 0,30", "PL").Add("X", 20, "A", "C", "7,0 9,0,9 .", "PL");
    const StudyGenotypes study = Read(vcf, LikelihoodField::kPl, form);
    EXPECT_THAT(study.samples.first_haplotype, ElementsAre(0, 1, 3, 4));
    EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(2, 2, 2, 2));
    EXPECT_THAT(Phreds(study.markers[1].genotypes.likelihoods), ElementsAre(P{7, 255, 0}, P{9, 0, 9}, P{0, 255, 0}));
    vcf.Add("X", 30, "A", "C", "0,9 0,9,9 0,9", "PL").Add("X", 40, "A", "C", "0,9 0,9 0,9", "PL");
    EXPECT_THAT(Error(vcf, LikelihoodField::kPl, form), "");
  }
}

TEST_F(LikelihoodsTest, WhatIsNoLikelihood) {
  const auto expect = [&](const std::string& values, LikelihoodField field, const std::string& part) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", values + " . .", FieldName(field));
    EXPECT_THAT(Error(vcf, field), HasSubstr(path_ + ": 1:10: sample A has " + part)) << values;
  };
  VcfText truncated;
  truncated.Add("1", 10, "A", "C", "0,0,0 0,1,2", "PL");
  EXPECT_THAT(Error(truncated, LikelihoodField::kPl), HasSubstr("1:10: PL of 2 samples, but the header has 3"));
  expect("0,x,3", LikelihoodField::kPl, "\"x\" in PL; expected 3 phred-scaled likelihoods, from 0, or \".\"");
  expect("0,1,2,3", LikelihoodField::kPl, "4 values in PL");
  expect("0", LikelihoodField::kPl, "1 values in PL");
  expect("0,-1,3", LikelihoodField::kPl, "the negative value -1 in PL");
  expect("nan,0,0", LikelihoodField::kGl, "\"nan\" in GL; expected 3 decimal logarithms of likelihoods");
  expect("-inf,-inf,-inf", LikelihoodField::kGl, "no genotype that is possible in GL");
  expect("1,2,3", LikelihoodField::kAd, "3 values in AD; expected 2 numbers of reads");
}

// GLnexus writes 0/0 without PL where the reads have nothing but REF. How many reads there are decides how certain it
// is.
TEST_F(LikelihoodsTest, ACallWithoutLikelihoodsIsOfItsReads) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "0/0:2:30:. 0/1:4:30:. ./.:3:.:.", "GT:DP:GQ:PL")
        .Add("1", 20, "A", "C", "1/1:1:.:. 0/.:9:9:. 0/0:0:9:.", "GT:DP:GQ:PL")
        .Add("1", 30, "A", "C", "0/0:.:12:. 0/1:.:12:. 0/0:40:.:.", "GT:DP:GQ:PL");
    const StudyGenotypes study = Read(vcf, LikelihoodField::kPl, form);
    EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{0, 6, 46}, P{34, 0, 34}, P{0, 0, 0}));
    EXPECT_THAT(Phreds(study.markers[1].genotypes.likelihoods), ElementsAre(P{23, 3, 0}, P{0, 0, 0}, P{0, 0, 0}));
    EXPECT_THAT(Phreds(study.markers[2].genotypes.likelihoods),
                ElementsAre(P{0, 12, 92}, P{12, 0, 12}, P{0, 120, 255}));
    EXPECT_THAT(study.markers[2].genotypes.alleles, ElementsAre(2, 2, 2, 2, 0, 0));
  }
}

// Where nothing tells the number of reads, it is taken to be that of other homozygotes.
TEST_F(LikelihoodsTest, ACallWithoutDepthIsAsCertainAsOthers) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "0/0:. 0/1:. 1/1:27,3,0", "GT:PL")
        .Add("1", 20, "A", "C", "1/1:81,9,0 0/1:9,0,30 1/1:.", "GT:PL");
    const StudyGenotypes study = Read(vcf, LikelihoodField::kPl, form);
    EXPECT_THAT(Phreds(study.markers[0].genotypes.likelihoods), ElementsAre(P{0, 5, 30}, P{9, 0, 9}, P{27, 3, 0}));
    EXPECT_EQ(Phreds(study.markers[1].genotypes.likelihoods)[2], (P{30, 5, 0}));
  }
  VcfText alone;
  alone.Add("1", 10, "A", "C", "0/0:. 0/0:. 0/0:.", "GT:PL");  // as if they were of one read
  EXPECT_EQ(Phreds(Read(alone, LikelihoodField::kPl).markers[0].genotypes.likelihoods)[0], (P{0, 3, 23}));
}

TEST_F(LikelihoodsTest, CallsWithoutLikelihoodsAreCounted) {
  WriteVariants(path_, VcfText().Add("1", 10, "A", "C", "0/0:2:. 0/1:.:. ./.:.:.", "GT:DP:PL"), FileForm::kVcf);
  StudyReader reader(path_, {.likelihoods = LikelihoodField::kPl});
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(std::numeric_limits<int64_t>::max(), study);
  EXPECT_THAT(reader.Reading().weighed, ElementsAre(1, 0, 1));
}

TEST_F(LikelihoodsTest, LogarithmsOfLikelihoodsAreNotPositive) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    const auto error = [&](const std::string& likelihoods) {
      return Error(VcfText({"A"}).Add("1", 10, "A", "C", "0/0:" + likelihoods, "GT:GL"), LikelihoodField::kGl, form);
    };
    EXPECT_THAT(error("0.9,0.1,0"), AllOf(HasSubstr("1:10: sample A has 0.9,0.1,0 in GL"), HasSubstr("no logarithms")));
    EXPECT_THAT(error("1,0,0"), HasSubstr("no logarithms"));
    EXPECT_EQ(error("0,0,0"), "");
    EXPECT_EQ(error("0,-2,-5"), "");
    EXPECT_EQ(error("-0.1,-2,-5"), "");
  }
}

}  // namespace
}  // namespace haplospin
