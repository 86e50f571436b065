#include "genotypes/variant_io/alignments/alignment_study.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class AlignmentStudyTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, SamText sam) const {
    WriteAlignments(folder_ / name, sam.Add({.position = 5, .cigar = "4M", .bases = "ACGT", .contig = contig_}));
    return folder_ / name;
  }

  std::string Error(const std::vector<AlignmentTarget>& targets, const std::string& fasta = "") const {
    return ErrorOf([&] { OpenAlignmentStudy(targets, fasta, {}); });
  }

  TemporaryFolder folder_;
  std::string contig_ = "20";
};

TEST_F(AlignmentStudyTest, FilesAreJoinedToPeople) {
  const std::string a = Write("a.sam", SamText("A")), b = Write("b.sam", SamText("B")),
                    a2 = Write("a2.sam", SamText("A").Add({.name = "q", .cigar = "2M", .bases = "AC"})),
                    none = Write("none.sam", SamText(""));
  const AlignmentStudy study =
      OpenAlignmentStudy(std::vector<AlignmentTarget>{{b, ""}, {a, ""}, {a2, ""}, {none, "N"}}, "", {});
  EXPECT_THAT(study.Names(), ElementsAre("B", "A", "N"));
  EXPECT_THAT(study.people[1].Paths(), ElementsAre(a, a2));
  EXPECT_EQ(study.contigs[0].second, 100000);
  const AlignmentStudy named = OpenAlignmentStudy(std::vector<AlignmentTarget>{{a, "x"}, {a2, "y"}}, "", {});
  EXPECT_THAT(named.Names(), ElementsAre("x", "y"));
}

TEST_F(AlignmentStudyTest, SomePeopleAreKept) {
  AlignmentStudy study{.people = {{.name = "A", .files = {}}, {"B", {}}, {"C", {}}}};
  std::vector<std::string> nobody;
  study.KeepPeople({"C", "D", "A"}, nobody);
  EXPECT_THAT(study.Names(), ElementsAre("A", "C"));
  study.KeepPeople({"D"}, nobody);  // which whoever reads the study will refuse
  EXPECT_THAT(study.Names(), ElementsAre("A", "C"));
  std::vector<std::string> excluded{"B", "C"};
  study.KeepPeople({}, excluded);
  EXPECT_THAT(study.Names(), ElementsAre("A"));
  EXPECT_THAT(excluded, ElementsAre("B"));
  excluded = {"A"};
  study.KeepPeople({}, excluded);
  EXPECT_THAT(study.Names(), ElementsAre("A"));
  EXPECT_THAT(excluded, ElementsAre("A"));
}

TEST_F(AlignmentStudyTest, ReadsOfAContig) {
  const AlignmentStudy study =
      OpenAlignmentStudy(std::vector<AlignmentTarget>{{Write("a.sam", SamText("A")), ""}}, "", {});
  EXPECT_TRUE(HasReads(study, "chr20"));
  EXPECT_FALSE(HasReads(study, "21"));
}

TEST_F(AlignmentStudyTest, NamesThatAreNotClear) {
  const std::string a = Write("a.sam", SamText("A")), b = Write("b.sam", SamText("B"));
  const std::string none = Write("none.sam", SamText(""));
  const std::string two = Write("two.sam", SamText("A").AddLine("@RG\tID:2\tSM:B"));
  EXPECT_THAT(Error({{a, ""}, {b, "A"}}), AllOf(HasSubstr("b.sam: would be the second person with the name A")));
  EXPECT_THAT(Error({{a, ""}, {a, ""}}), HasSubstr("a.sam: given twice"));
  EXPECT_THAT(Error({{none, ""}}), HasSubstr("none.sam: its header has no name of a person"));
  EXPECT_THAT(Error({{a, ""}, {two, "A"}}), HasSubstr("two.sam: would be the second person with the name A"));
}

TEST_F(AlignmentStudyTest, AFileOfSeveralPeople) {
  const std::string a = Write("a.sam", SamText("A").Add({.name = "q", .cigar = "2M", .bases = "AC"}));
  const std::string two = Write("two.sam", SamText("A").AddLine("@RG\tID:2\tSM:B")), b = Write("b.sam", SamText("B"));
  const AlignmentStudy study = OpenAlignmentStudy(std::vector<AlignmentTarget>{{two, ""}, {a, ""}}, "", {});
  EXPECT_THAT(study.Names(), ElementsAre("A", "B"));
  EXPECT_THAT(study.people[0].Paths(), ElementsAre(two, a));
  EXPECT_EQ(study.people[0].files[0].sample, "A");
  EXPECT_EQ(study.people[0].files[1].sample, "");
  EXPECT_EQ(study.people[1].files[0].sample, "B");
  // A name that is given is that of all reads, whatever their read groups say.
  const AlignmentStudy named = OpenAlignmentStudy(std::vector<AlignmentTarget>{{two, "X"}, {a, "X"}}, "", {});
  EXPECT_THAT(named.Names(), ElementsAre("X"));
  EXPECT_EQ(named.people[0].files[0].sample, "");
}

// Each read would count twice.
TEST_F(AlignmentStudyTest, OneFileByTwoPaths) {
  const std::string a = Write("a.sam", SamText("A"));
  std::filesystem::create_symlink(a, folder_ / "link.sam");
  std::filesystem::create_hard_link(a, folder_ / "hard.sam");
  std::filesystem::copy_file(a, folder_ / "copy.sam");
  EXPECT_THAT(Error({{a, ""}, {folder_ / "./a.sam", ""}}), HasSubstr("./a.sam: given twice, also as " + a));
  EXPECT_THAT(Error({{a, ""}, {folder_ / "link.sam", "L"}}), HasSubstr("link.sam: given twice, also as " + a));
  EXPECT_THAT(Error({{a, ""}, {folder_ / "hard.sam", ""}}), HasSubstr("hard.sam: given twice"));
  EXPECT_THAT(Error({{a, ""}, {folder_ / "copy.sam", ""}}), HasSubstr("copy.sam: begins with the same reads as " + a));
  EXPECT_EQ(Error({{a, ""}, {folder_ / "copy.sam", "B"}}), "");
  const std::string bam = Write("a.bam", SamText("A"));
  IndexAlignments(bam);
  EXPECT_THAT(Error({{a, ""}, {bam, ""}}), HasSubstr("a.bam: begins with the same reads as " + a));
}

TEST_F(AlignmentStudyTest, PeopleOfSeveralLibrariesAreNamed) {
  const auto messages = [&](const std::string& name, const std::string& given) {
    SamText sam("");
    for (const char* library : {"x", "y"}) {
      sam.AddLine(fmt::format("@RG\tID:{0}\tSM:{1}\tLB:{0}", library, name));
    }
    const std::string path = Write(name + ".sam", sam);
    testing::internal::CaptureStderr();
    OpenAlignmentStudy(std::vector<AlignmentTarget>{{path, given}}, "", {});
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(messages("Sample", ""), HasSubstr("one person, Sample, by the @RG SM, from 2 libraries (x, y); if the"));
  EXPECT_THAT(messages("Ada", ""), AllOf(HasSubstr("libraries (x, y)"), testing::Not(HasSubstr("warning"))));
  EXPECT_EQ(messages("Sample", "Ada"), "");
}

TEST_F(AlignmentStudyTest, OtherBuildsAreRefused) {
  const std::string a = Write("a.sam", SamText("A"));
  contig_ = "chr20";
  const std::string same = Write("b.sam", SamText("B", "chr20")), other = Write("c.sam", SamText("C", "chr20", 5000));
  EXPECT_EQ(Error({{a, ""}, {same, ""}}), "");
  EXPECT_THAT(Error({{a, ""}, {other, ""}}), HasSubstr("c.sam: contig chr20 has 5000 bp, but 100000 in"));
  const std::string fasta = folder_ / "r.fa";
  EXPECT_THAT(Error({{a, ""}}, fasta), HasSubstr("r.fa: no such file"));
  WriteFile(fasta, ">20\nACGT\n");
  EXPECT_THAT(Error({{a, ""}}, fasta), HasSubstr("r.fa: has no index"));
  WriteFasta(fasta, "20", "ACGT");
  EXPECT_THAT(Error({{a, ""}}, fasta), HasSubstr("but 4 in " + fasta));
  WriteFasta(fasta, "chr20", std::string(100000, 'A'));
  EXPECT_EQ(Error({{a, ""}}, fasta), "");
}

TEST_F(AlignmentStudyTest, AnIndexElsewhere) {
  const std::string bam = Write("a.bam", SamText("A"));
  IndexAlignments(bam);
  const std::string index = folder_ / "elsewhere";
  std::filesystem::rename(bam + ".bai", index);
  EXPECT_THAT(Error({{bam, ""}}), HasSubstr("a.bam: has no index"));
  EXPECT_EQ(Error({ParseAlignmentPath(bam + "##idx##" + index)}), "");
  EXPECT_THAT(Error({ParseAlignmentPath(bam + "##idx##" + index + "2")}), HasSubstr("elsewhere2: no such index of "));
}

TEST_F(AlignmentStudyTest, Lists) {
  WriteFile(folder_ / "list", "# files\na.bam a.bam.bai\nb.bam B\n\nc.bam\tC\n");
  const std::vector<AlignmentTarget> targets = ReadAlignmentList(folder_ / "list");
  ASSERT_EQ(targets.size(), 3);
  EXPECT_EQ(targets[0].path + targets[1].path + targets[2].path, "a.bamb.bamc.bam");
  EXPECT_EQ(targets[0].name + targets[1].name + targets[2].name, "BC");
  // Blanks in a path, and an index elsewhere.
  const std::string blank = Write("my reads.sam", SamText("A"));
  WriteFile(folder_ / "list", fmt::format("{0}\n{0}##idx##/x y.bai\nno such.bam\tN\n  {0} \n", blank));
  const std::vector<AlignmentTarget> others = ReadAlignmentList(folder_ / "list");
  ASSERT_EQ(others.size(), 4);
  for (const size_t i : {0, 1, 3}) EXPECT_EQ(others[i].path + others[i].name, blank);
  EXPECT_EQ(others[1].index, "/x y.bai");
  EXPECT_EQ(others[2].path, "no such.bam");
  EXPECT_EQ(others[2].name, "N");
  WriteFile(folder_ / "list", "a.bam A B\n");
  EXPECT_THAT(ErrorOf([&] { ReadAlignmentList(folder_ / "list"); }), HasSubstr("line 1: expected a path"));
  WriteFile(folder_ / "list", "\n");
  EXPECT_THAT(ErrorOf([&] { ReadAlignmentList(folder_ / "list"); }), HasSubstr("empty; expected"));
}

}  // namespace
}  // namespace haplospin
