#include "genotypes/variant_io/alignments/damage_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace haplospin {
namespace {

constexpr uint8_t kA = 1, kC = 2, kG = 4, kT = 8;  // HTSlib's codes
constexpr uint8_t kBases[] = {kA, kC, kG, kT};

// What deamination changes, and into what.
constexpr std::array<std::pair<uint8_t, uint8_t>, kNumDeaminations> kChanges{{{kC, kT}, {kG, kA}}};

// Twice the logarithm of how much more likely the reads must be with a model: for a chi-squared variable of as many
// degrees of freedom as damage has parameters, the probability of more is 1e-4, since many people are tested.
constexpr double kMinGain = 30;
constexpr double kMinErrorGain = 15;

// Errors are corrected only if there are so many times as many as the qualities tell.
constexpr double kMinErrorRatio = 1.5;

constexpr double kMaxDamage = 0.9;

// Reads with damage have wrong alleles that no base tells, because they are those of the site: DNA of people of today
// among them, and molecules with ALT that were not aligned. They are taken to grow with the damage, of which little is
// left after a treatment with UDG (benchmarks/ancient/LOG.md).
constexpr double kUntoldShare = 0.4;

constexpr double kBasesOfFit = 200;  // how many bases of a distance the fitted curve counts as

uint8_t Complement(uint8_t code) {
  return static_cast<uint8_t>((code & kA) << 3 | (code & kC) << 1 | (code & kG) >> 1 | (code & kT) >> 3);
}

// The code of a base on the strand that was sequenced.
uint8_t Sequenced(const ReadBase& base, uint8_t code) { return base.is_reverse ? Complement(code) : code; }

struct Place {
  ReadEnd end = kReadStart;
  size_t distance = 0;
};

Place NearerEnd(const ReadBase& base) {
  const bool is_start = base.from_start <= base.from_end;
  return {is_start ? kReadStart : kReadEnd, std::min(is_start ? base.from_start : base.from_end, kDamageDistances - 1)};
}

std::array<double, kMaxQuality + 1> MakeErrors() {
  std::array<double, kMaxQuality + 1> errors{};
  for (size_t q = 0; q < errors.size(); ++q) errors[q] = std::min(std::pow(10.0, -0.1 * static_cast<double>(q)), 0.5);
  return errors;
}

double ErrorOfQuality(uint8_t quality) {
  static const auto errors = MakeErrors();
  return errors[std::min(quality, kMaxQuality)];
}

// The quality of an observation that is `ratio` times as likely if the allele is the other one.
uint8_t QualityOfRatio(double ratio) {
  const double error = ratio / (1 + ratio);
  return static_cast<uint8_t>(std::clamp(std::round(-10 * std::log10(error)), 1.0, double{kMaxQuality}));
}

// Overhangs are a few bases long, and one base after a treatment with UDG: few reads should not tell anything else.
double LogPriorOfScale(double scale) {
  constexpr double kUsualScale = 2.5, kSpread = 0.8;
  const double deviation = std::log(scale / kUsualScale) / kSpread;
  return -0.5 * deviation * deviation;
}

// Calls visit(end, distance) for all distances from the ends of reads.
template <typename Visit>
void ForEachDistance(const Visit& visit) {
  for (const ReadEnd end : {kReadStart, kReadEnd}) {
    for (size_t i = 0; i < kDamageDistances; ++i) visit(end, i);
  }
}

// Calls visit(deamination, end, distance) for all of them.
template <typename Visit>
void ForEachDamage(const Visit& visit) {
  for (const Deamination d : {kCToT, kGToA}) {
    ForEachDistance([&](ReadEnd end, size_t i) { visit(d, end, i); });
  }
}

// Returns whether `code` can be what deamination makes of one of the alleles, a mask.
bool MayBeDamage(uint8_t code, uint8_t alleles) {
  return std::ranges::any_of(
      kChanges, [&](const auto& change) { return code == change.second && (alleles & change.first) != 0; });
}

// Twice the logarithm of how much more likely so many events are with their own rate than with the expected one.
double GainOfOwnRate(double events, double expected) {
  if (events <= expected) return 0;
  return 2 * (events * std::log(events / std::max(expected, 1e-9)) - (events - expected));
}

}  // namespace

void SubstitutionCounts::Add(const ReadBase& base, uint8_t ref, uint8_t alt) {
  const uint8_t shown = Sequenced(base, base.code), from = Sequenced(base, ref), to = Sequenced(base, alt);
  const auto alleles = static_cast<uint8_t>(from | to);
  const double error = ErrorOfQuality(base.quality);
  ++bases_;
  quality_errors_ += error;
  const auto [end, distance] = NearerEnd(base);
  for (const Deamination d : {kCToT, kGToA}) {
    const auto [before, after] = kChanges[d];
    const bool has_alt = from == before && to == after;
    const bool is_certain = (alleles & before) != 0 && (alleles & after) == 0;
    if (!has_alt && !is_certain) continue;
    Count& count = (has_alt ? with_alt_ : certain_)[d][end][distance];
    ++count.all;
    if ((shown & (before | after)) != 0) ++count.can_be_changed;
    if (shown == after) ++count.changed;
  }
  const auto is_error = [&](uint8_t code) { return (code & alleles) == 0 && !MayBeDamage(code, alleles); };
  const double share = static_cast<double>(std::ranges::count_if(kBases, is_error)) / 3;
  neither_per_error_ += share;
  expected_neither_ += share * error;
  neither_ += is_error(shown) ? 1 : 0;
}

void SubstitutionCounts::Add(const SubstitutionCounts& other) {
  const auto add = [](Count& sum, const Count& more) {
    sum.all += more.all;
    sum.can_be_changed += more.can_be_changed;
    sum.changed += more.changed;
  };
  ForEachDamage([&](Deamination d, ReadEnd end, size_t i) {
    add(certain_[d][end][i], other.certain_[d][end][i]);
    add(with_alt_[d][end][i], other.with_alt_[d][end][i]);
  });
  bases_ += other.bases_;
  quality_errors_ += other.quality_errors_;
  neither_ += other.neither_;
  expected_neither_ += other.expected_neither_;
  neither_per_error_ += other.neither_per_error_;
}

// The rates of one substitution that make the counts most likely, as independent Poisson variables. Each step of the
// EM algorithm shares the changed bases out among what may have changed them, in proportion to its rate.
class DamageFit {
 public:
  // `error` is the probability that an error makes the substitution. Without damage, only the share of ALT is fitted.
  DamageFit(const SubstitutionCounts& counts, Deamination deamination, double error, double scale, bool has_damage)
      : certain_(counts.certain_[deamination]), with_alt_(counts.with_alt_[deamination]), error_(error), scale_(scale) {
    if (has_damage) {
      inside_ = kFirstRate;
      ends_ = {kFirstRate, kFirstRate};
    }
    for (size_t i = 0; i < kDamageDistances; ++i) weights_[i] = std::exp(-static_cast<double>(i) / scale_);
    for (int step = 0; step < kSteps; ++step) Step();
  }

  double Damage(ReadEnd end, size_t distance) const {
    return std::min(inside_ + ends_[end] * weights_[distance], kMaxDamage);
  }

  double LogLikelihood() const {
    double sum = 0;
    const auto add = [&](double changed, double expected) {
      if (expected > 0) sum += changed * std::log(expected) - expected;
    };
    ForEachDistance([&](ReadEnd end, size_t i) {
      add(certain_[end][i].changed, Expected(certain_[end][i], Damage(end, i)));
      add(with_alt_[end][i].changed, with_alt_[end][i].can_be_changed * AltRate(Damage(end, i)));
    });
    return sum;
  }

 private:
  using Count = SubstitutionCounts::Count;
  static constexpr int kSteps = 300;
  static constexpr double kFirstRate = 0.05;

  struct Sum {
    double events = 0, exposure = 0;
    double Rate(double most) const { return exposure > 0 ? std::min(events / exposure, most) : 0; }
  };

  // How many bases are changed at sites that do not have the deaminated base as an allele. Errors of either allele do
  // so.
  double Expected(const Count& certain, double damage) const {
    return error_ * certain.all + damage * certain.can_be_changed;
  }

  // The share of changed bases at sites where the deaminated base is ALT.
  double AltRate(double damage) const { return alt_ + (1 - alt_) * (error_ + damage); }

  void Step() {
    Sum alt, inside;
    std::array<Sum, kNumReadEnds> ends;
    ForEachDistance([&](ReadEnd end, size_t i) {
      const double damage = Damage(end, i), at_end = ends_[end] * weights_[i];
      const Count &certain = certain_[end][i], &with_alt = with_alt_[end][i];
      const double expected = Expected(certain, damage), all = AltRate(damage);
      const double changed = (expected > 0 ? certain.can_be_changed * certain.changed / expected : 0) +
                             with_alt.changed * (1 - alt_) / all;
      const double exposure = certain.can_be_changed + with_alt.can_be_changed * (1 - alt_);
      inside.events += changed * inside_;
      inside.exposure += exposure;
      ends[end].events += changed * at_end;
      ends[end].exposure += exposure * weights_[i];
      alt.events += with_alt.changed * alt_ / all;
      alt.exposure += with_alt.can_be_changed * (1 - error_ - damage);
    });
    alt_ = std::clamp(alt.Rate(1), kLeastAlt, 1 - kLeastAlt);
    inside_ = inside.Rate(kMaxDamage);
    for (const ReadEnd end : {kReadStart, kReadEnd}) ends_[end] = ends[end].Rate(kMaxDamage);
  }

  static constexpr double kLeastAlt = 1e-6;

  const std::array<std::array<Count, kDamageDistances>, kNumReadEnds>&certain_, &with_alt_;
  const double error_, scale_;
  std::array<double, kDamageDistances> weights_{};
  double alt_ = 0.05, inside_ = 0;
  std::array<double, kNumReadEnds> ends_{};
};

ErrorModel::ErrorModel(const SubstitutionCounts& counts) {
  if (counts.bases_ == 0) return;
  const bool has_errors = counts.neither_ >= kMinErrorRatio * counts.expected_neither_ &&
                          GainOfOwnRate(counts.neither_, counts.expected_neither_) >= kMinErrorGain;
  if (has_errors) extra_error_ = (counts.neither_ - counts.expected_neither_) / counts.neither_per_error_;
  const double error = (counts.quality_errors_ / static_cast<double>(counts.bases_) + extra_error_) / 3;

  constexpr double kScales[] = {0.4, 0.6, 0.9, 1.3, 1.8, 2.4, 3.2, 4.3, 6, 9};
  const DamageFit no_ct(counts, kCToT, error, 1, false), no_ga(counts, kGToA, error, 1, false);
  double best = no_ct.LogLikelihood() + no_ga.LogLikelihood() + kMinGain / 2;
  for (const double scale : kScales) {
    const std::array<DamageFit, kNumDeaminations> fits{DamageFit(counts, kCToT, error, scale, true),
                                                       DamageFit(counts, kGToA, error, scale, true)};
    const double likelihood = fits[kCToT].LogLikelihood() + fits[kGToA].LogLikelihood() + LogPriorOfScale(scale);
    if (likelihood <= best) continue;
    best = likelihood;
    has_damage_ = true;
    ForEachDamage([&](Deamination d, ReadEnd end, size_t i) { damage_[d][end][i] = fits[d].Damage(end, i); });
  }
  if (has_damage_) {
    FollowCounts(counts, error);
    untold_error_ = kUntoldShare * MeanDamage(counts);
  }
}

// Where a distance has many bases, its own share of changed ones counts more than the curve.
void ErrorModel::FollowCounts(const SubstitutionCounts& counts, double error) {
  ForEachDamage([&](Deamination d, ReadEnd end, size_t i) {
    const auto& count = counts.certain_[d][end][i];
    const double changed = std::max(count.changed - error * count.all, 0.0);
    double& damage = damage_[d][end][i];
    damage = std::min((changed + kBasesOfFit * damage) / (count.can_be_changed + kBasesOfFit), kMaxDamage);
  });
}

// The mean over the bases that damage may have changed.
double ErrorModel::MeanDamage(const SubstitutionCounts& counts) const {
  double sum = 0, all = 0;
  ForEachDamage([&](Deamination d, ReadEnd end, size_t i) {
    const double bases = counts.certain_[d][end][i].can_be_changed;
    sum += bases * damage_[d][end][i];
    all += bases;
  });
  return all > 0 ? sum / all : 0;
}

double ErrorModel::Damage(Deamination deamination, ReadEnd end, size_t distance) const {
  return damage_[deamination][end][std::min(distance, kDamageDistances - 1)];
}

// The probability that deamination makes `to` of `from` at the place of the base.
double ErrorModel::Deaminated(const ReadBase& base, uint8_t from, uint8_t to) const {
  if (!has_damage_) return 0;
  const std::pair change(Sequenced(base, from), Sequenced(base, to));
  const auto found = std::ranges::find(kChanges, change);
  if (found == kChanges.end()) return 0;
  const auto [end, distance] = NearerEnd(base);
  return damage_[static_cast<size_t>(found - kChanges.begin())][end][distance];
}

uint8_t ErrorModel::Quality(const ReadBase& base, uint8_t shown, uint8_t other) const {
  const double gained = Deaminated(base, other, shown), lost = Deaminated(base, shown, other);
  const double more = extra_error_ + untold_error_;
  if (more == 0 && gained == 0 && lost == 0) return base.quality;
  const double error = std::min(ErrorOfQuality(base.quality) + more, 0.5);
  return QualityOfRatio(std::min((error + gained) / std::max(1 - error - lost, error), 1.0));
}

uint8_t ErrorModel::MoleculeQuality(const ReadBase& base, uint8_t shown, uint8_t other) const {
  const double gained = Deaminated(base, other, shown);
  return gained == 0 ? kMaxQuality : QualityOfRatio(gained / std::max(1 - Deaminated(base, shown, other), gained));
}

}  // namespace haplospin
