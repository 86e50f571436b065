#include "genotypes/variant_io/reading/study_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/log.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The number of alleles of the sample in this record, or nothing if all are missing, which may be written "." or "./.".
std::optional<int> CalledPloidy(const GenotypeCalls& calls, size_t sample) {
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  if (first < 0 && second < 0) return std::nullopt;
  return second == kAbsentCall ? 1 : 2;
}

// Returns whether one of two alleles is missing. Some programs write the alleles of haploid males so.
bool IsHalfMissing(const GenotypeCalls& calls, size_t sample) {
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  return second != kAbsentCall && (first < 0) != (second < 0);
}

// The number of alleles that the call tells or, without one, the likelihoods: one of each allele is of a haploid
// sample.
std::optional<int> FindPloidy(const ParsedRecord& record, size_t column) {
  const auto called = CalledPloidy(record.calls, column);
  if (called || record.is_haploid.empty() || !record.is_haploid[column]) return called;
  return 1;
}

bool HasGenotype(const ParsedRecord& record, size_t column) {
  return record.likelihoods.empty() ? CalledPloidy(record.calls, column).has_value()
                                    : !record.likelihoods[0][column].IsFlat();
}

void SetMissing(size_t column, ParsedRecord& record) {
  record.calls.alleles[2 * column] = record.calls.alleles[2 * column + 1] = kMissingCall;
  if (!record.calls.unphased.empty()) record.calls.unphased[column] = 0;
  if (!record.is_haploid.empty()) record.is_haploid[column] = false;
  for (auto& row : record.likelihoods) row[column] = {};
}

// Returns the likelihoods of a sample that cannot be heterozygous.
GenotypeLikelihoods HaploidLikelihoods(const GenotypeLikelihoods& genotype) {
  const auto [none, one, two] = genotype.phred;
  const uint8_t best = std::min(none, two);
  return {{static_cast<uint8_t>(none - best), UINT8_MAX, static_cast<uint8_t>(two - best)}};
}

// Returns the alleles of genotypes that are certain, in the order REF, ALT; others are missing: [haplotypes].
std::vector<uint8_t> CertainAlleles(const std::vector<GenotypeLikelihoods>& row, const SampleTable& samples) {
  std::vector<uint8_t> alleles(samples.num_haplotypes(), kMissingAllele);
  for (size_t s = 0; s < row.size(); ++s) {
    const std::array<uint8_t, 3>& phred = row[s].phred;
    const auto best = static_cast<size_t>(std::ranges::min_element(phred) - phred.begin());
    const auto below = std::ranges::count_if(phred, [](uint8_t value) { return value < kCertainPhred; });
    if (below > 1) continue;
    const uint32_t first = samples.first_haplotype[s], last = samples.first_haplotype[s + 1] - 1;
    alleles[first] = best == 2 ? 1 : 0;
    alleles[last] = best == 0 ? 0 : 1;
  }
  return alleles;
}

// [samples] 1 for diploid samples with two different alleles.
std::vector<uint8_t> Heterozygotes(const std::vector<uint8_t>& alleles, const SampleTable& samples) {
  std::vector<uint8_t> result(samples.num_samples());
  for (size_t s = 0; s < result.size(); ++s) {
    const uint32_t h = samples.first_haplotype[s];
    result[s] = samples.ploidy(s) == 2 && alleles[h] != alleles[h + 1] ? 1 : 0;
  }
  return result;
}

}  // namespace

struct StudyReader::Impl {
  Impl(const std::string& path, StudyOptions given)
      : options(std::move(given)), stream(OpenStudy(path, options), options.unphased != Unphased::kReject) {
    reading.has_map_positions = stream.header().has_map_positions;
    if (!options.sites_only) ChooseSamples();
  }

  static std::unique_ptr<RecordSource> OpenStudy(const std::string& path, const StudyOptions& options) {
    const RecordContent content{
        .kind = options.sites_only ? RecordKind::kSites : RecordKind::kStudy,
        .phase_sets = options.phase_sets,
        .likelihoods = TakesCallsAsReads(options) ? LikelihoodField::kNone : options.likelihoods};
    return options.open ? options.open(content) : OpenRecords(path, content);
  }

  static bool TakesCallsAsReads(const StudyOptions& options) { return options.likelihoods == LikelihoodField::kGt; }

  void ChooseSamples() {
    const std::unordered_set<std::string> excluded(options.excluded_samples.begin(), options.excluded_samples.end());
    const std::unordered_set<std::string> chosen(options.samples.begin(), options.samples.end());
    const std::vector<std::string>& all = stream.header().samples;
    const std::string& path = stream.header().path;
    size_t num_found = 0;
    for (size_t s = 0; s < all.size(); ++s) {
      const bool is_excluded = excluded.contains(all[s]);
      num_found += is_excluded ? 1 : 0;
      if (is_excluded || (!chosen.empty() && !chosen.contains(all[s]))) continue;
      columns.push_back(s);
      names.push_back(all[s]);
    }
    CheckChosen();
    if (names.empty()) throw InputError(path + ": all of its samples are excluded; keep some");
    FindSexes();
    had_part.resize(names.size());
    without_genotypes.resize(names.size());
    std::iota(without_genotypes.begin(), without_genotypes.end(), size_t{0});
    if (num_found < excluded.size()) {
      LogWarning("{}: has only {} of the {} samples to exclude", path, num_found, excluded.size());
    }
  }

  // A name that was misspelled would be missing from the results.
  void CheckChosen() const {
    const std::unordered_set<std::string> all(stream.header().samples.begin(), stream.header().samples.end());
    const auto missing = std::ranges::find_if(options.samples, [&](const auto& name) { return !all.contains(name); });
    if (missing == options.samples.end()) return;
    throw InputError(
        fmt::format("{}: has no sample {}, which was chosen; correct the list", stream.header().path, *missing));
  }

  // Returns whether the record is to be read, and counts it.
  bool PassesFilter(const ParsedRecord& record) {
    if (record.filter != "PASS" && record.filter != "." && reading.failed++ == 0) reading.first_failed = record.filter;
    if (options.filters.empty()) return true;
    for (std::string_view list = record.filter; !list.empty();) {
      if (std::ranges::find(options.filters, PopItem(list, ';')) != options.filters.end()) return true;
    }
    ++reading.filtered;
    return false;
  }

  void NoteGenotypes(const ParsedRecord& record) {
    ++(record.likelihoods.empty() ? reading.without_likelihoods : reading.with_likelihoods);
    for (size_t basis = 0; basis < reading.weighed.size(); ++basis) reading.weighed[basis] += record.weighed[basis];
    if (record.imputation_flag != nullptr && reading.imputed++ == 0) reading.imputation_flag = record.imputation_flag;
    reading.no_calls += record.no_calls;
    reading.failed_calls.Add(record.failed_calls);
    std::erase_if(without_genotypes, [&](size_t s) { return HasGenotype(record, columns[s]); });
  }

  void FindSexes() {
    const std::unordered_set<std::string> males(options.males.begin(), options.males.end());
    const std::unordered_set<std::string> females(options.females.begin(), options.females.end());
    const RecordHeader& header = stream.header();
    const auto has = [](const std::vector<bool>& in_file, size_t column) {
      return !in_file.empty() && in_file[column];
    };
    for (size_t s = 0; s < names.size(); ++s) {
      is_male.push_back(males.contains(names[s]) || has(header.is_male, columns[s]));
      is_female.push_back(!is_male[s] && (females.contains(names[s]) || has(header.is_female, columns[s])));
    }
  }

  // Returns whether a sample that is read has nothing of the part, whatever the file has.
  bool LacksPart(size_t sample) const { return part.females_lack_it && is_female[sample]; }

  // Finds the samples of a part, and returns them with their ploidy. Females have no Y, and males no W: a sample
  // without genotypes there is no sample of the part, unless it is a male (on Y), or no sample has any.
  SampleTable StartPart(const std::string& contig) {
    part_columns.clear();
    part_is_male.clear();
    const std::vector<int> ploidies = FindPloidies(contig);
    const bool has_absent = part.IsLacking() && std::ranges::max(ploidies) > 0;
    SampleTable samples{{}, {0}};
    for (size_t s = 0; s < columns.size(); ++s) {
      if (has_absent && ploidies[s] == 0) continue;
      samples.Add(names[s], ploidies[s] == 0 ? 2 : ploidies[s]);
      part_columns.push_back(columns[s]);
      part_is_male.push_back(is_male[s]);
      had_part[s] = true;
    }
    CountHaploidFemales(ploidies);
    KeepDiploidMales(reading);
    male_search.reset();
    if (part.males_are_haploid) male_search.emplace(samples);
    size_t& num_absent = part.males_lack_it ? reading.absent_males : reading.absent_females;
    num_absent = std::max(num_absent, columns.size() - part_columns.size());
    return samples;
  }

  void CountHaploidFemales(const std::vector<int>& ploidies) {
    if (!part.males_are_haploid || part.females_lack_it) return;
    size_t count = 0;
    for (size_t s = 0; s < ploidies.size(); ++s) count += is_female[s] && ploidies[s] == 1 ? 1 : 0;
    reading.haploid_females = std::max(reading.haploid_females, count);
  }

  void KeepDiploidMales(StudyReading& found) const {
    const DiploidMales males = male_search ? male_search->Find() : DiploidMales();
    if (males.samples > found.diploid_males.samples) found.diploid_males = males;
  }

  // Returns whether a sample of the part has one allele, whatever the file has.
  bool IsHaploidMale(size_t sample) const { return part.males_are_haploid && part_is_male[sample]; }

  // Returns whether a sample that is read has two alleles at a record of the part.
  bool AnyIsDiploid(const std::string& contig) const {
    bool any = false;
    stream.ForEachParsed([&](const ParsedRecord& record) {
      if (any || !IsOfPart(record, contig)) return;
      any = std::ranges::any_of(columns, [&](size_t column) { return FindPloidy(record, column) == 2; });
    });
    return any;
  }

  // Returns whether a record that was read ahead is of the part, and without an error.
  bool IsOfPart(const ParsedRecord& record, const std::string& contig) const {
    return record.contig == contig && record.position <= part.end && record.error.empty() && !record.is_outside;
  }

  // Finds the ploidy of each sample that is read; 0 where it has no genotype.
  std::vector<int> FindPloidies(const std::string& contig) const {
    const bool is_of_sex = part.males_are_haploid || part.IsLacking();
    if (options.is_haploid && !is_of_sex && options.is_haploid(contig)) return std::vector<int>(columns.size(), 1);
    std::vector<int> ploidies(columns.size(), 0);
    std::vector<bool> has_half(columns.size()), has_likelihoods(columns.size());
    for (size_t s = 0; s < ploidies.size(); ++s) ploidies[s] = part.males_are_haploid && is_male[s] ? 1 : 0;
    size_t num_unknown = 0;
    for (size_t s = 0; s < ploidies.size(); ++s) num_unknown += ploidies[s] == 0 && !LacksPart(s) ? 1 : 0;
    stream.ForEachParsed([&](const ParsedRecord& record) {
      if (num_unknown == 0 || !IsOfPart(record, contig)) return;
      for (size_t s = 0; s < ploidies.size(); ++s) {
        if (ploidies[s] != 0 || LacksPart(s)) continue;
        if (part.males_are_haploid && IsHalfMissing(record.calls, columns[s])) {
          has_half[s] = true;
          continue;
        }
        ploidies[s] = FindPloidy(record, columns[s]).value_or(0);
        has_likelihoods[s] = has_likelihoods[s] || HasGenotype(record, columns[s]);
        if (ploidies[s] != 0) --num_unknown;
      }
    });
    // Where males are haploid, a sample whose genotypes are all half missing is one.
    for (size_t s = 0; s < ploidies.size(); ++s) {
      if (ploidies[s] == 0) ploidies[s] = has_half[s] ? 1 : has_likelihoods[s] ? 2 : 0;
    }
    if (part.is_pseudo_autosomal && AnyIsDiploid(contig)) std::ranges::fill(ploidies, 2);
    return ploidies;
  }

  void CheckPloidy(const ParsedRecord& record, const SampleTable& samples) {
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      if (samples.ploidy(s) == 1 && IsHalfMissing(record.calls, part_columns[s])) continue;
      const auto ploidy = FindPloidy(record, part_columns[s]);
      if (ploidy == 1 && samples.ploidy(s) == 2 && part.is_pseudo_autosomal) {
        ++reading.one_allele_of_two;
      } else if (ploidy && *ploidy != samples.ploidy(s) && !IsHaploidMale(s)) {
        stream.Fail(record, PloidyChange(samples.names[s], *ploidy, first_position));
      }
    }
    if (part_columns.size() < columns.size()) CheckAbsent(record);
  }

  // A genotype that comes late would be lost.
  void CheckAbsent(const ParsedRecord& record) const {
    size_t next = 0;
    for (size_t s = 0; s < columns.size(); ++s) {
      if (next < part_columns.size() && part_columns[next] == columns[s]) {
        ++next;
      } else if (HasGenotype(record, columns[s])) {
        stream.Fail(record, fmt::format("sample {} has a genotype here, but none at the first markers of the contig, "
                                        "as a {} set its genotypes on the contig missing",
                                        names[s],
                                        part.males_lack_it ? "male; if it is a female, remove these markers, otherwise"
                                                           : "female; if it is a male, tell with --sex, otherwise"));
      }
    }
  }

  // Probes and reads that show alleles on Y in females are of other contigs, which are alike there.
  void RemoveCallsOfLacking(ParsedRecord& record) {
    if (!part.females_lack_it) return;
    for (size_t s = 0; s < columns.size(); ++s) {
      if (!LacksPart(s) || !HasGenotype(record, columns[s])) continue;
      ++reading.female_calls_on_y;
      SetMissing(columns[s], record);
    }
  }

  // Appends the markers of a record, with the genotypes of the samples of the part.
  void Take(ParsedRecord& record, StudyGenotypes& study) {
    if (options.sites_only) {
      RemoveUnspecified(record);
    } else {
      RemoveCallsOfLacking(record);
      CheckPloidy(record, study.samples);
      if (TakesCallsAsReads(options)) record.likelihoods = CallsAsReads(record.calls, record.alts.size() + 1);
      NoteGenotypes(record);
      if (part.males_are_haploid) CountMaleHeterozygotes(record);
    }
    reading.blocks += record.is_block ? 1 : 0;
    if (record.alts.empty()) record.alts.emplace_back(".");
    for (size_t a = 0; a < record.alts.size(); ++a) {
      Marker marker = TakeMarker(stream.header().described, record, a);
      if (Excludes(study.contig, marker)) {
        ++reading.excluded_markers;
      } else {
        const int64_t position = marker.position;
        study.markers.push_back(
            {std::move(marker), options.sites_only ? GenotypeRow() : Genotypes(record, a, study.samples)});
        if (male_search && record.likelihoods.empty()) {
          male_search->Add(position, study.markers.back().genotypes.alleles);
        }
      }
    }
  }

  // The alleles of the samples that are not excluded: 1 for the ALT of index `alt`.
  std::vector<uint8_t> Alleles(const ParsedRecord& record, size_t alt, const SampleTable& samples) const {
    std::vector<uint8_t> alleles;
    alleles.reserve(samples.num_haplotypes());
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const int16_t* calls = &record.calls.alleles[2 * part_columns[s]];
      for (int copy = 0; copy < samples.ploidy(s); ++copy) {
        const bool is_other = samples.ploidy(s) == 1 && calls[0] == kMissingCall;  // ./0 of a male
        const bool is_homozygous = calls[1] == kAbsentCall;                        // one allele of two
        const int16_t call = calls[is_other ? 1 : is_homozygous ? 0 : copy];
        const bool is_missing = call < 0 || IsMaleHeterozygote(record, s);
        alleles.push_back(is_missing ? kMissingAllele : call == static_cast<int16_t>(alt + 1) ? 1 : 0);
      }
    }
    return alleles;
  }

  // Returns the likelihoods of the samples that are not excluded, for the ALT of index `alt`.
  std::vector<GenotypeLikelihoods> Likelihoods(const ParsedRecord& record, size_t alt,
                                               const SampleTable& samples) const {
    std::vector<GenotypeLikelihoods> row(part_columns.size());
    for (size_t s = 0; s < row.size(); ++s) {
      row[s] = record.likelihoods[alt][part_columns[s]];
      if (samples.ploidy(s) == 1) row[s] = HaploidLikelihoods(row[s]);
    }
    return row;
  }

  bool IsMaleHeterozygote(const ParsedRecord& record, size_t sample) const {
    const int16_t* calls = &record.calls.alleles[2 * part_columns[sample]];
    return IsHaploidMale(sample) && calls[0] >= 0 && calls[1] >= 0 && calls[0] != calls[1];
  }

  void CountMaleHeterozygotes(const ParsedRecord& record) {
    for (size_t s = 0; s < part_columns.size(); ++s)
      reading.male_heterozygotes += IsMaleHeterozygote(record, s) ? 1 : 0;
  }

  // Returns the genotypes of the samples that are not excluded, for the ALT of index `alt`.
  GenotypeRow Genotypes(const ParsedRecord& record, size_t alt, const SampleTable& samples) const {
    GenotypeRow row;
    if (record.likelihoods.empty()) {
      row.alleles = Alleles(record, alt, samples);
    } else {
      row.likelihoods = Likelihoods(record, alt, samples);
      row.alleles = CertainAlleles(row.likelihoods, samples);
    }
    if (!record.reads.empty()) TakeReads(record.reads, row);
    row.unphased = UnphasedSamples(record, row.alleles, samples);
    row.phase_sets = PhaseSets(record, row.alleles, samples);
    return row;
  }

  void TakeReads(const ReadAlleleRow& reads, GenotypeRow& row) const {
    row.first_read.push_back(0);
    for (const size_t column : part_columns) {
      const std::span<const ReadAllele> alleles = reads.At(column);
      row.reads.insert(row.reads.end(), alleles.begin(), alleles.end());
      row.first_read.push_back(static_cast<uint32_t>(row.reads.size()));
    }
  }

  // 1 for each sample whose alleles may be in either order, or empty if there is none.
  std::vector<uint8_t> UnphasedSamples(const ParsedRecord& record, const std::vector<uint8_t>& alleles,
                                       const SampleTable& samples) const {
    if (options.unphased == Unphased::kReadAll) return Heterozygotes(alleles, samples);
    if (record.calls.unphased.empty()) return {};
    std::vector<uint8_t> unphased;
    unphased.reserve(part_columns.size());
    for (size_t s = 0; s < part_columns.size(); ++s) {
      unphased.push_back(IsHaploidMale(s) ? uint8_t{0} : record.calls.unphased[part_columns[s]]);
    }
    return unphased;
  }

  // Returns the sets of the heterozygotes among the alleles, or nothing if the record has no sets.
  std::vector<uint32_t> PhaseSets(const ParsedRecord& record, const std::vector<uint8_t>& alleles,
                                  const SampleTable& samples) const {
    if (record.calls.phase_sets.empty()) return {};
    const std::vector<uint8_t> is_heterozygous = Heterozygotes(alleles, samples);
    std::vector<uint32_t> sets(part_columns.size());
    for (size_t s = 0; s < sets.size(); ++s) {
      if (is_heterozygous[s] != 0) sets[s] = record.calls.phase_sets[part_columns[s]];
    }
    return sets;
  }

  bool Excludes(const std::string& contig, const Marker& marker) {
    return options.excluded_markers && options.excluded_markers->Find(contig, marker);
  }

  StudyOptions options;
  RecordStream stream;
  std::vector<size_t> columns;  // columns of the samples that are read
  std::vector<std::string> names;
  std::vector<bool> is_male, is_female;   // [samples that are read]
  std::vector<bool> had_part;             // [samples that are read] a part of a contig with the sample was begun
  std::vector<size_t> without_genotypes;  // samples that are read, and have had no genotype so far
  PloidyRegions regions;
  ContigPart part;                               // the part that was started
  std::vector<size_t> part_columns;              // columns of its samples
  std::vector<bool> part_is_male;                // [samples of the part]
  std::optional<DiploidMaleSearch> male_search;  // of the part, where males have one haplotype
  int64_t first_position = 0;
  StudyReading reading;  // so far, without what is listed at the end
};

StudyReader::StudyReader(const std::string& path, StudyOptions options)
    : impl_(std::make_unique<Impl>(path, std::move(options))) {}
StudyReader::~StudyReader() = default;
StudyReader::StudyReader(StudyReader&&) noexcept = default;

const RecordHeader& StudyReader::header() const { return impl_->stream.header(); }

const std::vector<std::string>& StudyReader::sample_names() const { return impl_->names; }

bool StudyReader::has_males() const { return std::ranges::find(impl_->is_male, true) != impl_->is_male.end(); }

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

StudyGenotypes StudyReader::StartContig() {
  const ParsedRecord* record = impl_->stream.Peek();
  if (record == nullptr) throw InputError(header().path + ": no records; give a file with typed genotypes");
  impl_->first_position = record->position;
  impl_->part = impl_->regions.PartAt(record->contig, record->position);
  return {.contig = record->contig,
          .samples = impl_->options.sites_only ? SampleTable::Diploid({}) : impl_->StartPart(record->contig),
          .ref_is_unknown = header().ref_is_unknown};
}

bool StudyReader::ReadUntil(int64_t position, StudyGenotypes& study) {
  for (;;) {
    ParsedRecord* record = impl_->stream.Peek();
    if (record == nullptr || record->contig != study.contig || record->position > impl_->part.end) return false;
    if (record->position > position) return true;
    if (impl_->PassesFilter(*record)) impl_->Take(*record, study);
    impl_->stream.Pop();
  }
}

StudyReading StudyReader::Reading() const {
  StudyReading reading = impl_->reading;
  impl_->KeepDiploidMales(reading);
  reading.has_unphased = impl_->stream.has_unphased();
  if (impl_->options.excluded_markers) reading.unknown_exclusions = impl_->options.excluded_markers->NotFound();
  for (const size_t s : impl_->without_genotypes) {
    if (impl_->had_part[s]) reading.samples_without_genotypes.push_back(impl_->names[s]);
  }
  return reading;
}

void StudyReader::WarnOfAbsentMales() const {
  const std::unordered_set<std::string> males(impl_->options.males.begin(), impl_->options.males.end());
  const auto is_male = [&](const std::string& sample) { return males.contains(sample); };
  if (males.empty() || std::ranges::any_of(header().samples, is_male)) return;
  LogWarning(
      "{}: none of its samples is a male of --sex; the column of individuals in that file must have the names of "
      "samples",
      header().path);
}

void StudyReader::TellOfReads() const { impl_->stream.source().Tell(); }

void StudyReader::SkipContig() { impl_->stream.SkipContig(); }

void StudyReader::Seek(const Region& region) { impl_->stream.Seek(region); }

}  // namespace haplospin
