// Phase sets, as StudyReader reads them from every form of file.
#include "variant_io/reading/phase_sets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
    if (options.unphased == Unphased::kReject) options.unphased = Unphased::kAccept;
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
    ASSERT_EQ(study.phase_sets.size(), 5u);
    EXPECT_THAT(study.phase_sets[0], ElementsAre(1, 70001, 2147483648));
    EXPECT_THAT(study.phase_sets[1], IsEmpty());
    EXPECT_THAT(study.phase_sets[2], IsEmpty());
    EXPECT_THAT(study.phase_sets[3], ElementsAre(0, 4, 4));
    EXPECT_THAT(study.phase_sets[4], ElementsAre(4, 4, 0));
  }
}

TEST_F(PhaseSetsTest, OfTheSamplesThatAreKept) {
  const std::string path = Make(Record("0|1:5:1\t1|0:5:2\t1|0:5:3"), FileForm::kVcf);
  EXPECT_THAT(Read(path, {.excluded_samples = {"B"}}).phase_sets[0], ElementsAre(2, 4));
  EXPECT_THAT(Read(path, {.samples = {"C", "B"}}).phase_sets[0], ElementsAre(3, 4));
}

TEST_F(PhaseSetsTest, AreNotReadUnlessAskedFor) {
  const std::string path = Make(Record("0|1:5:1\t1|0:5:x\t1|0:5:3"), FileForm::kVcf);
  EXPECT_THAT(Read(path, {.unphased = Unphased::kReadAll}).phase_sets[0], IsEmpty());
}

TEST_F(PhaseSetsTest, NumbersDeclaredAsText) {
  const std::string record = Record("0|1:5:12\t1|0:5:.\t1|0:5:3");
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    EXPECT_THAT(Read(Make(record, form, "String")).phase_sets[0], ElementsAre(13, 0, 4));
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
