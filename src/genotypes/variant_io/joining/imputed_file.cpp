#include "genotypes/variant_io/joining/imputed_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Says what is wrong with the file.
VariantFile CheckedFile(const std::string& path) {
  CheckReadableTwice(path);
  if (IsBed(path) || IsBgen(path)) {
    throw InputError(path + ": not an imputed VCF or BCF file; give those of impute");
  }
  return VariantFile(path);
}

// Returns the contigs of a file of text, which need not declare them.
ContigTable RecordContigTable(VariantFile& file) {
  ContigTable contigs;
  RawRecords records;
  while (file.bcf_header() == nullptr && file.Read(records)) {
    for (size_t i = 0; i < records.size(); ++i) {
      const std::string_view line = records.line(i), name = line.substr(0, line.find('\t'));
      if (!contigs.empty() && contigs.back().first == name) continue;
      try {
        contigs.emplace_back(CheckContigName(name), 0);
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", file.header().path, error.what()));
      }
    }
  }
  if (contigs.empty()) throw InputError(file.header().path + ": no records; give imputed files");
  return contigs;
}

}  // namespace

DosageRecord ImputedRecord::View() const {
  DosageRecord record{.marker = &marker, .in_panel = in_panel};
  if (in_panel) record.dosages = dosages;
  if (is_typed || !in_panel) record.typed_alleles = alleles;
  if (is_typed && has_left_out) record.left_out = left_out;
  if (is_typed && has_phase) record.phase = phase;
  if (!in_panel || std::ranges::count(unphased, 1) > 0) record.unphased = unphased;
  record.calls = calls;
  record.panel_r2 = panel_r2;
  record.continues = continues;
  return record;
}

void ImputedRecord::Append(const ImputedRecord& other) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  const uint32_t offset = first_haplotype.back();
  for (size_t s = 1; s < other.first_haplotype.size(); ++s)
    first_haplotype.push_back(offset + other.first_haplotype[s]);
  append(dosages, other.dosages);
  append(left_out, other.left_out);
  append(phase, other.phase);
  append(alleles, other.alleles);
  append(calls, other.calls);
  append(unphased, other.unphased);
  is_typed = is_typed || other.is_typed;
  has_left_out = has_left_out && other.has_left_out;
  has_phase = has_phase && other.has_phase;
  // Batches of one array have the same R2P; of several arrays, none is that of all samples.
  if (panel_r2 != other.panel_r2) panel_r2.reset();
}

void ImputedRecord::Mirror() {
  std::swap(marker.ref, marker.alt);
  for (float& p : dosages) p = 1 - p;
  for (float& p : left_out) p = 1 - p;
  for (std::vector<uint8_t>* called : {&alleles, &calls}) {
    for (uint8_t& allele : *called) {
      if (allele != kMissingAllele) allele = allele == 0 ? 1 : 0;
    }
  }
}

ImputedFile::ImputedFile(const std::string& path) : ImputedFile(CheckedFile(path)) {}

ImputedFile::ImputedFile(VariantFile file)
    : piece_(file.header().path),
      samples_(file.header().samples),
      header_contigs_(file.header().contigs),
      is_exchanged_(samples_.size()) {
  if (header_contigs_.empty()) header_contigs_ = RecordContigTable(file);
  DeclareContigs(NamesOfContigs(header_contigs_), header());
  described_.Add(header());
  marks_imputed_only_ = Declares(BCF_HL_INFO, "IMP") && !Declares(BCF_HL_INFO, "TYPED");
}

bool ImputedFile::Next() {
  record_ = piece_.Next();
  if (record_ == nullptr) return false;
  // A record without FORMAT has no samples.
  const size_t num_samples = record_->n_sample;
  if (bcf_unpack(record_, BCF_UN_ALL) != 0 || (num_samples != 0 && num_samples != samples_.size())) {
    piece_.FailDamaged();
  }
  return true;
}

void ImputedFile::CheckAlleles() const {
  if (record_->n_allele == 0) piece_.FailDamaged();  // a line that ends after its position
}

Marker ImputedFile::AltMarker(size_t alt) const {
  return {.position = position(),
          .id = record_->d.id,
          .ref = record_->d.allele[0],
          .alt = alt + 1 < record_->n_allele ? record_->d.allele[alt + 1] : ".",
          .info = described_.AltPart(described_.Select(header(), *record_), alt)};
}

std::optional<float> ImputedFile::ReadShare(const char* key, size_t alt) const {
  const bcf_info_t* info = bcf_get_info(header(), record_, key);
  if (info == nullptr || info->type != BCF_BT_FLOAT || std::cmp_less_equal(info->len, alt)) return std::nullopt;
  float share;
  std::memcpy(&share, info->vptr + alt * sizeof(share), sizeof(share));
  return share >= 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

std::vector<ImputedRecord> ImputedFile::ReadAlts() {
  CheckAlleles();
  ReadFields();
  std::vector<ImputedRecord> alts;
  do alts.push_back(ReadAlt(alts.size()));
  while (alts.size() + 1 < record_->n_allele);
  return alts;
}

ImputedRecord ImputedFile::ReadAlt(size_t alt) {
  ImputedRecord record{.marker = AltMarker(alt),
                       .in_panel = !Has("NOT_IN_PANEL"),
                       .panel_r2 = ReadShare("R2P", alt),
                       .empirical_r2 = ReadShare("ER2", alt),
                       .continues = alt > 0};
  fields_.Choose(alt);
  if (record.in_panel && !fields_.has_haplotypes()) {
    Fail("neither HDS nor AP1 and AP2, from which DR2 is computed; impute with --format HDS");
  }
  record.has_left_out = fields_.has_left_out();
  record.has_phase = fields_.has_phase();
  // Of a record with several ALTs, the study may have some: those with LDS, if the file has it.
  record.is_typed = IsTyped() && (record.has_left_out || record_->n_allele <= 2 || !HasFormat("LDS"));
  const bool is_typed = !record.in_panel || record.is_typed;
  for (size_t s = 0; s < samples_.size(); ++s) {
    const bool is_known = !record.in_panel || fields_.Probability(s, 0);
    const size_t ploidy = Ploidy(s, is_known);
    record.first_haplotype.push_back(record.first_haplotype.back() + static_cast<uint32_t>(ploidy));
    if (ploidy > 0) AppendSample(s, ploidy, is_typed, record);
  }
  return record;
}

void ImputedFile::AppendSample(size_t s, size_t ploidy, bool is_typed, ImputedRecord& record) {
  if (record.in_panel) FindOrder(s);
  for (size_t i = 0; i < ploidy; ++i) AppendHaplotype(s, i, ploidy, is_typed, record);
  const bool is_unphased = fields_.IsUnphased(s) && (!record.in_panel || fields_.IsHeterozygote(s));
  record.unphased.push_back(ploidy == 2 && is_unphased ? 1 : 0);
  record.phase.push_back(fields_.Phase(s));
  if (record.in_panel && fields_.Contradicts(s)) Note(s, contradictions_);
}

void ImputedFile::FindOrder(size_t s) {
  const HaplotypeOrder order = fields_.Order(s);
  if (order == HaplotypeOrder::kUnknown) return;
  is_exchanged_[s] = order == HaplotypeOrder::kReverse;
  if (is_exchanged_[s]) Note(s, exchanged_);
}

std::vector<TypedSite> ImputedFile::ReadTyped() {
  CheckAlleles();
  ReadFields();
  std::vector<TypedSite> sites;
  for (size_t alt = 0; alt + 1 < std::max<size_t>(record_->n_allele, 2); ++alt) {
    fields_.Choose(alt);
    if (fields_.has_left_out()) sites.push_back(ReadTypedAlt(alt));
  }
  return sites;
}

TypedSite ImputedFile::ReadTypedAlt(size_t alt) {
  TypedSite site{.marker = AltMarker(alt)};
  for (size_t s = 0; s < samples_.size(); ++s) {
    FindOrder(s);
    const size_t ploidy = Ploidy(s, fields_.LeftOut(s, 0).has_value());
    site.first_haplotype.push_back(site.first_haplotype.back() + static_cast<uint32_t>(ploidy));
    for (size_t i = 0; i < ploidy; ++i) {
      const size_t source = Source(s, i, ploidy);
      const std::optional<float> left_out = fields_.LeftOut(s, source), imputed = fields_.Probability(s, source);
      const bool is_imputed = imputed && *imputed > 0 && *imputed < 1;
      site.alleles.push_back(left_out && !is_imputed ? fields_.Allele(s, i) : kMissingAllele);
      if (left_out && !(*left_out >= 0 && *left_out <= 1)) Fail("LDS is no probability from 0 to 1");
      site.left_out.push_back(PackProbability(left_out.value_or(0)));
    }
  }
  return site;
}

void ImputedFile::ReadFields() {
  try {
    fields_.Read(header(), record_);
  } catch (const InputError& error) {
    Fail(error.what());
  }
}

size_t ImputedFile::Ploidy(size_t sample, bool is_known) const {
  if (fields_.NumAlleles(sample) == 2 && !fields_.IsDoubled(sample)) return 2;
  return is_known || fields_.Allele(sample, 0) != kMissingAllele ? 1 : 0;
}

void ImputedFile::Note(size_t s, Finding& finding) const {
  if (finding.genotypes++ == 0) finding.first = fmt::format("{}:{}, sample {}", contig(), position(), samples_[s]);
}

void ImputedFile::Tell() const {
  if (exchanged_.genotypes > 0) {
    LogWarning(
        "{}: {} whose probabilities of haplotypes are in the other order than GT, as bcftools concat --ligate leaves "
        "them (first: {}): they are exchanged",
        path(), Counted(exchanged_.genotypes, "heterozygote"), exchanged_.first);
  }
  if (contradictions_.genotypes > 0) {
    LogWarning(
        "{}: {} whose GT, DS and GP do not follow from the probabilities of haplotypes (first: {}): GT is kept, DS and "
        "the rest follow from these; bcftools norm -c s and liftovers change GT alone, bcftools norm -m- leaves GP "
        "that do not sum to 1",
        path(), Counted(contradictions_.genotypes, "genotype"), contradictions_.first);
  }
}

void ImputedFile::Fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}:{}: {}", path(), contig(), position(), what));
}

void ImputedFile::AppendHaplotype(size_t s, size_t i, size_t ploidy, bool is_typed, ImputedRecord& record) const {
  const uint8_t called = fields_.Allele(s, i);
  if (!record.in_panel) {
    record.alleles.push_back(called);
    return;
  }
  const size_t source = Source(s, i, ploidy);
  const auto p = fields_.Probability(s, source);
  if (!p || !(*p >= 0 && *p <= 1)) Fail(fmt::format("sample {} lacks a probability from 0 to 1", samples_[s]));
  record.dosages.push_back(*p);
  record.calls.push_back(called);
  // What was missing at a typed marker has the probability that it was imputed with. A typed allele would be called.
  const bool is_given = is_typed && called != kMissingAllele && (*p == 0 || *p == 1);
  record.alleles.push_back(is_given ? static_cast<uint8_t>(*p) : kMissingAllele);
  record.left_out.push_back(fields_.LeftOut(s, source).value_or(0));
}

SampleTable PresentSamples(const std::vector<std::string>& names, const std::vector<uint32_t>& first_haplotype) {
  SampleTable present{{}, {0}};
  for (size_t s = 0; s < names.size(); ++s) {
    const uint32_t ploidy = first_haplotype[s + 1] - first_haplotype[s];
    if (ploidy > 0) present.Add(names[s], static_cast<int>(ploidy));
  }
  return present;
}

void WriteRecords(const std::string& contig, const SampleTable& samples, std::span<const ImputedRecord> records,
                  DosageWriter& writer) {
  writer.SetPloidy(samples);
  std::vector<DosageRecord> views;
  for (const ImputedRecord& record : records) views.push_back(record.View());
  writer.Write(contig, views);
}

OutputFields CommonFields(const ImputedFile& file, OutputFields fields) {
  fields.gp = file.Declares(BCF_HL_FMT, "GP");
  fields.hds = file.Declares(BCF_HL_FMT, "HDS");
  fields.ap = file.Declares(BCF_HL_FMT, "AP1");
  fields.lds = file.Declares(BCF_HL_FMT, "LDS");
  fields.pp = file.Declares(BCF_HL_FMT, "PPH");
  fields.doubles_haploids = file.DoublesHaploids();
  return fields;
}

}  // namespace haplospin
