#include "genotypes/variant_io/writing/genotype_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "core/output_file.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/variant_files.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

const SampleTable kSamples{{"m", "f"}, {0, 1, 3}};
const VariantHeader kHeader{.contigs = {{"X", 5000}, {"Y", 0}}, .lines = {"##source=test"}};

void WriteTwoMarkers(GenotypeWriter& writer) {
  const std::vector<uint8_t> first{1, 0, 1}, second{0, kMissingAllele, 1};
  writer.Write("X", {10, "rs1", "A", "C"}, kSamples, first);
  writer.Write("X", {30, ".", "AT", "A"}, kSamples, second);
}

size_t NumRecords(const std::string& path) {
  VariantFile file(path);
  RawRecords records;
  size_t count = 0;
  while (file.Read(records)) count += records.size();
  return count;
}

TEST(GenotypeWriter, WritesVcf) {
  const TemporaryFolder folder;
  GenotypeWriter writer(folder / "out.vcf", OutputType::kByExtension, kHeader, kSamples);
  WriteTwoMarkers(writer);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.vcf"));  // not before it is complete
  writer.Finish(IndexType::kNone);
  const std::string text = ReadFile(folder / "out.vcf");
  EXPECT_THAT(text, testing::StartsWith("##fileformat=VCFv4.2\n"));
  EXPECT_THAT(text, HasSubstr("\n##source=test\n"));
  EXPECT_THAT(text, HasSubstr("\n##contig=<ID=X,length=5000>\n##contig=<ID=Y>\n"));
  EXPECT_THAT(text, testing::EndsWith("INFO\tFORMAT\tm\tf\n"
                                      "X\t10\trs1\tA\tC\t.\tPASS\tAC=2;AN=3\tGT\t1\t0|1\n"
                                      "X\t30\t.\tAT\tA\t.\tPASS\tAC=1;AN=2\tGT\t0\t.|1\n"));
  EXPECT_EQ(folder.NumFiles(), 1u);
}

// Arrays have several markers at position 0, of which nobody knows the place.
TEST(GenotypeWriter, IndexesMarkersAtPosition0) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> alleles{1, 0, 1};
  for (const char* name : {"a.vcf.gz", "a.bcf"}) {
    GenotypeWriter writer(folder / name, OutputType::kByExtension, kHeader, kSamples);
    for (const int64_t position : {0, 0, 0, 30}) writer.Write("X", {position, ".", "A", "C"}, kSamples, alleles);
    writer.Finish(IndexIfPossible(folder / name, OutputType::kByExtension));
    VariantFile file(folder / name);
    ASSERT_TRUE(file.SeekByIndex("X", 30));
    RawRecords records;
    ASSERT_TRUE(file.Read(records));
    EXPECT_EQ(NumRecords(folder / name), 4u);
  }
  EXPECT_EQ(folder.NumFiles(), 4u);
}

// A file of several blocks that is compressed in parallel, whose writer ends after some markers, and another goes on.
TEST(GenotypeWriter, AnotherWriterGoesOn) {
  constexpr int kMarkers = 9000, kEnd = 7000;
  const SampleTable samples = SampleTable::Diploid(SampleNames(200));
  const std::vector<uint8_t> alleles(samples.num_haplotypes(), 1);
  const TemporaryFolder folder;
  for (const char* name : {"a.vcf", "a.vcf.gz", "a.bcf"}) {
    const auto open = [&](OutputFile::Unfinished unfinished) {
      return GenotypeWriter(folder / name, OutputType::kByExtension, kHeader, samples, unfinished);
    };
    const auto write = [&](GenotypeWriter& writer, int64_t begin, int64_t end) {
      for (int64_t m = begin; m < end; ++m) writer.Write("X", {10 + m, ".", "A", "C"}, samples, alleles);
      writer.EndBlock();
    };
    const auto finish = [&](GenotypeWriter& writer) {
      writer.Finish(IndexIfPossible(folder / name, OutputType::kByExtension));
      return ReadFile(folder / name);
    };
    GenotypeWriter whole = open(OutputFile::Unfinished::kRemove);
    write(whole, 0, kEnd);
    write(whole, kEnd, kMarkers);
    const std::string expected = finish(whole);
    std::filesystem::remove(folder / name);
    WriterState state;
    {
      GenotypeWriter first = open(OutputFile::Unfinished::kKeep);
      write(first, 0, kEnd);
      state = first.Save();
      write(first, kEnd, kEnd + 500);  // which is lost
    }
    EXPECT_EQ(state.last_position, 10 + kEnd - 1);
    EXPECT_FALSE(std::filesystem::exists(folder / name));
    GenotypeWriter second = open(OutputFile::Unfinished::kKeep);
    second.Restore(state);
    write(second, kEnd, kMarkers);
    EXPECT_TRUE(finish(second) == expected) << name;
    EXPECT_EQ(NumRecords(folder / name), size_t{kMarkers}) << name;
  }
}

TEST(GenotypeWriter, EveryTypeIsTheSameToBcftools) {
  if (!HasBcftools()) GTEST_SKIP() << "no bcftools";
  const TemporaryFolder folder;
  std::optional<std::string> text;
  for (const char* name : {"a.vcf", "a.vcf.gz", "a.bcf"}) {
    GenotypeWriter writer(folder / name, OutputType::kByExtension, kHeader, kSamples);
    WriteTwoMarkers(writer);
    const IndexType index = IndexIfPossible(folder / name, OutputType::kByExtension);
    writer.Finish(index);
    const Printed printed = Bcftools("view --no-version " + folder / name);
    EXPECT_EQ(printed.errors, "") << name;
    if (!text) text = printed.output;
    EXPECT_EQ(printed.output, *text) << name;
    if (index != IndexType::kNone) {
      EXPECT_THAT(Bcftools("view -H -r X:20-40 " + folder / name).output, testing::StartsWith("X\t30\t")) << name;
    }
  }
}

TEST(GenotypeWriter, AnIndexOfTheFileBeforeIsRemoved) {
  const TemporaryFolder folder;
  for (const char* extension : {".tbi", ".csi"}) std::ofstream((folder / "a.vcf.gz") + extension) << "old";
  GenotypeWriter writer(folder / "a.vcf.gz", OutputType::kByExtension, kHeader, kSamples);
  WriteTwoMarkers(writer);
  EXPECT_EQ(folder.NumFiles(), 3u) << "until the new file is complete";
  writer.Finish(IndexType::kNone);
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(GenotypeWriter, UnfinishedLeavesNothing) {
  const TemporaryFolder folder;
  for (const char* name : {"a.vcf", "a.vcf.gz", "a.bcf"}) {
    GenotypeWriter writer(folder / name, OutputType::kByExtension, kHeader, kSamples);
    WriteTwoMarkers(writer);
  }
  EXPECT_EQ(folder.NumFiles(), 0u);
}

TEST(GenotypeWriter, NamesTheFileThatCannotBeWritten) {
  EXPECT_THAT(ErrorOf([] { GenotypeWriter("/no/such/a.bcf", OutputType::kByExtension, kHeader, kSamples); }),
              HasSubstr("/no/such/a.bcf"));
  const auto fill = [] {
    GenotypeWriter writer("/dev/full", OutputType::kVcf, kHeader, kSamples);
    WriteTwoMarkers(writer);
    writer.Finish(IndexType::kNone);
  };
  EXPECT_THAT(ErrorOf(fill), HasSubstr("No space left"));
}

}  // namespace
}  // namespace haplospin
