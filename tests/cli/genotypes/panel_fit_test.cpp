// What check, impute and phase say of a panel of another population, and of a map that is shifted.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/impute_files.h"
#include "genotypes/imputation/hotspot_panel.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kWarning = " seems to be from another population";

Mosaic Simulate(uint64_t seed) {
  return SimulateMosaic({.haplotypes = 240, .markers = 1200, .founders = 20, .rare_share = 0, .seed = seed});
}

// A panel of 100 people; a study of 20 others of the same population, and one of a population with other founders.
class PanelFitTest : public ImputeFiles {
 protected:
  PanelFitTest() {
    const Mosaic mosaic = Simulate(1);
    const SampleTable reference = DiploidSamples("R", 100), study = DiploidSamples("S", 20);
    const std::vector<uint32_t> typed = CommonMarkers(MakePanel(mosaic, reference), 2);
    Mosaic other = Simulate(2);
    other.markers = mosaic.markers;
    panel_ = Write("fit_panel.vcf", MosaicVcf(mosaic, reference, 0, AllMarkers(mosaic)).text());
    same_ = Write("same.vcf", MosaicVcf(mosaic, study, 200, typed).text());
    other_ = Write("other.vcf", MosaicVcf(other, study, 200, typed).text());
  }

  std::string WithoutPhase(const std::string& study) const {
    std::string text = ReadFile(study);
    std::ranges::replace(text, '|', '/');
    return Write("unphased.vcf", text);
  }

  std::string Warnings(const std::string& command, const std::string& study, const std::string& map = "") const {
    std::vector<std::string> arguments{command, "--ref", panel_, "--target", study, "--out", imputed_path_};
    if (!map.empty()) arguments.insert(arguments.end(), {"--map", map});
    if (command == "impute") arguments.insert(arguments.end(), {"--model", weights_path_});
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }

  nlohmann::json Check(const std::string& panel, const std::string& study) const {
    const ProgramResult result = RunProgram({"check", "--ref", panel, "--target", study, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  std::string panel_, same_, other_;
};

TEST_F(PanelFitTest, ImputeAndPhaseWarnOfAnotherPopulation) {
  for (const char* command : {"impute", "phase"}) {
    EXPECT_THAT(Warnings(command, other_), HasSubstr(kWarning)) << command;
    EXPECT_THAT(Warnings(command, WithoutPhase(other_)), HasSubstr(kWarning)) << command;
    EXPECT_THAT(Warnings(command, same_), Not(HasSubstr(kWarning))) << command;
    EXPECT_THAT(Warnings(command, WithoutPhase(same_)), Not(HasSubstr(kWarning))) << command;
  }
}

TEST_F(PanelFitTest, CheckTellsItOfPhasedAndUnphasedStudies) {
  for (const std::string& study : {other_, WithoutPhase(other_)}) {
    const nlohmann::json json = Check(panel_, study);
    EXPECT_TRUE(json["panel_fit"]["other_population"].get<bool>()) << json["panel_fit"];
    EXPECT_GT(json["panel_fit"]["unmatched"].get<double>(), json["panel_fit"]["panel_unmatched"].get<double>() + 0.5);
    EXPECT_THAT(json["verdict"]["text"].get<std::string>(), HasSubstr(kWarning));
    EXPECT_THAT(json["findings"].dump(), HasSubstr(kWarning));
  }
  for (const std::string& study : {same_, WithoutPhase(same_)}) {
    const nlohmann::json json = Check(panel_, study);
    EXPECT_FALSE(json["panel_fit"]["other_population"].get<bool>()) << json["panel_fit"];
    EXPECT_NEAR(json["panel_fit"]["switches"].get<double>(), 1, 0.3);
    EXPECT_LT(json["panel_fit"]["unmatched"].get<double>(), 0.1);
    EXPECT_THAT(json.dump(), Not(HasSubstr(kWarning)));
  }
}

TEST_F(PanelFitTest, ImputeAndPhaseWarnOfAShiftedMap) {
  const HotspotPanel hotspots(220, 1);
  const SampleTable reference = DiploidSamples("R", 100), study = DiploidSamples("S", 10);
  panel_ = Write("p.vcf", MosaicVcf(hotspots.mosaic, reference, 0, AllMarkers(hotspots.mosaic)).text());
  const std::vector<uint32_t> typed = CommonMarkers(MakePanel(hotspots.mosaic, reference), 10);
  const std::string target = Write("s.vcf", MosaicVcf(hotspots.mosaic, study, 200, typed).text());
  const auto warnings = [&](const std::string& command, int64_t shift) {
    std::string text;
    for (const auto& [position, centimorgans] : hotspots.Map(shift)) {
      text += fmt::format("20 . {} {}\n", centimorgans, position);
    }
    return Warnings(command, target, Write("map.txt", text));
  };
  for (const char* command : {"impute", "phase"}) {
    EXPECT_THAT(warnings(command, 70'000), HasSubstr("map.txt")) << command;
    EXPECT_THAT(warnings(command, 0), Not(HasSubstr("map.txt"))) << command;
  }
}

TEST_F(PanelFitTest, FewSitesTellNothing) { EXPECT_TRUE(Check(panel_path_, study_path_)["panel_fit"].is_null()); }

}  // namespace
}  // namespace haplospin
