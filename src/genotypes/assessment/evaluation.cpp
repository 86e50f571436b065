#include "genotypes/assessment/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/assessment/field_checks.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The largest difference between the frequency of an allele that is imputed, and the true one.
constexpr double kMaxExchangedDifference = 0.2;

SampleAccuracy AccuracyOfSample(const std::string& name, const AccuracySums& sums) {
  return {.name = name,
          .genotypes = static_cast<size_t>(sums.alt.n),
          .r2 = sums.minor.PooledR2(),
          .mse = sums.alt.MeanSquaredError(),
          .concordance = sums.best_guess.Concordance(),
          .non_reference_concordance = sums.best_guess.NonReferenceConcordance(),
          .iqs = sums.posterior.Iqs(),
          .sums = sums};
}

class Evaluator {
 public:
  Evaluator(const TruthSet& truth, const std::string& path, std::span<const MafGroup> own_bins, bool has_repeats)
      : truth_(truth),
        own_bins_(own_bins),
        own_tallies_(own_bins.size()),
        path_(path),
        finder_(truth, path),
        fields_(path, truth.sample_names()),
        samples_(truth.sample_names().size()),
        seen_(truth.num_sites(), false),
        genotypes_(samples_.size()),
        dosages_(samples_.size()),
        best_guesses_(samples_.size()) {
    if (has_repeats) repeats_.emplace(truth);
    for (const MafGroup& group : kCalibrationGroups) result_.by_frequency.push_back({.group = group});
  }

  // Scores a marker of the file in the samples of the truth.
  void Add(const DosageRow& row) {
    if (std::isfinite(row.empirical_r2))
      result_.empirical.push_back({row.contig, row.marker.position, row.empirical_r2});
    auto found = finder_.Find(row.contig, row.marker);
    if (!found) found = FindExchangedIndel(row);
    if (!found || !truth_.scored(found->site)) return;
    const size_t site = found->site;
    if (seen_[site]) {
      ++repeated_;
      return;
    }
    seen_[site] = true;
    fields_.Add(row);
    if (found->is_exchanged && exchanged_++ == 0) first_exchanged_ = SiteName(row.contig, row.marker);
    has_dosages_ = has_dosages_ || !std::ranges::all_of(row.dosages, [](float d) { return std::isnan(d); });
    const auto ploidy = truth_.ploidy(site);
    truth_.CopyGenotypes(site, genotypes_);
    result_.has_posteriors |= !row.posteriors.empty();
    posteriors_.resize(row.posteriors.empty() ? 0 : 3 * samples_.size());
    for (size_t s = 0; s < samples_.size(); ++s) TakeSample(row, s, site, ploidy[s]);
    if (found->is_exchanged) Mirror(row, ploidy);
    Score(site, false, std::isfinite(row.estimated_r2) ? row.estimated_r2 : kUndefined);
  }

  void AddMissingSites() {
    posteriors_.clear();
    for (size_t site = 0; site < truth_.num_sites(); ++site) {
      if (!truth_.scored(site) || seen_[site]) continue;
      truth_.CopyGenotypes(site, genotypes_);
      const auto ploidy = truth_.ploidy(site);
      for (size_t s = 0; s < samples_.size(); ++s) {
        dosages_[s] = MeanDosage(site, ploidy[s]);
        best_guesses_[s] = BestGuess(dosages_[s], ploidy[s]);
      }
      Score(site, true, kUndefined);
    }
  }

  // Throws InputError if none of the `rows` of the file could be scored, and warns of what is odd.
  void Check(size_t rows) const {
    if (std::ranges::find(seen_, true) == seen_.end()) {
      throw InputError(fmt::format(
          "{}: has {}, but none is among the {} to score of {}; both need the same genome build and alleles", path_,
          Counted(rows, "marker"), Counted(truth_.num_scored(), "site"), truth_.path()));
    }
    if (!has_dosages_) {
      throw InputError(fmt::format(
          "{}: no marker to score has DS, HDS, AP1, GP or GT, from which its dosages follow; write one of them",
          path_));
    }
    if (exchanged_ > 0) {
      LogWarning("{}: REF and ALT of {} are exchanged in {} (first: {}); they are compared as one variant",
                 truth_.path(), Counted(exchanged_, "site"), path_, first_exchanged_);
    }
    fields_.Warn();
    if (repeated_ > 0) {
      LogWarning("{}: {} more than once; the first of each is scored", path_, Counted(repeated_, "marker"));
    }
  }

  // Moves the result out of this object.
  Evaluation Result(const std::string& name) {
    result_.name = name;
    if (repeats_) result_.repeats = repeats_->Accuracy();
    for (size_t g = 0; g < kNumMafGroups; ++g) result_.groups[g] = tallies_[g].Accuracy();
    for (const GroupTally& tally : own_tallies_) result_.own_bins.push_back(tally.Accuracy());
    for (size_t s = 0; s < samples_.size(); ++s) {
      result_.samples.push_back(AccuracyOfSample(truth_.sample_names()[s], samples_[s]));
    }
    return std::move(result_);
  }

 private:
  // Returns an indel of the truth whose alleles the file has exchanged. The letters are also those of two variants, an
  // insertion and a deletion, but the frequencies of these two ALTs do not sum to 1.
  std::optional<TruthSet::Found> FindExchangedIndel(const DosageRow& row) {
    const auto site = truth_.FindOppositeIndel(row.contig, row.marker);
    if (!site) return std::nullopt;
    truth_.CopyGenotypes(*site, genotypes_);
    const auto ploidy = truth_.ploidy(*site);
    DosageSums sums;
    for (size_t s = 0; s < samples_.size(); ++s) {
      if (genotypes_[s] == kMissingGenotype || std::isnan(row.dosages[s])) continue;
      const double copies = row.ploidy[s] == 0 ? ploidy[s] : row.ploidy[s];
      sums.Add(row.dosages[s] / copies, static_cast<double>(genotypes_[s]) / ploidy[s]);
    }
    if (sums.n == 0) return std::nullopt;
    const double mean = sums.x / sums.n, truth = sums.y / sums.n, correlation = sums.Correlation();
    const bool has_frequencies = std::abs(1 - mean - truth) <= kMaxExchangedDifference;
    const bool is_exchanged =
        std::isnan(correlation) ? has_frequencies && std::abs(truth - 0.5) > 0.25 : has_frequencies && correlation < 0;
    return is_exchanged ? std::optional(TruthSet::Found{*site, true}) : std::nullopt;
  }

  float MeanDosage(size_t site, int ploidy) const { return static_cast<float>(truth_.alt_frequency(site) * ploidy); }

  static int8_t BestGuess(float dosage, int ploidy) {
    const float rounded = std::round(std::clamp(dosage, 0.0f, static_cast<float>(ploidy)));
    return static_cast<int8_t>(ploidy == 1 ? 2 * rounded : rounded);
  }

  // A file that writes a haploid sample as diploid has its dosages halved.
  void TakeSample(const DosageRow& row, size_t s, size_t site, int ploidy) {
    float dosage = row.dosages[s];
    if (std::isnan(dosage)) {
      result_.missing_genotypes += genotypes_[s] != kMissingGenotype;
      dosage = MeanDosage(site, ploidy);
    } else if (row.ploidy[s] != 0) {
      dosage *= static_cast<float>(ploidy) / static_cast<float>(row.ploidy[s]);
    }
    dosages_[s] = dosage;
    best_guesses_[s] = BestGuess(dosage, ploidy);
    if (row.genotypes[s] != kMissingGenotype) {
      result_.has_genotypes = true;
      best_guesses_[s] = static_cast<int8_t>(row.ploidy[s] == 1 ? 2 * row.genotypes[s] : row.genotypes[s]);
    }
    for (size_t g = 0; g < 3 && !posteriors_.empty(); ++g) {
      const float posterior = row.posteriors[3 * s + g];
      const float best_guess = best_guesses_[s] == static_cast<int8_t>(g) ? 1.0f : 0.0f;
      posteriors_[3 * s + g] = std::isnan(posterior) ? best_guess : posterior;
    }
  }

  // Turns what was taken of a marker into that of the truth's ALT, which is the marker's REF. A missing dosage has been
  // replaced by the mean of the truth's ALT.
  void Mirror(const DosageRow& row, std::span<const uint8_t> ploidies) {
    for (size_t s = 0; s < samples_.size(); ++s) {
      if (std::isnan(row.dosages[s])) continue;
      dosages_[s] = static_cast<float>(ploidies[s]) - dosages_[s];
      best_guesses_[s] = static_cast<int8_t>(2 - best_guesses_[s]);
      if (!posteriors_.empty()) std::swap(posteriors_[3 * s], posteriors_[3 * s + 2]);
    }
  }

  void Score(size_t site, bool is_missing, double estimated_r2) {
    const double frequency = truth_.alt_frequency(site);
    const AccuracySums sums = MeasureSite({.truth = genotypes_,
                                           .ploidy = truth_.ploidy(site),
                                           .dosage = dosages_,
                                           .best_guess = best_guesses_,
                                           .posteriors = posteriors_,
                                           .minor_is_ref = frequency > 0.5},
                                          samples_);
    const double maf = std::min(frequency, 1 - frequency);
    for (size_t g = 0; g < kNumMafGroups; ++g) {
      if (kMafGroups[g].Contains(maf)) tallies_[g].Add(sums, is_missing, estimated_r2);
    }
    for (size_t g = 0; g < own_bins_.size(); ++g) {
      if (own_bins_[g].Contains(maf)) own_tallies_[g].Add(sums, is_missing, estimated_r2);
    }
    result_.sites.push_back({site, sums.minor, estimated_r2});
    if (repeats_) repeats_->Add(site, dosages_);
    if (!is_missing) Calibrate(truth_.ploidy(site), frequency);
  }

  void Calibrate(std::span<const uint8_t> ploidies, double alt_frequency) {
    const bool minor_is_ref = alt_frequency > 0.5;
    const double maf = std::min(alt_frequency, 1 - alt_frequency);
    FrequencyCalibration& calibration = *std::ranges::find_if(
        result_.by_frequency, [&](const FrequencyCalibration& c) { return c.group.Contains(maf); });
    for (size_t s = 0; s < samples_.size(); ++s) {
      if (genotypes_[s] == kMissingGenotype) continue;
      const double ploidy = ploidies[s];
      const double dosage = dosages_[s] / ploidy, count = genotypes_[s] / ploidy;
      result_.dosages.Add(dosage, count);
      calibration.dosages.Add(minor_is_ref ? 1 - dosage : dosage, minor_is_ref ? 1 - count : count);
      const int truth = ploidies[s] == 1 ? 2 * genotypes_[s] : genotypes_[s];
      for (int g = 0; g < 3 && !posteriors_.empty(); ++g) {
        const bool is_possible = ploidies[s] == 2 || g != 1;
        if (!is_possible) continue;
        const double posterior = posteriors_[3 * s + static_cast<size_t>(g)], is_true = truth == g ? 1 : 0;
        result_.posteriors.Add(posterior, is_true);
        calibration.posteriors.Add(posterior, is_true);
      }
    }
  }

  const TruthSet& truth_;
  std::span<const MafGroup> own_bins_;
  std::vector<GroupTally> own_tallies_;  // [own bins]
  const std::string path_;
  SiteFinder finder_;
  FieldChecks fields_;
  std::optional<RepeatLengths> repeats_;
  std::array<GroupTally, kNumMafGroups> tallies_;
  std::vector<AccuracySums> samples_;
  std::vector<bool> seen_;       // [sites]
  size_t repeated_ = 0;          // markers
  size_t exchanged_ = 0;         // sites whose REF and ALT the file has exchanged
  std::string first_exchanged_;  // as the file has it
  bool has_dosages_ = false;     // or genotypes or probabilities that give them
  Evaluation result_;            // except for what the tallies hold

  // Genotypes of the site that is scored, [samples] and [samples, 3].
  std::vector<int8_t> genotypes_;
  std::vector<float> dosages_;
  std::vector<int8_t> best_guesses_;
  std::vector<float> posteriors_;
};

}  // namespace

double Evaluation::MeanEmpiricalR2() const {
  Mean mean;
  for (const EmpiricalAccuracy& site : empirical) mean.Add(site.r2);
  return mean.value();
}

RelativeError ErrorRelativeTo(const Evaluation& evaluation, const Evaluation& other) {
  constexpr double kDeviations = 1.96;
  const size_t n = evaluation.samples.size();
  const auto error = [](const Evaluation& e, size_t s) { return e.samples[s].sums.minor.squared_error; };
  double own = 0, others = 0, residuals = 0;
  for (size_t s = 0; s < n; ++s) {
    own += error(evaluation, s);
    others += error(other, s);
  }
  if (others == 0) return {};
  RelativeError result{.ratio = own / others};
  if (n < 2) return result;
  for (size_t s = 0; s < n; ++s) residuals += std::pow(error(evaluation, s) - result.ratio * error(other, s), 2);
  const auto count = static_cast<double>(n);
  const double margin = kDeviations * std::sqrt(residuals * count / (count - 1)) / others;
  result.low = result.ratio - margin;
  result.high = result.ratio + margin;
  return result;
}

std::vector<SampleAccuracy> AccuracyOfGroups(const Evaluation& evaluation, const SampleGroups& groups) {
  std::vector<AccuracySums> sums(groups.names().size());
  for (size_t s = 0; s < evaluation.samples.size(); ++s) sums[groups.group_of()[s]] += evaluation.samples[s].sums;
  std::vector<SampleAccuracy> accuracy;
  accuracy.reserve(sums.size());
  for (size_t g = 0; g < sums.size(); ++g) accuracy.push_back(AccuracyOfSample(groups.names()[g], sums[g]));
  return accuracy;
}

namespace {

// Returns "imputer.safetensors, sha256:..." for a file that haplospin imputed.
std::string ReadModelName(const DosageReader& reader) {
  const std::string file = reader.HeaderValue("haplospin_model_file"), hash = reader.HeaderValue("haplospin_model");
  return file.empty() ? hash : file + ", " + hash;
}

}  // namespace

Evaluation Evaluate(const TruthSet& truth, const std::string& name, DosageReader reader,
                    std::span<const MafGroup> own_bins, bool has_repeats) {
  reader.UseSamples(truth.sample_names());
  Evaluator evaluator(truth, reader.path(), own_bins, has_repeats);
  DosageRow row;
  size_t rows = 0;
  while (reader.Next(row)) {
    evaluator.Add(row);
    ++rows;
  }
  evaluator.Check(rows);
  evaluator.AddMissingSites();
  Evaluation evaluation = evaluator.Result(name);
  evaluation.program = reader.HeaderValue("source");
  evaluation.model = ReadModelName(reader);
  return evaluation;
}

}  // namespace haplospin
