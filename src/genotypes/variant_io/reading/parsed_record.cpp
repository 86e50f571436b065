#include "genotypes/variant_io/reading/parsed_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

void CheckText(const char* column, std::string_view text) {
  const auto found = std::ranges::find_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (found == text.end()) return;
  throw InputError(fmt::format("{} has the control character 0x{:02x}; the file is damaged, or correct the record",
                               column, static_cast<unsigned>(*found)));
}

// Turns the calls of a panel into bits.
void PackCalls(const std::vector<std::string>& samples, ParsedRecord& record) {
  const std::vector<int16_t>& alleles = record.calls.alleles;
  const auto num_absent = static_cast<size_t>(std::ranges::count(alleles, kAbsentCall));
  if (num_absent != 0) {
    record.is_haploid.resize(samples.size());
    for (size_t s = 0; s < samples.size(); ++s) record.is_haploid[s] = alleles[2 * s + 1] == kAbsentCall;
  }
  const size_t words = WordsOf(alleles.size() - num_absent);
  record.bits.assign(words * record.alts.size(), 0);
  if (std::ranges::count(alleles, kMissingCall) != 0) record.missing.resize(words);
  size_t haplotype = 0;
  for (const int16_t allele : alleles) {
    if (allele == kMissingCall) SetBit(record.missing, haplotype);
    if (allele > 0) {
      record.bits[(static_cast<size_t>(allele) - 1) * words + haplotype / 64] |= uint64_t{1} << haplotype % 64;
    }
    haplotype += allele == kAbsentCall ? 0 : 1;
  }
}

}  // namespace

Marker TakeMarker(const DescribedInfo& described, ParsedRecord& record, size_t alt) {
  return {record.position,
          record.id,
          record.ref,
          std::move(record.alts[alt]),
          record.info.empty() ? "" : described.AltPart(record.info, alt),
          alt > 0 || record.continues};
}

namespace {

// Returns whether a record without ALT is of more bases than those of its REF: callers write ALT as <NON_REF>, <*> or,
// as bcftools call --gvcf and Strelka2 do, ".".
bool IsBlock(const ParsedRecord& record) {
  return record.alts.empty() && InfoNumber(record.info, "END") >=
                                    record.position + static_cast<int64_t>(std::max<size_t>(record.ref.size(), 1));
}

void RemoveUnspecifiedAlt(ParsedRecord& record) {
  const auto found = std::ranges::find_if(record.alts, IsUnspecifiedAlt);
  if (found == record.alts.end()) return;
  const auto index = static_cast<size_t>(found - record.alts.begin());
  const auto removed = static_cast<int16_t>(index + 1);
  record.alts.erase(found);
  // Without another ALT, the marker is one that no read tells of by name, and the row remains.
  if (!record.alts.empty() && !record.likelihoods.empty()) {
    record.likelihoods.erase(record.likelihoods.begin() + static_cast<std::ptrdiff_t>(index));
  }
  for (int16_t& call : record.calls.alleles) {
    if (call == removed) {
      call = kMissingCall;
    } else if (call > removed) {
      --call;
    }
  }
}

}  // namespace

void RemoveUnspecified(ParsedRecord& record) {
  RemoveUnspecifiedAlt(record);
  record.is_block = IsBlock(record);
}

void StartRecord(ParsedRecord& record) {
  record.contig.clear();
  record.info.clear();
  record.continues = false;
  record.is_block = false;
  record.imputation_flag = nullptr;
  record.num_unphased = 0;
  record.is_haploid.clear();
  record.missing.clear();
  record.is_outside = false;
  record.has_genotypes = false;
  record.calls.phase_sets.clear();
  record.likelihoods.clear();
  record.weighed = {};
  record.no_calls = 0;
  record.failed_calls = {};
  record.reads = {};
}

bool SetPlace(std::string_view contig, int64_t position, const RecordFilter& filter, ParsedRecord& record) {
  record.position = CheckPosition(position);
  record.contig = CheckContigName(contig);
  record.is_outside = filter.Excludes(record);
  return !record.is_outside;
}

void CheckTexts(const ParsedRecord& record) {
  CheckText("ID", record.id);
  CheckText("REF", record.ref);
  for (const std::string& alt : record.alts) CheckText("ALT", alt);
}

void CheckAlleles(RecordKind kind, const ParsedRecord& record) {
  if (record.alts.size() >= kMaxAlleles) throw InputError("more ALT alleles than can be read");
  if (kind == RecordKind::kDosages) return;
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

void FinishSite(RecordKind kind, std::string_view id, std::string_view ref, ParsedRecord& record) {
  record.id = id;
  record.ref = ref;
  record.filter = ".";
  CheckTexts(record);
  CheckAlleles(kind, record);
}

void FinishCalls(RecordKind kind, const std::vector<std::string>& samples, ParsedRecord& record) {
  record.num_unphased = record.calls.num_unphased;
  if (record.num_unphased != 0) {
    const size_t sample = record.calls.first_unphased;
    record.unphased_example =
        fmt::format("sample {} has the unphased genotype {}", samples[sample], GenotypeText(record.calls, sample, '/'));
  }
  if (kind == RecordKind::kPanel) PackCalls(samples, record);
  if (kind == RecordKind::kStudy) RemoveUnspecified(record);
}

// Genotypes of which the likelihoods alone are known are missing.
void FinishWithoutCalls(RecordKind kind, const std::vector<std::string>& samples, ParsedRecord& record) {
  record.calls.alleles.assign(2 * samples.size(), kMissingCall);
  record.calls.num_unphased = 0;
  record.calls.unphased.clear();
  FinishCalls(kind, samples, record);
}

}  // namespace haplospin
