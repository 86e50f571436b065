#include "assessment/study_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "assessment/ambiguous_strand.h"
#include "genomics/allele_relation.h"
#include "genomics/contig_names.h"
#include "genomics/genome_build.h"
#include "genomics/site_list.h"
#include "haplospin/errors.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/pieces.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/site_list_file.h"

namespace haplospin {
namespace {

constexpr int64_t kPiece = int64_t{1} << 20;  // bp read at a time
constexpr int64_t kReach = 200000;            // bp within which neighbours tell a strand
constexpr size_t kMaxNeighbours = 50;         // to each side
constexpr size_t kMaxExamples = 5;
constexpr size_t kMaxOutliers = 20;
constexpr double kOftenMissing = 0.1;
constexpr double kMinDifference = 0.2;
constexpr double kMinStandardErrors = 4;
constexpr double kMinArrayShare = 0.8;  // of the study's sites on an array, and of the array's in the study

// The records of a panel, contig by contig in any order.
class PanelContigs {
 public:
  PanelContigs(const std::string& path, int threads) : path_(path), threads_(threads) {
    Open();
    indexed_ = reader_->Contigs();
  }

  // Moves to the contig; its name in the panel, or nothing if the panel lacks it.
  std::optional<std::string> Find(const std::string& contig) {
    if (!indexed_.empty()) return FindByIndex(contig);
    if (auto name = ReadOnTo(contig)) return name;
    if (!is_begun_) return std::nullopt;
    Open();
    return ReadOnTo(contig);
  }

  PanelReader& reader() { return *reader_; }

 private:
  void Open() {
    reader_ = OpenPanel(path_, threads_);
    is_begun_ = false;
  }

  std::optional<std::string> FindByIndex(const std::string& contig) {
    const auto name = std::ranges::find_if(indexed_, [&](const auto& known) { return SameContig(known, contig); });
    if (name == indexed_.end()) return std::nullopt;
    reader_->Seek({.contig = *name});
    return *name;
  }

  std::optional<std::string> ReadOnTo(const std::string& contig) {
    for (auto name = reader_->NextContig(); name; name = reader_->NextContig()) {
      is_begun_ = true;
      if (SameContig(*name, contig)) return name;
      reader_->SkipContig();
    }
    return std::nullopt;
  }

  std::string path_;
  int threads_;
  std::unique_ptr<PanelReader> reader_;
  std::vector<std::string> indexed_;
  bool is_begun_ = false;  // some contig has been read or passed over
};

struct FrequencySums {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void Add(double a, double b) {
    ++n;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  double Correlation() const {
    const double variance = (n * xx - x * x) * (n * yy - y * y);
    return variance > 1e-12 ? (n * xy - x * y) / std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
  }
};

std::string SiteName(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref, marker.alt);
}

// Haplotypes are that of the letter of the panel's ALT, which is the study's REF where the two are swapped.
StrandSite MakeStrandSite(const HaplotypePanel& panel, size_t p, const std::vector<uint8_t>& alleles, bool exchange) {
  StrandSite site{.position = panel.marker(p).position, .panel_haplotypes = panel.num_haplotypes()};
  site.panel.resize(panel.words_per_marker());
  panel.CopyBits(p, site.panel.data());
  site.study.resize((alleles.size() + 63) / 64);
  site.known.resize(site.study.size());
  const uint8_t alt = exchange ? 0 : 1;
  for (size_t h = 0; h < alleles.size(); ++h) {
    site.study[h / 64] |= uint64_t{alleles[h] == alt} << h % 64;
    site.known[h / 64] |= uint64_t{alleles[h] != kMissingAllele} << h % 64;
  }
  return site;
}

class Checker {
 public:
  explicit Checker(const StudyCheckOptions& options)
      : options_(options), study_(options.study, options.threads), panel_(options.panel, options.threads) {
    check_.panel_path = options.panel;
    check_.study_path = options.study;
    check_.panel_samples = panel_.reader().sample_names().size();
    check_.panel_build = BuildOfContigs(panel_.reader().header_contigs());
    check_.study_build = BuildOfContigs(study_.header_contigs());
    for (const std::string& name : study_.sample_names()) check_.samples.push_back({.name = name});
    for (const std::string& path : options.arrays) {
      lists_.push_back(LoadSiteList(path));
      check_.arrays.push_back({.path = path, .sites = lists_.back().size()});
    }
  }

  StudyCheck Run() {
    if (!study_.NextContig()) throw InputError(options_.study + ": no record; give typed genotypes");
    while (study_.NextContig()) CheckContig();
    for (const SiteFit fit : check_.site_fits) ++check_.fits[static_cast<size_t>(fit)];
    check_.sites = check_.site_fits.size();
    check_.panel_contigs = panel_.reader().Contigs();
    check_.frequencies.correlation = sums_.Correlation();
    IdentifyArray();
    return std::move(check_);
  }

 private:
  // A site at which panel and study have the same two letters, until no further neighbour can come.
  struct Joined {
    StrandSite site;
    size_t index;  // into site_fits
    Marker study, panel;
    bool is_swapped;    // by its letters
    bool is_ambiguous;  // and not yet decided
    bool is_multiallelic;
  };

  void CheckContig() {
    StudyGenotypes study = study_.StartContig();
    NotePloidy(study.samples);
    contig_ = &check_.contigs.emplace_back();
    contig_->name = study.contig;
    contig_->panel_name = panel_.Find(study.contig).value_or("");
    CheckNames();
    std::optional<HaplotypePanel> panel;
    if (!contig_->panel_name.empty()) panel.emplace(panel_.reader().StartContig());
    panel_positions_.clear();
    missing_.assign(study.samples.num_haplotypes(), 0);
    panel_end_ = 0;
    ForEachPiece(study_, study, kPiece, [&](int64_t end, bool is_last) {
      if (panel) ReadPanel(end, *panel);
      NoteSites(study);
      JoinPiece(study, panel ? &*panel : nullptr);
      Decide(is_last ? INT64_MAX : end);
      DropMarkers(study);
    });
    joined_.clear();
    FinishContig(study.samples);
  }

  // Leaves the piece that ends at `end` in `panel`; of those before it only the positions are noted.
  void ReadPanel(int64_t end, HaplotypePanel& panel) {
    for (bool has_more = true; has_more && panel_end_ < end;) {
      DropMarkers(panel);
      panel_end_ = std::min(panel_end_ + kPiece, end);
      has_more = panel_.reader().ReadUntil(panel_end_, panel);
      NotePanelPositions(panel);
    }
  }

  void CheckNames() const {
    if (contig_->panel_name.empty()) return;
    for (const ContigCheck& other : check_.contigs) {
      if (&other == contig_ || other.panel_name != contig_->panel_name) continue;
      throw InputError(
          fmt::format("{}: contigs {} and {} are both contig {} of {}; give them one name (bcftools "
                      "annotate --rename-chrs) and sort the file",
                      options_.study, other.name, contig_->name, contig_->panel_name, options_.panel));
    }
  }

  void NotePloidy(const SampleTable& samples) {
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      (samples.ploidy(s) == 1 ? check_.samples[s].is_haploid : check_.samples[s].is_diploid) = true;
    }
  }

  void NotePanelPositions(const HaplotypePanel& panel) {
    for (size_t p = 0; p < panel.num_markers(); ++p) {
      const int64_t position = panel.marker(p).position;
      if (panel_positions_.empty() || panel_positions_.back() != position) panel_positions_.push_back(position);
    }
  }

  void NoteSites(const StudyGenotypes& study) {
    if (contig_->sites == 0 && !study.markers.empty()) contig_->first = study.markers.front().position;
    contig_->sites += study.markers.size();
    if (!study.markers.empty()) contig_->last = study.markers.back().position;
    for (const std::vector<uint8_t>& alleles : study.alleles) {
      const auto num_missing = std::ranges::count(alleles, kMissingAllele);
      if (num_missing == 0) continue;
      if (static_cast<double>(num_missing) > kOftenMissing * static_cast<double>(alleles.size())) {
        ++check_.sites_often_missing;
      }
      for (size_t h = 0; h < alleles.size(); ++h) missing_[h] += alleles[h] == kMissingAllele;
    }
    for (size_t a = 0; a < lists_.size(); ++a) {
      for (const Marker& marker : study.markers) {
        check_.arrays[a].shared += lists_[a].Contains(study.contig, marker.position);
      }
    }
  }

  void JoinPiece(const StudyGenotypes& study, const HaplotypePanel* panel) {
    size_t p = 0;
    for (size_t begin = 0, end; begin < study.markers.size(); begin = end) {
      const int64_t position = study.markers[begin].position;
      for (end = begin; end < study.markers.size() && study.markers[end].position == position;) ++end;
      std::vector<size_t> candidates;
      if (panel != nullptr) {
        while (p < panel->num_markers() && panel->marker(p).position < position) ++p;
        for (; p < panel->num_markers() && panel->marker(p).position == position; ++p) candidates.push_back(p);
      }
      std::vector<size_t> used;  // panel markers that a study marker of this position is
      for (size_t s = begin; s < end; ++s) JoinSite(study, begin, end, s, panel, candidates, used);
      if (!candidates.empty()) contig_->same_position += end - begin;
    }
  }

  void JoinSite(const StudyGenotypes& study, size_t begin, size_t end, size_t s, const HaplotypePanel* panel,
                const std::vector<size_t>& candidates, std::vector<size_t>& used) {
    const Marker& marker = study.markers[s];
    for (size_t earlier = begin; earlier < s; ++earlier) {
      if (RelateAlleles(marker, study.markers[earlier]) == AlleleRelation::kSame) {
        return Add(SiteFit::kDuplicate, marker, nullptr);
      }
    }
    if (candidates.empty()) return Add(SiteFit::kNotInPanel, marker, nullptr);
    if (marker.alt == ".") return Add(SiteFit::kNoAlt, marker, &panel->marker(candidates.front()));
    AlleleRelation relation = AlleleRelation::kOther;
    size_t p = candidates.front();
    for (const size_t candidate : candidates) {
      const AlleleRelation other = RelateAlleles(marker, panel->marker(candidate));
      if (other >= relation) continue;
      relation = other;
      p = candidate;
    }
    const bool is_multiallelic =
        std::any_of(study.markers.begin() + static_cast<std::ptrdiff_t>(begin),
                    study.markers.begin() + static_cast<std::ptrdiff_t>(end),
                    [&](const Marker& other) { return other.ref == marker.ref && other.alt != marker.alt; });
    const SiteFit fit = FitOf(relation, marker, is_multiallelic);
    if (fit == SiteFit::kOtherAlleles) return Add(fit, marker, &panel->marker(p));
    if (std::ranges::find(used, p) != used.end()) return Add(SiteFit::kDuplicate, marker, &panel->marker(p));
    used.push_back(p);
    const bool exchange = fit == SiteFit::kSwapped || fit == SiteFit::kFlippedAndSwapped;
    Joined joined{.site = MakeStrandSite(*panel, p, study.alleles[s], exchange),
                  .index = check_.site_fits.size(),
                  .study = marker,
                  .panel = panel->marker(p),
                  .is_swapped = exchange,
                  .is_ambiguous = IsStrandAmbiguous(marker),
                  .is_multiallelic = is_multiallelic};
    if (joined.is_ambiguous) {
      ++check_.ambiguous;
      check_.site_fits.push_back(SiteFit::kUndecided);
    } else {
      Add(fit, marker, &joined.panel);
      CompareFrequencies(joined, false);
    }
    joined_.push_back(std::move(joined));
  }

  // A record with several ALTs was split: its 0 may be another ALT, so it cannot be exchanged with an ALT.
  static SiteFit FitOf(AlleleRelation relation, const Marker& marker, bool is_multiallelic) {
    switch (relation) {
      case AlleleRelation::kSame:
        return SiteFit::kSame;
      case AlleleRelation::kSwapped:
        return is_multiallelic ? SiteFit::kOtherAlleles : SiteFit::kSwapped;
      case AlleleRelation::kFlipped:
        return IsSnv(marker) ? SiteFit::kFlipped : SiteFit::kOtherAlleles;
      case AlleleRelation::kFlippedAndSwapped:
        return IsSnv(marker) && !is_multiallelic ? SiteFit::kFlippedAndSwapped : SiteFit::kOtherAlleles;
      case AlleleRelation::kOther:
        break;
    }
    return SiteFit::kOtherAlleles;
  }

  void Add(SiteFit fit, const Marker& study, const Marker* panel) {
    check_.site_fits.push_back(fit);
    AddExample(fit, study, panel);
  }

  void AddExample(SiteFit fit, const Marker& study, const Marker* panel) {
    std::vector<std::string>& examples = check_.examples[static_cast<size_t>(fit)];
    if (fit == SiteFit::kSame || examples.size() == kMaxExamples) return;
    examples.push_back(SiteName(contig_->name, study) +
                       (panel == nullptr ? "" : fmt::format(", panel has {}>{}", panel->ref, panel->alt)));
  }

  // Of the ambiguous sites whose neighbours have all been read, up to `position`.
  void Decide(int64_t position) {
    for (size_t i = 0; i < joined_.size(); ++i) {
      if (joined_[i].is_ambiguous && joined_[i].site.position <= position - kReach) DecideSite(i);
    }
    const auto waiting = std::ranges::find_if(
        joined_, [&](const Joined& joined) { return joined.is_ambiguous && !IsDecided(joined.index); });
    const int64_t oldest = std::min(waiting == joined_.end() ? position : waiting->site.position, position) - kReach;
    while (!joined_.empty() && joined_.front().site.position < oldest) joined_.pop_front();
  }

  bool IsDecided(size_t index) const { return index < num_decided_; }

  void DecideSite(size_t i) {
    Joined& joined = joined_[i];
    if (IsDecided(joined.index)) return;
    num_decided_ = joined.index + 1;
    Strand strand = Strand::kUndecided;
    if (check_.samples.size() >= kMinSamplesForStrand) {
      strand = FindStrand(joined.site, Neighbours(i));
    }
    SiteFit fit = SiteFit::kUndecided;
    if (strand == Strand::kSame) fit = joined.is_swapped ? SiteFit::kSwapped : SiteFit::kSame;
    if (strand == Strand::kOther) fit = joined.is_swapped ? SiteFit::kFlipped : SiteFit::kFlippedAndSwapped;
    if (fit == SiteFit::kFlippedAndSwapped && joined.is_multiallelic) fit = SiteFit::kUndecided;
    if (fit != SiteFit::kUndecided) {
      ++(strand == Strand::kSame ? check_.ambiguous_same_strand : check_.ambiguous_other_strand);
      CompareFrequencies(joined, strand == Strand::kOther);
    }
    check_.site_fits[joined.index] = fit;
    AddExample(fit, joined.study, &joined.panel);
  }

  // The nearest sites of known strand, to both sides.
  std::vector<const StrandSite*> Neighbours(size_t i) const {
    std::vector<const StrandSite*> neighbours;
    const int64_t position = joined_[i].site.position;
    const auto add = [&](const Joined& other, size_t most) {
      if (std::abs(other.site.position - position) > kReach || neighbours.size() == most) return false;
      if (!other.is_ambiguous) neighbours.push_back(&other.site);
      return true;
    };
    for (size_t before = i; before > 0 && add(joined_[before - 1], kMaxNeighbours);) --before;
    const size_t most = neighbours.size() + kMaxNeighbours;
    for (size_t after = i + 1; after < joined_.size() && add(joined_[after], most);) ++after;
    return neighbours;
  }

  void CompareFrequencies(const Joined& joined, bool is_other_strand) {
    double known = 0, study_count = 0, panel_count = 0;
    for (size_t w = 0; w < joined.site.known.size(); ++w) {
      known += std::popcount(joined.site.known[w]);
      study_count += std::popcount(joined.site.study[w]);
    }
    for (const uint64_t word : joined.site.panel) panel_count += std::popcount(word);
    if (known == 0) return;
    const auto haplotypes = static_cast<double>(joined.site.panel_haplotypes);
    const double panel = panel_count / haplotypes;
    const double study = is_other_strand ? 1 - study_count / known : study_count / known;
    FrequencyComparison& frequencies = check_.frequencies;
    ++frequencies.sites;
    sums_.Add(study, panel);
    const auto bin = [](double frequency) {
      return std::min(static_cast<size_t>(frequency * FrequencyComparison::kBins), FrequencyComparison::kBins - 1);
    };
    ++frequencies.histogram[bin(panel)][bin(study)];
    const double pooled = (study * known + panel * haplotypes) / (known + haplotypes);
    const double standard_error = std::sqrt(pooled * (1 - pooled) * (1 / known + 1 / haplotypes));
    const double difference = std::abs(study - panel);
    if (difference <= kMinDifference || difference <= kMinStandardErrors * standard_error) return;
    ++frequencies.num_outliers;
    AddOutlier({SiteName(contig_->name, joined.panel), study, panel});
  }

  // Keeps the largest differences, in descending order.
  void AddOutlier(FrequencyOutlier outlier) {
    const auto difference = [](const FrequencyOutlier& o) { return -std::abs(o.study - o.panel); };
    std::vector<FrequencyOutlier>& outliers = check_.frequencies.outliers;
    outliers.insert(std::ranges::upper_bound(outliers, difference(outlier), {}, difference), std::move(outlier));
    if (outliers.size() > kMaxOutliers) outliers.pop_back();
  }

  void FinishContig(const SampleTable& samples) {
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      for (uint32_t h = samples.first_haplotype[s]; h < samples.first_haplotype[s + 1]; ++h) {
        check_.samples[s].alleles += contig_->sites;
        check_.samples[s].missing += missing_[h];
      }
    }
    contig_->panel_sites = static_cast<size_t>(std::ranges::upper_bound(panel_positions_, contig_->last) -
                                               std::ranges::lower_bound(panel_positions_, contig_->first));
    for (size_t a = 0; a < lists_.size(); ++a) {
      check_.arrays[a].sites_there += lists_[a].CountBetween(contig_->name, contig_->first, contig_->last);
    }
  }

  // The list that shares the largest part of all sites of list and study, if it is most of both.
  void IdentifyArray() {
    double best = 0;
    for (size_t a = 0; a < check_.arrays.size(); ++a) {
      const auto shared = static_cast<double>(check_.arrays[a].shared);
      const auto there = static_cast<double>(check_.arrays[a].sites_there);
      const auto sites = static_cast<double>(check_.sites);
      if (shared < kMinArrayShare * sites || shared < kMinArrayShare * there) continue;
      const double overlap = shared / (sites + there - shared);
      if (overlap <= best) continue;
      best = overlap;
      check_.identified_array = static_cast<int>(a);
    }
  }

  const StudyCheckOptions& options_;
  StudyReader study_;
  PanelContigs panel_;
  std::vector<SiteList> lists_;
  StudyCheck check_;
  FrequencySums sums_;
  ContigCheck* contig_ = nullptr;         // the present one
  std::vector<int64_t> panel_positions_;  // of the present contig, without repeats
  int64_t panel_end_ = 0;                 // up to which the panel's contig has been read
  std::vector<size_t> missing_;           // of the present contig, by haplotype
  std::deque<Joined> joined_;
  size_t num_decided_ = 0;  // ambiguous sites before this index into site_fits are decided
};

}  // namespace

StudyCheck CheckStudy(const StudyCheckOptions& options) {
  if (options.panel == "-") throw InputError("-: the panel may be read twice; give a file instead of standard input");
  return Checker(options).Run();
}

}  // namespace haplospin
