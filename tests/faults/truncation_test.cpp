// Inputs that are cut: at every block boundary of BGZF, where what is left is a valid file but for its end, and at
// random places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"
#include "faults/fault_files.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "genotypes/variant_io/joining/concat.h"
#include "genotypes/variant_io/panel_files.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr int kRandomPlaces = 60;

// Where the blocks of a BGZF file end.
std::vector<size_t> BlockEnds(const std::string& bytes) {
  constexpr size_t kSizeField = 16;
  std::vector<size_t> ends;
  for (size_t at = 0; at + kSizeField + 2 <= bytes.size(); at = ends.back()) {
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[at + i])); };
    ends.push_back(at + byte(kSizeField) + 256 * byte(kSizeField + 1) + 1);
  }
  return ends;
}

std::vector<size_t> RandomPlaces(const std::string& bytes) {
  std::mt19937 random(31);
  std::vector<size_t> places{0, 1, bytes.size() - 1};
  for (int i = 0; i < kRandomPlaces; ++i) places.push_back(random() % bytes.size());
  return places;
}

template <typename Reader>
void ReadAll(Reader& reader) {
  while (reader.NextContig()) {
    auto piece = reader.StartContig();
    reader.ReadUntil(INT64_MAX, piece);
  }
}

using Read = std::function<void(const std::string& path)>;

const std::vector<std::pair<std::string, Read>> kVariantReaders{
    {"panel", [](const std::string& path) { ReadAll(*OpenPanel(path)); }},
    {"study",
     [](const std::string& path) {
       StudyReader reader(path);
       ReadAll(reader);
     }},
    {"imputed",
     [](const std::string& path) {
       DosageReader reader(path);
       DosageRow row;
       while (reader.Next(row)) continue;
     }},
    {"concat", [](const std::string& path) { Concat({.pieces = {path}, .out = path + ".joined.bcf"}); }}};

class Truncation : public testing::Test {
 protected:
  // Reads the file cut at each place.
  void ExpectErrors(const std::string& bytes, const std::vector<size_t>& places, const std::string& name,
                    const Read& read) const {
    const std::string path = folder_ / name;
    for (const size_t place : places) {
      WriteFile(path, bytes.substr(0, place));
      EXPECT_THAT(ErrorOf([&] { read(path); }), HasSubstr(path)) << "cut after " << place << " of " << bytes.size();
    }
    WriteFile(path, bytes);
    EXPECT_EQ(ErrorOf([&] { read(path); }), "");
  }

  const FaultInputs inputs_;
  const TemporaryFolder folder_;
};

TEST_F(Truncation, BlocksOfVariants) {
  // Both with several blocks.
  const std::string panel = folder_ / "panel.vcf.gz";
  ASSERT_EQ(RunProgram({"concat", "--out", panel, inputs_.panel()}).exit_code, 0);
  for (const std::string& path : {panel, inputs_.panel()}) {
    const std::string bytes = Contents(path);
    std::vector<size_t> places = BlockEnds(bytes);
    ASSERT_EQ(places.back(), bytes.size());
    places.pop_back();
    ASSERT_GT(places.size(), 3u);
    for (const size_t place : RandomPlaces(bytes)) places.push_back(place);
    for (const auto& [name, read] : kVariantReaders) ExpectErrors(bytes, places, "cut-" + name, read);
  }
}

// Through a pipe there is no look at the end before the first record.
TEST_F(Truncation, BlocksOfStandardInput) {
  const std::string study = folder_ / "study.vcf.gz", out = folder_ / "out.vcf";
  ASSERT_EQ(RunProgram({"concat", "--out", study, inputs_.truth()}).exit_code, 0);
  const std::string bytes = Contents(study);
  std::vector<size_t> places = BlockEnds(bytes);
  places.back() = bytes.size() / 2;
  const std::vector<std::string> impute{"impute", "--ref", inputs_.panel(), "--target", "-", "--out", out};
  for (const size_t place : places) {
    const ProgramResult result = RunProgram(impute, bytes.substr(0, place));
    EXPECT_EQ(result.exit_code, 2) << place;
    EXPECT_THAT(result.err, HasSubstr("haplospin: error: -: ")) << place;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST_F(Truncation, PanelFile) {
  const std::string path = folder_ / "panel.hsp";
  BuildPanelFile(inputs_.panel(), path, {.block_markers = 256});
  const std::string bytes = Contents(path);
  std::vector<size_t> places = RandomPlaces(bytes);
  constexpr std::string_view kFrame("\x28\xb5\x2f\xfd", 4);  // of zstd
  for (size_t at = bytes.find(kFrame); at != std::string::npos; at = bytes.find(kFrame, at + 1)) places.push_back(at);
  ExpectErrors(bytes, places, "cut.hsp", [](const std::string& cut) { ReadAll(*OpenPanel(cut)); });
}

TEST_F(Truncation, Model) {
  const std::string bytes = Contents(ShippedWeightsPath());
  ExpectErrors(bytes, RandomPlaces(bytes), "cut.safetensors", [](const std::string& cut) { LoadImputerWeights(cut); });
}

}  // namespace
}  // namespace haplospin
