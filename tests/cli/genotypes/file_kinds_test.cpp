// A study gives the same dosages in whatever file it is, and on contigs of any name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "genotypes/variant_io/writing/dosage_writer.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FileKindsTest : public ImputeFiles {
 protected:
  // The study of `vcf`, whose genotypes have two alleles, as .bed with A1 the ALT. Sexes: 1 of S1, 2 of the others.
  std::string WriteBed(const std::string& vcf, const std::string& name = "s") const {
    std::string fam, bim, bed("\x6c\x1b\x01", 3);
    const VcfLines study(vcf);
    const size_t samples = study.columns.size() - kFirstSample;
    for (size_t s = 0; s < samples; ++s) {
      fam += fmt::format("f {} 0 0 {} -9\n", study.columns[kFirstSample + s], s == 1 ? 1 : 2);
    }
    for (const auto& record : study.records) {
      bim += fmt::format("{} {} 0 {} {} {}\n", record[0], record[2], record[kPos], record[kAlt], record[kRef]);
      for (size_t first = 0; first < samples; first += 4) {
        unsigned byte = 0;
        for (size_t s = first; s < std::min(samples, first + 4); ++s) {
          const std::string genotype = Field(record, s, "GT");
          const unsigned code = genotype[0] == '.'           ? 1u
                                : genotype[0] != genotype[2] ? 2u
                                : genotype[0] == '1'         ? 0u
                                                             : 3u;
          byte |= code << 2 * (s - first);
        }
        bed += static_cast<char>(byte);
      }
    }
    Write(name + ".fam", fam);
    Write(name + ".bim", bim);
    return Write(name + ".bed", bed);
  }

  std::string WriteBgen(const std::string& vcf) const {
    const VcfLines lines(vcf);
    const SampleTable samples = SampleTable::Diploid(study_.names);
    DosageWriter writer(in_ / "s.bgen", OutputType::kByExtension, {{{lines.records[0][0], 0}}, {}}, samples, {});
    for (const auto& record : lines.records) {
      const Marker marker{std::stoll(record[kPos]), record[2], record[kRef], record[kAlt]};
      std::vector<uint8_t> alleles;
      for (size_t s = 0; s < samples.num_samples(); ++s) {
        for (const size_t at : {0, 2}) {
          const char allele = Field(record, s, "GT")[at];
          alleles.push_back(allele == '.' ? kMissingAllele : static_cast<uint8_t>(allele - '0'));
        }
      }
      DosageRecord written;
      written.marker = &marker;
      written.in_panel = false;
      written.typed_alleles = alleles;
      writer.Write(record[0], {&written, 1});
    }
    writer.Finish(IndexType::kNone);
    return in_ / "s.bgen";
  }

  // Unphased, with one genotype in 17 missing.
  std::string UnphasedStudy() const {
    std::string text = StudyVcf().text();
    const VcfLines lines(text);
    text.resize(text.find('\n', text.find("#CHROM")) + 1);
    size_t n = 0;
    for (const auto& record : lines.records) {
      for (size_t c = 0; c < record.size(); ++c) {
        std::string column = record[c];
        if (c >= kFirstSample) {
          column = ++n % 17 == 0 ? "./." : column[0] == '1' && column[2] == '0' ? "0/1" : column.replace(1, 1, "/");
        }
        text += (c == 0 ? "" : "\t") + column;
      }
      text += '\n';
    }
    return text;
  }
};

TEST_F(FileKindsTest, AStudyGivesTheSameDosagesAsVcfBcfBgenAndBed) {
  const std::string text = UnphasedStudy();
  const auto expected = VcfLines(ImputedText({"--target", Write("s.vcf", text)})).records;
  ASSERT_FALSE(expected.empty());
  const std::string bcf = in_ / "s.bcf";
  ASSERT_EQ(RunProgram({"concat", "--out", bcf, in_ / "s.vcf"}).exit_code, 0);
  for (const std::string& study : {bcf, WriteBed(text), WriteBgen(text)}) {
    EXPECT_EQ(VcfLines(ImputedText({"--target", study})).records, expected) << study;
  }
}

// UK Biobank names the contigs of its BGEN files 01 to 09.
TEST_F(FileKindsTest, ContigsOfTwoCharacters) {
  const std::string panel = Write("p1.vcf", PanelVcf("chr1").text());
  const auto expected =
      VcfLines(ImputedText({"--ref", panel, "--target", Write("s1.vcf", StudyVcf("1").text())})).records;
  auto records = VcfLines(ImputedText({"--ref", panel, "--target", Write("s01.vcf", StudyVcf("01").text())})).records;
  for (auto& record : records) record[0] = "1";
  EXPECT_EQ(records, expected);
}

class SpeciesTest : public FileKindsTest {
 protected:
  // The study on contig 23, and one marker of each further contig.
  std::string StudyWith(const std::vector<std::string>& contigs) const {
    std::string text = UnphasedStudy();
    for (size_t at = 0; (at = text.find("\n20\t", at)) != std::string::npos;) text.replace(at, 4, "\n23\t");
    for (const std::string& contig : contigs) text += contig + "\t20000\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\t0/1\n";
    return text;
  }

  // The genotypes on contig 23 of S1, a male.
  std::vector<std::string> Genotypes(const std::string& study, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"phase", "--target", study, "--out", out_ / "p.vcf"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> genotypes;
    for (const auto& record : VcfLines(ReadFile(out_ / "p.vcf")).records) {
      if (record[0] == "23") genotypes.push_back(Field(record, 1, "GT"));
    }
    return genotypes;
  }

  static size_t NumHeterozygous(const std::vector<std::string>& genotypes) {
    return static_cast<size_t>(
        std::ranges::count_if(genotypes, [](const std::string& gt) { return gt.size() == 3 && gt[0] != gt[2]; }));
  }
};

// Bulls are diploid on 23, an autosome of cattle.
TEST_F(SpeciesTest, MalesKeepTheirHeterozygotesOnAutosomes) {
  const std::string human = WriteBed(StudyWith({"24"}), "human"), cattle = WriteBed(StudyWith({"24", "29"}), "cattle");
  const auto haploid = Genotypes(human);
  ASSERT_FALSE(haploid.empty());
  EXPECT_EQ(haploid[0].size(), 1u);
  for (const auto& genotypes :
       {Genotypes(cattle), Genotypes(human, {"--autosomes", "29"}), Genotypes(human, {"--par", "none"}),
        Genotypes(Write("cattle.vcf", StudyWith({"24", "29"})), {"--sex", in_ / "human.fam"})}) {
    EXPECT_EQ(genotypes[0].size(), 3u);
    EXPECT_GT(NumHeterozygous(genotypes), 3u);
  }
  EXPECT_EQ(Genotypes(cattle, {"--autosomes", "22"}), haploid);
}

TEST_F(FileKindsTest, AContigMayHaveColons) {
  const std::string contig = "HLA-DRB1*15:01:01:01";
  const std::vector<std::string> files{"--ref", Write("hla.vcf", PanelVcf(contig).text()), "--target",
                                       Write("s.vcf", StudyVcf(contig).text())};
  const auto expected = VcfLines(ImputedText(files)).records;
  const auto region_records = [&](const std::string& region) {
    std::vector<std::string> options = files;
    options.insert(options.end(), {"--region", region});
    return VcfLines(ImputedText(options)).records;
  };
  EXPECT_EQ(region_records(contig), expected);
  EXPECT_LT(region_records(contig + ":100000-500000").size(), expected.size());
}

TEST_F(FileKindsTest, NamesWithBlanksAreNoNamesOfBgen) {
  std::string text = StudyVcf().text();
  text.replace(text.find("\tS0"), 3, "\tS 0");
  EXPECT_EQ(Impute({"--target", Write("blank.vcf", text)}).exit_code, 0);
  const ProgramResult result = Impute({"--target", in_ / "blank.vcf", "--out", out_ / "o.bgen"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("sample \"S 0\" has a blank"), Not(HasSubstr("internal"))));
}

}  // namespace
}  // namespace haplospin
