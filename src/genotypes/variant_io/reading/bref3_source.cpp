// Beagle's binary reference format, version 3 (.bref3): https://faculty.washington.edu/browning/beagle/bref3.pdf
//
// Integers have their highest byte first. A block has a list of distinct allele sequences and the one that each
// haplotype has; a record has either the allele of each sequence, or the haplotypes of each allele but the major one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/byte_stream.h"
#include "genotypes/genomics/bits.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kRecordsAtATime = 512;
constexpr uint8_t kNoSnv = 0xFF;  // in place of the code of the alleles
enum Coding : uint8_t { kBySequence = 0, kByAllele = 1 };

// The alleles of an SNV are the first letters of a permutation of ACGT; permutations are numbered in their order.
std::array<std::string, 24> Permutations() {
  std::array<std::string, 24> result;
  std::string letters = "ACGT";
  for (std::string& permutation : result) {
    permutation = letters;
    std::ranges::next_permutation(letters);
  }
  return result;
}

class Bref3Source : public PanelSource {
 public:
  Bref3Source(const std::string& path, RecordKind kind) : PanelSource(path, kind), bytes_(path) {
    bytes_.Take(4);  // the magic number
    Text();          // the program that wrote the file
    std::vector<std::string> samples;
    for (size_t left = Count(); left > 0; --left) samples.emplace_back(Text());
    SetSamples(std::move(samples));
    num_haplotypes_ = 2 * header_.samples.size();
  }

  size_t Read() override {
    if (is_at_end_) return 0;
    if (left_in_block_ == 0 && !StartBlock()) return 0;
    const size_t count = std::min(left_in_block_, kRecordsAtATime);
    sequence_alleles_.resize(std::max(sequence_alleles_.size(), count));
    for (size_t i = 0; i < count; ++i) ReadRecord(Fresh(i), sequence_alleles_[i]);
    left_in_block_ -= count;
    return count;
  }

 private:
  size_t Count() {
    const auto count = bytes_.Big<int32_t>();
    if (count < 0) bytes_.Fail("damaged: a negative number of items");
    return static_cast<size_t>(count);
  }

  std::string_view Text() { return bytes_.Take(bytes_.Big<uint16_t>()); }

  // Returns false at the end of the file, where a block without records stands.
  bool StartBlock() {
    left_in_block_ = Count();
    is_at_end_ = left_in_block_ == 0;
    if (is_at_end_) return false;
    contig_ = Text();
    num_sequences_ = bytes_.Big<uint16_t>();
    std::vector<uint32_t> sequences(num_haplotypes_);
    for (uint32_t& sequence : sequences) {
      sequence = bytes_.Big<uint16_t>();
      if (sequence >= std::max<size_t>(num_sequences_, 1)) bytes_.Fail("damaged: no such sequence of alleles");
    }
    haplotypes_.Assign(sequences);
    return true;
  }

  // Sets the bits, or `sequence_alleles`, from which they are to be made.
  void ReadRecord(ParsedRecord& record, std::string& sequence_alleles) {
    SetPlace(contig_, bytes_.Big<int32_t>(), record);
    ReadIds(record);
    ReadAlleles(record);
    const size_t words = WordsOf(num_haplotypes_);
    sequence_alleles.clear();
    const auto coding = bytes_.Big<uint8_t>();
    if (coding == kBySequence) {
      record.bits.resize(words * record.alts.size());
      sequence_alleles = bytes_.Take(num_sequences_);
      const auto is_unknown = [&](char allele) { return static_cast<uint8_t>(allele) > record.alts.size(); };
      if (std::ranges::any_of(sequence_alleles, is_unknown) || num_sequences_ == 0) Fail(record, "damaged");
    } else if (coding == kByAllele) {
      record.bits.assign(words * record.alts.size(), 0);
      ReadCarriers(record, words);
    } else {
      Fail(record, fmt::format("damaged: genotypes in coding {}, expected 0 or 1", coding));
    }
  }

  void ReadIds(ParsedRecord& record) {
    record.id.clear();
    for (size_t left = bytes_.Big<uint8_t>(); left > 0; --left) {
      if (!record.id.empty()) record.id += ';';
      record.id += Text();
    }
    if (record.id.empty()) record.id = ".";
  }

  void ReadAlleles(ParsedRecord& record) {
    record.alts.clear();
    const auto code = bytes_.Big<uint8_t>();
    if (code != kNoSnv) {
      const size_t permutation = code >> 2, num_alleles = 1 + (code & 3u);
      if (permutation >= permutations_.size()) Fail(record, "damaged: the code of the alleles");
      record.ref = permutations_[permutation][0];
      for (size_t a = 1; a < num_alleles; ++a) record.alts.emplace_back(1, permutations_[permutation][a]);
      return;
    }
    const size_t num_alleles = Count();
    if (num_alleles == 0 || num_alleles > kMaxAlleles) Fail(record, fmt::format("damaged: {} alleles", num_alleles));
    record.ref = Text();
    for (size_t a = 1; a < num_alleles; ++a) record.alts.emplace_back(Text());
    const auto end = bytes_.Big<int32_t>();
    if (end >= record.position) record.info = fmt::format("END={}", end);
    if (record.alts.size() == 1 && record.alts[0] == ".") record.alts.clear();
  }

  // The haplotypes of each allele; the one without a list is that of all others.
  void ReadCarriers(ParsedRecord& record, size_t words) {
    std::optional<size_t> major;
    std::vector<uint64_t> others(words);
    for (size_t a = 0; a <= record.alts.size(); ++a) {
      const auto count = bytes_.Big<int32_t>();
      if (count < 0) {
        if (major) Fail(record, "damaged: two alleles without a list of haplotypes");
        major = a;
        continue;
      }
      for (int32_t i = 0; i < count; ++i) {
        const auto haplotype = bytes_.Big<uint32_t>();
        if (haplotype >= num_haplotypes_) Fail(record, fmt::format("damaged: haplotype {}", haplotype));
        const uint64_t bit = uint64_t{1} << haplotype % 64;
        others[haplotype / 64] |= bit;
        if (a > 0) record.bits[(a - 1) * words + haplotype / 64] |= bit;
      }
    }
    if (!major) Fail(record, "damaged: no allele is the major one");
    if (*major == 0) return;
    for (size_t w = 0; w < words; ++w) {
      const uint64_t all = w + 1 < words ? ~uint64_t{0} : LastWordMask(num_haplotypes_);
      record.bits[(*major - 1) * words + w] = all & ~others[w];
    }
  }

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override {
    PanelSource::Decode(i, filter, record);
    const std::string& sequence_alleles = sequence_alleles_[i];
    if (record.is_outside || sequence_alleles.empty() || !reads_haplotypes()) return;
    const size_t words = WordsOf(num_haplotypes_);
    for (size_t a = 0; a < record.alts.size(); ++a) {
      haplotypes_.GatherBits(reinterpret_cast<const uint8_t*>(sequence_alleles.data()), static_cast<uint8_t>(a + 1),
                             record.bits.data() + a * words);
    }
  }

  ByteStream bytes_;
  const std::array<std::string, 24> permutations_ = Permutations();
  size_t num_haplotypes_ = 0;
  bool is_at_end_ = false;
  // The block.
  size_t left_in_block_ = 0;  // records
  std::string contig_;
  size_t num_sequences_ = 0;
  BlockHaplotypes haplotypes_;
  std::vector<std::string> sequence_alleles_;  // [records at a time] empty where the bits are made already
};

}  // namespace

std::unique_ptr<RecordSource> OpenBref3(const std::string& path, RecordKind kind) {
  return std::make_unique<Bref3Source>(path, kind);
}

}  // namespace haplospin
