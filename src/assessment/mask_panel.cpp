#include "assessment/mask_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/log.h"
#include "core/random.h"
#include "genomics/array_sampling.h"
#include "genomics/contig_names.h"
#include "genomics/site_list.h"
#include "haplospin/errors.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/pieces.h"
#include "variant_io/site_list_file.h"
#include "variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

constexpr size_t kNamesShown = 3;

enum Stream : uint64_t { kSamples = 1, kThinning = 2, kFlips = 3 };

// Which panel samples are in the study. In the panel's order.
std::vector<bool> ChooseStudy(const MaskOptions& options, const std::vector<std::string>& names) {
  std::vector<bool> is_study(names.size(), false);
  if (options.study_samples.empty()) {
    if (options.num_study_samples >= names.size()) {
      throw InputError(fmt::format("{}: has {} samples, of which {} cannot be drawn and leave a reference; draw fewer",
                                   options.panel, names.size(), options.num_study_samples));
    }
    std::vector<size_t> order(names.size());
    std::iota(order.begin(), order.end(), size_t{0});
    RandomStream(options.seed, {kSamples}).Shuffle(std::span<size_t>(order));
    for (size_t i = 0; i < options.num_study_samples; ++i) is_study[order[i]] = true;
    return is_study;
  }
  std::vector<std::string> wanted = options.study_samples;
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (size_t s = 0; s < names.size(); ++s) is_study[s] = std::ranges::binary_search(wanted, names[s]);
  std::erase_if(wanted, [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: lacks {} of the study's samples: {}; correct --samples", options.panel,
                                 wanted.size(), JoinNames(wanted, kNamesShown)));
  }
  if (std::ranges::find(is_study, false) == is_study.end()) {
    throw InputError(fmt::format("{}: all {} samples are in the study, and none is left as a reference; list fewer",
                                 options.panel, names.size()));
  }
  return is_study;
}

// Some of a panel's samples: their table, and which of the panel's haplotypes are theirs.
struct Subset {
  SampleTable samples;
  std::vector<uint32_t> haplotypes;

  Subset(const SampleTable& all, const std::vector<bool>& chosen) {
    samples.first_haplotype.push_back(0);
    for (size_t s = 0; s < all.num_samples(); ++s) {
      if (!chosen[s]) continue;
      for (uint32_t h = all.first_haplotype[s]; h < all.first_haplotype[s + 1]; ++h) haplotypes.push_back(h);
      samples.names.push_back(all.names[s]);
      samples.first_haplotype.push_back(static_cast<uint32_t>(haplotypes.size()));
    }
  }

  void CopyAlleles(const std::vector<uint64_t>& bits, std::vector<uint8_t>& alleles) const {
    alleles.resize(haplotypes.size());
    for (size_t i = 0; i < haplotypes.size(); ++i) {
      alleles[i] = static_cast<uint8_t>(bits[haplotypes[i] / 64] >> (haplotypes[i] % 64) & 1);
    }
  }
};

// Calls start(panel) at the beginning of each contig, then visit(panel, m) for each marker m, in the file's order.
template <typename Start, typename Visit>
void ReadPanel(PanelReader& reader, Start start, Visit visit) {
  while (reader.NextContig()) {
    HaplotypePanel panel = reader.StartContig();
    start(panel);
    ForEachMarker(reader, panel, [&](size_t m) { visit(panel, m); });
  }
}

enum class MarkerUse : uint8_t { kDropped, kUntyped, kTyped };

class Masker {
 public:
  explicit Masker(const MaskOptions& options) : options_(options) {}

  // Decides what becomes of each marker.
  void Plan() {
    const auto reader = OpenPanel(options_.panel, options_.threads);
    is_study_ = ChooseStudy(options_, reader->sample_names());
    is_reference_ = is_study_;
    is_reference_.flip();
    header_.contigs = reader->header_contigs();
    header_.lines = options_.header_lines;
    ArraySampling thinning(RandomStream(options_.seed, {kThinning}));
    std::optional<SiteList> sites;
    if (!options_.sites.empty()) sites = LoadSiteList(options_.sites);

    std::vector<uint64_t> bits, reference_mask;
    const auto start = [&](const HaplotypePanel& panel) {
      AddContig(panel.contig());
      const Subset reference(panel.samples(), is_reference_);
      num_reference_haplotypes_ = reference.haplotypes.size();
      reference_mask.assign(panel.words_per_marker(), 0);
      for (const uint32_t h : reference.haplotypes) reference_mask[h / 64] |= uint64_t{1} << h % 64;
      bits.resize(panel.words_per_marker());
      if (sites) WarnOfOtherName(panel.contig(), *sites);
    };
    const auto visit = [&](const HaplotypePanel& panel, size_t m) {
      panel.CopyBits(m, bits.data());
      size_t alt_count = 0;
      for (size_t w = 0; w < bits.size(); ++w)
        alt_count += static_cast<size_t>(std::popcount(bits[w] & reference_mask[w]));
      const bool is_typed = sites && sites->Contains(panel.contig(), panel.marker(m).position);
      uses_.push_back(alt_count == 0 ? MarkerUse::kDropped : is_typed ? MarkerUse::kTyped : MarkerUse::kUntyped);
      thinning.Offer(static_cast<double>(alt_count) / static_cast<double>(num_reference_haplotypes_));
    };
    ReadPanel(*reader, start, visit);
    if (!sites) return Thin(thinning);
    if (Count(MarkerUse::kTyped) == 0) FailNoTyped(*sites);
  }

  MaskCounts Write() {
    const auto reader = OpenPanel(options_.panel, options_.threads);
    const SampleTable all = SampleTable::Diploid(reader->sample_names());  // for the names
    const Subset reference_names(all, is_reference_), study_names(all, is_study_);
    GenotypeWriter reference_file(options_.reference_path, options_.type, header_, reference_names.samples,
                                  options_.threads);
    GenotypeWriter target_file(options_.target_path, options_.type, header_, study_names.samples, options_.threads);
    GenotypeWriter truth_file(options_.truth_path, options_.type, header_, study_names.samples, options_.threads);

    std::optional<Subset> reference, study;
    std::vector<uint64_t> bits;
    std::vector<uint8_t> alleles;
    RandomStream flips(options_.seed, {kFlips});
    size_t next = 0;
    const auto start = [&](const HaplotypePanel& panel) {
      reference.emplace(panel.samples(), is_reference_);
      study.emplace(panel.samples(), is_study_);
      bits.resize(panel.words_per_marker());
    };
    const auto visit = [&](const HaplotypePanel& panel, size_t m) {
      if (next == uses_.size()) FailChanged();
      const MarkerUse use = uses_[next++];
      if (use == MarkerUse::kDropped) return;
      panel.CopyBits(m, bits.data());
      reference->CopyAlleles(bits, alleles);
      reference_file.Write(panel.contig(), panel.marker(m), reference->samples, alleles);
      study->CopyAlleles(bits, alleles);
      truth_file.Write(panel.contig(), panel.marker(m), study->samples, alleles);
      if (use == MarkerUse::kUntyped) return;
      if (options_.flip_rate > 0) {
        for (uint8_t& allele : alleles) allele ^= static_cast<uint8_t>(flips.Bernoulli(options_.flip_rate));
      }
      target_file.Write(panel.contig(), panel.marker(m), study->samples, alleles);
    };
    ReadPanel(*reader, start, visit);
    if (next != uses_.size()) FailChanged();
    for (auto [file, path] :
         {std::pair(&reference_file, &options_.reference_path), std::pair(&target_file, &options_.target_path),
          std::pair(&truth_file, &options_.truth_path)}) {
      file->Finish(CanBeIndexed(*path, options_.type));
    }
    return {.reference_samples = reference_names.samples.num_samples(),
            .study_samples = study_names.samples.num_samples(),
            .markers = uses_.size() - Count(MarkerUse::kDropped),
            .typed = Count(MarkerUse::kTyped)};
  }

 private:
  size_t Count(MarkerUse use) const { return static_cast<size_t>(std::ranges::count(uses_, use)); }

  void AddContig(const std::string& contig) {
    contigs_.push_back(contig);
    header_.AddContig(contig, 0);
  }

  void WarnOfOtherName(const std::string& contig, const SiteList& sites) const {
    for (const std::string& name : sites.contigs()) {
      if (name == contig || !SameContig(name, contig)) continue;
      LogWarning("{}: contig {} is taken to be contig {} of {}", options_.sites, name, contig, options_.panel);
    }
  }

  void Thin(ArraySampling& thinning) {
    const auto markers = static_cast<double>(uses_.size() - Count(MarkerUse::kDropped));
    const auto count = static_cast<size_t>(std::lround(options_.thin < 1 ? options_.thin * markers : options_.thin));
    if (count == 0 || count > thinning.num_polymorphic()) {
      throw InputError(
          fmt::format("{}: cannot draw {} markers of {} that vary among the reference samples; give another "
                      "--thin",
                      options_.panel, count, thinning.num_polymorphic()));
    }
    for (const size_t marker : thinning.Draw(count)) uses_[marker] = MarkerUse::kTyped;
  }

  [[noreturn]] void FailNoTyped(const SiteList& sites) const {
    throw InputError(
        fmt::format("{}: none of its {} sites is in {}: contigs {} against {}; give the array's sites on "
                    "the panel's genome build",
                    options_.sites, sites.size(), options_.panel, JoinNames(sites.contigs()), JoinNames(contigs_)));
  }

  [[noreturn]] void FailChanged() const {
    throw InputError(options_.panel + ": changed while it was read; start again when it is whole");
  }

  const MaskOptions& options_;
  std::vector<bool> is_study_, is_reference_;  // of the panel's samples
  VariantHeader header_;
  std::vector<std::string> contigs_;  // with records
  size_t num_reference_haplotypes_ = 0;
  std::vector<MarkerUse> uses_;  // of the panel's markers
};

}  // namespace

MaskCounts MaskPanel(const MaskOptions& options) {
  if (options.panel == "-") throw InputError("-: the panel is read twice; give a file instead of standard input");
  Masker masker(options);
  masker.Plan();
  return masker.Write();
}

}  // namespace haplospin
