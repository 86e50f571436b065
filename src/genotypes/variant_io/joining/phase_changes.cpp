#include "genotypes/variant_io/joining/phase_changes.h"

#include <algorithm>
#include <utility>

#include "genotypes/variant_io/joining/format_values.h"
#include "genotypes/variant_io/joining/record_genotypes.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Writes the names of the phase sets after the change. A record without PS gets it where its genotypes go on in a set
// that has a name.
void NameSets(const PhaseChanges& changes, const RecordGenotypes& genotypes, size_t num_samples,
              const bcf_hdr_t* header, bcf1_t* record) {
  std::vector<int32_t> names(num_samples, kNoPhaseSet);
  bool is_changed = false;
  for (size_t s = 0; s < num_samples; ++s) {
    const int32_t set = genotypes.PhaseSet(s);
    names[s] = set != kNoPhaseSet || genotypes.IsPhased(s) ? changes.At(s, set).name : set;
    is_changed = is_changed || names[s] != set;
  }
  if (!is_changed) return;
  HS_CHECK(bcf_update_format_int32(header, record, "PS", names.data(), static_cast<int>(num_samples)) == 0);
}

void ExchangeFields(const std::vector<size_t>& chosen, size_t num_samples, const bcf_hdr_t* header, bcf1_t* record) {
  const auto count = [&](size_t width) { return static_cast<int>(width * num_samples); };
  for (const char* key : {"HDS", "LDS"}) {
    FormatValues<float> values;
    if (!values.Read(header, record, key) || values.width() % 2 != 0) continue;
    for (const size_t s : chosen) {
      // The two haplotypes of each ALT.
      for (size_t i = 0; i < values.width() && !bcf_float_is_vector_end(values.of(s)[i + 1]); i += 2) {
        std::swap(values.of(s)[i], values.of(s)[i + 1]);
      }
    }
    bcf_update_format_float(header, record, key, values.all(), count(values.width()));
  }
  FormatValues<float> ap1, ap2;
  if (ap1.Read(header, record, "AP1") && ap2.Read(header, record, "AP2") && ap1.width() == ap2.width()) {
    for (const size_t s : chosen) std::swap_ranges(ap1.of(s), ap1.of(s) + ap1.width(), ap2.of(s));
    bcf_update_format_float(header, record, "AP1", ap1.all(), count(ap1.width()));
    bcf_update_format_float(header, record, "AP2", ap2.all(), count(ap2.width()));
  }
}

}  // namespace

SetChange PhaseChanges::At(size_t sample, int32_t set) const {
  const auto change = changes_.find(Key(sample, set));
  if (change != changes_.end()) return change->second;
  return {set == kNoPhaseSet && is_exchanged_[sample], set};
}

void PhaseChanges::Set(size_t sample, int32_t set, SetChange change) {
  if (set != kNoPhaseSet || change.name != kNoPhaseSet) {
    changes_.insert_or_assign(Key(sample, set), change);
  } else if (is_exchanged_[sample] != change.is_exchanged) {
    is_exchanged_[sample] = change.is_exchanged;
    num_exchanged_ += change.is_exchanged ? 1 : -1;
  }
}

void ChangePhase(const PhaseChanges& changes, const bcf_hdr_t* header, bcf1_t* record) {
  const auto num_samples = static_cast<size_t>(bcf_hdr_nsamples(header));
  RecordGenotypes genotypes;
  if (changes.empty() || !genotypes.Read(header, record)) return;
  NameSets(changes, genotypes, num_samples, header, record);
  std::vector<size_t> chosen;
  for (size_t s = 0; s < num_samples; ++s) {
    if (genotypes.IsPhased(s) && changes.At(s, genotypes.PhaseSet(s)).is_exchanged) chosen.push_back(s);
  }
  if (chosen.empty()) return;
  for (const size_t s : chosen) genotypes.Exchange(s);
  bcf_update_genotypes(header, record, genotypes.all(), static_cast<int>(genotypes.width() * num_samples));
  ExchangeFields(chosen, num_samples, header, record);
}

}  // namespace haplospin
