#include "genotypes/assessment/checking/study_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/counted.h"
#include "genotypes/assessment/checking/checked_sites.h"
#include "genotypes/assessment/checking/site_classifier.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/site_list.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/reading/study_regions.h"
#include "genotypes/variant_io/site_list_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kPiece = int64_t{1} << 20;  // bp read at a time

// The minimum fraction of the study's sites that are on the array, and of the array's sites that are in the study.
constexpr double kMinShare = 0.8;

// Counts the sites that lists of arrays' sites share with a study.
class ArrayOverlaps {
 public:
  // `paths` are files for LoadSiteList().
  explicit ArrayOverlaps(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      lists_.push_back(LoadSiteList(path));
      overlaps_.push_back({.path = path, .sites = lists_.back().size()});
    }
  }

  // Adds sites that are sorted by position; markers of one position count once.
  void AddSites(const std::string& contig, std::span<const StudyMarker> markers) {
    const auto position = [&](size_t m) { return markers[m].marker.position; };
    for (size_t a = 0; a < lists_.size(); ++a) {
      for (size_t m = 0; m < markers.size(); ++m) {
        const bool is_repeated = m > 0 && position(m) == position(m - 1);
        overlaps_[a].shared += !is_repeated && lists_[a].Contains(contig, position(m));
      }
    }
  }

  // `first` and `last` are the positions of the first and the last study site of the contig.
  void FinishContig(const std::string& contig, int64_t first, int64_t last) {
    for (size_t a = 0; a < lists_.size(); ++a) overlaps_[a].sites_there += lists_[a].CountBetween(contig, first, last);
  }

  const std::vector<ArrayOverlap>& overlaps() const { return overlaps_; }

  // Returns the index of the array with the largest overlap with the study, if most of the sites of both are shared,
  // and -1 otherwise.
  int Identify(size_t study_sites) const {
    int identified = -1;
    double best = 0;
    for (size_t a = 0; a < overlaps_.size(); ++a) {
      const auto shared = static_cast<double>(overlaps_[a].shared);
      const auto there = static_cast<double>(overlaps_[a].sites_there);
      const auto sites = static_cast<double>(study_sites);
      if (shared < kMinShare * sites || shared < kMinShare * there) continue;
      const double overlap = shared / (sites + there - shared);
      if (overlap <= best) continue;
      best = overlap;
      identified = static_cast<int>(a);
    }
    return identified;
  }

 private:
  std::vector<SiteList> lists_;
  std::vector<ArrayOverlap> overlaps_;  // [lists]
};

class Checker {
 public:
  // `partly_inverted` are contigs a part of whose sites is inverted.
  Checker(const StudyCheckOptions& options, std::set<std::string> partly_inverted)
      : options_(options),
        check_{.options = options},
        study_(OpenStudy(options)),
        arrays_(options.arrays),
        sites_(check_, std::move(partly_inverted)) {
    check_.study_build = DeclaredBuild(study_.header().contigs);
    if (!options.panel.empty()) OpenPanel();
    StudyFile file(options.study, options.reading);
    check_.regions = RegionsOfStudy(options.regions, file, study_, panel_ ? &*panel_ : nullptr);
    study_.WarnOfAbsentMales();
    study_.DivideContigs(check_.regions);
    if (!options.contig.empty()) study_.Seek({.contig = options.contig});
    if (panel_) panel_->DivideContigs(check_.regions);
    for (const std::string& name : study_.sample_names()) check_.samples.push_back({.name = name});
  }

  StudyCheck Run() {
    if (!study_.NextContig()) throw InputError(options_.study + ": no records; give a file with typed genotypes");
    while (study_.NextContig()) CheckContig();
    study_.TellOfReads();
    for (const SiteRelation relation : check_.site_relations) ++check_.counts[relation];
    check_.sites = check_.site_relations.size();
    check_.reading = study_.Reading();
    if (panel_) check_.panel_contigs = panel_->Names();
    check_.arrays = arrays_.overlaps();
    check_.identified_array = arrays_.Identify(check_.sites);
    return std::move(check_);
  }

 private:
  void OpenPanel() {
    panel_.emplace(options_.panel);
    check_.panel_samples = panel_->reader().sample_names().size();
    check_.panel_build = DeclaredBuild(panel_->reader().header_contigs());
  }

  void CheckContig() {
    contig_ = &check_.contigs.emplace_back();
    contig_->name = *study_.NextContig();
    contig_->panel_name = panel_ ? panel_->Find(contig_->name).value_or("") : "";
    CheckNames();
    panel_positions_.clear();
    while (study_.NextContig() == contig_->name) CheckPart();
    contig_->panel_sites = static_cast<size_t>(std::ranges::upper_bound(panel_positions_, contig_->span.last) -
                                               std::ranges::lower_bound(panel_positions_, contig_->span.first));
    if (!panel_positions_.empty()) contig_->panel = {panel_positions_.front(), panel_positions_.back()};
    for (size_t p = 1; p < panel_positions_.size(); ++p) {
      contig_->covered += CoveredBetween(panel_positions_[p - 1], panel_positions_[p]);
    }
    arrays_.FinishContig(contig_->name, contig_->span.first, contig_->span.last);
  }

  // Checks a part of a contig in which ploidy is constant.
  void CheckPart() {
    const ContigPart part = check_.regions.PartAt(contig_->name, *study_.NextPosition());
    const size_t sites_before = contig_->sites;
    StudyGenotypes study = study_.StartContig();
    NotePloidy(study.samples);
    std::optional<MutablePanel> panel = StartPanel(part);
    if (panel) NoteOneAllele(FindOneAllele(contig_->name, part, study.samples, panel->samples()));
    missing_.assign(study.samples.num_haplotypes(), 0);
    panel_end_ = 0;
    panel_has_ended_ = false;
    ForEachPiece(study_, study, kPiece, [&](int64_t end, bool is_last) {
      // A variant of the study may begin after its record.
      if (panel) ReadPanel(std::max(end, LastPosition(study.markers)), study.markers, *panel);
      check_.is_unphased = study_.Reading().has_unphased;
      NoteSites(study);
      sites_.Add(study, panel ? &*panel : nullptr);
      sites_.Decide(is_last ? INT64_MAX : end);
      DropMarkers(study);
    });
    if (panel) ReadPanel(INT64_MAX, {}, *panel);
    sites_.FinishContig();
    NoteMissing(study.samples, contig_->sites - sites_before);
  }

  // Returns nothing if the panel has no record in the part.
  std::optional<MutablePanel> StartPanel(const ContigPart& part) {
    if (!panel_) return std::nullopt;
    PanelReader& reader = panel_->reader();
    const auto is_in_contig = [&] { return reader.NextContig() == contig_->panel_name; };
    while (is_in_contig() && *reader.NextPosition() < part.begin) {
      MutablePanel before = reader.StartContig();
      ForEachPiece(reader, before, kPiece, [&](int64_t, bool) {
        NotePanelPositions(before);
        DropMarkers(before);
      });
    }
    if (!is_in_contig() || *reader.NextPosition() > part.end) return std::nullopt;
    return reader.StartContig();
  }

  // Reads the panel up to `end`. The last piece remains in `panel`, and what may be a variant of the study; of earlier
  // pieces, only the positions are noted.
  void ReadPanel(int64_t end, std::span<const StudyMarker> study, MutablePanel& panel) {
    const int64_t begin = study.empty() ? INT64_MAX : study.front().marker.position;
    for (bool has_more = true; has_more && panel_end_ < end;) {
      const size_t num_dropped = FirstMarkerAtOrAfter(panel, std::min(panel_end_, begin) - kMaxPadding);
      panel.DropBefore(num_dropped);
      sites_.DropPanelSites(num_dropped);
      const size_t num_noted = panel.num_markers();
      panel_end_ = std::min(panel_end_ + kPiece, end);
      has_more = panel_->reader().ReadUntil(panel_end_, panel);
      panel_has_ended_ = !has_more;
      NotePanelPositions(panel, num_noted);
    }
  }

  void CheckNames() const {
    if (contig_->panel_name.empty()) return;
    for (const ContigCheck& other : check_.contigs) {
      if (&other == contig_ || other.panel_name != contig_->panel_name) continue;
      throw InputError(
          fmt::format("{}: contigs {} and {} are both contig {} of {}; give them one name ({}) and sort the file",
                      options_.study, other.name, contig_->name, contig_->panel_name, options_.panel,
                      WithBcftools(options_.study, "annotate --rename-chrs")));
    }
  }

  // Calls visit(check, s) with each sample of a part of a contig, which may lack some.
  template <typename Visit>
  void ForEachSample(const SampleTable& samples, const Visit& visit) {
    auto next = check_.samples.begin();
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      next =
          std::find_if(next, check_.samples.end(), [&](const auto& check) { return check.name == samples.names[s]; });
      visit(*next++, s);
    }
  }

  void NotePloidy(const SampleTable& samples) {
    ForEachSample(samples, [&](SampleCheck& sample, size_t s) {
      (samples.ploidy(s) == 1 ? sample.is_haploid : sample.is_diploid) = true;
    });
  }

  void NoteOneAllele(const OneAlleleSamples& found) {
    if (found.samples > check_.one_allele.samples) check_.one_allele = found;
  }

  // From marker `first` on.
  void NotePanelPositions(const HaplotypePanel& panel, size_t first = 0) {
    for (size_t p = first; p < panel.num_markers(); ++p) {
      const int64_t position = panel.marker(p).position;
      if (panel_positions_.empty() || panel_positions_.back() != position) panel_positions_.push_back(position);
    }
  }

  void NoteSites(const StudyGenotypes& study) {
    if (contig_->sites == 0 && !study.markers.empty()) contig_->span.first = study.markers.front().marker.position;
    contig_->sites += study.markers.size();
    if (!study.markers.empty()) contig_->span.last = study.markers.back().marker.position;
    for (const auto& [marker, row] : study.markers) {
      const std::vector<uint8_t>& alleles = row.alleles;
      check_.has_phase_sets = check_.has_phase_sets || !row.phase_sets.empty();
      contig_->within_panel += IsWithinPanel(marker.position) ? 1 : 0;
      check_.quality.Add(contig_->name, marker, study.samples, alleles);
      for (size_t h = 0; h < alleles.size(); ++h) missing_[h] += alleles[h] == kMissingAllele;
    }
    arrays_.AddSites(study.contig, study.markers);
  }

  // The panel must have been read up to the position.
  bool IsWithinPanel(int64_t position) const {
    return !panel_positions_.empty() && position >= panel_positions_.front() &&
           (!panel_has_ended_ || position <= panel_positions_.back());
  }

  void NoteMissing(const SampleTable& samples, size_t sites) {
    ForEachSample(samples, [&](SampleCheck& sample, size_t s) {
      for (uint32_t h = samples.first_haplotype[s]; h < samples.first_haplotype[s + 1]; ++h) {
        sample.alleles += sites;
        sample.missing += missing_[h];
      }
    });
  }

  const StudyCheckOptions& options_;
  StudyCheck check_;
  StudyReader study_;
  std::optional<PanelContigs> panel_;
  ArrayOverlaps arrays_;
  SiteClassifier sites_;
  ContigCheck* contig_ = nullptr;         // the present one
  std::vector<int64_t> panel_positions_;  // panel positions of the present contig, without repeats
  int64_t panel_end_ = 0;                 // position up to which the panel has been read
  bool panel_has_ended_ = false;
  std::vector<size_t> missing_;  // [haplotypes] missing alleles in the present part
};

// The number of sites that match the panel as they are, or with their alleles exchanged or complemented.
size_t MatchingSites(const StudyCheck& check) {
  return check.Count(SiteRelation::kSame) + check.NumToFix() + check.Count(SiteRelation::kUndecided) +
         check.without_alt_matched;
}

bool HasNoGenotype(const StudyCheck& check) {
  return std::ranges::all_of(check.samples, [](const SampleCheck& sample) { return sample.missing == sample.alleles; });
}

// The reason not to impute a study; empty if there is none. A `min_ratio` of 0 accepts every study that shares a site.
std::string Obstacle(const StudyCheck& check, double min_ratio) {
  if (HasNoGenotype(check)) return "all its genotypes are missing";
  if (min_ratio > 0) {
    std::string unlikely = check.Signs().Obstacle();
    if (!unlikely.empty()) return unlikely;
    for (const ContigCheck& contig : check.contigs) {
      const std::string on_contig = contig.signs.Obstacle();
      if (!on_contig.empty()) return fmt::format("contig {}: {}", contig.name, on_contig);
    }
  }
  if (!check.HasPanel()) return "";
  const size_t within = check.WithinPanel(), matching = MatchingSites(check);
  if (within == 0) return "no site is within the panel";
  const bool has_other_positions = check.PositionsDisagree();
  const bool is_too_few = static_cast<double>(matching) < min_ratio * static_cast<double>(within);
  if (matching == 0 || is_too_few || (min_ratio > 0 && has_other_positions)) {
    return fmt::format("only {} of the {} sites within the panel match it ({:.1f} %){}", GroupDigits(matching),
                       GroupDigits(within), PercentageOf(matching, within),
                       has_other_positions ? ", probably because of another genome build" : "");
  }
  for (const ContigCheck& contig : check.contigs) {
    // Small scaffolds beside other contigs are imputed all the same.
    if (check.contigs.size() > 1 && contig.sites < kManySites) continue;
    const bool is_short = contig.HasMatching() && contig.SpanShare() < min_ratio &&
                          check.regions.PartAt(contig.name, contig.matching.first).IsWhole();
    if (!is_short) continue;
    // Most markers would be far from any site of the study.
    return fmt::format("its sites in the panel span only {:.2g} % of the panel's contig {}; impute --region {}:{}-{}",
                       100 * contig.SpanShare(), contig.panel_name, contig.name, contig.matching.first,
                       contig.matching.last);
  }
  return "";
}

// What can be done with the study if there is no panel.
std::string WithoutPanel(const StudyCheck& check) {
  size_t missing = 0, alleles = 0;
  for (const SampleCheck& sample : check.samples) {
    missing += sample.missing;
    alleles += sample.alleles;
  }
  if (missing > 0 && check.samples.size() > 1) {
    return fmt::format(
        " or, if there is none, let 'haplospin impute' without --ref impute the {:.1f} % of its alleles that are "
        "missing from its other samples",
        PercentageOf(missing, alleles));
  }
  if (check.is_unphased && check.samples.size() > 1) {
    return "; 'haplospin phase' without --ref phases its samples from each other";
  }
  return "";
}

}  // namespace

double StudyCheck::SitesPerMegabase() const {
  double megabases = 0;
  for (const ContigCheck& contig : contigs) {
    if (contig.HasMatching()) megabases += static_cast<double>(contig.covered) / 1e6;
  }
  return megabases > 0 ? static_cast<double>(MatchingSites(*this)) / megabases : 0;
}

GenotypeSigns StudyCheck::Signs() const {
  GenotypeSigns signs;
  for (const ContigCheck& contig : contigs) signs += contig.signs;
  return signs;
}

bool StudyCheck::AreInverted() const {
  return std::ranges::any_of(contigs, [](const ContigCheck& contig) {
    return contig.signs.AreInverted() || contig.signs.ArePartlyInverted();
  });
}

size_t StudyCheck::WithinPanel() const {
  size_t within = 0;
  for (const ContigCheck& contig : contigs) within += contig.within_panel;
  return within;
}

// The expected fraction of positions in the panel by chance is the density of the panel.
bool StudyCheck::PositionsDisagree() const {
  double within = 0, same = 0, by_chance = 0;
  for (const ContigCheck& contig : contigs) {
    if (contig.panel_name.empty()) continue;
    within += static_cast<double>(contig.within_panel);
    same += static_cast<double>(contig.same_position);
    by_chance += static_cast<double>(contig.within_panel) * static_cast<double>(contig.panel_sites) /
                 static_cast<double>(contig.span.last - contig.span.first + 1);
  }
  return within >= 20 && same < 0.05 * within + 2 * by_chance && same < 0.5 * within;
}

StudyCheck CheckStudy(const StudyCheckOptions& options) {
  if (!options.panel.empty()) CheckReadableTwice(options.panel);
  StudyCheck check = Checker(options, {}).Run();
  std::set<std::string> partly_inverted;
  for (const ContigCheck& contig : check.contigs) {
    if (contig.signs.ArePartlyInverted()) partly_inverted.insert(contig.name);
  }
  const bool is_final = partly_inverted.empty() || !std::filesystem::is_regular_file(options.study);
  return is_final ? std::move(check) : Checker(options, std::move(partly_inverted)).Run();
}

CheckConclusion ConcludeCheck(const StudyCheck& check, double min_ratio) {
  const std::string obstacle = Obstacle(check, min_ratio);
  if (!obstacle.empty()) return {CheckVerdict::kDoNotImpute, "do not impute this study: " + obstacle};
  if (!check.HasPanel()) {
    return {CheckVerdict::kNotCompared,
            "not compared with a panel: check the study again with --ref before imputation" + WithoutPanel(check)};
  }
  const std::string but =
      check.IsOfAnotherPopulation() ? ", but the panel seems to be from another population: accuracy will be low" : "";
  if (check.NumToFix() > 0) return {CheckVerdict::kReadyWhenFixed, "impute the copy that --fix writes" + but};
  return {CheckVerdict::kReady, "ready to impute" + but};
}

}  // namespace haplospin
