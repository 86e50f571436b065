// Panels of Minimac4 (.msav): records of SAV 2 (github.com/statgen/savvy), which are those of BCF with zstd for gzip,
// in blocks. The first record of a block, with ALT <BLOCK>, has FORMAT/UHM: the sequence of alleles that each haplotype
// has in the block. Each record after it is a marker, whose INFO/UHA has the allele of each sequence.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "core/byte_stream.h"
#include "core/little_endian.h"
#include "genotypes/genomics/bits.h"
#include "genotypes/variant_io/byte_coding.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "haplospin/errors.h"
#include "haplospin/marker.h"

namespace haplospin {
namespace {

constexpr size_t kMarkersAtATime = 512;
constexpr size_t kSitesHeader = 24;  // bytes of CHROM, POS, rlen, QUAL and the numbers of alleles, INFO and FORMAT
constexpr std::string_view kIndexMark = "s1r";  // begins the last bytes of an index
constexpr size_t kIndexMarkBytes = 7;           // with the version of the index
constexpr uint8_t kMissingAlleleOfSav = 0x80;   // which Minimac4 itself reads as ALT of everybody
constexpr const char* kNotMsav = "convert the panel again (minimac4 --compress-reference panel.vcf.gz > panel.msav)";

// A typed value of SAV: its type, and its bytes.
struct SavValue {
  size_t width = 0;  // bytes of an integer, or 0 for another type
  size_t count = 0;
  std::string_view bytes;

  int64_t Integer(size_t i) const {
    uint64_t value = 0;
    for (size_t b = 0; b < width; ++b) value |= uint64_t{static_cast<uint8_t>(bytes[i * width + b])} << 8 * b;
    return static_cast<int64_t>(value << (64 - 8 * width)) >> (64 - 8 * width);
  }
  // What stands for the second allele of a haploid sample.
  bool IsEndOfVector(size_t i) const { return Integer(i) == -(int64_t{1} << (8 * width - 1)) + 1; }
};

class SavReader {
 public:
  SavReader(std::string_view bytes, const std::string& message) : bytes_(bytes, message) {}

  std::string_view Take(size_t size) { return bytes_.Take(size); }

  uint32_t Fixed32() { return static_cast<uint32_t>(LittleEndian(bytes_.Take(4))); }

  SavValue Value() {
    constexpr size_t kWidths[] = {0, 1, 2, 4, 8, 4, 0, 1};  // bytes by type: sparse, integers, float, unused, character
    const uint8_t head = bytes_.Byte();
    const size_t type = head & 7u, count = Size(head);
    if (type == 0 && count > 0) return SkipSparse();
    if ((head & 8u) != 0) bytes_.Fail();  // sorted by the positional BWT, which Minimac4 does not write
    if (kWidths[type] > 0 && count > bytes_.num_left() / kWidths[type]) bytes_.Fail();
    return {type <= 4 ? kWidths[type] : 0, count, bytes_.Take(count * kWidths[type])};
  }

  uint64_t Number() {
    const SavValue value = Value();
    if (value.width == 0 || value.count != 1 || value.Integer(0) < 0) bytes_.Fail();
    return static_cast<uint64_t>(value.Integer(0));
  }

  [[noreturn]] void Fail() const { bytes_.Fail(); }

 private:
  size_t Size(uint8_t head) {
    if (head >> 4 < 15) return head >> 4;
    return Number();
  }

  SavValue SkipSparse() {
    constexpr size_t kWidths[] = {0, 1, 2, 4, 8, 4, 0, 0};
    const uint8_t types = bytes_.Byte();
    const size_t width = kWidths[types >> 4 & 7] + kWidths[types & 7], count = Number();
    if (width > 0 && count > bytes_.num_left() / width) bytes_.Fail();
    bytes_.Take(count * width);
    return {};
  }

  ByteReader bytes_;
};

class MsavSource : public PanelSource {
 public:
  MsavSource(const std::string& path, RecordKind kind)
      : PanelSource(path, kind), bytes_(path), damaged_(path + ": damaged, or not as Minimac4 writes it; " + kNotMsav) {
    SilenceHtslib();
    const std::string magic(bytes_.Take(5));
    if (!magic.starts_with("SAV") && !magic.starts_with("sav")) {
      throw InputError(path + ": compressed with zstd, but not SAV; expected a panel of Minimac4 (.msav)");
    }
    if (magic[0] != 'S' || magic[3] != 2) throw InputError(path + ": SAV of another version than 2; " + kNotMsav);
    const std::string header(bytes_.Take(bytes_.Little<uint32_t>()));
    ReadHeader(header);
    CheckEnd();
  }

  size_t Read() override {
    size_t count = 0;
    while (count < kMarkersAtATime && !bytes_.AtEnd()) {
      const auto num_shared = bytes_.Little<uint32_t>(), num_individual = bytes_.Little<uint32_t>();
      const std::string_view record = bytes_.Take(size_t{num_shared} + num_individual);
      if (ReadRecord(record.substr(0, num_shared), record.substr(num_shared), Fresh(count))) ++count;
    }
    if (count == 0 && left_in_block_ > 0) bytes_.Fail("truncated within a block of markers");
    return count;
  }

 private:
  // A compressed file ends with its index, in a frame that decompression skips; blocks have no other end.
  void CheckEnd() const {
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(header_.path.c_str(), "rb"), &std::fclose);
    char head[3], mark[kIndexMarkBytes];
    const bool is_read = file && std::fread(head, 1, sizeof(head), file.get()) == sizeof(head);
    if (!is_read || std::string_view(head, 3) == "SAV") return;
    const bool has_end = std::fseek(file.get(), -static_cast<long>(kIndexMarkBytes), SEEK_END) == 0 &&
                         std::fread(mark, 1, sizeof(mark), file.get()) == sizeof(mark);
    if (has_end && std::string_view(mark, kIndexMarkBytes).starts_with(kIndexMark)) return;
    throw InputError(header_.path + ": truncated: the index at its end is missing; copy or make the file again");
  }

  void ReadHeader(const std::string& text) {
    bcf_header_.reset(bcf_hdr_init("r"));
    std::string copy = text;  // HTSlib writes into it
    if (bcf_hdr_parse(bcf_header_.get(), copy.data()) != 0) throw InputError(damaged_);
    if (text.find("subfileformat=MVCF") == std::string::npos && text.find("subfileformat=M3VCF") == std::string::npos) {
      throw InputError(header_.path + ": SAV, but not a panel of Minimac4; " + kNotMsav);
    }
    for (int i = 0; i < bcf_header_->n[BCF_DT_CTG]; ++i) {
      const auto* contig = bcf_header_->id[BCF_DT_CTG][i].val;
      header_.contigs.emplace_back(bcf_header_->id[BCF_DT_CTG][i].key, contig == nullptr ? 0 : contig->info[0]);
    }
    std::vector<std::string> names(bcf_header_->samples, bcf_header_->samples + bcf_hdr_nsamples(bcf_header_.get()));
    num_columns_ = names.size();
    names_are_haploid_ = JoinHaplotypeNames(names);
    SetSamples(std::move(names));
    const auto key = [&](const char* name) {
      return static_cast<int64_t>(bcf_hdr_id2int(bcf_header_.get(), BCF_DT_ID, name));
    };
    map_key_ = key("UHM");
    alleles_key_ = key("UHA");
    variants_key_ = key("VARIANTS");
  }

  // Returns whether the record is a marker; otherwise it starts a block.
  bool ReadRecord(std::string_view shared, std::string_view individual, ParsedRecord& record) {
    SavReader site(shared, damaged_);
    if (shared.size() < kSitesHeader) site.Fail();
    const uint32_t contig = site.Fixed32(), position = site.Fixed32();
    site.Take(8);  // rlen and QUAL
    const uint32_t numbers = site.Fixed32(), num_formats = site.Fixed32() >> 24;
    if (contig >= header_.contigs.size()) site.Fail();
    SetPlace(header_.contigs[contig].first, int64_t{position} + 1, record);
    record.id = site.Value().bytes;
    if (record.id.empty()) record.id = ".";
    const uint32_t num_alleles = numbers >> 16;
    if (num_alleles == 0 || num_alleles > 2) Fail(record, fmt::format("{} alleles, expected REF and ALT", num_alleles));
    record.ref = site.Value().bytes;
    record.alts.clear();
    if (num_alleles == 2) record.alts.emplace_back(site.Value().bytes);
    site.Value();  // FILTER
    SavValue alleles;
    uint64_t num_variants = 0;
    for (uint32_t left = numbers & 0xFFFF; left > 0; --left) {
      const auto key = static_cast<int64_t>(site.Number());
      const SavValue value = site.Value();
      if (key == alleles_key_) alleles = value;
      if (key == variants_key_ && value.width > 0 && value.count == 1)
        num_variants = static_cast<uint64_t>(value.Integer(0));
    }
    if (!record.alts.empty() && record.alts[0] == "<BLOCK>") {
      StartBlock(record, num_variants, individual, num_formats);
      return false;
    }
    SetBits(alleles, record);
    return !IsRepeated(record);
  }

  void StartBlock(const ParsedRecord& record, uint64_t num_variants, std::string_view individual,
                  uint32_t num_formats) {
    if (left_in_block_ > 0) Fail(record, "damaged: a block begins before the last one has all its markers");
    left_in_block_ = num_variants;
    SavReader fields(individual, damaged_);
    for (; num_formats > 0; --num_formats) {
      const auto key = static_cast<int64_t>(fields.Number());
      const SavValue value = fields.Value();
      if (key != map_key_) continue;
      if (value.width == 0) fields.Fail();
      SetMap(record, value);
      return;
    }
    Fail(record, "damaged: a block without FORMAT/UHM");
  }

  void SetMap(const ParsedRecord& record, const SavValue& value) {
    const size_t ploidy = value.count / num_columns_;
    if ((ploidy != 1 && ploidy != 2) || value.count % num_columns_ != 0) {
      Fail(record, fmt::format("damaged: FORMAT/UHM has {} values for {} samples", value.count, num_columns_));
    }
    std::vector<uint32_t> sequences;
    is_haploid_ = names_are_haploid_;
    if (is_haploid_.empty() && ploidy == 1) is_haploid_.assign(num_columns_, true);
    for (size_t i = 0; i < value.count; ++i) {
      if (ploidy == 2 && i % 2 == 1 && value.IsEndOfVector(i)) {
        is_haploid_.resize(num_columns_);
        is_haploid_[i / 2] = true;
        continue;
      }
      const int64_t sequence = value.Integer(i);
      if (sequence < 0 || static_cast<size_t>(sequence) >= value.count) Fail(record, "damaged: FORMAT/UHM");
      sequences.push_back(static_cast<uint32_t>(sequence));
    }
    haplotypes_.Assign(sequences);
    if (std::ranges::count(is_haploid_, true) == 0) is_haploid_.clear();
  }

  void SetBits(const SavValue& alleles, ParsedRecord& record) {
    if (left_in_block_ == 0) Fail(record, "damaged: more markers than the block has");
    --left_in_block_;
    if (alleles.width != 1 || alleles.count < haplotypes_.num_sequences()) {
      Fail(record,
           fmt::format("damaged: INFO/UHA has {} alleles, expected {}", alleles.count, haplotypes_.num_sequences()));
    }
    record.is_haploid = is_haploid_;
    if (!reads_haplotypes()) return;
    record.bits.resize(WordsOf(haplotypes_.num_haplotypes()));
    const auto* const values = reinterpret_cast<const uint8_t*>(alleles.bytes.data());
    haplotypes_.GatherBits(values, 1, record.bits.data());
    if (std::find(values, values + haplotypes_.num_sequences(), kMissingAlleleOfSav) ==
        values + haplotypes_.num_sequences()) {
      return;
    }
    record.missing.resize(record.bits.size());
    haplotypes_.GatherBits(values, kMissingAlleleOfSav, record.missing.data());
  }

  // Blocks that were made from M3VCF begin with the last marker of the block before.
  bool IsRepeated(const ParsedRecord& record) {
    Marker marker{record.position, record.id, record.ref, record.alts.empty() ? "." : record.alts[0]};
    const bool is_repeated = is_first_of_block_ && record.contig == last_contig_ && record.position == last_.position &&
                             marker.id == last_.id && marker.ref == last_.ref && marker.alt == last_.alt;
    is_first_of_block_ = left_in_block_ == 0;
    last_contig_ = record.contig;
    last_ = std::move(marker);
    return is_repeated;
  }

  ByteStream bytes_;
  const std::string damaged_;  // message
  BcfHeaderHandle bcf_header_;
  int64_t map_key_ = -1, alleles_key_ = -1, variants_key_ = -1;
  size_t num_columns_ = 0;               // samples, or haplotypes where the names are of haplotypes
  std::vector<bool> names_are_haploid_;  // [samples] where the names are of haplotypes
  // The block.
  uint64_t left_in_block_ = 0;  // markers
  BlockHaplotypes haplotypes_;
  std::vector<bool> is_haploid_;  // [samples], or empty where all are diploid
  // The last marker.
  bool is_first_of_block_ = false;  // the next marker
  std::string last_contig_;
  Marker last_;
};

}  // namespace

std::unique_ptr<RecordSource> OpenMsav(const std::string& path, RecordKind kind) {
  return std::make_unique<MsavSource>(path, kind);
}

}  // namespace haplospin
