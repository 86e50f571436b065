#include "genotypes/variant_io/reading/personal_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/strand.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/site_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kPieceMarkers = 32768;
constexpr size_t kCallsCompared = 2000;  // of each person, to find strand and build
constexpr size_t kMinCalls = 20;         // that tell these

constexpr double kMinInPanel = 0.05;        // share of the positions; more than twice what chance gives
constexpr double kMaxOtherAlleles = 0.1;    // share of the genotypes at them
constexpr double kFewOfOtherStrand = 0.01;  // share of the genotypes that tell

// An SNV, or several at a position, or an indel of the panel.
struct PanelSite {
  Marker marker;                  // the first ALT
  std::vector<std::string> alts;  // SNVs: all ALTs of the position
  bool is_indel = false;
};

// The sites at the position of these markers, which are at most one of SNVs. `indels` is the number of indels.
std::vector<PanelSite> SitesOf(std::span<const Marker> markers, size_t& indels) {
  std::vector<PanelSite> sites;
  indels = 0;
  std::optional<size_t> snvs;
  for (const Marker& marker : markers) {
    if (IsSnv(marker)) {
      if (!snvs) {
        snvs = sites.size();
        sites.push_back({.marker = marker, .alts = {}});
      }
      PanelSite& site = sites[*snvs];
      const bool is_new = SameBases(site.marker.ref, marker.ref) &&
                          std::ranges::none_of(site.alts, [&](const auto& alt) { return SameBases(alt, marker.alt); });
      if (is_new) site.alts.push_back(marker.alt);
    } else if (TrimVariant(marker).IsIndel()) {
      ++indels;
      sites.push_back({.marker = marker, .alts = {marker.alt}, .is_indel = true});
    }
  }
  return sites;
}

// Calls function(markers) for the markers of each position.
template <typename Function>
void ForEachPosition(std::span<const Marker> markers, Function function) {
  for (size_t first = 0, next = 0; first < markers.size(); first = next) {
    while (next < markers.size() && markers[next].position == markers[first].position) ++next;
    function(markers.subspan(first, next - first));
  }
}

// The genotypes of a person on a contig, found by ascending positions.
class CallCursor {
 public:
  CallCursor() = default;
  explicit CallCursor(std::span<const PersonalCall> calls) : calls_(calls) {}

  // Returns the genotype of letters, or of codes, at a position that is not before the one asked for last; that of
  // codes may be a little before.
  const PersonalCall* Find(int64_t position, bool is_coded) {
    while (next_ < calls_.size() && calls_[next_].position + 1 < position) ++next_;
    for (size_t i = next_; i < calls_.size() && calls_[i].position <= position; ++i) {
      if (calls_[i].position == position && calls_[i].IsCoded() == is_coded) return &calls_[i];
    }
    return nullptr;
  }

  size_t CountBetween(int64_t first, int64_t last) const {
    const auto begin = std::ranges::lower_bound(calls_, first, {}, &PersonalCall::position);
    return static_cast<size_t>(std::ranges::upper_bound(calls_, last, {}, &PersonalCall::position) - begin);
  }

 private:
  std::span<const PersonalCall> calls_;
  size_t next_ = 0;
};

// What became of the genotypes of a person between the first and the last site of the panel.
struct CallCounts {
  size_t within = 0;
  size_t same = 0, other_strand = 0;  // letters that are the panel's alleles on one strand only
  size_t ambiguous = 0;               // on both
  size_t other_alleles = 0;
  size_t no_strand = 0;  // of the ambiguous ones, those that are left out
  size_t indels = 0, undecided_indels = 0;

  size_t AtSnvs() const { return same + other_strand + ambiguous + other_alleles; }
  size_t NotInPanel() const { return within - std::min(within, AtSnvs() + indels + undecided_indels); }

  CallCounts& operator+=(const CallCounts& other) {
    within += other.within;
    same += other.same;
    other_strand += other.other_strand;
    ambiguous += other.ambiguous;
    other_alleles += other.other_alleles;
    no_strand += other.no_strand;
    indels += other.indels;
    undecided_indels += other.undecided_indels;
    return *this;
  }

  // The strand of the ambiguous ones: that of the others, or the forward strand where there are few, as all services
  // have it.
  Strand FindStrand() const {
    const auto limit = 1 + kFewOfOtherStrand * static_cast<double>(same + other_strand);
    if (same + other_strand < kMinCalls || static_cast<double>(other_strand) <= limit) return Strand::kSame;
    return static_cast<double>(same) <= limit ? Strand::kOther : Strand::kUndecided;
  }
};

using Genotype = std::array<int16_t, 2>;
constexpr Genotype kMissingGenotype{kMissingCall, kMissingCall};

// Returns which allele of the site a letter is.
int16_t AlleleOf(const PanelSite& site, const std::string& letter) {
  if (SameBases(letter, site.marker.ref)) return 0;
  for (size_t a = 0; a < site.alts.size(); ++a) {
    if (SameBases(letter, site.alts[a])) return static_cast<int16_t>(a + 1);
  }
  return kMissingCall;
}

// Returns the alleles of SNVs that a genotype has on a strand, or kMissingGenotype if they are others.
Genotype LettersOn(Strand strand, const PanelSite& site, const PersonalCall& call) {
  Genotype genotype{kMissingCall, kAbsentCall};
  for (const size_t copy : {0, 1}) {
    const char letter = copy == 0 ? call.first : call.second;
    if (letter == 0) continue;
    const std::string base(1, letter);
    genotype[copy] = AlleleOf(site, strand == Strand::kSame ? base : ReverseComplement(base));
    if (genotype[copy] == kMissingCall) return kMissingGenotype;
  }
  return genotype;
}

// Returns the genotype at SNVs, and counts it.
Genotype SnvGenotype(const PanelSite& site, const PersonalCall& call, Strand strand, CallCounts& counts) {
  const Genotype same = LettersOn(Strand::kSame, site, call), other = LettersOn(Strand::kOther, site, call);
  if (same == kMissingGenotype && other == kMissingGenotype) {
    ++counts.other_alleles;
    return same;
  }
  if (same != kMissingGenotype && other != kMissingGenotype) {
    ++counts.ambiguous;
    counts.no_strand += strand == Strand::kUndecided ? 1 : 0;
    return strand == Strand::kUndecided ? kMissingGenotype : strand == Strand::kSame ? same : other;
  }
  ++(other == kMissingGenotype ? counts.same : counts.other_strand);
  return other == kMissingGenotype ? same : other;
}

// Returns the genotype of codes at the indel, or null. Databases have a deletion at its first base, which is after that
// of its record.
const PersonalCall* FindCoded(const PanelSite& site, CallCursor& calls) {
  const Variant variant = TrimVariant(site.marker);
  const PersonalCall* const here = calls.Find(variant.position, /*is_coded=*/true);
  if (here != nullptr || variant.ref.size() < variant.alt.size()) return here;
  return calls.Find(variant.position + 1, /*is_coded=*/true);
}

Genotype IndelGenotype(const PanelSite& site, const PersonalCall& call) {
  const Variant variant = TrimVariant(site.marker);
  const char ref_code = variant.ref.size() > variant.alt.size() ? 'I' : 'D';
  const auto allele = [&](char code) { return static_cast<int16_t>(code == ref_code ? 0 : 1); };
  return {allele(call.first), call.second == 0 ? kAbsentCall : allele(call.second)};
}

// Everybody has one allele of Y and of the mitochondrion, which some files have twice.
Genotype Haploid(const Genotype& genotype) {
  if (genotype[1] >= 0 && genotype[1] != genotype[0]) return kMissingGenotype;
  return {genotype[0], genotype[0] == kMissingCall ? kMissingCall : kAbsentCall};
}

// Genotypes without phase have the lower allele first.
Genotype InOrder(const Genotype& genotype) {
  return genotype[1] >= 0 && genotype[1] < genotype[0] ? Genotype{genotype[1], genotype[0]} : genotype;
}

// The genotypes of a person at the sites of a panel, in their order.
class PersonalMatcher {
 public:
  PersonalMatcher(const PersonalFile& person, Strand strand) : person_(&person), strand_(strand) {}

  void StartContig(const std::string& contig) {
    const std::string name(CanonicalContig(contig));
    const auto calls = person_->calls.find(name);
    calls_ = calls == person_->calls.end() ? CallCursor() : CallCursor(calls->second);
    is_haploid_ = name == "Y" || name == "MT";
  }

  // `indels` is the number of indels at the position of the site.
  Genotype Match(const PanelSite& site, size_t indels) {
    const PersonalCall* const call =
        site.is_indel ? FindCoded(site, calls_) : calls_.Find(site.marker.position, /*is_coded=*/false);
    if (call == nullptr) return kMissingGenotype;
    if (site.is_indel && indels > 1) {
      counts_.undecided_indels += &*call != last_undecided_ ? 1 : 0;
      last_undecided_ = call;
      return kMissingGenotype;
    }
    counts_.indels += site.is_indel ? 1 : 0;
    const Genotype genotype = site.is_indel ? IndelGenotype(site, *call) : SnvGenotype(site, *call, strand_, counts_);
    return is_haploid_ ? Haploid(genotype) : InOrder(genotype);
  }

  void Cover(int64_t first, int64_t last) { counts_.within += calls_.CountBetween(first, last); }

  const CallCounts& counts() const { return counts_; }

 private:
  const PersonalFile* person_;
  Strand strand_;
  CallCursor calls_;
  bool is_haploid_ = false;
  const PersonalCall* last_undecided_ = nullptr;
  CallCounts counts_;
};

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
    const auto is_done = [&] {
      return std::ranges::all_of(people, [](const auto& p) { return p.counts().within >= kCallsCompared; });
    };
    std::vector<Marker> markers;
    double sites = 0, length = 0;
    for (auto contig = panel.NextContig(); contig && !is_done(); contig = panel.NextContig()) {
      if (!study_->HasCalls(*contig)) {
        panel.SkipContig();
        continue;
      }
      for (PersonalMatcher& person : people) person.StartContig(*contig);
      for (bool has_more = true; has_more && !is_done();) {
        markers.clear();
        has_more = panel.Read(kPieceMarkers, markers);
        if (markers.empty()) continue;
        const int64_t first = markers.front().position, last = markers.back().position;
        length += static_cast<double>(last - first + 1);
        ForEachPosition(markers, [&](std::span<const Marker> at) {
          ++sites;
          size_t indels = 0;
          for (const PanelSite& site : SitesOf(at, indels)) {
            for (PersonalMatcher& person : people) person.Match(site, indels);
          }
        });
        for (PersonalMatcher& person : people) person.Cover(first, last);
      }
      if (is_done()) break;
    }
    for (size_t p = 0; p < people.size(); ++p) {
      CheckBuild(study_->people[p], people[p].counts(), length > 0 ? sites / length : 0,
                 DeclaredBuild(panel.header_contigs()));
      strands_.push_back(people[p].counts().FindStrand());
    }
  }

  // `density` is the share of the positions that are in the panel.
  void CheckBuild(const PersonalFile& person, const CallCounts& counts, double density,
                  const std::string& panel_build) const {
    const auto within = static_cast<double>(counts.within), at = static_cast<double>(counts.AtSnvs());
    const bool has_few = counts.within >= kMinCalls && at < (kMinInPanel + 2 * density) * within && at < 0.5 * within;
    const bool has_others =
        counts.AtSnvs() - counts.ambiguous >= kMinCalls &&
        static_cast<double>(counts.other_alleles) > kMaxOtherAlleles * (at - static_cast<double>(counts.ambiguous));
    if (!has_few && !has_others) return;
    const std::string what =
        has_few ? fmt::format("only {} of {} are at SNVs of", counts.AtSnvs(), Counted(counts.within, "genotype"))
                : fmt::format("{} of {} have other alleles than", counts.other_alleles,
                              Counted(counts.AtSnvs(), "genotype"));
    throw InputError(fmt::format(
        "{}: {} the panel {}, so its positions are of another genome build; {}{}, give a panel of that build",
        person.path, what, panel_, person.build.empty() ? "they are mostly of GRCh37" : "they are of " + person.build,
        panel_build.empty() ? "" : ", and the panel is of " + panel_build));
  }

  const std::shared_ptr<const PersonalStudy> study_;
  const std::string panel_;
  std::vector<Strand> strands_;  // [people]
};

class PersonalSource : public RecordSource {
 public:
  PersonalSource(const std::string& name, const std::shared_ptr<const PersonalStudy>& study, const std::string& panel,
                 RecordKind kind, const std::vector<Strand>& strands);

  size_t Read() override;
  std::optional<std::vector<std::string>> IndexedContigs() override;
  bool Seek(const Region& region) override;
  void Tell() const override;

 private:
  struct Site {
    PanelSite panel;
    std::vector<Genotype> genotypes;  // [people]
  };

  void AddPosition(std::span<const Marker> markers);
  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override;

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

PersonalSource::PersonalSource(const std::string& name, const std::shared_ptr<const PersonalStudy>& study,
                               const std::string& panel, RecordKind kind, const std::vector<Strand>& strands)
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

size_t PersonalSource::Read() {
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
    ForEachPosition(markers_, [&](std::span<const Marker> markers) { AddPosition(markers); });
  }
  return Hold(sites_.size());
}

// Adds the sites of a position where anyone has a genotype.
void PersonalSource::AddPosition(std::span<const Marker> markers) {
  size_t indels = 0;
  for (PanelSite& site : SitesOf(markers, indels)) {
    std::vector<Genotype> genotypes;
    for (PersonalMatcher& person : people_) genotypes.push_back(person.Match(site, indels));
    const bool has_any = std::ranges::any_of(genotypes, [](const Genotype& g) { return g != kMissingGenotype; });
    if (has_any) sites_.push_back({std::move(site), std::move(genotypes)});
  }
}

void PersonalSource::Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) {
  StartRecord(record);
  const Site& site = sites_[i];
  const Marker& marker = site.panel.marker;
  if (!SetPlace(contig_, marker.position, filter, record)) return;
  record.id = marker.id;
  record.ref = marker.ref;
  record.alts = site.panel.alts;
  record.filter = ".";
  CheckTexts(record);
  CheckAlleles(kind_, record);
  if (kind_ == RecordKind::kSites) return;
  record.calls.Start(header_.samples.size());
  for (size_t p = 0; p < site.genotypes.size(); ++p) {
    record.calls.Set(p, site.genotypes[p][0], site.genotypes[p][1], /*is_phased=*/false);
  }
  record.has_genotypes = true;
  FinishCalls(kind_, header_.samples, record);
}

std::optional<std::vector<std::string>> PersonalSource::IndexedContigs() {
  std::optional<std::vector<std::string>> contigs = panel_.KnownContigs();
  if (contigs) std::erase_if(*contigs, [&](const std::string& contig) { return !study_->HasCalls(contig); });
  return contigs;
}

bool PersonalSource::Seek(const Region& region) {
  const auto known = panel_.KnownContigs();
  const std::vector<std::string> names = known ? *known : NamesOfContigs(panel_.header_contigs());
  Region place = region;
  place.contig = FindContig(names, region.contig).value_or(region.contig);
  panel_.Seek(place);
  contig_.clear();
  return true;
}

void PersonalSource::Tell() const {
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
}

RecordOpener PersonalRecords(const std::string& name, const std::shared_ptr<const PersonalStudy>& study,
                             const std::string& panel) {
  return [=, strands = std::make_shared<PeopleStrands>(study, panel)](const RecordContent& content) {
    return std::make_unique<PersonalSource>(name, study, panel, content.kind, strands->Strands());
  };
}

}  // namespace haplospin
