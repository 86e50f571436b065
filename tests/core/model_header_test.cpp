#include "core/model_header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr ModelKind kTable = {"table", 5, "a table model", "haplospin table"},
                    kCurve = {"curve", 1, "a curve model", "haplospin curve"},
                    kMap = {"map", 3, "a map model", "haplospin map"};

ModelHeader Example() {
  return {.kind = kTable,
          .configuration = {{"width", 16}, {"columns", {"a", "\"b\"\n"}}},
          .provenance = {.haplospin = "0.9.1",
                         .command = "haplospin table --data \"x y.csv\"",
                         .data = "x y.csv",
                         .date = "2026-11-20",
                         .seed = std::numeric_limits<uint64_t>::max()},
          .results = {{"steps", "70"}}};
}

Safetensors FileOf(const ModelHeader& header) { return {.tensors = {}, .metadata = ToMetadata(header), .path = "m"}; }

std::string ErrorOf(const Safetensors& file, std::initializer_list<ModelKind> expected) {
  try {
    ParseModelHeader(file, expected);
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(testing::StartsWith("m: "), Not(HasSubstr("\n"))));
    return error.what();
  }
  return "no error";
}

TEST(ModelHeader, IsReadAsWritten) {
  const ModelHeader written = Example();
  const ModelHeader read = ParseModelHeader(FileOf(written), {kTable});
  EXPECT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.configuration, written.configuration);
  EXPECT_EQ(read.provenance.haplospin, written.provenance.haplospin);
  EXPECT_EQ(read.provenance.command, written.provenance.command);
  EXPECT_EQ(read.provenance.data, written.provenance.data);
  EXPECT_EQ(read.provenance.date, written.provenance.date);
  EXPECT_EQ(read.provenance.seed, written.provenance.seed);
  EXPECT_EQ(read.results, written.results);
}

// Each kind is told from each other, and the message names both.
TEST(ModelHeader, AnotherKind) {
  for (const ModelKind& kind : {kTable, kCurve, kMap}) {
    ModelHeader header = Example();
    header.kind = kind;
    EXPECT_EQ(ParseModelHeader(FileOf(header), {kMap, kind}).kind, kind);
    for (const ModelKind& other : {kTable, kCurve, kMap}) {
      if (other == kind) continue;
      EXPECT_THAT(ErrorOf(FileOf(header), {other}),
                  AllOf(HasSubstr(fmt::format("found a model of the kind '{}'", kind.name)),
                        HasSubstr(fmt::format("expected {} (made by '{}')", other.title, other.command)),
                        HasSubstr("give such a file, or use the haplospin that made it")));
    }
  }
  EXPECT_THAT(ErrorOf(FileOf(Example()), {kMap, kCurve}),
              HasSubstr("expected a map model (made by 'haplospin map') or a curve model (made by"));
}

TEST(ModelHeader, AFileOfAnotherProgram) {
  const std::string expected = "expected a table model (made by 'haplospin table')";
  Safetensors file{.tensors = {}, .metadata = {}, .path = "m"};
  EXPECT_THAT(ErrorOf(file, {kTable}),
              AllOf(HasSubstr("without the header of a haplospin model"), HasSubstr(expected)));
  file.metadata = {{"format", "pt"}, {"kind", "table"}, {"version", "2"}};
  EXPECT_THAT(ErrorOf(file, {kTable}), HasSubstr("train the model again if an earlier haplospin made it"));
  file = FileOf(Example());
  file.metadata["kind"] = "diffusion";
  EXPECT_THAT(ErrorOf(file, {kTable}), AllOf(HasSubstr("the kind 'diffusion'"), HasSubstr(expected),
                                             HasSubstr("use the haplospin that made it")));
}

TEST(ModelHeader, AnotherVersion) {
  Safetensors file = FileOf(Example());
  file.metadata["version"] = "999";
  EXPECT_THAT(ErrorOf(file, {kTable}), AllOf(HasSubstr("a table model of version 999 (made by haplospin 0.9.1)"),
                                             HasSubstr("expected version 5"), HasSubstr("train the model again")));
}

TEST(ModelHeader, DamagedEntries) {
  for (const auto& [key, value] : ToMetadata(Example())) {
    if (key == "steps") continue;  // a result
    Safetensors file = FileOf(Example());
    file.metadata.erase(key);
    EXPECT_NE(ErrorOf(file, {kTable}), "no error") << key;
  }
  const auto expect = [](const char* key, const char* value, const char* message) {
    Safetensors file = FileOf(Example());
    file.metadata[key] = value;
    EXPECT_THAT(ErrorOf(file, {kTable}), AllOf(HasSubstr(message), HasSubstr("get the file again")));
  };
  expect("seed", "-1", "its seed is '-1', not a number");
  expect("seed", "7 ", "its seed is '7 '");
  expect("configuration", "{", "its configuration is not a JSON object");
  expect("configuration", "[1]", "its configuration is not a JSON object");
}

TEST(ReadConfiguration, SaysThatAFileIsDamaged) {
  const nlohmann::json json = {{"width", "wide"}};
  int width = 0;
  for (const char* key : {"width", "depth"}) {
    try {
      ReadConfiguration(json, "m", [&](const nlohmann::json& found) { found.at(key).get_to(width); });
      ADD_FAILURE() << key;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("m: its configuration cannot be read; get the file again"));
    }
  }
}

TEST(CheckFiniteWeights, NamesTheTensor) {
  Safetensors file{.tensors = {}, .metadata = {}, .path = "m"};
  file.tensors["counts"] = {{1}, std::vector<int64_t>{INT64_MAX}};
  file.tensors["good"] = {{2}, std::vector<float>{1, -std::numeric_limits<float>::max()}};
  CheckFiniteWeights(file);
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    file.tensors["bad"] = {{2}, std::vector<float>{1, value}};
    try {
      CheckFiniteWeights(file);
      ADD_FAILURE() << value;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("m: tensor 'bad' holds a value that is not finite"));
    }
  }
}

}  // namespace
}  // namespace haplospin
