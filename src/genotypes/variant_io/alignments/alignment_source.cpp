#include "genotypes/variant_io/alignments/alignment_source.h"

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
#include "genotypes/genomics/sites/contig_index.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/alignments/people_errors.h"
#include "genotypes/variant_io/alignments/people_reads.h"
#include "genotypes/variant_io/alignments/reads_findings.h"
#include "genotypes/variant_io/alignments/sample_pileup.h"
#include "genotypes/variant_io/reading/site_reader.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Sites that are read at a time: few at first, because some readers only want the first ones.
constexpr size_t kLeastSites = 64, kFirstSites = 2048, kMaxSites = 32768;
constexpr size_t kPersonBytes = sizeof(GenotypeLikelihoods) + sizeof(uint32_t) + 2 * sizeof(ReadAllele);  // at a site
constexpr size_t kPileupBytes = 128;  // of a person whose reads are looked at, at a site with some

constexpr size_t kSitesForReference = 2000;  // of a contig, the REF of which are compared with the reference
constexpr double kMaxOtherRef = 0.05;        // share of them that may differ

constexpr size_t kRecordBytes = size_t{1} << 22;  // of the records that are given at a time

// Returns how many sites a piece may have.
size_t MaxSites(size_t bytes, size_t people) {
  return std::clamp(bytes / (kPersonBytes * people + kPileupBytes * Threads()), kLeastSites, kMaxSites);
}

class AlignmentSource : public RecordSource {
 public:
  AlignmentSource(const std::string& name, std::shared_ptr<const AlignmentStudy> study, const std::string& sites,
                  RecordKind kind, const AlignmentPieces& pieces, std::shared_ptr<PeopleErrors> errors)
      : RecordSource({.path = name, .samples = study->Names(), .contigs = study->contigs}),
        study_(std::move(study)),
        sites_(sites),
        kind_(kind),
        counted_(pieces.counted),
        max_sites_(MaxSites(pieces.max_bytes, study_->people.size())),
        people_(study_),
        errors_(std::move(errors)),
        contigs_(header_.contigs),
        counts_(study_->people.size()) {
    header_.described = sites_.described();
    header_.CheckSamples("; give different names in a --target-list");
    CheckContigLengths(name, header_.contigs, "the header of the panel or the sites", sites_.header_contigs());
  }

  size_t Read() override {
    if (next_ == markers_.size() && !NextPiece()) return 0;
    first_ = next_;
    const size_t most = std::max(kRecordBytes / (kPersonBytes * header_.samples.size()), kLeastSites);
    next_ = std::min(first_ + most, markers_.size());
    return Hold(next_ - first_);
  }

  std::optional<std::vector<std::string>> IndexedContigs() override {
    const auto with_sites = sites_.KnownContigs();
    if (!with_sites) return std::nullopt;
    std::vector<std::string> contigs;
    for (const std::string& name : *with_sites) {
      if (const auto contig = StudyName(name)) contigs.push_back(*contig);
    }
    return contigs;
  }

  bool Seek(const Region& region) override {
    sites_.Seek(region);
    markers_.clear();
    next_ = 0;
    piece_sites_ = kFirstSites;
    return true;
  }

  void Tell() const override {
    if (num_sites_ == 0) return;
    const auto sites = static_cast<double>(num_sites_);
    ReadCounts all;
    std::vector<double> depths;
    for (size_t p = 0; p < header_.samples.size(); ++p) {
      const ReadCounts& counts = counts_[p];
      all.Add(counts);
      depths.push_back(static_cast<double>(counts.reads) / sites);
      const std::string left_out = LeftOutText(counts, study_->filter);
      LogToFile(fmt::format("reads of {}: mean depth {:.3f}, at {} of {}{}", header_.samples[p], depths.back(),
                            counts.sites_with_reads, Counted(num_sites_, "site"),
                            left_out.empty() ? "" : "; left out: " + left_out));
    }
    const double people = static_cast<double>(header_.samples.size()) * sites;
    LogInfo("{}: reads of {} at {}: mean depth {:.2f} (of a person {:.2f} to {:.2f}); {:.1f} % of the sites have reads",
            header_.path, Counted(header_.samples.size(), "sample"), Counted(num_sites_, "site"),
            static_cast<double>(all.reads) / people, *std::ranges::min_element(depths),
            *std::ranges::max_element(depths), 100 * static_cast<double>(all.sites_with_reads) / people);
    errors_->Tell(header_.path);
    if (const size_t linked = std::ranges::count_if(counts_, [](const ReadCounts& c) { return c.linked > 0; })) {
      LogInfo("{}: linked reads of {}: those with one barcode (BX) are of one molecule, if they are near each other",
              header_.path, Counted(linked, "sample"));
    }
    auto findings = FindReadsProblems(header_.samples, counts_, study_->filter, errors_->Models());
    if (auto nobodys = FindNobodysReads(people_.CountOfNobody())) findings.push_back(std::move(*nobodys));
    for (const ReadsFinding& finding : findings) LogWarning("{}: {}; {}", header_.path, finding.what, finding.remedy);
  }

 private:
  // Reads the next piece that has sites. Returns false at the end.
  bool NextPiece() {
    markers_.clear();
    next_ = 0;
    for (auto name = sites_.NextContig(); name; name = sites_.NextContig()) {
      const auto contig = StudyName(*name);
      if (!contig) {
        sites_.SkipContig();
        continue;
      }
      const bool is_new = *contig != contig_;
      contig_ = *contig;
      sites_.Read(std::min(piece_sites_, max_sites_), markers_);
      piece_sites_ = std::min(2 * piece_sites_, kMaxSites);
      if (kind_ != RecordKind::kSites) {
        if (is_new) CheckReference();
        ReadPeople();
        CheckBuild();
      }
      if (!markers_.empty()) return true;
    }
    return false;
  }

  // Returns the name that the files have for a contig of the sites, or nothing if they have no reads on it.
  std::optional<std::string> StudyName(const std::string& site_contig) {
    const auto found = contigs_.Find(site_contig);
    if (!found || !IsRead(header_.contigs[*found].first)) return std::nullopt;
    return header_.contigs[*found].first;
  }

  bool IsRead(const std::string& contig) {
    const auto known = has_reads_.find(contig);
    if (known != has_reads_.end()) return known->second;
    return has_reads_.emplace(contig, HasReads(*study_, contig)).first->second;
  }

  void ReadPeople() {
    const std::vector<PileupSite> sites = PileupSites(markers_, study_->filter.ignores_transitions);
    likelihoods_.assign(header_.samples.size() * markers_.size(), {});
    reads_.assign(header_.samples.size(), {.alleles = {}, .first = std::vector<uint32_t>(markers_.size() + 1)});
    const auto [begin, end] = CountedSites(sites);
    num_sites_ += end - begin;
    people_.Read(contig_, sites, errors_->Models(),
                 [&, begin = begin, end = end](size_t person, const SamplePileup& pileup) {
                   pileup.Fill({likelihoods_.data() + person * markers_.size(), markers_.size()});
                   reads_[person] = pileup.Reads(markers_.size());
                   counts_[person].Add(pileup.Count(begin, end));
                 });
  }

  // Returns the first of the sites that are counted, and the one after the last.
  std::pair<size_t, size_t> CountedSites(std::span<const PileupSite> sites) const {
    if (!counted_) return {0, sites.size()};
    if (!SameContig(counted_->contig, contig_)) return {0, 0};
    const auto first = std::ranges::lower_bound(sites, counted_->begin - 1, {}, &PileupSite::position);
    const auto last = std::ranges::upper_bound(sites, counted_->end - 1, {}, &PileupSite::position);
    return {first - sites.begin(), last - sites.begin()};
  }

  void CheckReference() const {
    if (!study_->reference) return;
    const Marker* first = nullptr;
    size_t compared = 0, different = 0, exchanged = 0;
    for (size_t m = 0; m < std::min(markers_.size(), kSitesForReference); ++m) {
      const Marker& marker = markers_[m];
      const int64_t begin = marker.position - 1;
      const std::string bases =
          study_->reference->Bases(contig_, begin, begin + static_cast<int64_t>(marker.ref.size()));
      if (bases.find_first_not_of("ACGTacgt") != std::string::npos) continue;  // N: not known
      ++compared;
      if (SameBases(bases, marker.ref)) continue;
      if (different++ == 0) first = &marker;
      exchanged += SameBases(bases, marker.alt) ? 1 : 0;
    }
    if (static_cast<double>(different) <= kMaxOtherRef * static_cast<double>(compared)) return;
    throw InputError(fmt::format(
        "{}: REF of {} of {} on contig {} is not there (first: {}:{} {}): {}", study_->fasta, different,
        Counted(compared, "site"), contig_, contig_, first->position, first->ref.substr(0, 20),
        2 * exchanged > different ? "ALT is, so the sites have ALT first, as plink2 --export haps or hapslegend writes "
                                    "them without ref-first; make that file anew"
                                  : "the sites are of another genome build; give panel, reads and reference of one"));
  }

  void CheckBuild() const {
    const auto check = [&](const std::string& path, const ReadCounts& counts) {
      if (!counts.IsOfAnotherBuild()) return;
      throw InputError(
          fmt::format("{}: {:.0f} % of the reads at the sites of contig {} have neither REF nor ALT: they were "
                      "aligned to another genome build than that of the sites; give both of one build",
                      path, PercentageOf(counts.neither, counts.snv_reads), contig_));
    };
    ReadCounts all;
    for (const ReadCounts& counts : counts_) all.Add(counts);
    check(header_.path, all);
    for (size_t p = 0; p < counts_.size(); ++p) check(JoinNames(study_->people[p].Paths(), kSamplesShown), counts_[p]);
  }

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override {
    StartRecord(record);
    const Marker& marker = markers_[first_ + i];
    if (!SetPlace(contig_, marker.position, filter, record)) return;
    SplitAlts(marker.alt, record.alts);
    FinishSite(kind_, marker.id, marker.ref, record);
    record.info = marker.info;
    record.continues = marker.continues_record;
    if (kind_ == RecordKind::kSites) return;
    DecodeReads(first_ + i, record);
    FinishWithoutCalls(kind_, header_.samples, record);
  }

  // Reads that tell nothing of a genotype are left out.
  void DecodeReads(size_t marker, ParsedRecord& record) const {
    const size_t people = header_.samples.size();
    std::vector<GenotypeLikelihoods>& row = record.likelihoods.emplace_back(people);
    record.reads.first.push_back(0);
    for (size_t p = 0; p < people; ++p) {
      const GenotypeLikelihoods& known = likelihoods_[p * markers_.size() + marker];
      if (!known.IsFlat()) {
        row[p] = known;
        const SamplePileup::MarkerReads& reads = reads_[p];
        const auto begin = reads.alleles.begin();
        record.reads.alleles.insert(record.reads.alleles.end(), begin + reads.first[marker],
                                    begin + reads.first[marker + 1]);
      }
      record.reads.first.push_back(static_cast<uint32_t>(record.reads.alleles.size()));
    }
  }

  const std::shared_ptr<const AlignmentStudy> study_;
  SiteReader sites_;
  const RecordKind kind_;
  const std::optional<Region> counted_;
  const size_t max_sites_;  // of a piece
  PeopleReads people_;
  const std::shared_ptr<PeopleErrors> errors_;
  const ContigIndex contigs_;
  std::unordered_map<std::string, bool> has_reads_;  // by contig, as the study names it

  // The piece that was read, and its markers that were given last, up to `next_`.
  std::string contig_;  // as the study names it
  std::vector<Marker> markers_;
  std::vector<GenotypeLikelihoods> likelihoods_;  // [people, markers]
  std::vector<SamplePileup::MarkerReads> reads_;  // [people]
  size_t first_ = 0, next_ = 0;
  size_t piece_sites_ = kFirstSites;

  std::vector<ReadCounts> counts_;  // [people] of the counted sites of all pieces
  size_t num_sites_ = 0;
};

}  // namespace

std::string NoReadsReason(const AlignmentStudy& study, const std::string& sites) {
  SiteReader reader(sites);
  std::vector<std::string> names = NamesOfContigs(reader.header_contigs());
  if (const auto& known = reader.KnownContigs()) names = *known;
  if (const auto first = reader.NextContig(); names.empty() && first) names.push_back(*first);
  const ContigIndex contigs(study.contigs);
  std::vector<std::string> shared;
  std::ranges::copy_if(names, std::back_inserter(shared),
                       [&](const std::string& name) { return contigs.Find(name).has_value(); });
  if (!shared.empty()) {
    return fmt::format("no reads on {}, of which {} has sites; give reads and sites of one contig", JoinNames(shared),
                       sites);
  }
  return fmt::format(
      "none of its contigs ({}) is in {}, which has {}; give the sites of these contigs, or rename those "
      "of the reads (samtools reheader)",
      JoinNames(NamesOfContigs(study.contigs)), sites, JoinNames(names));
}

RecordOpener AlignmentRecords(const std::string& name, const std::shared_ptr<const AlignmentStudy>& study,
                              const std::string& sites, const AlignmentPieces& pieces) {
  return [=, errors = std::make_shared<PeopleErrors>(study, sites)](const RecordContent& content) {
    return std::make_unique<AlignmentSource>(name, study, sites, content.kind, pieces, errors);
  };
}

}  // namespace haplospin
