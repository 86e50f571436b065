// haplospin train --arch spin, and impute with its model, as a user runs them. Small panels and models that take
// seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/impute_files.h"
#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/model_header.h"
#include "core/safetensors.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/variant_io/reading/dosage_reader.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class TrainTableTest : public ImputeFiles {
 protected:
  TrainTableTest() : array_path_(in_ / "array.txt"), model_path_(in_ / "spin.safetensors") {
    std::ofstream array(array_path_);
    for (uint32_t m : typed_) array << "20\t" << mosaic_.markers[m].position << '\n';
  }

  // Trains on the panel with further options, which replace those of the same name.
  ProgramResult Train(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"train"};
    const std::vector<std::pair<std::string, std::string>> defaults{
        {"--arch", "spin"},  {"--panel", panel_path_}, {"--sites", array_path_}, {"--out", model_path_},
        {"--kmer", "3"},     {"--width", "8"},         {"--depth", "2"},         {"--inputs", "15"},
        {"--targets", "12"}, {"--steps", "8"},         {"--threads", "1"}};
    for (const auto& [name, value] : defaults) {
      if (std::ranges::find(options, name) == options.end()) arguments.insert(arguments.end(), {name, value});
    }
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram(arguments);
  }

  void ExpectTrainError(const std::vector<std::string>& options, const std::vector<std::string>& parts) const {
    const ProgramResult result = Train(options);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(model_path_));
  }

  const std::string array_path_, model_path_;
};

TEST_F(TrainTableTest, TrainsInBfloat16) {
  const ProgramResult trained = Train({"--bf16"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_FALSE(ImputedText({"--model", model_path_}).empty());
}

TEST_F(TrainTableTest, EachArchitectureImputesItsWindow) {
  for (const std::string architecture : {"spin", "npt", "set-transformer"}) {
    const ProgramResult trained = Train({"--arch", architecture});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_THAT(trained.err, HasSubstr("1 window of 15 array sites and 12 markers to impute"));
    const VcfLines vcf(ImputedText({"--model", model_path_}));
    size_t imputed = 0, typed = 0;
    for (const auto& record : vcf.records) {
      const bool is_imputed = record[kInfo].find("IMP") != std::string::npos;
      imputed += is_imputed;
      typed += !is_imputed;
      EXPECT_THAT(record[kInfo], HasSubstr("DR2="));
      if (is_imputed) continue;
      // As in the study.
      const VcfLines study(StudyVcf().text());
      EXPECT_EQ(Field(record, 0, "GT"), Field(study.At(record[kPos]), 0, "GT"));
    }
    EXPECT_EQ(imputed, 12u);
    EXPECT_GT(typed, 0u);
  }
}

TEST_F(TrainTableTest, ASharedModelImputesTheWholeContig) {
  ASSERT_EQ(Train({"--windows", "3"}).exit_code, 0);
  const VcfLines vcf(ImputedText({"--model", model_path_, "--format", "HDS"}));
  EXPECT_EQ(vcf.records.size(), mosaic_.markers.size());
  const VcfLines part(ImputedText({"--model", model_path_, "--region", "20:700000-1500000", "--format", "HDS"}));
  ASSERT_GT(part.records.size(), 20u);
  for (const auto& record : part.records) EXPECT_EQ(record, vcf.At(record[kPos]));
}

TEST_F(TrainTableTest, EncodedModelsDoNotNeedThePanelsHaplotypes) {
  ASSERT_EQ(Train({"--encode"}).exit_code, 0);
  const std::string whole = ImputedText({"--model", model_path_, "--format", "HDS"});
  const SampleTable two = DiploidSamples("R", 2);
  const std::string small = Write("two.vcf", MosaicVcf(mosaic_, two, 0, AllMarkers(mosaic_)).text());
  const VcfLines a(whole), b(ImputedText({"--model", model_path_, "--ref", small, "--format", "HDS"}));
  EXPECT_EQ(a.records, b.records);
}

TEST_F(TrainTableTest, FewerSitesThanAskedForAreSaid) {
  const ProgramResult result = Train({"--targets", "500"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: the region has"));
  EXPECT_THAT(result.err, HasSubstr("all of them are used"));
}

TEST_F(TrainTableTest, ALossThatIsNoNumberIsSaidWithItsStep) {
  const std::string checkpoint = in_ / "checkpoint";
  ExpectTrainError({"--steps", "3000", "--learning-rate", "1", "--clip", "1000000", "--flat-share", "0.99",
                    "--checkpoint", checkpoint, "--checkpoint-steps", "1", "--validation-steps", "3000"},
                   {"the loss is not finite at step ", checkpoint + " has the last finite state"});
  EXPECT_TRUE(std::filesystem::exists(checkpoint));
}

TEST_F(TrainTableTest, ResumesToTheSameModel) {
  const std::string checkpoint = in_ / "checkpoint";
  ASSERT_EQ(Train().exit_code, 0);
  const std::string whole = ImputedText({"--model", model_path_, "--format", "HDS"});
  std::filesystem::remove(model_path_);
  ASSERT_EQ(Train({"--checkpoint", checkpoint, "--stop-after", "3"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(model_path_));
  ASSERT_EQ(Train({"--checkpoint", checkpoint, "--resume"}).exit_code, 0);
  EXPECT_EQ(VcfLines(ImputedText({"--model", model_path_, "--format", "HDS"})).records, VcfLines(whole).records);
}

TEST_F(TrainTableTest, OptionsThatContradict) {
  ExpectTrainError({"--depth", "3"}, {"--depth must be even"});
  ExpectTrainError({"--heads", "3"}, {"--width must be a multiple of --heads"});
  ExpectTrainError({"--arch", "npt", "--encode"}, {"--encode needs --arch spin"});
  ExpectTrainError({"--arch", "npt", "--inducing"},
                   {"unknown option --inducing", "(see haplospin train --arch npt --help)"});
  ExpectTrainError({"--resume"}, {"--resume needs --checkpoint"});
  ExpectTrainError({"--steps", "9", "--checkpoint", in_ / "none", "--resume"}, {"none: checkpoint not found"});
  ExpectTrainError({"--arch", "spinn"}, {"--arch is 'spinn', but must be one of imputer, spin, npt, set-transformer"});
  ExpectTrainError({"--region", "20:1-2"}, {panel_path_});
}

TEST_F(TrainTableTest, AnotherKInTheCheckpoint) {
  const std::string checkpoint = in_ / "checkpoint";
  ASSERT_EQ(Train({"--checkpoint", checkpoint, "--stop-after", "3"}).exit_code, 0);
  ExpectTrainError({"--kmer", "5", "--checkpoint", checkpoint, "--resume"},
                   {"\"kmer\":3", "\"kmer\":5", "give the same options"});
  ExpectTrainError({"--targets", "9", "--checkpoint", checkpoint, "--resume"},
                   {"\"targets\":12", "\"targets\":9", "give the same options"});
}

TEST_F(TrainTableTest, ModelsOfOtherSites) {
  ASSERT_EQ(Train().exit_code, 0);
  // A study typed at the markers that the model imputes.
  std::vector<uint32_t> others;
  for (uint32_t m = 0; m < mosaic_.markers.size(); ++m) {
    if (!std::ranges::binary_search(typed_, m)) others.push_back(m);
  }
  const std::string study = Write("others.vcf", MosaicVcf(mosaic_, study_, 40, others).text());
  ExpectUserError({"--model", model_path_, "--target", study},
                  {model_path_, "trained for the array sites 20:", "the study is typed at 20:"});
  ExpectUserError({"--model", model_path_, "--region", "20:1-2000000"}, {"goes beyond 20:", model_path_});
}

TEST_F(TrainTableTest, FilesOfOtherModels) {
  Safetensors file;
  file.metadata = {{"architecture", "spin"}, {"version", "1"}};
  WriteSafetensors(model_path_, file);
  ExpectUserError({"--model", model_path_}, {model_path_, "without the header of a haplospin model"});
  file.metadata = ToMetadata({.kind = {.name = "tabular", .version = 5, .title = "", .command = ""},
                              .configuration = nlohmann::json::object()});
  WriteSafetensors(model_path_, file);
  ExpectUserError({"--model", model_path_}, {model_path_, "found a model of the kind 'tabular'",
                                             "expected an imputer model", "or a token model"});
}

// On the simulated panel of test-data/.
TEST_F(TrainTableTest, BeatsAlleleFrequenciesOnTheTestData) {
  const std::string data = TestDataFolder();
  const std::string sites = in_ / "sites.txt";
  {
    std::ofstream file(sites);
    DosageReader study(data + "/study.vcf.gz");
    for (DosageRow row; study.Next(row);) file << row.contig << '\t' << row.marker.position << '\n';
  }
  const ProgramResult trained = RunProgram({"train",
                                            "--arch",
                                            "spin",
                                            "--panel",
                                            data + "/panel.bcf",
                                            "--sites",
                                            sites,
                                            "--region",
                                            "chr20:11000000-11400000",
                                            "--inputs",
                                            "40",
                                            "--targets",
                                            "60",
                                            "--kmer",
                                            "4",
                                            "--width",
                                            "8",
                                            "--depth",
                                            "2",
                                            "--rows",
                                            "400",
                                            "--steps",
                                            "120",
                                            "--learning-rate",
                                            "0.03",
                                            "--threads",
                                            "1",
                                            "--out",
                                            model_path_});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const ProgramResult imputed = RunProgram({"impute", "--ref", data + "/panel.bcf", "--target", data + "/study.vcf.gz",
                                            "--model", model_path_, "--threads", "1", "--out", imputed_path_});
  ASSERT_EQ(imputed.exit_code, 0) << imputed.err;

  std::map<std::string, std::vector<float>> truth, dosages;
  std::map<std::string, double> frequency;
  const auto name = [](const Marker& marker) {
    return std::to_string(marker.position) + marker.ref + ">" + marker.alt;
  };
  DosageReader imputed_reader(imputed_path_), truth_reader(data + "/truth.bcf"), panel(data + "/panel.bcf");
  for (DosageRow row; imputed_reader.Next(row);) {
    if (!std::isnan(row.estimated_r2)) dosages[name(row.marker)] = row.dosages;
  }
  for (DosageRow row; truth_reader.Next(row);) truth[name(row.marker)] = row.dosages;
  for (DosageRow row; panel.Next(row);) {
    double sum = 0;
    for (float dosage : row.dosages) sum += dosage;
    frequency[name(row.marker)] = sum / static_cast<double>(row.dosages.size());
  }
  ASSERT_GE(dosages.size(), 60u);
  double model_error = 0, frequency_error = 0;
  for (const auto& [marker, values] : dosages) {
    for (size_t s = 0; s < values.size(); ++s) {
      model_error += std::pow(values[s] - truth.at(marker)[s], 2);
      frequency_error += std::pow(frequency.at(marker) - truth.at(marker)[s], 2);
    }
  }
  EXPECT_LT(model_error, 0.6 * frequency_error);
}

}  // namespace
}  // namespace haplospin
