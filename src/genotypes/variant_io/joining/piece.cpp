#include "genotypes/variant_io/joining/piece.h"

#include <fmt/format.h>
#include <htslib/kseq.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/counted.h"
#include "genotypes/variant_io/genotype_prefix.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The header lines that define fields, filters and contigs, and their indices.
std::string Declarations(const bcf_hdr_t* header) {
  KString text;
  HS_CHECK(bcf_hdr_format(header, 1, &text.text) == 0);
  std::string declarations;
  std::string_view rest(text.text.s, text.text.l);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    for (const char* kind : {"##FILTER=<", "##INFO=<", "##FORMAT=<", "##contig=<"}) {
      if (line.starts_with(kind)) declarations += line;
    }
    rest.remove_prefix(end);
  }
  return declarations;
}

void CheckSamples(const std::string& path, const bcf_hdr_t* header, const std::string& first_path,
                  const bcf_hdr_t* first) {
  const int count = bcf_hdr_nsamples(header), first_count = bcf_hdr_nsamples(first);
  if (count != first_count) {
    throw InputError(
        fmt::format("{}: has {} and {} has {}; the files must have the same samples: to join files of "
                    "different people, use haplospin merge",
                    path, Counted(static_cast<size_t>(count), "sample"), first_path, first_count));
  }
  for (int s = 0; s < count; ++s) {
    if (std::string_view(header->samples[s]) == first->samples[s]) continue;
    throw InputError(fmt::format(
        "{}: sample {} is {}, but {} in {}; the files must have the same samples in the same order (bcftools view -S)",
        path, s + 1, header->samples[s], first->samples[s], first_path));
  }
}

void CheckFields(const std::string& path, const bcf_hdr_t* header, const bcf_hdr_t* joined) {
  constexpr std::array<std::pair<int, const char*>, 2> kKinds{{{BCF_HL_INFO, "INFO"}, {BCF_HL_FMT, "FORMAT"}}};
  for (int id = 0; id < header->n[BCF_DT_ID]; ++id) {
    const char* name = header->id[BCF_DT_ID][id].key;
    const int joined_id = name == nullptr ? -1 : bcf_hdr_id2int(joined, BCF_DT_ID, name);
    for (const auto& [kind, kind_name] : kKinds) {
      if (joined_id < 0 || !bcf_hdr_idinfo_exists(header, kind, id) ||
          !bcf_hdr_idinfo_exists(joined, kind, joined_id)) {
        continue;
      }
      const bool is_same = bcf_hdr_id2type(header, kind, id) == bcf_hdr_id2type(joined, kind, joined_id) &&
                           bcf_hdr_id2length(header, kind, id) == bcf_hdr_id2length(joined, kind, joined_id);
      if (is_same) continue;
      throw InputError(
          fmt::format("{}: declares {}/{} with another Number or Type than the files before it; make all files with "
                      "the same program and options",
                      path, kind_name, name));
    }
  }
}

// The length of a contig that a header declares, bp; 0: unknown.
uint64_t LengthOf(const bcf_hdr_t* header, int contig) {
  const bcf_idinfo_t* info = header->id[BCF_DT_CTG][contig].val;
  return info == nullptr ? 0 : info->info[0];
}

void CheckLengths(const std::string& path, const bcf_hdr_t* header, const bcf_hdr_t* joined) {
  for (int contig = 0; contig < header->n[BCF_DT_CTG]; ++contig) {
    const char* name = header->id[BCF_DT_CTG][contig].key;
    const int other = name == nullptr ? -1 : bcf_hdr_name2id(joined, name);
    if (other < 0) continue;
    const uint64_t length = LengthOf(header, contig), before = LengthOf(joined, other);
    if (length == 0 || before == 0 || length == before) continue;
    throw InputError(
        fmt::format("{}: contig {} has {} bp, but {} in the files before it, as of another genome build; give files of "
                    "one build, or correct the header (bcftools reheader --fai)",
                    path, name, length, before));
  }
}

void Append(const std::string& line, bcf_hdr_t* header) {
  HS_CHECK(bcf_hdr_append(header, line.c_str()) == 0);
  HS_CHECK(bcf_hdr_sync(header) == 0);
}

}  // namespace

Piece::Piece(const std::string& path) : path_(path), file_(hts_open(path.c_str(), "r")), record_(bcf_init()) {
  if (file_) header_.reset(bcf_hdr_read(file_.get()));
  if (!header_)
    throw InputError(path + ": cannot read the header; the file is damaged or was changed while it was read");
  has_prefixes_ = HasGenotypePrefixes(header_.get());
}

bcf1_t* Piece::Next() {
  int status = 0;
  if (file_->format.format == bcf) {
    status = bcf_read(file_.get(), header_.get(), record_.get());
  } else {
    do {
      status = hts_getline(file_.get(), KS_SEP_LINE, &line_.text);
    } while (status >= 0 && line_.text.l == 0);
    if (status >= 0) status = Parse();
  }
  if (status == -1) return nullptr;
  if (status < -1 || record_->errcode != 0) FailDamaged();
  try {
    RecordPosition(*record_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", path_, RecordPlace(header_.get(), *record_), error.what()));
  }
  CheckFormat(path_, header_.get(), record_.get());
  return record_.get();
}

int Piece::Parse() {
  const std::vector<char> prefixes = TakeGenotypePrefixes(line_.text);
  const int status = vcf_parse(&line_.text, header_.get(), record_.get());
  if (status >= 0 && has_prefixes_) SetFirstPhases(prefixes, header_.get(), record_.get());
  return status;
}

void Piece::FailDamaged() const {
  throw InputError(fmt::format("{}: {} is damaged, or has a field that the header does not declare", path_,
                               RecordPlace(header_.get(), *record_)));
}

namespace {

// Throws InputError where numbers are declared and the field has others, or text.
void CheckType(const std::string& path, const bcf_hdr_t* header, const bcf1_t& record, const bcf_fmt_t& format) {
  const std::string_view key = bcf_hdr_int2id(header, BCF_DT_ID, format.id);
  if (!bcf_hdr_idinfo_exists(header, BCF_HL_FMT, format.id) || format.n == 0) return;
  const auto declared = bcf_hdr_id2type(header, BCF_HL_FMT, format.id);
  const bool is_integer = key == "GT" || declared == BCF_HT_INT, is_float = key != "GT" && declared == BCF_HT_REAL;
  const bool has_floats = format.type == BCF_BT_FLOAT, has_text = format.type == BCF_BT_CHAR;
  if ((!is_integer || (!has_floats && !has_text)) && (!is_float || has_floats)) return;
  throw InputError(
      fmt::format("{}: {} has values of another type than declared in {}; the file is damaged: make it "
                  "again",
                  path, RecordPlace(header, record), key));
}

}  // namespace

void CheckFormat(const std::string& path, const bcf_hdr_t* header, bcf1_t* record) {
  if (bcf_unpack(record, BCF_UN_FMT) != 0) return;
  const bcf_fmt_t* formats = record->d.fmt;
  for (unsigned i = 0; i < record->n_fmt; ++i) CheckType(path, header, *record, formats[i]);
  for (unsigned i = 1; i < record->n_fmt; ++i) {
    if (std::none_of(formats, formats + i, [&](const bcf_fmt_t& format) { return format.id == formats[i].id; }))
      continue;
    throw InputError(fmt::format("{}: {} has {} twice in FORMAT", path, RecordPlace(header, *record),
                                 bcf_hdr_int2id(header, BCF_DT_ID, formats[i].id)));
  }
}

void DeclareContigs(const std::vector<std::string>& names, bcf_hdr_t* header) {
  for (const std::string& name : names) {
    if (bcf_hdr_name2id(header, name.c_str()) >= 0) continue;
    HS_CHECK(bcf_hdr_append(header, fmt::format("##contig=<ID={}>", name).c_str()) == 0);
  }
  HS_CHECK(bcf_hdr_sync(header) == 0);
}

namespace {

// Returns Number and Type of a field of INFO, which VCF 4.3 and later reserve for some names.
std::string InfoNumberAndType(const std::string& name) {
  static const std::map<std::string_view, const char*> reserved{
      {"AA", "Number=1,Type=String"},     {"AC", "Number=A,Type=Integer"},    {"AD", "Number=R,Type=Integer"},
      {"ADF", "Number=R,Type=Integer"},   {"ADR", "Number=R,Type=Integer"},   {"AF", "Number=A,Type=Float"},
      {"AN", "Number=1,Type=Integer"},    {"BQ", "Number=1,Type=Float"},      {"CIGAR", "Number=A,Type=String"},
      {"DB", "Number=0,Type=Flag"},       {"DP", "Number=1,Type=Integer"},    {"END", "Number=1,Type=Integer"},
      {"H2", "Number=0,Type=Flag"},       {"H3", "Number=0,Type=Flag"},       {"IMPRECISE", "Number=0,Type=Flag"},
      {"MQ", "Number=1,Type=Float"},      {"MQ0", "Number=1,Type=Integer"},   {"NS", "Number=1,Type=Integer"},
      {"SB", "Number=4,Type=Integer"},    {"SOMATIC", "Number=0,Type=Flag"},  {"SVLEN", "Number=A,Type=Integer"},
      {"SVTYPE", "Number=1,Type=String"}, {"VALIDATED", "Number=0,Type=Flag"}};
  const auto found = reserved.find(name);
  return found == reserved.end() ? "Number=.,Type=String" : found->second;
}

}  // namespace

void DeclareInfo(const std::set<std::string>& names, bcf_hdr_t* header) {
  for (const std::string& name : names) {
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, name.c_str());
    if (id >= 0 && bcf_hdr_idinfo_exists(header, BCF_HL_INFO, id)) continue;
    const std::string line =
        fmt::format("##INFO=<ID={},{},Description=\"Not declared\">", name, InfoNumberAndType(name));
    if (bcf_hdr_append(header, line.c_str()) != 0) throw InputError("INFO/" + name + " is no name of a field");
    HS_CHECK(bcf_hdr_sync(header) == 0);  // The look-up above reads what the new line may have moved.
  }
}

void JoinedHeader::Add(const std::string& path, const bcf_hdr_t* header) {
  if (!joined_) {
    joined_.reset(bcf_hdr_dup(header));
    HS_ASSERT(joined_ != nullptr);
    first_path_ = path;
    first_declarations_ = Declarations(header);
    return;
  }
  CheckSamples(path, header, first_path_, joined_.get());
  CheckFields(path, header, joined_.get());
  CheckLengths(path, header, joined_.get());
  if (HasGenotypePrefixes(header) && !HasGenotypePrefixes(joined_.get())) {
    HS_CHECK(bcf_hdr_set_version(joined_.get(), bcf_hdr_get_version(header)) == 0);
    HS_CHECK(bcf_hdr_sync(joined_.get()) == 0);
  }
  if (IsAsFirst(header)) return;
  HS_CHECK(bcf_hdr_merge(joined_.get(), header) == joined_.get());
  HS_CHECK(bcf_hdr_sync(joined_.get()) == 0);
}

void JoinedHeader::AddLine(const std::string& line) { Append(line, joined_.get()); }

bool JoinedHeader::IsAsFirst(const bcf_hdr_t* header) const { return Declarations(header) == first_declarations_; }

void SiteOrder::StartFile(const std::string& path) {
  path_ = path;
  is_first_of_file_ = true;
}

void SiteOrder::Add(std::string_view contig, int64_t position) {
  if (contigs_.empty() || contigs_.back() != contig) {
    StartContig(contig, position);
  } else if (position < position_ || (position == position_ && is_first_of_file_)) {
    FailBackwards(position);
  }
  position_ = position;
  last_position_ = std::max(last_position_, position);
  if (num_records_++ == 0) first_position_ = position;
  if (is_first_of_file_) previous_path_ = path_;
  is_first_of_file_ = false;
}

std::string SiteOrder::Where() const {
  return is_first_of_file_ ? "first record" : fmt::format("after {}:{}", contigs_.back(), position_);
}

void SiteOrder::StartContig(std::string_view contig, int64_t position) {
  if (!names_.insert(std::string(contig)).second) {
    throw InputError(fmt::format(
        "{}: {}:{} comes after contig {}, but {} ended before; give the files contig by contig, each sorted", path_,
        contig, position, contigs_.back(), contig));
  }
  contigs_.emplace_back(contig);
}

void SiteOrder::FailBackwards(int64_t position) const {
  const std::string& contig = contigs_.back();
  if (!is_first_of_file_) {
    throw InputError(fmt::format("{}: {}:{} comes after {}:{}; sort the file with `bcftools sort`", path_, contig,
                                 position, contig, position_));
  }
  throw InputError(
      fmt::format("{}: begins at {}:{}, but {} ends at {}:{}; give the files in order, and files that do not "
                  "overlap, or use --ligate",
                  path_, contig, position, previous_path_, contig, position_));
}

}  // namespace haplospin
