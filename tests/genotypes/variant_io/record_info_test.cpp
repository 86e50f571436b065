#include "genotypes/variant_io/record_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/writing/hts_output.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr const char* kLines[] = {
    "##ALT=<ID=DEL,Description=\"Deletion\">",
    "##INFO=<ID=SVTYPE,Number=1,Type=String,Description=\"Type, of variant\">",
    "##INFO=<ID=PERIOD,Number=1,Type=Integer,Description=\"Bases of the unit\">",
    "##INFO=<ID=BPDIFFS,Number=A,Type=Integer,Description=\"Difference\">",
    "##INFO=<ID=RUC,Number=R,Type=Float,Description=\"Units\">",
    "##INFO=<ID=IMPRECISE,Number=0,Type=Flag,Description=\"Imprecise\">",
};

DescribedInfo Described() {
  DescribedInfo described;
  for (const char* line : kLines) described.AddLine(line);
  return described;
}

TEST(DescribedInfo, KeepsLinesThatDescribeRecords) {
  DescribedInfo described = Described();
  described.AddLine("##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Count\">");
  described.AddLine("##INFO=<ID=SVTYPE,Number=.,Type=String,Description=\"Again\">");
  described.AddLine("##ALT=<ID=DEL,Description=\"Again\">");
  described.AddLine("##INFO=<ID=RU,Number=1,Type=String,Description=\"cut");
  described.AddLine("##FILTER=<ID=RU,Description=\"Other\">");
  described.Add(Described());
  EXPECT_THAT(described.lines(), testing::ElementsAreArray(kLines));
}

// So that nothing that panel and study say is lost in BCF.
TEST(DescribedInfo, ATypeHasTheValuesOfAllDeclarations) {
  const auto declared = [](const std::string& first, const std::string& second) {
    DescribedInfo described;
    for (const std::string& type : {first, second}) {
      described.AddLine("##INFO=<ID=PERIOD,Number=1,Type=" + type + ",Description=\"Of Type=Integer\">");
    }
    EXPECT_THAT(described.lines(), SizeIs(1));
    const std::string& line = described.lines()[0];
    const size_t begin = line.find("Type=") + 5;
    return line.substr(begin, line.find(',', begin) - begin);
  };
  EXPECT_EQ(declared("Integer", "Integer"), "Integer");
  EXPECT_EQ(declared("Integer", "Float"), "Float");
  EXPECT_EQ(declared("Float", "Integer"), "Float");
  EXPECT_EQ(declared("Float", "String"), "String");
  EXPECT_EQ(declared("String", "Integer"), "String");
  EXPECT_EQ(declared("Flag", "Integer"), "Flag");
}

TEST(DescribedInfo, SelectsWhatTheHeaderDeclares) {
  EXPECT_EQ(Described().Select("AC=3;SVTYPE=DEL;END=250;IMPRECISE;RU=CA;SVLEN=.;PERIOD=2", 100),
            "SVTYPE=DEL;END=250;IMPRECISE;PERIOD=2");
  EXPECT_EQ(Described().Select("END=99;PERIOD=2", 100), "PERIOD=2");
  EXPECT_EQ(DescribedInfo().Select("SVTYPE=DEL;END=250;SVLEN=-5", 100), "END=250;SVLEN=-5");
  EXPECT_EQ(Described().Select(".", 100), "");
}

TEST(DescribedInfo, ASplitRecordIsJoinedAgain) {
  const DescribedInfo described = Described();
  for (const std::string whole :
       {"SVTYPE=TR;BPDIFFS=2,-4,6;RUC=5,6,3,8;IMPRECISE;END=120", "SVLEN=2,4,6;PERIOD=2", "IMPRECISE"}) {
    std::vector<std::string> alts;
    for (size_t a = 0; a < 3; ++a) alts.push_back(described.AltPart(whole, a));
    EXPECT_EQ(described.Join(std::vector<std::string_view>(alts.begin(), alts.end())), whole);
  }
  EXPECT_EQ(described.AltPart("BPDIFFS=2,-4,6;RUC=5,6,3,8;PERIOD=2", 1), "BPDIFFS=-4;RUC=5,3;PERIOD=2");
  EXPECT_EQ(described.AltPart("SVLEN=2,.,x", 1) + described.AltPart("SVLEN=2,.,x", 2), "");
  EXPECT_EQ(described.AltPart("SVLEN=7", 2), "SVLEN=7");
  EXPECT_EQ(described.Join(std::vector<std::string_view>{"SVTYPE=X", "BPDIFFS=3;SVTYPE=X"}), "SVTYPE=X;BPDIFFS=.,3");
  EXPECT_EQ(described.Join(std::vector<std::string_view>{"", "RUC=5,6", ""}), "RUC=5,.,6,.");
}

TEST(DescribedInfo, RecordsOfBcfSayTheSame) {
  const std::string info = "SVTYPE=DEL;END=250;IMPRECISE;PERIOD=2;BPDIFFS=2,-4;RUC=0.5,6,3;SVLEN=-5,7";
  std::string text = "##fileformat=VCFv4.2\n##contig=<ID=20>\n";
  for (const char* line : kLines) text += line + std::string("\n");
  text +=
      "##INFO=<ID=END,Number=1,Type=Integer,Description=\"e\">\n"
      "##INFO=<ID=SVLEN,Number=A,Type=Integer,Description=\"l\">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  const BcfHeaderHandle header = ParseHeader(text);
  const BcfRecordHandle record(bcf_init());
  UpdateInfo(info, header.get(), record.get());
  record->pos = 99;
  DescribedInfo described;
  described.Add(header.get());
  EXPECT_THAT(described.lines(), SizeIs(std::size(kLines)));
  EXPECT_EQ(described.Select(header.get(), *record), info);
  // Text where the header declares a number is missing.
  bcf_clear(record.get());
  record->pos = 99;
  UpdateInfo("PERIOD=two;BPDIFFS=1,x", header.get(), record.get());
  EXPECT_EQ(described.Select(header.get(), *record), "BPDIFFS=1,.");
}

}  // namespace
}  // namespace haplospin
