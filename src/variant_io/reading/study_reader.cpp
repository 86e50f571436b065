#include "variant_io/reading/study_reader.h"

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"
#include "variant_io/reading/variant_stream.h"

namespace haplospin {
namespace {

// The number of alleles of the sample in this record, or nothing if all are missing, which may be written "." or "./.".
std::optional<int> PloidyOf(const GenotypeCalls& calls, size_t sample) {
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  if (first < 0 && second < 0) return std::nullopt;
  return second == kAbsentCall ? 1 : 2;
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
  Impl(const std::string& path, int threads, Unphased unphased)
      : stream(path, threads, RecordParser::Kind::kStudy, unphased), unphased(unphased) {}

  std::vector<int> FindPloidies(const std::string& contig) const {
    std::vector<int> ploidies(stream.file().samples().size(), 0);
    size_t num_unknown = ploidies.size();
    stream.ForEachParsed([&](const ParsedRecord& record) {
      if (num_unknown == 0 || record.contig != contig || !record.error.empty() || record.is_outside) return;
      for (size_t s = 0; s < ploidies.size(); ++s) {
        if (ploidies[s] != 0) continue;
        ploidies[s] = PloidyOf(record.calls, s).value_or(0);
        if (ploidies[s] != 0) --num_unknown;
      }
    });
    std::ranges::replace(ploidies, 0, 2);
    return ploidies;
  }

  void CheckPloidy(const ParsedRecord& record, const SampleTable& samples) const {
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const auto ploidy = PloidyOf(record.calls, s);
      if (ploidy && *ploidy != samples.ploidy(s)) {
        stream.Fail(record, PloidyChange(samples.names[s], *ploidy, first_position));
      }
    }
  }

  VariantStream stream;
  const Unphased unphased;
  int64_t first_position = 0;
};

StudyReader::StudyReader(const std::string& path, int threads, Unphased unphased)
    : impl_(std::make_unique<Impl>(path, threads, unphased)) {}
StudyReader::~StudyReader() = default;
StudyReader::StudyReader(StudyReader&&) noexcept = default;

const std::vector<std::string>& StudyReader::sample_names() const { return impl_->stream.file().samples(); }

const std::vector<std::pair<std::string, int64_t>>& StudyReader::header_contigs() const {
  return impl_->stream.file().header_contigs();
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

StudyGenotypes StudyReader::StartContig() {
  const ParsedRecord* record = impl_->stream.Peek();
  if (record == nullptr)
    throw InputError(impl_->stream.file().path() + ": no records; give a file with typed genotypes");
  impl_->first_position = record->position;
  SampleTable samples{sample_names(), {0}};
  for (const int ploidy : impl_->FindPloidies(record->contig)) {
    samples.first_haplotype.push_back(samples.first_haplotype.back() + static_cast<uint32_t>(ploidy));
  }
  return {.contig = record->contig, .samples = std::move(samples)};
}

bool StudyReader::ReadUntil(int64_t position, StudyGenotypes& study) {
  for (;;) {
    ParsedRecord* record = impl_->stream.Peek();
    if (record == nullptr || record->contig != study.contig) return false;
    if (record->position > position) return true;
    impl_->CheckPloidy(*record, study.samples);
    if (record->alts.empty()) record->alts.emplace_back(".");
    for (size_t a = 0; a < record->alts.size(); ++a) {
      std::vector<uint8_t>& alleles = study.alleles.emplace_back();
      alleles.reserve(study.samples.num_haplotypes());
      for (size_t s = 0; s < study.samples.num_samples(); ++s) {
        for (int copy = 0; copy < study.samples.ploidy(s); ++copy) {
          const int16_t call = record->calls.alleles[2 * s + static_cast<size_t>(copy)];
          alleles.push_back(call < 0 ? kMissingAllele : call == static_cast<int16_t>(a + 1) ? 1 : 0);
        }
      }
      study.unphased.push_back(impl_->unphased == Unphased::kReadAll ? Heterozygotes(alleles, study.samples)
                                                                     : record->calls.unphased);
      study.markers.push_back({record->position, record->id, record->ref, std::move(record->alts[a])});
    }
    impl_->stream.Pop();
  }
}

void StudyReader::SkipContig() { impl_->stream.SkipContig(); }

void StudyReader::Seek(const Region& region) { impl_->stream.Seek(region); }

}  // namespace haplospin
