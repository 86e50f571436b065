#include "genotypes/variant_io/alignments/alignment_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr int64_t kLength = 100000;

class AlignmentFileTest : public testing::Test {
 protected:
  AlignmentFileTest() {
    RandomStream random(3);
    for (int64_t i = 0; i < kLength; ++i) reference_ += "ACGT"[random.UniformInt(4)];
    WriteFasta(fasta_, "20", reference_);
  }

  // Reads of 50 bases, sorted.
  SamText Reads(size_t count = 2000, const std::string& order = "coordinate") const {
    RandomStream random(5);
    std::multiset<int64_t> positions;
    for (size_t i = 0; i < count; ++i) positions.insert(1 + static_cast<int64_t>(random.UniformInt(kLength - 60)));
    SamText sam("A", "20", kLength, order);
    size_t i = 0;
    for (const int64_t position : positions) {
      sam.Add({.name = "r" + std::to_string(i++),
               .position = position,
               .cigar = "50M",
               .bases = reference_.substr(static_cast<size_t>(position) - 1, 50)});
    }
    return sam;
  }

  std::string Write(const std::string& name, const SamText& sam) const {
    WriteAlignments(folder_ / name, sam, fasta_);
    if (!name.ends_with(".sam")) IndexAlignments(folder_ / name);
    return folder_ / name;
  }

  std::vector<std::string> Names(const std::string& path, int64_t begin, int64_t end) const {
    std::vector<std::string> names;
    AlignmentFile file(path, fasta_);
    file.ForEachRead("20", begin, end, [&](const bam1_t& read) { names.emplace_back(bam_get_qname(&read)); });
    return names;
  }

  std::string CheckError(const std::string& path) const {
    return ErrorOf([&] { AlignmentFile(path, fasta_).Check(); });
  }

  std::string ReadError(const std::string& path) const {
    return ErrorOf([&] { Names(path, 0, kLength); });
  }

  TemporaryFolder folder_;
  std::string reference_;
  const std::string fasta_ = folder_ / "reference.fa";
};

// Short reads, and some that reach over several regions; the index is only needed for the first one.
TEST_F(AlignmentFileTest, ReadsGoOnWhereTheyStopped) {
  SamText sam("A", "20", kLength);
  for (int64_t position = 1; position < kLength - 4000; position += 20) {
    const bool is_long = position % 1000 == 1;
    sam.Add({.name = "r" + std::to_string(position),
             .position = position,
             .cigar = is_long ? "25M3000D25M" : "50M",
             .bases = reference_.substr(0, 50)});
  }
  const std::string path = Write("a.bam", sam), other = Write("b.bam", sam);
  RandomStream random(9);
  ReadPlace place;
  for (int64_t begin = 500; begin < kLength;) {
    const int64_t end = begin + 1 + static_cast<int64_t>(random.UniformInt(2500));
    std::vector<std::string> names;
    AlignmentFile(path, fasta_)
        .ForEachRead(
            "20", begin, end, [&](const bam1_t& read) { names.emplace_back(bam_get_qname(&read)); }, &place);
    EXPECT_EQ(names, Names(other, begin, end)) << begin;
    if (begin == 500) std::filesystem::remove(path + ".bai");
    begin = end + static_cast<int64_t>(random.UniformInt(200));
  }
  EXPECT_THAT(ErrorOf([&] {
                AlignmentFile(path, fasta_)
                    .ForEachRead(
                        "20", 100, 200, [](const bam1_t&) {}, &place);
              }),
              HasSubstr("a.bam: has no index"));
}

TEST_F(AlignmentFileTest, TheIndexTellsHowManyReadsAreMapped) {
  SamText sam = Reads(100);
  sam.Add({.name = "u", .flag = BAM_FUNMAP, .position = 0, .mapq = 0, .cigar = "*", .bases = "ACGT", .contig = "*"});
  const auto counted = AlignmentFile(Write("a.bam", sam), fasta_).CountMapped();
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->mapped, 100);
  EXPECT_EQ(counted->unmapped, 1);
  EXPECT_FALSE(AlignmentFile(Write("a.cram", Reads(100)), fasta_).CountMapped());
}

TEST_F(AlignmentFileTest, AllFormsGiveTheReadsOfARegion) {
  const SamText sam = Reads();
  const std::string bam = Write("a.bam", sam), cram = Write("a.cram", sam), text = Write("a.sam", sam);
  for (const std::string& path : {bam, cram, text}) {
    EXPECT_TRUE(IsAlignmentFile(path));
    EXPECT_EQ(CheckError(path), "");
    const AlignmentFile file(path, fasta_);
    EXPECT_THAT(file.samples(), ElementsAre("A"));
    EXPECT_THAT(file.contigs(), ElementsAre(std::pair<std::string, int64_t>("20", kLength)));
  }
  EXPECT_THAT(Names(bam, 0, kLength), SizeIs(2000));
  RandomStream random(7);
  for (int i = 0; i < 50; ++i) {
    const auto begin = static_cast<int64_t>(random.UniformInt(kLength));
    const auto end = begin + 1 + static_cast<int64_t>(random.UniformInt(3000));
    const std::vector<std::string> names = Names(text, begin, end);
    EXPECT_EQ(Names(bam, begin, end), names);
    EXPECT_EQ(Names(cram, begin, end), names);
  }
}

TEST_F(AlignmentFileTest, ContigsWithReads) {
  SamText sam("A", "21", kLength);
  sam.AddLine("@SQ\tSN:20\tLN:1000").Add({.position = 5, .cigar = "4M", .bases = "ACGT", .contig = "20"});
  for (const char* name : {"a.bam", "a.sam"}) {
    AlignmentFile file(Write(name, sam), "");
    EXPECT_TRUE(file.HasReads("20"));
    EXPECT_FALSE(file.HasReads("21"));
    EXPECT_THAT(ErrorOf([&] { file.HasReads("22"); }), HasSubstr("no contig 22"));
  }
}

TEST_F(AlignmentFileTest, OtherFilesAreNoAlignments) {
  WriteFile(folder_ / "a.txt", "nothing\n");
  EXPECT_FALSE(IsAlignmentFile(folder_ / "a.txt"));
  EXPECT_FALSE(IsAlignmentFile(folder_ / "none.bam"));
  EXPECT_FALSE(IsAlignmentFile(folder_.path()));
  EXPECT_THAT(CheckError(folder_ / "none.bam"), HasSubstr("none.bam: cannot open: No such file"));
  EXPECT_THAT(CheckError(folder_ / "a.txt"), HasSubstr("a.txt: not a BAM, CRAM or SAM file"));
}

TEST_F(AlignmentFileTest, UnsortedFiles) {
  EXPECT_THAT(CheckError(Write("a.sam", Reads(10, "queryname"))), HasSubstr("not sorted by position (SO:queryname)"));
  EXPECT_EQ(CheckError(Write("sorted.bam", Reads(10, "unsorted"))), "");
  SamText sam;
  sam.Add({.position = 50, .cigar = "4M", .bases = "ACGT"}).Add({.position = 20, .cigar = "4M", .bases = "ACGT"});
  EXPECT_THAT(ReadError(Write("b.sam", sam)), HasSubstr("one at 20:20 comes after position 50; sort"));
}

TEST_F(AlignmentFileTest, TruncatedFiles) {
  for (const char* name : {"a.bam", "a.cram"}) {
    const std::string path = Write(name, Reads());
    const std::string bytes = ReadFile(path);
    WriteFile(path, bytes.substr(0, bytes.size() - 20));
    EXPECT_THAT(CheckError(path), HasSubstr("truncated: its closing block is missing"));
    WriteFile(path, "");
    EXPECT_THAT(CheckError(path), HasSubstr(path));
  }
}

TEST_F(AlignmentFileTest, MissingAndForeignIndexes) {
  const std::string path = Write("a.bam", Reads());
  const std::string index = ReadFile(path + ".bai");
  std::filesystem::remove(path + ".bai");
  EXPECT_THAT(CheckError(path), HasSubstr("a.bam: has no index (.bai, .csi or .crai); make one (samtools index)"));
  WriteFile(folder_ / "a.bai", index);
  EXPECT_EQ(CheckError(path), "");
  Write("b.bam", Reads(1000));
  std::filesystem::copy_file(folder_ / "b.bam.bai", path + ".bai");
  EXPECT_THAT(CheckError(path), HasSubstr("a.bam.bai: not the index of"));
  for (const size_t size : {size_t{0}, size_t{3}, size_t{20}, index.size() / 2}) {
    WriteFile(path + ".bai", index.substr(0, size));
    EXPECT_THAT(CheckError(path), HasSubstr("a.bam.bai: damaged, or not a CSI or BAI index")) << size;
  }
  WriteFile(path + ".bai", index);
  EXPECT_EQ(CheckError(path), "");
  const auto now = std::filesystem::last_write_time(path);
  std::filesystem::last_write_time(path + ".bai", now - std::chrono::hours(1));  // of a file that was copied
  EXPECT_EQ(CheckError(path), "");
}

// Reads without a place come after those that the index has.
TEST_F(AlignmentFileTest, UnplacedReads) {
  SamText sam = Reads();
  for (int i = 0; i < 1000; ++i) sam.AddLine("u\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t????");
  const std::string path = Write("a.bam", sam);
  EXPECT_EQ(CheckError(path), "");
  EXPECT_THAT(Names(path, 0, kLength), SizeIs(2000));
}

TEST_F(AlignmentFileTest, CramNeedsItsReference) {
  const std::string path = Write("a.cram", Reads());
  setenv("REF_PATH", (folder_ / "none/%s").c_str(), 1);
  std::filesystem::remove(fasta_);
  std::filesystem::remove(fasta_ + ".fai");
  EXPECT_THAT(
      ErrorOf([&] { AlignmentFile(path, "").Check(); }),
      AllOf(HasSubstr("a.cram: its first read cannot be decoded: the reference is not found"), HasSubstr("--fasta")));
  unsetenv("REF_PATH");
  const std::string other = folder_ / "other.fa";
  WriteFasta(other, "20", std::string(kLength, 'A'));
  EXPECT_THAT(ErrorOf([&] { AlignmentFile(path, other).Check(); }), HasSubstr("cannot be decoded with " + other));
}

TEST_F(AlignmentFileTest, DamageIsAnError) {
  const std::string path = Write("a.bam", Reads());
  const std::string bytes = ReadFile(path);
  RandomStream random(11);
  size_t errors = 0;
  for (int i = 0; i < 100; ++i) {
    std::string damaged = bytes;
    damaged[random.UniformInt(damaged.size())] ^= static_cast<char>(1 + random.UniformInt(255));
    WriteFile(path, damaged);
    const std::string error = ErrorOf([&] {
      AlignmentFile file(path, "");
      file.Check();
      file.ForEachRead("20", 0, kLength, [](const bam1_t&) {});
    });
    if (error.empty()) continue;
    EXPECT_THAT(error, StartsWith(folder_.path().string()));
    ++errors;
  }
  EXPECT_GT(errors, 80);  // a checksum tells
}

}  // namespace
}  // namespace haplospin
