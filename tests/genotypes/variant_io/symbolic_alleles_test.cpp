// INFO/END of symbolic alleles, from a panel through a panel file to the output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "genotypes/variant_io/writing/genotype_writer.h"
#include "genotypes/variant_io/writing/panel_file_builder.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string Line(int64_t position, const std::string& alt, const std::string& info) {
  return "20\t" + std::to_string(position) + "\t.\tA\t" + alt + "\t.\t.\t" + info + "\tGT\t0|1\t1|1\t0|0";
}

// Two deletions of different length at one position; an END of bases, and one that is no position.
VcfText Deletions() {
  VcfText vcf;
  vcf.AddLine(Line(100, "<DEL>", "END=250"));
  vcf.AddLine(Line(100, "<DEL>", "END=90000"));
  vcf.AddLine(Line(200, "C", "END=201"));
  vcf.AddLine(Line(300, "<INS>", "."));
  vcf.AddLine(Line(400, "<DEL>", "END=7"));
  vcf.AddLine(Line(500, "<INS:ME:ALU>", "END=500;SVLEN=280"));
  vcf.AddLine(Line(500, "<INS:ME:ALU>", "SVLEN=6000"));
  vcf.AddLine(Line(600, "<DEL>", "SVLEN=-70000"));
  vcf.AddLine(Line(700, "G", "SVLEN=1"));
  vcf.AddLine(Line(800, "<DUP>", "SVLEN=."));
  return vcf;
}

std::vector<std::pair<int64_t, int64_t>> EndsIn(const std::string& path) {
  const auto reader = OpenPanel(path);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(INT64_MAX, panel);
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    ends.emplace_back(panel.marker(m).position, InfoNumber(panel.marker(m).info, "END"));
  }
  return ends;
}

std::vector<int64_t> LengthsIn(const std::string& path) {
  const auto reader = OpenPanel(path);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(INT64_MAX, panel);
  std::vector<int64_t> lengths;
  for (size_t m = 0; m < panel.num_markers(); ++m) lengths.push_back(InfoNumber(panel.marker(m).info, "SVLEN"));
  return lengths;
}

class SymbolicAllelesTest : public testing::Test {
 protected:
  void ExpectEnds(const std::string& path) const {
    EXPECT_THAT(EndsIn(path), ElementsAre(Pair(100, 250), Pair(100, 90000), Pair(200, 201), Pair(300, 0), Pair(400, 0),
                                          Pair(500, 500), Pair(500, 0), Pair(600, 0), Pair(700, 0), Pair(800, 0)));
    EXPECT_THAT(LengthsIn(path), ElementsAre(0, 0, 0, 0, 0, 280, 6000, -70000, 1, 0));
  }

  const TemporaryFolder folder_;
  const std::string vcf_ = folder_ / "panel.vcf", hsp_ = folder_ / "panel.hsp";
  const VariantHeader header_{{{"20", 0}}, {}};
};

TEST_F(SymbolicAllelesTest, KeepTheirEndInAPanelFile) {
  WriteVariants(vcf_, Deletions(), FileForm::kVcf);
  ExpectEnds(vcf_);
  const auto reader = OpenPanel(vcf_);
  BuildPanelFile(*reader, vcf_, hsp_, {});
  ExpectEnds(hsp_);
}

TEST_F(SymbolicAllelesTest, KeepTheirEndInEveryOutput) {
  WriteVariants(vcf_, Deletions(), FileForm::kVcf);
  const auto reader = OpenPanel(vcf_);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(INT64_MAX, panel);
  const std::vector<float> dosages(panel.num_haplotypes(), 0.25f);
  const std::vector<uint8_t> alleles(panel.num_haplotypes(), 1);
  for (const std::string form : {"vcf", "bcf"}) {
    const std::string imputed = folder_ / ("imputed." + form), phased = folder_ / ("phased." + form);
    DosageWriter dosage_writer(imputed, OutputType::kByExtension, header_, panel.samples(), {});
    GenotypeWriter genotype_writer(phased, OutputType::kByExtension, header_, panel.samples());
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      const DosageRecord record{.marker = &panel.marker(m), .in_panel = true, .dosages = dosages};
      dosage_writer.Write("20", {&record, 1});
      genotype_writer.Write("20", panel.marker(m), panel.samples(), alleles);
    }
    dosage_writer.Finish(IndexType::kNone);
    genotype_writer.Finish(IndexType::kNone);
    ExpectEnds(imputed);
    ExpectEnds(phased);
  }
}

TEST_F(SymbolicAllelesTest, OtherMarkersAreInAPanelOnce) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    WriteVariants(vcf_, VcfText().Add("20", 100, "A", "C,G", "0|1 1|2 0|0").Add("20", 100, "A", "G", "0|1 1|1 0|0"),
                  form);
    EXPECT_THAT(ErrorOf([&] { EndsIn(vcf_); }), HasSubstr(vcf_ + ": 20:100: A > G occurs twice"));
    WriteVariants(vcf_, VcfText().Add("20", 100, "A", "*", "0|1 1|1 0|0").Add("20", 100, "A", "*", "0|1 1|1 0|0"),
                  form);
    EXPECT_EQ(ErrorOf([&] { EndsIn(vcf_); }), "");
  }
}

// Panels of HLA alleles have markers of one POS, REF and ALT with names of their own.
TEST_F(SymbolicAllelesTest, MarkersOfOneVariantAreToldApartByTheirNames) {
  const auto line = [](const std::string& id) { return "20\t100\t" + id + "\tA\tT\t.\t.\t.\tGT\t0|1\t1|1\t0|0"; };
  WriteVariants(vcf_, VcfText().AddLine(line("HLA_A*01:01")).AddLine(line("HLA_A*02:01")), FileForm::kVcf);
  BuildPanelFile(*OpenPanel(vcf_), vcf_, hsp_, {});
  EXPECT_EQ(EndsIn(hsp_).size(), 2u);
  WriteVariants(vcf_, VcfText().AddLine(line("rs1")).AddLine(line("rs1")), FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { EndsIn(vcf_); }), HasSubstr("occurs twice"));
}

TEST_F(SymbolicAllelesTest, NoPanelHaplotypeHasAnUnspecifiedAllele) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    WriteVariants(
        vcf_,
        VcfText().Add("20", 90, "A", "<NON_REF>", "0|0 0|0 0|0").Add("20", 100, "A", "C,<NON_REF>", "0|1 1|1 0|0"),
        form);
    EXPECT_THAT(EndsIn(vcf_), ElementsAre(Pair(100, 0)));
    WriteVariants(vcf_, VcfText().Add("20", 100, "A", "C,<*>", "0|1 1|2 0|0"), form);
    EXPECT_THAT(ErrorOf([&] { EndsIn(vcf_); }), HasSubstr("20:100: a haplotype has <*>, which is no allele"));
  }
}

}  // namespace
}  // namespace haplospin
