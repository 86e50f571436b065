// M3VCF, the panels of Minimac3 and of Minimac4 before version 4.1: text in blocks. The first line of a block has the
// sequence of alleles that each haplotype has in the block. Each line after it is a marker; its last column has the
// allele of each sequence (version 1), or the distances between the sequences with ALT (version 2).
#include <fmt/format.h>

#include <algorithm>

#include "genotypes/genomics/bits.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"
#include "haplospin/marker.h"

namespace haplospin {
namespace {

constexpr size_t kFirstHaplotype = 9, kInfo = 7, kAlleles = 8;  // columns

class M3vcfSource : public PanelSource {
 public:
  M3vcfSource(const std::string& path, RecordKind kind) : PanelSource(path, kind), rows_(path) {
    const std::string_view version = rows_.NextLine().value_or("");
    is_sparse_ = version.starts_with("##fileformat=M3VCFv2");
    if (!is_sparse_ && version.starts_with("##fileformat=M3VCFv") && !version.starts_with("##fileformat=M3VCFv1")) {
      rows_.Fail("M3VCF of another version than 1 and 2; convert it (minimac4 --update-m3vcf FILE > panel.msav)");
    }
    std::vector<std::string_view> row = rows_.NextRow();
    while (!row.empty() && row[0].starts_with("##")) row = rows_.NextRow();
    if (row.size() <= kFirstHaplotype || row[0] != "#CHROM")
      rows_.Fail("expected the line #CHROM with names of samples");
    std::vector<std::string> names(row.begin() + kFirstHaplotype, row.end());
    num_columns_ = names.size();
    is_haploid_ = JoinHaplotypeNames(names);
    if (is_haploid_.empty() && !is_sparse_) is_haploid_.assign(num_columns_, true);
    if (std::ranges::count(is_haploid_, true) == 0) is_haploid_.clear();
    SetSamples(std::move(names));
  }

  // A block, or several where one has no new marker.
  size_t Read() override {
    size_t count = 0;
    for (size_t num_markers = 1; count == 0 && num_markers > 0;) {
      num_markers = StartBlock();
      for (size_t m = 0; m < num_markers; ++m) {
        ParsedRecord& record = Fresh(count);
        ReadMarker(record);
        // A block begins with the last marker of the block before.
        if (m == 0 && IsLast(record)) continue;
        ++count;
      }
    }
    if (count > 0) SetLast(records_[count - 1]);
    return count;
  }

 private:
  // Returns the number of its markers; 0 at the end of the file.
  size_t StartBlock() {
    const std::vector<std::string_view> row = rows_.NextRow();
    if (row.empty()) return 0;
    if (row.size() != kFirstHaplotype + num_columns_ || !row[2].starts_with("<BLOCK")) {
      rows_.Fail(fmt::format("expected the first line of a block, with {} columns", kFirstHaplotype + num_columns_));
    }
    num_sequences_ = InfoOrFail(row[kInfo], "REPS=");
    if (num_sequences_ > num_columns_ * (is_sparse_ ? 2 : 1)) rows_.Fail("more sequences than haplotypes");
    const size_t num_markers = InfoOrFail(row[kInfo], "VARIANTS=");
    if (num_markers == 0) rows_.Fail("a block without markers");
    std::vector<uint32_t> sequences;
    for (std::string_view column : std::span(row).subspan(kFirstHaplotype)) {
      if (is_sparse_) sequences.push_back(SequenceOrFail(PopItem(column, '|')));
      sequences.push_back(SequenceOrFail(column));
    }
    haplotypes_.Assign(sequences);
    return num_markers;
  }

  size_t InfoOrFail(std::string_view info, std::string_view key) const {
    while (!info.empty()) {
      const std::string_view item = PopItem(info, ';');
      if (item.starts_with(key)) return rows_.ParseOrFail<uint32_t>(item.substr(key.size()), "a number of the block");
    }
    rows_.Fail(fmt::format("INFO has no {}", key));
  }

  uint32_t SequenceOrFail(std::string_view text) const {
    const auto sequence = rows_.ParseOrFail<uint32_t>(text, "the index of a sequence");
    if (sequence >= num_sequences_) rows_.Fail(fmt::format("sequence {} of {}", sequence, num_sequences_));
    return sequence;
  }

  void ReadMarker(ParsedRecord& record) {
    const std::vector<std::string_view> row = rows_.NextRow();
    if (row.size() != kFirstHaplotype) rows_.Fail("expected a marker with 9 columns; the file is truncated or damaged");
    SetPlace(row[0], rows_.PositionOrFail(row[1]), record);
    record.id = row[2];
    record.ref = row[3];
    SplitAlts(row[4], record.alts);
    if (record.alts.size() != 1) Fail(record, "several ALT alleles; M3VCF has one a line");
    record.is_haploid = is_haploid_;
    if (!reads_haplotypes()) return;
    alleles_.assign(num_sequences_, 0);
    is_sparse_ ? ReadDistances(row[kAlleles]) : ReadAlleles(row[kAlleles]);
    record.bits.resize(WordsOf(haplotypes_.num_haplotypes()));
    haplotypes_.GatherBits(alleles_.data(), 1, record.bits.data());
  }

  void ReadAlleles(std::string_view text) {
    if (text.size() != num_sequences_ || text.find_first_not_of("01") != std::string_view::npos) {
      rows_.Fail(fmt::format("expected the alleles, 0 or 1, of {} sequences", num_sequences_));
    }
    for (size_t i = 0; i < text.size(); ++i) alleles_[i] = text[i] == '1' ? 1 : 0;
  }

  void ReadDistances(std::string_view text) {
    if (text == ".") return;
    for (size_t sequence = 0; !text.empty();) {
      sequence += rows_.ParseOrFail<uint32_t>(PopItem(text, ','), "a distance between sequences");
      if (sequence >= num_sequences_) rows_.Fail(fmt::format("sequence {} of {}", sequence, num_sequences_));
      alleles_[sequence] = 1;
    }
  }

  bool IsLast(const ParsedRecord& record) const {
    return record.contig == last_contig_ && record.position == last_.position && record.id == last_.id &&
           record.ref == last_.ref && record.alts[0] == last_.alt;
  }

  void SetLast(const ParsedRecord& record) {
    last_contig_ = record.contig;
    last_ = {record.position, record.id, record.ref, record.alts[0]};
  }

  RowReader rows_;
  bool is_sparse_ = false;  // version 2
  size_t num_columns_ = 0;  // haplotypes, or samples in version 2
  std::vector<bool> is_haploid_;
  // The block.
  size_t num_sequences_ = 0;
  BlockHaplotypes haplotypes_;
  std::vector<uint8_t> alleles_;  // [sequences] of a marker
  // The last marker of the block before.
  std::string last_contig_;
  Marker last_;
};

}  // namespace

std::unique_ptr<RecordSource> OpenM3vcf(const std::string& path, RecordKind kind) {
  return std::make_unique<M3vcfSource>(path, kind);
}

}  // namespace haplospin
