// Genotypes and phase sets of one record, decoded from VCF text or BCF.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

inline constexpr int16_t kMissingCall = -1;  // "."
inline constexpr int16_t kAbsentCall = -2;   // the second allele of a haploid genotype
inline constexpr size_t kMaxAlleles = INT16_MAX;

struct GenotypeCalls {
  std::vector<int16_t> alleles;  // two per sample: 0 is REF, i the i-th ALT
  // Genotypes whose alleles cannot be assigned to haplotypes: unphased and heterozygous.
  size_t num_unphased = 0;
  size_t first_unphased = 0;      // sample
  std::vector<uint8_t> unphased;  // [samples] 1 for such genotypes; empty where num_unphased is 0

  std::optional<char> missing_separator;  // between the alleles of the first genotype with a missing one

  std::vector<uint32_t> phase_sets;  // [samples] as in GenotypeRow
  size_t num_sets_of_ids = 0;        // genotypes whose set is that of PID, as there is no PS

  // Forgets the genotypes of an earlier record.
  void Start(size_t num_samples) {
    alleles.resize(2 * num_samples);
    num_unphased = 0;
    unphased.clear();
    missing_separator.reset();
    num_sets_of_ids = 0;
  }

  // Sets the genotype of a sample. Samples are set in their order.
  void Set(size_t sample, int16_t first, int16_t second, bool is_phased) {
    alleles[2 * sample] = first;
    alleles[2 * sample + 1] = second;
    if (!missing_separator && (first == kMissingCall || second == kMissingCall)) {
      missing_separator = is_phased ? '|' : '/';
    }
    if (is_phased || second == kAbsentCall || first == second) return;
    if (num_unphased++ == 0) {
      first_unphased = sample;
      unphased.assign(alleles.size() / 2, 0);
    }
    unphased[sample] = 1;
  }
};

// Decode the usual record fast: every genotype is diploid and phased, every allele 0 or 1. Both set bit h % 64 of word
// h / 64 for haplotype h, and return false, with `bits` undefined, for any other record.
// `columns` is the text of the sample columns without the line's end.
bool ParsePhasedBits(std::string_view columns, size_t num_samples, uint64_t* bits);
bool DecodePhasedBits(const bcf_fmt_t& gt, size_t num_samples, uint64_t* bits);

// The values of a FORMAT field, or null if the record, which is unpacked, has none.
const bcf_fmt_t* FindFormat(const bcf_hdr_t* header, bcf1_t& record, const char* name);

// Decode any record. `gt_field` is the place of GT in FORMAT. Throw InputError (its message names the sample but
// neither file nor record) if a genotype is invalid, has more than two alleles, or an allele beyond `num_alleles`.
void ParseCalls(std::string_view columns, size_t gt_field, const std::vector<std::string>& samples, size_t num_alleles,
                GenotypeCalls& calls);
void DecodeCalls(const bcf_fmt_t& gt, const std::vector<std::string>& samples, size_t num_alleles,
                 GenotypeCalls& calls);

// Throws InputError as the decoders do for an allele beyond `num_alleles`.
void CheckCalls(const GenotypeCalls& calls, const std::vector<std::string>& samples, size_t num_alleles);

// The genotype of a sample as VCF text, for messages.
std::string GenotypeText(const GenotypeCalls& calls, size_t sample, char separator);

// Fill calls.phase_sets of the phased heterozygotes, whose alleles were read before: PS + 1, or 0 where PS is missing.
// The vector stays empty if all are missing. `ps_field` is the place of PS in FORMAT. Throw InputError (its message
// names the sample but neither file nor record) for a PS that is not a whole number from 0; that of other genotypes has
// no meaning.
void ParsePhaseSets(std::string_view columns, size_t ps_field, const std::vector<std::string>& samples,
                    GenotypeCalls& calls);
void DecodePhaseSets(const bcf_fmt_t& ps, const std::vector<std::string>& samples, GenotypeCalls& calls);

// Fill them from PID of GATK, as "1234_A_T", where a record has no PS: the set is the position that it begins with,
// which GATK also writes as PS. PID of another form is ignored.
void ParsePhaseIds(std::string_view columns, size_t pid_field, GenotypeCalls& calls);
void DecodePhaseIds(const bcf_fmt_t& pid, GenotypeCalls& calls);

}  // namespace haplospin
