#include "genotypes/variant_io/index_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr int kManyRecords = 6000;  // several blocks of BGZF

// Records of genotypes that hardly compress, every `spacing` bp of two contigs.
VcfText Records(int count, int64_t spacing, std::vector<std::string> samples = {"A", "B", "C"}) {
  VcfText vcf(std::move(samples));
  std::mt19937 random(7);
  for (int i = 0; i < count; ++i) {
    std::string id = "ACGT";
    std::string ref;
    for (int k = 0; k < 20; ++k) ref += id[random() % 4];
    vcf.Add(i < count / 2 ? "20" : "X", 1000 + spacing * i, ref, "C", "0|1 1|0 0|0");
  }
  return vcf;
}

class IndexFileTest : public testing::TestWithParam<FileForm> {
 protected:
  bool IsBcf() const { return GetParam() == FileForm::kBcf; }
  std::string PathOf(const std::string& name) const { return folder_ / name + (IsBcf() ? ".bcf" : ".vcf.gz"); }
  std::string IndexOf(const std::string& name) const { return PathOf(name) + (IsBcf() ? ".csi" : ".tbi"); }

  void WriteIndexed(const std::string& name, const VcfText& vcf) const {
    WriteVariants(PathOf(name), vcf, GetParam());
    IndexFile(PathOf(name));
  }

  // The contigs that the reader takes from the index, or its error.
  std::string Contigs(const std::string& name) const {
    std::string text;
    const std::string error = ErrorOf([&] {
      for (const std::string& contig : OpenPanel(PathOf(name))->Contigs()) text += contig + " ";
    });
    return text + error;
  }

  const TemporaryFolder folder_;
};

TEST_P(IndexFileTest, ThatOfTheFileIsUsed) {
  for (const int count : {2, 40, kManyRecords}) {
    WriteIndexed("panel", Records(count, 50));
    EXPECT_EQ(Contigs("panel"), "20 X ") << count;
  }
  WriteIndexed("panel", VcfText());
  EXPECT_EQ(Contigs("panel"), "");
}

TEST_P(IndexFileTest, ThatOfBcftoolsIsUsed) {
  if (!HasBcftools()) GTEST_SKIP() << "bcftools is not installed";
  WriteVariants(PathOf("panel"), Records(kManyRecords, 50), GetParam());
  EXPECT_EQ(Bcftools("index " + PathOf("panel")).errors, "");  // .csi, also of VCF
  EXPECT_EQ(Contigs("panel"), "20 X ");
}

// As by `bcftools view --write-index` of later versions.
TEST_P(IndexFileTest, ThatWrittenWithTheFileIsUsed) {
  WriteText(folder_ / "panel.vcf", Records(kManyRecords, 50).text(), FileForm::kVcf);
  const HtsHandle in(hts_open((folder_ / "panel.vcf").c_str(), "r"));
  HtsHandle out(hts_open(PathOf("panel").c_str(), IsBcf() ? "wb" : "wz"));
  const BcfHeaderHandle header(bcf_hdr_read(in.get()));
  const BcfRecordHandle record(bcf_init());
  ASSERT_EQ(hts_set_threads(out.get(), 2), 0);
  ASSERT_EQ(bcf_hdr_write(out.get(), header.get()), 0);
  const std::string index = IndexOf("panel");  // whose text HTSlib keeps
  ASSERT_EQ(bcf_idx_init(out.get(), header.get(), IsBcf() ? 14 : 0, index.c_str()), 0);
  while (bcf_read(in.get(), header.get(), record.get()) == 0) {
    ASSERT_EQ(bcf_write(out.get(), header.get(), record.get()), 0);
  }
  ASSERT_EQ(bcf_idx_save(out.get()), 0);
  ASSERT_EQ(hts_close(out.release()), 0);
  EXPECT_EQ(Contigs("panel"), "20 X ");
}

// Its offsets are all places where records of this file begin, so that no seek fails.
TEST_P(IndexFileTest, ThatOfAnotherFileIsRefused) {
  const auto expect_refused = [&](const VcfText& other) {
    WriteIndexed("panel", Records(kManyRecords, 50));
    WriteIndexed("other", other);
    std::filesystem::copy_file(IndexOf("other"), IndexOf("panel"), std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(Contigs("panel"), HasSubstr(IndexOf("panel") + ": damaged, or not the index of " + PathOf("panel")));
  };
  expect_refused(Records(100, 50));                              // fewer records
  expect_refused(Records(2 * kManyRecords, 50));                 // more
  expect_refused(Records(kManyRecords, 51));                     // other positions
  expect_refused(Records(kManyRecords, 50, {"A", "B", "CCC"}));  // a longer header
}

TEST_P(IndexFileTest, MayEndAfterTheFile) {
  WriteIndexed("panel", Records(300, 500));
  EndIndexAfterTheFile(PathOf("panel"));
  EXPECT_EQ(Contigs("panel"), "20 X ");
}

// HTSlib never sees a count that goes beyond the index.
TEST_P(IndexFileTest, DamageEndsWithAnError) {
  WriteIndexed("panel", Records(300, 500));
  const std::string index = IndexOf("panel"), bytes = Uncompressed(index);
  std::mt19937 random(5);
  for (size_t size = 0; size < bytes.size(); size += 1 + random() % 16) {
    if (size + 8 == bytes.size()) continue;  // the last number may be absent
    WriteText(index, bytes.substr(0, size), FileForm::kBgzip);
    EXPECT_THAT(Contigs("panel"), HasSubstr(index + ": damaged, or not a CSI or TBI index")) << size;
  }
  size_t refused = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::string damaged = bytes;
    for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>("\xff\x7f\x80\x01"[random() % 4]);
    }
    WriteText(index, damaged, FileForm::kBgzip);
    refused += Contigs("panel").find("damaged") != std::string::npos;
    ErrorOf([&] {
      StudyReader study(PathOf("panel"));
      study.Seek({"X", 100'000, 125'000});
      StudyGenotypes genotypes = study.StartContig();
      study.ReadUntil(INT64_MAX, genotypes);
    });
  }
  EXPECT_GT(refused, 10u);
}

INSTANTIATE_TEST_SUITE_P(Forms, IndexFileTest, testing::Values(FileForm::kBgzip, FileForm::kBcf),
                         [](const auto& form) { return form.param == FileForm::kBcf ? "Bcf" : "VcfGz"; });

}  // namespace
}  // namespace haplospin
