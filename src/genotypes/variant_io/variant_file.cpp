#include "genotypes/variant_io/variant_file.h"

#include <fmt/format.h>
#include <htslib/hfile.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "core/log.h"
#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/index_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kTextBytes = size_t{1} << 20;      // read at a time
constexpr size_t kMaxLineLength = size_t{1} << 31;  // longer is no VCF line
constexpr size_t kBcfBytes = size_t{1} << 20;
constexpr double kBytesPerMegabyte = 1e6;
constexpr std::chrono::seconds kSameTime{1};
constexpr const char* kExpected =
    "expected VCF, VCF.gz or BCF (a study: also BGEN or PLINK .bed; a panel: also .hsp, .bref3, .msav, .m3vcf.gz or "
    ".hap)";

struct HFileCloser {
  void operator()(hFILE* file) const { hclose_abruptly(file); }
};

std::vector<std::string> SplitAtTabs(std::string_view line) {
  std::vector<std::string> columns;
  for (size_t begin = 0;;) {
    const size_t end = line.find('\t', begin);
    columns.emplace_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return columns;
    begin = end + 1;
  }
}

std::string Unquoted(const char* text) {
  std::string value = text == nullptr ? "" : text;
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

// The value of `key` in a structured header line, or "".
std::string Value(const bcf_hrec_t& line, const char* key) {
  for (int i = 0; i < line.nkeys; ++i) {
    if (std::strcmp(line.keys[i], key) == 0) return Unquoted(line.vals[i]);
  }
  return "";
}

// PLINK 1.9 and 2 declare so, in files that they make of a .bed, that REF may be the other allele.
constexpr std::string_view kProvisional = "Provisional reference allele";

bool TellsOfProvisionalRef(std::string_view line) {
  return line.starts_with("##INFO=<ID=PR,") &&
         line.find(fmt::format(",Description=\"{}", kProvisional)) != std::string_view::npos;
}

bool TellsOfProvisionalRef(const bcf_hrec_t& line) {
  return line.type == BCF_HL_INFO && Value(line, "ID") == "PR" && Value(line, "Description").starts_with(kProvisional);
}

}  // namespace

bool CanBeReadTwice(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  return path != "-" && type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::socket &&
         type != std::filesystem::file_type::character;
}

void CheckReadableTwice(const std::string& path) {
  if (CanBeReadTwice(path)) return;
  throw InputError(path + ": is read twice, so it cannot be standard input or a pipe; give a file");
}

std::string HtslibVersion() { return hts_version(); }

VariantFile::VariantFile(const std::string& path, SitesOnly sites_only) : header_{.path = path} {
  SilenceHtslib();
  RefuseOtherFormat(path);
  OpenVariants();
  if (header_.samples.empty() && sites_only == SitesOnly::kAccept) return;
  header_.CheckSamples(" in the header; rename one (bcftools reheader)");
}

void VariantFile::OpenVariants() {
  const std::string& path = header_.path;
  errno = 0;
  std::unique_ptr<hFILE, HFileCloser> file(hopen(path.c_str(), "r"));
  if (!file) throw InputError(fmt::format("{}; {}", OpenFailure(path), kExpected));
  htsFormat format;
  if (hts_detect_format2(file.get(), path.c_str(), &format) != 0) {
    throw InputError(fmt::format("{}; {}", OpenFailure(path), kExpected));
  }
  if (format.format == empty_format) throw InputError(fmt::format("{}: the file is empty; {}", path, kExpected));
  if (format.format == vcf) {
    text_.reset(bgzf_hopen(file.get(), "r"));
  } else if (format.format == bcf && format.version.major == 2) {
    bcf_.reset(hts_hopen(file.get(), path.c_str(), "r"));
  } else {
    const std::unique_ptr<char, Deleter<std::free>> description(hts_format_description(&format));
    const bool has_reads = format.format == bam || format.format == cram || format.format == sam;
    if (has_reads && !CanBeReadTwice(path)) {
      throw InputError(
          fmt::format("{}: {} cannot be read from standard input or a pipe, as reads are needed by place; "
                      "write them to a file with an index (samtools view -b --write-index -o reads.bam)",
                      path, description.get()));
    }
    throw InputError(fmt::format("{}: not a VCF or BCF file but {}; {}", path, description.get(), kExpected));
  }
  if (!text_ && !bcf_) throw InputError(fmt::format("{}; {}", OpenFailure(path), kExpected));
  static_cast<void>(file.release());  // now owned by text_ or bcf_

  if (format.compression == htsCompression::bgzf && bgzf_check_EOF(Bgzf()) == 0) {
    throw InputError(path + ": truncated: the closing BGZF block is missing; copy or create the file again");
  }
  if (Threads() > 1 && format.compression == htsCompression::bgzf && bgzf_mt(Bgzf(), Threads(), 256) != 0) {
    throw InputError(path + ": cannot start threads to decompress it; use fewer --threads");
  }
  text_ ? ReadTextHeader() : ReadBcfHeader();
  header_end_ = bgzf_tell(Bgzf());
  std::error_code no_file;
  const auto bytes = std::filesystem::file_size(path, no_file);
  if (!no_file) megabytes_ = static_cast<double>(bytes) / kBytesPerMegabyte;
}

void VariantFile::ReadTextHeader() {
  KString line;
  const BcfHeaderHandle scratch(bcf_hdr_init("r"));
  for (;;) {
    bool is_damaged = false;
    std::string_view text = ReadLine(text_.get(), line, is_damaged).value_or("");
    if (is_damaged) FailDamaged();
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.starts_with("##contig=")) {
      int parsed_length = 0;
      bcf_hrec_t* contig = bcf_hdr_parse_line(scratch.get(), line.text.s, &parsed_length);
      if (contig == nullptr) continue;
      AddContig(*contig);
      bcf_hrec_destroy(contig);
    } else if (text.starts_with("#CHROM")) {
      auto columns = SplitAtTabs(text);
      if (columns.size() == 1 && text.find(' ') != std::string_view::npos) {
        throw InputError(
            header_.path +
            ": blanks are between its columns, where VCF has tabs; write them (sed -E '/^##/!s/ +/\\t/g')");
      }
      if (columns.size() > 9) header_.samples.assign(columns.begin() + 9, columns.end());
      return;
    } else if (text.starts_with("##")) {
      header_.described.AddLine(text);
      header_.ref_is_unknown = header_.ref_is_unknown || TellsOfProvisionalRef(text);
      const size_t equals = text.find('=');
      if (equals != std::string_view::npos) header_.values.emplace(text.substr(2, equals - 2), text.substr(equals + 1));
    } else if (!text.starts_with("#")) {
      throw InputError(header_.path + ": no #CHROM line ends the header; the file is damaged or not a VCF file");
    }
  }
}

// Records of a contig whose name is invalid are refused when they are read.
void VariantFile::AddContig(const bcf_hrec_t& line) {
  std::string name = Value(line, "ID");
  if (!IsContigName(name)) return;
  header_.contigs.emplace_back(std::move(name), std::strtoll(Value(line, "length").c_str(), nullptr, 10));
}

void VariantFile::ReadBcfHeader() {
  bcf_header_.reset(bcf_hdr_read(bcf_.get()));
  if (!bcf_header_) {
    throw InputError(header_.path +
                     ": cannot read the BCF header: it is damaged, or has a sample name twice; make the file "
                     "again");
  }
  header_.samples.assign(bcf_header_->samples, bcf_header_->samples + bcf_hdr_nsamples(bcf_header_.get()));
  header_.described.Add(bcf_header_.get());
  for (int i = 0; i < bcf_header_->nhrec; ++i) {
    const bcf_hrec_t& line = *bcf_header_->hrec[i];
    if (line.type == BCF_HL_CTG) AddContig(line);
    header_.ref_is_unknown = header_.ref_is_unknown || TellsOfProvisionalRef(line);
    const std::string pairs =
        line.type == BCF_HL_STR && line.key == std::string_view("chrSet") ? Value(line, "autosomePairCt") : "";
    if (!pairs.empty()) header_.values.emplace("chrSet", "<autosomePairCt=" + pairs + ">");
    if (line.type == BCF_HL_GEN && line.value != nullptr) header_.values.emplace(line.key, line.value);
  }
}

bool VariantFile::Read(RawRecords& records) {
  if (megabytes_ && !progress_) {
    progress_ = std::make_unique<Progress>("reading " + header_.path, "MB", *megabytes_, ProgressKind::kFile);
  }
  const bool has_records = text_ ? ReadText(records) : ReadBcf(records);
  if (!has_records && !sought_by_.empty()) FailDamaged();  // the index has records there
  sought_by_.clear();
  if (progress_) progress_->Set(static_cast<double>(bgzf_tell(Bgzf()) >> 16) / kBytesPerMegabyte);
  return has_records;
}

// Removes the carriage return; skips blank lines.
void VariantFile::AddLine(std::string_view line, RawRecords& records) {
  const size_t length = line.size();
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty() || line.size() < length) has_plain_lines_ = false;
  if (!line.empty()) records.lines_.push_back(line);
}

bool VariantFile::ReadText(RawRecords& records) {
  records.lines_.clear();
  std::vector<char>& text = records.text_;
  size_t used = 0;
  size_t line = 0;  // begin of the line that is not yet whole
  // The loop is repeated only where a line is longer than what is read at a time.
  for (bool is_at_end = false; records.lines_.empty() && !is_at_end;) {
    text.resize(std::max(text.size(), partial_line_.size() + used + kTextBytes));
    if (used == 0) used = partial_line_.copy(text.data(), partial_line_.size());
    const ssize_t length = bgzf_read(text_.get(), text.data() + used, kTextBytes);
    if (length < 0) FailDamaged();
    size_t searched = used;
    used += static_cast<size_t>(length);
    is_at_end = static_cast<size_t>(length) < kTextBytes;
    if (is_at_end) CheckEnd();

    const char* begin = text.data();
    while (const void* found = searched == used ? nullptr : std::memchr(begin + searched, '\n', used - searched)) {
      searched = static_cast<size_t>(static_cast<const char*>(found) - begin) + 1;
      AddLine({begin + line, searched - 1 - line}, records);
      line = searched;
    }
    if (is_at_end && line < used) {
      AddLine({begin + line, used - line}, records);
      ends_without_newline_ = true;
      line = used;
    }
    if (used - line > kMaxLineLength) {
      throw InputError(fmt::format("{}: a line after {} is longer than 2 GiB", header_.path, last_record_));
    }
  }
  partial_line_.assign(text.data() + line, used - line);
  records.num_records_ = records.lines_.size();
  if (records.lines_.empty()) return false;
  const std::string_view last = records.lines_.back();
  last_record_ = last.substr(0, last.find('\t', last.find('\t') + 1));
  std::ranges::replace(last_record_, '\t', ':');
  return true;
}

bool VariantFile::ReadBcf(RawRecords& records) {
  records.num_records_ = 0;
  for (size_t bytes = 0; bytes < kBcfBytes;) {
    if (records.num_records_ == records.records_.size()) records.records_.emplace_back(bcf_init());
    bcf1_t* record = records.records_[records.num_records_].get();
    const int status = bcf_read(bcf_.get(), bcf_header_.get(), record);
    if (status == -1) {
      CheckEnd();
      break;
    }
    if (status < 0 || record->errcode != 0) FailDamaged();
    last_record_ = RecordPlace(bcf_header_.get(), *record);
    bytes += record->shared.l + record->indiv.l;
    ++records.num_records_;
  }
  return records.num_records_ != 0;
}

void VariantFile::CheckEnd() const {
  if (Bgzf()->no_eof_block) FailDamaged();  // checked before for a seekable file, when it was opened
}

void VariantFile::FailDamaged() const {
  if (!sought_by_.empty()) FailIndex(sought_by_);
  throw InputError(fmt::format("{}: truncated or damaged after {}; copy or create the file again", header_.path,
                               last_record_.empty() ? "the header" : last_record_));
}

void VariantFile::FailIndex(const std::string& index) const {
  throw InputError(
      fmt::format("{}: damaged, or not the index of {}; index again (bcftools index -f)", index, header_.path));
}

void VariantFile::LoadIndex() {
  if (std::exchange(index_is_loaded_, true)) return;
  const bool is_bgzf = !text_ || (text_->is_compressed && !text_->is_gzip);
  if (!is_bgzf) return;
  for (const char* extension : {".csi", ".tbi"}) {
    const std::string index = header_.path + extension;
    std::error_code error;
    const auto made = std::filesystem::last_write_time(index, error);
    if (error) continue;  // the file has no such index
    const bool is_older = made < std::filesystem::last_write_time(header_.path, error);
    const std::optional<bool> is_of_file = BelongsToFile(index, header_.path, header_end_);
    if (is_older && !is_of_file.value_or(false)) {
      LogWarningOnce(index + ": older than its data file, so it is not used; index again (bcftools index -f)");
      continue;
    }
    if (!is_of_file.value_or(true)) FailIndex(index);
    // Programs that write both at once may finish the index first.
    if (made + kSameTime < std::filesystem::last_write_time(header_.path, error)) {
      LogWarningOnce(index +
                     ": older than its data file; used, because it fits; if the file was replaced, index again "
                     "(bcftools index -f)");
    }
    if (text_) {
      tabix_.reset(tbx_index_load3(header_.path.c_str(), index.c_str(), 0));
    } else {
      bcf_index_.reset(bcf_index_load3(header_.path.c_str(), index.c_str(), 0));
    }
    if (!tabix_ && !bcf_index_) {
      throw InputError(index + ": damaged, or not a CSI or TBI index; index again (bcftools index -f)");
    }
    index_path_ = index;
    return;
  }
}

std::optional<std::vector<std::string>> VariantFile::IndexedContigs() {
  LoadIndex();
  if (!tabix_ && !bcf_index_) return std::nullopt;
  int count = 0;
  const std::unique_ptr<const char*, Deleter<std::free>> names(tabix_ ? tbx_seqnames(tabix_.get(), &count)
                                                                      : bcf_hdr_seqnames(bcf_header_.get(), &count));
  std::vector<std::string> contigs;
  for (int i = 0; i < count; ++i) {
    // A BCF index has the contigs of the header; those without records are told by their counts.
    uint64_t num_records = 0, unused = 0;
    const bool is_counted = bcf_index_ && i < hts_idx_nseq(bcf_index_.get()) &&
                            hts_idx_get_stat(bcf_index_.get(), i, &num_records, &unused) == 0;
    if (tabix_ || (is_counted && num_records > 0)) contigs.emplace_back(names.get()[i]);
  }
  return contigs;
}

bool VariantFile::SeekByIndex(const std::string& contig, int64_t begin) {
  LoadIndex();
  const hts_pos_t first = std::max<hts_pos_t>(begin - 1, 0);
  HtsIteratorHandle iterator;
  if (tabix_) {
    const int id = tbx_name2id(tabix_.get(), contig.c_str());
    if (id >= 0) iterator.reset(tbx_itr_queryi(tabix_.get(), id, first, HTS_POS_MAX));
  } else if (bcf_index_) {
    const int id = bcf_hdr_name2id(bcf_header_.get(), contig.c_str());
    if (id >= 0) iterator.reset(bcf_itr_queryi(bcf_index_.get(), id, first, HTS_POS_MAX));
  }
  if (!iterator || iterator->n_off == 0) return false;
  sought_by_ = index_path_;
  if (bgzf_seek(Bgzf(), static_cast<int64_t>(iterator->off[0].u), SEEK_SET) != 0) FailDamaged();
  partial_line_.clear();
  return true;
}

}  // namespace haplospin
