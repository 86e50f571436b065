#include <fmt/format.h>

#include <utility>

#include "genomics/variant_stream.h"
#include "haplospin/core/errors.h"
#include "haplospin/genomics/variant_reader.h"

namespace haplospin {

struct PanelReader::Impl {
  Impl(const std::string& path, int threads) : stream(path, threads, RecordParser::Kind::kPanel) {}

  // The next record with an ALT.
  ParsedRecord* Peek() {
    ParsedRecord* record = stream.Peek();
    while (record != nullptr && record->alts.empty()) {
      stream.Pop();
      record = stream.Peek();
    }
    return record;
  }

  void CheckPloidy(const ParsedRecord& record) const {
    if (record.is_haploid == is_haploid) return;
    const auto haploid = [](const std::vector<bool>& flags, size_t s) { return !flags.empty() && flags[s]; };
    size_t s = 0;
    while (haploid(record.is_haploid, s) == haploid(is_haploid, s)) ++s;
    stream.Fail(record,
                PloidyChange(stream.file().samples()[s], haploid(record.is_haploid, s) ? 1 : 2, first_position));
  }

  VariantStream stream;
  std::vector<bool> is_haploid;  // of the contig's first record, as in ParsedRecord
  int64_t first_position = 0;
};

PanelReader::PanelReader(const std::string& path, int threads) : impl_(std::make_unique<Impl>(path, threads)) {}
PanelReader::~PanelReader() = default;
PanelReader::PanelReader(PanelReader&&) noexcept = default;

const std::vector<std::string>& PanelReader::sample_names() const { return impl_->stream.file().samples(); }

const std::vector<std::pair<std::string, int64_t>>& PanelReader::header_contigs() const {
  return impl_->stream.file().header_contigs();
}

std::vector<std::string> PanelReader::contigs() const { return impl_->stream.Contigs(); }

std::optional<std::string> PanelReader::NextContig() {
  const ParsedRecord* record = impl_->Peek();
  return record == nullptr ? std::nullopt : std::optional(record->contig);
}

std::optional<int64_t> PanelReader::NextPosition() {
  const ParsedRecord* record = impl_->Peek();
  return record == nullptr ? std::nullopt : std::optional(record->position);
}

HaplotypePanel PanelReader::StartContig() {
  const ParsedRecord* record = impl_->Peek();
  if (record == nullptr) throw InputError(impl_->stream.file().path() + ": no record with an ALT allele; give a panel");
  impl_->is_haploid = record->is_haploid;
  impl_->first_position = record->position;
  SampleTable samples{sample_names(), {0}};
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const bool is_haploid = !record->is_haploid.empty() && record->is_haploid[s];
    samples.first_haplotype.push_back(samples.first_haplotype.back() + (is_haploid ? 1 : 2));
  }
  return {record->contig, std::move(samples)};
}

bool PanelReader::ReadUntil(int64_t position, HaplotypePanel& panel) {
  for (;;) {
    ParsedRecord* record = impl_->Peek();
    if (record == nullptr || record->contig != panel.contig()) return false;
    if (record->position > position) return true;
    impl_->CheckPloidy(*record);
    for (size_t a = 0; a < record->alts.size(); ++a) {
      const bool is_last = a + 1 == record->alts.size();
      panel.Append({record->position, is_last ? std::move(record->id) : record->id,
                    is_last ? std::move(record->ref) : record->ref, std::move(record->alts[a])},
                   record->bits.data() + a * panel.words_per_marker());
    }
    impl_->stream.Pop();
  }
}

void PanelReader::SkipContig() { impl_->stream.SkipContig(); }

void PanelReader::Seek(const Region& region) { impl_->stream.Seek(region); }

}  // namespace haplospin
