#include "genotypes/variant_io/alignments/alignment_file.h"

#include <fmt/format.h>
#include <htslib/cram.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "core/log.h"
#include "core/random.h"
#include "genotypes/variant_io/index_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr std::chrono::seconds kSameTime{1};  // programs that write both at once may finish the index first
constexpr size_t kComparedReads = 16;         // files that begin with as many equal reads are copies
constexpr int64_t kNear = 1000000;            // bp over which reading on is faster than to load the index
constexpr int kNeededFields = SAM_QNAME | SAM_FLAG | SAM_RNAME | SAM_POS | SAM_MAPQ | SAM_CIGAR | SAM_RNEXT |
                              SAM_PNEXT | SAM_SEQ | SAM_QUAL | SAM_AUX;

HtsHandle OpenHts(const std::string& path) {
  errno = 0;
  return HtsHandle(hts_open(path.c_str(), "r"));
}

// Throws InputError if a number in the header of a BAM file promises more than the file can hold: HTSlib allocates as
// much memory.
void CheckBamHeader(const std::string& path) {
  constexpr uint64_t kMostCompressed = 1100, kLeastContigBytes = 9;  // Deflate cannot compress more
  const BgzfHandle file(bgzf_open(path.c_str(), "r"));
  std::error_code error;
  const uint64_t most = std::filesystem::file_size(path, error) * kMostCompressed;
  uint32_t start[2] = {}, contigs = 0;  // magic and length of the text
  bool is_good = file && bgzf_read(file.get(), start, sizeof(start)) == sizeof(start) && start[1] <= most;
  std::string text(is_good ? start[1] : 0, '\0');
  is_good = is_good && bgzf_read(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
            bgzf_read(file.get(), &contigs, sizeof(contigs)) == sizeof(contigs);
  if (!is_good || contigs > most / kLeastContigBytes) {
    throw InputError(path + ": cannot read its header: damaged or truncated; copy or create it again");
  }
}

// Appends what tells a read from others.
void AppendRead(const bam1_t& read, std::string& text) {
  text += bam_get_qname(&read);
  for (const int64_t number : {int64_t{read.core.flag}, int64_t{read.core.pos}, int64_t{read.core.l_qseq}}) {
    text += ' ';
    text += fmt::format_int(number).c_str();
  }
  text.append(reinterpret_cast<const char*>(bam_get_seq(&read)), static_cast<size_t>(read.core.l_qseq + 1) / 2);
}

// Moves to a virtual offset; the block that was read last is not decompressed again.
bool SeekBlocks(BGZF* file, int64_t offset) {
  constexpr int64_t kInBlock = 0xffff;
  if (offset >> 16 != file->block_address || (offset & kInBlock) >= file->block_length) {
    return bgzf_seek(file, offset, SEEK_SET) == 0;
  }
  file->block_offset = static_cast<int>(offset & kInBlock);
  return true;
}

std::string Tag(sam_hdr_t* header, const char* type, int index, const char* key) {
  KString value;
  const bool is_found = sam_hdr_find_tag_pos(header, type, index, key, &value.text) == 0;
  return is_found && value.text.s != nullptr ? std::string(value.text.s, value.text.l) : "";
}

}  // namespace

bool IsAlignmentFile(const std::string& path) {
  SilenceHtslib();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const HtsHandle file = OpenHts(path);
  if (!file) return false;
  const htsExactFormat format = file->format.format;
  return format == bam || format == cram || format == sam;
}

AlignmentFile::AlignmentFile(std::string path, const std::string& fasta, std::string index)
    : path_(std::move(path)), fasta_(fasta), given_index_(std::move(index)), read_(bam_init1()) {
  SilenceHtslib();
  ReadHeader(Open());
}

SamHeaderHandle AlignmentFile::Open() {
  file_ = OpenHts(path_);
  if (!file_) throw InputError(OpenFailure(path_) + "; expected BAM, CRAM or SAM");
  const htsExactFormat format = file_->format.format;
  if (format != bam && format != cram && format != sam) {
    throw InputError(path_ + ": not a BAM, CRAM or SAM file; give the aligned reads of a person");
  }
  if (format == cram) {
    hts_set_opt(file_.get(), CRAM_OPT_REQUIRED_FIELDS, kNeededFields);
    hts_set_opt(file_.get(), CRAM_OPT_DECODE_MD, 0);
    if (!fasta_.empty() && hts_set_fai_filename(file_.get(), (fasta_ + ".fai").c_str()) != 0) {
      throw InputError(
          fmt::format("{}: cannot be used as the reference of {}; index it (samtools faidx)", fasta_, path_));
    }
  }
  if (format == bam) CheckBamHeader(path_);
  SamHeaderHandle header(sam_hdr_read(file_.get()));
  if (!header) throw InputError(path_ + ": cannot read its header: damaged or truncated; copy or create it again");
  if (format == bam) header_end_ = bgzf_tell(file_->fp.bgzf);
  return header;
}

void AlignmentFile::ReadHeader(SamHeaderHandle header) {
  ContigTable contigs;
  for (int i = 0; i < sam_hdr_nref(header.get()); ++i) {
    contigs.emplace_back(sam_hdr_tid2name(header.get(), i), sam_hdr_tid2len(header.get(), i));
  }
  if (contigs.empty()) {
    throw InputError(path_ + ": its header has no contigs (@SQ), so its reads are not aligned; align them first");
  }
  // What calls itself unsorted may have been sorted since; the order is checked as it is read.
  if (Tag(header.get(), "HD", 0, "SO") == "queryname") {
    throw InputError(path_ +
                     ": its reads are not sorted by position (SO:queryname); sort and index it (samtools sort)");
  }
  ReadGroups(header.get());
  // Made in place: the index refers to its own names.
  contigs_.reset(new SamContigs{ContigIndex(std::move(contigs)), std::move(header)});
}

void AlignmentFile::ReadGroups(sam_hdr_t* header) {
  const int num_groups = std::max(sam_hdr_count_lines(header, "RG"), 0);
  for (int i = 0; i < num_groups; ++i) {
    const std::string sample = Tag(header, "RG", i, "SM"), library = Tag(header, "RG", i, "LB");
    read_groups_.emplace(Tag(header, "RG", i, "ID"), sample);
    if (!sample.empty() && std::ranges::find(samples_, sample) == samples_.end()) samples_.push_back(sample);
    if (!library.empty()) libraries_.insert(library);
  }
  const bool has_several = file_->format.format == cram && samples_.size() > 1;
  if (has_several) hts_set_opt(file_.get(), CRAM_OPT_REQUIRED_FIELDS, kNeededFields | SAM_RGAUX);
}

void AlignmentFile::ShareContigs(const std::shared_ptr<const SamContigs>& contigs) {
  if (CanBeKept() && contigs->index.contigs() == this->contigs()) contigs_ = contigs;
}

std::optional<std::string> AlignmentFile::FindContig(std::string_view name) const {
  const auto found = contigs_->index.Find(name);
  return found ? std::optional(contigs()[*found].first) : std::nullopt;
}

int AlignmentFile::ReadNext() {
  return sam_read1(file_.get(), reopened_ ? reopened_.get() : contigs_->header.get(), read_.get());
}

std::optional<uint64_t> AlignmentFile::Check() {
  const bool has_end = file_->format.format == cram || file_->format.compression == bgzf;
  if (has_end && hts_check_EOF(file_.get()) == 0) {
    throw InputError(path_ + ": truncated: its closing block is missing; copy or create it again");
  }
  if (CanHaveIndex()) LoadIndex();
  std::string first_reads;
  int status = ReadFirst();
  for (size_t read = 0; status >= 0 && read < kComparedReads; ++read) {
    AppendRead(*read_, first_reads);
    status = ReadNext();
    CheckStatus(status);
  }
  if (!first_reads.empty()) return HashName(first_reads);
  LogWarning("{}: has no reads; is it the right file?", path_);
  return std::nullopt;
}

int AlignmentFile::ReadFirst() {
  const int status = ReadNext();
  if (status < -1 && file_->format.format == cram) {
    throw InputError(fasta_.empty()
                         ? fmt::format("{}: its first read cannot be decoded: the reference is not found, or the file "
                                       "is damaged; give the reference that it was made with (--fasta)",
                                       path_)
                         : fmt::format("{}: its first read cannot be decoded with {}: another reference, or one with "
                                       "other names of contigs, or the file is damaged; give the reference that it was "
                                       "made with (--fasta)",
                                       path_, fasta_));
  }
  CheckStatus(status);
  return status;
}

// Returns whether HTSlib can find places in the file.
bool AlignmentFile::CanHaveIndex() const { return file_->format.format != sam || file_->format.compression == bgzf; }

std::optional<std::string> AlignmentFile::IndexPath() const {
  if (!given_index_.empty()) return given_index_;
  const size_t dot = path_.rfind('.');
  const std::string stem = dot == std::string::npos ? path_ : path_.substr(0, dot);
  std::error_code error;
  for (const char* extension : {".csi", ".bai", ".crai"}) {
    for (const std::string& index : {path_ + extension, stem + extension}) {
      if (std::filesystem::exists(index, error)) return index;
    }
  }
  return std::nullopt;
}

void AlignmentFile::LoadIndex() {
  if (index_) return;
  const auto index = IndexPath();
  if (!index) throw InputError(path_ + ": has no index (.bai, .csi or .crai); make one (samtools index)");
  std::error_code error;
  if (!std::filesystem::exists(*index, error)) throw InputError(fmt::format("{}: no such index of {}", *index, path_));
  CheckIndex(*index);
  index_.reset(sam_index_load3(file_.get(), path_.c_str(), index->c_str(), 0));
  index_bytes_ = std::filesystem::file_size(*index, error);
  if (!index_) throw InputError(fmt::format("{}: damaged, or not an index of {}; index again", *index, path_));
}

void AlignmentFile::CheckIndex(const std::string& index) const {
  std::error_code error;
  const auto made = std::filesystem::last_write_time(index, error);
  const bool is_older = made + kSameTime < std::filesystem::last_write_time(path_, error);
  if (file_->format.format != bam) {
    if (is_older) throw InputError(fmt::format("{}: older than {}; index it again (samtools index)", index, path_));
    return;
  }
  // The index of a file that was copied is often older than the copy, so that its content decides, if it tells.
  const std::optional<bool> is_of_file = BelongsToFile(index, path_, header_end_, AfterRecords::kMore);
  if (!is_of_file.value_or(!is_older)) {
    throw InputError(
        fmt::format("{}: not the index of {}, which was changed later; index it again (samtools index)", index, path_));
  }
}

int AlignmentFile::TargetIndex(const std::string& contig) const {
  const auto found = contigs_->index.Find(contig);
  if (!found) throw InputError(fmt::format("{}: its header has no contig {}", path_, contig));
  return static_cast<int>(*found);
}

void AlignmentFile::ForEachRead(const std::string& contig, int64_t begin, int64_t end,
                                const std::function<void(const bam1_t&)>& visit, ReadPlace* place) {
  last_contig_ = -1;
  const int contig_index = TargetIndex(contig);
  if (file_->format.format == bam) {
    ReadPlace from = place != nullptr ? *place : ReadPlace();
    const bool is_known = from.contig == contig && from.begin <= begin && begin - from.begin < kNear;
    const auto offset = is_known ? from.offset : FirstOffset(contig_index, begin, end);
    if (!offset) return;
    ForEachFrom(*offset, contig_index, begin, end, visit, from);
    if (place != nullptr) *place = from;
    return;
  }
  if (!CanHaveIndex()) return ForEachScanned(contig_index, begin, end, visit);
  LoadIndex();
  const HtsIteratorHandle iterator(sam_itr_queryi(index_.get(), contig_index, begin, end));
  if (!iterator) throw InputError(fmt::format("{}: its index cannot be used; index it again (samtools index)", path_));
  for (;;) {
    const int status = sam_itr_next(file_.get(), iterator.get(), read_.get());
    CheckStatus(status);
    if (status < 0) return;
    CheckOrder(*read_);
    visit(*read_);
  }
}

// Returns where the reads of a region of a BAM file begin by its index, perhaps after some before it; nothing if it has
// none.
std::optional<int64_t> AlignmentFile::FirstOffset(int contig, int64_t begin, int64_t end) {
  LoadIndex();
  const HtsIteratorHandle iterator(sam_itr_queryi(index_.get(), contig, begin, end));
  if (!iterator) throw InputError(fmt::format("{}: its index cannot be used; index it again (samtools index)", path_));
  return iterator->n_off > 0 ? std::optional(static_cast<int64_t>(iterator->off[0].u)) : std::nullopt;
}

void AlignmentFile::ForEachFrom(int64_t offset, int contig, int64_t begin, int64_t end,
                                const std::function<void(const bam1_t&)>& visit, ReadPlace& place) {
  BGZF* const blocks = file_->fp.bgzf;
  CheckStatus(SeekBlocks(blocks, offset) ? 0 : -2);
  place = {.contig = contigs()[static_cast<size_t>(contig)].first, .begin = end, .offset = -1};
  for (bool is_before_end = true; is_before_end;) {
    const int64_t start = bgzf_tell(blocks);
    const int status = ReadNext();
    CheckStatus(status);
    const bam1_core_t& core = read_->core;
    is_before_end = status >= 0 && core.tid >= 0 && core.tid <= contig && (core.tid < contig || core.pos < end);
    const int64_t read_end = is_before_end && core.tid == contig ? bam_endpos(read_.get()) : 0;
    if (place.offset < 0 && (!is_before_end || read_end > end)) place.offset = start;
    if (is_before_end) CheckOrder(*read_);
    if (read_end > begin) visit(*read_);
  }
}

void AlignmentFile::ForEachScanned(int contig, int64_t begin, int64_t end,
                                   const std::function<void(const bam1_t&)>& visit) {
  reopened_ = Open();
  for (;;) {
    const int status = ReadNext();
    CheckStatus(status);
    if (status < 0) return;
    const bam1_core_t& core = read_->core;
    if (core.tid < 0) return;  // the reads without a place are the last ones
    CheckOrder(*read_);
    if (core.tid > contig || (core.tid == contig && core.pos >= end)) return;
    if (core.tid == contig && bam_endpos(read_.get()) > begin) visit(*read_);
  }
}

bool AlignmentFile::HasReads(const std::string& contig) {
  bool has_reads = false;
  const int contig_index = TargetIndex(contig);
  if (!CanHaveIndex()) {
    ForEachRead(contig, 0, HTS_POS_MAX, [&](const bam1_t&) { has_reads = true; });
    return has_reads;
  }
  LoadIndex();
  uint64_t mapped = 0, unmapped = 0;
  if (CanBeKept() && hts_idx_get_stat(index_.get(), contig_index, &mapped, &unmapped) == 0)
    return mapped + unmapped > 0;
  const HtsIteratorHandle iterator(sam_itr_queryi(index_.get(), contig_index, 0, HTS_POS_MAX));
  const int status = iterator ? sam_itr_next(file_.get(), iterator.get(), read_.get()) : -1;
  CheckStatus(status);
  return status >= 0;
}

std::optional<AlignmentFile::MappedReads> AlignmentFile::CountMapped() {
  if (file_->format.format != bam) return std::nullopt;
  LoadIndex();
  MappedReads all{.unmapped = hts_idx_get_n_no_coor(index_.get())};
  bool is_known = false;
  for (int i = 0; i < static_cast<int>(contigs().size()); ++i) {
    uint64_t mapped = 0, unmapped = 0;
    if (hts_idx_get_stat(index_.get(), i, &mapped, &unmapped) != 0) continue;
    is_known = true;
    all.mapped += mapped;
    all.unmapped += unmapped;
  }
  return is_known ? std::optional(all) : std::nullopt;
}

void AlignmentFile::CheckStatus(int status) const {
  if (status >= -1) return;
  const bool has_place = last_contig_ >= 0 && static_cast<size_t>(last_contig_) < contigs().size();
  const std::string place =
      has_place ? fmt::format("{}:{}", contigs()[static_cast<size_t>(last_contig_)].first, last_position_ + 1) : "";
  throw InputError(fmt::format("{}: truncated or damaged{}; copy or create it again", path_,
                               place.empty() ? "" : " after the read at " + place));
}

void AlignmentFile::CheckOrder(const bam1_t& read) {
  const bam1_core_t& core = read.core;
  if (core.tid < last_contig_ || (core.tid == last_contig_ && core.pos < last_position_)) {
    throw InputError(
        fmt::format("{}: its reads are not sorted by position: one at {}:{} comes after position {}; sort "
                    "and index it (samtools sort)",
                    path_, contigs()[static_cast<size_t>(core.tid)].first, core.pos + 1, last_position_ + 1));
  }
  last_contig_ = core.tid;
  last_position_ = core.pos;
}

}  // namespace haplospin
