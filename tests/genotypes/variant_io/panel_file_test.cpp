#include "genotypes/variant_io/panel_file/panel_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/panel_file/panel_file_index.h"
#include "genotypes/variant_io/panel_files.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Common and rare markers of either allele, several ALTs, records without any, and on X haploid samples; so many
// samples that the last word of bits is not full.
VcfText RandomPanel(size_t num_samples, size_t num_records, uint32_t seed) {
  std::mt19937 random(seed);
  VcfText vcf(SampleNames(num_samples));
  for (const char* contig : {"20", "X"}) {
    int64_t position = 1000;
    for (size_t i = 0; i < num_records; ++i) {
      position += random() % 3 == 0 ? 0 : 1 + random() % 500;
      const bool has_two = random() % 8 == 0;
      const uint32_t rarity = 1u << random() % 10;
      const bool is_flipped = random() % 3 == 0;
      const auto allele = [&] {
        const bool minor = random() % (2 * rarity) == 0;
        return has_two && random() % 4 == 0 ? '2' : minor != is_flipped ? '1' : '0';
      };
      std::string genotypes;
      for (size_t s = 0; s < num_samples; ++s) {
        genotypes += allele();
        if (contig[0] == '2' || s % 3 != 0) genotypes += std::string("|") + allele();
        genotypes += ' ';
      }
      const std::string tail(i % 16, 'T');  // so that no allele of a position is there twice
      vcf.Add(contig, position, i % 50 == 7 ? std::string(300, 'A') : "A",
              has_two ? "C" + tail + ",G" + tail : "C" + tail, genotypes);
      if (i % 10 == 0)
        vcf.AddLine(std::string(contig) + "\t" + std::to_string(position) + "\t.\tA\t.\t.\t.\t.\tGT" + [&] {
          std::string rest;
          for (size_t s = 0; s < num_samples; ++s) rest += contig[0] == '2' || s % 3 != 0 ? "\t0|0" : "\t0";
          return rest;
        }());
    }
  }
  return vcf;
}

// The content of a panel, read `step` bp at a time.
std::string Dump(PanelReader& reader, int64_t step) {
  std::string text;
  std::vector<uint64_t> words;
  for (const std::string& name : reader.sample_names()) text += name + ' ';
  for (const auto& [name, length] : reader.header_contigs()) text += name + ':' + std::to_string(length) + ' ';
  while (const auto contig = reader.NextContig()) {
    MutablePanel panel = reader.StartContig();
    text += '\n' + *contig + ' ' + panel.contig() + ' ';
    for (const uint32_t first : panel.samples().first_haplotype) text += std::to_string(first) + ' ';
    for (bool has_more = true; has_more;) {
      const int64_t next = reader.NextPosition().value_or(0);
      has_more = reader.ReadUntil(next > INT64_MAX - step ? INT64_MAX : next + step, panel);
    }
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      const Marker& marker = panel.marker(m);
      text += '\n' + std::to_string(marker.position) + ' ' + marker.id + ' ' + marker.ref + ' ' + marker.alt + ' ' +
              std::to_string(panel.alt_count(m)) + (panel.is_rare(m) ? " rare " : " common ");
      words.resize(panel.words_per_marker());
      panel.CopyBits(m, words.data());
      text.append(reinterpret_cast<const char*>(words.data()), sizeof(uint64_t) * words.size());
    }
  }
  return text;
}

std::string DumpFile(const std::string& path, int64_t step = INT64_MAX / 2) {
  const auto reader = OpenPanel(path);
  return Dump(*reader, step);
}

std::string DumpRegion(PanelReader& reader, const Region& region) {
  reader.Seek(region);
  return Dump(reader, 700);
}

class PanelFileTest : public testing::Test {
 protected:
  void Build(const VcfText& vcf, uint32_t block_markers = 16) {
    WriteVariants(vcf_, vcf, FileForm::kBgzip);
    IndexFile(vcf_);
    BuildPanelFile(vcf_, file_, {.level = 3, .block_markers = block_markers});
  }

  std::string ErrorWith(const std::string& bytes) const {
    WriteFile(file_, bytes);
    return ErrorOf([&] { DumpFile(file_); });
  }

  const TemporaryFolder folder_;
  const std::string vcf_ = folder_ / "panel.vcf.gz", file_ = folder_ / "panel.hsp";
};

TEST_F(PanelFileTest, HoldsWhatItWasBuiltFrom) {
  uint32_t seed = 0;
  for (const size_t num_samples : {1, 2, 31, 33, 150}) {
    for (const uint32_t block_markers : {1, 16, 64, 5000}) {
      Build(RandomPanel(num_samples, 150, ++seed), block_markers);
      const std::string expected = DumpFile(vcf_);
      EXPECT_TRUE(DumpFile(file_) == expected) << num_samples << " samples, blocks of " << block_markers;
      EXPECT_TRUE(DumpFile(file_, 100) == expected) << num_samples << " samples, blocks of " << block_markers;
    }
  }
}

TEST_F(PanelFileTest, BuiltFromItselfIsTheSameFileWithAnyThreads) {
  Build(RandomPanel(40, 200, 21), 16);
  const std::string bytes = ReadFile(file_);
  for (const int threads : {1, 3}) {
    const ScopedThreads scope(threads);
    BuildPanelFile(file_, folder_ / "again.hsp", {.level = 3, .block_markers = 16});
    EXPECT_TRUE(ReadFile(folder_ / "again.hsp") == bytes) << threads;
  }
}

TEST_F(PanelFileTest, RegionsCoverAContig) {
  Build(RandomPanel(10, 200, 23), 16);
  for (const int64_t overlap : {0, 999}) {
    const std::vector<Region> regions = SplitPanelContig(file_, "chr20", 5000, overlap);
    ASSERT_GT(regions.size(), 3u);
    EXPECT_EQ(regions.front().begin, 1);
    EXPECT_EQ(regions.back().end, INT64_MAX);
    for (size_t k = 1; k < regions.size(); ++k) {
      EXPECT_EQ(regions[k].contig, "chr20");
      EXPECT_EQ(regions[k].begin, regions[k - 1].end + 1 - overlap);
      EXPECT_GT(regions[k].begin, regions[k - 1].begin);
    }
  }
}

// Known without reading the contig: of all of it, and of the blocks that overlap a part of it.
TEST_F(PanelFileTest, ContentOfAContig) {
  Build(RandomPanel(40, 200, 22), 16);
  const auto reader = OpenPanel(file_);
  const auto whole = reader->Content(1, INT64_MAX);
  ASSERT_TRUE(whole);
  const PanelFileSummary::Contig summary = SummarizePanelFile(file_).contigs[0];
  EXPECT_EQ(whole->markers, summary.markers);
  EXPECT_EQ(whole->common, summary.markers - summary.rare_markers);
  EXPECT_EQ(whole->haplotypes, summary.haplotypes);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(INT64_MAX, panel);
  size_t carriers = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) carriers += panel.is_rare(m) ? panel.carriers(m).size() : 0;
  EXPECT_EQ(whole->carriers, carriers);
  const auto part = OpenPanel(file_)->Content(panel.marker(20).position, panel.marker(25).position);
  EXPECT_GE(part->markers, 6u);
  EXPECT_LE(part->markers, 32u + 6u);
  EXPECT_FALSE(OpenPanel(vcf_)->Content(1, INT64_MAX));
}

TEST_F(PanelFileTest, SummaryCounts) {
  Build(RandomPanel(40, 200, 22), 16);
  const PanelFileSummary summary = SummarizePanelFile(file_);
  EXPECT_EQ(summary.version, kPanelFileVersion);
  EXPECT_EQ(summary.bytes, ReadFile(file_).size());
  EXPECT_EQ(summary.samples, 40u);
  ASSERT_EQ(summary.contigs.size(), 2u);
  const auto reader = OpenPanel(vcf_);
  for (const PanelFileSummary::Contig& contig : summary.contigs) {
    MutablePanel panel = reader->StartContig();
    reader->ReadUntil(INT64_MAX, panel);
    size_t rare = 0;
    for (size_t m = 0; m < panel.num_markers(); ++m) rare += panel.is_rare(m) ? 1 : 0;
    EXPECT_EQ(contig.name, panel.contig());
    EXPECT_EQ(contig.length, 1'000'000);
    EXPECT_EQ(contig.haplotypes, panel.num_haplotypes());
    EXPECT_EQ(contig.markers, panel.num_markers());
    EXPECT_EQ(contig.rare_markers, rare);
    EXPECT_GT(rare, 0u);
    EXPECT_LT(rare, panel.num_markers());
    EXPECT_EQ(contig.first_position, panel.marker(0).position);
    EXPECT_EQ(contig.last_position, panel.marker(panel.num_markers() - 1).position);
    EXPECT_EQ(contig.blocks, (panel.num_markers() + 15) / 16);
  }
}

TEST_F(PanelFileTest, RegionsAreThoseOfAnIndexedVcf) {
  Build(RandomPanel(20, 200, 23), 16);
  const auto vcf = OpenPanel(vcf_);
  const auto file = OpenPanel(file_);
  EXPECT_EQ(file->Contigs(), vcf->Contigs());
  std::mt19937 random(24);
  size_t num_empty = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const int64_t begin = 500 + static_cast<int64_t>(random() % 40'000);
    const Region region{random() % 2 == 0 ? "chr20" : "X", begin, begin + static_cast<int64_t>(random() % 5'000)};
    std::string expected, read;
    const std::string expected_error = ErrorOf([&] { expected = DumpRegion(*vcf, region); });
    const std::string error = ErrorOf([&] { read = DumpRegion(*file, region); });
    EXPECT_TRUE(read == expected) << region.begin << '-' << region.end;
    EXPECT_EQ(error.substr(error.find(": ") + 1), expected_error.substr(expected_error.find(": ") + 1));
    num_empty += error.empty() ? 0 : 1;
  }
  EXPECT_GT(num_empty, 10u);
  EXPECT_LT(num_empty, 290u);
  EXPECT_THAT(ErrorOf([&] { DumpRegion(*file, {"7"}); }),
              EndsWith("panel.hsp: no records of contig 7; it has records of 20, X"));
}

TEST_F(PanelFileTest, ContigsCanBeSkipped) {
  Build(RandomPanel(20, 100, 25), 16);
  const auto reader = OpenPanel(file_);
  EXPECT_EQ(reader->NextContig(), "20");
  MutablePanel panel = reader->StartContig();
  EXPECT_TRUE(reader->ReadUntil(3000, panel));
  reader->SkipContig();
  EXPECT_EQ(reader->NextContig(), "X");
  reader->SkipContig();
  EXPECT_EQ(reader->NextContig(), std::nullopt);
  EXPECT_THAT(ErrorOf([&] { reader->StartContig(); }), HasSubstr("no more markers"));
}

TEST_F(PanelFileTest, ARegionReadsOnlyItsBlocks) {
  Build(RandomPanel(20, 200, 26), 16);
  std::string bytes = ReadFile(file_);
  bytes[kPanelFileHeaderBytes + 20] ^= 0x55;  // in the first block
  WriteFile(file_, bytes);
  const auto vcf = OpenPanel(vcf_);
  const auto file = OpenPanel(file_);
  const Region region{"20", 20'000, 25'000};
  EXPECT_TRUE(DumpRegion(*file, region) == DumpRegion(*vcf, region));
  EXPECT_THAT(ErrorOf([&] { DumpFile(file_); }), HasSubstr("panel.hsp: the block of 20:1"));
}

TEST_F(PanelFileTest, AnyOtherByteIsFoundOut) {
  Build(RandomPanel(20, 60, 27), 16);
  const std::string bytes = ReadFile(file_), expected = DumpFile(file_);
  std::mt19937 random(28);
  size_t num_errors = 0;
  constexpr size_t kRepeats = 3000;
  for (size_t repeat = 0; repeat < kRepeats; ++repeat) {
    std::string damaged = bytes;
    // Half of them where the index and the trailer are.
    const size_t last = std::min<size_t>(bytes.size() - 1, 400);
    const size_t place = repeat % 2 == 0 ? random() % bytes.size() : bytes.size() - 1 - random() % last;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 + random() % 255));
    WriteFile(file_, damaged);
    std::string read;
    try {
      read = DumpFile(file_);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), StartsWith(file_ + ": "));
      ++num_errors;
      continue;
    }
    ASSERT_TRUE(read == expected) << "byte " << place;
  }
  EXPECT_GT(num_errors, kRepeats * 9 / 10);
}

TEST_F(PanelFileTest, AnyTruncationIsFoundOut) {
  Build(RandomPanel(5, 30, 29), 16);
  const std::string bytes = ReadFile(file_);
  for (size_t size = kPanelFileMagic.size(); size < bytes.size(); size += 1 + size / 50) {
    EXPECT_THAT(ErrorWith(bytes.substr(0, size)), HasSubstr("panel.hsp: truncated: its end is missing; copy the file"));
  }
}

TEST_F(PanelFileTest, EachDamageHasItsMessage) {
  Build(RandomPanel(5, 30, 30), 16);
  const std::string bytes = ReadFile(file_);
  const auto changed = [&](size_t place) {
    std::string copy = bytes;
    copy[place] = static_cast<char>(copy[place] ^ 0x40);
    return copy;
  };
  EXPECT_THAT(ErrorWith(changed(8)),
              EndsWith("panel.hsp: panel file of version 72, but this haplospin reads versions 5, 7 and 8; "
                       "build it again from the VCF or BCF (haplospin panel build)"));
  EXPECT_THAT(ErrorWith(changed(kPanelFileHeaderBytes + 30)), HasSubstr("panel.hsp: the block of 20:1"));
  EXPECT_THAT(ErrorWith(changed(bytes.size() - kPanelFileTrailerBytes - 10)), HasSubstr("panel.hsp: its index is"));
  for (const size_t field : {32, 24, 16}) {  // index: offset, size, size before compression
    for (const size_t byte : {0, 4, 7}) {
      EXPECT_THAT(ErrorWith(changed(bytes.size() - field + byte)), HasSubstr("panel.hsp: its index is damaged"));
    }
  }
  EXPECT_THAT(ErrorWith(bytes + "x"), HasSubstr("panel.hsp: truncated"));
  EXPECT_THAT(ErrorWith(changed(0)), HasSubstr("panel.hsp: not a VCF or BCF file"));
  WriteFile(file_, "##fileformat=VCFv4.2\n");
  EXPECT_THAT(ErrorOf([&] { SummarizePanelFile(file_); }),
              EndsWith("panel.hsp: not a panel file; convert it with `panel build`"));
  EXPECT_THAT(ErrorOf([&] { SummarizePanelFile(folder_ / "absent"); }), HasSubstr("absent: cannot open: No such file"));
  EXPECT_THAT(ErrorOf([&] { SummarizePanelFile(folder_.path().string()); }), HasSubstr("is a folder; give a file"));
}

// Invalid numbers in the index with a correct checksum.
TEST_F(PanelFileTest, AnIndexThatContradictsItselfIsRefused) {
  PanelFileIndex index;
  index.sample_names = {"a", "b"};
  index.header_contigs = {{"20", 1000}};
  const PloidyFlags diploid(SampleTable::Diploid(index.sample_names));
  index.contigs = {{"20", diploid, {{16, 10, 50, 100, 200, 3, 1}, {26, 5, 50, 200, 300, 3, 1}}}};
  const auto error = [&](const PanelFileIndex& changed, uint64_t end = 31) {
    return ErrorOf([&] { DecodePanelFileIndex(EncodePanelFileIndex(changed), end, "damaged", kPanelFileVersion); });
  };
  EXPECT_EQ(error(index), "");
  EXPECT_EQ(error(index, 30), "damaged");
  EXPECT_EQ(error(index, 32), "damaged");
  const auto with = [&](auto change) {
    PanelFileIndex copy = index;
    change(copy);
    return error(copy);
  };
  EXPECT_EQ(with([](auto& i) { i.sample_names[1] = "a"; }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.sample_names.clear(); }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs.clear(); }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs.push_back(i.contigs[0]); }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[1].first_position = 199; }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[0].num_markers = 0; }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[0].num_markers = kMaxBlockMarkers + 1; }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[0].num_rare = 4; }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[0].num_carriers = 1; }), "damaged");  // of four haplotypes
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[0].raw_size = uint64_t{1} << 40; }), "damaged");
  EXPECT_EQ(with([](auto& i) { i.contigs[0].blocks[0].size = uint64_t{1} << 40; }), "damaged");
}

// The peak memory of this process in bytes.
int64_t PeakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

TEST_F(PanelFileTest, AnIndexHoldsTheSampleNamesOnce) {
  constexpr size_t kSamples = 20'000, kContigs = 400;
  PanelFileIndex index;
  index.sample_names = SampleNames(kSamples);
  const PloidyFlags diploid(SampleTable::Diploid(index.sample_names));
  for (size_t c = 0; c < kContigs; ++c) {
    index.contigs.push_back({"c" + std::to_string(c), diploid, {{kPanelFileHeaderBytes + c, 1, 50, 100, 200, 3, 1}}});
  }
  const std::string bytes = EncodePanelFileIndex(index);
  const int64_t before = PeakMemory();
  const PanelFileIndex decoded =
      DecodePanelFileIndex(bytes, kPanelFileHeaderBytes + kContigs, "damaged", kPanelFileVersion);
  EXPECT_EQ(decoded.contigs.back().ploidy.num_haplotypes(), 2 * kSamples);
  EXPECT_LT(PeakMemory() - before, 50'000'000);  // 288 MB with the names and haplotypes of each contig
}

// Blocks with a correct checksum and invalid content.
TEST_F(PanelFileTest, BlocksSurviveAnyBytes) {
  Build(RandomPanel(20, 100, 31));
  const auto reader = OpenPanel(vcf_);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(INT64_MAX, panel);
  const std::string bytes = EncodePanelBlock(panel, 0, panel.num_markers());
  const PanelBlockEntry entry = DescribePanelBlock(panel, 0, panel.num_markers());
  std::mt19937 random(32);
  size_t num_errors = 0;
  for (int repeat = 0; repeat < 5000; ++repeat) {
    std::string damaged = bytes;
    for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
      damaged[random() % (damaged.size() / (1 + random() % 4))] = static_cast<char>(random());
    }
    if (repeat % 5 == 0) damaged.resize(random() % damaged.size());
    try {
      PanelBlock block;
      block.Assign(damaged, entry, panel.num_haplotypes(), "damaged");
      MutablePanel copy(panel.contig(), panel.samples());
      for (size_t m = 0; m < block.num_markers(); ++m) block.MoveTo(m, copy);
    } catch (const InputError&) {
      ++num_errors;
    }
  }
  EXPECT_GT(num_errors, 1000u);
}

// A block of one rare marker and two common ones, of 64 haplotypes: any invalid number in it is found.
TEST(PanelBlock, ThatContradictsItselfIsRefused) {
  SampleTable samples = SampleTable::Diploid(SampleNames(32));
  MutablePanel panel("20", samples);
  for (const uint64_t bits : {uint64_t{1} << 9, uint64_t{0xFF}, uint64_t{0xF0F}}) {
    panel.Append({100, ".", "A", "C"}, &bits);
  }
  const PanelBlockEntry entry = DescribePanelBlock(panel, 0, 3);
  ASSERT_EQ(entry.num_rare, 1u);
  ASSERT_EQ(entry.num_carriers, 1u);
  const std::string bytes = EncodePanelBlock(panel, 0, 3);
  const auto error = [&](const std::string& changed, const PanelBlockEntry& of) {
    PanelBlock block;
    return ErrorOf([&] { block.Assign(changed, of, panel.num_haplotypes(), "damaged"); });
  };
  EXPECT_EQ(error(bytes, entry), "");
  EXPECT_EQ(error(bytes + '\0', entry), "damaged");
  EXPECT_EQ(error(bytes.substr(0, bytes.size() - 1), entry), "damaged");
  PanelBlockEntry other = entry;
  other.num_carriers = 2;
  EXPECT_EQ(error(bytes, other), "damaged");
  other = entry;
  other.num_rare = 2;
  EXPECT_EQ(error(bytes, other), "damaged");

  // After positions, types and texts: the number of carriers, the carrier, the number of rows, four rows, 64 indices.
  const size_t indices = bytes.size() - 64, rows = indices - 4, num_rows = rows - 1, carrier = num_rows - 1;
  ASSERT_EQ(bytes[num_rows], 4);
  const auto with = [&](size_t place, int value) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(value);
    return error(changed, entry);
  };
  EXPECT_EQ(with(carrier - 1, 2), "damaged");  // too many for a rare marker
  EXPECT_EQ(with(carrier, 64), "damaged");     // no such haplotype
  EXPECT_EQ(with(num_rows, 65), "damaged");    // more rows than haplotypes
  EXPECT_EQ(with(num_rows, 0), "damaged");
  EXPECT_EQ(with(rows, 4), "damaged");     // an allele of a third marker
  EXPECT_EQ(with(indices, 4), "damaged");  // no such row
  EXPECT_EQ(with(carrier, 63), "");
  EXPECT_EQ(with(indices, 3), "");
  std::string rare = bytes;
  std::fill(rare.begin() + static_cast<std::ptrdiff_t>(indices), rare.end(), '\0');
  EXPECT_EQ(error(rare, entry), "damaged");  // common markers without a minor allele
}

TEST_F(PanelFileTest, WhatIsNoPanelLeavesNoFile) {
  WriteVariants(vcf_, VcfText().Add("20", 100, "A", "C", "0|1 0|0 0/1"), FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { BuildPanelFile(vcf_, file_, {}); }), HasSubstr("sample C has the unphased genotype"));
  WriteVariants(vcf_, VcfText(), FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { BuildPanelFile(vcf_, file_, {}); }), HasSubstr("no record has an ALT allele"));
  EXPECT_EQ(folder_.NumFiles(), 1u);
}

TEST_F(PanelFileTest, RealPanelIsSmallerThanItsBcf) {
  const char* data = std::getenv("HAPLOSPIN_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs HAPLOSPIN_DATA, the folder of real genotypes";
  const std::string bcf = std::string(data) + "/genotypes/chr20_1kg/1kgP3_chr20.mac5.bcf";
  BuildPanelFile(bcf, file_, {.level = 9});
  EXPECT_TRUE(DumpFile(file_) == DumpFile(bcf));
  EXPECT_LT(3 * ReadFile(file_).size(), ReadFile(bcf).size());
}

}  // namespace
}  // namespace haplospin
