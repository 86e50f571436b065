#include "genotypes/variant_io/alignments/alignment_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/alignments/people_reads.h"
#include "genotypes/variant_io/alignments/reference_file.h"
#include "genotypes/variant_io/alignments/sample_pileup.h"
#include "genotypes/variant_io/reading/read_alleles.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Sites that are read at a time: few at first, because some readers only want the first ones.
constexpr size_t kLeastSites = 64, kFirstSites = 2048, kMaxSites = 32768;
constexpr size_t kPersonBytes = sizeof(GenotypeLikelihoods) + sizeof(uint32_t) + 2 * sizeof(ReadAllele);  // at a site
constexpr size_t kPileupBytes = 128;  // of a person whose reads are looked at, at a site with some

constexpr size_t kSitesForReference = 2000;  // of a contig, the REF of which are compared with the reference
constexpr double kMaxOtherRef = 0.05;        // share of them that may differ

enum class LineContent { kGenotypes, kSites };

// Returns how many sites a piece may have.
size_t MaxSites(size_t bytes, size_t people) {
  return std::clamp(bytes / (kPersonBytes * people + kPileupBytes * Threads()), kLeastSites, kMaxSites);
}

class AlignmentLines : public LineSource {
 public:
  AlignmentLines(std::string name, std::shared_ptr<const AlignmentStudy> study, std::unique_ptr<SiteSource> sites,
                 LineContent content, const AlignmentPieces& pieces);

  bool ReadLine(std::string& text) override;
  std::optional<std::vector<std::string>> KnownContigs() override;
  bool Seek(const Region& region) override;
  void Tell() const override;

 private:
  bool NextPiece();
  std::optional<std::string> StudyName(const std::string& site_contig);
  bool IsRead(const std::string& contig);
  void ReadPeople();
  std::pair<size_t, size_t> CountedSites(std::span<const PileupSite> sites) const;
  void CheckReference() const;
  void CheckBuild() const;
  void AppendMarker(const Marker& marker, std::string& text) const;

  const std::string name_;
  const std::shared_ptr<const AlignmentStudy> study_;
  const std::unique_ptr<SiteSource> sites_;
  const LineContent content_;
  const std::optional<Region> counted_;
  const size_t max_sites_;  // of a piece
  PeopleReads people_;
  std::unordered_map<std::string, bool> has_reads_;  // by contig, as the study names it

  // The piece that was read, and the next marker of it.
  std::string contig_;  // as the study names it
  std::vector<Marker> markers_;
  std::vector<GenotypeLikelihoods> likelihoods_;  // [people, markers]
  std::vector<SamplePileup::MarkerReads> reads_;  // [people]
  size_t next_ = 0;
  size_t piece_sites_ = kFirstSites;

  std::vector<ReadCounts> counts_;  // [people] of the counted sites of all pieces
  size_t num_sites_ = 0;
};

AlignmentLines::AlignmentLines(std::string name, std::shared_ptr<const AlignmentStudy> study,
                               std::unique_ptr<SiteSource> sites, LineContent content, const AlignmentPieces& pieces)
    : name_(std::move(name)),
      study_(std::move(study)),
      sites_(std::move(sites)),
      content_(content),
      counted_(pieces.counted),
      max_sites_(MaxSites(pieces.max_bytes, study_->people.size())),
      people_(study_),
      counts_(study_->people.size()) {
  samples_ = study_->Names();
  contigs_ = study_->contigs;
  CheckContigLengths(name_, contigs_, "the header of the panel or the sites", sites_->header_contigs());
}

bool AlignmentLines::ReadLine(std::string& text) {
  if (next_ == markers_.size() && !NextPiece()) return false;
  AppendMarker(markers_[next_], text);
  for (size_t p = 0; p < samples_.size(); ++p) {
    const GenotypeLikelihoods known =
        likelihoods_.empty() ? GenotypeLikelihoods() : likelihoods_[p * markers_.size() + next_];
    if (known.IsFlat()) {
      text += "\t.";
    } else {
      fmt::format_to(std::back_inserter(text), "\t{},{},{}:", known.phred[0], known.phred[1], known.phred[2]);
      const SamplePileup::MarkerReads& reads = reads_[p];
      AppendReadAlleles(
          std::span(reads.alleles).subspan(reads.first[next_], reads.first[next_ + 1] - reads.first[next_]), text);
    }
  }
  text += '\n';
  ++next_;
  return true;
}

void AlignmentLines::AppendMarker(const Marker& marker, std::string& text) const {
  std::string info;
  if (marker.end != 0) info = fmt::format("END={}", marker.end);
  if (marker.length != 0) info += fmt::format("{}SVLEN={}", info.empty() ? "" : ";", marker.length);
  fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t.\t.\t{}\tPL:{}", contig_, marker.position, marker.id,
                 marker.ref, marker.alt, info.empty() ? "." : info, kReadField);
}

// Reads the next piece that has sites. Returns false at the end.
bool AlignmentLines::NextPiece() {
  markers_.clear();
  likelihoods_.clear();
  next_ = 0;
  for (auto name = sites_->NextContig(); name; name = sites_->NextContig()) {
    const auto contig = StudyName(*name);
    if (!contig) {
      sites_->SkipContig();
      continue;
    }
    const bool is_new = *contig != contig_;
    contig_ = *contig;
    sites_->Read(std::min(piece_sites_, max_sites_), markers_);
    piece_sites_ = std::min(2 * piece_sites_, kMaxSites);
    if (content_ == LineContent::kGenotypes) {
      if (is_new) CheckReference();
      ReadPeople();
      CheckBuild();
    }
    if (!markers_.empty()) return true;
  }
  return false;
}

// Returns the name that the files have for a contig of the sites, or nothing if they have no reads on it.
std::optional<std::string> AlignmentLines::StudyName(const std::string& site_contig) {
  const auto name = FindContig(NamesOfContigs(contigs_), site_contig);
  return name && IsRead(*name) ? name : std::nullopt;
}

bool AlignmentLines::IsRead(const std::string& contig) {
  const auto known = has_reads_.find(contig);
  if (known != has_reads_.end()) return known->second;
  return has_reads_.emplace(contig, HasReads(*study_, contig)).first->second;
}

std::optional<std::vector<std::string>> AlignmentLines::KnownContigs() {
  const auto with_sites = sites_->KnownContigs();
  if (!with_sites) return std::nullopt;
  std::vector<std::string> contigs;
  for (const std::string& name : *with_sites) {
    if (const auto contig = StudyName(name)) contigs.push_back(*contig);
  }
  return contigs;
}

bool AlignmentLines::Seek(const Region& region) {
  const auto known = sites_->KnownContigs();
  const std::vector<std::string> names = known ? *known : NamesOfContigs(sites_->header_contigs());
  Region place = region;
  place.contig = FindContig(names, region.contig).value_or(region.contig);
  sites_->Seek(place);
  markers_.clear();
  likelihoods_.clear();
  next_ = 0;
  piece_sites_ = kFirstSites;
  return true;
}

void AlignmentLines::ReadPeople() {
  const std::vector<PileupSite> sites = PileupSites(markers_, study_->filter.ignores_transitions);
  likelihoods_.assign(samples_.size() * markers_.size(), {});
  reads_.assign(samples_.size(), {.alleles = {}, .first = std::vector<uint32_t>(markers_.size() + 1)});
  const auto [begin, end] = CountedSites(sites);
  num_sites_ += end - begin;
  people_.Read(contig_, sites, [&, begin = begin, end = end](size_t person, const SamplePileup& pileup) {
    pileup.Fill({likelihoods_.data() + person * markers_.size(), markers_.size()});
    reads_[person] = pileup.Reads(markers_.size());
    counts_[person].Add(pileup.Count(begin, end));
  });
}

// Returns the first of the sites that are counted, and the one after the last.
std::pair<size_t, size_t> AlignmentLines::CountedSites(std::span<const PileupSite> sites) const {
  if (!counted_) return {0, sites.size()};
  if (!SameContig(counted_->contig, contig_)) return {0, 0};
  const auto first = std::ranges::lower_bound(sites, counted_->begin - 1, {}, &PileupSite::position);
  const auto last = std::ranges::upper_bound(sites, counted_->end - 1, {}, &PileupSite::position);
  return {first - sites.begin(), last - sites.begin()};
}

void AlignmentLines::CheckReference() const {
  if (study_->fasta.empty()) return;
  const ReferenceFile reference(study_->fasta);
  const Marker* first = nullptr;
  size_t compared = 0, different = 0;
  for (size_t m = 0; m < std::min(markers_.size(), kSitesForReference); ++m) {
    const Marker& marker = markers_[m];
    const int64_t begin = marker.position - 1;
    const std::string bases = reference.Bases(contig_, begin, begin + static_cast<int64_t>(marker.ref.size()));
    if (bases.find_first_not_of("ACGTacgt") != std::string::npos) continue;  // N: not known
    ++compared;
    if (SameBases(bases, marker.ref)) continue;
    if (different++ == 0) first = &marker;
  }
  if (static_cast<double>(different) <= kMaxOtherRef * static_cast<double>(compared)) return;
  throw InputError(
      fmt::format("{}: REF of {} of {} on contig {} is not there (first: {}:{} {}): the sites are of "
                  "another genome build; give panel, reads and reference of one",
                  study_->fasta, different, Counted(compared, "site"), contig_, contig_, first->position,
                  first->ref.substr(0, 20)));
}

void AlignmentLines::CheckBuild() const {
  const auto check = [&](const std::string& path, const ReadCounts& counts) {
    if (!counts.IsOfAnotherBuild()) return;
    const double share = static_cast<double>(counts.neither) / static_cast<double>(counts.snv_reads);
    throw InputError(
        fmt::format("{}: {:.0f} % of the reads at the sites of contig {} have neither REF nor ALT: they were "
                    "aligned to another genome build than that of the sites; give both of one build",
                    path, 100 * share, contig_));
  };
  ReadCounts all;
  for (const ReadCounts& counts : counts_) all.Add(counts);
  check(name_, all);
  for (size_t p = 0; p < counts_.size(); ++p) check(JoinNames(study_->people[p].files, kSamplesShown), counts_[p]);
}

void AlignmentLines::Tell() const {
  if (num_sites_ == 0) return;
  const auto sites = static_cast<double>(num_sites_);
  ReadCounts all;
  std::vector<double> depths;
  for (size_t p = 0; p < samples_.size(); ++p) {
    const ReadCounts& counts = counts_[p];
    all.Add(counts);
    depths.push_back(static_cast<double>(counts.reads) / sites);
    LogToFile(fmt::format("reads of {}: mean depth {:.3f}, at {} of {}", samples_[p], depths.back(),
                          counts.sites_with_reads, Counted(num_sites_, "site")));
  }
  const double people = static_cast<double>(samples_.size()) * sites;
  LogInfo("{}: reads of {} at {}: mean depth {:.2f} (of a person {:.2f} to {:.2f}); {:.1f} % of the sites have reads",
          name_, Counted(samples_.size(), "sample"), Counted(num_sites_, "site"),
          static_cast<double>(all.reads) / people, *std::ranges::min_element(depths), *std::ranges::max_element(depths),
          100 * static_cast<double>(all.sites_with_reads) / people);
}

}  // namespace

LineOpener OpenAlignmentLines(const std::string& name, std::shared_ptr<const AlignmentStudy> study,
                              const SiteOpener& sites, const AlignmentPieces& pieces) {
  const auto opener = [&](LineContent content) -> LineOpener::Function {
    return [=] { return std::make_unique<AlignmentLines>(name, study, sites(), content, pieces); };
  };
  return {.genotypes = opener(LineContent::kGenotypes), .sites = opener(LineContent::kSites)};
}

}  // namespace haplospin
