#include "genotypes/imputation/models/network/imputer_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "core/model_header.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

void ExpectEqual(const MlpWeights& a, const MlpWeights& b) {
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.hidden, b.hidden);
  EXPECT_EQ(a.weight1, b.weight1);
  EXPECT_EQ(a.bias1, b.bias1);
  EXPECT_EQ(a.weight2, b.weight2);
  EXPECT_EQ(a.bias2, b.bias2);
  EXPECT_EQ(a.weight3, b.weight3);
  EXPECT_EQ(a.bias3, b.bias3);
}

class ImputerWeightsTest : public testing::Test {
 protected:
  // Writes good weights after `change`.
  void Write(const std::function<void(Safetensors&)>& change = [](Safetensors&) {}) {
    Safetensors file = ToSafetensors(RandomWeights(1, 16, 8));
    change(file);
    WriteSafetensors(path_, file);
  }

  std::string Error() const {
    try {
      LoadImputerWeights(path_);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(path_));
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
      return error.what();
    }
    return "";
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "weights.safetensors";
};

TEST_F(ImputerWeightsTest, AreReadAsWritten) {
  const ImputerWeights written = RandomWeights(5, 20, 12);
  WriteSafetensors(path_, ToSafetensors(written));
  const ImputerWeights read = LoadImputerWeights(path_);
  EXPECT_EQ(read.forward, written.forward);
  EXPECT_EQ(read.backward, written.backward);
  EXPECT_EQ(read.panel_share, written.panel_share);
  ExpectEqual(read.copy, written.copy);
  ExpectEqual(read.allele, written.allele);
}

TEST_F(ImputerWeightsTest, FurtherMetadataIsFine) {
  Write([](Safetensors& file) { file.metadata["figures"] = "cross-entropy"; });
  EXPECT_EQ(Error(), "");
}

TEST_F(ImputerWeightsTest, NoFile) { EXPECT_THAT(Error(), HasSubstr("no such file")); }

TEST_F(ImputerWeightsTest, NotASafetensorsFile) {
  std::ofstream(path_) << "##fileformat=VCFv4.2\n#CHROM\tPOS\n";
  EXPECT_THAT(Error(), HasSubstr("safetensors"));
  std::ofstream(path_).close();
  EXPECT_THAT(Error(), HasSubstr("safetensors"));
}

// A file truncated at any position is rejected.
TEST_F(ImputerWeightsTest, Truncated) {
  Write();
  const auto size = std::filesystem::file_size(path_);
  for (const double share : {0.999, 0.9, 0.5, 0.1, 0.01, 0.001}) {
    Write();
    std::filesystem::resize_file(path_, static_cast<uintmax_t>(share * static_cast<double>(size)));
    EXPECT_NE(Error(), "") << share;
  }
}

TEST_F(ImputerWeightsTest, AnotherKind) {
  Write([](Safetensors& file) { file.metadata["kind"] = "tabular"; });
  EXPECT_THAT(Error(), HasSubstr("found a model of the kind 'tabular'"));
  Write([](Safetensors& file) { file.metadata.erase("kind"); });
  EXPECT_THAT(Error(), HasSubstr("kind"));
}

TEST_F(ImputerWeightsTest, AnotherVersion) {
  Write([](Safetensors& file) { file.metadata["version"] = "999"; });
  EXPECT_THAT(Error(), HasSubstr("of version 999"));
  Write([](Safetensors& file) { file.metadata.erase("version"); });
  EXPECT_THAT(Error(), HasSubstr("version"));
}

// Every tensor in turn is absent, longer than it should be, or of another type.
TEST_F(ImputerWeightsTest, TensorsThatDoNotFit) {
  const Safetensors good = ToSafetensors(RandomWeights(1, 16, 8));
  for (const auto& [name, tensor] : good.tensors) {
    SCOPED_TRACE(name);
    Write([&](Safetensors& file) { file.tensors.erase(name); });
    EXPECT_NE(Error(), "");
    Write([&](Safetensors& file) {
      TensorData& longer = file.tensors.at(name);
      ++longer.shape[0];
      auto& values = std::get<std::vector<float>>(longer.values);
      values.resize(values.size() + values.size() / static_cast<size_t>(longer.shape[0] - 1));
    });
    EXPECT_NE(Error(), "");
    Write([&](Safetensors& file) {
      TensorData& other = file.tensors.at(name);
      other.values = std::vector<int64_t>(std::get<std::vector<float>>(other.values).size());
    });
    EXPECT_NE(Error(), "");
  }
}

TEST_F(ImputerWeightsTest, HiddenLayersThatTheKernelsCannotRun) {
  for (const size_t hidden : {6, 132}) {
    WriteSafetensors(path_, ToSafetensors(RandomWeights(1, hidden, 8)));
    EXPECT_THAT(Error(), HasSubstr("expected a hidden layer 'copy' of 4 to")) << hidden;
    WriteSafetensors(path_, ToSafetensors(RandomWeights(1, 8, hidden)));
    EXPECT_THAT(Error(), HasSubstr("expected a hidden layer 'allele' of 4 to")) << hidden;
  }
}

// A weight that is not finite would make every dosage NaN.
TEST_F(ImputerWeightsTest, WeightsThatAreNotNumbers) {
  const Safetensors good = ToSafetensors(RandomWeights(1, 16, 8));
  for (const auto& [name, tensor] : good.tensors) {
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Write([&](Safetensors& file) { std::get<std::vector<float>>(file.tensors.at(name).values).back() = value; });
      EXPECT_THAT(Error(), HasSubstr(name));
    }
  }
}

TEST_F(ImputerWeightsTest, AConfigurationOfOtherTensors) {
  for (const char* configuration :
       {R"({"copy_hidden":16})", R"({"copy_hidden":"16","allele_hidden":8})", R"({"copy_hidden":12,"allele_hidden":8})",
        R"({"copy_hidden":-4,"allele_hidden":8})"}) {
    Write([&](Safetensors& file) { file.metadata["configuration"] = configuration; });
    EXPECT_NE(Error(), "") << configuration;
  }
}

TEST_F(ImputerWeightsTest, SayWhereTheyComeFrom) {
  const Provenance provenance{.command = "haplospin train", .data = "panel.bcf", .seed = 3};
  const Safetensors file = ToSafetensors(RandomWeights(1), provenance, {{"steps", "5"}});
  const ModelHeader header = ParseModelHeader(file, {kImputerModel});
  EXPECT_EQ(header.provenance.data, "panel.bcf");
  EXPECT_EQ(header.results.at("steps"), "5");
}

TEST(ForPanel, AddsTheInputsOfThePanelToTheBias) {
  const MlpWeights mlp = RandomWeights(1).copy;
  const PanelFeatures panel = {0.5f, -1, 2, 0.25f};
  const MlpWeights result = ForPanel(mlp, panel);
  ASSERT_EQ(result.inputs + panel.size(), mlp.inputs);
  ASSERT_EQ(result.weight1.size(), result.hidden * result.inputs);
  for (size_t h = 0; h < mlp.hidden; ++h) {
    float bias = mlp.bias1[h];
    for (size_t k = 0; k < panel.size(); ++k) bias += mlp.weight1[h * mlp.inputs + result.inputs + k] * panel[k];
    EXPECT_FLOAT_EQ(result.bias1[h], bias);
    for (size_t i = 0; i < result.inputs; ++i) {
      EXPECT_EQ(result.weight1[h * result.inputs + i], mlp.weight1[h * mlp.inputs + i]);
    }
  }
  EXPECT_EQ(result.weight2, mlp.weight2);
}

}  // namespace
}  // namespace haplospin
