#include "genotypes/variant_io/reading/pseudo_haploid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "genotypes/variant_io/reading/autosomes.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

// Homozygotes of either allele. One person may be without heterozygotes in a part of a chromosome, whose parents are
// relatives; many people are not.
constexpr size_t kMinHomozygotes = 1000, kMinHomozygotesOfMany = 100;
constexpr size_t kMaxHomozygotes = 100000;

constexpr size_t kPanelMarkers = 2000;
constexpr double kMinHeterozygous = 0.2;  // share of the heterozygotes that random pairs of haplotypes have

// How a sample without a heterozygote is told among others. Only children of relatives have longer stretches without
// any; over a shorter stretch, many samples must be so.
constexpr double kMinExpected = 50;
constexpr int64_t kMinSpan = 20'000'000;  // bp
constexpr double kMinShareOfShort = 0.05;
constexpr size_t kMaxGenotypes = 50'000'000;

constexpr uint8_t kUnknownCopies = 3;

class GenotypeCounts {
 public:
  explicit GenotypeCounts(size_t num_samples) : expected_(num_samples), is_heterozygous_(num_samples) {}

  void Add(const StudyGenotypes& study) {
    if (study.markers.empty()) return;
    if (study.contig != contig_) last_position_ = study.markers.front().marker.position;
    contig_ = study.contig;
    span_ += study.markers.back().marker.position - last_position_;
    last_position_ = study.markers.back().marker.position;
    for (const StudyMarker& marker : study.markers) Add(study.samples, marker.genotypes.alleles);
  }

  bool HasHeterozygotes() const { return heterozygous_ > 0; }
  size_t FewerHomozygotes() const { return std::min(ref_, alt_); }

  bool IsDone() const {
    if (!HasHeterozygotes()) return FewerHomozygotes() >= kMaxHomozygotes;
    if (num_genotypes_ >= kMaxGenotypes || num_without_ == 0) return true;
    if (span_ < kMinSpan) return false;
    for (size_t s = 0; s < expected_.size(); ++s) {
      if (!is_heterozygous_[s] && expected_[s] < kMinExpected) return false;
    }
    return true;
  }

  // The samples without a heterozygote. Nothing if it may be by chance.
  std::vector<size_t> Homozygotes(bool is_whole_file) const {
    std::vector<size_t> found;
    for (size_t s = 0; s < expected_.size(); ++s) {
      if (!is_heterozygous_[s] && expected_[s] >= kMinExpected) found.push_back(s);
    }
    const bool are_many = static_cast<double>(found.size()) >= kMinShareOfShort * static_cast<double>(expected_.size());
    if (span_ < kMinSpan && !(is_whole_file && are_many)) found.clear();
    return found;
  }

 private:
  void Add(const SampleTable& samples, const std::vector<uint8_t>& alleles) {
    size_t called = 0, with_alt = 0;
    copies_.assign(samples.num_samples(), kUnknownCopies);
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      if (samples.ploidy(s) != 2) continue;
      const size_t h = samples.first_haplotype[s];
      if (alleles[h] == kMissingAllele || alleles[h + 1] == kMissingAllele) continue;
      copies_[s] = static_cast<uint8_t>(alleles[h] + alleles[h + 1]);
      ++called;
      with_alt += copies_[s];
    }
    num_genotypes_ += samples.num_samples();
    const double alt = called == 0 ? 0 : static_cast<double>(with_alt) / static_cast<double>(2 * called);
    for (size_t s = 0; s < copies_.size(); ++s) {
      if (copies_[s] != kUnknownCopies) Add(s, copies_[s], 2 * alt * (1 - alt));
    }
  }

  void Add(size_t sample, uint8_t copies, double expected) {
    ++(copies == 1 ? heterozygous_ : copies == 2 ? alt_ : ref_);
    expected_[sample] += expected;
    if (copies != 1 || is_heterozygous_[sample]) return;
    is_heterozygous_[sample] = true;
    --num_without_;
  }

  size_t ref_ = 0, alt_ = 0, heterozygous_ = 0, num_genotypes_ = 0;
  std::string contig_;
  int64_t last_position_ = 0, span_ = 0;  // bp
  std::vector<double> expected_;          // [samples] heterozygotes, by the frequencies of the study
  std::vector<bool> is_heterozygous_;     // [samples] anywhere
  size_t num_without_ = expected_.size();
  std::vector<uint8_t> copies_;  // [samples] of ALT, of one marker
};

// Returns whether people of the panel are about as often heterozygous as the frequencies of its alleles let expect.
bool HasHeterozygotes(const std::string& path, const std::vector<std::string>& samples) {
  const auto reader = OpenPanel(path, samples);
  if (!reader->NextContig()) return false;
  MutablePanel panel = reader->StartContig();
  for (bool has_more = true; has_more && panel.num_markers() < kPanelMarkers;) {
    has_more = reader->ReadUntil(*reader->NextPosition(), panel);
  }
  double heterozygous = 0, expected = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    const double alt = static_cast<double>(panel.alt_count(m)) / static_cast<double>(panel.num_haplotypes());
    for (size_t s = 0; s < panel.samples().num_samples(); ++s) {
      if (panel.samples().ploidy(s) != 2) continue;
      const size_t h = panel.samples().first_haplotype[s];
      heterozygous += panel.allele(m, h) != panel.allele(m, h + 1) ? 1 : 0;
      expected += 2 * alt * (1 - alt);
    }
  }
  return heterozygous > kMinHeterozygous * expected;
}

}  // namespace

PseudoHaploids FindPseudoHaploids(const std::string& study, const StudyOptions& options,
                                  const std::optional<PloidyRegions>& regions, const std::string& panel,
                                  const std::vector<std::string>& panel_samples) {
  PseudoHaploids found;
  if (!CanBeReadTwice(study) || !CanBeReadTwice(panel)) return found;
  StudyReader reader(study, options);
  if (regions) reader.DivideContigs(*regions);
  const std::vector<std::string>& names = reader.sample_names();
  GenotypeCounts counts(names.size());
  const bool is_whole_file = ReadAutosomes(reader, [&](const StudyGenotypes& piece) {
    counts.Add(piece);
    return !counts.IsDone();
  });
  if (counts.HasHeterozygotes()) {
    for (const size_t s : counts.Homozygotes(is_whole_file)) found.samples.push_back(names[s]);
  } else {
    found.is_whole_study = counts.FewerHomozygotes() >= std::max(kMinHomozygotesOfMany, kMinHomozygotes / names.size());
  }
  if (!found.is_whole_study && found.samples.empty()) return found;
  return HasHeterozygotes(panel, panel_samples) ? found : PseudoHaploids();
}

}  // namespace haplospin
