#include "genotypes/variant_io/reading/imputed_records.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

TEST(ImputedRecordsTest, RecordsWithTheFlagOfAProgramAreCounted) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    for (const std::string flag : {"IMP", "IMPUTED", "TYPED"}) {
      VcfText vcf;
      vcf.Declare("##INFO=<ID=" + flag + ",Number=0,Type=Flag,Description=\"Flag\">");
      for (const std::string& info : {flag, "DR2=0.5;" + flag, std::string("DR2=1"), std::string(".")}) {
        vcf.AddLine("1\t10\t.\tA\tC\t.\tPASS\t" + info + "\tGT\t0/1\t0/0\t1/1");
      }
      const TemporaryFolder folder;
      WriteVariants(folder / "study.vcf", vcf, form);
      StudyReader reader(folder / "study.vcf", {});
      StudyGenotypes study = reader.StartContig();
      reader.ReadUntil(INT64_MAX, study);
      const StudyReading reading = reader.Reading();
      EXPECT_EQ(reading.imputed, flag == "TYPED" ? 0u : 2u);
      EXPECT_EQ(reading.Records(), 4u);
      EXPECT_EQ(reading.imputation_flag == nullptr ? "TYPED" : reading.imputation_flag, flag);
    }
  }
}

TEST(ImputedRecordsTest, AFieldOfThisNameWithAValueIsNoFlag) {
  EXPECT_EQ(ImputationFlag("IMP=3;IMPUTE;AF=1"), nullptr);
  EXPECT_STREQ(ImputationFlag("AF=1;IMP"), "IMP");
  EXPECT_EQ(LeaveOutImputed("IMP"), "view -e 'INFO/IMP=1'");
}

}  // namespace
}  // namespace haplospin
