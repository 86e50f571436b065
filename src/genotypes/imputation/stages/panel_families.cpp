#include "genotypes/imputation/stages/panel_families.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/stages/phasing/family_phase.h"
#include "genotypes/imputation/stages/shared_families.h"
#include "genotypes/imputation/stages/shared_sample.h"
#include "genotypes/imputation/window/study_builder.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Genotypes of families that are drawn at once, which bounds memory. Pieces overlap by an eighth on either side.
constexpr size_t kMaxGenotypes = 1'000'000;
constexpr size_t kMinMarkersOfPiece = 1000;
constexpr size_t kOverlap = 8;
constexpr size_t kGenotypeBytes = 76;

size_t MarkersOfPiece(size_t people) {
  return std::max(kMinMarkersOfPiece, kMaxGenotypes / std::max<size_t>(1, people));
}

// The probability that the phase of a heterozygote in the panel, relative to the one before, is wrong.
constexpr float kWrongPhase = 0.003f;

using Numbers = std::vector<std::optional<size_t>>;  // [people] in another pedigree

// Returns families with other numbers. People who have none get those from `next` on.
Pedigree Renumbered(std::span<const Trio> descent, Numbers numbers, size_t next) {
  const auto renumber = [&](const std::optional<size_t>& person) -> std::optional<size_t> {
    if (!person) return std::nullopt;
    if (!numbers[*person]) numbers[*person] = next++;
    return numbers[*person];
  };
  Pedigree pedigree;
  for (const Trio& trio : descent) {
    const size_t child = *renumber(trio.child);
    pedigree.descent.push_back({child, renumber(trio.father), renumber(trio.mother)});
  }
  pedigree.num_people = next;
  return pedigree;
}

// Returns diploid samples without any genotype, ascending.
std::vector<size_t> SamplesWithoutGenotypes(const WindowStudy& study) {
  const std::vector<bool> have = HaveGenotypes(study);
  std::vector<size_t> samples;
  for (size_t s = 0; s < have.size(); ++s) {
    if (!have[s] && study.samples().ploidy(s) == 2) samples.push_back(s);
  }
  return samples;
}

// Adds the values of `piece` to a row; those found are of `markers`.
void AddPiece(MarkerRange piece, MarkerRange markers, const std::vector<float>& found, std::vector<float>& row) {
  const auto first = found.begin() + static_cast<std::ptrdiff_t>(piece.begin - markers.begin);
  row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(piece.size()));
}

// Returns `range` with markers on both sides, within `all`.
MarkerRange Widened(MarkerRange range, size_t markers, MarkerRange all) {
  return {range.begin - std::min(markers, range.begin - all.begin), std::min(range.end + markers, all.end)};
}

// Returns a sample whose haplotypes are unknown at `markers` markers.
SampleTargets HaplotypeTargets(size_t ploidy, size_t markers) {
  PhaseVersion version;
  for (size_t c = 0; c < ploidy; ++c) version.haplotypes.emplace_back(std::vector<uint8_t>());
  SampleTargets targets{.versions = {std::move(version)}};
  targets.alt_probability.assign(ploidy, std::vector<float>(markers, 0.5f));
  return targets;
}

// Returns a haploid target at all markers for each haplotype.
std::vector<SampleTargets> AsHaploids(const WindowDosages& dosages) {
  std::vector<SampleTargets> targets(dosages.num_haplotypes(), HaplotypeTargets(1, dosages.range.size()));
  ColumnReader columns(dosages.alt);
  for (size_t m = 0; m < dosages.range.size(); ++m) {
    const std::span<const float> alt = columns.At(m);
    for (size_t h = 0; h < targets.size(); ++h) targets[h].alt_probability[0][m] = alt[h];
  }
  return targets;
}

}  // namespace

// The people of the families at some markers, as a study.
class PanelFamilies::People {
 public:
  People(const PanelFamilies& families, const std::vector<uint32_t>& markers);

  const WindowStudy& study() const { return *study_; }
  std::span<const double> centimorgans() const { return centimorgans_; }

  // Returns the haplotypes of the samples. Those of the study have the probabilities of `dosages` at the markers of
  // these.
  std::vector<SampleTargets> Targets(const WindowDosages& dosages) const;

 private:
  void CopyPhase(const WindowDosages& dosages, std::span<SampleTargets> targets) const;

  const PanelFamilies& families_;
  StudyBuilder builder_;
  std::vector<double> centimorgans_;  // [markers]
  std::optional<WindowStudy> study_;
};

PanelFamilies::People::People(const PanelFamilies& families, const std::vector<uint32_t>& markers)
    : families_(families) {
  const PanelWindow& window = families.window_;
  for (const size_t s : families.study_samples_) builder_.Add(families.study_, s);
  for (const size_t s : families.panel_samples_) builder_.Add(window.panel(), s);
  builder_.AddMarkers(markers);
  for (const uint32_t m : markers)
    centimorgans_.push_back(window.map().Centimorgans(window.panel().marker(m).position));
  study_.emplace(builder_.View(&families.families_));
}

std::vector<SampleTargets> PanelFamilies::People::Targets(const WindowDosages& dosages) const {
  const SampleTable& samples = builder_.samples();
  const std::vector<uint32_t>& markers = builder_.markers();
  std::vector<SampleTargets> targets(samples.num_samples());
  for (size_t k = 0; k < targets.size(); ++k) {
    targets[k] = HaplotypeTargets(static_cast<size_t>(samples.ploidy(k)), markers.size());
    if (k >= families_.study_samples_.size()) targets[k].phase_probability.assign(markers.size(), 1 - kWrongPhase);
  }
  ColumnReader columns(dosages.alt);
  for (size_t j = 0; j < markers.size(); ++j) {
    const bool is_found = dosages.range.Contains(markers[j]);
    const std::span<const float> alt =
        is_found ? columns.At(markers[j] - dosages.range.begin) : std::span<const float>();
    for (size_t k = 0; k < targets.size(); ++k) {
      for (size_t c = 0; c < targets[k].ploidy(); ++c) {
        const uint8_t allele = builder_.row(j).alleles[samples.first_haplotype[k] + c];
        if (k >= families_.study_samples_.size()) {
          targets[k].alt_probability[c][j] = allele;
        } else if (is_found) {
          const size_t first = families_.study_.samples().first_haplotype[families_.study_samples_[k]];
          targets[k].alt_probability[c][j] = alt[first + c];
        }
      }
    }
  }
  CopyPhase(dosages, targets);
  return targets;
}

// Takes the certainty of the phase of the study's samples.
void PanelFamilies::People::CopyPhase(const WindowDosages& dosages, std::span<SampleTargets> targets) const {
  if (!dosages.typed || !dosages.typed->phase) return;
  ColumnReader columns(*dosages.typed->phase);
  const std::vector<uint32_t>& typed = dosages.typed->markers;
  size_t next = 0;
  for (size_t j = 0; j < builder_.markers().size(); ++j) {
    while (next < typed.size() && typed[next] < builder_.markers()[j]) ++next;
    if (next == typed.size()) return;
    if (typed[next] != builder_.markers()[j]) continue;
    const std::span<const float> phase = columns.At(next);
    for (size_t k = 0; k < families_.study_samples_.size(); ++k) {
      targets[k].phase_probability.resize(builder_.markers().size());
      targets[k].phase_probability[j] = phase[families_.study_samples_[k]];
    }
  }
}

PanelFamilies::PanelFamilies(const PanelWindow& window, const WindowStudy& study, FamilyPart part)
    : window_(window), study_(study), part_(part) {
  const Pedigree& all = *study.families();
  if (part == FamilyPart::kAnimals) without_genotypes_ = SamplesWithoutGenotypes(study);
  std::vector<size_t> animals = part == FamilyPart::kAnimals ? all.animals : std::vector<size_t>();
  std::ranges::copy(without_genotypes_, std::back_inserter(animals));
  SharedFamilies shared(all, study.samples().num_samples(), part, animals);
  Numbers numbers(all.num_people);
  for (size_t s = 0; s < study.samples().num_samples(); ++s) {
    const bool is_animal = std::ranges::binary_search(without_genotypes_, s);
    if (shared.IsInPanel(s) || is_animal || !shared.Have(s)) continue;
    numbers[s] = study_samples_.size();
    study_samples_.push_back(s);
  }
  for (const Pedigree::Other& other : all.others) {
    if (!shared.Have(other.person)) continue;
    numbers[other.person] = num_samples();
    if (other.person < study.samples().num_samples()) shared_.emplace_back(other.person, other.sample);
    panel_samples_.push_back(other.sample);
  }
  std::vector<size_t> numbered;
  for (const size_t animal : animals) {
    numbers[animal] = num_samples() + numbered.size();
    numbered.push_back(*numbers[animal]);
  }
  std::vector<Trio> descent = all.descent;
  std::erase_if(descent, [&](const Trio& trio) { return !shared.Have(trio.child); });
  families_ = Renumbered(descent, std::move(numbers), num_samples() + numbered.size());
  families_.animals = std::move(numbered);
}

bool PanelFamilies::HasAllParents() const {
  const auto is_sample = [&](const std::optional<size_t>& person) {
    return person.has_value() && *person < num_samples();
  };
  const auto children = std::ranges::count_if(families_.descent, [&](const Trio& trio) {
    return trio.child < study_samples_.size() && is_sample(trio.father) && is_sample(trio.mother);
  });
  return static_cast<size_t>(children) == study_.samples().num_samples();
}

void PanelFamilies::Draw(const WindowDosages* absent, uint64_t seed, WindowDosages& dosages) const {
  Rows rows;
  DrawPieces(absent, seed, dosages, rows);
  if (part_ == FamilyPart::kAnimals) return SetAnimals(std::move(rows), dosages);
  CopyShared(dosages, rows);
  dosages.alt.ReplaceRows(rows);
}

// Takes the rows of Pedigree::animals, which come first, and of the samples without genotypes.
void PanelFamilies::SetAnimals(Rows rows, WindowDosages& dosages) const {
  Rows samples;
  const size_t absent = 2 * study_.families()->animals.size();
  dosages.animals.emplace(absent, dosages.range.size());
  for (auto& [h, row] : rows) {
    if (h < absent) {
      dosages.animals->SetRow(h, row);
    } else {
      const size_t sample = without_genotypes_[(h - absent) / 2];
      samples[study_.samples().first_haplotype[sample] + h % 2] = std::move(row);
    }
  }
  dosages.alt.ReplaceRows(samples);
}

void PanelFamilies::DrawPieces(const WindowDosages* absent, uint64_t seed, const WindowDosages& dosages,
                               Rows& rows) const {
  const std::vector<SampleTargets> founders = absent == nullptr ? std::vector<SampleTargets>() : AsHaploids(*absent);
  const MarkerRange core = dosages.range;
  const size_t step = MarkersOfPiece(num_samples());
  for (MarkerRange piece{core.begin, 0}; piece.begin < core.end; piece.begin = piece.end) {
    piece.end = std::min(piece.begin + step, core.end);
    DrawPiece(piece, founders, seed, dosages, rows);
  }
}

std::unique_ptr<const FounderStudy> PanelFamilies::AbsentFounders(uint64_t seed, const WindowDosages& dosages) const {
  const People people(*this, study_.typed());
  const std::vector<Founder> founders =
      FindAbsentFounders(people.study(), people.centimorgans(), seed, people.Targets(dosages), part_);
  return founders.empty() ? nullptr : std::make_unique<const FounderStudy>(people.study(), founders);
}

// Adds the panel's haplotypes of the samples that are in it, except where the study has alleles.
void PanelFamilies::CopyShared(const WindowDosages& dosages, Rows& rows) const {
  std::vector<SharedSample> shared;
  for (const auto& [sample, panel_sample] : shared_) {
    if (window_.panel().samples().ploidy(panel_sample) != study_.samples().ploidy(sample)) continue;
    shared.emplace_back(window_.panel(), sample, panel_sample, dosages.range);
  }
  ColumnReader columns(dosages.alt);
  for (size_t j = 0; j < study_.num_typed(); ++j) {
    const uint32_t m = study_.typed()[j];
    if (!dosages.range.Contains(m)) continue;
    const std::span<const float> alt = columns.At(m - dosages.range.begin);
    for (SharedSample& copy : shared) {
      const std::span<const uint8_t> given = study_.Genotype(j, copy.sample());
      const uint32_t first = study_.samples().first_haplotype[copy.sample()];
      if (!HasMissing(given)) copy.Keep(m, alt.subspan(first, given.size()));
    }
  }
  for (SharedSample& copy : shared) {
    uint32_t h = study_.samples().first_haplotype[copy.sample()];
    for (std::vector<float>& row : copy.Take()) rows[h++] = std::move(row);
  }
}

// Adds the haplotypes of the study's samples, or of animals, at the markers of a piece to `rows` [core markers].
void PanelFamilies::DrawPiece(MarkerRange piece, std::span<const SampleTargets> absent, uint64_t seed,
                              const WindowDosages& dosages, Rows& rows) const {
  const MarkerRange markers = Widened(piece, piece.size() / kOverlap, WithTyped(study_, dosages.range));
  std::vector<uint32_t> list(markers.size());
  std::iota(list.begin(), list.end(), static_cast<uint32_t>(markers.begin));
  const People people(*this, list);
  std::vector<SampleTargets> absent_here;
  for (const SampleTargets& whole : absent) {
    std::vector<float>& alt = absent_here.emplace_back(HaplotypeTargets(1, markers.size())).alt_probability[0];
    for (size_t m = markers.begin; m < markers.end; ++m) {
      if (dosages.range.Contains(m)) alt[m - markers.begin] = whole.alt_probability[0][m - dosages.range.begin];
    }
  }
  std::vector<SampleTargets> targets = people.Targets(dosages);
  if (part_ == FamilyPart::kAnimals) {
    const auto found = DrawAnimals(people.study(), people.centimorgans(), seed, absent_here, targets);
    for (size_t h = 0; h < 2 * found.size(); ++h) AddPiece(piece, markers, found[h / 2][h % 2], rows[h]);
    return;
  }
  DrawFamilies(people.study(), people.centimorgans(), seed, absent_here, targets);
  for (size_t k = 0; k < study_samples_.size(); ++k) {
    const uint32_t first = study_.samples().first_haplotype[study_samples_[k]];
    for (size_t c = 0; c < targets[k].ploidy(); ++c) {
      AddPiece(piece, markers, targets[k].alt_probability[c], rows[first + c]);
    }
  }
}

// Each allele of the study has a row that takes the place of the imputed one.
StageMemory PanelFamiliesMemory(const Pedigree& families, FamilyPart part, const WindowSize& size) {
  const bool finds_animals = part == FamilyPart::kAnimals;
  SharedFamilies shared(families, size.study_samples, part, finds_animals ? families.animals : std::vector<size_t>());
  size_t people = 0, samples = families.others.size();
  for (size_t p = 0; p < families.num_people; ++p) people += shared.Have(p) ? 1 : 0;
  for (size_t s = 0; s < size.study_samples; ++s) samples += shared.Have(s) && !shared.IsInPanel(s) ? 1 : 0;
  const size_t piece = MarkersOfPiece(samples);
  return {.shared = people * std::min(size.panel.markers, piece + 2 * piece / kOverlap) * kGenotypeBytes,
          .dosage_marker = size.study_haplotypes * sizeof(float)};
}

}  // namespace haplospin
