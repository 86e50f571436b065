#include "genotypes/variant_io/writing/kept_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "genotypes/variant_io/writing/dosage_texts.h"
#include "genotypes/variant_io/writing/rounded_shares.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kMaxGenotypes = size_t{1} << 28;  // of all samples of a record

class KeptLine {
 public:
  KeptLine(std::span<const KeptAlt> alts, const SampleTable& samples, const OutputFields& fields, std::string& out)
      : alts_(alts),
        samples_(samples),
        fields_(alts[0].record.in_panel ? fields : OutputFields()),
        has_numbers_(fields.HasHaplotypeNumbers() && alts[0].values.HasDoubled()),
        has_left_out_(fields_.lds && HasAny([](const KeptAlt& alt) { return !alt.record.left_out.empty(); })),
        has_phase_(fields_.pp && HasAny([](const KeptAlt& alt) { return !alt.record.phase.empty(); })),
        has_depths_(fields_.ad && HasAny([](const KeptAlt& alt) { return !alt.record.depths.empty(); })),
        has_calls_(HasAny([](const KeptAlt& alt) { return !alt.record.calls.empty(); })),
        out_(out) {}

  void AppendPlace(const std::string& contig, bool sets_ids) {
    Marker whole = *alts_[0].record.marker;
    for (const KeptAlt& alt : alts_.subspan(1)) whole.alt += ',' + alt.record.marker->alt;
    fmt::format_to(std::back_inserter(out_), "{}\t{}\t{}\t{}\t{}\t.\t{}\t", contig, whole.position,
                   sets_ids ? MarkerId(contig, whole) : whole.id, whole.ref, whole.alt,
                   alts_[0].record.in_panel ? "PASS" : ".");
  }

  void AppendInfo(bool has_maf, const DescribedInfo& described) {
    AppendNumbers("AF", 6, [](const KeptAlt& alt) { return alt.values.alt_frequency; });
    if (has_maf) AppendNumbers("MAF", 6, [](const KeptAlt& alt) { return alt.values.MinorAlleleFrequency(); });
    AppendNumbers("DR2", 4, [](const KeptAlt& alt) { return alt.values.dr2; });
    AppendNumbers("ER2", 4, [](const KeptAlt& alt) { return alt.values.er2; });
    AppendNumbers("R2P", 4, [](const KeptAlt& alt) { return alt.record.panel_r2; });
    const auto typed = std::ranges::find_if(alts_, [](const KeptAlt& alt) { return !alt.record.IsImputed(); });
    out_ += OriginFlag(typed == alts_.end() ? alts_[0].record : typed->record);
    std::vector<std::string_view> info;
    for (const KeptAlt& alt : alts_) info.emplace_back(alt.record.marker->info);
    const std::string joined = described.Join(info);
    if (!joined.empty()) out_ += ';' + joined;
  }

  void AppendFormat() {
    out_ += "\tGT:DS";
    if (fields_.gp) out_ += ":GP";
    if (fields_.hds) out_ += ":HDS";
    if (fields_.ap) out_ += ":AP1:AP2";
    if (has_left_out_) out_ += ":LDS";
    if (has_phase_) out_ += ":PPH";
    if (has_numbers_) out_ += ":HN";
    if (has_depths_) out_ += ":AD";
  }

  void AppendSample(size_t s) {
    out_ += '\t';
    const bool is_certain = IsCertain(s);
    AppendAllele(First(s), is_certain);
    if (samples_.ploidy(s) == 2) {
      const bool is_unphased =
          HasAny([&](const KeptAlt& alt) { return !alt.record.unphased.empty() && alt.record.unphased[s] != 0; });
      out_ += is_unphased ? '/' : '|';
      AppendAllele(First(s) + 1, is_certain);
    }
    AppendDosages(s);
    if (fields_.gp) AppendPosteriors(s);
    AppendHaplotypes(s);
    if (has_left_out_) AppendLeftOut(s);
    if (has_phase_) {
      out_ += ':';
      const float phase = Phase(s);
      phase == 0 ? out_.push_back('.') : AppendProbability(QuantizeProbability(phase, kProbabilityOne));
    }
    if (has_numbers_) out_ += alts_[0].values.IsDoubled(s) ? ":1" : ":2";
    if (has_depths_) AppendDepths(s);
  }

 private:
  template <typename Condition>
  bool HasAny(const Condition& condition) const {
    return std::ranges::any_of(alts_, condition);
  }

  // Appends ";KEY=" with a number, or ".", for each ALT, if any has one.
  template <typename Number>
  void AppendNumbers(const char* key, int decimals, const Number& number) {
    if (!HasAny([&](const KeptAlt& alt) { return number(alt).has_value(); })) return;
    fmt::format_to(std::back_inserter(out_), "{}=", key);
    AppendAlts([&](const KeptAlt& alt) {
      const auto value = number(alt);
      value ? AppendNumber(*value, decimals, out_) : out_.push_back('.');
    });
    out_ += ';';
  }

  // Appends a list of what `append(alt)` appends.
  template <typename Append>
  void AppendAlts(const Append& append) {
    for (const KeptAlt& alt : alts_) {
      if (&alt != alts_.data()) out_ += ',';
      append(alt);
    }
  }

  void AppendAllele(size_t h, bool is_certain) {
    const std::optional<size_t> called = is_certain ? Called(h) : std::nullopt;
    called ? fmt::format_to(std::back_inserter(out_), "{}", *called) : fmt::format_to(std::back_inserter(out_), ".");
  }

  // Returns the allele of a haplotype: one that is given or called or, where none is, the most probable one.
  std::optional<size_t> Called(size_t h) const {
    size_t best = 0;
    bool is_missing = false;
    for (size_t a = 0; a < alts_.size(); ++a) {
      const OutputGenotypes& values = alts_[a].values;
      is_missing = is_missing || values.allele[h] == kMissingAllele;
      if (values.allele[h] != 1) continue;
      if (best == 0 || values.probability[h] > alts_[best - 1].values.probability[h]) best = a + 1;
    }
    if (best != 0) return best;
    if (is_missing) return std::nullopt;
    if (has_calls_ || !IsKnown(h)) return 0;
    const std::vector<uint32_t> alleles = Alleles(h);
    return std::ranges::max_element(alleles) - alleles.begin();
  }

  // Returns the probabilities of REF and the ALTs.
  std::vector<uint32_t> Alleles(size_t h) const {
    std::vector<uint32_t> alleles{kProbabilityOne};
    for (const KeptAlt& alt : alts_) {
      alleles.push_back(alt.values.probability[h]);
      alleles[0] -= std::min(alleles[0], alleles.back());
    }
    return alleles;
  }

  void AppendProbability(uint16_t p) { p == kNoProbability ? out_.push_back('.') : DosageTexts::Get().Append(p, out_); }

  void AppendDosages(size_t s) {
    out_ += ':';
    AppendAlts([&](const KeptAlt& alt) {
      const std::span<const uint16_t> p(&alt.values.probability[First(s)], End(s) - First(s));
      const bool is_known = std::ranges::find(p, kNoProbability) == p.end();
      is_known ? DosageTexts::Get().Append(p.size() == 2 ? p[0] + p[1] : p[0], out_) : out_.push_back('.');
    });
  }

  void AppendHaplotypes(size_t s) {
    if (fields_.hds) {
      out_ += ':';
      AppendAlts([&](const KeptAlt& alt) {
        AppendProbability(alt.values.probability[First(s)]);
        if (samples_.ploidy(s) == 1) return;
        out_ += ',';
        AppendProbability(alt.values.probability[First(s) + 1]);
      });
    }
    for (size_t h = First(s); fields_.ap && h < First(s) + 2; ++h) {
      out_ += ':';
      if (h < End(s)) {
        AppendAlts([&](const KeptAlt& alt) { AppendProbability(alt.values.probability[h]); });
      } else {
        out_ += '.';
      }
    }
  }

  // Returns the probabilities of all genotypes, or none where one is not known.
  std::vector<uint64_t> Posteriors(size_t s) const {
    if (!IsKnown(First(s)) || !IsKnown(End(s) - 1)) return {};
    const std::vector<uint32_t> first = Alleles(First(s)), second = Alleles(End(s) - 1);
    const bool is_one = samples_.ploidy(s) == 1, is_doubled = alts_[0].values.IsDoubled(s);
    std::vector<uint64_t> weights;
    for (size_t b = 0; b < first.size(); ++b) {
      for (size_t a = is_one ? b : 0; a <= b; ++a) {
        const uint64_t x = uint64_t{first[a]} * second[b], y = uint64_t{first[b]} * second[a];
        weights.push_back(a == b ? is_one || is_doubled ? first[a] : x : is_doubled ? 0 : x + y);
      }
    }
    RoundShares(weights, kProbabilityOne);
    return weights;
  }

  bool IsCertain(size_t s) const {
    if (fields_.min_gp <= 0) return true;
    const std::vector<uint64_t> posteriors = Posteriors(s);
    const double least = std::ceil(fields_.min_gp * kProbabilityOne);
    return posteriors.empty() || static_cast<double>(std::ranges::max(posteriors)) >= least;
  }

  void AppendPosteriors(size_t s) {
    out_ += ':';
    const std::vector<uint64_t> posteriors = Posteriors(s);
    if (posteriors.empty()) out_ += '.';
    for (size_t g = 0; g < posteriors.size(); ++g) {
      if (g != 0) out_ += ',';
      DosageTexts::Get().Append(static_cast<uint32_t>(posteriors[g]), out_);
    }
  }

  void AppendLeftOut(size_t s) {
    out_ += ':';
    AppendAlts([&](const KeptAlt& alt) {
      for (size_t h = First(s); h < End(s); ++h) {
        const bool is_known = !alt.record.left_out.empty() && alt.values.probability[h] != kNoProbability;
        if (h != First(s)) out_ += ',';
        AppendProbability(is_known ? QuantizeProbability(alt.record.left_out[h], kProbabilityOne) : kNoProbability);
      }
    });
  }

  void AppendDepths(size_t s) {
    const auto depth = [s](const KeptAlt& alt) {
      return alt.record.depths.empty() ? AlleleDepth() : alt.record.depths[s];
    };
    uint32_t no_alt = 0;
    for (const KeptAlt& alt : alts_) no_alt = std::max(no_alt, depth(alt).no_alt);
    fmt::format_to(std::back_inserter(out_), ":{},", no_alt);
    AppendAlts([&](const KeptAlt& alt) { fmt::format_to(std::back_inserter(out_), "{}", depth(alt).alt); });
  }

  // The probability of the phase is that of the first ALT at which the sample is a heterozygote.
  float Phase(size_t s) const {
    const auto has_phase = [s](const KeptAlt& alt) { return !alt.record.phase.empty() && alt.record.phase[s] != 0; };
    const auto found = std::ranges::find_if(alts_, has_phase);
    return found == alts_.end() ? 0 : found->record.phase[s];
  }

  bool IsKnown(size_t h) const {
    return !HasAny([h](const KeptAlt& alt) { return alt.values.probability[h] == kNoProbability; });
  }

  size_t First(size_t s) const { return samples_.first_haplotype[s]; }
  size_t End(size_t s) const { return samples_.first_haplotype[s + 1]; }

  const std::span<const KeptAlt> alts_;
  const SampleTable& samples_;
  const OutputFields fields_;
  const bool has_numbers_, has_left_out_, has_phase_, has_depths_, has_calls_;
  std::string& out_;
};

}  // namespace

void AppendKeptLine(const std::string& contig, std::span<const KeptAlt> alts, const SampleTable& samples,
                    const OutputFields& fields, const DescribedInfo& described, std::string& out) {
  KeptLine line(alts, samples, fields, out);
  const size_t genotypes = (alts.size() + 1) * (alts.size() + 2) / 2;
  if (fields.gp && genotypes > kMaxGenotypes / std::max<size_t>(samples.num_samples(), 1)) {
    throw InputError(fmt::format(
        "{}:{}: GP of {} genotypes and {} samples are more than a record holds; leave out GP, or --multiallelic keep",
        contig, alts[0].record.marker->position, genotypes, samples.num_samples()));
  }
  line.AppendPlace(contig, fields.sets_ids);
  line.AppendInfo(fields.sites_only, described);
  if (!fields.sites_only) {
    line.AppendFormat();
    for (size_t s = 0; s < samples.num_samples(); ++s) line.AppendSample(s);
  }
  out += '\n';
}

}  // namespace haplospin
