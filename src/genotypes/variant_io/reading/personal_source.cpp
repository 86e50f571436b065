#include "genotypes/variant_io/reading/personal_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/people_chips.h"
#include "genotypes/variant_io/reading/personal_matcher.h"
#include "genotypes/variant_io/reading/site_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kPieceMarkers = 32768;
constexpr size_t kCallsCompared = 2000;  // of each person, to find strand and build

// The strands of the people's letters, found once for all that open their records.
class PeopleStrands {
 public:
  PeopleStrands(std::shared_ptr<const PersonalStudy> study, std::string panel)
      : study_(std::move(study)), panel_(std::move(panel)) {}

  const std::vector<Strand>& Strands() {
    if (strands_.empty()) Compare();
    return strands_;
  }

 private:
  void Compare() {
    SiteReader panel(panel_);
    std::vector<PersonalMatcher> people;
    for (const PersonalFile& person : study_->people) people.emplace_back(person, Strand::kSame);
    double sites = 0, length = 0;  // positions of the panel, and all from the first to the last, bp
    for (auto contig = panel.NextContig(); contig && !HasEnough(people); contig = panel.NextContig()) {
      if (!study_->HasCalls(*contig)) {
        panel.SkipContig();
      } else if (*contig != contig_) {
        contig_ = *contig;
        for (PersonalMatcher& person : people) person.StartContig(*contig);
      } else {
        ComparePiece(panel, people, sites, length);
      }
    }
    const bool has_any = std::ranges::any_of(people, [](const auto& person) { return person.counts().within > 0; });
    if (!has_any) FailRange(study_->people[0], panel.header_contigs());
    for (size_t p = 0; p < people.size(); ++p) {
      const CallCounts& counts = people[p].counts();
      if (counts.AreOfAnotherBuild(sites / std::max(length, 1.0))) {
        FailBuild(study_->people[p], counts, DeclaredBuild(panel.header_contigs()));
      }
      strands_.push_back(counts.FindStrand());
    }
  }

  static bool HasEnough(std::span<const PersonalMatcher> people) {
    return std::ranges::all_of(people, [](const auto& person) { return person.counts().within >= kCallsCompared; });
  }

  // Compares people with the next sites of the contig.
  static void ComparePiece(SiteReader& panel, std::span<PersonalMatcher> people, double& sites, double& length) {
    std::vector<Marker> markers;
    panel.Read(kPieceMarkers, markers);
    if (markers.empty()) return;
    for (size_t m = 0; m < markers.size(); ++m) {
      sites += m == 0 || markers[m].position != markers[m - 1].position ? 1 : 0;
    }
    for (const PanelSite& site : SitesOf(markers)) {
      for (PersonalMatcher& person : people) person.Match(site);
    }
    const int64_t first = markers.front().position, last = markers.back().position;
    length += static_cast<double>(last - first + 1);
    for (PersonalMatcher& person : people) person.Cover(first, last);
  }

  [[noreturn]] void FailRange(const PersonalFile& person, const ContigTable& contigs) const {
    std::vector<std::string> own_contigs, panel_contigs;
    for (const auto& [contig, calls] : person.calls) own_contigs.push_back(contig);
    for (const auto& [contig, length] : contigs) panel_contigs.push_back(contig);
    throw InputError(fmt::format(
        "{}: none of its {}, on {}, lies between the first and last site of a contig of the panel {}{}; give a panel "
        "of these chromosomes",
        person.path, Counted(person.NumCalls(), "genotype"), JoinNames(own_contigs), panel_,
        panel_contigs.empty() ? "" : fmt::format(" ({})", JoinNames(panel_contigs))));
  }

  [[noreturn]] void FailBuild(const PersonalFile& person, const CallCounts& counts,
                              const std::string& panel_build) const {
    const size_t at = counts.AtSnvs();
    const std::string what =
        2 * at < counts.within
            ? fmt::format("only {} of {} are at SNVs of", at, Counted(counts.within, "genotype"))
            : fmt::format("{} of {} have other alleles than", counts.other_alleles, Counted(at, "genotype"));
    throw InputError(fmt::format(
        "{}: {} the panel {}, so its positions are of another genome build; {}{}, give a panel of that build",
        person.path, what, panel_, person.build.empty() ? "they are mostly of GRCh37" : "they are of " + person.build,
        panel_build.empty() ? "" : ", and the panel is of " + panel_build));
  }

  const std::shared_ptr<const PersonalStudy> study_;
  const std::string panel_;
  std::string contig_;           // that is compared
  std::vector<Strand> strands_;  // [people]
};

class PersonalSource : public RecordSource {
 public:
  PersonalSource(const std::string& name, const std::shared_ptr<const PersonalStudy>& study, const std::string& panel,
                 RecordKind kind, const std::vector<Strand>& strands)
      : RecordSource({.path = name}), study_(study), panel_path_(panel), panel_(panel), kind_(kind) {
    for (size_t p = 0; p < study_->people.size(); ++p) {
      const PersonalFile& person = study_->people[p];
      header_.samples.push_back(person.name);
      header_.is_male.push_back(person.sex == Sex::kMale);
      people_.emplace_back(person, strands[p]);
    }
    header_.contigs = panel_.header_contigs();
    header_.CheckSamples("; rename a file, or give names in a --target-list");
  }

  size_t Read() override {
    sites_.clear();
    for (auto name = panel_.NextContig(); name && sites_.empty(); name = panel_.NextContig()) {
      if (!study_->HasCalls(*name)) {
        panel_.SkipContig();
        continue;
      }
      if (*name != contig_) {
        contig_ = *name;
        covered_to_ = 0;
        for (PersonalMatcher& person : people_) person.StartContig(contig_);
      }
      markers_.clear();
      panel_.Read(kPieceMarkers, markers_);
      if (markers_.empty()) continue;
      const int64_t first = covered_to_ == 0 ? markers_.front().position : covered_to_ + 1;
      covered_to_ = markers_.back().position;
      for (PersonalMatcher& person : people_) person.Cover(first, covered_to_);
      AddSites();
    }
    return Hold(sites_.size());
  }

  std::optional<std::vector<std::string>> IndexedContigs() override {
    std::optional<std::vector<std::string>> contigs = panel_.KnownContigs();
    if (contigs) std::erase_if(*contigs, [&](const std::string& contig) { return !study_->HasCalls(contig); });
    return contigs;
  }

  bool Seek(const Region& region) override {
    panel_.Seek(region);
    contig_.clear();
    return true;
  }

  void Tell() const override {
    CallCounts all;
    for (const PersonalMatcher& person : people_) all += person.counts();
    std::string text;
    const auto add = [&](size_t count, std::string_view what) {
      if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", GroupDigits(count), what);
    };
    add(all.NotInPanel(), "not at its SNVs and indels");
    add(all.other_alleles, "with other alleles");
    add(all.no_strand, "at A/T and C/G sites of unknown strand");
    add(all.undecided_indels, "of I and D where the panel has several indels");
    const size_t used = all.AtSnvs() - all.other_alleles - all.no_strand + all.indels;
    LogInfo("{}: {} within the panel, {} of them used ({} on the other strand, {} of I and D){}{}", header_.path,
            CountedInGroups(all.within, "genotype"), GroupDigits(used), GroupDigits(all.other_strand),
            GroupDigits(all.indels), text.empty() ? "" : "; left out: ", text);
  }

 private:
  struct Site {
    PanelSite panel;
    std::vector<Genotype> genotypes;  // [people]
  };

  // Adds the sites of the piece where anyone has a genotype.
  void AddSites() {
    for (PanelSite& site : SitesOf(markers_)) {
      std::vector<Genotype> genotypes;
      for (PersonalMatcher& person : people_) genotypes.push_back(person.Match(site));
      const bool has_any = std::ranges::any_of(genotypes, [](const Genotype& g) { return g != kNoGenotype; });
      if (has_any) sites_.push_back({std::move(site), std::move(genotypes)});
    }
  }

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override {
    StartRecord(record);
    const Site& site = sites_[i];
    const Marker& marker = site.panel.marker;
    if (!SetPlace(contig_, marker.position, filter, record)) return;
    record.alts = site.panel.alts;
    FinishSite(kind_, marker.id, marker.ref, record);
    if (kind_ == RecordKind::kSites) return;
    record.calls.Start(header_.samples.size());
    for (size_t p = 0; p < site.genotypes.size(); ++p) {
      record.calls.Set(p, site.genotypes[p][0], site.genotypes[p][1], /*is_phased=*/false);
    }
    record.has_genotypes = true;
    FinishCalls(kind_, header_.samples, record);
  }

  const std::shared_ptr<const PersonalStudy> study_;
  const std::string panel_path_;
  SiteReader panel_;
  const RecordKind kind_;
  std::vector<PersonalMatcher> people_;
  std::string contig_;           // of the piece that was read last
  int64_t covered_to_ = 0;       // position of its last marker, bp; 0: none
  std::vector<Marker> markers_;  // kept for its memory
  std::vector<Site> sites_;      // those of the piece with genotypes
};

void WarnOfSeveralChips(const PersonalStudy& study) {
  const std::vector<std::vector<size_t>> chips = GroupByChip(study.people);
  if (chips.size() < 2) return;
  std::string text;
  for (const std::vector<size_t>& chip : chips) {
    std::vector<std::string> names;
    for (const size_t p : chip) names.push_back(study.people[p].name);
    text += (text.empty() ? "" : "; ") + JoinNames(names);
  }
  LogWarning(
      "the {} people were typed on {} chips ({}): imputed together, each lacks the sites that only others have, which "
      "makes more errors; impute those of each chip in a run of their own with --format HDS, and join the outputs "
      "(haplospin merge)",
      study.people.size(), chips.size(), text);
}

}  // namespace

std::vector<std::string> PersonalStudy::Contigs() const {
  std::set<std::string> contigs;
  for (const PersonalFile& person : people) {
    for (const auto& [contig, calls] : person.calls) contigs.insert(contig);
  }
  return {contigs.begin(), contigs.end()};
}

bool PersonalStudy::HasCalls(const std::string& contig) const {
  const std::string name(CanonicalContig(contig));
  return std::ranges::any_of(people, [&](const PersonalFile& person) { return person.calls.contains(name); });
}

void TellOfPeople(const PersonalStudy& study) {
  for (const PersonalFile& person : study.people) {
    std::string left_out;
    const auto add = [&](size_t count, std::string_view what) {
      if (count > 0) left_out += fmt::format(", {} {}", GroupDigits(count), what);
    };
    add(person.no_calls, "without a call");
    add(person.unplaced, "without a position");
    add(person.contradicted, "that contradict each other");
    add(person.unreadable, "that are not letters of alleles");
    LogInfo("{}: {}, {}: {}{}; {}", person.path,
            person.service.empty() ? "genotypes of one person" : "a file of " + person.service,
            person.build.empty() ? "build not told" : person.build, CountedInGroups(person.NumCalls(), "genotype"),
            left_out,
            person.sex == Sex::kUnknown ? "X and Y do not tell the sex"
            : person.sex == Sex::kMale  ? "a male, by X and Y"
                                        : "a female, by X and Y");
  }
  WarnOfSeveralChips(study);
}

RecordOpener PersonalRecords(const std::string& name, const std::shared_ptr<const PersonalStudy>& study,
                             const std::string& panel) {
  return [=, strands = std::make_shared<PeopleStrands>(study, panel)](const RecordContent& content) {
    return std::make_unique<PersonalSource>(name, study, panel, content.kind, strands->Strands());
  };
}

}  // namespace haplospin
