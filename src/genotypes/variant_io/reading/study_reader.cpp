#include "genotypes/variant_io/reading/study_reader.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/log.h"
#include "genotypes/variant_io/reading/chosen_samples.h"
#include "genotypes/variant_io/reading/genotype_rows.h"
#include "genotypes/variant_io/reading/parsed_record.h"
#include "genotypes/variant_io/reading/part_samples.h"
#include "genotypes/variant_io/reading/reading_notes.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

bool TakesCallsAsReads(const StudyOptions& options) { return options.likelihoods == LikelihoodField::kGt; }

std::unique_ptr<RecordSource> OpenStudy(const std::string& path, const StudyOptions& options) {
  const RecordContent content{.kind = options.sites_only ? RecordKind::kSites : RecordKind::kStudy,
                              .phase_sets = options.phase_sets,
                              .likelihoods = TakesCallsAsReads(options) ? LikelihoodField::kNone : options.likelihoods};
  return options.open ? options.open(content) : OpenRecords(path, content);
}

bool PassesFilter(const ParsedRecord& record, const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  for (std::string_view list = record.filter; !list.empty();) {
    if (std::ranges::find(filters, PopItem(list, ';')) != filters.end()) return true;
  }
  return false;
}

}  // namespace

struct StudyReader::Impl {
  Impl(const std::string& path, StudyOptions given)
      : options(std::move(given)),
        stream(OpenStudy(path, options), options.unphased != Unphased::kReject),
        samples(options.sites_only ? ChosenSamples() : ChooseSamples(stream.header(), options)),
        notes(samples) {
    notes.counts().has_map_positions = stream.header().has_map_positions;
    regions.KeepRomanTen(stream.header().contigs);
    regions.SetAutosomes(stream.header().NumAutosomes());
  }

  // Begins the part of a contig that the record is the first of, and returns its samples.
  SampleTable StartPart(const ParsedRecord& first) {
    const ContigPart begun = regions.PartAt(first.contig, first.position);
    end = begun.end;
    if (options.sites_only) return SampleTable::Diploid({});
    const bool are_haploid = options.is_haploid && options.is_haploid(first.contig);
    part.emplace(samples, stream, first, begun, are_haploid);
    notes.NotePart(*part);
    return part->table();
  }

  bool Passes(const ParsedRecord& record) {
    const bool passes = PassesFilter(record, options.filters);
    notes.NoteFilter(record, passes);
    return passes;
  }

  // Appends the markers of a record, with the genotypes of the samples of the part.
  void Take(ParsedRecord& record, StudyGenotypes& study) {
    options.sites_only ? RemoveUnspecified(record) : PrepareGenotypes(record);
    StudyReading& counts = notes.counts();
    counts.blocks += record.is_block ? 1 : 0;
    if (record.alts.empty()) record.alts.emplace_back(".");
    for (size_t a = 0; a < record.alts.size(); ++a) {
      Marker marker = TakeMarker(stream.header().described, record, a);
      if (options.excluded_markers && options.excluded_markers->Find(study.contig, marker)) {
        ++counts.excluded_markers;
        continue;
      }
      StudyMarker& taken = study.markers.emplace_back(StudyMarker{std::move(marker), {}});
      if (options.sites_only) continue;
      taken.genotypes = MakeGenotypeRow(record, a, *part, options.unphased);
      if (record.likelihoods.empty()) notes.NoteAlleles(taken.marker.position, taken.genotypes.alleles);
    }
  }

  // Makes the genotypes of a record those that the samples of the part may have.
  void PrepareGenotypes(ParsedRecord& record) {
    StudyReading& counts = notes.counts();
    counts.female_calls_on_y += part->RemoveCallsOfLacking(record);
    counts.one_allele_of_two += part->CheckPloidy(record);
    if (TakesCallsAsReads(options)) record.likelihoods = CallsAsReads(record.calls, record.alts.size() + 1);
    notes.NoteGenotypes(record);
    counts.male_heterozygotes += part->CountMaleHeterozygotes(record);
  }

  StudyOptions options;
  RecordStream stream;
  const ChosenSamples samples;
  ReadingNotes notes;
  PloidyRegions regions;
  int64_t end = 0;                  // of the part that was begun, bp
  std::optional<PartSamples> part;  // that was begun, unless there are sites only
};

StudyReader::StudyReader(const std::string& path, StudyOptions options)
    : impl_(std::make_unique<Impl>(path, std::move(options))) {}
StudyReader::~StudyReader() = default;
StudyReader::StudyReader(StudyReader&&) noexcept = default;

const RecordHeader& StudyReader::header() const { return impl_->stream.header(); }

const std::vector<std::string>& StudyReader::sample_names() const { return impl_->samples.names; }

bool StudyReader::has_males() const {
  const std::vector<bool>& is_male = impl_->samples.is_male;
  return std::ranges::find(is_male, true) != is_male.end();
}

std::vector<std::string> StudyReader::Contigs() { return impl_->stream.Contigs(); }

std::optional<std::string> StudyReader::NextContig() {
  const ParsedRecord* record = impl_->stream.Peek();
  return record == nullptr ? std::nullopt : std::optional(record->contig);
}

std::optional<int64_t> StudyReader::NextPosition() {
  const ParsedRecord* record = impl_->stream.Peek();
  return record == nullptr ? std::nullopt : std::optional(record->position);
}

void StudyReader::DivideContigs(const PloidyRegions& regions) { impl_->regions = regions; }

bool StudyReader::IsSexOrMitochondrial(const std::string& contig) const {
  return impl_->regions.IsSexOrMitochondrial(contig);
}

StudyGenotypes StudyReader::StartContig() {
  const ParsedRecord* record = impl_->stream.Peek();
  if (record == nullptr) throw InputError(header().path + ": no records; give a file with typed genotypes");
  return {.contig = record->contig, .samples = impl_->StartPart(*record), .ref_is_unknown = header().ref_is_unknown};
}

bool StudyReader::ReadUntil(int64_t position, StudyGenotypes& study) {
  for (;;) {
    ParsedRecord* record = impl_->stream.Peek();
    if (record == nullptr || record->contig != study.contig || record->position > impl_->end) return false;
    if (record->position > position) return true;
    if (impl_->Passes(*record)) impl_->Take(*record, study);
    impl_->stream.Pop();
  }
}

StudyReading StudyReader::Reading() const {
  StudyReading reading = impl_->notes.Found();
  reading.has_unphased = impl_->stream.has_unphased();
  if (impl_->options.excluded_markers) reading.unknown_exclusions = impl_->options.excluded_markers->NotFound();
  return reading;
}

void StudyReader::WarnOfAbsentMales() const {
  const std::vector<std::string>&males = impl_->options.males, &females = impl_->options.females;
  std::unordered_set<std::string_view> known(males.begin(), males.end());
  known.insert(females.begin(), females.end());  // in a study of females, the names are right as well
  const auto is_known = [&](const std::string& sample) { return known.contains(sample); };
  if (males.empty() || std::ranges::any_of(header().samples, is_known)) return;
  LogWarning(
      "{}: none of its samples is a male of --sex; the column of individuals in that file must have the names of "
      "samples",
      header().path);
}

void StudyReader::TellOfReads() const { impl_->stream.source().Tell(); }

void StudyReader::SkipContig() { impl_->stream.SkipContig(); }

void StudyReader::Seek(const Region& region) { impl_->stream.Seek(region); }

}  // namespace haplospin
