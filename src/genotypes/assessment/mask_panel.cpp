#include "genotypes/assessment/mask_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "core/random.h"
#include "genotypes/genomics/array_sampling.h"
#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/sample_subset.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/site_list.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/site_list_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/writing/genotype_writer.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Keys of the random streams, so that each choice is the same whatever the others are.
struct MaskStream {
  enum Key : uint64_t { kSamples = 1, kThinning = 2, kFlips = 3 };
};

// Indices into the panel's samples, ascending.
struct MaskSamples {
  std::vector<uint32_t> study, reference;
};

// Entry s is true if sample s is in the study.
std::vector<bool> DrawStudy(const MaskOptions& options, size_t num_samples) {
  if (options.num_study_samples >= num_samples) {
    throw InputError(fmt::format("{}: has {}; if {} of them are drawn, no reference is left; draw fewer", options.panel,
                                 Counted(num_samples, "sample"), options.num_study_samples));
  }
  RandomStream random(options.seed, {MaskStream::kSamples});
  const auto order = RandomOrder<size_t>(num_samples, random);
  std::vector<bool> is_study(num_samples, false);
  for (size_t i = 0; i < options.num_study_samples; ++i) is_study[order[i]] = true;
  return is_study;
}

std::vector<bool> FindStudy(const MaskOptions& options, const std::vector<std::string>& names) {
  std::vector<std::string> wanted = options.study_samples;
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<bool> is_study(names.size(), false);
  for (size_t s = 0; s < names.size(); ++s) is_study[s] = std::ranges::binary_search(wanted, names[s]);
  std::erase_if(wanted, [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: {} of the study's samples are not in the panel: {}; correct --samples",
                                 options.panel, wanted.size(), JoinNames(wanted, kSamplesShown)));
  }
  if (std::ranges::find(is_study, false) == is_study.end()) {
    throw InputError(fmt::format("{}: all {} samples are in the study, so that no reference is left; list fewer",
                                 options.panel, names.size()));
  }
  return is_study;
}

// `names` are those of the panel. Throws InputError if the study's samples are not all among them, or none is left.
MaskSamples ChooseSamples(const MaskOptions& options, const std::vector<std::string>& names) {
  const std::vector<bool> is_study =
      options.study_samples.empty() ? DrawStudy(options, names.size()) : FindStudy(options, names);
  MaskSamples samples;
  for (size_t s = 0; s < names.size(); ++s) {
    (is_study[s] ? samples.study : samples.reference).push_back(static_cast<uint32_t>(s));
  }
  return samples;
}

// The use of a marker of the panel in the benchmark.
enum class MarkerUse : uint8_t { kDropped, kUntyped, kTyped };

void CopyAlleles(const SampleSubset& subset, std::span<const uint64_t> panel_bits, std::vector<uint8_t>& alleles) {
  alleles.resize(subset.num_haplotypes());
  for (size_t h = 0; h < alleles.size(); ++h) alleles[h] = subset.Allele(panel_bits, h);
}

// Calls start(panel) at the beginning of each contig, and where its ploidy may change, then visit(panel, m) for each
// marker m, in the file's order.
template <typename Start, typename Visit>
void ReadPanel(PanelReader& reader, Start start, Visit visit) {
  while (reader.NextContig()) {
    MutablePanel panel = reader.StartContig();
    start(panel);
    ForEachMarker(reader, panel, [&](size_t m) { visit(panel, m); });
  }
}

class Masker {
 public:
  explicit Masker(const MaskOptions& options) : options_(options) {}

  // Chooses the samples and the use of each marker.
  void Plan() {
    const auto reader = Open();
    samples_ = ChooseSamples(options_, reader->sample_names());
    header_.contigs = reader->header_contigs();
    header_.described = reader->described();
    header_.lines = options_.header_lines;
    ArraySampling thinning;
    RandomStream random(options_.seed, {MaskStream::kThinning});
    std::optional<SiteList> sites;
    if (!options_.sites.empty()) sites = LoadSiteList(options_.sites);

    std::vector<uint64_t> bits, reference_mask;
    const auto start = [&](const HaplotypePanel& panel) {
      const bool is_new = contigs_.empty() || contigs_.back() != panel.contig();
      if (is_new) contigs_.push_back(panel.contig());
      const SampleSubset reference(panel.samples(), samples_.reference);
      num_reference_haplotypes_ = reference.num_haplotypes();
      reference_mask.assign(panel.words_per_marker(), 0);
      for (const uint32_t h : reference.haplotypes()) SetBit(reference_mask, h);
      bits.resize(panel.words_per_marker());
      if (is_new && sites) WarnOfOtherName(panel.contig(), *sites);
    };
    const auto visit = [&](const HaplotypePanel& panel, size_t m) {
      panel.CopyBits(m, bits.data());
      size_t alt_count = 0;
      for (size_t w = 0; w < bits.size(); ++w)
        alt_count += static_cast<size_t>(std::popcount(bits[w] & reference_mask[w]));
      const bool is_typed = sites && sites->Contains(panel.contig(), panel.marker(m).position);
      uses_.push_back(alt_count == 0 ? MarkerUse::kDropped : is_typed ? MarkerUse::kTyped : MarkerUse::kUntyped);
      thinning.Offer(static_cast<double>(alt_count) / static_cast<double>(num_reference_haplotypes_), random);
    };
    ReadPanel(*reader, start, visit);
    ContigTable with_records;
    with_records.reserve(contigs_.size());
    for (const std::string& contig : contigs_) with_records.emplace_back(contig, 0);
    header_.AddContigs(with_records);
    if (!sites) return Thin(thinning);
    if (Count(MarkerUse::kTyped) == 0) FailNoTyped(*sites);
  }

  MaskCounts Write() {
    const auto reader = Open();
    const SampleTable all = SampleTable::Diploid(reader->sample_names());  // gives the names
    const SampleSubset reference_names(all, samples_.reference), study_names(all, samples_.study);
    GenotypeWriter reference_file(options_.reference_path, options_.type, header_, reference_names.samples());
    GenotypeWriter target_file(options_.target_path, options_.type, header_, study_names.samples());
    GenotypeWriter truth_file(options_.truth_path, options_.type, header_, study_names.samples());

    std::optional<SampleSubset> reference, study;
    std::vector<uint64_t> bits;
    std::vector<uint8_t> alleles;
    RandomStream flips(options_.seed, {MaskStream::kFlips});
    size_t next = 0;
    const auto start = [&](const HaplotypePanel& panel) {
      reference.emplace(panel.samples(), samples_.reference);
      study.emplace(panel.samples(), samples_.study);
      bits.resize(panel.words_per_marker());
    };
    const auto visit = [&](const HaplotypePanel& panel, size_t m) {
      if (next == uses_.size()) FailChanged();
      const MarkerUse use = uses_[next++];
      if (use == MarkerUse::kDropped) return;
      panel.CopyBits(m, bits.data());
      CopyAlleles(*reference, bits, alleles);
      reference_file.Write(panel.contig(), panel.marker(m), reference->samples(), alleles);
      CopyAlleles(*study, bits, alleles);
      truth_file.Write(panel.contig(), panel.marker(m), study->samples(), alleles);
      if (use == MarkerUse::kUntyped) return;
      if (options_.flip_rate > 0) {
        for (uint8_t& allele : alleles) allele ^= static_cast<uint8_t>(flips.Bernoulli(options_.flip_rate));
      }
      target_file.Write(panel.contig(), panel.marker(m), study->samples(), alleles);
    };
    ReadPanel(*reader, start, visit);
    if (next != uses_.size()) FailChanged();
    // One of the three without the others would be of no use, and perhaps be taken for that of an earlier run.
    const std::array files{std::pair(&reference_file, &options_.reference_path),
                           std::pair(&target_file, &options_.target_path),
                           std::pair(&truth_file, &options_.truth_path)};
    for (const auto& [file, path] : files) file->Complete(IndexIfPossible(*path, options_.type));
    for (const auto& [file, path] : files) file->Commit();
    return {.reference_samples = reference_names.samples().num_samples(),
            .study_samples = study_names.samples().num_samples(),
            .markers = uses_.size() - Count(MarkerUse::kDropped),
            .typed = Count(MarkerUse::kTyped),
            .left_out = Count(MarkerUse::kDropped)};
  }

 private:
  std::unique_ptr<PanelReader> Open() const {
    auto reader = OpenPanel(options_.panel);
    reader->DivideContigs(options_.regions ? *options_.regions
                                           : PloidyRegions::ForBuild(DeclaredBuild(reader->header_contigs())));
    return reader;
  }

  size_t Count(MarkerUse use) const { return static_cast<size_t>(std::ranges::count(uses_, use)); }

  void WarnOfOtherName(const std::string& contig, const SiteList& sites) const {
    for (const std::string& name : sites.contigs()) {
      if (name == contig || !SameContig(name, contig)) continue;
      LogWarning("{}: contig {} is treated as contig {} of {}", options_.sites, name, contig, options_.panel);
    }
  }

  void Thin(ArraySampling& thinning) {
    const auto markers = static_cast<double>(uses_.size() - Count(MarkerUse::kDropped));
    size_t count = options_.thin_count;
    if (count == 0) count = static_cast<size_t>(std::lround(options_.thin_share * markers));
    // Markers that do not vary cannot be drawn, so that all are those that do.
    if (options_.thin_count == 0 && options_.thin_share == 1) count = thinning.num_polymorphic();
    if (count == 0 || count > thinning.num_polymorphic()) {
      throw InputError(
          fmt::format("{}: cannot draw {} of {} that vary among the reference samples; give another "
                      "--thin",
                      options_.panel, Counted(count, "marker"), thinning.num_polymorphic()));
    }
    for (const size_t marker : thinning.Draw(count)) uses_[marker] = MarkerUse::kTyped;
  }

  [[noreturn]] void FailNoTyped(const SiteList& sites) const {
    throw InputError(
        fmt::format("{}: has {}, but none in {}: contigs {} against {}; give the array's sites on "
                    "the panel's genome build",
                    options_.sites, Counted(sites.size(), "site"), options_.panel, JoinNames(sites.contigs()),
                    JoinNames(contigs_)));
  }

  [[noreturn]] void FailChanged() const {
    throw InputError(options_.panel + ": changed while it was read; run again when the file is complete");
  }

  const MaskOptions& options_;
  MaskSamples samples_;
  VariantHeader header_;
  std::vector<std::string> contigs_;  // contigs with records
  size_t num_reference_haplotypes_ = 0;
  std::vector<MarkerUse> uses_;  // [markers of the panel]
};

}  // namespace

MaskCounts MaskPanel(const MaskOptions& options) {
  CheckReadableTwice(options.panel);
  Masker masker(options);
  masker.Plan();
  return masker.Write();
}

}  // namespace haplospin
