#include "genotypes/variant_io/reading/record_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/counted.h"
#include "core/parse_number.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/genotype_calls.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

[[noreturn]] void FailNoGenotypes() {
  throw InputError("no GT among its FORMAT fields; remove the record, or give a file with genotypes");
}

void CheckNumberOfAlts(const ParsedRecord& record) {
  if (record.alts.size() >= kMaxAlleles) throw InputError("more ALT alleles than can be read");
}

// Such as NUL, with which no other program would read what is written.
void CheckText(const char* column, std::string_view text) {
  const auto found = std::ranges::find_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (found == text.end()) return;
  throw InputError(fmt::format("{} has the control character 0x{:02x}; the file is damaged, or correct the record",
                               column, static_cast<unsigned>(*found)));
}

// Throws InputError for alleles that no program would read again: one twice, or a broken name of a symbolic allele.
void CheckAlleles(const ParsedRecord& record) {
  constexpr const char* kRemedy = "correct the record, or leave it out";
  for (size_t a = 0; a < record.alts.size(); ++a) {
    const std::string& alt = record.alts[a];
    const bool is_repeated = SameBases(alt, record.ref) ||
                             std::find(record.alts.begin(), record.alts.begin() + static_cast<std::ptrdiff_t>(a),
                                       alt) != record.alts.begin() + static_cast<std::ptrdiff_t>(a);
    if (is_repeated) throw InputError(fmt::format("the allele {} occurs twice; {}", alt.substr(0, 20), kRemedy));
    const bool has_brackets =
        alt.find_first_of("<>") != std::string::npos && alt.find_first_of("[]") == std::string::npos;
    const bool is_symbolic = alt.size() > 2 && alt.front() == '<' && alt.find('>') == alt.size() - 1;
    if (alt.empty() || (has_brackets && !is_symbolic)) {
      throw InputError(fmt::format("ALT \"{}\" is neither bases nor a symbolic allele such as <DEL>; {}",
                                   alt.substr(0, 20), kRemedy));
    }
  }
}

void CheckOneGenotype(std::ptrdiff_t count) {
  if (count > 1) throw InputError("has GT twice in FORMAT; keep one of them");
}

void CheckOneGenotype(std::string_view format) {
  std::ptrdiff_t count = 0;
  while (!format.empty()) count += PopItem(format, ':') == "GT";
  CheckOneGenotype(count);
}

void CheckOneGenotype(const bcf1_t& record, const bcf_fmt_t& gt) {
  CheckOneGenotype(std::count_if(record.d.fmt, record.d.fmt + record.n_fmt,
                                 [&gt](const bcf_fmt_t& format) { return format.id == gt.id; }));
}

// An ALT such as <DEL>, whose length is in INFO/END or SVLEN.
bool HasSymbolicAlt(const ParsedRecord& record) {
  return std::ranges::any_of(record.alts, [](const std::string& alt) { return alt.starts_with('<'); });
}

// Removes <NON_REF> of a gVCF; a sample that has it has an allele that is not known.
void RemoveUnspecified(ParsedRecord& record) {
  const auto found = std::ranges::find_if(record.alts, IsUnspecifiedAlt);
  if (found == record.alts.end()) return;
  const auto index = static_cast<size_t>(found - record.alts.begin());
  const auto removed = static_cast<int16_t>(index + 1);
  record.alts.erase(found);
  // Without another ALT, the marker is one that no read tells of by name, and the row remains.
  if (!record.alts.empty() && !record.likelihoods.empty()) {
    record.likelihoods.erase(record.likelihoods.begin() + static_cast<std::ptrdiff_t>(index));
  }
  if (index < record.lengths.size()) record.lengths.erase(record.lengths.begin() + static_cast<std::ptrdiff_t>(index));
  record.is_block = record.alts.empty() && record.end > record.position;
  for (int16_t& call : record.calls.alleles) {
    if (call == removed) {
      call = kMissingCall;
    } else if (call > removed) {
      --call;
    }
  }
}

void TakeLikelihoods(DecodedLikelihoods likelihoods, ParsedRecord& record) {
  record.likelihoods = std::move(likelihoods.rows);
  record.is_haploid = std::move(likelihoods.is_haploid);
}

std::string FilterText(const bcf_hdr_t* header, const bcf1_t& raw) {
  std::string filter;
  for (int i = 0; i < raw.d.n_flt; ++i) {
    filter += (i == 0 ? "" : ";");
    filter += bcf_hdr_int2id(header, BCF_DT_ID, raw.d.flt[i]);
  }
  return filter.empty() ? "." : filter;
}

// An END that is before the record says nothing of the allele's length.
void SetEnd(int64_t end, ParsedRecord& record) { record.end = end >= record.position ? end : 0; }

// Reads END and SVLEN in the INFO column. What is no number says nothing.
void ReadLengths(std::string_view info, ParsedRecord& record) {
  constexpr std::string_view kEnd = "END=", kLengths = "SVLEN=";
  while (!info.empty()) {
    const std::string_view item = PopItem(info, ';');
    if (item.starts_with(kEnd)) SetEnd(ParseNumber<int32_t>(item.substr(kEnd.size())).value_or(0), record);
    if (!item.starts_with(kLengths)) continue;
    for (std::string_view list = item.substr(kLengths.size()); !list.empty();) {
      record.lengths.push_back(ParseNumber<int32_t>(PopItem(list, ',')).value_or(0));
    }
  }
}

// Calls function(value, missing) for values of a type in BCF, which need not be aligned.
template <typename Integer, typename Function>
void ForEachValue(const bcf_info_t& info, int64_t missing, const Function& function) {
  for (int i = 0; i < info.len; ++i) {
    Integer value = 0;
    std::memcpy(&value, info.vptr + sizeof(Integer) * static_cast<size_t>(i), sizeof(Integer));
    function(int64_t{value}, missing);
  }
}

void ReadLengths(const bcf_hdr_t* header, bcf1_t& raw, ParsedRecord& record) {
  const auto for_each = [&](const char* name, const auto& function) {
    const bcf_info_t* info = bcf_get_info(header, &raw, name);
    if (info == nullptr || info->vptr == nullptr) return;
    if (info->type == BCF_BT_INT8) ForEachValue<int8_t>(*info, bcf_int8_missing, function);
    if (info->type == BCF_BT_INT16) ForEachValue<int16_t>(*info, bcf_int16_missing, function);
    if (info->type == BCF_BT_INT32) ForEachValue<int32_t>(*info, bcf_int32_missing, function);
  };
  for_each("END", [&](int64_t end, int64_t) { SetEnd(end, record); });
  for_each("SVLEN", [&](int64_t length, int64_t missing) {
    record.lengths.push_back(length <= missing + 1 ? 0 : length);  // missing + 1 ends the list
  });
}

}  // namespace

Marker TakeMarker(ParsedRecord& record, size_t alt) {
  Marker marker{record.position, record.id, record.ref, std::move(record.alts[alt])};
  if (!marker.IsSymbolic()) return marker;
  marker.end = record.end;
  if (alt < record.lengths.size()) marker.length = record.lengths[alt];
  if (record.lengths.size() == 1) marker.length = record.lengths[0];
  return marker;
}

void RecordParser::Parse(const RawRecords& raw, size_t i, const RecordFilter& filter, ParsedRecord& record) const {
  record.contig.clear();
  record.error.clear();
  record.end = 0;
  record.lengths.clear();
  record.is_block = false;
  record.num_unphased = 0;
  record.is_haploid.clear();
  record.is_outside = false;
  record.has_genotypes = false;
  record.calls.phase_sets.clear();
  record.likelihoods.clear();
  record.reads = {};
  try {
    file_.bcf_header() == nullptr ? ParseLine(raw.line(i), filter, record) : ParseBcf(*raw.record(i), filter, record);
  } catch (const InputError& error) {
    record.error = error.what();
  }
}

void RecordParser::ParseLine(std::string_view line, const RecordFilter& filter, ParsedRecord& record) const {
  ColumnSplitter columns(line);
  const std::string_view contig = columns.Next();
  record.position = ParsePosition(columns.Next());
  record.contig = CheckContigName(contig);
  record.is_outside = filter.Excludes(record);
  if (record.is_outside) return;
  record.id = columns.Next();
  record.ref = columns.Next();
  SplitAlts(columns.Next(), record.alts);
  CheckText("ID", record.id);
  CheckText("REF", record.ref);
  for (const std::string& alt : record.alts) CheckText("ALT", alt);
  CheckNumberOfAlts(record);
  if (kind_ != Kind::kDosages) CheckAlleles(record);
  columns.Next();  // QUAL
  record.filter = columns.Next();
  const std::string_view info = kind_ == Kind::kSites ? columns.NextOrLast() : columns.Next();
  if (HasSymbolicAlt(record)) ReadLengths(info, record);
  if (kind_ == Kind::kSites) return;
  const std::string_view format = columns.Next();
  if (kind_ == Kind::kPanel) {
    if (record.alts.empty()) return;
    record.bits.resize((samples().size() + 31) / 32);
    if (format == "GT" && record.alts.size() == 1 &&
        ParsePhasedBits(columns.rest(), samples().size(), record.bits.data())) {
      return;
    }
  }
  const auto gt_field = IndexIn(format, "GT", ':');
  record.has_genotypes = gt_field.has_value();
  if (!gt_field && kind_ == Kind::kDosages) return;
  if (gt_field) {
    CheckOneGenotype(format);
    ParseCalls(columns.rest(), *gt_field, samples(), record.alts.size() + 1, record.calls);
  }
  if (fields_.likelihoods != LikelihoodField::kNone) {
    const auto field = IndexIn(format, FieldName(fields_.likelihoods), ':');
    if (field) {
      TakeLikelihoods(ParseLikelihoods(columns.rest(), *field, fields_.likelihoods, samples(), record.alts.size() + 1,
                                       gt_field ? &record.calls : nullptr),
                      record);
    }
  }
  if (fields_.reads) {
    const auto field = IndexIn(format, kReadField, ':');
    if (field) record.reads = ParseReadAlleles(columns.rest(), *field);
  }
  if (!gt_field && record.likelihoods.empty()) FailNoGenotypes();
  if (!gt_field) return FinishWithoutCalls(record);
  const auto ps_field = fields_.phase_sets ? IndexIn(format, "PS", ':') : std::nullopt;
  if (ps_field) ParsePhaseSets(columns.rest(), *ps_field, samples(), record.calls);
  FinishCalls(record);
}

void RecordParser::ParseBcf(bcf1_t& raw, const RecordFilter& filter, ParsedRecord& record) const {
  const bcf_hdr_t* header = file_.bcf_header();
  record.position = RecordPosition(raw);
  record.contig = CheckContigName(bcf_seqname_safe(header, &raw));
  record.is_outside = filter.Excludes(record);
  if (record.is_outside) return;
  if (raw.n_sample != samples().size()) {
    throw InputError(fmt::format("genotypes of {}, but the header has {}; the file is damaged",
                                 Counted(raw.n_sample, "sample"), samples().size()));
  }
  if (bcf_unpack(&raw, BCF_UN_STR | BCF_UN_FLT | BCF_UN_FMT) != 0) {
    throw InputError("cannot be decoded; the file is damaged");
  }
  record.filter = FilterText(header, raw);
  record.id = raw.d.id;
  record.ref = raw.n_allele > 0 ? raw.d.allele[0] : ".";
  record.alts.assign(raw.d.allele + std::min<size_t>(raw.n_allele, 1), raw.d.allele + raw.n_allele);
  if (record.alts.size() == 1 && record.alts[0] == ".") record.alts.clear();
  CheckNumberOfAlts(record);
  if (kind_ != Kind::kDosages) CheckAlleles(record);
  if (HasSymbolicAlt(record)) ReadLengths(header, raw, record);
  if (kind_ == Kind::kSites) return;
  if (kind_ == Kind::kPanel && record.alts.empty()) return;
  const bcf_fmt_t* gt = FindFormat(header, raw, "GT");
  record.has_genotypes = gt != nullptr;
  if (gt == nullptr && kind_ == Kind::kDosages) return;
  if (gt != nullptr) {
    CheckOneGenotype(raw, *gt);
    if (kind_ == Kind::kPanel) {
      record.bits.resize((samples().size() + 31) / 32);
      const bool has_sets = fields_.phase_sets && FindFormat(header, raw, "PS") != nullptr;
      if (record.alts.size() == 1 && !has_sets && DecodePhasedBits(*gt, samples().size(), record.bits.data())) return;
    }
    DecodeCalls(*gt, samples(), record.alts.size() + 1, record.calls);
  }
  if (fields_.likelihoods != LikelihoodField::kNone) {
    const bcf_fmt_t* field = FindFormat(header, raw, FieldName(fields_.likelihoods));
    if (field != nullptr) {
      TakeLikelihoods(DecodeLikelihoods(*field, fields_.likelihoods, samples(), record.alts.size() + 1,
                                        gt == nullptr ? nullptr : &record.calls),
                      record);
    }
  }
  if (gt == nullptr && record.likelihoods.empty()) FailNoGenotypes();
  if (gt == nullptr) return FinishWithoutCalls(record);
  const bcf_fmt_t* ps = fields_.phase_sets ? FindFormat(header, raw, "PS") : nullptr;
  if (ps != nullptr) DecodePhaseSets(*ps, samples(), record.calls);
  FinishCalls(record);
}

// Genotypes of which the likelihoods alone are known are missing.
void RecordParser::FinishWithoutCalls(ParsedRecord& record) const {
  record.calls.alleles.assign(2 * samples().size(), kMissingCall);
  record.calls.num_unphased = 0;
  record.calls.unphased.clear();
  FinishCalls(record);
}

void RecordParser::FinishCalls(ParsedRecord& record) const {
  record.num_unphased = record.calls.num_unphased;
  if (record.num_unphased != 0) {
    const size_t sample = record.calls.first_unphased;
    record.unphased_example = fmt::format("sample {} has the unphased genotype {}", samples()[sample],
                                          GenotypeText(record.calls, sample, '/'));
  }
  if (kind_ == Kind::kPanel) PackCalls(record);
  if (kind_ == Kind::kStudy) RemoveUnspecified(record);
}

void RecordParser::PackCalls(ParsedRecord& record) const {
  const std::vector<int16_t>& alleles = record.calls.alleles;
  if (std::ranges::count(alleles, kMissingCall) != 0) {
    const auto sample = static_cast<size_t>(std::ranges::find(alleles, kMissingCall) - alleles.begin()) / 2;
    throw InputError(fmt::format(
        "sample {} has the missing genotype {}; a panel must not have missing genotypes: impute it, or "
        "remove such records (bcftools view -g ^miss)",
        samples()[sample], GenotypeText(record.calls, sample, record.calls.missing_separator.value_or('|'))));
  }
  const auto num_absent = static_cast<size_t>(std::ranges::count(alleles, kAbsentCall));
  if (num_absent != 0) {
    record.is_haploid.resize(samples().size());
    for (size_t s = 0; s < samples().size(); ++s) record.is_haploid[s] = alleles[2 * s + 1] == kAbsentCall;
  }
  const size_t words = (alleles.size() - num_absent + 63) / 64;
  record.bits.assign(words * record.alts.size(), 0);
  size_t haplotype = 0;
  for (const int16_t allele : alleles) {
    if (allele > 0) {
      record.bits[(static_cast<size_t>(allele) - 1) * words + haplotype / 64] |= uint64_t{1} << haplotype % 64;
    }
    haplotype += allele == kAbsentCall ? 0 : 1;
  }
}

}  // namespace haplospin
