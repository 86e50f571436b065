#include "genotypes/variant_io/joining/concat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/log.h"
#include "core/output_file.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/genotype_prefix.h"
#include "genotypes/variant_io/joining/ligation.h"
#include "genotypes/variant_io/joining/piece.h"
#include "genotypes/variant_io/joining/sample_columns.h"
#include "genotypes/variant_io/joining/site_merge.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "genotypes/variant_io/writing/hts_output.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kEndBlockBytes = 28;  // size of the empty block that ends a BGZF file
constexpr size_t kBytesAtATime = size_t{1} << 20;
constexpr size_t kSiteColumns = 8;  // columns of a file without samples, which has no FORMAT

// `position` returns the position of the record, or throws InputError.
template <typename Position>
void AddSite(SiteOrder& order, const std::string& path, std::string_view contig, Position position) {
  int64_t checked = 0;
  try {
    CheckContigName(contig);
    checked = position();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", path, order.Where(), error.what()));
  }
  order.Add(contig, checked);
}

// Returns the key that is twice in the FORMAT column, or "".
std::string RepeatedFormat(std::string_view line) {
  for (size_t column = 0; column < kFirstSampleColumn - 1; ++column) PopItem(line, '\t');
  std::string_view format = PopItem(line, '\t');
  if (format == "GT") return "";
  std::vector<std::string_view> keys;
  while (!format.empty()) {
    keys.push_back(PopItem(format, ':'));
    if (std::ranges::count(keys, keys.back()) > 1) return std::string(keys.back());
  }
  return "";
}

void AddLine(SiteOrder& order, const std::string& path, std::string_view line, size_t num_samples) {
  const size_t expected = num_samples == 0 ? kSiteColumns : kFirstSampleColumn + num_samples;
  const auto num_columns = static_cast<size_t>(std::ranges::count(line, '\t')) + 1;
  const std::string_view whole = line;
  const std::string_view contig = PopItem(line, '\t'), position = PopItem(line, '\t');
  AddSite(order, path, contig, [position] { return ParsePosition(position); });
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}:{} {}", path, contig, position, what));
  };
  if (whole.find('\0') != std::string_view::npos) fail("has a NUL character; the file is damaged");
  if (const std::string key = RepeatedFormat(whole); !key.empty()) fail(fmt::format("has {} twice in FORMAT", key));
  if (num_columns == expected) return;
  throw InputError(fmt::format("{}: {}:{} has {} columns, but the header has {}; the line is truncated or damaged",
                               path, contig, position, num_columns, expected));
}

// The INFO fields of lines of text that a header does not declare.
class UndeclaredInfo {
 public:
  explicit UndeclaredInfo(const bcf_hdr_t* header) : header_(header) {}

  void Add(std::string_view line) {
    for (size_t column = 0; column + 1 < kSiteColumns; ++column) PopItem(line, '\t');
    for (std::string_view info = PopItem(line, '\t'); !info.empty();) {
      const std::string_view item = PopItem(info, ';');
      const std::string key(item.substr(0, item.find('=')));
      if (key.empty() || key == "." || names_.contains(key)) continue;
      const int id = bcf_hdr_id2int(header_, BCF_DT_ID, key.c_str());
      if (id < 0 || !bcf_hdr_idinfo_exists(header_, BCF_HL_INFO, id)) names_.insert(key);
    }
  }

  const std::set<std::string>& names() const { return names_; }

 private:
  const bcf_hdr_t* header_;
  std::set<std::string> names_;
};

[[noreturn]] void FailLine(const std::string& path, std::string_view line, const std::string& what) {
  const std::string_view contig = PopItem(line, '\t'), position = PopItem(line, '\t');
  throw InputError(fmt::format("{}: {}:{} {}", path, contig, position, what));
}

// Looks at what would be copied as it is. Returns what is wrong with the sample columns of each line, or "".
std::vector<std::string> LineDamages(const RawRecords& records, const bcf_hdr_t* header) {
  std::vector<std::string> damage(records.size());
  tbb::parallel_for(size_t{0}, records.size(),
                    [&](size_t i) { damage[i] = SampleColumnDamage(header, records.line(i)); });
  return damage;
}

// Reads all records of a file whose header is `header`. Returns whether its blocks may be copied as they are.
bool CheckRecords(VariantFile& file, const bcf_hdr_t* header, SiteOrder& order, UndeclaredInfo& undeclared) {
  const std::string& path = file.header().path;
  const bool has_columns = file.bcf_header() == nullptr && !file.header().samples.empty();
  order.StartFile(path);
  RawRecords records;
  while (file.Read(records)) {
    const auto damage = has_columns ? LineDamages(records, header) : std::vector<std::string>(records.size());
    for (size_t i = 0; i < records.size(); ++i) {
      if (file.bcf_header() == nullptr) {
        AddLine(order, path, records.line(i), file.header().samples.size());
        if (!damage[i].empty()) FailLine(path, records.line(i), damage[i]);
        undeclared.Add(records.line(i));
      } else {
        bcf1_t* record = records.record(i);
        AddSite(order, path, bcf_seqname_safe(file.bcf_header(), record), [record] { return RecordPosition(*record); });
        CheckFormat(path, file.bcf_header(), record);
      }
    }
  }
  if (file.ends_without_newline()) {
    throw InputError(path + ": the last line does not end with a newline, so it may be cut; create the file again");
  }
  return file.has_plain_lines();
}

// The names that files have for contigs.
class ContigNames {
 public:
  // Adds the contigs of a file. Throws InputError if earlier files have one as "20" and this one as "chr20". A genome
  // of two species may have both, which its header declares.
  void Add(const std::string& path, const bcf_hdr_t* header, const std::vector<std::string>& contigs) {
    for (const std::string& contig : contigs) {
      const auto known = names_.find(std::string(BareContig(contig)));
      if (known == names_.end() || known->second == contig) continue;
      if (bcf_hdr_name2id(header, known->second.c_str()) >= 0) continue;
      throw InputError(
          fmt::format("{}: contig {} is {} in the files before it; rename it (bcftools annotate --rename-chrs)", path,
                      contig, known->second));
    }
    for (const std::string& contig : contigs) names_.emplace(BareContig(contig), contig);
  }

 private:
  std::unordered_map<std::string, std::string> names_;  // by BareContig()
};

struct CheckedPiece {
  std::string path;
  size_t num_records;
  bool can_copy;  // true if its blocks may be copied where header and format allow it
};

class Joiner {
 public:
  Joiner(const ConcatOptions& options, OutputType type, const JoinedHeader& header,
         const std::vector<std::string>& contigs, const std::set<std::string>& undeclared)
      : options_(options),
        type_(type),
        header_(header),
        contigs_(contigs),
        undeclared_(undeclared),
        has_prefixes_(HasGenotypePrefixes(header.get())),
        output_(options.out),
        file_(output_, type, header.get()) {}

  // Adds a file that has been checked. Returns whether it was copied without decoding.
  bool Add(const CheckedPiece& checked) {
    Piece piece(checked.path);
    if (checked.can_copy && CanCopy(piece)) {
      Copy(checked.path, *piece.file()->fp.bgzf);
      num_records_ += checked.num_records;
      return true;
    }
    if (Decode(piece) != checked.num_records) FailChanged(checked.path);
    return false;
  }

  // Adds the files of one contig, which overlap, and have `num_records`.
  void AddLigated(std::span<const PieceSpan> pieces, std::span<const LigatedPiece> ligated, size_t num_records) {
    SiteMerge files(pieces);
    for (auto sites = files.Next(); !sites.empty(); sites = files.Next()) {
      for (const SiteMerge::Site& site : sites) {
        const SiteMerge::Entry& entry = Chosen(site, ligated, files.position());
        Write(files.file(entry.piece), entry.record, &ligated[entry.piece].changes);
      }
    }
    if (files.num_read() != num_records) FailChanged(pieces.front().path);
  }

  size_t num_records() const { return num_records_; }  // records that were written

  void Finish(int64_t last_position) {
    file_.Close();
    CommitVariants(output_, type_, options_.index, last_position);
  }

 private:
  bool CanCopy(const Piece& piece) const {
    const htsFormat& format = piece.file()->format;
    // The blocks of a BCF keep the bits of first alleles, which an older version may have set or not.
    const bool is_bcf = type_ == OutputType::kBcf;
    if (is_bcf && has_prefixes_ != piece.has_prefixes()) return false;
    return IsCompressed(type_) && format.compression == htsCompression::bgzf && format.format == (is_bcf ? bcf : vcf) &&
           header_.IsAsFirst(piece.header());
  }

  // The records in the same block as the header are compressed again; the closing empty block is omitted.
  void Copy(const std::string& path, BGZF& in) {
    file_.WriteBytes({static_cast<const char*>(in.uncompressed_block) + in.block_offset,
                      static_cast<size_t>(in.block_length - in.block_offset)});
    file_.EndBlock();
    std::vector<char> bytes(kBytesAtATime + kEndBlockBytes);
    size_t kept = 0;  // bytes that may be the closing block
    for (;;) {
      const ssize_t count = bgzf_raw_read(&in, bytes.data() + kept, kBytesAtATime);
      if (count < 0)
        throw InputError(path + ": cannot be read; the file was changed while it was read, or the disk has an error");
      if (count == 0) break;
      const size_t size = kept + static_cast<size_t>(count);
      kept = std::min(size, kEndBlockBytes);
      const size_t ready = size - kept;
      file_.WriteBlocks({bytes.data(), ready});
      std::copy_n(bytes.data() + ready, kept, bytes.data());
    }
  }

  // Returns the number of records that were read.
  size_t Decode(Piece& piece) {
    DeclareContigs(contigs_, piece.header());  // VCF text need not declare its contigs
    DeclareInfo(undeclared_, piece.header());
    const size_t before = num_records_;
    while (bcf1_t* record = piece.Next()) Write(piece, record);
    return num_records_ - before;
  }

  void Write(const Piece& piece, bcf1_t* record, const PhaseChanges* changes = nullptr) {
    if (bcf_translate(header_.get(), piece.header(), record) != 0) piece.FailDamaged();
    if (has_prefixes_ && !piece.has_prefixes()) SetFirstPhases({}, header_.get(), record);
    if (changes != nullptr) ChangePhase(*changes, header_.get(), record);
    file_.WriteRecord(record);
    ++num_records_;
  }

  // The record of the file whose part of the contig this is, or of another one that has it.
  static const SiteMerge::Entry& Chosen(const SiteMerge::Site& site, std::span<const LigatedPiece> ligated,
                                        int64_t position) {
    const auto own = std::ranges::find_if(site, [&](const SiteMerge::Entry& entry) {
      return ligated[entry.piece].first <= position && position <= ligated[entry.piece].last;
    });
    return own == site.end() ? site.front() : *own;
  }

  [[noreturn]] static void FailChanged(const std::string& path) {
    throw InputError(path + ": changed while it was read; run again when the file is complete");
  }

  const ConcatOptions& options_;
  const OutputType type_;
  const JoinedHeader& header_;
  const std::vector<std::string>& contigs_;
  const std::set<std::string>& undeclared_;  // INFO fields
  const bool has_prefixes_;                  // whether genotypes may have prefixes
  OutputFile output_;
  HtsOutput file_;
  size_t num_records_ = 0;
};

// The files to ligate. The pieces of one contig may overlap, so each is checked by itself.
struct LigationInput {
  std::vector<PieceSpan> spans;
  std::vector<std::string> contigs;
  int64_t last_position = 0;

  void Add(const std::string& path, const bcf_hdr_t* header, const SiteOrder& order,
           const std::set<std::string>& undeclared) {
    if (bcf_hdr_nsamples(header) == 0) {
      throw InputError(path + ": has no samples, so there is no phase to align; join without --ligate");
    }
    if (order.contigs().size() != 1) {
      throw InputError(fmt::format("{}: has records of {} contigs; to ligate, give files of one contig each", path,
                                   order.contigs().size()));
    }
    const std::string& contig = order.contigs()[0];
    spans.push_back({path, contig, order.first_position(), order.last_position(), undeclared});
    last_position = std::max(last_position, order.last_position());
    if (!contigs.empty() && contigs.back() == contig) return;
    if (std::ranges::find(contigs, contig) != contigs.end()) {
      throw InputError(fmt::format("{}: contig {} ended before; give the files contig by contig", path, contig));
    }
    contigs.push_back(contig);
  }

  // Calls function(first, count) with the files of each contig.
  template <typename Function>
  void ForEachContig(const Function& function) const {
    for (size_t first = 0, next = 0; first < spans.size(); first = next) {
      while (next < spans.size() && spans[next].contig == spans[first].contig) ++next;
      function(first, next - first);
    }
  }
};

}  // namespace

ConcatCounts Concat(const ConcatOptions& options) {
  HS_ASSERT(!options.pieces.empty());
  JoinedHeader header;
  SiteOrder order;
  LigationInput ligation;
  std::vector<CheckedPiece> pieces;
  ContigNames names;
  std::set<std::string> undeclared;  // INFO fields
  for (const std::string& path : options.pieces) {
    CheckReadableTwice(path);
    if (IsBed(path)) throw InputError(path + ": a PLINK file; give VCF or BCF files");
    if (IsBgen(path)) throw InputError(path + ": a BGEN file; give VCF or BCF files");
    if (options.ligate) order = SiteOrder();
    const size_t before = order.num_records();
    VariantFile file(path, SitesOnly::kAccept);
    const Piece piece(path);
    header.Add(path, piece.header());
    UndeclaredInfo info(piece.header());
    const bool can_copy = CheckRecords(file, piece.header(), order, info) && !options.ligate;
    names.Add(path, piece.header(), order.contigs());
    pieces.push_back({path, order.num_records() - before, can_copy});
    if (!info.names().empty()) {
      LogWarning("{}: its header does not declare INFO/{}; declared as VCF has it, or as text", path,
                 fmt::join(info.names(), ", INFO/"));
    }
    undeclared.insert(info.names().begin(), info.names().end());
    if (options.ligate) ligation.Add(path, piece.header(), order, info.names());
  }
  const std::vector<std::string>& contigs = options.ligate ? ligation.contigs : order.contigs();
  DeclareContigs(contigs, header.get());
  DeclareInfo(undeclared, header.get());
  for (const std::string& line : options.header_lines) header.AddLine(line);
  const auto ligated = AlignPieces(ligation.spans, static_cast<size_t>(bcf_hdr_nsamples(header.get())));

  Joiner joiner(options, ResolveGenotypeType(options.out, options.type), header, contigs, undeclared);
  ConcatCounts counts;
  if (options.ligate) {
    ligation.ForEachContig([&](size_t first, size_t count) {
      size_t num_records = 0;
      for (size_t k = first; k < first + count; ++k) num_records += pieces[k].num_records;
      joiner.AddLigated(std::span(ligation.spans).subspan(first, count), std::span(ligated).subspan(first, count),
                        num_records);
    });
  } else {
    for (const CheckedPiece& piece : pieces) counts.pieces_copied += joiner.Add(piece);
  }
  joiner.Finish(options.ligate ? ligation.last_position : order.last_position());
  counts.records = joiner.num_records();
  for (const CheckedPiece& piece : pieces) counts.records_read += piece.num_records;
  return counts;
}

}  // namespace haplospin
