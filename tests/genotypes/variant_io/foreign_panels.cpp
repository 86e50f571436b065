#include "genotypes/variant_io/foreign_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>

#include "core/zstd_frame.h"
#include "genotypes/variant_io/byte_coding.h"

namespace haplospin {
namespace {

using Record = ForeignPanel::Record;

std::string Big(uint64_t value, size_t num_bytes) {
  std::string bytes;
  for (size_t i = num_bytes; i > 0; --i) bytes += static_cast<char>(value >> 8 * (i - 1) & 0xFF);
  return bytes;
}

std::string JavaText(const std::string& text) { return Big(text.size(), 2) + text; }

std::string AlleleText(int allele, const char* missing) { return allele < 0 ? missing : std::to_string(allele); }

// The distinct sequences of alleles in a block: the one of each haplotype, and one haplotype of each.
struct Sequences {
  std::vector<size_t> of_haplotype, examples;

  explicit Sequences(std::span<const Record> block) : of_haplotype(block[0].alleles.size()) {
    std::map<std::vector<int>, size_t> known;
    for (size_t h = 0; h < of_haplotype.size(); ++h) {
      std::vector<int> alleles;
      for (const Record& record : block) alleles.push_back(record.alleles[h]);
      const auto [found, is_new] = known.try_emplace(alleles, known.size());
      if (is_new) examples.push_back(h);
      of_haplotype[h] = found->second;
    }
  }
};

template <typename Visit>
void ForEachBlock(const std::vector<Record>& records, size_t size, Visit visit) {
  for (size_t begin = 0; begin < records.size(); begin += size) {
    visit(std::span(records).subspan(begin, std::min(size, records.size() - begin)));
  }
}

// A typed value of BCF.
std::string Typed(int type, const std::string& bytes, size_t count) {
  if (count < 15) return static_cast<char>(count << 4 | static_cast<size_t>(type)) + bytes;
  return static_cast<char>(0xF0 | type) + std::string("\x12") + static_cast<char>(count & 0xFF) +
         static_cast<char>(count >> 8) + bytes;
}
std::string TypedText(const std::string& text) { return Typed(7, text, text.size()); }
std::string TypedNumber(int number) { return Typed(1, std::string(1, static_cast<char>(number)), 1); }

enum SavKey { kReps = 1, kVariants, kEnd, kAlleles, kMap };

std::string SavRecord(const Record& record, const std::string& alt, int num_info, const std::string& info,
                      const std::string& format) {
  std::string shared;
  AppendInteger(0, 4, shared);
  AppendInteger(static_cast<uint64_t>(record.position - 1), 4, shared);
  AppendInteger(record.ref.size(), 4, shared);
  AppendInteger(0x7F800001, 4, shared);
  AppendInteger(2 << 16 | static_cast<uint64_t>(num_info), 4, shared);
  AppendInteger(format.empty() ? 0 : 1 << 24, 4, shared);
  shared += TypedText(record.id) + TypedText(record.ref) + TypedText(alt) + '\0' + info;
  std::string bytes;
  AppendInteger(shared.size(), 4, bytes);
  AppendInteger(format.size(), 4, bytes);
  return bytes + shared + format;
}

}  // namespace

ForeignPanel ForeignPanel::Random(size_t num_samples, size_t num_records, bool several, unsigned seed) {
  std::mt19937 random(seed);
  ForeignPanel panel;
  for (size_t s = 0; s < num_samples; ++s) panel.samples.push_back(fmt::format("S{}", s));
  for (size_t r = 0; r < num_records; ++r) {
    Record record{static_cast<int64_t>(1000 + 10 * r), r % 3 == 0 ? "." : fmt::format("rs{}", r), "A", {"C"}, {}};
    if (several && r % 4 == 1) record.alts = {"G", "T"};
    if (several && r % 4 == 2) record.alts = {"AT", "G", "<DEL>"};
    const unsigned rarity = 1 + random() % 9;
    const bool is_mostly_alt = random() % 4 == 0;
    for (size_t h = 0; h < 2 * num_samples; ++h) {
      const bool is_other = random() % (1 + rarity) == 0;
      record.alleles.push_back(is_other == is_mostly_alt ? 0 : static_cast<int>(1 + random() % record.alts.size()));
    }
    panel.records.push_back(record);
  }
  return panel;
}

std::string ForeignPanel::Vcf() const {
  std::string text =
      fmt::format("##fileformat=VCFv4.2\n##contig=<ID={}>\n##FORMAT=<ID=GT,Number=1,Type=String>\n", contig);
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& sample : samples) text += "\t" + sample;
  for (const Record& record : records) {
    text += fmt::format("\n{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT", contig, record.position, record.id, record.ref,
                        fmt::join(record.alts, ","));
    for (size_t h = 0; h < record.alleles.size(); h += 2) {
      text += fmt::format("\t{}|{}", AlleleText(record.alleles[h], "."), AlleleText(record.alleles[h + 1], "."));
    }
  }
  return text + "\n";
}

std::string ForeignPanel::Bref3(size_t block_records) const {
  std::string bytes = Big(0x7A8874F4, 4) + JavaText("test") + Big(samples.size(), 4);
  for (const std::string& sample : samples) bytes += JavaText(sample);
  ForEachBlock(records, block_records, [&](std::span<const Record> block) {
    const Sequences sequences(block);
    bytes += Big(block.size(), 4) + JavaText(contig) + Big(sequences.examples.size(), 2);
    for (const size_t sequence : sequences.of_haplotype) bytes += Big(sequence, 2);
    for (const Record& record : block) {
      bytes += Big(static_cast<uint64_t>(record.position), 4);
      bytes += record.id == "." ? Big(0, 1) : Big(1, 1) + JavaText(record.id);
      const bool is_snv = record.ref == "A" && record.alts == std::vector<std::string>{"C"};
      if (is_snv) {
        bytes += Big(0 << 2 | 1, 1);  // the first permutation, ACGT, and two alleles
      } else if (record.alts == std::vector<std::string>{"G", "T"}) {
        bytes += Big(3 << 2 | 2, 1);  // AGTC
      } else {
        bytes += Big(0xFF, 1) + Big(record.alts.size() + 1, 4) + JavaText(record.ref);
        for (const std::string& alt : record.alts) bytes += JavaText(alt);
        bytes += Big(0xFFFFFFFF, 4);
      }
      if (record.position % 20 == 0) {
        bytes += Big(0, 1);
        for (const size_t h : sequences.examples) bytes += Big(static_cast<uint64_t>(record.alleles[h]), 1);
        continue;
      }
      bytes += Big(1, 1);
      const int major = record.alleles[0];
      for (int a = 0; a <= static_cast<int>(record.alts.size()); ++a) {
        if (a == major) bytes += Big(0xFFFFFFFF, 4);
        if (a == major) continue;
        bytes += Big(static_cast<uint64_t>(std::ranges::count(record.alleles, a)), 4);
        for (size_t h = 0; h < record.alleles.size(); ++h) {
          if (record.alleles[h] == a) bytes += Big(h, 4);
        }
      }
    }
  });
  return bytes + Big(0, 4) + "the index";
}

std::string ForeignPanel::CompressedMsav() const {
  const std::string index("\x50\x2a\x4d\x18\x07\0\0\0s1r\0\1\0\0", 15);  // a frame that is skipped
  return CompressFrame(Msav(), 3) + index;
}

std::string ForeignPanel::Msav(size_t block_records) const {
  std::string header = "##fileformat=VCFv4.2\n##subfileformat=MVCFv3.0\n##contig=<ID=" + contig + ",length=90000>\n";
  for (const char* key : {"REPS", "VARIANTS", "END", "UHA"}) {
    header += fmt::format("##INFO=<ID={},Number=.,Type=Integer,Description=\"\">\n", key);
  }
  header += "##FORMAT=<ID=UHM,Number=.,Type=Integer,Description=\"\">\n";
  header += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& sample : samples) header += "\t" + sample;
  header += '\n';
  header += '\0';
  std::string bytes("SAV\x02\x00", 5);
  AppendInteger(header.size(), 4, bytes);
  bytes += header;
  ForEachBlock(records, block_records, [&](std::span<const Record> block) {
    const Sequences sequences(block);
    std::string map;
    for (const size_t sequence : sequences.of_haplotype) AppendInteger(sequence, 2, map);
    const int count = static_cast<int>(block.size()), distinct = static_cast<int>(sequences.examples.size());
    bytes += SavRecord(block[0], "<BLOCK>", 2,
                       TypedNumber(kVariants) + TypedNumber(count) + TypedNumber(kReps) + TypedNumber(distinct),
                       TypedNumber(kMap) + Typed(2, map, sequences.of_haplotype.size()));
    for (const Record& record : block) {
      std::string alleles;
      for (const size_t h : sequences.examples) {
        alleles += record.alleles[h] < 0 ? '\x80' : static_cast<char>(record.alleles[h]);
      }
      bytes += SavRecord(record, record.alts[0], 1, TypedNumber(kAlleles) + Typed(1, alleles, alleles.size()), "");
    }
  });
  return bytes;
}

std::string ForeignPanel::M3vcf(int version, size_t block_records) const {
  std::string text = version == 1 ? "##fileformat=M3VCF\n##version=1.2\n" : "##fileformat=M3VCFv2.0\n";
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& sample : samples) {
    text += version == 1 ? fmt::format("\t{0}_HAP_1\t{0}_HAP_2", sample) : "\t" + sample;
  }
  // Blocks overlap in one marker.
  for (size_t begin = 0; begin + 1 < records.size(); begin += block_records) {
    const auto block = std::span(records).subspan(begin, std::min(block_records + 1, records.size() - begin));
    const Sequences sequences(block);
    text += fmt::format("\n{}\t{}-{}\t<BLOCK:0-1>\t.\t.\t.\t.\tB1;VARIANTS={};REPS={}\t.", contig,
                        block.front().position, block.back().position, block.size(), sequences.examples.size());
    for (size_t h = 0; h < sequences.of_haplotype.size(); ++h) {
      text += (version == 1 || h % 2 == 0 ? "\t" : "|") + std::to_string(sequences.of_haplotype[h]);
    }
    for (const Record& record : block) {
      std::string alleles, distances;
      for (size_t i = 0, last = 0; i < sequences.examples.size(); ++i) {
        const int allele = record.alleles[sequences.examples[i]];
        alleles += allele == 0 ? '0' : '1';
        if (allele == 0) continue;
        distances += (distances.empty() ? "" : ",") + std::to_string(i - last);
        last = i;
      }
      if (distances.empty()) distances = ".";
      text += fmt::format("\n{}\t{}\t{}\t{}\t{}\t.\t.\tB1.M1;Err=0.1;Recom=0.2\t{}", contig, record.position, record.id,
                          record.ref, record.alts[0], version == 1 ? alleles : distances);
    }
  }
  return text + "\n";
}

std::string ForeignPanel::Legend() const {
  std::string text = "id position a0 a1\n";
  for (const Record& record : records) {
    text += fmt::format("{0}:{1}_{2}_{3} {1} {2} {3}\n", contig, record.position, record.ref, record.alts[0]);
  }
  return text;
}

std::string ForeignPanel::Hap() const {
  std::string text;
  for (const Record& record : records) {
    for (const int allele : record.alleles) text += AlleleText(allele, "?") + " ";
    text.back() = '\n';
  }
  return text;
}

std::string ForeignPanel::Sample() const {
  std::string text = "ID_1 ID_2 missing\n0 0 0\n";
  for (const std::string& sample : samples) text += fmt::format("0 {} 0\n", sample);
  return text;
}

}  // namespace haplospin
