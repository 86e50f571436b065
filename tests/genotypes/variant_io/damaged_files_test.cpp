// Reading a file with any damage ends with the records read, or with one InputError.
#include <gtest/gtest.h>

#include <random>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

VcfText SmallFile() {
  return VcfText()
      .Add("20", 100, "A", "C", "0|1 1|0 0|0")
      .Add("20", 100, "A", "G,AT", "2|1 1|0 0|2")
      .Add("20", 200, "A", ".", "0|0 0|0 0|0")
      .Add("20", 300, "A", "C", "0|1:7 1|0:8 0/0:9", "GT:DP")
      .Add("X", 100, "A", "C", "0|1 1 0|0")
      .Add("X", 200, "A", "C", "0|1 1 0|0");
}

void ReadAllPieces(auto& reader) {
  while (reader.NextContig()) {
    auto piece = reader.StartContig();
    while (reader.ReadUntil(150, piece)) reader.ReadUntil(INT64_MAX, piece);
  }
}

void ReadPanelAndStudy(const std::string& path) {
  try {
    ReadAllPieces(*OpenPanel(path));
  } catch (const InputError&) {
  }
  try {
    StudyReader study(path);
    ReadAllPieces(study);
  } catch (const InputError&) {
  }
}

// A few changes at random places: other bytes, bytes left out, bytes doubled.
std::string Damaged(std::string bytes, size_t first, std::mt19937& random) {
  const auto place = [&] { return first + random() % (bytes.size() - first); };
  for (size_t changes = 1 + random() % 3; changes > 0 && bytes.size() > first + 20; --changes) {
    switch (random() % 4) {
      case 0:
        bytes[place()] = static_cast<char>(random());
        break;
      case 1:
        bytes[place()] = "\t\n|/.:0129,\0\xff"[random() % 13];
        break;
      case 2:
        bytes.erase(place(), 1 + random() % 8);
        break;
      default: {
        const std::string piece = bytes.substr(place(), 1 + random() % 30);
        bytes.insert(place(), piece);
      }
    }
  }
  return bytes;
}

TEST(DamagedFiles, ReadersSurviveAnyText) {
  const TemporaryFolder folder;
  const std::string path = folder / "in.vcf", text = SmallFile().text();
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    WriteFile(path, Damaged(text, repeat % 2 == 0 ? 0 : text.find("#CHROM"), random));
    ReadPanelAndStudy(path);
  }
}

TEST(DamagedFiles, ReadersSurviveAnyBcf) {
  const TemporaryFolder folder;
  const std::string path = folder / "in.bcf";
  WriteVariants(path, SmallFile(), FileForm::kBcfUncompressed);
  const std::string bytes = ReadFile(path);
  const size_t header_size = 9 + static_cast<uint8_t>(bytes[5]) + 256 * static_cast<uint8_t>(bytes[6]);
  std::mt19937 random(12);
  for (int repeat = 0; repeat < 400; ++repeat) {  // slow: HTSlib believes a damaged length, up to 2 GiB
    WriteFile(path, Damaged(bytes, repeat % 4 == 0 ? 0 : header_size, random));
    ReadPanelAndStudy(path);
  }
}

TEST(DamagedFiles, ReadersSurviveAnyCompressedFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "in.vcf.gz";
  std::mt19937 random(13);
  for (const FileForm form : {FileForm::kBgzip, FileForm::kGzip, FileForm::kBcf}) {
    WriteVariants(path, SmallFile(), form);
    const std::string bytes = ReadFile(path);
    for (int repeat = 0; repeat < 1000; ++repeat) {
      WriteFile(path, Damaged(bytes, 0, random));
      ReadPanelAndStudy(path);
    }
  }
}

TEST(DamagedFiles, GeneticMapsSurviveAnyText) {
  const TemporaryFolder folder;
  const std::string path = folder / "map";
  std::mt19937 random(14);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    WriteFile(path, Damaged("pos chr cM\n1000 20 1.5\n2000 20 2.25\n3000 20 2.5\n", 0, random));
    try {
      EXPECT_GE(LoadGeneticMap(path, "20").Centimorgans(5000), -1e300);
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace haplospin
